//! The sharding storage transformer of the 2022 draft, chapter "Sharding storage transformer
//! (version 1.0)". It stores the chunks of an array in shards, each of which ends with an index: 16
//! bytes for each chunk, without a checksum. Callers see chunks.
//!
//! It is only for arrays of which another transformer is nearer to the array: others are read and
//! written by the sharding codec (`format/codec/sharding/transformer.rs`). All keys except the
//! array's chunk keys pass through. A change of a chunk reads the whole shard and writes it anew,
//! with its chunks in C order. Writes to one shard wait for each other.

mod keys;
mod listing;

use std::rc::Rc;

use crate::error::{Error, Result};
use crate::format::byte_range::len_of;
use crate::format::codec::ChunkRepresentation;
use crate::format::codec::pipeline::Pipeline;
use crate::format::codec::sharding::index::ShardIndexFormat;
use crate::format::codec::sharding::{IndexLocation, ShardIndex, transformer};
use crate::format::data_type::{DataType, FillValue, Integer};
use crate::format::metadata::{CodecMetadata, ZarrFormat};
use crate::format::path::{NodePath, StoreKey};
use crate::limits;
use crate::store::wrap::transform::transformer::{ArrayPlace, NamedTransformer, Transformer};
use crate::store::{
    ByteRange, Changeable, Fetched, GetFuture, Listable, Listing, LocalFuture, RequestContext, SizeFuture,
    Store, Subject, Value, Writable, at_key, writers,
};
use keys::{ChunkPlace, Keys};

/// How often a read is tried, if the shard changes between the request for its index and that for
/// the chunk.
const ATTEMPTS: usize = 3;

/// A parsed configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardingConfiguration {
    chunks_per_shard: Vec<u64>,
    field: String,
}

impl ShardingConfiguration {
    /// Parses `type` and `configuration`.
    ///
    /// # Errors
    /// `Unsupported` for a binary format other than `indexed`; `Format` for an invalid field.
    pub fn parse(named: &NamedTransformer<'_>) -> Result<Self> {
        let chunks_per_shard = transformer::chunks_per_shard(named.kind, named.configuration)?;
        Ok(Self { chunks_per_shard, field: named.field.to_owned() })
    }
}

impl Transformer for ShardingConfiguration {
    fn place_below(&self, place: &ArrayPlace) -> Result<ArrayPlace> {
        let grid = place.grid_shape.iter().zip(&self.chunks_per_shard);
        // `around` rejects values that do not fit.
        let grid_shape = grid.map(|(extent, per_shard)| extent.div_ceil((*per_shard).max(1))).collect();
        Ok(ArrayPlace { grid_shape, ..place.clone() })
    }

    fn around(&self, below: Rc<dyn Store>, place: &ArrayPlace) -> Result<Rc<dyn Store>> {
        let made = ShardingTransformer::new(below, place.clone(), self.chunks_per_shard.clone());
        Ok(Rc::new(made.map_err(|error| error.within_field(&self.field))?))
    }
}

/// A store of an array's chunks, over a store of its shards.
pub struct ShardingTransformer {
    inner: Rc<dyn Store>,
    keys: Keys,
    index: ShardIndexFormat,
}

/// The index of a shard, and which version of the shard it is of.
struct FoundIndex {
    entries: ShardIndex,
    size: Option<u64>,
    version: Option<String>,
}

impl FoundIndex {
    /// Whether a fetched value is of the same version of the shard. True if no version is known.
    fn agrees_with(&self, fetched: &Fetched) -> bool {
        self.size.zip(fetched.size).is_none_or(|(known, found)| known == found)
            && self.version.as_ref().zip(fetched.version.as_ref()).is_none_or(|(known, found)| known == found)
    }
}

impl ShardingTransformer {
    /// A store for the chunks of the array at `place`. `chunks_per_shard` is the shape of a shard
    /// in chunks.
    ///
    /// # Errors
    /// `Format` if `chunks_per_shard` does not fit the array; `Limit` for an index that is too
    /// large.
    pub fn new(inner: Rc<dyn Store>, place: ArrayPlace, chunks_per_shard: Vec<u64>) -> Result<Self> {
        let keys = Keys::new(place, chunks_per_shard)?;
        let index = index_format(keys.chunks_per_shard())?;
        Ok(Self { inner, keys, index })
    }

    /// The index of a shard; `None` if the shard is absent.
    async fn index(&self, shard: &StoreKey, context: &RequestContext) -> Result<Option<FoundIndex>> {
        let range = ByteRange::Last(self.index.encoded_len());
        let Some(tail) = self.inner.get(shard, range, context).await? else { return Ok(None) };
        let bytes = tail.value.to_vec(limits::SHARD_INDEX_BYTES, "shard index")?;
        let entries = self.index.decode(&bytes, tail.size);
        let entries = entries.map_err(|error| error.at_key(shard.as_str()))?;
        Ok(Some(FoundIndex { entries, size: tail.size, version: tail.version }))
    }

    /// A range of a chunk. It needs two requests: one for the index, one for the bytes.
    #[allow(clippy::arithmetic_side_effects, reason = "the part is inside of its chunk")]
    async fn read(
        &self,
        ChunkPlace { shard, linear }: &ChunkPlace,
        range: ByteRange,
        context: &RequestContext,
    ) -> Result<Option<Fetched>> {
        let mut context = context.clone();
        for _ in 0..ATTEMPTS {
            let Some(index) = self.index(shard, &context).await? else { return Ok(None) };
            let Some(chunk) = index.entries.get(*linear)? else { return Ok(None) };
            let size = Some(len_of(&chunk));
            let part = range.of(len_of(&chunk)).ok_or_else(|| range.past_end(size))?;
            if part.is_empty() {
                return Ok(Some(Fetched {
                    value: Vec::new().into(),
                    size,
                    version: index.version,
                    modified: None,
                }));
            }
            let asked = ByteRange::from(chunk.start + part.start..chunk.start + part.end);
            let fetched = self.inner.get(shard, asked, &context).await?;
            if let Some(fetched) = fetched.filter(|fetched| index.agrees_with(fetched)) {
                let part = part_of_chunk(fetched, asked, size);
                return part.map(Some).map_err(|error| error.at_key(shard.as_str()));
            }
            context.reload = true;
        }
        let message =
            "a shard changed during every attempt to read it; read it again when it is no longer written";
        Err(Error::store(message).at_key(shard.as_str()))
    }

