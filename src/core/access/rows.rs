//! Rows: boxes of a chunk whose bytes are contiguous, in chunks that are stored without
//! compression. Where a read wants little of a large chunk, only the rows with wanted elements are
//! fetched.
//!
//! All rows of a chunk have the same shape and are decoded as chunks of that shape. Where the shape
//! does not divide the chunk's, the last row starts earlier and overlaps the one before it.

use std::rc::Rc;

use crate::access::instruction::{ProjectedAxis, word};
use crate::access::level::Level;
use crate::access::projection::divide;
use crate::error::Result;

/// Smaller chunks are fetched whole (bytes). That takes about as long as fetching a part, and later
/// reads find the chunk in the cache.
const MIN_CHUNK_BYTES: u64 = 1 << 19;

/// The size that rows aim at (bytes), unless a chunk would have more than [`MAX_ROWS`] of them.
const ROW_BYTES: u64 = 1 << 14;

/// The largest number of rows that a chunk is cut into, about.
const MAX_ROWS: u64 = 1 << 10;

/// How a leaf chunk is cut into rows.
pub struct Rows {
    /// The shape and the codecs of one row.
    level: Level,
    /// The shape of the chunk, in array order.
    chunk: Vec<u64>,
    /// The stride in bytes along each dimension of the chunk, in array order.
    strides: Vec<u64>,
    row_bytes: u64,
    chunk_bytes: u64,
}

/// What is taken of one row along one dimension: the index in the chunk where the row starts, and
/// the projection, whose indices are relative to the row.
pub type RowAxis = (u64, ProjectedAxis);

#[allow(
    clippy::arithmetic_side_effects,
    reason = "the rows are in a chunk, whose bytes and extents `of` has checked"
)]
impl Rows {
    /// The rows of chunks of this level. `None` where chunks are small, or their bytes are not
    /// their elements.
    pub fn of(leaf: &Level) -> Option<Self> {
        let chunk_bytes = leaf.pipeline.encoded_len().filter(|bytes| *bytes >= MIN_CHUNK_BYTES)?;
        let elements = leaf.shape.iter().try_fold(1_u64, |all, extent| all.checked_mul(*extent))?;
        let unit = chunk_bytes.checked_div(elements).filter(|unit| unit * elements == chunk_bytes)?;
        let target = ROW_BYTES.max(chunk_bytes / MAX_ROWS);
        let (mut shape, mut strides, mut row_bytes) =
            (vec![1; leaf.shape.len()], vec![0; leaf.shape.len()], unit);
        let (mut stride, mut is_full) = (unit, false);
        for stored in leaf.pipeline.axes().iter().rev() {
            let dimension = *leaf.axes.get(*stored)?;
            let extent = *leaf.shape.get(dimension)?;
            *strides.get_mut(dimension)? = stride;
            stride *= extent;
            if !is_full {
                let taken = extent.min((target / row_bytes.max(1)).max(1));
                *shape.get_mut(dimension)? = taken;
                row_bytes *= taken;
                is_full = taken < extent;
            }
        }
        let decoded = leaf.axes.iter().filter_map(|axis| shape.get(*axis).copied()).collect();
        let pipeline = Rc::new(leaf.pipeline.for_packed_boxes(decoded)?.ok()?);
        let is_exact = pipeline.encoded_len() == Some(row_bytes) && row_bytes < chunk_bytes;
        let level = Level { axes: leaf.axes.clone(), shape, pipeline };
        is_exact.then(|| Self { level, chunk: leaf.shape.clone(), strides, row_bytes, chunk_bytes })
    }

    /// The shape and the codecs of one row.
    pub fn level(&self) -> &Level {
        &self.level
    }

    /// The size of the whole chunk in bytes.
    pub fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes
    }

    /// Whether fetching `count` rows is worthwhile: they are at most half of the chunk.
    pub fn are_few(&self, count: u64) -> bool {
        count.saturating_mul(self.row_bytes) <= self.chunk_bytes / 2
    }

    /// The byte range, within the chunk, of the row that starts at these indices.
    pub fn bytes_at(&self, starts: &[u64]) -> std::ops::Range<u64> {
        let offset = starts.iter().zip(&self.strides).map(|(start, stride)| start * stride).sum();
        offset..offset + self.row_bytes
    }

    /// The index at which the row starts, along a dimension, that has this index of the chunk.
    pub fn start_of(&self, dimension: usize, index: u64) -> u64 {
        let extent = |shape: &[u64]| shape.get(dimension).copied().unwrap_or(1).max(1);
        let (row, chunk) = (extent(&self.level.shape), extent(&self.chunk));
        (index / row * row).min(chunk.saturating_sub(row))
    }

    /// Divides the projection of one dimension of a chunk into those of its rows.
    ///
    /// # Errors
    /// `Limit` for indices of 2^32 or more, which no chunk has.
    pub fn divide(&self, dimension: usize, projection: &ProjectedAxis) -> Result<Vec<RowAxis>> {
        let row = self.level.shape.get(dimension).copied().unwrap_or(1).max(1);
        let mut rows = Vec::new();
        for (number, taken) in divide(projection, row)? {
            let start = self.start_of(dimension, number * row);
            rows.push((start, taken.shifted(word(number * row - start)?)));
        }
        Ok(rows)
    }
}
