//! The shard indexes of an array. Each is fetched once, even if several parts wait for it, and
//! cached.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::access::plan::{ByteRequest, PartPlan};
use crate::error::{ErrorKind, Result};
use crate::format::codec::sharding::ShardIndex;
use crate::format::codec::sharding::index::ShardIndexFormat;
use crate::format::path::StoreKey;
use crate::limits;
use crate::sorted::Map;
use crate::store::in_flight::{Begun, InFlight};
use crate::store::writers::{self, Moment};
use crate::store::{ByteRange, LikelySize, LocalFuture, RequestContext, Store};

/// Bytes of decoded indexes that an array caches.
const CACHED_BYTES: usize = 32 << 20;

/// A shard index; `None` if the shard is absent.
pub(super) type OptionalIndex = Option<Rc<FoundIndex>>;

/// A decoded shard index, and what is known of its shard.
pub(super) struct FoundIndex {
    /// The index.
    pub index: ShardIndex,
    /// Length of the stored chunk in bytes, if the store reported it.
    pub shard_len: Option<u64>,
    /// Version of the stored chunk, if the store reported it.
    pub version: Option<String>,
    /// When the stored chunk was changed, as an HTTP date, if the store reported it.
    #[cfg(feature = "reading")]
    pub modified: Option<String>,
}

/// How to decode a shard index.
#[derive(Clone)]
pub(super) struct IndexDecoding {
    /// Its location in the shard and its codecs.
    pub format: Rc<ShardIndexFormat>,
    /// Length in bytes of a shard with all of its inner chunks, if that is known.
    pub full_len: Option<u64>,
    /// Length in bytes of a nested shard, which the index of the outer shard tells.
    pub nested_len: Option<u64>,
}

impl IndexDecoding {
    /// For the index that request `id` of a plan is for.
    ///
    /// # Errors
    /// `Argument` when the request is not for a shard index.
    pub fn of(plan: &PartPlan, id: usize) -> Result<Self> {
        let sharding = plan.sharding(id)?;
        let (format, full_len) = (sharding.index().clone(), sharding.full_len());
        Ok(Self { format, full_len, nested_len: plan.nested_len(id) })
    }
}

/// Number of recently read shards whose lengths predict the length of the next one.
const REMEMBERED_LENGTHS: usize = 8;

/// The stored chunk, the nesting level of the shard, and the offset of its index in the stored
/// chunk (0 for the outermost shard).
type IndexKey = (Rc<[u64]>, usize, u64);

/// The store and the key of a stored chunk.
pub(super) struct StoredChunk<'a> {
    pub store: &'a Rc<dyn Store>,
    pub key: &'a StoreKey,
}

impl StoredChunk<'_> {
    fn is_unchanged_since(&self, moment: Moment) -> bool {
        writers::unchanged_since(self.store, self.key, moment)
    }
}

/// The cached indexes, and the requests in flight for others. See the module.
#[derive(Default)]
pub struct ShardIndexes {
    /// Each index with the moment of its request.
    found: RefCell<Map<IndexKey, (Moment, OptionalIndex)>>,
    /// Each request with the moment at which it started.
    pending: InFlight<IndexKey, Result<OptionalIndex>, Moment>,
    /// Indexes that were requested before this moment are not cached, because all were to be
    /// forgotten.
    forgotten: Cell<Moment>,
    /// Lengths of the shards that were read last.
    lengths: RefCell<Vec<u64>>,
}

impl ShardIndexes {
    /// The index that `request` asks for, from the cache or the store.
    ///
    /// # Errors
    /// Errors of the store and of the index codecs; `Format` for an invalid index.
    pub(super) async fn get(
        &self,
        stored: &StoredChunk<'_>,
        request: &ByteRequest,
        decoding: IndexDecoding,
        context: &RequestContext,
    ) -> Result<OptionalIndex> {
        let index_key = index_key(request);
        if let Some(answer) = self.known(stored, &index_key) {
            return Ok(answer);
        }
        let context = RequestContext { likely_size: self.likely_size(decoding.full_len), ..context.clone() };
        loop {
            let joined = self.pending.join(&index_key, |begun, _| stored.is_unchanged_since(begun.moment));
            let is_joined = joined.is_some();
            let (pending, asked) = match joined {
                Some((pending, asked)) => (pending, asked),
                None => {
                    let asked = writers::now();
                    let begun = Begun { moment: asked, priority: context.priority.clone() };
                    let fetch = fetch(stored, request, decoding.clone(), context.clone());
                    (self.pending.begin(index_key.clone(), begun, asked, fetch), asked)
                }
            };
            match pending.await {
                // A user's store received the abort signal of the caller that started the request.
                // This caller has not aborted, so it asks again, with its own signal.
                Err(error) if error.kind() == ErrorKind::Aborted && is_joined => {}
                answer => {
                    self.keep(stored, index_key, asked, &answer);
                    return answer;
                }
            }
        }
    }

