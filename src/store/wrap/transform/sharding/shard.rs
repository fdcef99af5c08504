//! A change to one shard: what happens to each chunk, which bytes must be read, and what is
//! written. The code is pure; [`writing`](super::writing) reads and writes.

use std::collections::BTreeMap;
use std::ops::Range;

use super::index::{self, Index};
use crate::error::{Error, Result};
use crate::format::path::StoreKey;
use crate::limits;
use crate::store::byte_range::len_of;
use crate::store::partial_values::patched;
use crate::store::{KeyStartValue, Value};

/// What happens to a chunk.
#[derive(Clone, Debug)]
pub(super) enum ChunkEdit {
    /// It is replaced.
    Replace(Value),
    /// Parts of it are replaced. The keys of these values are ignored.
    Patch(Vec<KeyStartValue>),
    /// It is erased.
    Erase,
}

/// A shard, its index, and the changes to its chunks.
pub(super) struct ShardUpdate {
    pub shard: StoreKey,
    pub index: Index,
    /// Changes by the position of the chunk in C order.
    pub changes: BTreeMap<usize, ChunkEdit>,
}

/// How a shard is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteMode {
    /// It does not change.
    Nothing,
    /// It is erased, because it has no chunks any more.
    Erase,
    /// It is written anew.
    Whole,
    /// New chunks replace old ones in their place, and the index is replaced.
    InPlace,
}

/// The bytes to write.
pub(super) enum NewShard {
    /// The whole shard.
    Whole(Vec<u8>),
    /// Parts of the shard, with their offsets.
    Parts(Vec<(u64, Value)>),
}

impl ShardUpdate {
    /// The byte range of a chunk in the old shard.
    fn old(&self, linear: usize) -> Result<Option<Range<u64>>> {
        self.index.get(&self.shard, linear)
    }

    /// Length of a changed chunk in bytes; `None` if it is erased.
    fn new_len(&self, linear: usize, change: &ChunkEdit) -> Result<Option<u64>> {
        Ok(match change {
            ChunkEdit::Replace(value) => Some(value.len()),
            ChunkEdit::Erase => None,
            ChunkEdit::Patch(values) => {
                let old = self.old(linear)?.map_or(0, |old| len_of(&old));
                let ends = values.iter().map(|value| Ok(value.range()?.end)).collect::<Result<Vec<_>>>()?;
                Some(ends.into_iter().fold(old, u64::max))
            }
        })
    }

    /// The chunks that do not change.
    fn kept(&self) -> Result<Vec<(usize, Range<u64>)>> {
        let mut existing = self.index.existing(&self.shard)?;
        existing.retain(|(linear, _)| !self.changes.contains_key(linear));
        Ok(existing)
    }

    /// Chooses how to write. The index takes `index_len` bytes at the end of the shard.
    pub fn write_mode(&self, unused_bytes: u64, index_len: u64) -> Result<WriteMode> {
        let kept = self.kept()?;
        if kept.is_empty() && self.changes.values().all(|change| matches!(change, ChunkEdit::Erase)) {
            return Ok(if self.index.exists { WriteMode::Erase } else { WriteMode::Nothing });
        }
        let mut is_changed = false;
        for (linear, change) in &self.changes {
            is_changed |= !matches!(change, ChunkEdit::Erase) || self.old(*linear)?.is_some();
        }
        if !is_changed {
            return Ok(WriteMode::Nothing);
        }
        let Some(shard_len) = self.index.shard_len.filter(|_| self.index.exists) else {
            return Ok(WriteMode::Whole);
        };
        let body = shard_len.saturating_sub(index_len);
        let fits = self.fits_in_place(&kept, body, unused_bytes)?;
        Ok(if fits { WriteMode::InPlace } else { WriteMode::Whole })
    }

    /// Whether the changed chunks can replace old ones in the first `body` bytes of the shard. The
    /// `kept` chunks must stay as they are.
    fn fits_in_place(&self, kept: &[(usize, Range<u64>)], body: u64, unused_bytes: u64) -> Result<bool> {
        let mut used = kept.iter().fold(0_u64, |sum, (_, at)| sum.saturating_add(len_of(at)));
        let mut places = Vec::new();
        for (linear, change) in &self.changes {
            let Some(new_len) = self.new_len(*linear, change)? else { continue };
            let Some(old) = self.old(*linear)?.filter(|old| new_len <= len_of(old)) else {
                return Ok(false);
            };
            used = used.saturating_add(new_len);
            places.push((old, true));
        }
        places.extend(kept.iter().map(|(_, at)| (at.clone(), false)));
        places.retain(|(at, _)| !at.is_empty());
        places.sort_by_key(|(at, _)| (at.start, at.end));
        // Chunks may share bytes with each other or with the index. Shared bytes must not be
        // overwritten. Kept chunks may overlap each other, so the ends of kept and of changed
        // chunks are tracked apart.
        let (mut kept_end, mut changed_end) = (0, 0);
        for (at, is_changed) in places {
            if at.start < changed_end || (is_changed && (at.start < kept_end || at.end > body)) {
                return Ok(false);
            }
            let end = if is_changed { &mut changed_end } else { &mut kept_end };
            *end = at.end.max(*end);
        }
        Ok(body.saturating_sub(used) <= unused_bytes)
    }

