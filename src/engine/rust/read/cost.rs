//! Computes what a read will cost before it fetches anything: chunks, keys and bytes.
//!
//! The sums are products over dimensions, and keys are listed in pages. So the cost of a selection
//! with millions of chunks is computed quickly.

use std::rc::Rc;

use crate::access::projection::{DimensionProjection, project};
use crate::access::selection::{Selected, Selection, resolve};
use crate::error::Result;
use crate::format::chunk_grid::{GridDimension, unravel};
use crate::format::path::StoreKey;
use crate::limits;
use crate::read::array::Array;
use crate::sorted;

/// The cost of reading a selection. Counts that may exceed 64 bits are floats.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadCost {
    /// Extent of the result along each dimension of the array. One extent for points.
    pub shape: Vec<u64>,
    /// Whether the result keeps the dimension, one entry for each dimension of `shape`.
    pub kept: Vec<bool>,
    /// Number of chunks (inner chunks of shards) that are read.
    pub chunks: f64,
    /// Number of stored objects (chunks or shards) that are read.
    pub objects: f64,
    /// Number of elements in the chunks that are read.
    pub decoded_elements: f64,
    /// Number of elements of the result.
    pub elements: f64,
    /// Bytes of an encoded chunk (inner chunk), if its codecs always produce the same number.
    pub encoded_chunk_bytes: Option<u64>,
    /// Bytes of a shard index; `None` if there are no shards, or if shards are read whole.
    pub index_bytes: Option<u64>,
}

/// A stored object that a read touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedObject {
    /// Index of the chunk or shard along each dimension of the chunk grid.
    pub chunk: Vec<u64>,
    /// Its key.
    pub key: StoreKey,
}

/// The chunks of one grid that a selection touches.
enum TouchedChunks {
    /// The outer product of the chunks along each dimension.
    Grid(Vec<DimensionProjection>),
    /// The chunks of points, sorted and distinct.
    Listed(Vec<Vec<u64>>),
}

impl TouchedChunks {
    fn new(selected: &Selected, grid: &[GridDimension]) -> Result<Self> {
        match selected {
            Selected::Orthogonal(axes) => project(axes, grid).map(Self::Grid),
            Selected::Points(lists) => {
                let count = lists.first().map_or(0, |list| list.len());
                let mut distinct = Vec::with_capacity(count);
                for i in 0..count {
                    let mut chunk = Vec::with_capacity(grid.len());
                    for (list, grid) in lists.iter().zip(grid) {
                        chunk.push(list.get(i).map_or(0, |index| grid.chunk_of(*index)));
                    }
                    distinct.push(chunk);
                }
                sorted::sort(&mut distinct);
                distinct.dedup();
                Ok(Self::Listed(distinct))
            }
        }
    }

    fn count(&self) -> f64 {
        match self {
            Self::Grid(axes) => axes.iter().map(|axis| number(axis.span_count())).product(),
            Self::Listed(chunks) => number(chunks.len() as u64),
        }
    }

    /// Number of elements in the chunks, which are counted whole.
    fn elements(&self, grid: &[GridDimension]) -> f64 {
        match self {
            Self::Grid(axes) => {
                axes.iter().zip(grid).map(|(axis, grid)| elements_along(axis, grid)).product()
            }
            Self::Listed(chunks) => chunks.iter().map(|chunk| volume(chunk, grid)).sum(),
        }
    }

    /// Chunk `i` in C order.
    fn chunk(&self, i: u64) -> Option<Vec<u64>> {
        match self {
            Self::Listed(chunks) => chunks.get(usize::try_from(i).ok()?).cloned(),
            Self::Grid(axes) => {
                let mut grid = Vec::with_capacity(axes.len());
                for axis in axes {
                    grid.push(axis.span_count());
                }
                if limits::product(grid.iter().copied(), "number of chunks").is_ok_and(|count| i >= count) {
                    return None;
                }
                let mut chunk = Vec::with_capacity(axes.len());
                for (axis, at) in axes.iter().zip(unravel(i, &grid)) {
                    chunk.push(axis.span(at)?.chunk);
                }
                Some(chunk)
            }
        }
    }
}

fn extent(grid: &GridDimension, chunk: u64) -> f64 {
    let extent = grid.chunk_extent(chunk);
    number(extent.end - extent.start)
}

fn volume(chunk: &[u64], grid: &[GridDimension]) -> f64 {
    chunk.iter().zip(grid).map(|(chunk, grid)| extent(grid, *chunk)).product()
}

/// Number of elements along one dimension of the touched chunks.
fn elements_along(axis: &DimensionProjection, grid: &GridDimension) -> f64 {
    let count = axis.span_count();
    if let GridDimension::Regular(chunk) = grid {
        return number(count) * number(*chunk);
    }
    let chunk_at = |i: u64| axis.span(i).map(|span| span.chunk);
    let (Some(first), Some(last)) = (chunk_at(0), chunk_at(count.saturating_sub(1))) else { return 0.0 };
    let (low, high) = (first.min(last), first.max(last));
    if high - low + 1 == count {
        return number(grid.chunk_extent(high).end - grid.chunk_extent(low).start);
    }
    // A list of indices has at most as many spans as indices.
    (0..count).filter_map(chunk_at).map(|chunk| extent(grid, chunk)).sum()
}

// Costs are for display, so rounding above 2^53 does no harm.
#[allow(clippy::cast_precision_loss)]
fn number(count: u64) -> f64 {
    count as f64
}

/// The cost of reading a selection.
///
/// # Errors
/// `Argument` for a selection outside the array; errors of binding the codecs.
pub fn cost(array: &Rc<Array>, selection: &Selection) -> Result<ReadCost> {
    cost_of(array, selection).map_err(|error| error.at_node(array.path().as_str()))
}

fn cost_of(array: &Rc<Array>, selection: &Selection) -> Result<ReadCost> {
    let binding = array.binding();
    let metadata = binding.metadata();
    let selected = resolve(selection, &metadata.shape)?;
    let leaf_grid = binding.leaf_grid()?;
    let leaves = TouchedChunks::new(&selected, &leaf_grid)?;
    let objects = TouchedChunks::new(&selected, &metadata.chunk_grid.dimensions)?;
    let chain = binding.first_chain()?;
    let sharding = chain.level(0).and_then(|level| level.pipeline.plannable_sharding());
    let shape = selected.shape();
    Ok(ReadCost {
        kept: selected.kept(),
        chunks: leaves.count(),
        objects: objects.count(),
        decoded_elements: leaves.elements(&leaf_grid),
        elements: shape.iter().map(|extent| number(*extent)).product(),
        encoded_chunk_bytes: chain.leaf()?.pipeline.encoded_len(),
        index_bytes: sharding.map(|sharding| sharding.index().encoded_len()),
        shape,
    })
}

/// Up to `count` of the stored objects that a read touches, from number `start` on, in C order of
/// the chunk grid.
///
/// # Errors
/// Errors of [`cost`].
pub fn objects(
    array: &Rc<Array>,
    selection: &Selection,
    start: u64,
    count: u64,
) -> Result<Vec<PlannedObject>> {
    let metadata = array.binding().metadata();
    let selected =
        resolve(selection, &metadata.shape).map_err(|error| error.at_node(array.path().as_str()))?;
    let touched = TouchedChunks::new(&selected, &metadata.chunk_grid.dimensions)?;
    let chunks = (start..start.saturating_add(count)).map_while(|i| touched.chunk(i));
    Ok(chunks.map(|chunk| PlannedObject { key: array.chunk_key(&chunk), chunk }).collect())
}
