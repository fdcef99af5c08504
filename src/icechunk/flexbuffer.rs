//! Reads FlexBuffers: a repository's configuration, and the metadata of its snapshots as JSON text.
//! <https://flatbuffers.dev/internals/#flexbuffers>
//!
//! Values may share bytes, so a small buffer can have a large text: the depth is bounded, and the
//! text by the length of the buffer. A buffer begins at its end: the last two bytes are the type
//! and the width of the root.

use std::cmp::Ordering;

use zarr_wasm::error::{Error, Result};
use zarr_wasm::format::json::{decimal, text};

use crate::flatbuffer;

const DEPTH: usize = 32;
/// The most bytes of text, of a buffer of any length.
const TEXT_BYTES: usize = 1 << 22;
/// The most bytes of text for each byte of a buffer, and those that a small one may have besides.
const TIMES: usize = 16;
const FLOOR: usize = 1 << 10;

fn damaged() -> Error {
    flatbuffer::damaged("a FlexBuffer")
}

/// The JSON text of a buffer. Numbers that JSON does not have are null.
///
/// # Errors
/// `Format` for a buffer that is damaged; `Unsupported` for bytes, which JSON does not have;
/// `Limit` for one that is nested too deep, or whose text is too long.
pub fn to_json(buffer: &[u8]) -> Result<String> {
    let mut json = String::new();
    Slot::root(buffer)?.put(&mut json, DEPTH)?;
    Ok(json)
}

/// The most bytes of text of a buffer.
fn most_text(buffer: &[u8]) -> usize {
    buffer.len().saturating_mul(TIMES).saturating_add(FLOOR).min(TEXT_BYTES)
}

/// A value where it is stored: itself, or an offset back to it.
#[derive(Clone, Copy)]
pub struct Slot<'a> {
    buffer: &'a [u8],
    at: usize,
    /// The size in bytes of the slot.
    width: usize,
    /// The type, and in the two lowest bits the width of what an offset leads to.
    packed: u8,
}

/// An unsigned number of one, two, four or eight bytes.
fn number(buffer: &[u8], at: usize, width: usize) -> Result<u64> {
    let bytes = buffer.get(at..).and_then(|rest| rest.get(..width)).ok_or_else(damaged)?;
    if width > 8 || !width.is_power_of_two() {
        return Err(damaged());
    }
    Ok(flatbuffer::number(bytes))
}

