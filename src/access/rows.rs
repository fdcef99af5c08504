//! Rows: boxes that stand together in the bytes of a chunk that is stored as it is, without compression. Of a large one of which little
//! is wanted, only those are fetched that have some of it.
//!
//! All rows of a chunk have one shape, so that they are decoded as chunks of that shape; where they do not divide it, the last ones
//! reach back over those before them.

use std::rc::Rc;

use crate::access::binding::Level;
use crate::access::piece::{MovedAxis, word};
use crate::error::Result;
use crate::sorted::Map;

/// A smaller chunk is always fetched whole: it is there as soon as a part of it, and serves whoever wants the next part.
const LEAST_CHUNK_BYTES: u64 = 1 << 19;

/// About how long rows are, unless there were more than [`MOST_ROWS`] of them.
const ROW_BYTES: u64 = 1 << 14;

/// How many there are in a chunk, about.
const MOST_ROWS: u64 = 1 << 10;

/// How a leaf chunk is cut into rows.
pub struct Rows {
    /// Shape and codecs of one.
    level: Level,
    /// Shape of the chunk.
    chunk: Vec<u64>,
    /// Bytes from one index of the chunk to the next, along each dimension of the array.
    strides: Vec<u64>,
    row_bytes: u64,
    chunk_bytes: u64,
}

/// What is taken of a row along one dimension: where the row starts in the chunk, and what of it goes where.
pub struct RowAxis {
    /// First index of the row.
    pub start: u64,
    /// Relative to the row.
    pub moved: MovedAxis,
}

impl Rows {
    /// Of chunks of this level; `None` where they cannot be, or are too small.
    pub fn of(leaf: &Level) -> Option<Self> {
        let chunk_bytes = leaf.pipeline.encoded_len().filter(|bytes| *bytes >= LEAST_CHUNK_BYTES)?;
        let elements = leaf.shape.iter().try_fold(1_u64, |all, extent| all.checked_mul(*extent))?;
        let unit = chunk_bytes.checked_div(elements).filter(|unit| unit * elements == chunk_bytes)?;
        let target = ROW_BYTES.max(chunk_bytes / MOST_ROWS);
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

    /// Shape and codecs of one.
    pub fn level(&self) -> &Level {
        &self.level
    }

    /// Bytes of the whole chunk.
    pub fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes
    }

    /// Whether so many rows are little enough to be fetched without the others.
    pub fn are_few(&self, count: u64) -> bool {
        count.saturating_mul(self.row_bytes) <= self.chunk_bytes / 2
    }

    /// Where the row that begins at these indices stands in the chunk's bytes.
    pub fn bytes_at(&self, starts: &[u64]) -> std::ops::Range<u64> {
        let offset = starts.iter().zip(&self.strides).map(|(start, stride)| start * stride).sum();
        offset..offset + self.row_bytes
    }

    /// Where the row begins, along a dimension, that has this index of the chunk.
    pub fn start_of(&self, dimension: usize, index: u64) -> u64 {
        let extent = |shape: &[u64]| shape.get(dimension).copied().unwrap_or(1).max(1);
        let (row, chunk) = (extent(&self.level.shape), extent(&self.chunk));
        (index / row * row).min(chunk.saturating_sub(row))
    }

    /// What is taken along a dimension, row by row.
    ///
    /// # Errors
    /// None that what is taken from a chunk can cause.
    pub fn divide(&self, dimension: usize, moved: &MovedAxis) -> Result<Vec<RowAxis>> {
        match moved {
            MovedAxis::Range { first, step, count, place } => {
                self.divide_range(dimension, (*first, *step, *count), *place)
            }
            MovedAxis::List { indices, places } => self.divide_list(dimension, indices, places),
        }
    }

    fn divide_range(
        &self,
        dimension: usize,
        (first, step, count): (u32, i32, u32),
        place: u32,
    ) -> Result<Vec<RowAxis>> {
        let row = self.level.shape.get(dimension).copied().unwrap_or(1).max(1);
        let mut taken = Vec::new();
        let mut done = 0_u32;
        while done < count {
            let index = (i64::from(first) + i64::from(step) * i64::from(done)).unsigned_abs();
            let within = index % row;
            // How many steps stay in this row.
            let room = if step < 0 { within } else { row - 1 - within };
            let steps = room / u64::from(step.unsigned_abs().max(1)) + 1;
            let here = word(steps.min(u64::from(count - done)))?;
            let start = self.start_of(dimension, index);
            let moved =
                MovedAxis::Range { first: word(index - start)?, step, count: here, place: place + done };
            taken.push(RowAxis { start, moved });
            done += here;
        }
        Ok(taken)
    }

    fn divide_list(&self, dimension: usize, indices: &[u32], places: &[u32]) -> Result<Vec<RowAxis>> {
        let mut by_start: Map<u64, (Vec<u32>, Vec<u32>)> = Map::new();
        for (index, place) in indices.iter().zip(places) {
            let start = self.start_of(dimension, u64::from(*index));
            let (indices, places) = by_start.get_or_insert_with(start, Default::default);
            indices.push(word(u64::from(*index) - start)?);
            places.push(*place);
        }
        let lists = by_start.into_entries();
        Ok(lists
            .map(|(start, (indices, places))| RowAxis { start, moved: MovedAxis::List { indices, places } })
            .collect())
    }
}
