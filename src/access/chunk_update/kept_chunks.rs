//! What of a stored shard matters to a write: its index, and the inner chunks that are not written in full. Where those that are make up
//! most of it, the rest is read instead of the whole.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use super::covers;
use super::shard::Shard;
use crate::access::binding::{Binding, Chain};
use crate::access::instruction::ChunkProjection;
use crate::access::plan::RequestedRange;
use crate::access::write_plan::inside;
use crate::error::Result;
use crate::format::codec::sharding::index::ShardIndexFormat;
use crate::format::codec::sharding::{IndexLocation, ShardIndex};
use crate::limits;

/// A shard of which at least half of the inner chunks are written in full.
pub struct KeptChunks {
    index: Rc<ShardIndexFormat>,
    count: usize,
    replaced: BTreeSet<usize>,
}

impl KeptChunks {
    /// Of a write to a stored chunk; `None` where that is no shard, or fewer of its inner chunks are replaced.
    ///
    /// # Errors
    /// As binding the codecs, and `Limit`.
    pub fn of(binding: &Binding, chunk: &[u64], projection: &ChunkProjection) -> Result<Option<Self>> {
        let chain: Rc<Chain> = binding.chain_of(chunk)?;
        let (Some(outer), Some(inner)) = (chain.level(0), chain.level(1)) else { return Ok(None) };
        let Some(sharding) = outer.pipeline.plannable_sharding() else { return Ok(None) };
        let inside = inside(binding, chunk);
        let shard = Shard { sharding, inner, level: 0, inside: &inside };
        let touched = shard.divide(projection)?.into_iter();
        let replaced = touched.filter(|(linear, projection)| covers(projection, &shard.inside_of(*linear)));
        let replaced: BTreeSet<usize> = replaced.map(|(linear, _)| linear).collect();
        let count = limits::product(sharding.grid().iter().copied(), "shard")?;
        let count = limits::to_usize(count, "shard")?;
        let index = sharding.index().clone();
        Ok((replaced.len() >= count.div_ceil(2)).then_some(Self { index, count, replaced }))
    }

    /// Where the index stands.
    pub fn index_range(&self) -> RequestedRange {
        let len = self.index.encoded_len();
        match self.index.location() {
            IndexLocation::Start => RequestedRange::At { offset: 0, len },
            IndexLocation::End => RequestedRange::Last(len),
        }
    }

    /// Where what is kept stands in a shard that has this index (encoded), and this length, where known.
    ///
    /// # Errors
    /// `Format` for an index that cannot be.
    pub fn kept(&self, encoded: &[u8], shard_len: Option<u64>) -> Result<KeptRanges> {
        let index: ShardIndex = self.index.decode(encoded, shard_len)?;
        let mut kept = KeptRanges { ranges: Vec::new(), index: 0, len: 0 };
        for linear in 0..self.count {
            let Some(range) = index.get(linear)? else { continue };
            kept.len = kept.len.max(range.end);
            if !self.replaced.contains(&linear) && !range.is_empty() {
                kept.ranges.push(range);
            }
        }
        match self.index.location() {
            IndexLocation::Start => kept.len = kept.len.max(self.index.encoded_len()),
            IndexLocation::End => {
                kept.index = kept.len;
                kept.len = kept.len.saturating_add(self.index.encoded_len());
            }
        }
        Ok(kept)
    }
}

/// Places in a shard; what lies behind the last chunk counts for nothing.
pub struct KeptRanges {
    /// Of the inner chunks that are kept.
    pub ranges: Vec<Range<u64>>,
    /// Of the index.
    pub index: u64,
    /// Length of the shard.
    pub len: u64,
}
