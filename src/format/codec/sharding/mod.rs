//! `sharding_indexed`: many inner chunks in one stored object, found through an index.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/index.html>
//!
//! Status: zarr-python, zarrs and tensorstore read and write it; zarrita reads one level with the index at the end.
//! A reader seldom decodes a whole shard: the planner (`access::plan`) reads the [`index`] and asks for inner chunks.
//! The whole-shard decoder here serves chains that hide the index (a compressor after the shard), and writing.
//! Deliberately not the storage transformer of the 2022 draft: that one lives in the store.

pub mod index;
mod spec;

use std::rc::Rc;

pub use index::{IndexLocation, ShardIndex};
pub use spec::parse;

use crate::error::{Error, Result};
use crate::format::codec::pipeline::{Elements, Pipeline, Scratch};
use crate::format::codec::{ArrayBytes, ArrayToBytes, ChunkRepresentation};
use crate::format::data_type::FillValue;
use crate::kernel::{fill, scatter};
use crate::limits;
use index::ShardIndexFormat;

/// A sharding codec bound to its shard.
pub struct Sharding {
    shard: ChunkRepresentation,
    inner: Rc<Pipeline>,
    /// Inner chunks along each dimension.
    grid: Vec<u64>,
    index: Rc<ShardIndexFormat>,
}

impl Sharding {
    /// Binds to a shard.
    ///
    /// # Errors
    /// `Format` when the inner chunks do not divide the shard, `Limit` for an index too large.
    fn new(shard: &ChunkRepresentation, inner: Rc<Pipeline>, index: ShardIndexFormat) -> Self {
        let grid =
            shard.shape.iter().zip(&inner.decoded().shape).map(|(shard, inner)| shard / inner).collect();
        Self { shard: shard.clone(), inner, grid, index: Rc::new(index) }
    }

    /// The chain of the inner chunks.
    pub fn inner(&self) -> &Rc<Pipeline> {
        &self.inner
    }

    /// Inner chunks along each dimension of the shard.
    pub fn grid(&self) -> &[u64] {
        &self.grid
    }

    /// Where the index stands and how it is encoded.
    pub fn index(&self) -> &Rc<ShardIndexFormat> {
        &self.index
    }

    /// Shape of an inner chunk.
    pub fn inner_shape(&self) -> &[u64] {
        &self.inner.decoded().shape
    }

    /// How many shards nest below this one, itself included.
    pub fn depth(&self) -> usize {
        1 + self.inner.plannable_sharding().map_or(0, Self::depth)
    }

    fn element_size(&self) -> Result<usize> {
        self.shard.data_type.size().ok_or_else(|| {
            Error::unsupported("a compressed shard of elements of variable length cannot be decoded whole")
        })
    }

