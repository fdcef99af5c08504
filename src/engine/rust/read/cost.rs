//! Computes what a read will cost before it fetches anything: chunks, keys and bytes.
//!
//! The sums are products over dimensions, and keys are listed in pages. So the cost of a selection
//! with millions of chunks is computed quickly.

use std::rc::Rc;

use zarr_wasm_contract::{PlannedObject, ReadCost};

use crate::access::selection::{Selection, resolve};
use crate::error::Result;
use crate::read::array::Array;
use crate::read::touched_chunks::{TouchedChunks, number};

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
    let kept = selected.kept();
    let kept = shape.iter().zip(&kept).filter(|(_, kept)| **kept);
    Ok(ReadCost {
        shape: kept.map(|(extent, _)| number(*extent)).collect(),
        chunks: leaves.count(),
        objects: objects.count(),
        decoded_elements: leaves.elements(&leaf_grid),
        elements: shape.iter().map(|extent| number(*extent)).product(),
        encoded_chunk_bytes: chain.leaf()?.pipeline.encoded_len().map(number),
        index_bytes: sharding.map(|sharding| number(sharding.index().encoded_len())),
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
    let planned = |chunk: Vec<u64>| PlannedObject {
        key: format!("/{}", array.chunk_key(&chunk).as_str()),
        chunk: chunk.into_iter().map(number).collect(),
    };
    Ok(chunks.map(planned).collect())
}
