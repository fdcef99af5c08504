//! The sharding storage transformer of the 2022 draft, chapter "Sharding storage transformer
//! (version 1.0)", as a store of chunks over a store of shards.
//!
//! It is only for arrays of which a user's transformer is nearer to the array, and so takes a store
//! of chunks. Others are read and written by the sharding codec, as shards of v3 are
//! (`format/codec/sharding/transformer.rs`). All keys except the array's chunk keys pass through. A
//! change of a chunk reads the whole shard and writes it anew, with its chunks in C order. Below a
//! prefix that is a part of a chunk key there are only chunks, as the specification assumes.

use std::rc::Rc;

use futures_util::future::try_join_all;
use zarr_wasm_http::{Subject, Value};

use super::shard_keys::Keys;
use super::transformer::{ArrayKeys, NamedTransformer, Transformer};
use crate::error::{Error, Result};
use crate::format::byte_range::len_of;
use crate::format::codec::sharding::index::ShardIndexFormat;
use crate::format::codec::sharding::{ShardIndex, transformer};
use crate::format::path::{NodePath, StoreKey};
use crate::limits;
use crate::store::{
    ByteRange, Changeable, Fetched, GetFuture, Listable, Listing, LocalFuture, RequestContext, SizeFuture,
    Store, Writable, at_key, writers,
};

/// How often a read is tried, if the shard changes between the request for its index and that for
/// the chunk.
const ATTEMPTS: usize = 3;

/// Number of indexes that are requested at a time.
const IN_FLIGHT: usize = 16;

/// The chunks of an array, and the store of its shards.
pub struct ShardingTransformer {
    inner: Rc<dyn Store>,
    keys: Keys,
    index: ShardIndexFormat,
}

/// The numbers of chunks in a shard along each dimension.
pub(super) struct ShardingConfiguration(Vec<u64>);

impl ShardingConfiguration {
    /// Parses `type` and `configuration`.
    ///
    /// # Errors
    /// `Unsupported` for a binary format other than `indexed`; `Format` for an invalid field.
    pub fn parse(named: &NamedTransformer<'_>) -> Result<Self> {
        transformer::chunks_per_shard(named.kind, named.configuration).map(Self)
    }
}

impl Transformer for ShardingConfiguration {
    fn keys_below(&self, array: &ArrayKeys) -> ArrayKeys {
        let mut below = array.clone();
        for (extent, per_shard) in below.grid_shape.iter_mut().zip(&self.0) {
            // `around` rejects values that do not fit.
            *extent = extent.div_ceil((*per_shard).max(1));
        }
        below
    }

    fn around(&self, below: Rc<dyn Store>, array: &ArrayKeys) -> Result<Rc<dyn Store>> {
        Ok(Rc::new(ShardingTransformer::new(below, array.clone(), self.0.clone())?))
    }
}

/// Whether two values are of one version of a shard, as far as their versions are known.
fn agree(one: &Fetched, other: &Fetched) -> bool {
    one.size.zip(other.size).is_none_or(|(one, other)| one == other)
        && one.version.as_ref().zip(other.version.as_ref()).is_none_or(|(one, other)| one == other)
}

impl ShardingTransformer {
    /// A store for the chunks of an array. `chunks_per_shard` is the shape of a shard in chunks.
    ///
    /// # Errors
    /// `Format` if `chunks_per_shard` does not fit the array; `Limit` for an index that is too
    /// large.
    pub fn new(inner: Rc<dyn Store>, array: ArrayKeys, chunks_per_shard: Vec<u64>) -> Result<Self> {
        let index = transformer::index_format(array.grid_shape.len(), &chunks_per_shard)?;
        Ok(Self { inner, keys: Keys::new(array, chunks_per_shard), index })
    }

    /// The index of a shard, and the bytes that it was read from; `None` if the shard is absent.
    async fn index(
        &self,
        shard: &StoreKey,
        context: &RequestContext,
    ) -> Result<Option<(ShardIndex, Fetched)>> {
        let range = ByteRange::Last(self.index.encoded_len());
        let Some(tail) = self.inner.get(shard, range, context).await? else { return Ok(None) };
        let bytes = tail.value.to_vec(limits::SHARD_INDEX_BYTES, "shard index")?;
        let index = self.index.decode(&bytes, tail.size).map_err(|error| error.at_key(shard.as_str()))?;
        Ok(Some((index, tail)))
    }