/// The same bits as a number with a sign.
#[allow(clippy::cast_possible_wrap, clippy::cast_possible_truncation, reason = "the bits are meant")]
fn signed(bits: u64, width: usize) -> i64 {
    match width {
        1 => i64::from(bits as u8 as i8),
        2 => i64::from(bits as u16 as i16),
        4 => i64::from(bits as u32 as i32),
        _ => bits as i64,
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the bits are those of a narrower number")]
fn float(bits: u64, width: usize) -> Result<f64> {
    match width {
        4 => Ok(f32::from_bits(bits as u32).into()),
        8 => Ok(f64::from_bits(bits)),
        _ => Err(damaged()),
    }
}

fn float_text(value: f64) -> String {
    if value.is_finite() { decimal::text(value) } else { "null".to_owned() }
}

/// The types that repositories have, by their numbers.
mod kind {
    pub const NULL: u8 = 0;
    pub const INT: u8 = 1;
    pub const UINT: u8 = 2;
    pub const FLOAT: u8 = 3;
    pub const KEY: u8 = 4;
    pub const STRING: u8 = 5;
    pub const INDIRECT_INT: u8 = 6;
    pub const INDIRECT_UINT: u8 = 7;
    pub const INDIRECT_FLOAT: u8 = 8;
    pub const MAP: u8 = 9;
    pub const VECTOR: u8 = 10;
    /// Vectors of one type: of ints, of uints, of floats, of keys.
    pub const FIRST_TYPED: u8 = 11;
    pub const LAST_TYPED: u8 = 14;
    pub const BOOL: u8 = 26;
    pub const BOOL_VECTOR: u8 = 36;
}

impl<'a> Slot<'a> {
    /// The value of a buffer.
    pub fn root(buffer: &'a [u8]) -> Result<Self> {
        let (rest, [packed, width]) = buffer.split_last_chunk().ok_or_else(damaged)?;
        let width = usize::from(*width);
        let at = rest.len().checked_sub(width).ok_or_else(damaged)?;
        Ok(Self { buffer, at, width, packed: *packed })
    }

    /// The number of members of a map; 0 for other values.
    pub fn len(self) -> Result<usize> {
        if self.kind() != kind::MAP {
            return Ok(0);
        }
        let (at, width) = self.target()?;
        self.len_before(at, width)
    }

    /// The value of a member of a map by its index.
    pub fn member(self, index: usize) -> Result<Self> {
        let len = self.len()?;
        let (at, width) = self.target()?;
        self.element(index, Elements { at, width, len, packed: None })
    }

    /// The value of a member of a map by its name. The keys of a map are sorted.
    pub fn get(self, name: &str) -> Result<Option<Self>> {
        let (mut low, mut high) = (0, self.len()?);
        while low < high {
            let middle = low.midpoint(high);
            match self.element(middle, self.keys()?)?.compare_key(name)? {
                Ordering::Less => low = middle.saturating_add(1),
                Ordering::Greater => high = middle,
                Ordering::Equal => return self.member(middle).map(Some),
            }
        }
        Ok(None)
    }

    /// A text; none for other values.
    pub fn text(self) -> Result<Option<&'a str>> {
        if self.kind() == kind::STRING { self.string().map(Some) } else { Ok(None) }
    }

    /// The keys of a map. Before its values stand the offset to the vector of its keys, and their
    /// width.
    fn keys(self) -> Result<Elements> {
        let (at, width) = self.target()?;
        let before = |count: usize| at.checked_sub(width.saturating_mul(count)).ok_or_else(damaged);
        let key_width = usize::try_from(number(self.buffer, before(2)?, width)?).map_err(|_| damaged())?;
        let keys = Slot { at: before(3)?, width, packed: 0, ..self }.target()?.0;
        Ok(Elements { at: keys, width: key_width, len: self.len()?, packed: Some(kind::KEY << 2) })
    }

    fn kind(self) -> u8 {
        self.packed >> 2
    }

    fn bits(self) -> Result<u64> {
        number(self.buffer, self.at, self.width)
    }

    /// What this slot leads to: its offset in the buffer, and the width of its elements.
    fn target(self) -> Result<(usize, usize)> {
        let back = usize::try_from(self.bits()?).map_err(|_| damaged())?;
        Ok((self.at.checked_sub(back).ok_or_else(damaged)?, 1_usize << (self.packed & 3)))
    }

    /// The length that stands before what is at an offset.
    fn len_before(self, at: usize, width: usize) -> Result<usize> {
        let len = number(self.buffer, at.checked_sub(width).ok_or_else(damaged)?, width)?;
        usize::try_from(len).ok().filter(|len| *len <= self.buffer.len()).ok_or_else(damaged)
    }

    /// Appends the value as JSON.
    fn put(self, json: &mut String, depth: usize) -> Result<()> {
        let depth = depth.checked_sub(1).ok_or_else(|| Error::limit("a FlexBuffer is nested too deep"))?;
        match self.kind() {
            kind::NULL => json.push_str("null"),
            kind::INT => json.push_str(&signed(self.bits()?, self.width).to_string()),
            kind::UINT => json.push_str(&self.bits()?.to_string()),
            kind::FLOAT => json.push_str(&float_text(float(self.bits()?, self.width)?)),
            kind::BOOL => json.push_str(if self.bits()? == 0 { "false" } else { "true" }),
            kind::KEY => json.push_str(&text::string(self.key()?)),
            kind::STRING => json.push_str(&text::string(self.string()?)),
            kind::INDIRECT_INT | kind::INDIRECT_UINT | kind::INDIRECT_FLOAT => {
                let (at, width) = self.target()?;
                let direct = self.kind().saturating_sub(kind::INDIRECT_INT).saturating_add(kind::INT);
                Slot { at, width, packed: direct << 2, ..self }.put(json, depth)?;
            }
            kind::MAP => self.put_map(json, depth)?,
            kind::VECTOR | kind::FIRST_TYPED..=kind::LAST_TYPED | kind::BOOL_VECTOR => {
                self.put_vector(json, depth)?;
            }
            other => {
                return Err(Error::unsupported("a FlexBuffer has a value without a JSON form")
                    .actual(format!("type {other}")));
            }
        }
        if json.len() > most_text(self.buffer) {
            return Err(Error::limit("the text of a FlexBuffer is too long"));
        }
        Ok(())
    }

    fn key(self) -> Result<&'a str> {
        let rest = self.buffer.get(self.target()?.0..).ok_or_else(damaged)?;
        let end = rest.iter().position(|byte| *byte == 0);
        let key = end.and_then(|end| rest.get(..end)).ok_or_else(damaged)?;
        std::str::from_utf8(key).map_err(|_| damaged())
    }

    /// Compares a key with a name. It reads no more of a longer key than tells the order.
    fn compare_key(self, name: &str) -> Result<Ordering> {
        let rest = self.buffer.get(self.target()?.0..).ok_or_else(damaged)?;
        let start = rest.get(..=name.len()).unwrap_or(rest);
        let key = start.split(|byte| *byte == 0).next().unwrap_or_default();
        Ok(key.cmp(name.as_bytes()))
    }

    fn string(self) -> Result<&'a str> {
        let (at, width) = self.target()?;
        let len = self.len_before(at, width)?;
        let bytes = self.buffer.get(at..).and_then(|rest| rest.get(..len)).ok_or_else(damaged)?;
        std::str::from_utf8(bytes).map_err(|_| damaged())
    }

    /// The element of a vector. The types of its elements stand behind all of them, unless all have
    /// one.
    fn element(self, index: usize, of: Elements) -> Result<Self> {
        let offset = |size: usize, index: usize| {
            size.checked_mul(index).and_then(|offset| offset.checked_add(of.at)).ok_or_else(damaged)
        };
        let at = offset(of.width, index)?;
        let packed = match of.packed {
            Some(packed) => packed,
            None => {
                let types = offset(of.width, of.len)?.checked_add(index).ok_or_else(damaged)?;
                *self.buffer.get(types).ok_or_else(damaged)?
            }
        };
        Ok(Self { at, width: of.width, packed, ..self })
    }

    fn put_vector(self, json: &mut String, depth: usize) -> Result<()> {
        let (at, width) = self.target()?;
        let packed = match self.kind() {
            kind::VECTOR => None,
            kind::BOOL_VECTOR => Some(kind::BOOL << 2),
            typed => Some(typed.saturating_sub(kind::FIRST_TYPED).saturating_add(kind::INT) << 2),
        };
        let elements = Elements { at, width, len: self.len_before(at, width)?, packed };
        json.push('[');
        for index in 0..elements.len {
            if index > 0 {
                json.push(',');
            }
            self.element(index, elements)?.put(json, depth)?;
        }
        json.push(']');
        Ok(())
    }

    fn put_map(self, json: &mut String, depth: usize) -> Result<()> {
        let keys = self.keys()?;
        json.push('{');
        for index in 0..keys.len {
            if index > 0 {
                json.push(',');
            }
            self.element(index, keys)?.put(json, depth)?;
            json.push(':');
            self.member(index)?.put(json, depth)?;
        }
        json.push('}');
        Ok(())
    }
}

/// The elements of a vector: where they begin, their size in bytes, their count, and their type if
/// all have one.
#[derive(Clone, Copy)]
struct Elements {
    at: usize,
    width: usize,
    len: usize,
    packed: Option<u8>,
}