    /// Replaces those chunks of a shard for which `is_changed` holds by `new`, or erases them. A
    /// shard goes with its last chunk.
    async fn change(
        &self,
        shard: &StoreKey,
        is_changed: impl Fn(usize) -> bool,
        new: Option<&[u8]>,
    ) -> Result<()> {
        if self.inner.as_writable().is_none() {
            return Err(self.inner.lacks("write"));
        }
        let _lock = writers::lock(&self.inner, shard).await;
        // What is written must not be based on an answer from an HTTP cache.
        let context = RequestContext { subject: Subject::Update, reload: true, ..RequestContext::default() };
        let old = self.inner.get(shard, ByteRange::Whole, &context).await?;
        let old = old.map(|old| old.value.to_vec(limits::CHUNK_BYTES, "shard")).transpose()?;
        let chunks = self.chunks_of(old.as_deref());
        let mut chunks = chunks.map_err(|error| error.at_key(shard.as_str()))?;
        let others = chunks.iter_mut().enumerate();
        let mut others = others.filter(|(linear, chunk)| **chunk != new && is_changed(*linear)).peekable();
        if others.peek().is_none() {
            return Ok(());
        }
        others.for_each(|(_, chunk)| *chunk = new);
        let _touched = writers::touch(&self.inner, std::slice::from_ref(shard));
        if chunks.iter().all(Option::is_none) {
            return self.inner.erase(shard).await;
        }
        let bytes = self.index.assemble(&chunks, 0..chunks.len())?;
        self.inner.set(shard, bytes.into()).await
    }

    /// The chunks of a whole shard, in C order. None of them exists if the shard is absent.
    fn chunks_of<'s>(&self, shard: Option<&'s [u8]>) -> Result<Vec<Option<&'s [u8]>>> {
        let Some(shard) = shard else { return Ok(vec![None; self.keys.count()]) };
        let index = self.index.read_from(shard)?;
        let chunk = |linear| {
            Ok(match index.get(linear)? {
                None => None,
                // It may be said to be anywhere.
                Some(chunk) if chunk.is_empty() => Some(&[][..]),
                Some(chunk) => {
                    shard.get(limits::to_usize(chunk.start, "shard")?..limits::to_usize(chunk.end, "shard")?)
                }
            })
        };
        (0..self.keys.count()).map(chunk).collect()
    }

    async fn set_chunk(&self, ChunkPlace { shard, linear }: ChunkPlace, value: Value) -> Result<()> {
        let new = value.to_vec(limits::CHUNK_BYTES, "chunk")?;
        // The copy is enough.
        drop(value);
        self.change(&shard, |other| other == linear, Some(&new)).await
    }
}

/// The index at the end of a shard: offset and length of each chunk, little-endian.
fn index_format(chunks_per_shard: &[u64]) -> Result<ShardIndexFormat> {
    let bytes = CodecMetadata {
        name: "bytes".to_owned(),
        configuration: Some(r#"{"endian":"little"}"#.to_owned()),
        format: ZarrFormat::V3,
        field: String::new(),
    };
    let index = ChunkRepresentation {
        shape: [chunks_per_shard, &[2]].concat(),
        data_type: DataType::Integer(Integer::Uint64),
        fill_value: FillValue(u64::MAX.to_le_bytes().to_vec()),
    };
    ShardIndexFormat::new(IndexLocation::End, Pipeline::bind(&[bytes], index)?)
}

/// A part of a chunk of `size` bytes, complete.
fn part_of_chunk(fetched: Fetched, asked: ByteRange, size: Option<u64>) -> Result<Fetched> {
    if let ByteRange::At { offset, len } = asked
        && fetched.value.len() != len
    {
        return Err(Error::format("a shard ends inside one of its chunks")
            .at_range(offset, len)
            .expected(format!("{len} bytes"))
            .actual(format!("{} bytes", fetched.value.len())));
    }
    Ok(Fetched { size, ..fetched })
}

impl Store for ShardingTransformer {
    fn describe(&self) -> String {
        format!("shards in {}", self.inner.describe())
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        let Some(place) = self.keys.chunk(key) else { return self.inner.get(key, range, context) };
        Box::pin(at_key(key, async move { self.read(&place, range.check()?, context).await }))
    }

    fn size<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> SizeFuture<'a> {
        let Some(ChunkPlace { shard, linear }) = self.keys.chunk(key) else {
            return self.inner.size(key, context);
        };
        Box::pin(async move {
            let Some(index) = self.index(&shard, context).await? else { return Ok(None) };
            Ok(index.entries.get(linear)?.as_ref().map(len_of))
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
        Some(self)
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
        match self.keys.chunk(key) {
            Some(place) => Box::pin(self.set_chunk(place, value)),
            None => self.inner.set(key, value),
        }
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        let Some(ChunkPlace { shard, linear }) = self.keys.chunk(key) else { return self.inner.erase(key) };
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
        Box::pin(self.list_directly_below(prefix))
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        Box::pin(self.list_below(prefix))
    }
}
