//! `set`, `set_partial_values` and `erase_values`: which shards change, and in which order they are
//! locked, read and written.
//!
//! If all chunks of a shard that are inside the array are erased, the shard is erased without
//! reading its index. If all of them are replaced, the shard is written without reading it. A
//! partial value does not count as a replacement, because a longer chunk keeps its end.

use std::collections::{BTreeMap, BTreeSet};

use super::index::{Index, encoded_len};
use super::keys::ChunkPlace;
use super::shard::{ChunkEdit, NewShard, ShardUpdate, WriteMode};
use super::{ShardingTransformer, kept_changing};
use crate::error::Result;
use crate::format::path::StoreKey;
use crate::store::byte_range::len_of;
use crate::store::partial_values::check_overlaps;
use crate::store::writers::{self, KeyLock};
use crate::store::{ByteRange, KeyRange, KeyStartValue, RequestContext, Subject, Value};

/// Changes to the chunks of several shards.
type Changes = BTreeMap<StoreKey, BTreeMap<usize, ChunkEdit>>;

impl ShardingTransformer {
    pub(super) async fn set_chunk(&self, chunk: ChunkPlace, value: Value) -> Result<()> {
        let change = BTreeMap::from([(chunk.linear, ChunkEdit::Replace(value))]);
        self.change(BTreeMap::from([(chunk.shard, change)])).await
    }

    pub(super) async fn set_parts(&self, values: &[KeyStartValue]) -> Result<()> {
        check_overlaps(values)?;
        let (mut changes, mut others) = (Changes::new(), Vec::new());
        for value in values {
            let Some(chunk) = self.keys.chunk(&value.key) else {
                others.push(value.clone());
                continue;
            };
            let shard = changes.entry(chunk.shard).or_default();
            match shard.entry(chunk.linear).or_insert_with(|| ChunkEdit::Patch(Vec::new())) {
                ChunkEdit::Patch(values) => values.push(value.clone()),
                ChunkEdit::Replace(_) | ChunkEdit::Erase => {}
            }
        }
        if !others.is_empty() {
            self.inner.set_partial_values(&others).await?;
        }
        self.change(changes).await
    }

    pub(super) async fn erase_chunks(&self, keys: &[StoreKey]) -> Result<()> {
        let (mut shards, mut others) = (BTreeMap::<StoreKey, BTreeSet<usize>>::new(), Vec::new());
        for key in keys {
            match self.keys.chunk(key) {
                Some(chunk) => {
                    shards.entry(chunk.shard).or_default().insert(chunk.linear);
                }
                None => others.push(key.clone()),
            }
        }
        let (whole, some): (BTreeMap<_, _>, BTreeMap<_, _>) =
            shards.into_iter().partition(|(shard, chunks)| self.keys.are_all_in_array(shard, chunks));
        others.extend(whole.into_keys());
        self.erase_shards(&others).await?;
        let changes = some.into_iter().map(|(shard, chunks)| {
            (shard, chunks.into_iter().map(|linear| (linear, ChunkEdit::Erase)).collect())
        });
        self.change(changes.collect()).await
    }

