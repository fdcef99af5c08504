//! `list_prefix`, `list_dir` and `erase_prefix`. A prefix that is a part of a chunk key is
//! converted into a prefix of shards, and the chunks of these shards are listed by their own keys.
//! Below such a prefix there are only chunks, as the specification assumes.

use futures_util::future::try_join_all;

use super::ShardingTransformer;
use super::keys::PrefixMeaning;
use crate::error::Result;
use crate::format::path::{NodePath, StoreKey};
use crate::limits;
use crate::store::{Listing, RequestContext, Subject};

/// Number of indexes that are requested at a time.
const IN_FLIGHT: usize = 16;

impl ShardingTransformer {
    pub(super) async fn list_below(&self, prefix: &NodePath) -> Result<Vec<StoreKey>> {
        match self.keys.prefix(prefix) {
            PrefixMeaning::Elsewhere => self.inner.list_prefix(prefix).await,
            PrefixMeaning::Above | PrefixMeaning::Array => {
                self.to_chunk_keys(self.inner.list_prefix(prefix).await?, &[]).await
            }
            PrefixMeaning::Grid(indices) => {
                self.to_chunk_keys(self.shards_below(&indices).await?, &indices).await
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
    async fn to_chunk_keys(&self, keys: Vec<StoreKey>, indices: &[u64]) -> Result<Vec<StoreKey>> {
        let (shards, mut listed): (Vec<_>, Vec<_>) =
            keys.into_iter().partition(|key| self.keys.is_shard(key));
        let context = RequestContext { subject: Subject::Chunk, ..RequestContext::default() };
        for shards in shards.chunks(IN_FLIGHT) {
            let indexes = try_join_all(shards.iter().map(|shard| self.index(shard, &context))).await?;
            for (shard, index) in shards.iter().zip(indexes) {
                let Some(index) = index else { continue };
                for linear in 0..self.keys.count() {
                    if index.entries.get(linear)?.is_some() && self.keys.begins_with(shard, linear, indices) {
                        listed.extend(self.keys.chunk_key(shard, linear));
                    }
                }
            }
            limits::within(listed.len() as u64, limits::LISTED_NAMES, "listing")?;
        }
        Ok(listed)
    }

    pub(super) async fn list_directly_below(&self, prefix: &NodePath) -> Result<Listing> {
        match self.keys.prefix(prefix) {
            // The names above the array's prefix are not indices.
            PrefixMeaning::Elsewhere | PrefixMeaning::Above => self.inner.list_dir(prefix).await,
            PrefixMeaning::Array | PrefixMeaning::Grid(_) => {
                Ok(Listing::of(&self.list_below(prefix).await?, prefix))
            }
        }
    }

    pub(super) async fn erase_below(&self, prefix: &NodePath) -> Result<()> {
        let PrefixMeaning::Grid(indices) = self.keys.prefix(prefix) else {
            return self.inner.erase_prefix(prefix).await;
        };
        for shard in self.shards_below(&indices).await? {
            self.change(&shard, |linear| self.keys.begins_with(&shard, linear, &indices), None).await?;
        }
        Ok(())
    }
}
