//! The sharding storage transformer of the 2022 draft, chapter "Sharding storage transformer
//! (version 1.0)". It stores the chunks of an array in shards, each of which ends with an index.
//! Callers see chunks.
//!
//! The index differs from that of the sharding codec of the final specification, and the grid is
//! counted in chunks: see [`index`] and [`keys`]. All keys except the array's chunk keys pass
//! through. Writes to one shard wait for each other.

mod configuration;
mod index;
mod keys;
mod listing;
mod reading;
mod shard;
mod writing;

use std::rc::Rc;

pub use configuration::ShardingConfiguration;

use super::ArrayPlace;
use crate::error::{Error, Result};
use crate::format::path::{NodePath, StoreKey};
use crate::store::{
    ByteRange, Capabilities, Fetched, KeyRange, KeyStartValue, Listing, LocalFuture, RequestContext, Store,
    Value,
};
use keys::Keys;

/// Maximum number of unused bytes in a shard. A chunk that is not larger than the one it replaces
/// is written in its place, and an erased chunk is only removed from the index. A shard that would
/// then have more unused bytes is written anew, with its chunks in C order.
pub const UNUSED_BYTES: u64 = 1 << 20;

/// A store of an array's chunks, over a store of its shards.
pub struct ShardingTransformer {
    inner: Rc<dyn Store>,
    keys: Keys,
    /// See [`UNUSED_BYTES`].
    unused_bytes: u64,
}

impl ShardingTransformer {
    /// A store for the chunks of the array at `place`. `chunks_per_shard` is the shape of a shard
    /// in chunks. `unused_bytes` is usually [`UNUSED_BYTES`].
    ///
    /// # Errors
    /// `Format` if `chunks_per_shard` does not fit the array; `Limit` for an index that is too
    /// large.
    pub fn new(
        inner: Rc<dyn Store>,
        place: ArrayPlace,
        chunks_per_shard: Vec<u64>,
        unused_bytes: u64,
    ) -> Result<Self> {
        let keys = Keys::new(place, chunks_per_shard)?;
        Ok(Self { inner, keys, unused_bytes })
    }

    /// Fails before anything is read if the wrapped store is read-only.
    fn check_writable(&self) -> Result<()> {
        if self.inner.capabilities().writable { Ok(()) } else { Err(self.inner.lacks("write")) }
    }
}

/// The error for a shard that changed during every attempt to read it.
fn kept_changing(shard: &StoreKey) -> Error {
    Error::store(
        "a shard changed during every attempt to read it; read it again when it is no longer written",
    )
    .at_key(shard.as_str())
}

impl Store for ShardingTransformer {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn describe(&self) -> String {
        format!("shards in {}", self.inner.describe())
    }

    /// Not the name of the wrapped store: a writer that holds the lock of a chunk also needs the
    /// lock of its shard, which may have the same key.
    fn lock_name(&self) -> Option<String> {
        self.inner.lock_name().map(|name| format!("chunks in {name}"))
    }

    fn absence_is_cacheable(&self) -> bool {
        self.inner.absence_is_cacheable()
    }

    fn forget_kept(&self) {
        self.inner.forget_kept();
    }

    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Fetched>>> {
        if self.keys.chunk(key).is_none() {
            return self.inner.get(key, range, context);
        }
        Box::pin(async move {
            let asked = [KeyRange { key: key.clone(), range }];
            Ok(self.read(&asked, context).await?.into_iter().next().flatten())
        })
    }

    fn get_ranges<'a>(
        &'a self,
        key: &'a StoreKey,
        ranges: &'a [ByteRange],
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Vec<Option<Fetched>>>> {
        if self.keys.chunk(key).is_none() {
            return self.inner.get_ranges(key, ranges, context);
        }
        Box::pin(async move {
            let asked: Vec<KeyRange> =
                ranges.iter().map(|range| KeyRange { key: key.clone(), range: *range }).collect();
            self.read(&asked, context).await
        })
    }

    fn get_partial_values<'a>(
        &'a self,
        key_ranges: &'a [KeyRange],
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Vec<Option<Fetched>>>> {
        Box::pin(self.read(key_ranges, context))
    }

    fn reads_rows(&self) -> bool {
        self.inner.reads_rows()
    }

    fn size<'a>(
        &'a self,
        key: &'a StoreKey,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<u64>>> {
        let Some(place) = self.keys.chunk(key) else { return self.inner.size(key, context) };
        Box::pin(async move { self.chunk_size(place, context).await })
    }

    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        match self.keys.chunk(key) {
            Some(place) => Box::pin(self.set_chunk(place, value)),
            None => self.inner.set(key, value),
        }
    }

    fn set_partial_values<'a>(&'a self, values: &'a [KeyStartValue]) -> LocalFuture<'a, Result<()>> {
        Box::pin(self.set_parts(values))
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        match self.keys.chunk(key) {
            Some(_) => Box::pin(self.erase_chunks(std::slice::from_ref(key))),
            None => self.inner.erase(key),
        }
    }

    fn erase_values<'a>(&'a self, keys: &'a [StoreKey]) -> LocalFuture<'a, Result<()>> {
        Box::pin(self.erase_chunks(keys))
    }

    fn list(&self) -> LocalFuture<'_, Result<Vec<StoreKey>>> {
        Box::pin(async move { self.to_chunk_keys(self.inner.list().await?, &[]).await })
    }

    fn can_list(&self) -> LocalFuture<'_, Result<bool>> {
        self.inner.can_list()
    }

    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        Box::pin(self.list_directly_below(prefix))
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        Box::pin(self.list_below(prefix))
    }

    fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<()>> {
        Box::pin(self.erase_below(prefix))
    }
}
