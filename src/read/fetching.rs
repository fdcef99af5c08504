//! Step 4 of a read: fetches the byte requests of a part.
//!
//! Neighbouring ranges of one key become one request to the store; the answer is cut up again.
//! Cached chunks are not fetched. If the version of a shard changes between its index and its
//! chunks, the part is interrupted and starts again.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use crate::access::plan::{ByteRequest, PartPlan, RequestedRange, RowsOf};
use crate::error::{Error, Result, Stage};
use crate::format::path::StoreKey;
use crate::limits;
use crate::read::array::Array;
use crate::read::chunk_cache::CacheKind;
use crate::read::shard_indexes::{self, IndexDecoding, StoredChunk};
use crate::read::types::Interrupted;
use crate::read::whole_shards::WholeShards;
use crate::sorted::Map;
use crate::store::gather::{self, GAP_BYTES, MERGED_BYTES};
use crate::store::writers::{self, Moment};
use crate::store::{ByteRange, Fetched, LocalFuture, RequestContext, Value};

/// The answer to a request.
pub(super) enum Arrival {
    Index { request: ByteRequest, index: shard_indexes::OptionalIndex },
    Chunks(Vec<(ByteRequest, Option<Value>)>),
}

/// A request in flight.
pub(super) type PendingArrival = LocalFuture<'static, std::result::Result<Arrival, Interrupted>>;

/// Fetches chunks and shard indexes for one read.
#[derive(Clone)]
pub(super) struct ChunkFetcher {
    pub array: Rc<Array>,
    pub context: RequestContext,
    /// Whether encoded bytes are put into the cache.
    pub fills_cache: bool,
    /// Whether cached bytes may be used.
    pub uses_cache: bool,
    /// The shards that this read fetches whole.
    pub shards: Option<Rc<WholeShards>>,
    /// What this read has seen of the stored chunks of which it fetched a shard index or some rows.
    pub versions: Rc<RefCell<Map<Rc<[u64]>, Seen>>>,
}

/// What a store reported of a stored chunk: two answers that disagree are of different versions.
#[derive(Clone, Default)]
pub(super) struct Seen {
    version: Option<String>,
    /// Length in bytes. Not every store reports versions.
    size: Option<u64>,
}

impl Seen {
    /// Adds what another answer reported. Returns whether the answers agree.
    fn agrees(&mut self, version: Option<&str>, size: Option<u64>) -> bool {
        let is_same = self.version.as_deref().zip(version).is_none_or(|(seen, now)| seen == now)
            && self.size.zip(size).is_none_or(|(seen, now)| seen == now);
        self.version = self.version.take().or_else(|| version.map(str::to_owned));
        self.size = self.size.or(size);
        is_same
    }
}

/// A byte range, and the requests for parts of it. All are of one key.
struct MergedRange {
    range: Range<u64>,
    members: Vec<(ByteRequest, Range<u64>)>,
}

/// The error for a chunk whose length is not that of its elements.
pub(super) fn wrong_length(expected: u64, actual: u64) -> Error {
    let error = Error::format("chunk has the wrong length").in_stage(Stage::Decode);
    error.expected(format!("{expected} bytes")).actual(format!("{actual} bytes"))
}

impl ChunkFetcher {
    /// Starts requests: one for each shard index, and one for each run of neighbouring ranges of a
    /// key.
    pub fn arrivals(
        &self,
        plan: &PartPlan,
        requests: Vec<ByteRequest>,
        begun: Moment,
    ) -> Result<Vec<PendingArrival>> {
        let mut arrivals: Vec<PendingArrival> = Vec::new();
        let mut at_hand = Vec::new();
        let mut chunks: Vec<ByteRequest> = Vec::new();
        for request in requests {
            if request.is_index {
                let sharding = plan.sharding(request.id)?;
                let (format, full_len) = (sharding.index().clone(), sharding.full_len());
                let decoding = IndexDecoding { format, full_len, nested_len: plan.nested_len(request.id) };
                arrivals.push(Box::pin(self.clone().index(request, decoding)));
                continue;
            }
            if let Some(value) = self.cached(CacheKind::Encoded, &request) {
                at_hand.push((request, value));
                continue;
            }
            if chunks.first().is_some_and(|first| first.chunk != request.chunk) {
                arrivals.extend(self.chunk_requests(std::mem::take(&mut chunks), begun));
            }
            chunks.push(request);
        }
        arrivals.extend(self.chunk_requests(chunks, begun));
        if !at_hand.is_empty() {
            arrivals.push(Box::pin(std::future::ready(Ok(Arrival::Chunks(at_hand)))));
        }
        Ok(arrivals)
    }

