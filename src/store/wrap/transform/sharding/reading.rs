//! `get_partial_values`, and everything that uses it. Needs two calls to the wrapped store: one for
//! the shard indexes, one for the chunks. A shard that changes between the two is read again.

use std::collections::HashMap;
use std::ops::Range;

use super::index::{Index, encoded_len};
use super::keys::ChunkPlace;
use super::{ShardingTransformer, kept_changing};
use crate::error::{Error, Result};
use crate::format::path::StoreKey;
use crate::store::byte_range::len_of;
use crate::store::{ByteRange, Fetched, KeyRange, RequestContext, Value};

/// How often a read starts again because a shard changed.
const RESTARTS: usize = 2;

/// A part of a chunk to fetch.
struct WantedRange {
    /// Position in the list of requests.
    place: usize,
    /// The shard, as an index into the list of shards.
    shard: usize,
    /// The byte range in the shard.
    bytes: Range<u64>,
    /// Length of the whole chunk in bytes.
    chunk_len: u64,
}

/// The result of an attempt to read.
enum Attempt {
    Done(Vec<Option<Fetched>>),
    Changed(StoreKey),
}

/// The state of a read after its first call.
struct Lookup {
    answers: Vec<Option<Fetched>>,
    shards: Vec<StoreKey>,
    indexes: Vec<Index>,
    wanted: Vec<WantedRange>,
}

impl ShardingTransformer {
    /// Ranges of chunks and of other keys, in input order.
    pub(super) async fn read(
        &self,
        asked: &[KeyRange],
        context: &RequestContext,
    ) -> Result<Vec<Option<Fetched>>> {
        let mut changed = None;
        for attempt in 0..=RESTARTS {
            let reload = context.reload || attempt > 0;
            match self.attempt(asked, &RequestContext { reload, ..context.clone() }).await? {
                Attempt::Done(answers) => return Ok(answers),
                Attempt::Changed(shard) => changed = Some(shard),
            }
        }
        Err(changed.map_or_else(
            || Error::store("a shard changed during every attempt to read it"),
            |shard| kept_changing(&shard),
        ))
    }

    #[allow(clippy::indexing_slicing, reason = "`find` gives places in its own lists")]
    async fn attempt(&self, asked: &[KeyRange], context: &RequestContext) -> Result<Attempt> {
        let mut found = self.find(asked, context).await?;
        if found.wanted.is_empty() {
            return Ok(Attempt::Done(found.answers));
        }
        let ranges: Vec<KeyRange> = found
            .wanted
            .iter()
            .map(|wanted| KeyRange {
                key: found.shards[wanted.shard].clone(),
                range: ByteRange::FromStart { offset: wanted.bytes.start, len: len_of(&wanted.bytes) },
            })
            .collect();
        let fetched = self.fetch(&ranges, context).await?;
        for (wanted, fetched) in found.wanted.iter().zip(fetched) {
            let (shard, index) = (&found.shards[wanted.shard], &found.indexes[wanted.shard]);
            let Some(fetched) = fetched.filter(|fetched| agree(index, fetched)) else {
                return Ok(Attempt::Changed(shard.clone()));
            };
            found.answers[wanted.place] = Some(part_of_chunk(shard, wanted, fetched)?);
        }
        Ok(Attempt::Done(found.answers))
    }

