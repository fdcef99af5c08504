//! Decodes or encodes a whole shard: for chains that hide the index (a compressor after the shard),
//! and for writing. Other reads fetch single inner chunks: see `access::plan`.

use std::task::Poll;

use super::{Sharding, is_fill};
use crate::error::{Error, Result};
use crate::format::chunk_grid::unravel;
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::element_buffer::{ElementBuffer, Put};
use crate::format::codec::pipeline::{DecodedChunk, Elements, Scratch};
use crate::format::codec::user::CodecCalls;
use crate::format::codec::{ArrayBytes, ChunkRepresentation};
use crate::format::dimension_order::{c_strides, offsets, signed_stride};
use crate::kernel::scatter;
use crate::limits;

/// Decodes all inner chunks to one array. While some wait for user codecs, the others continue, so
/// that all calls are made at once.
pub(super) fn decode(
    sharding: &Sharding,
    encoded: &[u8],
    calls: &mut CodecCalls,
) -> Poll<Result<ArrayBytes>> {
    let ChunkRepresentation { data_type, fill_value, .. } = &sharding.shard;
    let count = sharding.shard.element_count()?;
    let mut shard = ElementBuffer::new(count, data_type.size(), fill_value, Vec::new())?;
    let index = sharding.index.read_from(encoded)?;
    let all: Vec<_> = sharding.inner_shape().iter().map(|extent| 0..*extent).collect();
    let mut scratch = Scratch::default();
    let mut is_waiting = false;
    for (linear, position) in positions(sharding).enumerate() {
        let Some(range) = index.get(linear)? else { continue };
        let range = limits::to_usize(range.start, "shard")?..limits::to_usize(range.end, "shard")?;
        let bytes = encoded.get(range).unwrap_or_default();
        let chunk =
            calls.within(linear, |calls| sharding.inner.poll_decode(bytes, &all, &mut scratch, calls));
        match chunk {
            Poll::Ready(chunk) => put(&mut shard, sharding, &position, chunk?)?,
            Poll::Pending => is_waiting = true,
        }
    }
    if is_waiting { Poll::Pending } else { Poll::Ready(shard.into_array_bytes()) }
}

/// Encodes all inner chunks, also as [`decode`]. Chunks of fill values are left out.
pub(super) fn encode(
    sharding: &Sharding,
    decoded: &ArrayBytes,
    calls: &mut CodecCalls,
) -> Poll<Result<Vec<u8>>> {
    let mut chunks = Vec::new();
    let mut is_waiting = false;
    for (linear, position) in positions(sharding).enumerate() {
        let elements = gather(sharding, decoded, &position)?;
        let empty = match &elements {
            ArrayBytes::Fixed(bytes) => is_fill(bytes, &sharding.shard.fill_value),
            ArrayBytes::Variable(elements) => {
                (0..elements.len()).all(|i| elements.get(i) == Some(sharding.shard.fill_value.0.as_slice()))
            }
        };
        if empty {
            chunks.push(None);
            continue;
        }
        match calls.within(linear, |calls| sharding.inner.poll_encode(elements, calls)) {
            Poll::Ready(encoded) => chunks.push(Some(encoded?)),
            Poll::Pending => is_waiting = true,
        }
    }
    if is_waiting { Poll::Pending } else { Poll::Ready(sharding.index.assemble(&chunks, 0..chunks.len())) }
}

/// The positions of all inner chunks, in C order.
fn positions(sharding: &Sharding) -> impl Iterator<Item = Vec<u64>> + '_ {
    (0..sharding.grid.iter().product::<u64>()).map(|linear| unravel(linear, &sharding.grid))
}

