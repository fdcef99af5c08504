//! What is stored beyond the shape of an array: whole chunks, and elements of the chunks that its
//! end cuts. It finds and clears them; `resize` decides when.
//!
//! Nothing beyond the shape is ever read. But a later growth shows it, so growth clears it first.
//! A failed append, a shrink that was cut off, or another program may have left it.

use std::ops::Range;
use std::rc::Rc;

use crate::access::chunk_update::{Change, ChunkUpdate};
use crate::access::write_plan::inside;
use crate::error::{ErrorKind, Result};
use crate::format::chunk_grid::unravel;
use crate::format::codec::sharding::ChunkOrder;
use crate::format::path::StoreKey;
use crate::hierarchy::erase_keys::{BLIND_KEYS, change_all, erase_keys};
use crate::limits;
use crate::read::array::Array;
use crate::store::{RequestContext, Value};
use crate::write::chunk_writer::ChunkWriter;
use crate::write::encoder::Encoder;
use crate::write::types::ChunkChange;

/// Up to this many chunks are erased without listing which exist.
const UNASKED_KEYS: u64 = 4096;

/// How chunks are changed: see [`ChunkWriter`].
#[derive(Clone, Copy)]
pub(super) struct Clearing<'a> {
    pub encoder: &'a dyn Encoder,
    pub context: &'a RequestContext,
}

/// The chunks that the grid `all` has and the grid `kept` has not.
pub(super) struct ChunksBeyond {
    kept: Vec<u64>,
    all: Vec<u64>,
    count: u64,
}

fn grid_of(array: &Array) -> Vec<u64> {
    let metadata = array.binding().metadata();
    metadata.chunk_grid.grid_shape(&metadata.shape)
}

impl ChunksBeyond {
    /// The chunks of `larger` that `kept` has not. Each array may be longer along some dimensions.
    pub fn new(kept: &Array, larger: &Array) -> Self {
        let (kept, all) = (grid_of(kept), grid_of(larger));
        let both: u128 = kept.iter().zip(&all).map(|(kept, all)| u128::from(*kept.min(all))).product();
        let count = all.iter().map(|count| u128::from(*count)).try_fold(1, u128::checked_mul);
        let count = count.map_or(u64::MAX, |all| u64::try_from(all - both.min(all)).unwrap_or(u64::MAX));
        Self { kept, all, count }
    }

    /// Erases all of these chunks.
    ///
    /// # Errors
    /// `Limit` for too many chunks in a store that cannot list, before anything is erased; errors
    /// of the store.
    pub async fn erase(&self, array: &Rc<Array>, clearing: Clearing<'_>) -> Result<()> {
        if self.count > UNASKED_KEYS && array.chunks().can_list().await? {
            return erase_keys(array.chunks(), self.listed(array).await?).await;
        }
        limits::within(self.count, BLIND_KEYS, "number of chunks to erase in a store that cannot list")?;
        self.erase_nearest(array, self.count, clearing).await
    }

    /// Erases these chunks before an array grows over them. In a store that cannot list, no more
    /// than the [`UNASKED_KEYS`] chunks that are nearest to the old end: asking for a million keys
    /// that most likely do not exist is no price for growing. A failed append leaves its chunks
    /// there. A shrink of an array in a store that cannot list leaves none (see `resize`).
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn erase_before_growth(&self, array: &Rc<Array>, clearing: Clearing<'_>) -> Result<()> {
        if self.count > UNASKED_KEYS && array.chunks().can_list().await? {
            return erase_keys(array.chunks(), self.listed(array).await?).await;
        }
        self.erase_nearest(array, self.count.min(UNASKED_KEYS), clearing).await
    }

    /// Erases up to `most` of these chunks, those nearest to the kept ones first.
    async fn erase_nearest(&self, array: &Rc<Array>, most: u64, clearing: Clearing<'_>) -> Result<()> {
        let mut left = most;
        for dimension in 0..self.all.len() {
            for layer in self.kept[dimension].min(self.all[dimension])..self.all[dimension] {
                let chunks = in_box(self.layer(dimension, layer))?;
                let chunks: Vec<_> = chunks.take(limits::to_usize(left, "number of chunks")?).collect();
                // No other layer of this dimension has chunks either.
                if chunks.is_empty() {
                    break;
                }
                left -= chunks.len() as u64;
                erase_chunks(array, chunks, clearing).await?;
            }
        }
        Ok(())
    }

