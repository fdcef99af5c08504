//! Steps 5 and 6 for one part: decodes the chunks that arrive, and scatters their elements into the
//! part's buffer. It runs in a worker.
//!
//! The buffer starts as fill value, so absent chunks need no instruction. A chunk whose elements go
//! to contiguous bytes of the part is decoded directly into them. Conversion applies to the whole
//! part at the end. Everything is synchronous and without a store: fetched bytes come in by
//! [`Assembly::supply`].

use std::ops::Range;
use std::rc::Rc;
use std::task::{Poll, ready};

use crate::access::binding::Binding;
use crate::access::instruction::{ChunkInstruction, ChunkProjection, PartHeader, ProjectedAxis, touched};
use crate::access::level::Level;
use crate::access::part_buffer::{self, Strides};
use crate::error::{Error, Result};
use crate::format::codec::element_buffer::ElementBuffer;
use crate::format::codec::pipeline::Scratch;
use crate::format::codec::user::{CodecCall, CodecCalls};
use crate::format::conversion::Conversion;
use crate::format::dimension_order::{in_array_order, packed_strides};
use crate::limits;

/// A part while it is filled.
pub struct Assembly {
    binding: Rc<Binding>,
    shape: Vec<u64>,
    /// The strides of the part in elements.
    strides: Vec<usize>,
    buffer: ElementBuffer,
    conversion: Option<Conversion>,
    /// Chunks that wait for a user's codec.
    waiting: Vec<Waiting>,
    /// The id of the next request to a user's codec.
    next_request: u32,
}

/// A chunk whose decoding has begun and that waits for a user's codec.
struct Waiting {
    instruction: ChunkInstruction,
    encoded: Vec<u8>,
    calls: CodecCalls,
}

impl Assembly {
    /// A part that is all fill value. `spare` is memory to reuse; its bytes do not matter. Writes
    /// each byte of the part once, and allocates only where `spare` is smaller.
    ///
    /// # Errors
    /// `Limit` when there is no memory for the part. `Argument` for a malformed header, and for a
    /// conversion that the data type does not have.
    pub fn begin(binding: &Rc<Binding>, header: &[u32], spare: Vec<u8>) -> Result<Self> {
        let header = PartHeader::from_words(header)?;
        let (mut shape, mut order) = (Vec::new(), Vec::new());
        for (extent, dimension) in header.shape.iter().zip(&header.order) {
            shape.push(u64::from(*extent));
            order.push(*dimension as usize);
        }
        let metadata = binding.metadata();
        let elements = limits::product(shape.iter().copied(), "part")?;
        let buffer = ElementBuffer::new(elements, metadata.data_type.size(), &metadata.fill_value, spare)?;
        let strides = packed_strides(&shape, &order)?;
        let conversion = match header.conversion.as_slice() {
            [] => None,
            words => Some(Conversion::from_words(words, &metadata.data_type)?),
        };
        let binding = binding.clone();
        Ok(Self { binding, shape, strides, buffer, conversion, waiting: Vec::new(), next_request: 0 })
    }

    /// Decodes the chunks of a table of instructions and scatters their elements. `buffers` are
    /// those that the table refers to by number. A chunk that is wanted whole and in its own order
    /// is decoded into the part; any other into `scratch`, and its elements are copied once.
    ///
    /// # Errors
    /// As the codecs: `Format` for corrupt bytes. The error's key is relative to the array.
    /// `Argument` for a table that does not fit the part or the buffers.
    pub fn supply(&mut self, table: &[u32], buffers: &[&[u8]], scratch: &mut Scratch) -> Result<()> {
        let instructions = ChunkInstruction::read_all(table)?;
        // The arithmetic below cannot overflow for places inside the part.
        let mut elements = 0_u64;
        for ChunkInstruction { projection, .. } in &instructions {
            if !projection.fits(&self.shape) {
                return Err(wrong_table());
            }
            elements = elements.saturating_add(projection.count());
        }
        self.buffer.expect(elements);
        for instruction in instructions {
            let buffer = buffers.get(instruction.buffer as usize).ok_or_else(wrong_table)?;
            let start = limits::to_usize(instruction.bytes.start, "buffer")?;
            let end = limits::to_usize(instruction.bytes.end, "buffer")?;
            let encoded = buffer.get(start..end).ok_or_else(wrong_table)?;
            let mut calls = CodecCalls::default();
            if self.decode_chunk(&instruction, encoded, scratch, &mut calls)?.is_pending() {
                self.waiting.push(Waiting { instruction, encoded: encoded.to_vec(), calls });
            }
        }
        Ok(())
    }

