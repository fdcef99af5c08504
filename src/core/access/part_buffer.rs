//! The elements of a part while it is filled: packed, or of variable length.
//!
//! The result for elements of variable length is one buffer: `n + 1` offsets (32-bit,
//! little-endian), then the bytes of the elements. While the part is filled, the bytes are in an
//! arena, in the order of arrival, with a byte range for each element. The end of the part copies
//! them into their final order.

use crate::access::instruction::{ChunkProjection, ProjectedAxis};
use crate::error::{Error, Result, Stage};
use crate::format::codec::ArrayBytes;
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::data_type::FillValue;
use crate::kernel::{fill, scatter};
use crate::limits;

/// The elements of a part. Places that no chunk has filled hold the fill value, once
/// [`PartBuffer::expect`] has been called.
pub(super) enum PartBuffer {
    /// Packed elements of one size. `unfilled` is the fill value as long as the buffer still has
    /// the bytes that were in it before.
    Fixed { bytes: Vec<u8>, element_size: usize, unfilled: Option<Vec<u8>> },
    /// The range in the arena of each place's element.
    Variable { arena: Vec<u8>, places: Vec<(u32, u32)> },
}

/// The strides of a copy, counted in elements, along each dimension of the array.
#[derive(Clone, Copy)]
pub(super) struct Strides<'a> {
    /// The strides of the decoded chunk.
    pub src: &'a [usize],
    /// The strides of the part.
    pub dst: &'a [usize],
}

impl PartBuffer {
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
            let mut places = Vec::new();
            limits::reserve(&mut places, elements, "part")?;
            places.resize(elements, (0, end));
            return Ok(Self::Variable { arena, places });
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

    /// Copies elements of one size to their places. Strides count elements.
    pub fn put_fixed(
        &mut self,
        elements: &[u8],
        strides: Strides<'_>,
        projection: &ChunkProjection,
    ) -> Result<()> {
        let Self::Fixed { bytes, element_size, .. } = self else { return Err(other_elements()) };
        let size = *element_size;
        let placed = match projection {
            ChunkProjection::Orthogonal(axes) => scatter_box(elements, bytes, size, axes, strides),
            ChunkProjection::Points { indices, places } => {
                let pairs: Vec<(u32, u32)> = places
                    .iter()
                    .enumerate()
                    .map(|(at, place)| {
                        (
                            u32::try_from(element_of_point(indices, strides.src, at)).unwrap_or(u32::MAX),
                            *place,
                        )
                    })
                    .collect();
                scatter::scatter_points(elements, bytes, size, &pairs)
            }
        };
        placed.map_err(|_| too_few(elements.len()))
    }

    /// Copies elements of variable length to their places. Strides count elements.
    pub fn put_variable(
        &mut self,
        elements: &VariableBytes,
        strides: Strides<'_>,
        projection: &ChunkProjection,
    ) -> Result<()> {
        let Self::Variable { arena, places } = self else { return Err(other_elements()) };
        let base = arena_end(arena, 0)?;
        arena_end(arena, elements.bytes.len())?;
        limits::reserve(arena, elements.bytes.len(), "part")?;
        arena.extend_from_slice(&elements.bytes);
        let mut put = |element: usize, place: usize| {
            let ends = elements.offsets.get(element..).and_then(|ends| ends.first_chunk());
            let (Some([start, end]), Some(place)) = (ends, places.get_mut(place)) else {
                return Err(too_few(elements.len()));
            };
            *place = (base.saturating_add(*start), base.saturating_add(*end));
            Ok(())
        };
        match projection {
            ChunkProjection::Orthogonal(axes) => for_each_pair(axes, strides, 0, 0, &mut put),
            ChunkProjection::Points { indices, places } => places
                .iter()
                .enumerate()
                .try_for_each(|(at, place)| put(element_of_point(indices, strides.src, at), *place as usize)),
        }
    }

