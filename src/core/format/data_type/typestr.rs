//! The names of data types in v2: NumPy's array protocol type strings, which include the byte
//! order. <https://numpy.org/doc/stable/reference/arrays.interface.html>
//!
//! Parsing separates the byte order, which becomes the `bytes` codec's. It must be there, as the
//! specification says, but one-byte types may have any (netCDF-C writes `<u1`).

use super::{DataType, Endian, Float, Integer, Time, TimeKind, fixed_bytes};
use crate::error::{Error, Result};
use crate::quoted::quoted;

/// Parses a type string to the data type and its byte order. Types without numbers of more than one
/// byte count as little-endian.
///
/// # Errors
/// `Format` for an invalid type string, `Unsupported` for a type that this build does not have.
pub fn parse(typestr: &str) -> Result<(DataType, Endian)> {
    let invalid = || {
        let error = Error::format("the type string is invalid");
        error.expected("a byte order, a type code and a size, as in \"<f8\"").actual(quoted(typestr))
    };
    if let Some(data_type) = named_by_tensorstore(typestr) {
        return Ok((data_type, Endian::Little));
    }
    let mut chars = typestr.chars();
    let (Some(order @ ('<' | '>' | '|')), Some(code)) = (chars.next(), chars.next()) else {
        return Err(invalid());
    };
    let rest = chars.as_str();
    let data_type = match code {
        'b' | 'i' | 'u' | 'f' | 'c' => number(code, rest.parse().map_err(|_| invalid())?),
        'M' | 'm' => Some(DataType::Time(time(code, rest).ok_or_else(invalid)?)),
        'S' | 'V' | 'U' => Some(text(code, rest.parse().map_err(|_| invalid())?)?),
        'O' => None,
        _ => return Err(invalid()),
    };
    let data_type = data_type.ok_or_else(|| unsupported(typestr))?;
    match Endian::of_typestr(typestr) {
        Some(endian) => Ok((data_type, endian)),
        None if order == '|' && data_type.swap_runs().is_empty() => Ok((data_type, Endian::Little)),
        None => Err(invalid()),
    }
}

/// Parses NumPy's name of a number, such as `float64`. It has no byte order and is not a type
/// string.
pub fn without_order(name: &str) -> Option<DataType> {
    match (Integer::of_name(name), Float::of_name(name)) {
        (Some(integer), _) if integer.is_in_numpy() => Some(DataType::Integer(integer)),
        (_, Some(float)) if float.is_in_numpy() => Some(DataType::Float(float)),
        _ => (name == "bool").then_some(DataType::Bool),
    }
}

/// Parses the v3 names that TensorStore writes for types that NumPy does not have.
fn named_by_tensorstore(name: &str) -> Option<DataType> {
    match (Integer::of_name(name), Float::of_name(name)) {
        (Some(integer), _) if !integer.is_in_numpy() => Some(DataType::Integer(integer)),
        (_, Some(float)) if float == Float::Bfloat16 || float.size() == 1 => Some(DataType::Float(float)),
        _ => None,
    }
}

fn number(code: char, size: usize) -> Option<DataType> {
    match code {
        'b' => (size == 1).then_some(DataType::Bool),
        'i' | 'u' => Integer::of_size(code == 'i', size).map(DataType::Integer),
        'f' => Float::of_size(size).map(DataType::Float),
        // NumPy has no complex type of two `float16`.
        _ => Float::of_size(size / 2).filter(|_| matches!(size, 8 | 16)).map(DataType::Complex),
    }
}

fn time(code: char, rest: &str) -> Option<Time> {
    let kind = if code == 'M' { TimeKind::Moment } else { TimeKind::Duration };
    Time::parse_typestr(kind, rest.strip_prefix('8')?)
}

fn text(code: char, len: u64) -> Result<DataType> {
    Ok(match code {
        'S' => DataType::NullTerminatedBytes(fixed_bytes::element_len(len)?),
        'V' => DataType::raw(fixed_bytes::element_len(len)?),
        _ => DataType::Utf32(fixed_bytes::element_len(len.saturating_mul(4))? / 4),
    })
}

