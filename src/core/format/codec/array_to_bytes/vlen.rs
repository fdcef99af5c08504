//! `vlen-utf8`, `vlen-bytes`, `vlen-array`: the number of elements, then the length and the bytes
//! of each element. All counts are unsigned, little-endian and of 32 bits.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/vlen-utf8>, `…/vlen-bytes`,
//! <https://numcodecs.readthedocs.io/en/stable/other/vlen.html>
//!
//! The lengths of arrays are in bytes too. `zarrs.vlen_v2` has the same layout for all of these
//! types.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::build::require_encoders;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ArrayBytes, ArrayToBytes, ChunkRepresentation, Codec};
use crate::format::data_type::{DataType, Endian, Run, run, typestr};
use crate::kernel::vlen;
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
    codec(decoded, decoded.data_type == DataType::String, 1, Vec::new())
}

/// Binds `vlen-bytes`. Its configuration has no fields.
///
/// # Errors
/// `Format` for other data types than bytes.
pub fn bind_bytes(_: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    codec(decoded, decoded.data_type == DataType::Bytes, 1, Vec::new())
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
    codec(decoded, fits, inner.size().unwrap_or(1).max(1), swap)
}

/// Binds `zarrs.vlen_v2`. Its configuration has no fields.
///
/// # Errors
/// `Format` for other data types than strings and bytes.
pub fn bind_any(_: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    codec(decoded, matches!(decoded.data_type, DataType::String | DataType::Bytes), 1, Vec::new())
}

fn codec(decoded: &ChunkRepresentation, fits: bool, size: usize, swap: Vec<Run>) -> Result<Codec> {
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
        // allocated.
        let lengths = limits::product([self.count, LEN as u64], "lengths of elements")?;
        let content = (rest.len() as u64).checked_sub(lengths).ok_or_else(too_short)?;
        let mut offsets = Vec::new();
        let count = limits::to_usize(self.count, "elements")?.saturating_add(1);
        limits::reserve(&mut offsets, count, "offsets of elements")?;
        offsets.resize(count, 0);
        let mut bytes = limits::zeroed(content, limits::CHUNK_BYTES, "elements")?;
        let ends = offsets.get_mut(1..).unwrap_or_default();
        let end = vlen::split(rest, ends, &mut bytes).ok_or_else(too_short)?;
        if end < bytes.len() {
            let error = Error::format("there are bytes after the last element");
            return Err(error.actual(format!("{} bytes", bytes.len().saturating_sub(end))));
        }
        let mut elements = VariableBytes { offsets, bytes };
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
        let lengths = elements.len().saturating_add(1).saturating_mul(LEN);
        let len = lengths.saturating_add(elements.bytes.len()) as u64;
        let mut encoded = limits::zeroed(len, limits::RESULT_BYTES, "encoded chunk")?;
        let count = u32::try_from(self.count).map_err(|_| Error::limit("the chunk has 2^32 elements"))?;
        let mut bytes = Cow::Borrowed(&elements.bytes);
        if !self.swap.is_empty() {
            run::swap_all(bytes.to_mut(), self.size, &self.swap);
        }
        let joined = encoded.split_first_chunk_mut::<LEN>().and_then(|(first, rest)| {
            *first = count.to_le_bytes();
            vlen::join(&elements.offsets, &bytes, rest)
        });
        let wrong = || Error::argument("the offsets of elements do not fit their bytes");
        joined.map(|()| encoded).ok_or_else(wrong)
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

fn too_short() -> Error {
    Error::format("the elements are truncated")
}

/// The error of a chunk with too few or too many elements.
pub(super) fn wrong_count(expected: u64, actual: u64) -> Error {
    Error::format("the chunk has the wrong number of elements")
        .expected(expected.to_string())
        .actual(actual.to_string())
}