/// Puts the elements of an inner chunk into its shard.
fn put(
    shard: &mut ElementBuffer,
    sharding: &Sharding,
    position: &[u64],
    chunk: DecodedChunk<'_>,
) -> Result<()> {
    let element_size = sharding.shard.data_type.size().unwrap_or(1);
    let copy = ChunkCopy::new(sharding, position, &chunk.strides, element_size)?;
    match &chunk.elements {
        Elements::Fixed(elements) => shard.put_fixed(elements, |shard, element_size| {
            let (dst_offset, dims) = (copy.offset, &copy.dims);
            scatter::scatter(
                elements,
                shard,
                &scatter::Strided { element_size, src_offset: 0, dst_offset, dims },
            )
        }),
        Elements::Variable(elements) => shard.put_variable(elements, |put| copy.each(put)),
    }
}

/// Copies the elements of one inner chunk out of a shard, packed in C order.
fn gather(sharding: &Sharding, shard: &ArrayBytes, position: &[u64]) -> Result<ArrayBytes> {
    let shape = sharding.inner_shape();
    let strides = c_strides(shape, 1)?;
    match shard {
        ArrayBytes::Variable(elements) => {
            let mut chunk = VariableBytes::new();
            ChunkCopy::new(sharding, position, &strides, 1)?
                .each(&mut |_, from| chunk.push(elements.get(from).ok_or_else(wrong_elements)?))?;
            Ok(ArrayBytes::Variable(chunk))
        }
        ArrayBytes::Fixed(bytes) => {
            let element_size = sharding.shard.data_type.size().unwrap_or(1);
            let copy = ChunkCopy::new(sharding, position, &strides, element_size)?;
            let reversed = copy.dims.iter().map(|dim| scatter::Dim {
                count: dim.count,
                src_stride: dim.dst_stride,
                dst_stride: dim.src_stride,
            });
            let dims: Vec<_> = reversed.collect();
            let len = sharding.inner.decoded().byte_len()?.unwrap_or(0);
            let mut chunk = limits::zeroed(len, limits::CHUNK_BYTES, "inner chunk")?;
            let src_offset = copy.offset;
            let plan = scatter::Strided { element_size, src_offset, dst_offset: 0, dims: &dims };
            scatter::scatter(bytes, &mut chunk, &plan).map_err(|_| wrong_elements())?;
            Ok(ArrayBytes::Fixed(chunk))
        }
    }
}

/// The copy between an inner chunk of these strides (source) and the packed shard (destination).
struct ChunkCopy {
    offset: usize,
    dims: Vec<scatter::Dim>,
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets in a shard and a chunk that are in memory; `each` runs for elements only"
)]
impl ChunkCopy {
    fn new(sharding: &Sharding, position: &[u64], strides: &[usize], element_size: usize) -> Result<Self> {
        let shape = sharding.inner_shape();
        let shard_strides = c_strides(&sharding.shard.shape, element_size)?;
        let mut offset = 0_u64;
        let mut dims = Vec::with_capacity(shape.len());
        for (((stride, inner_stride), len), at) in
            shard_strides.into_iter().zip(strides).zip(shape).zip(position)
        {
            offset += at * len * stride as u64;
            dims.push(scatter::Dim {
                count: limits::to_usize(*len, "inner chunk")?,
                src_stride: signed_stride(inner_stride * element_size)?,
                dst_stride: signed_stride(stride)?,
            });
        }
        Ok(Self { offset: limits::to_usize(offset, "shard")?, dims })
    }

    /// Calls `visit` with the index of each element in the inner chunk and in the shard, in C order
    /// of the chunk.
    fn each(&self, visit: &mut Put<'_>) -> Result<()> {
        let shape: Vec<u64> = self.dims.iter().map(|dim| dim.count as u64).collect();
        let strides = |stride: fn(&scatter::Dim) -> isize| -> Vec<usize> {
            self.dims.iter().map(|dim| stride(dim).unsigned_abs()).collect()
        };
        let (src, dst) = (strides(|dim| dim.src_stride), strides(|dim| dim.dst_stride));
        let mut pairs = offsets(&shape, &src).zip(offsets(&shape, &dst));
        pairs.try_for_each(|(from, to)| visit(from, self.offset + to))
    }
}

fn wrong_elements() -> Error {
    Error::format("an inner chunk decodes to the wrong number of elements")
}