fn unsupported(typestr: &str) -> Error {
    let reason = match typestr.get(1..) {
        Some("f16" | "c32") => ": NumPy's long double differs from machine to machine",
        Some("O") => ": objects cannot be part of other types",
        _ => "",
    };
    Error::unsupported(format!("unknown data type {}{reason}", quoted(typestr)))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
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
    fn type_strings_without_byte_order_and_invalid_ones_are_refused() {
        for typestr in ["", "<", "f8", "|f8", "|i4", "=f8", "<f", "<fx", "<q8", "<f-8", "é"] {
            assert_eq!(parse(typestr).unwrap_err().kind(), ErrorKind::Format, "{typestr}");
        }
    }

    #[test]
    fn type_strings_of_all_families() {
        for (typestr, name, size, endian) in [
            ("<c8", "complex64", 8, Endian::Little),
            (">c16", "complex128", 16, Endian::Big),
            ("<M8[ns]", "numpy.datetime64", 8, Endian::Little),
            (">m8[25s]", "numpy.timedelta64", 8, Endian::Big),
            ("<m8", "numpy.timedelta64", 8, Endian::Little),
            ("|S12", "null_terminated_bytes", 12, Endian::Little),
            ("<U5", "fixed_length_utf32", 20, Endian::Little),
            (">U1", "fixed_length_utf32", 4, Endian::Big),
            ("|V6", "r48", 6, Endian::Little),
            ("bfloat16", "bfloat16", 2, Endian::Little),
            ("float8_e4m3fn", "float8_e4m3fn", 1, Endian::Little),
            ("int4", "int4", 1, Endian::Little),
        ] {
            let (data_type, parsed) = parse(typestr).unwrap();
            let expected = (name, Some(size), endian);
            assert_eq!((data_type.name().as_ref(), data_type.size(), parsed), expected, "{typestr}");
        }
    }

    #[test]
    fn units_and_their_factors() {
        let time = |typestr: &str| match parse(typestr).unwrap().0 {
            DataType::Time(time) => (time.kind, time.unit.name(), time.scale_factor),
            other => panic!("{other:?}"),
        };
        for unit in ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic"] {
            assert_eq!(time(&format!("<M8[{unit}]")), (TimeKind::Moment, unit, 1));
        }
        assert_eq!(time("<m8"), (TimeKind::Duration, "generic", 1));
        assert_eq!(time("<m8[2147483647μs]"), (TimeKind::Duration, "us", 2_147_483_647));
        for typestr in ["<M4[s]", "|M8[s]", "<M8[0s]", "<M8[2147483648s]", "<M8[]", "<M8[q]", "<M8[s", "<M8s"]
        {
            assert_eq!(parse(typestr).unwrap_err().kind(), ErrorKind::Format, "{typestr}");
        }
    }

    #[test]
    fn sizes_are_bounded() {
        for typestr in ["|S0", "<U0", "|V0", "|S", "|S-1", "|U5", "|c8"] {
            assert_eq!(parse(typestr).unwrap_err().kind(), ErrorKind::Format, "{typestr}");
        }
        for typestr in ["|S16777217", "<U4194305", "|V18446744073709551615", "<U18446744073709551615"] {
            assert_eq!(parse(typestr).unwrap_err().kind(), ErrorKind::Limit, "{typestr}");
        }
    }

    #[test]
    fn errors_name_unknown_types() {
        // Eight times these sizes overflows to 8, in 32 and in 64 bits.
        let huge = ["<u536870913", "<u2305843009213693953"];
        for typestr in
            ["<f16", "<c32", "|O", "<i3", "<i0", "<f1", "<c4", "<c9", "|b2"].into_iter().chain(huge)
        {
            let error = parse(typestr).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{typestr}");
            assert!(error.message().contains(typestr));
        }
        assert!(parse("<f16").unwrap_err().message().contains("long double"));
    }
}
