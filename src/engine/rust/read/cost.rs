//! Computes what a read will cost before it fetches anything: chunks, keys and bytes.
//!
//! The sums are products over dimensions, and keys are listed in pages. So the cost of a selection
//! with millions of chunks is computed quickly.

use std::rc::Rc;

use crate::access::selection::{Selection, resolve};
use crate::error::Result;
use crate::format::path::StoreKey;
use crate::read::array::Array;
use crate::read::touched_chunks::{TouchedChunks, number};

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
