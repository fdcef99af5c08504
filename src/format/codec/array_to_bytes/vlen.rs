//! `vlen-utf8`, `vlen-bytes`, `vlen-array`: the number of elements, then the length and the bytes
//! of each element. All counts are unsigned, little-endian and of 32 bits.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/vlen-utf8>, `…/vlen-bytes`,
//! <https://numcodecs.readthedocs.io/en/stable/other/vlen.html>
//!
//! The lengths of arrays are in bytes too. `zarrs.vlen_v2` has the same layout for all of these
//! types.

use crate::error::{Error, Result};
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::registry::require_encoders;
use crate::format::codec::{ArrayBytes, ArrayToBytes, ChunkRepresentation, Codec};
use crate::format::data_type::typestr::{self, Endian};
use crate::format::data_type::{DataType, Run, run};
use crate::limits;

/// The bytes of a count.
const LEN: usize = 4;

struct Vlen {
    /// The number of elements of the chunk.
    count: u64,
    is_text: bool,
    /// The bytes of each number of an element.
    size: usize,
    /// The numbers whose bytes are in reverse order.
    swap: Vec<Run>,
}

/// Binds `vlen-utf8`. Its configuration has no fields.
///
/// # Errors
/// `Format` for other data types than strings.
pub fn bind_utf8(_: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    vlen(decoded, decoded.data_type == DataType::String, 1, Vec::new())
}

/// Binds `vlen-bytes`. Its configuration has no fields.
///
/// # Errors
/// `Format` for other data types than bytes.
pub fn bind_bytes(_: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    vlen(decoded, decoded.data_type == DataType::Bytes, 1, Vec::new())
}

/// Binds `vlen-array`. Its configuration: `dtype`.
///
/// # Errors
/// `Format` when it is missing, not a type string, or not the type of the array's elements,
/// `Unsupported` for types that this build does not have.
pub fn bind_array(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let dtype = configuration.read("dtype", |json| typestr::parse(&json.str()?))?;
    let (inner, endian) = configuration.required("dtype", dtype)?;
    let swap = if endian == Endian::Big { inner.swap_runs() } else { Vec::new() };
    let fits = matches!(&decoded.data_type, DataType::VariableArray(of) if **of == inner);
    vlen(decoded, fits, inner.size().unwrap_or(1).max(1), swap)
}

/// Binds `zarrs.vlen_v2`. Its configuration has no fields.
///
/// # Errors
/// `Format` for other data types than strings and bytes.
pub fn bind_any(_: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    vlen(decoded, matches!(decoded.data_type, DataType::String | DataType::Bytes), 1, Vec::new())
}

fn vlen(decoded: &ChunkRepresentation, fits: bool, size: usize, swap: Vec<Run>) -> Result<Codec> {
    if !fits {
        let error = Error::format("this codec does not support the data type");
        return Err(error.actual(decoded.data_type.name().into_owned()));
    }
    let is_text = decoded.data_type == DataType::String;
    Ok(Codec::array_to_bytes(Vlen { count: decoded.element_count()?, is_text, size, swap }))
}

impl ArrayToBytes for Vlen {
    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        let (count, rest) = split_len(encoded)?;
        if u64::from(count) != self.count {
            return Err(wrong_count(self.count, u64::from(count)));
        }
        // Each element stores a length, so that the encoded bytes limit the memory that is
        // reserved.
        let lengths = limits::product([self.count, LEN as u64], "lengths of elements")?;
        let content = (rest.len() as u64).checked_sub(lengths).ok_or_else(too_short)?;
        let mut elements = VariableBytes::new();
        limits::reserve(
            &mut elements.offsets,
            limits::to_usize(self.count, "elements")?,
            "offsets of elements",
        )?;
        limits::reserve(&mut elements.bytes, limits::to_usize(content, "elements")?, "elements")?;
        let mut rest = rest;
        for _ in 0..count {
            let (len, after) = split_len(rest)?;
            let len = limits::to_usize(len.into(), "element")?;
            let (element, after) = after.split_at_checked(len).ok_or_else(too_short)?;
            elements.push(element)?;
            rest = after;
        }
        if !rest.is_empty() {
            let error = Error::format("there are bytes after the last element");
            return Err(error.actual(format!("{} bytes", rest.len())));
        }
        self.check(&elements).map_err(Error::format)?;
        run::swap_all(&mut elements.bytes, self.size, &self.swap);
        Ok(ArrayBytes::Variable(elements))
    }

    fn encode(&self, decoded: &ArrayBytes) -> Result<Vec<u8>> {
        require_encoders()?;
        let elements = decoded.variable()?;
        if elements.len() as u64 != self.count {
            return Err(wrong_count(self.count, elements.len() as u64));
        }
        self.check(elements).map_err(Error::argument)?;
        let mut encoded = Vec::new();
        let lengths = elements.len().saturating_add(1).saturating_mul(LEN);
        limits::reserve(&mut encoded, lengths.saturating_add(elements.bytes.len()), "encoded chunk")?;
        put_len(&mut encoded, elements.len())?;
        for idx in 0..elements.len() {
            let element = elements.get(idx).unwrap_or_default();
            put_len(&mut encoded, element.len())?;
            let start = encoded.len();
            encoded.extend_from_slice(element);
            run::swap_all(encoded.get_mut(start..).unwrap_or_default(), self.size, &self.swap);
        }
        Ok(encoded)
    }
}

impl Vlen {
    /// Checks the content of the elements: valid UTF-8, or whole numbers.
    fn check(&self, elements: &VariableBytes) -> std::result::Result<(), &'static str> {
        if self.is_text {
            // The bytes are valid as a whole, and no element ends within a character.
            let text = std::str::from_utf8(&elements.bytes).map_err(|_| "a string is not valid UTF-8")?;
            let whole = elements.offsets.iter().all(|&offset| text.is_char_boundary(offset as usize));
            return if whole { Ok(()) } else { Err("a string is not valid UTF-8") };
        }
        let whole = elements.offsets.iter().all(|&offset| (offset as usize).is_multiple_of(self.size));
        if whole { Ok(()) } else { Err("the length of an array is not a multiple of its number's size") }
    }
}

fn split_len(bytes: &[u8]) -> Result<(u32, &[u8])> {
    let (len, rest) = bytes.split_first_chunk::<LEN>().ok_or_else(too_short)?;
    Ok((u32::from_le_bytes(*len), rest))
}

fn put_len(encoded: &mut Vec<u8>, len: usize) -> Result<()> {
    let len = u32::try_from(len).map_err(|_| Error::limit("an element is longer than 4 GiB"))?;
    encoded.extend_from_slice(&len.to_le_bytes());
    Ok(())
}

fn too_short() -> Error {
    Error::format("the elements are truncated")
}

/// The error of a chunk with too few or too many elements.
pub(super) fn wrong_count(expected: u64, actual: u64) -> Error {
    Error::format("the chunk has the wrong number of elements")
        .expected(expected.to_string())
        .actual(actual.to_string())
}