    /// The first call: fetches the indexes, and the keys that are not chunks.
    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        reason = "`places` has all shards, and the part is inside of its chunk"
    )]
    async fn find(&self, asked: &[KeyRange], context: &RequestContext) -> Result<Lookup> {
        let chunks: Vec<Option<ChunkPlace>> = asked.iter().map(|asked| self.keys.chunk(&asked.key)).collect();
        let mut shards: Vec<StoreKey> = Vec::new();
        let mut places: HashMap<StoreKey, usize> = HashMap::new();
        for chunk in chunks.iter().flatten() {
            places.entry(chunk.shard.clone()).or_insert_with(|| {
                shards.push(chunk.shard.clone());
                shards.len().saturating_sub(1)
            });
        }
        let mut first: Vec<KeyRange> = shards.iter().map(|shard| self.index_range(shard)).collect();
        let passing = asked.iter().zip(&chunks).filter(|(_, chunk)| chunk.is_none());
        first.extend(passing.map(|(asked, _)| asked.clone()));
        let mut fetched = self.fetch(&first, context).await?.into_iter();
        let tails = shards.iter().zip(fetched.by_ref());
        let indexes = tails.map(|(shard, tail)| Index::of_shard(shard, tail, self.keys.count()));
        let indexes = indexes.collect::<Result<Vec<_>>>()?;
        let (mut answers, mut wanted) = (vec![None; asked.len()], Vec::new());
        for (place, (asked, chunk)) in asked.iter().zip(&chunks).enumerate() {
            let Some(chunk) = chunk else {
                answers[place] = fetched.next().flatten();
                continue;
            };
            let shard = places.get(&chunk.shard).copied().unwrap_or_default();
            let range = asked.range.check().map_err(|error| error.at_key(asked.key.as_str()))?;
            let Some(bytes) = indexes[shard].get(&chunk.shard, chunk.linear)? else { continue };
            let chunk_len = len_of(&bytes);
            let part = range
                .of(chunk_len)
                .ok_or_else(|| range.past_end(Some(chunk_len)).at_key(asked.key.as_str()))?;
            if part.is_empty() {
                let value = Value::from(Vec::new());
                let version = indexes[shard].version.clone();
                answers[place] = Some(Fetched { value, size: Some(chunk_len), version });
                continue;
            }
            let bytes = bytes.start + part.start..bytes.start + part.end;
            wanted.push(WantedRange { place, shard, bytes, chunk_len });
        }
        Ok(Lookup { answers, shards, indexes, wanted })
    }

    /// Calls the wrapped store, and checks that it returns one answer for each request.
    pub(super) async fn fetch(
        &self,
        asked: &[KeyRange],
        context: &RequestContext,
    ) -> Result<Vec<Option<Fetched>>> {
        let answers = self.inner.get_partial_values(asked, context).await?;
        if answers.len() == asked.len() {
            return Ok(answers);
        }
        Err(Error::store("the store returned the wrong number of partial values")
            .expected(format!("{} answers", asked.len()))
            .actual(answers.len().to_string()))
    }

    fn index_range(&self, shard: &StoreKey) -> KeyRange {
        KeyRange { key: shard.clone(), range: ByteRange::Suffix(encoded_len(self.keys.count())) }
    }

    /// The indexes of shards, fetched in one call.
    pub(super) async fn indexes(&self, shards: &[StoreKey], context: &RequestContext) -> Result<Vec<Index>> {
        if shards.is_empty() {
            return Ok(Vec::new());
        }
        let ranges: Vec<KeyRange> = shards.iter().map(|shard| self.index_range(shard)).collect();
        let tails = self.fetch(&ranges, context).await?;
        let tails = shards.iter().zip(tails);
        tails.map(|(shard, tail)| Index::of_shard(shard, tail, self.keys.count())).collect()
    }

    /// Size of a chunk in bytes, from the index of its shard.
    pub(super) async fn chunk_size(
        &self,
        chunk: ChunkPlace,
        context: &RequestContext,
    ) -> Result<Option<u64>> {
        let indexes = self.indexes(std::slice::from_ref(&chunk.shard), context).await?;
        let Some(index) = indexes.first() else { return Ok(None) };
        Ok(index.get(&chunk.shard, chunk.linear)?.map(|bytes| len_of(&bytes)))
    }
}

/// Whether a fetched value belongs to the same version of the shard as the index. True if no
/// version is known.
fn agree(index: &Index, fetched: &Fetched) -> bool {
    let is_same_len = index.shard_len.zip(fetched.size).is_none_or(|(known, found)| known == found);
    let is_same_version =
        index.version.as_ref().zip(fetched.version.as_ref()).is_none_or(|(known, found)| known == found);
    is_same_len && is_same_version
}

fn part_of_chunk(shard: &StoreKey, wanted: &WantedRange, fetched: Fetched) -> Result<Fetched> {
    let expected = len_of(&wanted.bytes);
    if fetched.value.len() != expected {
        return Err(Error::format("a shard ends inside one of its chunks")
            .at_key(shard.as_str())
            .at_range(wanted.bytes.start, expected)
            .expected(format!("{expected} bytes"))
            .actual(format!("{} bytes", fetched.value.len())));
    }
    Ok(Fetched { size: Some(wanted.chunk_len), ..fetched })
}