    /// A range of a chunk. It needs two requests: one for the index, one for the bytes.
    #[allow(clippy::arithmetic_side_effects, reason = "the part is inside of its chunk")]
    async fn read(
        &self,
        (shard, linear): (StoreKey, usize),
        range: ByteRange,
        context: &RequestContext,
    ) -> Result<Option<Fetched>> {
        let mut context = context.clone();
        for _ in 0..ATTEMPTS {
            let Some((index, tail)) = self.index(&shard, &context).await? else { return Ok(None) };
            let Some(chunk) = index.get(linear)? else { return Ok(None) };
            let size = Some(len_of(&chunk));
            let part = range.of(len_of(&chunk)).ok_or_else(|| range.past_end(size))?;
            let part = chunk.start + part.start..chunk.start + part.end;
            if part.is_empty() {
                return Ok(Some(Fetched { value: Vec::new().into(), size, ..tail }));
            }
            let fetched = self.inner.get(&shard, ByteRange::from(part.clone()), &context).await?;
            if let Some(fetched) = fetched.filter(|fetched| agree(&tail, fetched)) {
                if fetched.value.len() != len_of(&part) {
                    return Err(Error::format("a shard ends inside one of its chunks")
                        .at_range(part.start, len_of(&part))
                        .expected(format!("{} bytes", len_of(&part)))
                        .actual(format!("{} bytes", fetched.value.len()))
                        .at_key(shard.as_str()));
                }
                return Ok(Some(Fetched { size, ..fetched }));
            }
            context.reload = true;
        }
        let message =
            "a shard changed during every attempt to read it; read it again when it is no longer written";
        Err(Error::store(message).at_key(shard.as_str()))
    }

    /// Replaces those chunks of a shard for which `is_changed` holds by `new`, or erases them. A
    /// shard goes with its last chunk. Changes of one shard wait for each other.
    async fn change(
        &self,
        shard: &StoreKey,
        is_changed: impl Fn(usize) -> bool,
        new: Option<&[u8]>,
    ) -> Result<()> {
        let _lock = writers::lock(&self.inner, shard).await;
        // What is written must not be based on an answer from an HTTP cache.
        let context = RequestContext { subject: Subject::Update, reload: true, ..RequestContext::default() };
        let old = self.inner.get(shard, ByteRange::Whole, &context).await?;
        let old = old.map(|old| old.value.to_vec(limits::CHUNK_BYTES, "shard")).transpose()?;
        let chunks = self.chunks_of(old.as_deref());
        let mut chunks = chunks.map_err(|error| error.at_key(shard.as_str()))?;
        let mut is_same = true;
        for (linear, chunk) in chunks.iter_mut().enumerate() {
            if *chunk != new && is_changed(linear) {
                (*chunk, is_same) = (new, false);
            }
        }
        if is_same {
            return Ok(());
        }
        let _touched = writers::touch(&self.inner, std::slice::from_ref(shard));
        if chunks.iter().all(Option::is_none) {
            return self.inner.erase(shard).await;
        }
        let bytes = self.index.assemble(&chunks, 0..chunks.len())?;
        self.inner.set(shard, bytes.into()).await
    }