    /// Positions of all inner chunks, in C order.
    fn positions(&self) -> impl Iterator<Item = Vec<u64>> + '_ {
        let count = self.grid.iter().product::<u64>();
        (0..count).map(|linear| unravel(linear, &self.grid))
    }

    /// How an inner chunk lies in the packed shard.
    fn place(&self, position: &[u64], inner_strides: &[usize]) -> Result<(usize, Vec<scatter::Dim>)> {
        let size = self.element_size()?;
        let shape = self.inner_shape();
        let (mut offset, mut step) = (0_u64, size as u64);
        let mut dims = Vec::with_capacity(shape.len());
        for dimension in (0..shape.len()).rev() {
            offset += position[dimension] * shape[dimension] * step;
            dims.push(scatter::Dim {
                count: limits::to_usize(shape[dimension], "inner chunk")?,
                src_stride: (inner_strides[dimension] * size).cast_signed(),
                dst_stride: limits::to_usize(step, "shard")?.cast_signed(),
            });
            step *= self.shard.shape[dimension];
        }
        dims.reverse();
        Ok((limits::to_usize(offset, "shard")?, dims))
    }

    fn decode_inner(
        &self,
        encoded: &[u8],
        position: &[u64],
        output: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<()> {
        let all: Vec<_> = self.inner_shape().iter().map(|extent| 0..*extent).collect();
        let decoded = self.inner.decode(encoded, &all, scratch)?;
        let Elements::Fixed(elements) = decoded.elements else { return Err(wrong_elements()) };
        let (dst_offset, dims) = self.place(position, &decoded.strides)?;
        let plan =
            scatter::Strided { element_size: self.element_size()?, src_offset: 0, dst_offset, dims: &dims };
        scatter::scatter(elements, output, &plan).map_err(|_| wrong_elements())
    }

    /// The packed elements of one inner chunk of a packed shard.
    fn gather_inner(&self, shard: &[u8], position: &[u64]) -> Result<Vec<u8>> {
        let size = self.element_size()?;
        let shape = self.inner_shape();
        let packed: Vec<usize> = (0..shape.len())
            .map(|dimension| limits::to_usize(shape[dimension + 1..].iter().product::<u64>(), "inner chunk"))
            .collect::<Result<_>>()?;
        let (offset, dims) = self.place(position, &packed)?;
        let dims: Vec<_> = dims
            .iter()
            .map(|dim| scatter::Dim {
                count: dim.count,
                src_stride: dim.dst_stride,
                dst_stride: dim.src_stride,
            })
            .collect();
        let len = limits::product(shape.iter().copied().chain([size as u64]), "inner chunk")?;
        let mut output = limits::zeroed(len, limits::CHUNK_BYTES, "inner chunk")?;
        let plan = scatter::Strided { element_size: size, src_offset: offset, dst_offset: 0, dims: &dims };
        scatter::scatter(shard, &mut output, &plan).map_err(|_| wrong_elements())?;
        Ok(output)
    }
}

impl ArrayToBytes for Sharding {
    fn encoded_len(&self) -> Option<u64> {
        None
    }

    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        let size = self.element_size()?;
        let len = limits::product(self.shard.shape.iter().copied().chain([size as u64]), "shard")?;
        let mut output = limits::zeroed(len, limits::CHUNK_BYTES, "shard")?;
        fill::fill(&mut output, &self.shard.fill_value.0);
        let index = self.index.read_from(encoded)?;
        let mut scratch = Scratch::default();
        for (linear, position) in self.positions().enumerate() {
            if let Some(range) = index.get(linear, Some(encoded.len() as u64))? {
                let bytes = encoded.get(to_usize_range(&range)?).unwrap_or_default();
                self.decode_inner(bytes, &position, &mut output, &mut scratch)?;
            }
        }
        Ok(ArrayBytes::Fixed(output))
    }

    fn encode(&self, decoded: &ArrayBytes) -> Result<Vec<u8>> {
        let shard = decoded.fixed()?;
        let mut chunks = Vec::new();
        for position in self.positions() {
            let elements = self.gather_inner(shard, &position)?;
            let empty = is_fill(&elements, &self.shard.fill_value);
            chunks.push(if empty { None } else { Some(self.inner.encode(ArrayBytes::Fixed(elements))?) });
        }
        self.index.assemble(&chunks)
    }

    fn sharding(&self) -> Option<&Sharding> {
        Some(self)
    }
}

/// Whether packed elements are all the fill value, to the bit: such chunks are not stored.
pub fn is_fill(elements: &[u8], fill_value: &FillValue) -> bool {
    let element = fill_value.0.as_slice();
    !element.is_empty() && elements.chunks(element.len()).all(|chunk| chunk == element)
}

/// The position of the `linear`th cell of a grid in C order.
pub fn unravel(linear: u64, grid: &[u64]) -> Vec<u64> {
    let mut rest = linear;
    let mut position = vec![0; grid.len()];
    for (place, along) in position.iter_mut().zip(grid).rev() {
        *place = rest % (*along).max(1);
        rest /= (*along).max(1);
    }
    position
}

fn to_usize_range(range: &std::ops::Range<u64>) -> Result<std::ops::Range<usize>> {
    Ok(limits::to_usize(range.start, "shard")?..limits::to_usize(range.end, "shard")?)
}

fn wrong_elements() -> Error {
    Error::format("an inner chunk decodes to the wrong number of elements")
}
