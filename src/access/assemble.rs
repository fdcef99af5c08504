//! Steps 5 and 6 for one part: decode the chunks that arrive, scatter their elements into the part's buffer. Runs in a worker.
//!
//! The buffer starts as fill value, so absent chunks need no word. A chunk that fills neighbouring bytes of the part is decoded
//! straight into them. Deliberately sync and without store: what is fetched comes in by [`Assembly::supply`].

use std::ops::Range;
use std::rc::Rc;

use crate::access::binding::{Binding, Level};
use crate::access::piece::{Header, Moved, MovedAxis, Piece, touched};
use crate::error::{Error, Result, Stage};
use crate::format::codec::pipeline::{Elements, Scratch};
use crate::kernel::{fill, scatter};
use crate::limits;

/// A part in the making.
pub struct Assembly {
    binding: Rc<Binding>,
    /// Extent along each dimension of the part.
    shape: Vec<u64>,
    /// Bytes from one place to the next along each dimension.
    strides: Vec<usize>,
    output: Vec<u8>,
}

impl Assembly {
    /// An empty part: all fill value.
    ///
    /// # Errors
    /// `Limit` when there is no memory for it, `Unsupported` for elements of variable length.
    pub fn begin(binding: &Rc<Binding>, header: &[u32]) -> Result<Self> {
        let header = Header::from_words(header)?;
        let shape: Vec<u64> = header.shape.iter().map(|extent| u64::from(*extent)).collect();
        let order: Vec<usize> = header.order.iter().map(|dimension| *dimension as usize).collect();
        let size = binding.element_size();
        let len = limits::product(shape.iter().copied().chain([size as u64]), "part")?;
        let mut output = limits::zeroed(len, limits::CHUNK_BYTES, "part")?;
        let element = &binding.metadata().fill_value.0;
        if element.iter().any(|byte| *byte != 0) {
            fill::fill(&mut output, element);
        }
        Ok(Self { binding: binding.clone(), strides: strides(&shape, &order, size)?, shape, output })
    }

    /// Decodes the pieces of a table, whose buffers are given by number, and scatters them.
    ///
    /// # Errors
    /// As the codecs: `Format` for corrupt bytes; the key is relative to the array.
    pub fn supply(&mut self, table: &[u32], buffers: &[&[u8]], scratch: &mut Scratch) -> Result<()> {
        for piece in Piece::read_all(table)? {
            let buffer = buffers.get(piece.buffer as usize).ok_or_else(wrong_table)?;
            let start = limits::to_usize(piece.bytes.start, "buffer")?;
            let end = limits::to_usize(piece.bytes.end, "buffer")?;
            let encoded = buffer.get(start..end).ok_or_else(wrong_table)?;
            self.place(&piece, encoded, scratch).map_err(|error| {
                error.at_key(self.binding.metadata().chunk_key_encoding.encode(&piece.chunk))
            })?;
        }
        Ok(())
    }

    /// The finished part: packed elements in the order of the header.
    pub fn finish(self) -> Vec<u8> {
        self.output
    }

    fn place(&mut self, piece: &Piece, encoded: &[u8], scratch: &mut Scratch) -> Result<()> {
        let chain = self.binding.chain_of(&piece.chunk)?;
        let level = chain.level(piece.level as usize).ok_or_else(wrong_table)?;
        if let Some(range) = self.contiguous(level, &piece.moved) {
            let output = self.output.get_mut(range).ok_or_else(wrong_table)?;
            if let Some(decoded) = level.pipeline.decode_into(encoded, output, scratch) {
                return decoded;
            }
        }
        let wanted = wanted_box(level, &piece.moved)?;
        let decoded = level.pipeline.decode(encoded, &wanted, scratch)?;
        let Elements::Fixed(elements) = decoded.elements else {
            return Err(Error::unsupported("elements of variable length cannot be read yet"));
        };
        let strides = in_array_order(&decoded.strides, &level.axes);
        self.scatter(elements, &strides, &piece.moved)
    }

    /// Where the whole chunk lands, when all of it is wanted, in C order, and it lands in neighbouring bytes.
    fn contiguous(&self, level: &Level, moved: &Moved) -> Option<Range<usize>> {
        let Moved::Orthogonal(axes) = moved else { return None };
        let size = self.binding.element_size();
        let (mut start, mut packed) = (0, size);
        for (dimension, axis) in axes.iter().enumerate().rev() {
            let MovedAxis::Range { first: 0, step, count, place } = axis else { return None };
            let (count, stride) = (u64::from(*count), *self.strides.get(dimension)?);
            let whole = count == *level.shape.get(dimension)? && (*step == 1 || count == 1);
            if !whole || (count > 1 && stride != packed) {
                return None;
            }
            start += *place as usize * stride;
            packed *= usize::try_from(count).ok()?;
        }
        let in_c_order = level.axes.iter().enumerate().all(|(i, axis)| i == *axis);
        in_c_order.then_some(start..start + packed)
    }