    /// Calls `take` with each new request to a user's codec and the key of its chunk. Each request
    /// is handed out once.
    pub fn requests(&mut self, mut take: impl FnMut(&str, CodecCall<'_>)) {
        for Waiting { instruction, calls, .. } in &mut self.waiting {
            let key = key_of(&self.binding, instruction);
            calls.hand_out(&mut self.next_request, |request| take(&key, request));
        }
    }

    /// Takes the output of a user's codec for a request.
    ///
    /// # Errors
    /// `Format` when the output does not have as many elements as the chunk. `Argument` for an id
    /// that no request has.
    pub fn answer(&mut self, id: u32, output: &[u8]) -> Result<()> {
        for waiting in &mut self.waiting {
            let answered = waiting.calls.answer(id, output);
            if answered.map_err(|error| error.at_key(key_of(&self.binding, &waiting.instruction)))? {
                return Ok(());
            }
        }
        Err(Error::argument("the output of a user's codec has an id that no request has"))
    }

    /// Continues every chunk whose requests are all answered.
    ///
    /// # Errors
    /// As [`supply`](Self::supply).
    pub fn resume(&mut self, scratch: &mut Scratch) -> Result<()> {
        for mut waiting in std::mem::take(&mut self.waiting) {
            let Waiting { instruction, encoded, calls } = &mut waiting;
            if !calls.is_answered() || self.decode_chunk(instruction, encoded, scratch, calls)?.is_pending() {
                self.waiting.push(waiting);
            }
        }
        Ok(())
    }

    /// Whether a chunk waits for a user's codec.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The finished part, in the order of its header: packed elements, or for elements of variable
    /// length offsets and bytes.
    ///
    /// # Errors
    /// `Limit` for elements that take too much memory. `Argument` while a chunk waits for a user's
    /// codec.
    pub fn finish(self) -> Result<Vec<u8>> {
        if self.is_waiting() {
            return Err(Error::argument("the part cannot be finished: a user's codec has not answered"));
        }
        let elements = self.buffer.finish()?;
        match &self.conversion {
            Some(conversion) => conversion.apply(&self.binding.metadata().data_type, &elements),
            None => Ok(elements),
        }
    }

    /// Decodes a chunk and scatters its elements. Pending while it waits for a user's codec.
    ///
    /// # Errors
    /// As [`supply`](Self::supply).
    fn decode_chunk(
        &mut self,
        instruction: &ChunkInstruction,
        encoded: &[u8],
        scratch: &mut Scratch,
        calls: &mut CodecCalls,
    ) -> Result<Poll<()>> {
        match self.poll_chunk(instruction, encoded, scratch, calls) {
            Poll::Ready(Err(error)) => Err(error.at_key(key_of(&self.binding, instruction))),
            Poll::Ready(Ok(())) => Ok(Poll::Ready(())),
            Poll::Pending => Ok(Poll::Pending),
        }
    }

    fn poll_chunk(
        &mut self,
        instruction: &ChunkInstruction,
        encoded: &[u8],
        scratch: &mut Scratch,
        calls: &mut CodecCalls,
    ) -> Poll<Result<()>> {
        let chain = self.binding.chain_of(&instruction.chunk)?;
        let level = chain.level(instruction.level as usize).ok_or_else(wrong_table)?;
        if let Some(range) = self.contiguous(level, &instruction.projection)
            && let Some(output) = self.buffer.fixed_bytes(range)
            && let Some(decoded) = level.pipeline.decode_into(encoded, output, scratch)
        {
            return Poll::Ready(decoded);
        }
        let wanted = wanted_box(level, &instruction.projection)?;
        let decoded = ready!(level.pipeline.poll_decode(encoded, &wanted, scratch, calls))?;
        let src = in_array_order(&decoded.strides, &level.axes);
        let strides = Strides { src: &src, dst: &self.strides };
        Poll::Ready(part_buffer::put(&mut self.buffer, &decoded.elements, strides, &instruction.projection))
    }

    /// The contiguous range of the part's elements that the chunk fills.
    ///
    /// `None` unless the whole chunk is wanted and its elements have the same order in the part as
    /// in the stored bytes.
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "places in a part and elements of a chunk, which are in memory"
    )]
    fn contiguous(&self, level: &Level, projection: &ChunkProjection) -> Option<Range<usize>> {
        let ChunkProjection::Orthogonal(axes) = projection else { return None };
        let (mut start, mut packed) = (0, 1);
        for stored in level.pipeline.axes().iter().rev() {
            let dimension = *level.axes.get(*stored)?;
            let ProjectedAxis::Range { first: 0, step, count, place } = axes.get(dimension)? else {
                return None;
            };
            let (count, stride) = (u64::from(*count), *self.strides.get(dimension)?);
            let whole = count == *level.shape.get(dimension)? && (*step == 1 || count == 1);
            if !whole || (count > 1 && stride != packed) {
                return None;
            }
            start += *place as usize * stride;
            packed *= usize::try_from(count).ok()?;
        }
        Some(start..start + packed)
    }
}

