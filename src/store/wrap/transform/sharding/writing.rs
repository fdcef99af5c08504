//! `set`, `set_partial_values` and `erase_values`: which shards change, and in what order they are locked, read and written.
//!
//! A shard whose chunks within the array are all erased is erased, without a look at its index; one whose chunks are all
//! replaced is written without one. A partial value alone never replaces a chunk for certain: what is longer stays longer.

use std::collections::{BTreeMap, BTreeSet};

use super::index::{Index, encoded_len};
use super::keys::ChunkPlace;
use super::shard::{ChunkEdit, ShardUpdate, WriteMode, NewShard};
use super::{ShardingTransformer, WriteStrategy, kept_changing};
use crate::error::Result;
use crate::format::path::StoreKey;
use crate::store::partial_values::check_overlaps;
use crate::store::writers::{self, KeyLock};
use crate::store::{ByteRange, KeyRange, KeyStartValue, RequestContext, Subject, Value};

/// What becomes of the chunks of several shards.
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

    /// Erases keys below, as they are.
    pub(super) async fn erase_shards(&self, keys: &[StoreKey]) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        let _locks = self.lock(keys).await;
        let erased = self.inner.erase_values(keys).await;
        keys.iter().for_each(|key| writers::note(&self.inner, key));
        erased
    }

    /// Changes shards: indexes in one call, chunks in another, then one write a shard.
    async fn change(&self, changes: Changes) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        self.check_writable()?;
        let shards: Vec<StoreKey> = changes.keys().cloned().collect();
        let _locks = self.lock(&shards).await;
        // What is written must not be made of an answer that a cache remembers.
        let context = RequestContext { subject: Subject::Update, reload: true, ..RequestContext::default() };
        let updates = self.with_indexes(changes, &context).await?;
        let ways = updates.iter().map(|update| update.write_mode(self.strategy, encoded_len(self.keys.count())));
        let ways = ways.collect::<Result<Vec<WriteMode>>>()?;
        let read = self.read_needed(&updates, &ways, &context).await?;
        for ((update, write_mode), read) in updates.iter().zip(ways).zip(read) {
            let written = self.write(update, write_mode, &read).await;
            writers::note(&self.inner, &update.shard);
            written?;
        }
        Ok(())
    }

    async fn with_indexes(&self, changes: Changes, context: &RequestContext) -> Result<Vec<ShardUpdate>> {
        let is_replaced = |shard: &StoreKey, changes: &BTreeMap<usize, ChunkEdit>| {
            let replaced = changes.iter().filter(|(_, change)| matches!(change, ChunkEdit::Replace(_)));
            let is_anew = matches!(self.strategy, WriteStrategy::FixedOrder { .. });
            is_anew && self.keys.are_all_in_array(shard, &replaced.map(|(linear, _)| *linear).collect())
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

    /// The bytes that each shard's new state is made of, by place of the chunk, in one call.
    async fn read_needed(
        &self,
        updates: &[ShardUpdate],
        ways: &[WriteMode],
        context: &RequestContext,
    ) -> Result<Vec<BTreeMap<usize, Value>>> {
        let (mut ranges, mut targets) = (Vec::new(), Vec::new());
        for (place, (update, write_mode)) in updates.iter().zip(ways).enumerate() {
            for (linear, at) in update.needed(*write_mode)? {
                let range = ByteRange::FromStart { offset: at.start, len: at.end - at.start };
                ranges.push(KeyRange { key: update.shard.clone(), range });
                targets.push((place, linear, at.end - at.start));
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
                // We hold its lock; somebody else's program does not.
                None => return Err(kept_changing(&asked.key)),
            };
        }
        Ok(read)
    }

    async fn write(&self, update: &ShardUpdate, write_mode: WriteMode, read: &BTreeMap<usize, Value>) -> Result<()> {
        let shard = &update.shard;
        match write_mode {
            WriteMode::Nothing => return Ok(()),
            WriteMode::Erase => return self.inner.erase_values(std::slice::from_ref(shard)).await,
            WriteMode::Whole | WriteMode::InPlace | WriteMode::Append => {}
        }
        let how = (self.strategy, self.keys.chunks_per_shard());
        let written = update.write(write_mode, read, how, self.keys.count());
        match written.map_err(|error| error.at_key(shard.as_str()))? {
            NewShard::Whole(bytes) => self.inner.set(shard, bytes.into()).await,
            NewShard::Parts(parts) => {
                let part = |(start, value)| KeyStartValue { key: shard.clone(), start, value };
                let parts: Vec<KeyStartValue> = parts.into_iter().map(part).collect();
                self.inner.set_partial_values(&parts).await
            }
        }
    }

    /// Waits until nobody else writes these keys below. They come in order, so that no two writers wait for each other.
    async fn lock(&self, keys: &[StoreKey]) -> Vec<KeyLock> {
        let ordered: BTreeSet<&StoreKey> = keys.iter().collect();
        let mut held = Vec::with_capacity(ordered.len());
        for key in ordered {
            held.push(writers::lock(&self.inner, key).await);
        }
        held
    }
}