    /// The box of the chunks in one layer beyond the kept ones. No chunk is in two layers.
    fn layer(&self, dimension: usize, layer: u64) -> Vec<Range<u64>> {
        let along = |at: usize| match at.cmp(&dimension) {
            std::cmp::Ordering::Less => 0..self.kept[at].min(self.all[at]),
            std::cmp::Ordering::Equal => layer..layer + 1,
            std::cmp::Ordering::Greater => 0..self.all[at],
        };
        (0..self.all.len()).map(along).collect()
    }

    /// The keys of all chunks beyond the kept ones that the store has, also beyond the grid `all`.
    async fn listed(&self, array: &Array) -> Result<Vec<StoreKey>> {
        let encoding = &array.binding().metadata().chunk_key_encoding;
        let prefix = array.chunk_prefix();
        let keys = array.chunks().list_prefix(&prefix).await?;
        let is_beyond = |key: &StoreKey| {
            let chunk = key.below(&prefix).and_then(|key| encoding.decode(key, self.kept.len()));
            chunk.is_some_and(|chunk| chunk.iter().zip(&self.kept).any(|(at, count)| at >= count))
        };
        Ok(keys.into_iter().filter(is_beyond).collect())
    }
}

async fn erase_chunks(array: &Rc<Array>, chunks: Vec<Vec<u64>>, clearing: Clearing<'_>) -> Result<()> {
    let keys = chunks.iter().map(|chunk| array.chunk_key(chunk));
    match erase_keys(array.chunks(), keys).await {
        // In a store that cannot erase, those that exist become chunks of fill value.
        Err(error) if error.kind() == ErrorKind::Unsupported => {
            let nothing = vec![0; array.binding().metadata().shape.len()];
            let chunks = chunks.into_iter().map(|chunk| (chunk, nothing.clone()));
            clip_all(array, chunks, clearing).await
        }
        erased => erased,
    }
}

/// Sets the elements past the array's end, along these dimensions, to fill value, inner chunks of
/// shards too. Only the chunks that the end cuts have such elements.
///
/// # Errors
/// Errors of the store and of the codecs.
pub(super) async fn clip_edges(
    array: &Rc<Array>,
    dimensions: &[usize],
    clearing: Clearing<'_>,
) -> Result<()> {
    let metadata = array.binding().metadata();
    let grid = grid_of(array);
    let mut boxes = Vec::new();
    let mut ranges: Vec<Range<u64>> = grid.iter().map(|count| 0..*count).collect();
    for &dimension in dimensions {
        let (along, len) = (&metadata.chunk_grid.dimensions[dimension], metadata.shape[dimension]);
        let last = grid[dimension].saturating_sub(1);
        if len > 0 && along.chunk_extent(last).end > len {
            let mut edge = ranges.clone();
            edge[dimension] = last..last + 1;
            boxes.push(edge);
            // Later dimensions skip these chunks: they are done.
            ranges[dimension] = 0..last;
        }
    }
    for edge in boxes {
        let chunks = in_box(edge)?.map(|chunk| {
            let inside = inside(array.binding(), &chunk);
            (chunk, inside)
        });
        clip_all(array, chunks, clearing).await?;
    }
    Ok(())
}

/// Sets the elements of stored chunks outside these extents to fill value, several chunks at a
/// time.
async fn clip_all(
    array: &Rc<Array>,
    chunks: impl Iterator<Item = (Vec<u64>, Vec<u64>)>,
    clearing: Clearing<'_>,
) -> Result<()> {
    let writer = ChunkWriter::new(array, clearing.encoder, clearing.context);
    let clip = |(chunk, inside)| {
        let update =
            ChunkUpdate { chunk, change: Change::Clip(inside), keep_empty: false, order: ChunkOrder::C };
        let change = ChunkChange { update, elements: Value::from(Vec::new()), covers: false };
        let writer = &writer;
        async move { writer.change(change).await.map(drop) }
    };
    change_all(chunks.map(clip)).await
}

/// All positions in a box, in C order.
fn in_box(ranges: Vec<Range<u64>>) -> Result<impl Iterator<Item = Vec<u64>>> {
    let shape: Vec<u64> = ranges.iter().map(|range| range.end.saturating_sub(range.start)).collect();
    let count = limits::product(shape.iter().copied(), "number of chunks")?;
    Ok((0..count).map(move |linear| {
        unravel(linear, &shape).iter().zip(&ranges).map(|(at, range)| at + range.start).collect()
    }))
}