    /// The likely length of a shard: the sum of its chunks if that is known, else the length of the
    /// shards before it.
    fn likely_size(&self, full_len: Option<u64>) -> Option<LikelySize> {
        if let Some(len) = full_len {
            return Some(LikelySize { low: len, high: len });
        }
        let lengths = self.lengths.borrow();
        let (low, high) = lengths.iter().min().zip(lengths.iter().max())?;
        // The fewer shards were seen, the wider the margin.
        let margin = (high - low).max(high / 64) / lengths.len() as u64;
        Some(LikelySize { low: low.saturating_sub(margin), high: high.saturating_add(margin) })
    }

    fn learn_length(&self, len: u64) {
        let mut lengths = self.lengths.borrow_mut();
        if lengths.len() == REMEMBERED_LENGTHS {
            lengths.remove(0);
        }
        lengths.push(len);
    }

    /// The cached index that `request` asks for.
    pub(super) fn known_of(&self, stored: &StoredChunk<'_>, request: &ByteRequest) -> Option<OptionalIndex> {
        self.known(stored, &index_key(request))
    }

    /// Caches an index that was requested at moment `asked`.
    pub(super) fn put(
        &self,
        stored: &StoredChunk<'_>,
        request: &ByteRequest,
        asked: Moment,
        answer: &OptionalIndex,
    ) {
        self.keep(stored, index_key(request), asked, &Ok(answer.clone()));
    }

    /// The cached index, unless the shard was written since.
    fn known(&self, stored: &StoredChunk<'_>, index_key: &IndexKey) -> Option<OptionalIndex> {
        let (asked, answer) = self.found.borrow().get(index_key).cloned()?;
        if stored.is_unchanged_since(asked) {
            return Some(answer);
        }
        self.forget(&index_key.0);
        None
    }

    fn keep(
        &self,
        stored: &StoredChunk<'_>,
        index_key: IndexKey,
        asked: Moment,
        answer: &Result<OptionalIndex>,
    ) {
        let Ok(answer) = answer else { return };
        if let Some(len) = answer.as_ref().and_then(|found| found.shard_len) {
            self.learn_length(len);
        }
        let may_be_stale = answer.is_none() && !stored.store.absence_is_cacheable();
        if asked < self.forgotten.get() || may_be_stale {
            return;
        }
        let mut found = self.found.borrow_mut();
        let bytes = |answer: &OptionalIndex| answer.as_ref().map_or(64, |found| found.index.len() * 16 + 64);
        let kept: usize = found.values().map(|(_, answer)| bytes(answer)).sum();
        if kept + bytes(answer) > CACHED_BYTES {
            found.clear();
        }
        found.insert(index_key, (asked, answer.clone()));
    }

    /// Drops all indexes and all requests in flight. Readers that wait for a request still receive
    /// it.
    pub(super) fn forget_all(&self) {
        self.forgotten.set(writers::later());
        self.found.borrow_mut().clear();
        self.pending.forget_all();
    }

    /// Drops what is known of a stored chunk that has changed.
    pub(super) fn forget(&self, chunk: &Rc<[u64]>) {
        self.found.borrow_mut().retain(|index_key, _| index_key.0 != *chunk);
    }
}

fn fetch(
    stored: &StoredChunk<'_>,
    request: &ByteRequest,
    decoding: IndexDecoding,
    context: RequestContext,
) -> LocalFuture<'static, Result<OptionalIndex>> {
    let (store, key) = (stored.store.clone(), stored.key.clone());
    let range = request.range;
    Box::pin(async move {
        let fetched = store.get(&key, range, &context).await;
        let Some(fetched) = fetched.map_err(|error| error.at_key(key.as_str()))? else { return Ok(None) };
        let bytes = fetched.value.to_vec(limits::SHARD_INDEX_BYTES, "shard index")?;
        let index = decoding.format.decode(&bytes, decoding.nested_len.or(fetched.size));
        let index = index.map_err(|error| error.in_codec("sharding_indexed").at_key(key.as_str()))?;
        Ok(Some(Rc::new(FoundIndex {
            index,
            shard_len: fetched.size,
            version: fetched.version,
            #[cfg(feature = "reading")]
            modified: fetched.modified,
        })))
    })
}

/// The key of the index that `request` asks for.
fn index_key(request: &ByteRequest) -> IndexKey {
    let offset = match request.range {
        ByteRange::At { offset, .. } => offset,
        ByteRange::Whole | ByteRange::Last(_) => 0,
    };
    (request.chunk.clone(), request.level, offset)
}
