//! Thrift's compact protocol, in which Parquet has its footer and the headers of its pages.
//! <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>
//!
//! A struct becomes a tree whose parts refer to the bytes. Doubles are skipped: nothing reads them.
//! Parquet has no maps.

use zarr_wasm::error::Result;

use crate::error::corrupt;

/// How deep structs and lists may nest. Parquet's need fewer.
const DEPTH: usize = 16;

/// A value.
#[derive(Debug)]
pub enum Thrift<'a> {
    Flag(bool),
    Integer(i64),
    Bytes(&'a [u8]),
    List(Vec<Thrift<'a>>),
    /// The fields by number.
    Struct(Vec<(i16, Thrift<'a>)>),
    /// A value that nothing reads.
    Skipped,
}

impl<'a> Thrift<'a> {
    /// Reads a struct, and moves `bytes` to what follows it.
    ///
    /// # Errors
    /// `Format` for other bytes.
    pub fn read(bytes: &mut &'a [u8]) -> Result<Self> {
        structure(bytes, DEPTH).ok_or_else(|| corrupt("its metadata cannot be read"))
    }

    /// A field of a struct.
    pub fn get(&self, number: i16) -> Option<&Self> {
        let Self::Struct(fields) = self else { return None };
        fields.iter().find(|(field, _)| *field == number).map(|(_, value)| value)
    }

    /// An integer field that is not negative.
    pub fn count(&self, number: i16) -> Option<u64> {
        match self.get(number)? {
            Self::Integer(integer) => u64::try_from(*integer).ok(),
            _ => None,
        }
    }

    /// A field of bytes.
    pub fn bytes(&self, number: i16) -> Option<&'a [u8]> {
        match self.get(number)? {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// A list field; empty without one.
    pub fn list(&self, number: i16) -> &[Self] {
        match self.get(number) {
            Some(Self::List(items)) => items,
            _ => &[],
        }
    }
}

fn structure<'a>(bytes: &mut &'a [u8], depth: usize) -> Option<Thrift<'a>> {
    let depth = depth.checked_sub(1)?;
    let (mut fields, mut number) = (Vec::new(), 0_i16);
    loop {
        let head = byte(bytes)?;
        if head == 0 {
            return Some(Thrift::Struct(fields));
        }
        number = match head >> 4 {
            0 => i16::try_from(integer(bytes)?).ok()?,
            delta => number.checked_add(i16::from(delta))?,
        };
        let value = match head & 15 {
            // The type is the value of a field.
            kind @ (1 | 2) => Thrift::Flag(kind == 1),
            kind => value(bytes, kind, depth)?,
        };
        fields.push((number, value));
    }
}

fn value<'a>(bytes: &mut &'a [u8], kind: u8, depth: usize) -> Option<Thrift<'a>> {
    Some(match kind {
        // In a list a flag is a byte.
        1 | 2 => Thrift::Flag(byte(bytes)? == 1),
        3 => Thrift::Integer(i64::from(byte(bytes)?.cast_signed())),
        4..=6 => Thrift::Integer(integer(bytes)?),
        7 => take(bytes, 8).map(|_| Thrift::Skipped)?,
        8 => {
            let len = usize::try_from(varint(bytes)?).ok()?;
            Thrift::Bytes(take(bytes, len)?)
        }
        9 | 10 => list(bytes, depth)?,
        12 => structure(bytes, depth)?,
        _ => return None,
    })
}

fn list<'a>(bytes: &mut &'a [u8], depth: usize) -> Option<Thrift<'a>> {
    let depth = depth.checked_sub(1)?;
    let head = byte(bytes)?;
    let len = match head >> 4 {
        15 => varint(bytes)?,
        len => u64::from(len),
    };
    // Each item has a byte or more, so a long list of few bytes ends early.
    (0..len).map(|_| value(bytes, head & 15, depth)).collect::<Option<_>>().map(Thrift::List)
}

/// The first byte, which is removed.
pub fn byte(bytes: &mut &[u8]) -> Option<u8> {
    take(bytes, 1)?.first().copied()
}

/// The first bytes, which are removed.
pub fn take<'a>(bytes: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(taken)
}

/// An unsigned integer in groups of seven bits, the lowest first.
pub fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let group = byte(bytes)?;
        let bits = u64::from(group & 127);
        number |= bits.checked_shl(shift).filter(|shifted| shifted >> shift == bits)?;
        if group < 128 {
            return Some(number);
        }
    }
    None
}

/// A signed integer: zigzag.
fn integer(bytes: &mut &[u8]) -> Option<i64> {
    let number = varint(bytes)?;
    Some((number >> 1).cast_signed() ^ (number & 1).cast_signed().wrapping_neg())
}