    /// The chunks of a whole shard, in C order. None of them exists if the shard is absent.
    fn chunks_of<'s>(&self, shard: Option<&'s [u8]>) -> Result<Vec<Option<&'s [u8]>>> {
        let Some(shard) = shard else {
            // An entry of the index has 16 bytes.
            let count = limits::to_usize(self.index.encoded_len() / 16, "shard index")?;
            return Ok(vec![None; count]);
        };
        let index = self.index.read_from(shard)?;
        let mut chunks = Vec::new();
        for linear in 0..index.len() {
            chunks.push(match index.get(linear)? {
                None => None,
                // It may be said to be anywhere.
                Some(chunk) if chunk.is_empty() => Some(&[][..]),
                Some(chunk) => {
                    shard.get(limits::to_usize(chunk.start, "shard")?..limits::to_usize(chunk.end, "shard")?)
                }
            });
        }
        Ok(chunks)
    }

    /// The keys below a prefix, with those of its chunks in place of each shard.
    async fn list_below(&self, prefix: &NodePath) -> Result<Vec<StoreKey>> {
        let start = self.keys.start(prefix).unwrap_or_default();
        let (mut shards, mut listed) = (Vec::new(), Vec::new());
        if start.is_empty() {
            for key in self.inner.list_prefix(prefix).await? {
                let keys = if self.keys.indices(&key).is_some() { &mut shards } else { &mut listed };
                keys.push(key);
            }
        } else {
            shards = self.shards_below(&start).await?;
        }
        let context = RequestContext { subject: Subject::Chunk, ..RequestContext::default() };
        for shards in shards.chunks(IN_FLIGHT) {
            let indexes = try_join_all(shards.iter().map(|shard| self.index(shard, &context))).await?;
            for (shard, found) in shards.iter().zip(indexes) {
                let Some((index, _)) = found else { continue };
                for linear in 0..index.len() {
                    if index.get(linear)?.is_some() {
                        listed.extend(self.keys.chunk_in(shard, linear, &start));
                    }
                }
            }
            limits::within(listed.len() as u64, limits::LISTED_NAMES, "listing")?;
        }
        Ok(listed)
    }

    /// The shards of the chunks whose indices begin with `start`.
    async fn shards_below(&self, start: &[u64]) -> Result<Vec<StoreKey>> {
        let mut shards = self.inner.list_prefix(&self.keys.shards(start)).await?;
        shards.retain(|key| self.keys.indices(key).is_some());
        Ok(shards)
    }

    async fn erase_below(&self, prefix: &NodePath) -> Result<()> {
        let start = self.keys.start(prefix).unwrap_or_default();
        if start.is_empty() {
            return self.inner.erase_prefix(prefix).await;
        }
        for shard in self.shards_below(&start).await? {
            let is_below = |linear| self.keys.chunk_in(&shard, linear, &start).is_some();
            self.change(&shard, is_below, None).await?;
        }
        Ok(())
    }
}

impl Store for ShardingTransformer {
    fn describe(&self) -> String {
        format!("shards in {}", self.inner.describe())
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        match self.keys.chunk(key) {
            Some(chunk) => {
                Box::pin(at_key(key, async move { self.read(chunk, range.check()?, context).await }))
            }
            None => self.inner.get(key, range, context),
        }
    }

    fn size<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> SizeFuture<'a> {
        let Some((shard, linear)) = self.keys.chunk(key) else { return self.inner.size(key, context) };
        Box::pin(async move {
            let Some((index, _)) = self.index(&shard, context).await? else { return Ok(None) };
            Ok(index.get(linear)?.as_ref().map(len_of))
        })
    }

    fn reads_parts(&self) -> bool {
        self.inner.reads_parts()
    }

    fn reads_rows(&self) -> bool {
        self.inner.reads_rows()
    }

    fn as_listable(&self) -> Option<&dyn Listable> {
        Some(self)
    }

    fn as_writable(&self) -> Option<&dyn Writable> {
        self.inner.as_writable().map(|_| self as &dyn Writable)
    }

    fn as_changeable(&self) -> Option<&dyn Changeable> {
        Some(self)
    }
}

impl Changeable for ShardingTransformer {
    fn absence_is_cacheable(&self) -> bool {
        self.inner.absence_is_cacheable()
    }

    fn forget_kept(&self) {
        self.inner.forget_kept();
    }

    /// Not the name of the wrapped store: a writer that holds the lock of a chunk also needs the
    /// lock of its shard, which may have the same key.
    fn lock_name<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Option<String>> {
        let name = self.inner.lock_name(key);
        Box::pin(async { name.await.map(|name| format!("chunks in {name}")) })
    }
}

impl Writable for ShardingTransformer {
    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        let Some((shard, linear)) = self.keys.chunk(key) else { return self.inner.set(key, value) };
        Box::pin(async move {
            let new = value.to_vec(limits::CHUNK_BYTES, "chunk")?;
            // The copy is enough.
            drop(value);
            self.change(&shard, |other| other == linear, Some(&new)).await
        })
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        let Some((shard, linear)) = self.keys.chunk(key) else { return self.inner.erase(key) };
        Box::pin(async move { self.change(&shard, |other| other == linear, None).await })
    }

    fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> Option<LocalFuture<'a, Result<()>>> {
        Some(Box::pin(self.erase_below(prefix)))
    }
}

impl Listable for ShardingTransformer {
    fn is_known_to_list(&self) -> bool {
        self.inner.is_known_to_list()
    }

    fn can_list(&self) -> LocalFuture<'_, Result<bool>> {
        self.inner.can_list()
    }

    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        // The names above the array's prefix are not indices.
        if self.keys.start(prefix).is_none() {
            return self.inner.list_dir(prefix);
        }
        Box::pin(async move { Ok(Listing::of(&self.list_below(prefix).await?, prefix)) })
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        Box::pin(self.list_below(prefix))
    }
}
