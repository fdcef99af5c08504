//! One level of chunks: what [`binding`](super::binding) and [`rows`](super::rows) share.

use std::rc::Rc;

use crate::error::Result;
use crate::format::codec::pipeline::Pipeline;
use crate::limits;

/// One level of chunks.
pub struct Level {
    /// The array's dimensions in the order of this level: its dimension `i` is the array's
    /// dimension `axes[i]`. They differ where a level above has a `transpose` codec.
    pub axes: Vec<usize>,
    /// The shape of this level's chunks, in array order.
    pub shape: Vec<u64>,
    /// The codecs of one chunk.
    pub pipeline: Rc<Pipeline>,
}

impl Level {
    /// The number of an inner chunk of this level in the index of its shard, which counts in C
    /// order.
    ///
    /// `position` has the array's order of dimensions; `grid`, the shard's inner chunks along each
    /// dimension, has this level's.
    ///
    /// # Errors
    /// `Limit` when the number does not fit the machine's size.
    #[allow(clippy::arithmetic_side_effects, reason = "the index of a shard has at most 2^24 entries")]
    pub fn index_in_shard(&self, position: &[u64], grid: &[u64]) -> Result<usize> {
        let along = self.axes.iter().zip(grid);
        let linear =
            along.fold(0, |linear, (axis, count)| linear * count + position.get(*axis).copied().unwrap_or(0));
        limits::to_usize(linear, "shard index")
    }
}
