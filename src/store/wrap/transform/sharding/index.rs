//! The index of a shard of the 2022 draft: 16 bytes a chunk at the end of the shard, little-endian, C order, no checksum.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::format::codec::sharding::ShardIndex;
use crate::format::path::StoreKey;
use crate::limits;
use crate::store::Fetched;

const EMPTY: u64 = u64::MAX;

/// Bytes of an index.
pub(super) fn encoded_len(count: usize) -> u64 {
    count as u64 * 16
}

/// Where each chunk of a shard stands; all empty for an absent shard.
#[derive(Clone, Debug)]
pub(super) struct Index {
    entries: ShardIndex,
    /// Bytes of the shard, where known.
    pub shard_len: Option<u64>,
    /// The shard's version, where visible.
    pub version: Option<String>,
    /// Whether there is a shard.
    pub exists: bool,
}

impl Index {
    /// From the end of a shard.
    ///
    /// # Errors
    /// `Format` for a shard that is shorter than its index, and as [`ShardIndex::new`].
    pub fn of_shard(key: &StoreKey, tail: Option<Fetched>, count: usize) -> Result<Self> {
        let Some(tail) = tail else { return Ok(Self::of_absent_shard(count)) };
        let bytes = tail.value.to_vec(limits::SHARD_INDEX_BYTES, "shard index")?;
        if bytes.len() as u64 != encoded_len(count) {
            return Err(Error::format("shard is shorter than its index")
                .at_key(key.as_str())
                .expected(format!("at least {} bytes", encoded_len(count)))
                .actual(format!("{} bytes", bytes.len())));
        }
        let (words, _) = bytes.as_chunks::<8>();
        let (entries, _) = words.as_chunks::<2>();
        let entries =
            entries.iter().map(|[offset, len]| (u64::from_le_bytes(*offset), u64::from_le_bytes(*len)));
        let room = 0..tail.size.map_or(u64::MAX, |len| len.saturating_sub(encoded_len(count)));
        let entries = ShardIndex::new(entries.collect(), &room);
        let entries = entries.map_err(|error| error.at_key(key.as_str()))?;
        Ok(Self { entries, shard_len: tail.size, version: tail.version, exists: true })
    }

    /// Of a shard that is not there.
    pub fn of_absent_shard(count: usize) -> Self {
        Self { entries: ShardIndex::empty(count), shard_len: None, version: None, exists: false }
    }

    /// Where a chunk stands; `None` for an empty one.
    ///
    /// # Errors
    /// `Format` where the index has no such entry.
    pub fn get(&self, shard: &StoreKey, linear: usize) -> Result<Option<Range<u64>>> {
        self.entries.get(linear).map_err(|error| error.at_key(shard.as_str()))
    }

    /// The chunks that exist.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn existing(&self, shard: &StoreKey) -> Result<Vec<(usize, Range<u64>)>> {
        let all = (0..self.entries.len()).map(|linear| Ok(self.get(shard, linear)?.map(|at| (linear, at))));
        all.filter_map(Result::transpose).collect()
    }
}

/// The bytes of an index.
pub(super) fn encode(entries: &[Option<Range<u64>>]) -> Vec<u8> {
    let words = entries.iter().flat_map(|entry| match entry {
        Some(range) => [range.start, range.end - range.start],
        None => [EMPTY, EMPTY],
    });
    words.flat_map(u64::to_le_bytes).collect()
}
