//! Elements in memory that decoded chunks fill: those of a part, of a chunk that a write changes,
//! or of a shard that is decoded whole. They are packed, or of variable length.
//!
//! The bytes of elements of variable length are in an arena, in the order of arrival, with a byte
//! range for each element. They are copied into their final order at the end.

use std::ops::Range;

use super::ArrayBytes;
use super::array_bytes::VariableBytes;
use crate::error::{Error, Result, Stage};
use crate::format::data_type::FillValue;
use crate::kernel::{fill, scatter};
use crate::limits;

/// Puts the element of the first index at the place of the second.
pub type Put<'a> = dyn FnMut(usize, usize) -> Result<()> + 'a;

/// The elements. Places that no chunk has filled hold the fill value, once
/// [`ElementBuffer::expect`] has been called.
pub enum ElementBuffer {
    /// Packed elements of one size.
    Fixed {
        /// The elements.
        bytes: Vec<u8>,
        /// The bytes of an element.
        element_size: usize,
        /// The fill value, if it is not yet in the places that nothing has filled.
        unfilled: Option<Vec<u8>>,
    },
    /// Elements of variable length.
    Variable {
        /// The bytes of elements, in the order of arrival.
        arena: Vec<u8>,
        /// The range in the arena of each place's element.
        ranges: Vec<(u32, u32)>,
    },
}

impl ElementBuffer {
    /// A part of this many elements, all fill value. `element_size` is `None` for elements of
    /// variable length. `spare` is memory to reuse; its bytes do not matter.
    pub fn new(
        elements: u64,
        element_size: Option<usize>,
        fill_value: &FillValue,
        spare: Vec<u8>,
    ) -> Result<Self> {
        let Some(element_size) = element_size else {
            let elements = limits::within(elements, limits::CHUNK_BYTES / 8, "elements of a part")?;
            let arena = fill_value.0.clone();
            let end = arena_end(&arena, 0)?;
            let mut ranges = Vec::new();
            limits::reserve(&mut ranges, elements, "part")?;
            ranges.resize(elements, (0, end));
            return Ok(Self::Variable { arena, ranges });
        };
        let len = limits::product([elements, element_size as u64], "part")?;
        if spare.len() as u64 == len {
            return Ok(Self::Fixed { bytes: spare, element_size, unfilled: Some(fill_value.0.clone()) });
        }
        drop(spare);
        let mut bytes = limits::zeroed(len, limits::CHUNK_BYTES, "part")?;
        if fill_value.0.iter().any(|byte| *byte != 0) {
            fill::fill(&mut bytes, &fill_value.0);
        }
        Ok(Self::Fixed { bytes, element_size, unfilled: None })
    }

    /// Prepares for instructions that fill this many places, each once. A part that they fill
    /// completely does not need the fill value.
    pub fn expect(&mut self, places: u64) {
        let Self::Fixed { bytes, element_size, .. } = self else { return };
        if places.saturating_mul(*element_size as u64) != bytes.len() as u64 {
            self.fill();
        } else if let Self::Fixed { unfilled, .. } = self {
            *unfilled = None;
        }
    }

    /// Writes the fill value into a reused buffer.
    fn fill(&mut self) {
        if let Self::Fixed { bytes, unfilled, .. } = self
            && let Some(fill_value) = unfilled.take()
        {
            fill::fill(bytes, &fill_value);
        }
    }

    /// Puts in elements of one size. `copy` copies them into the buffer's bytes, whose elements
    /// have the size that it gets too.
    ///
    /// # Errors
    /// `Format` for elements that are fewer than `copy` needs, or of variable length here.
    pub fn put_fixed(
        &mut self,
        elements: &[u8],
        copy: impl FnOnce(&mut [u8], usize) -> std::result::Result<(), scatter::OutOfBounds>,
    ) -> Result<()> {
        let Self::Fixed { bytes, element_size, .. } = self else { return Err(other_elements()) };
        copy(bytes, *element_size).map_err(|_| too_few(elements.len()))
    }

