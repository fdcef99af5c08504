//! The elements of a part in the making: packed, or with lengths of their own.
//!
//! Elements of variable length leave as one buffer: `n + 1` offsets (32-bit, little-endian) into the bytes behind them. While the
//! part is made, each place only says where its element stands in an arena; they are put in order once, at the end.

use crate::access::piece::{Moved, MovedAxis};
use crate::error::{Error, Result, Stage};
use crate::format::codec::ArrayBytes;
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::data_type::FillValue;
use crate::kernel::{fill, scatter};
use crate::limits;

/// What has been put together of a part; all places not filled yet are fill value, once [`PartBuffer::expect`] was told what comes.
pub(super) enum PartBuffer {
    /// Packed elements of one size. `unfilled` is the fill value while places still hold what was there before.
    Fixed { bytes: Vec<u8>, element_size: usize, unfilled: Option<Vec<u8>> },
    /// Where each place's element stands in the arena.
    Variable { arena: Vec<u8>, places: Vec<(u32, u32)> },
}

impl PartBuffer {
    /// A part of this many elements, all fill value; `element_size` is `None` where elements have lengths of their own. `spare` is memory
    /// that it may use, with anything in it.
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

    /// Makes ready for pieces that fill so many places, no place twice. A part that one supply fills needs no fill value.
    pub fn expect(&mut self, places: u64) {
        let Self::Fixed { bytes, element_size, .. } = self else { return };
        if places.saturating_mul(*element_size as u64) != bytes.len() as u64 {
            self.fill();
        } else if let Self::Fixed { unfilled, .. } = self {
            *unfilled = None;
        }
    }

    /// Puts the fill value into all places that have nothing yet.
    fn fill(&mut self) {
        if let Self::Fixed { bytes, unfilled, .. } = self
            && let Some(fill_value) = unfilled.take()
        {
            fill::fill(bytes, &fill_value);
        }
    }

    /// Puts elements of one size in their places; strides count elements.
    pub fn put_fixed(&mut self, elements: &[u8], src: &[usize], dst: &[usize], moved: &Moved) -> Result<()> {
        let Self::Fixed { bytes, element_size, .. } = self else { return Err(other_elements()) };
        let size = *element_size;
        let placed = match moved {
            Moved::Orthogonal(axes) => scatter_box(elements, bytes, size, axes, src, dst),
            Moved::Points { indices, places } => {
                let pairs: Vec<(u32, u32)> = places
                    .iter()
                    .enumerate()
                    .map(|(at, place)| (u32::try_from(point(indices, src, at)).unwrap_or(u32::MAX), *place))
                    .collect();
                scatter::scatter_points(elements, bytes, size, &pairs)
            }
        };
        placed.map_err(|_| too_few(elements.len()))
    }

    /// Puts elements of variable length in their places; strides count elements.
    pub fn put_variable(
        &mut self,
        elements: &VariableBytes,
        src: &[usize],
        dst: &[usize],
        moved: &Moved,
    ) -> Result<()> {
        let Self::Variable { arena, places } = self else { return Err(other_elements()) };
        let base = arena_end(arena, 0)?;
        arena_end(arena, elements.bytes.len())?;
        limits::reserve(arena, elements.bytes.len(), "part")?;
        arena.extend_from_slice(&elements.bytes);
        let mut put = |element: usize, place: usize| {
            let ends = elements.offsets.get(element).zip(elements.offsets.get(element + 1));
            let place = places.get_mut(place);
            let (Some((start, end)), Some(place)) = (ends, place) else {
                return Err(too_few(elements.len()));
            };
            *place = (base + start, base + end);
            Ok(())
        };
        match moved {
            Moved::Orthogonal(axes) => walk(axes, src, dst, 0, 0, &mut put),
            Moved::Points { indices, places } => places
                .iter()
                .enumerate()
                .try_for_each(|(at, place)| put(point(indices, src, at), *place as usize)),
        }
    }

    /// The neighbouring bytes that a chunk of packed elements may be decoded straight into.
    pub fn fixed_bytes(&mut self, elements: std::ops::Range<usize>) -> Option<&mut [u8]> {
        let Self::Fixed { bytes, element_size, .. } = self else { return None };
        bytes.get_mut(elements.start * *element_size..elements.end * *element_size)
    }