    /// The cached bytes or elements of a chunk; `Some(None)` if the chunk is known to be absent.
    pub fn cached(&self, kind: CacheKind, request: &ByteRequest) -> Option<Option<Value>> {
        if !self.uses_cache {
            return None;
        }
        self.array.cache().get(kind, request, |asked| self.is_current(request, asked))
    }

    /// The context of requests for a stored chunk, which bounds what is read.
    fn context_of(&self, chunk: &[u64]) -> Result<RequestContext> {
        let most_bytes = self.array.binding().most_stored_len(chunk)?;
        Ok(RequestContext { most_bytes: Some(most_bytes), ..self.context.clone() })
    }

    /// Whether this process has not written to the chunk's key since `since`.
    pub fn is_current(&self, request: &ByteRequest, since: Moment) -> bool {
        writers::unchanged_since_of(self.array.chunks(), || self.array.chunk_key(&request.chunk), since)
    }

    async fn index(
        self,
        request: ByteRequest,
        decoding: IndexDecoding,
    ) -> std::result::Result<Arrival, Interrupted> {
        let key = self.array.chunk_key(&request.chunk);
        let stored = StoredChunk { store: self.array.chunks(), key: &key };
        let context = self.context_of(&request.chunk)?;
        let index = match self.whole_shards(&stored, &request) {
            Some(shards) => {
                let asked = writers::now();
                let found = shards.index(&self.array, &request.chunk, &decoding.format, &context).await?;
                let found = found.map(Rc::new);
                self.array.indexes().put(&stored, &request, asked, &found);
                found
            }
            None => self.array.indexes().get(&stored, &request, decoding, &context).await?,
        };
        let (version, size) = index.as_ref().map_or((None, None), |it| (it.version.as_deref(), it.shard_len));
        if !self.is_one_version(&request.chunk, version, size) {
            return Err(Interrupted::Changed(request.chunk));
        }
        Ok(Arrival::Index { request, index })
    }

    /// Drops everything that is known of a stored chunk that has changed.
    pub fn forget(&self, chunk: &Rc<[u64]>) {
        self.array.indexes().forget(chunk);
        self.array.cache().forget(chunk);
        self.versions.borrow_mut().remove(chunk);
        if let Some(shards) = &self.shards {
            shards.forget(chunk);
        }
    }

    /// The whole shards of this read, if the index of this request comes with its shard.
    fn whole_shards(&self, stored: &StoredChunk<'_>, request: &ByteRequest) -> Option<Rc<WholeShards>> {
        let is_outer = request.level == 0 && self.array.indexes().known_of(stored, request).is_none();
        self.shards.clone().filter(|_| is_outer)
    }

    /// Some bytes of a stored chunk, cut from the shard if that is fetched whole.
    async fn bytes(&self, chunk: &Rc<[u64]>, key: &StoreKey, range: &Range<u64>) -> Result<Option<Fetched>> {
        let store = self.array.chunks();
        let shard = self.shards.as_ref().and_then(|shards| shards.shard(chunk));
        if let Some(shard) = shard {
            let Some(shard) = shard.await? else { return Ok(None) };
            return Ok(Some(Fetched { value: shard.value.slice(range.clone())?, ..shard }));
        }
        let bytes = ByteRange::FromStart { offset: range.start, len: range.end - range.start };
        store.get(key, bytes, &self.context_of(chunk)?).await
    }

