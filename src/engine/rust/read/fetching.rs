//! Step 4 of a read: fetches the byte requests of a part.
//!
//! The store merges neighbouring ranges of one key into few requests, over all parts and reads of a
//! turn. This step cuts each answer into chunks again. It does not fetch cached chunks. If a shard
//! changes between the request for its index and those for its chunks, the part starts again.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use futures_util::future::FutureExt;

use crate::access::plan::{ByteRequest, PartPlan, RowsOf};
use crate::error::{Error, Result, Stage};
use crate::limits;
use crate::read::array::Array;
use crate::read::chunk_cache::CacheKind;
use crate::read::shard_indexes::{self, IndexDecoding, StoredChunk};
use crate::read::types::Interrupted;
use crate::read::whole_shards::WholeShards;
use crate::sorted::{self, Map};
use crate::store::merged_ranges::{GAP_BYTES, MERGED_BYTES, MergedRange, merge};
use crate::store::writers::{self, Moment};
use crate::store::{Bulk, ByteRange, FetchResult, Gathered, LocalFuture, RequestContext, Value};

/// The answer to a request.
pub(super) enum Arrival {
    Index {
        request: ByteRequest,
        index: shard_indexes::OptionalIndex,
    },
    Chunks(Vec<(ByteRequest, Option<Value>)>),
    /// The requests that ranges were merged into. The chunks arrive with them.
    Merged(Vec<PendingArrival>),
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
    /// How ranges of shards are asked for, if in bulk.
    pub bulk: Option<Rc<Bulk>>,
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

/// Chunks of one key, with their ranges of the stored chunk, in the order of their bytes.
type Ranges = Vec<(ByteRequest, Range<u64>)>;

fn some_of(requests: &Ranges, members: &[usize]) -> Ranges {
    let mut some = Vec::with_capacity(members.len());
    for member in members {
        some.extend(requests.get(*member).cloned());
    }
    some
}

/// The error for a chunk whose length is not that of its elements.
pub(super) fn wrong_length(expected: u64, actual: u64) -> Error {
    let error = Error::format("chunk has the wrong length").in_stage(Stage::Decode);
    error.expected(format!("{expected} bytes")).actual(format!("{actual} bytes"))
}

impl ChunkFetcher {
    /// Starts requests: one for each shard index, and one for the ranges of each key.
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
                let decoding = IndexDecoding::of(plan, request.id)?;
                arrivals.push(Box::pin(self.clone().index(request, decoding)));
                continue;
            }
            if matches!(request.range, ByteRange::At { len: 0, .. }) {
                at_hand.push((request, Some(Value::from(Vec::new()))));
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

    /// The requests for ranges of a stored chunk. A shard that is fetched whole contains all.
    async fn gathered(&self, chunk: &Rc<[u64]>, ranges: &[Range<u64>]) -> Result<Vec<Gathered>> {
        if let Some(answer) = self.shards.as_ref().and_then(|shards| shards.shard(chunk)) {
            return Ok(vec![Gathered { members: (0..ranges.len()).collect(), start: 0, answer }]);
        }
        let (store, key) = (self.array.chunks(), self.array.chunk_key(chunk));
        let context = RequestContext { bulk: self.bulk.clone(), ..self.context_of(chunk)? };
        if let Some(gathered) = store.gather(&key, ranges, &context) {
            return gathered.await;
        }
        let mut gathered = Vec::new();
        for MergedRange { span, members } in merge(ranges, GAP_BYTES, MERGED_BYTES) {
            let (store, key, context) = (store.clone(), key.clone(), context.clone());
            let bytes = ByteRange::from(span.clone());
            let answer: LocalFuture<'static, FetchResult> =
                Box::pin(async move { store.get(&key, bytes, &context).await });
            gathered.push(Gathered { members, start: span.start, answer: answer.shared() });
        }
        Ok(gathered)
    }

    /// Requests for one key: whole chunks, or ranges that are merged.
    fn chunk_requests(&self, requests: Vec<ByteRequest>, begun: Moment) -> Vec<PendingArrival> {
        let (mut ranges, mut arrivals) = (Ranges::new(), Vec::new());
        for request in requests {
            match request.range {
                ByteRange::At { offset, len } => ranges.push((request, offset..offset + len)),
                ByteRange::Whole | ByteRange::Last(_) => {
                    arrivals.push(self.clone().whole(request, begun).boxed_local());
                }
            }
        }
        if let Some(chunk) = ranges.first().map(|(request, _)| request.chunk.clone()) {
            arrivals.push(self.clone().ranges(chunk, ranges, begun).boxed_local());
        }
        arrivals
    }

    /// Merges ranges of one key into requests to the store.
    async fn ranges(
        self,
        chunk: Rc<[u64]>,
        mut requests: Ranges,
        begun: Moment,
    ) -> std::result::Result<Arrival, Interrupted> {
        sorted::sort_by_key(&mut requests, |(_, range)| range.start);
        let mut ranges = Vec::with_capacity(requests.len());
        for (_, range) in &requests {
            ranges.push(range.clone());
        }
        let gathered = self.gathered(&chunk, &ranges).await?;
        let requests = Rc::new(requests);
        let mut merged: Vec<PendingArrival> = Vec::with_capacity(gathered.len());
        for gathered in gathered {
            merged.push(Box::pin(self.clone().merged(requests.clone(), gathered, begun)));
        }
        Ok(Arrival::Merged(merged))
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

    /// Waits for a request and cuts its answer into chunks.
    async fn merged(
        self,
        requests: Rc<Ranges>,
        gathered: Gathered,
        begun: Moment,
    ) -> std::result::Result<Arrival, Interrupted> {
        let Gathered { members, start, answer } = gathered;
        let members = some_of(&requests, &members);
        let (Some((first, bytes)), Some((_, last))) = (members.first(), members.last()) else {
            return Ok(Arrival::Chunks(Vec::new()));
        };
        let (chunk, key, rows) = (first.chunk.clone(), self.array.chunk_key(&first.chunk), first.rows);
        let (first_byte, len) = (bytes.start, last.end.saturating_sub(bytes.start));
        let locate = |error: Error| error.at_key(key.as_str()).at_range(first_byte, len);
        let fetched = match (answer.await.map_err(locate)?, rows) {
            (Some(fetched), _) => fetched,
            (None, Some(RowsOf::Stored(_))) => {
                let mut absent = Vec::with_capacity(members.len());
                for (request, _) in members {
                    absent.push((request, None));
                }
                return Ok(self.arrived(absent, begun));
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
        let mut chunks = Vec::with_capacity(members.len());
        for (request, bytes) in members {
            let within = bytes.start - start..bytes.end - start;
            chunks.push((request, Some(fetched.value.slice(within).map_err(locate)?)));
        }
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
