//! The index of a shard in the 2022 draft: 16 bytes for each chunk at the end of the shard,
//! little-endian, in C order, without a checksum.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::format::codec::sharding::ShardIndex;
use crate::format::path::StoreKey;
use crate::limits;
use crate::store::Fetched;
use crate::store::byte_range::len_of;

const EMPTY: u64 = u64::MAX;

/// Length of an index in bytes.
#[allow(clippy::arithmetic_side_effects, reason = "a shard has at most 2^24 chunks")]
pub(super) fn encoded_len(count: usize) -> u64 {
    count as u64 * 16
}

/// The byte range of each chunk in a shard; all empty if the shard is absent.
#[derive(Clone, Debug)]
pub(super) struct Index {
    entries: ShardIndex,
    /// Length of the shard in bytes, if it is known.
    pub shard_len: Option<u64>,
    /// Version of the shard, if it is known.
    pub version: Option<String>,
    /// Whether the shard exists.
    pub exists: bool,
}

impl Index {
    /// Parses the end of a shard.
    ///
    /// # Errors
    /// `Format` for a shard that is shorter than its index; errors of [`ShardIndex::new`].
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

    /// The index of an absent shard.
    pub fn of_absent_shard(count: usize) -> Self {
        Self { entries: ShardIndex::empty(count), shard_len: None, version: None, exists: false }
    }

    /// The byte range of a chunk; `None` if it is absent.
    ///
    /// # Errors
    /// `Format` if the index has no such entry.
    pub fn get(&self, shard: &StoreKey, linear: usize) -> Result<Option<Range<u64>>> {
        self.entries.get(linear).map_err(|error| error.at_key(shard.as_str()))
    }

    /// The chunks that exist.
    ///
    /// # Errors
    /// Errors of [`get`](Self::get).
    pub fn existing(&self, shard: &StoreKey) -> Result<Vec<(usize, Range<u64>)>> {
        let all = (0..self.entries.len()).map(|linear| Ok(self.get(shard, linear)?.map(|at| (linear, at))));
        all.filter_map(Result::transpose).collect()
    }
}

/// Encodes an index.
pub(super) fn encode(entries: &[Option<Range<u64>>]) -> Vec<u8> {
    let words = entries.iter().flat_map(|entry| match entry {
        Some(range) => [range.start, len_of(range)],
        None => [EMPTY, EMPTY],
    });
    words.flat_map(u64::to_le_bytes).collect()
}