    /// Whether these are the elements, packed.
    pub fn holds(&self, elements: &[u8]) -> bool {
        matches!(self, Self::Fixed { bytes, .. } if bytes == elements)
    }

    /// The elements as codecs take them.
    pub fn into_array_bytes(self) -> Result<ArrayBytes> {
        let (arena, places) = match self {
            Self::Fixed { bytes, .. } => return Ok(ArrayBytes::Fixed(bytes)),
            Self::Variable { arena, places } => (arena, places),
        };
        let mut elements = VariableBytes::new();
        for (start, end) in places {
            elements.push(arena.get(start as usize..end as usize).unwrap_or_default())?;
        }
        Ok(ArrayBytes::Variable(elements))
    }

    /// The finished part.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        self.fill();
        let (arena, places) = match self {
            Self::Fixed { bytes, .. } => return Ok(bytes),
            Self::Variable { arena, places } => (arena, places),
        };
        let bytes: u64 = places.iter().map(|(start, end)| u64::from(end - start)).sum();
        let offsets = (places.len() as u64 + 1) * 4;
        let len = limits::within(offsets + bytes, limits::CHUNK_BYTES, "part")?;
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

/// The end of an arena that takes `more` bytes, as a place's number.
fn arena_end(arena: &[u8], more: usize) -> Result<u32> {
    let end = arena.len() as u64 + more as u64;
    u32::try_from(end).map_err(|_| limits::exceeded("bytes of a part's elements", end, u64::from(u32::MAX)))
}

fn scatter_box(
    elements: &[u8],
    output: &mut [u8],
    size: usize,
    axes: &[MovedAxis],
    src: &[usize],
    dst: &[usize],
) -> std::result::Result<(), scatter::OutOfBounds> {
    let (mut src_offset, mut dst_offset) = (0, 0);
    let mut plan = Vec::with_capacity(axes.len());
    for (axis, (src, dst)) in axes.iter().zip(src.iter().zip(dst)) {
        let (src, dst) = (src * size, dst * size);
        match axis {
            MovedAxis::Range { first, step, count, place } => {
                src_offset += *first as usize * src;
                dst_offset += *place as usize * dst;
                let step = src.cast_signed().wrapping_mul(*step as isize);
                plan.push(scatter::CopyAxis::strided(*count as usize, step, dst.cast_signed()));
            }
            MovedAxis::List { indices, places } => plan.push(scatter::CopyAxis {
                count: indices.len(),
                src: scatter::AxisSteps::List { indices, stride: src.cast_signed() },
                dst: scatter::AxisSteps::List { indices: places, stride: dst.cast_signed() },
            }),
        }
    }
    let plan = scatter::Orthogonal { element_size: size, src_offset, dst_offset, axes: &plan };
    scatter::gather_lists(elements, output, &plan)
}

/// Calls `put` with the element and the place of each pair of the outer product.
fn walk(
    axes: &[MovedAxis],
    src: &[usize],
    dst: &[usize],
    element: usize,
    place: usize,
    put: &mut dyn FnMut(usize, usize) -> Result<()>,
) -> Result<()> {
    let ([axis, axes @ ..], [along, src @ ..], [across, dst @ ..]) = (axes, src, dst) else {
        return put(element, place);
    };
    axis.pairs().try_for_each(|(index, at)| {
        walk(axes, src, dst, element + index as usize * along, place + at as usize * across, put)
    })
}

/// The chunk's element that point `at` takes.
fn point(indices: &[Vec<u32>], src: &[usize], at: usize) -> usize {
    let along = indices.iter().zip(src);
    along.fold(0_usize, |sum, (list, stride)| {
        let index = list.get(at).map_or(0, |index| *index as usize);
        sum.saturating_add(index.saturating_mul(*stride))
    })
}

fn too_few(actual: usize) -> Error {
    Error::format("chunk has too few elements for its shape")
        .in_stage(Stage::Decode)
        .actual(format!("{actual} bytes or elements"))
}

fn other_elements() -> Error {
    Error::format("chunk decodes to elements of another kind than its data type").in_stage(Stage::Decode)
}