    /// Puts in elements of variable length. `pairs` calls its argument with the index of each
    /// element and its place in the buffer.
    ///
    /// # Errors
    /// `Format` for elements that are fewer than `pairs` names, or of one size here. `Limit` for
    /// elements that take too much memory.
    pub fn put_variable(
        &mut self,
        elements: &VariableBytes,
        pairs: impl FnOnce(&mut Put<'_>) -> Result<()>,
    ) -> Result<()> {
        let Self::Variable { arena, ranges } = self else { return Err(other_elements()) };
        let base = arena_end(arena, 0)?;
        arena_end(arena, elements.bytes.len())?;
        limits::reserve(arena, elements.bytes.len(), "part")?;
        arena.extend_from_slice(&elements.bytes);
        pairs(&mut |element, place| {
            let ends = elements.offsets.get(element..).and_then(|ends| ends.first_chunk());
            let (Some([start, end]), Some(range)) = (ends, ranges.get_mut(place)) else {
                return Err(too_few(elements.len()));
            };
            *range = (base.saturating_add(*start), base.saturating_add(*end));
            Ok(())
        })
    }

    /// The bytes of a range of packed elements, so that a chunk can be decoded into them. `None`
    /// for elements of variable length.
    pub fn fixed_bytes(&mut self, elements: Range<usize>) -> Option<&mut [u8]> {
        let Self::Fixed { bytes, element_size, .. } = self else { return None };
        let start = elements.start.checked_mul(*element_size)?;
        bytes.get_mut(start..elements.end.checked_mul(*element_size)?)
    }

    /// Whether the buffer has exactly these packed elements.
    pub fn holds(&self, elements: &[u8]) -> bool {
        matches!(self, Self::Fixed { bytes, .. } if bytes == elements)
    }

    /// The elements in the form that codecs encode.
    pub fn into_array_bytes(self) -> Result<ArrayBytes> {
        let (arena, ranges) = match self {
            Self::Fixed { bytes, .. } => return Ok(ArrayBytes::Fixed(bytes)),
            Self::Variable { arena, ranges } => (arena, ranges),
        };
        // A long fill value may be that of many places.
        let bytes: u64 = ranges.iter().map(len_of).sum();
        limits::within(bytes, limits::CHUNK_BYTES, "the elements of a chunk")?;
        let mut elements = VariableBytes::new();
        for (start, end) in ranges {
            elements.push(arena.get(start as usize..end as usize).unwrap_or_default())?;
        }
        Ok(ArrayBytes::Variable(elements))
    }

    /// The finished part.
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "all offsets are at most CHUNK_BYTES: their sum is checked first"
    )]
    pub fn finish(mut self) -> Result<Vec<u8>> {
        self.fill();
        let (arena, ranges) = match self {
            Self::Fixed { bytes, .. } => return Ok(bytes),
            Self::Variable { arena, ranges } => (arena, ranges),
        };
        let bytes: u64 = ranges.iter().map(len_of).sum();
        let offsets = (ranges.len() as u64).saturating_add(1).saturating_mul(4);
        let len = limits::within(offsets.saturating_add(bytes), limits::CHUNK_BYTES, "part")?;
        let mut output = Vec::new();
        limits::reserve(&mut output, len, "part")?;
        let mut at = 0_u32;
        output.extend_from_slice(&at.to_le_bytes());
        for (start, end) in &ranges {
            at += end - start;
            output.extend_from_slice(&at.to_le_bytes());
        }
        for (start, end) in &ranges {
            output.extend_from_slice(arena.get(*start as usize..*end as usize).unwrap_or_default());
        }
        Ok(output)
    }
}

fn len_of((start, end): &(u32, u32)) -> u64 {
    u64::from(end.saturating_sub(*start))
}

/// The end of the arena once `more` bytes are added, as 32 bits.
fn arena_end(arena: &[u8], more: usize) -> Result<u32> {
    let end = (arena.len() as u64).saturating_add(more as u64);
    u32::try_from(end).map_err(|_| limits::exceeded("bytes of a part's elements", end, u64::from(u32::MAX)))
}

fn too_few(actual: usize) -> Error {
    Error::format("the chunk has fewer elements than its shape")
        .in_stage(Stage::Decode)
        .actual(format!("{actual} bytes or elements"))
}

fn other_elements() -> Error {
    Error::format("the chunk does not decode to elements of the array's data type").in_stage(Stage::Decode)
}