    /// Merges the requests for one key into few requests to the store.
    fn chunk_requests(&self, requests: Vec<ByteRequest>, begun: Moment) -> Vec<PendingArrival> {
        let ranges: Option<Vec<Range<u64>>> = requests
            .iter()
            .map(|request| match request.range {
                RequestedRange::At { offset, len } => Some(offset..offset + len),
                RequestedRange::Whole | RequestedRange::Last(_) => None,
            })
            .collect();
        let Some(ranges) = ranges else {
            return requests
                .into_iter()
                .map(|request| -> PendingArrival { Box::pin(self.clone().whole(request, begun)) })
                .collect();
        };
        let (gap, cap) = if self.array.chunks().merges_ranges() { (GAP_BYTES, MERGED_BYTES) } else { (0, 0) };
        gather::merge(&ranges, gap, cap)
            .into_iter()
            .map(|group| -> PendingArrival {
                let members = group.members.iter();
                let members =
                    members.filter_map(|at| Some((requests.get(*at)?.clone(), ranges.get(*at)?.clone())));
                let merged = MergedRange { range: group.span.clone(), members: members.collect() };
                Box::pin(self.clone().merged(merged, begun))
            })
            .collect()
    }

    async fn whole(self, request: ByteRequest, begun: Moment) -> std::result::Result<Arrival, Interrupted> {
        let key = self.array.chunk_key(&request.chunk);
        let context = self.context_of(&request.chunk)?;
        let fetched = self.array.chunks().get(&key, ByteRange::Whole, &context).await;
        let fetched = fetched.and_then(|fetched| {
            // Stores of users return whole values.
            let len = fetched.as_ref().map_or(0, |fetched| fetched.value.len());
            limits::within(len, context.body_limit(), "chunk")?;
            Ok(fetched)
        });
        let fetched = fetched.map_err(|error| error.at_key(key.as_str()))?;
        let value = fetched.map(|fetched| fetched.value);
        Ok(self.arrived(vec![(request, value)], begun))
    }

    /// Fetches one range of a shard and cuts it into inner chunks.
    async fn merged(self, merged: MergedRange, begun: Moment) -> std::result::Result<Arrival, Interrupted> {
        let MergedRange { range, members } = merged;
        let Some((first, _)) = members.first() else {
            return Ok(Arrival::Chunks(Vec::new()));
        };
        let (chunk, key) = (first.chunk.clone(), self.array.chunk_key(&first.chunk));
        let rows = first.rows;
        let len = range.end - range.start;
        if len == 0 {
            let empty = members.into_iter().map(|(request, _)| (request, Some(Value::from(Vec::new()))));
            return Ok(Arrival::Chunks(empty.collect()));
        }
        let fetched = self.bytes(&chunk, &key, &range).await;
        let locate = |error: Error| error.at_key(key.as_str()).at_range(range.start, len);
        let fetched = match (fetched.map_err(locate)?, rows) {
            (Some(fetched), _) => fetched,
            (None, Some(RowsOf::Stored(_))) => {
                let absent = members.into_iter().map(|(request, _)| (request, None));
                return Ok(self.arrived(absent.collect(), begun));
            }
            // The index was there when the part began, so the shard was erased since.
            (None, _) => return Err(Interrupted::Changed(chunk)),
        };
        if let (Some(RowsOf::Stored(expected)), Some(actual)) = (rows, fetched.size)
            && expected != actual
        {
            return Err(wrong_length(expected, actual).at_key(key.as_str()).into());
        }
        let unchanged = writers::unchanged_since(self.array.chunks(), &key, begun);
        if !unchanged || !self.is_one_version(&chunk, fetched.version.as_deref(), fetched.size) {
            return Err(Interrupted::Changed(chunk));
        }
        let cut = |(request, bytes): (ByteRequest, Range<u64>)| {
            let within = bytes.start - range.start..bytes.end - range.start;
            Ok((request, Some(fetched.value.slice(within).map_err(locate)?)))
        };
        let chunks = members.into_iter().map(cut).collect::<Result<_>>()?;
        Ok(self.arrived(chunks, begun))
    }

    /// Whether these bytes are of the same version as the bytes before. True if the store reports
    /// neither versions nor sizes.
    fn is_one_version(&self, chunk: &Rc<[u64]>, version: Option<&str>, size: Option<u64>) -> bool {
        self.versions.borrow_mut().get_or_insert_with(chunk.clone(), Seen::default).agrees(version, size)
    }

    fn arrived(&self, chunks: Vec<(ByteRequest, Option<Value>)>, begun: Moment) -> Arrival {
        if self.fills_cache && self.array.chunks().is_cacheable() {
            self.array.cache().put(CacheKind::Encoded, chunks.clone(), begun);
        }
        Arrival::Chunks(chunks)
    }
}