    /// The bytes of a range of packed elements, so that a chunk can be decoded into them. `None`
    /// for elements of variable length.
    pub fn fixed_bytes(&mut self, elements: std::ops::Range<usize>) -> Option<&mut [u8]> {
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
        let (arena, places) = match self {
            Self::Fixed { bytes, .. } => return Ok(ArrayBytes::Fixed(bytes)),
            Self::Variable { arena, places } => (arena, places),
        };
        // A long fill value may be that of many places.
        let bytes: u64 = places.iter().map(len_of).sum();
        limits::within(bytes, limits::CHUNK_BYTES, "the elements of a chunk")?;
        let mut elements = VariableBytes::new();
        for (start, end) in places {
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
        let (arena, places) = match self {
            Self::Fixed { bytes, .. } => return Ok(bytes),
            Self::Variable { arena, places } => (arena, places),
        };
        let bytes: u64 = places.iter().map(len_of).sum();
        let offsets = (places.len() as u64).saturating_add(1).saturating_mul(4);
        let len = limits::within(offsets.saturating_add(bytes), limits::CHUNK_BYTES, "part")?;
        let mut output = Vec::new();
        limits::reserve(&mut output, len, "part")?;
        let mut at = 0_u32;
        output.extend_from_slice(&at.to_le_bytes());
        for (start, end) in &places {
            at += end - start;
            output.extend_from_slice(&at.to_le_bytes());
        }
        for (start, end) in &places {
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

/// Copies a box of packed elements of one size to its places.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "strides and places of a chunk and a part that are in memory"
)]
fn scatter_box(
    elements: &[u8],
    output: &mut [u8],
    size: usize,
    axes: &[ProjectedAxis],
    strides: Strides<'_>,
) -> std::result::Result<(), scatter::OutOfBounds> {
    let (mut src_offset, mut dst_offset) = (0, 0);
    let mut plan = Vec::with_capacity(axes.len());
    for (axis, (src, dst)) in axes.iter().zip(strides.src.iter().zip(strides.dst)) {
        let (src, dst) = (src * size, dst * size);
        match axis {
            ProjectedAxis::Range { first, step, count, place } => {
                src_offset += *first as usize * src;
                dst_offset += *place as usize * dst;
                let step = src.cast_signed().wrapping_mul(*step as isize);
                plan.push(scatter::CopyAxis::strided(*count as usize, step, dst.cast_signed()));
            }
            ProjectedAxis::List { indices, places } => plan.push(scatter::CopyAxis {
                count: indices.len(),
                src: scatter::AxisSteps::List { indices, stride: src.cast_signed() },
                dst: scatter::AxisSteps::List { indices: places, stride: dst.cast_signed() },
            }),
        }
    }
    let plan = scatter::Orthogonal { element_size: size, src_offset, dst_offset, axes: &plan };
    scatter::gather_lists(elements, output, &plan)
}

/// Calls `put` with the element's number and the place for each pair of the outer product.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "elements and places of a chunk and a part that are in memory"
)]
fn for_each_pair(
    axes: &[ProjectedAxis],
    strides: Strides<'_>,
    element: usize,
    place: usize,
    put: &mut dyn FnMut(usize, usize) -> Result<()>,
) -> Result<()> {
    let Strides { src, dst } = strides;
    let ([axis, axes @ ..], [along, src @ ..], [across, dst @ ..]) = (axes, src, dst) else {
        return put(element, place);
    };
    let strides = Strides { src, dst };
    axis.pairs().try_for_each(|(index, at)| {
        for_each_pair(axes, strides, element + index as usize * along, place + at as usize * across, put)
    })
}

/// The number, within the chunk, of the element that point `at` takes.
fn element_of_point(indices: &[Vec<u32>], src: &[usize], at: usize) -> usize {
    let along = indices.iter().zip(src);
    along.fold(0_usize, |sum, (list, stride)| {
        let index = list.get(at).map_or(0, |index| *index as usize);
        sum.saturating_add(index.saturating_mul(*stride))
    })
}

fn too_few(actual: usize) -> Error {
    Error::format("the chunk has fewer elements than its shape")
        .in_stage(Stage::Decode)
        .actual(format!("{actual} bytes or elements"))
}

fn other_elements() -> Error {
    Error::format("the chunk does not decode to elements of the array's data type").in_stage(Stage::Decode)
}