/// The chunk's key, relative to the array.
fn key_of(binding: &Binding, instruction: &ChunkInstruction) -> String {
    binding.metadata().chunk_key_encoding.encode(&instruction.chunk)
}

/// The box of the chunk that the projection takes elements from, in the level's order of
/// dimensions.
fn wanted_box(level: &Level, projection: &ChunkProjection) -> Result<Vec<Range<u64>>> {
    let mut wanted = Vec::with_capacity(level.axes.len());
    for (axis, extent) in level.axes.iter().zip(&level.pipeline.decoded().shape) {
        let range = match projection {
            ChunkProjection::Orthogonal(axes) => axes.get(*axis).map(ProjectedAxis::touched),
            ChunkProjection::Points { indices, .. } => indices.get(*axis).map(|list| touched(list)),
        };
        wanted.push(range.filter(|range| range.end <= *extent).ok_or_else(wrong_table)?);
    }
    Ok(wanted)
}

fn wrong_table() -> Error {
    Error::argument("the table of chunk instructions does not match its array or its buffers")
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::metadata::ZarrFormat;
    use crate::format::metadata::document::{NodeDocument, ZARR_JSON};

    const ARRAY: &[u8] = br#"{"zarr_format":3,"node_type":"array","shape":[4,6],"data_type":"uint16",
        "fill_value":7,"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4,6]}},
        "chunk_key_encoding":{"name":"default"},"codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}"#;

    fn supplied(projection: ChunkProjection) -> Result<Vec<u8>> {
        let document = NodeDocument::read(ZarrFormat::V3, &[(ZARR_JSON, ARRAY)])?;
        let header = PartHeader::new(&[4, 6], &[0, 1], &[])?.to_words();
        let mut part = Assembly::begin(&Rc::new(Binding::new(&document)?), &header, Vec::new())?;
        let mut table = Vec::new();
        for _ in 0..2 {
            let projection = projection.clone();
            let instruction =
                ChunkInstruction { level: 0, buffer: 0, bytes: 0..48, chunk: vec![0, 0], projection };
            instruction.write(&mut table)?;
        }
        part.supply(&table, &[&[9; 48]], &mut Scratch::default())?;
        part.finish()
    }

    fn rows(count: u32, place: u32) -> ProjectedAxis {
        ProjectedAxis::Range { first: 0, step: 1, count, place }
    }

    #[test]
    fn places_outside_of_the_part_are_refused() {
        let orthogonal = |first, second| ChunkProjection::Orthogonal(vec![first, second]);
        assert_eq!(supplied(orthogonal(rows(4, 0), rows(6, 0))).unwrap(), [9; 48]);
        let list = |places: &[u32]| ProjectedAxis::List { indices: vec![0, 1], places: places.to_vec() };
        let wrong = [
            orthogonal(rows(4, 1), rows(6, 0)),
            orthogonal(rows(u32::MAX, 0), rows(u32::MAX, 0)),
            orthogonal(rows(1, u32::MAX), rows(6, 0)),
            orthogonal(list(&[0, 4]), rows(6, 0)),
            orthogonal(list(&[0]), rows(6, 0)),
            ChunkProjection::Orthogonal(vec![rows(4, 0)]),
            ChunkProjection::Points { indices: vec![vec![0], vec![0]], places: vec![0] },
        ];
        for projection in wrong {
            let error = supplied(projection.clone()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Argument, "{projection:?}");
        }
    }
}