    /// The chunks whose bytes must be read.
    pub fn needed(&self, write_mode: WriteMode) -> Result<Vec<(usize, Range<u64>)>> {
        if write_mode != WriteMode::Whole {
            return Ok(Vec::new());
        }
        let mut needed = self.kept()?;
        for (linear, change) in &self.changes {
            let (ChunkEdit::Patch(values), Some(old)) = (change, self.old(*linear)?) else { continue };
            if !covers(values, len_of(&old))? {
                needed.push((*linear, old));
            }
        }
        needed.retain(|(_, at)| !at.is_empty());
        let bytes = needed.iter().fold(0_u64, |sum, (_, at)| sum.saturating_add(len_of(at)));
        limits::within(bytes, limits::CHUNK_BYTES, "a shard to be written anew")?;
        Ok(needed)
    }

    /// The bytes to write, given the chunks that were [`needed`](Self::needed).
    pub fn write(
        &self,
        write_mode: WriteMode,
        read: &BTreeMap<usize, Value>,
        count: usize,
    ) -> Result<NewShard> {
        let index_len = index::encoded_len(count);
        if let (WriteMode::InPlace, Some(shard_len)) = (write_mode, self.index.shard_len) {
            return self.write_in_place(count, shard_len.saturating_sub(index_len));
        }
        let mut chunks = self.changes.keys().copied().collect::<Vec<_>>();
        chunks.extend(self.kept()?.into_iter().map(|(linear, _)| linear));
        chunks.sort_unstable();
        self.assemble(&chunks, read, count).map(NewShard::Whole)
    }

    /// Chunks one after the other, and the index with its `count` entries.
    #[allow(clippy::indexing_slicing, reason = "the chunks of a shard are numbered below `count`")]
    fn assemble(&self, chunks: &[usize], read: &BTreeMap<usize, Value>, count: usize) -> Result<Vec<u8>> {
        let mut entries = vec![None; count];
        let chunks = chunks.iter().map(|linear| Ok((*linear, self.new_bytes(*linear, read)?)));
        let chunks = chunks.collect::<Result<Vec<_>>>()?;
        let body = chunks.iter().filter_map(|(_, value)| value.as_ref()).map(Value::len);
        let body = body.fold(0_u64, u64::saturating_add);
        let mut bytes = limits::zeroed(body, limits::CHUNK_BYTES, "shard")?;
        let mut rest = bytes.as_mut_slice();
        let mut offset = 0_u64;
        for (linear, value) in chunks {
            let Some(value) = value else { continue };
            let (room, after) = rest.split_at_mut(limits::to_usize(value.len(), "chunk")?);
            value.copy_to(0, room)?;
            rest = after;
            let end =
                offset.checked_add(value.len()).ok_or_else(|| Error::limit("a shard exceeds 2^64 bytes"))?;
            entries[linear] = Some(offset..end);
            offset = end;
        }
        bytes.extend(index::encode(&entries));
        Ok(bytes)
    }

    /// The new bytes of a chunk; `None` if it is erased.
    fn new_bytes(&self, linear: usize, read: &BTreeMap<usize, Value>) -> Result<Option<Value>> {
        Ok(match self.changes.get(&linear) {
            Some(ChunkEdit::Erase) => None,
            Some(ChunkEdit::Replace(value)) => Some(value.clone()),
            Some(ChunkEdit::Patch(values)) => Some(patched(read.get(&linear), values)?),
            // Empty chunks were not read.
            None => Some(read.get(&linear).cloned().unwrap_or_else(|| Vec::new().into())),
        })
    }

    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        reason = "chunks are numbered below `count`, and what is new fits the place of the old"
    )]
    fn write_in_place(&self, count: usize, index_at: u64) -> Result<NewShard> {
        let mut entries = vec![None; count];
        for (linear, at) in self.kept()? {
            entries[linear] = Some(at);
        }
        let mut parts: Vec<(u64, Value)> = Vec::new();
        for (linear, change) in &self.changes {
            let Some(old) = self.old(*linear)? else { continue };
            let Some(new_len) = self.new_len(*linear, change)? else { continue };
            entries[*linear] = Some(old.start..old.start + new_len);
            match change {
                ChunkEdit::Replace(value) => parts.push((old.start, value.clone())),
                ChunkEdit::Patch(values) => {
                    parts.extend(values.iter().map(|value| (old.start + value.start, value.value.clone())));
                }
                ChunkEdit::Erase => {}
            }
        }
        parts.retain(|(_, value)| !value.is_empty());
        parts.push((index_at, index::encode(&entries).into()));
        Ok(NewShard::Parts(parts))
    }
}

/// Whether partial values cover the first `len` bytes.
fn covers(values: &[KeyStartValue], len: u64) -> Result<bool> {
    let mut ranges = values.iter().map(KeyStartValue::range).collect::<Result<Vec<_>>>()?;
    ranges.sort_by_key(|range| range.start);
    let mut end = 0;
    for range in ranges {
        if range.start > end {
            break;
        }
        end = range.end.max(end);
    }
    Ok(end >= len)
}
