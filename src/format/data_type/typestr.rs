//! Data types by their v2 names: NumPy's array protocol type strings, which carry the byte order.
//! <https://numpy.org/doc/stable/reference/arrays.interface.html>
//!
//! The byte order is taken apart from the type: it becomes the `bytes` codec's. Deliberately strict about its presence,
//! as the text is, and lenient about which one stands before one-byte types (netCDF-C writes `<u1`).

use super::{DataType, Float, Integer};
use crate::error::{Error, Result};

/// In which order an element's bytes are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl Endian {
    /// As the `bytes` codec's configuration has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Little => "little",
            Self::Big => "big",
        }
    }

    /// The order that a type string's first character names; `None` for `|` (not relevant) and everything else.
    pub fn of_typestr(typestr: &str) -> Option<Self> {
        match typestr.as_bytes().first() {
            Some(b'<') => Some(Self::Little),
            Some(b'>') => Some(Self::Big),
            _ => None,
        }
    }
}

/// The data type and its byte order; types of one byte, which have none, count as little-endian.
///
/// # Errors
/// `Format` for what is no type string, `Unsupported` naming a type that this build does not have.
pub fn parse(typestr: &str) -> Result<(DataType, Endian)> {
    let invalid = || {
        let error = Error::format("invalid type string");
        error.expected("a byte order, a type code and a size, as in \"<f8\"").actual(format!("{typestr:?}"))
    };
    let mut chars = typestr.chars();
    let (Some(order @ ('<' | '>' | '|')), Some(code)) = (chars.next(), chars.next()) else {
        return Err(invalid());
    };
    let data_type = match (code, chars.as_str()) {
        ('b', "1") => DataType::Bool,
        ('i' | 'u' | 'f' | 'b', size) => {
            let size = size.parse().map_err(|_| invalid())?;
            number(code, size).ok_or_else(|| unsupported(typestr))?
        }
        ('c' | 'm' | 'M' | 'S' | 'U' | 'V' | 'O', _) => return Err(unsupported(typestr)),
        _ => return Err(invalid()),
    };
    match Endian::of_typestr(typestr) {
        Some(endian) => Ok((data_type, endian)),
        None if order == '|' && data_type.size() == Some(1) => Ok((data_type, Endian::Little)),
        None => Err(invalid()),
    }
}

fn number(code: char, size: usize) -> Option<DataType> {
    match code {
        'i' | 'u' => Integer::of_size(code == 'i', size).map(DataType::Integer),
        'f' => Float::of_size(size).map(DataType::Float),
        _ => None,
    }
}

fn unsupported(typestr: &str) -> Error {
    Error::unsupported(format!("unknown data type {typestr:?}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn numbers_and_byte_orders() {
        for (typestr, name, endian) in [
            ("|b1", "bool", Endian::Little),
            ("|i1", "int8", Endian::Little),
            ("<u1", "uint8", Endian::Little),
            (">i1", "int8", Endian::Big),
            ("<i2", "int16", Endian::Little),
            (">u4", "uint32", Endian::Big),
            (">i8", "int64", Endian::Big),
            ("<u8", "uint64", Endian::Little),
            ("<f2", "float16", Endian::Little),
            (">f4", "float32", Endian::Big),
            ("<f8", "float64", Endian::Little),
        ] {
            let (data_type, parsed) = parse(typestr).unwrap();
            assert_eq!((data_type.name().as_ref(), parsed), (name, endian), "{typestr}");
        }
    }

    #[test]
    fn types_without_byte_order_or_sense_are_refused() {
        for typestr in ["", "<", "f8", "|f8", "|i4", "=f8", "<f", "<fx", "<q8", "<f-8", "é"] {
            assert_eq!(parse(typestr).unwrap_err().kind(), ErrorKind::Format, "{typestr}");
        }
    }

    #[test]
    fn other_types_are_named() {
        for typestr in ["<f16", "<c8", "<M8[ns]", "|S12", "<U5", "|V6", "|O", "<i3", "<f1"] {
            let error = parse(typestr).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{typestr}");
            assert!(error.message().contains(typestr));
        }
    }
}
