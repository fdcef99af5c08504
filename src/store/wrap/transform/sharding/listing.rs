//! `list`, `list_prefix`, `list_dir` and `erase_prefix`. A prefix that is a part of a chunk key is
//! converted into a prefix of shards, and the chunks of these shards are listed by their own keys.
//! Below such a prefix there are only chunks, as the specification assumes.

use super::ShardingTransformer;
use super::keys::PrefixMeaning;
use crate::error::Result;
use crate::format::path::{NodePath, StoreKey};
use crate::limits;
use crate::store::{Listing, RequestContext, Subject};

/// Bytes of indexes that are requested at a time.
const INDEX_BYTES: usize = 16 << 20;

impl ShardingTransformer {
    pub(super) async fn list_below(&self, prefix: &NodePath) -> Result<Vec<StoreKey>> {
        match self.keys.prefix(prefix) {
            PrefixMeaning::Elsewhere => self.inner.list_prefix(prefix).await,
            PrefixMeaning::All => self.to_chunk_keys(self.inner.list_prefix(prefix).await?, &[]).await,
            PrefixMeaning::Grid(indices) => {
                let shards = self.shards_below(&indices).await?;
                self.to_chunk_keys(shards, &indices).await
            }
        }
    }

    /// The shards that contain the chunks below a grid prefix.
    async fn shards_below(&self, indices: &[u64]) -> Result<Vec<StoreKey>> {
        let mut keys = self.inner.list_prefix(&self.keys.shard_prefix(indices)).await?;
        keys.retain(|key| self.keys.is_shard(key));
        Ok(keys)
    }

    /// Replaces each shard key by the keys of the shard's chunks whose indices begin with
    /// `indices`.
    #[allow(clippy::arithmetic_side_effects, reason = "a shard has 1 to 2^24 chunks")]
    pub(super) async fn to_chunk_keys(&self, keys: Vec<StoreKey>, indices: &[u64]) -> Result<Vec<StoreKey>> {
        let (shards, mut listed): (Vec<_>, Vec<_>) =
            keys.into_iter().partition(|key| self.keys.is_shard(key));
        let context = RequestContext { subject: Subject::Chunk, ..RequestContext::default() };
        for shards in shards.chunks((INDEX_BYTES / (16 * self.keys.count())).max(1)) {
            for (shard, index) in shards.iter().zip(self.indexes(shards, &context).await?) {
                let existing = index.existing(shard)?;
                let chunks = existing.into_iter().map(|(linear, _)| linear);
                let chunks = chunks.filter(|linear| self.keys.begins_with(shard, *linear, indices));
                listed.extend(chunks.filter_map(|linear| self.keys.chunk_key(shard, linear)));
            }
            limits::within(listed.len() as u64, limits::LISTED_NAMES, "listing")?;
        }
        Ok(listed)
    }

    pub(super) async fn list_directly_below(&self, prefix: &NodePath) -> Result<Listing> {
        let indices = match self.keys.prefix(prefix) {
            PrefixMeaning::Elsewhere => return self.inner.list_dir(prefix).await,
            // At the array's own prefix, no index is known. The names above it are not indices.
            PrefixMeaning::All => Vec::new(),
            PrefixMeaning::Grid(indices) => indices,
        };
        let is_grid = !indices.is_empty();
        let translated = if is_grid { self.keys.shard_prefix(&indices) } else { prefix.clone() };
        let mut below = self.inner.list_dir(&translated).await?;
        if is_grid {
            below.keys.retain(|key| self.keys.is_shard(key));
            below.prefixes.retain(|prefix| matches!(self.keys.prefix(prefix), PrefixMeaning::Grid(_)));
        }
        let mut prefixes = self.to_chunk_prefixes(below.prefixes, &indices)?;
        prefixes.sort();
        prefixes.dedup();
        Ok(Listing { keys: self.to_chunk_keys(below.keys, &indices).await?, prefixes })
    }

    /// Replaces each prefix of shards by the prefixes of all chunks that the shards can contain.
    fn to_chunk_prefixes(&self, prefixes: Vec<NodePath>, indices: &[u64]) -> Result<Vec<NodePath>> {
        let mut listed = Vec::new();
        for prefix in prefixes {
            match self.keys.chunk_prefixes(&prefix, indices) {
                Some(prefixes) => listed.extend(prefixes),
                None => listed.push(prefix),
            }
            limits::within(listed.len() as u64, limits::LISTED_NAMES, "listing")?;
        }
        Ok(listed)
    }

    pub(super) async fn erase_below(&self, prefix: &NodePath) -> Result<()> {
        match self.keys.prefix(prefix) {
            PrefixMeaning::Elsewhere | PrefixMeaning::All => self.inner.erase_prefix(prefix).await,
            PrefixMeaning::Grid(indices) => {
                let covers = self.keys.covers_its_shards(&indices);
                if covers && self.keys.shard_prefix(&indices) == *prefix {
                    return self.inner.erase_prefix(prefix).await;
                }
                let shards = self.shards_below(&indices).await?;
                if covers {
                    return self.erase_shards(&shards).await;
                }
                self.erase_chunks(&self.to_chunk_keys(shards, &indices).await?).await
            }
        }
    }
}