    fn scatter(&mut self, elements: &[u8], strides: &[usize], moved: &Moved) -> Result<()> {
        let size = self.binding.element_size();
        let placed = match moved {
            Moved::Orthogonal(axes) => {
                let axes: Vec<_> = axes.iter().zip(strides.iter().zip(&self.strides)).collect();
                scatter_box(elements, &mut self.output, size, &axes)
            }
            Moved::Points { indices, places } => {
                let linear = |at: usize| {
                    let along = indices.iter().zip(strides);
                    let element = along.fold(0_u64, |sum, (list, stride)| {
                        sum + list.get(at).map_or(0, |index| u64::from(*index)) * *stride as u64
                    });
                    u32::try_from(element).unwrap_or(u32::MAX)
                };
                let pairs: Vec<(u32, u32)> =
                    places.iter().enumerate().map(|(at, place)| (linear(at), *place)).collect();
                scatter::scatter_points(elements, &mut self.output, size, &pairs)
            }
        };
        placed.map_err(|_| {
            Error::format("chunk has too few elements for its shape")
                .in_stage(Stage::Decode)
                .expected(format!("{:?} places of a part of shape {:?}", moved, self.shape))
                .actual(format!("{} bytes", elements.len()))
        })
    }
}

/// An axis of a move with its strides: elements in the chunk, bytes in the part.
type Placed<'a> = (&'a MovedAxis, (&'a usize, &'a usize));

fn scatter_box(
    elements: &[u8],
    output: &mut [u8],
    size: usize,
    axes: &[Placed<'_>],
) -> std::result::Result<(), scatter::OutOfBounds> {
    let (mut src_offset, mut dst_offset) = (0, 0);
    let mut plan = Vec::with_capacity(axes.len());
    for (axis, (src, dst)) in axes {
        let (src, dst) = (**src * size, **dst);
        match axis {
            MovedAxis::Range { first, step, count, place } => {
                src_offset += *first as usize * src;
                dst_offset += *place as usize * dst;
                let step = src.cast_signed().wrapping_mul(*step as isize);
                plan.push(scatter::Axis::strided(*count as usize, step, dst.cast_signed()));
            }
            MovedAxis::List { indices, places } => plan.push(scatter::Axis {
                count: indices.len(),
                src: scatter::Walk::List { indices, stride: src.cast_signed() },
                dst: scatter::Walk::List { indices: places, stride: dst.cast_signed() },
            }),
        }
    }
    scatter::gather_lists(
        elements,
        output,
        &scatter::Orthogonal { element_size: size, src_offset, dst_offset, axes: &plan },
    )
}

/// The box of the chunk, in the level's own order of dimensions, that a move takes elements from.
fn wanted_box(level: &Level, moved: &Moved) -> Result<Vec<Range<u64>>> {
    let in_array_order: Vec<Range<u64>> = match moved {
        Moved::Orthogonal(axes) => axes.iter().map(MovedAxis::touched).collect(),
        Moved::Points { indices, .. } => indices.iter().map(|list| touched(list)).collect(),
    };
    let wanted: Option<Vec<_>> = level.axes.iter().map(|axis| in_array_order.get(*axis).cloned()).collect();
    let inside = |wanted: &Vec<Range<u64>>| {
        wanted.iter().zip(&level.pipeline.decoded().shape).all(|(range, extent)| range.end <= *extent)
    };
    wanted.filter(inside).ok_or_else(wrong_table)
}

/// A level's strides in the array's order of dimensions.
fn in_array_order(strides: &[usize], axes: &[usize]) -> Vec<usize> {
    let mut ordered = vec![0; strides.len()];
    for (axis, stride) in axes.iter().zip(strides) {
        if let Some(place) = ordered.get_mut(*axis) {
            *place = *stride;
        }
    }
    ordered
}

/// Bytes from one place to the next along each dimension of a packed part.
fn strides(shape: &[u64], order: &[usize], element_size: usize) -> Result<Vec<usize>> {
    let mut strides = vec![0; shape.len()];
    let mut step = element_size as u64;
    for dimension in order.iter().rev() {
        if let (Some(stride), Some(extent)) = (strides.get_mut(*dimension), shape.get(*dimension)) {
            *stride = limits::to_usize(step, "part")?;
            step = step.saturating_mul(*extent);
        }
    }
    Ok(strides)
}

fn wrong_table() -> Error {
    Error::argument("a table of pieces does not fit its array or its buffers")
}