    /// Erases keys of the wrapped store.
    pub(super) async fn erase_shards(&self, keys: &[StoreKey]) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        let _locks = self.lock(keys).await;
        let _touched = writers::touch(&self.inner, keys);
        self.inner.erase_values(keys).await
    }

    /// Changes shards: fetches the indexes in one call and the chunks in another, then writes each
    /// shard.
    async fn change(&self, changes: Changes) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        self.check_writable()?;
        let shards: Vec<StoreKey> = changes.keys().cloned().collect();
        let _locks = self.lock(&shards).await;
        // What is written must not be based on an answer from an HTTP cache.
        let context = RequestContext { subject: Subject::Update, reload: true, ..RequestContext::default() };
        let updates = self.with_indexes(changes, &context).await?;
        let index_len = encoded_len(self.keys.count());
        let modes = updates.iter().map(|update| update.write_mode(self.unused_bytes, index_len));
        let modes = modes.collect::<Result<Vec<WriteMode>>>()?;
        let read = self.read_needed(&updates, &modes, &context).await?;
        for ((update, write_mode), read) in updates.iter().zip(modes).zip(read) {
            let _touched = writers::touch(&self.inner, std::slice::from_ref(&update.shard));
            self.write(update, write_mode, &read).await?;
        }
        Ok(())
    }

    async fn with_indexes(&self, changes: Changes, context: &RequestContext) -> Result<Vec<ShardUpdate>> {
        let is_replaced = |shard: &StoreKey, changes: &BTreeMap<usize, ChunkEdit>| {
            let replaced = changes.iter().filter(|(_, change)| matches!(change, ChunkEdit::Replace(_)));
            self.keys.are_all_in_array(shard, &replaced.map(|(linear, _)| *linear).collect())
        };
        let known: Vec<StoreKey> = changes
            .iter()
            .filter(|(shard, changes)| !is_replaced(shard, changes))
            .map(|(key, _)| key.clone())
            .collect();
        let indexes = self.indexes(&known, context).await?;
        let mut indexes: BTreeMap<StoreKey, Index> = known.into_iter().zip(indexes).collect();
        let mut updates = Vec::with_capacity(changes.len());
        for (shard, changes) in changes {
            let index = indexes.remove(&shard);
            let mut index = index.unwrap_or_else(|| Index::of_absent_shard(self.keys.count()));
            if index.exists && index.shard_len.is_none() {
                index.shard_len = self.inner.size(&shard, context).await?;
            }
            updates.push(ShardUpdate { shard, index, changes });
        }
        Ok(updates)
    }

    /// The chunks of each shard that must be read, by position, fetched in one call.
    #[allow(clippy::indexing_slicing, reason = "`place` counts the updates")]
    async fn read_needed(
        &self,
        updates: &[ShardUpdate],
        modes: &[WriteMode],
        context: &RequestContext,
    ) -> Result<Vec<BTreeMap<usize, Value>>> {
        let (mut ranges, mut targets) = (Vec::new(), Vec::new());
        for (place, (update, write_mode)) in updates.iter().zip(modes).enumerate() {
            for (linear, at) in update.needed(*write_mode)? {
                let range = ByteRange::FromStart { offset: at.start, len: len_of(&at) };
                ranges.push(KeyRange { key: update.shard.clone(), range });
                targets.push((place, linear, len_of(&at)));
            }
        }
        let mut read = vec![BTreeMap::new(); updates.len()];
        if ranges.is_empty() {
            return Ok(read);
        }
        let fetched = self.fetch(&ranges, context).await?;
        for ((place, linear, len), (asked, fetched)) in targets.into_iter().zip(ranges.iter().zip(fetched)) {
            match fetched.filter(|fetched| fetched.value.len() == len) {
                Some(fetched) => read[place].insert(linear, fetched.value),
                // The lock keeps out writers of this process only.
                None => return Err(kept_changing(&asked.key)),
            };
        }
        Ok(read)
    }

    async fn write(
        &self,
        update: &ShardUpdate,
        write_mode: WriteMode,
        read: &BTreeMap<usize, Value>,
    ) -> Result<()> {
        let shard = &update.shard;
        match write_mode {
            WriteMode::Nothing => return Ok(()),
            WriteMode::Erase => return self.inner.erase_values(std::slice::from_ref(shard)).await,
            WriteMode::Whole | WriteMode::InPlace => {}
        }
        let written = update.write(write_mode, read, self.keys.count());
        match written.map_err(|error| error.at_key(shard.as_str()))? {
            NewShard::Whole(bytes) => self.inner.set(shard, bytes.into()).await,
            NewShard::Parts(parts) => {
                let part = |(start, value)| KeyStartValue { key: shard.clone(), start, value };
                let parts: Vec<KeyStartValue> = parts.into_iter().map(part).collect();
                self.inner.set_partial_values(&parts).await
            }
        }
    }

    /// Waits until no other task of this process writes these keys of the wrapped store. Locking
    /// them in order prevents deadlocks.
    async fn lock(&self, keys: &[StoreKey]) -> Vec<KeyLock> {
        let ordered: BTreeSet<&StoreKey> = keys.iter().collect();
        let mut held = Vec::with_capacity(ordered.len());
        for key in ordered {
            held.push(writers::lock(&self.inner, key).await);
        }
        held
    }
}
