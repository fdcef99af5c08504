//! The inner chunks of a stored shard that a write keeps. Where a write replaces at least half of
//! the inner chunks, the kept ones and the index are read instead of the whole shard.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use super::covers;
use super::shard::Shard;
use crate::access::binding::{Binding, Chain};
use crate::access::instruction::ChunkProjection;
use crate::access::write_plan::inside;
use crate::error::Result;
use crate::format::byte_range::ByteRange;
use crate::format::codec::sharding::index::ShardIndexFormat;
use crate::format::codec::sharding::{IndexLocation, ShardIndex};
use crate::limits;

/// The inner chunks that a write keeps, of a shard of which it replaces at least half.
pub struct KeptChunks {
    index: Rc<ShardIndexFormat>,
    /// The number of inner chunks.
    count: usize,
    /// The numbers of the inner chunks that are replaced.
    replaced: BTreeSet<usize>,
}

impl KeptChunks {
    /// The chunks that a write keeps. `None` where the stored chunk is not a shard, or the write
    /// replaces less than half of its inner chunks.
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

    /// The byte range of the index.
    pub fn index_range(&self) -> ByteRange {
        self.index.range_in(None)
    }

    /// The byte ranges of the kept chunks in a shard with this encoded index. `shard_len` is the
    /// length of the shard, where it is known.
    ///
    /// # Errors
    /// `Format` for an invalid index.
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

/// The bytes of a stored shard that a write keeps. Bytes after the last chunk do not matter.
pub struct KeptRanges {
    /// The byte ranges of the kept inner chunks.
    pub ranges: Vec<Range<u64>>,
    /// The offset of the index.
    pub index: u64,
    /// The length of the shard up to the end of its last chunk or its index.
    pub len: u64,
}
