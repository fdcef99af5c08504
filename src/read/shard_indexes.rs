//! The shard indexes of an array: each is fetched once, however many parts wait for it, and kept while there is room.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::access::plan::{ByteRequest, RequestedRange};
use crate::error::{ErrorKind, Result};
use crate::format::codec::sharding::ShardIndex;
use crate::format::codec::sharding::index::ShardIndexFormat;
use crate::format::path::StoreKey;
use crate::limits;
use crate::sorted::Map;
use crate::store::in_flight::{Begun, InFlight};
use crate::store::writers::{self, Moment};
use crate::store::{ByteRange, LikelySize, LocalFuture, RequestContext, Store};

/// Bytes of decoded indexes that an array keeps.
const KEPT_BYTES: usize = 32 << 20;

/// An index, or nothing where the shard is absent.
pub(super) type OptionalIndex = Option<Rc<FoundIndex>>;

/// A decoded index and what is known of its shard.
pub(super) struct FoundIndex {
    /// The index.
    pub index: ShardIndex,
    /// Length of the stored chunk, where the answer told.
    pub shard_len: Option<u64>,
    /// Its version, where visible.
    pub version: Option<String>,
}

/// How an index is decoded.
#[derive(Clone)]
pub(super) struct IndexDecoding {
    /// Where it stands and how it is encoded.
    pub format: Rc<ShardIndexFormat>,
    /// Length of a shard that has all of its inner chunks, where that is known.
    pub full_len: Option<u64>,
    /// Length of a shard in another one, which that one's index tells.
    pub nested_len: Option<u64>,
}

/// So many shards tell how long the next one may be.
const SIBLINGS: usize = 8;

/// A stored chunk, the level of the shard in it, and where its index stands (0 for the outermost).
type IndexKey = (Rc<[u64]>, usize, u64);

/// Where the chunk of a place is stored.
pub(super) struct StoredChunk<'a> {
    pub store: &'a Rc<dyn Store>,
    pub key: &'a StoreKey,
}

impl StoredChunk<'_> {
    fn is_unchanged_since(&self, moment: Moment) -> bool {
        writers::unchanged_since(self.store, self.key, moment)
    }
}

/// See the module.
#[derive(Default)]
pub struct ShardIndexes {
    /// Each with the moment at which it was asked for.
    found: RefCell<Map<IndexKey, (Moment, OptionalIndex)>>,
    /// Each with the moment at which it was begun.
    pending: InFlight<IndexKey, Result<OptionalIndex>, Moment>,
    /// What was asked for before is not kept: everything was to be forgotten then.
    forgotten: Cell<Moment>,
    /// Lengths of the shards that were read last.
    lengths: RefCell<Vec<u64>>,
}

impl ShardIndexes {
    /// The index that a need asks for.
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
                    let begun = Begun { moment: asked, urgency: context.urgency.clone() };
                    let fetch = fetch(stored, request, decoding.clone(), context.clone());
                    (self.pending.begin(index_key.clone(), begun, asked, fetch), asked)
                }
            };
            match pending.await {
                // A user's store was given the signal of whoever asked first; we have not given up.
                Err(error) if error.kind() == ErrorKind::Aborted && is_joined => {}
                answer => {
                    self.keep(stored, index_key, asked, &answer);
                    return answer;
                }
            }
        }
    }

    /// How long a shard may be: as long as all of its chunks are together, where that is known, or about as long as those before it.
    fn likely_size(&self, full_len: Option<u64>) -> Option<LikelySize> {
        if let Some(len) = full_len {
            return Some(LikelySize { low: len, high: len });
        }
        let lengths = self.lengths.borrow();
        let (low, high) = lengths.iter().min().zip(lengths.iter().max())?;
        // Of few it is not known how much they differ.
        let margin = (high - low).max(high / 64) / lengths.len() as u64;
        Some(LikelySize { low: low.saturating_sub(margin), high: high.saturating_add(margin) })
    }

    fn learn_length(&self, len: u64) {
        let mut lengths = self.lengths.borrow_mut();
        if lengths.len() == SIBLINGS {
            lengths.remove(0);
        }
        lengths.push(len);
    }

    /// The index that a need asks for, if it is known.
    pub(super) fn known_of(&self, stored: &StoredChunk<'_>, request: &ByteRequest) -> Option<OptionalIndex> {
        self.known(stored, &index_key(request))
    }

    /// Keeps an index that was asked for at a moment.
    pub(super) fn put(
        &self,
        stored: &StoredChunk<'_>,
        request: &ByteRequest,
        asked: Moment,
        answer: &OptionalIndex,
    ) {
        self.keep(stored, index_key(request), asked, &Ok(answer.clone()));
    }

    /// What is known of a place, unless the shard was written since.
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
        let is_doubtful = answer.is_none() && !stored.store.absence_may_be_kept();
        if asked < self.forgotten.get() || is_doubtful {
            return;
        }
        let mut found = self.found.borrow_mut();
        let bytes = |answer: &OptionalIndex| answer.as_ref().map_or(64, |found| found.index.len() * 16 + 64);
        let kept: usize = found.values().map(|(_, answer)| bytes(answer)).sum();
        if kept + bytes(answer) > KEPT_BYTES {
            found.clear();
        }
        found.insert(index_key, (asked, answer.clone()));
    }

    /// Drops everything, also what is under way: whoever waits for that still gets it.
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
    let range = match request.range {
        RequestedRange::Whole => ByteRange::Whole,
        RequestedRange::At { offset, len } => ByteRange::FromStart { offset, len },
        RequestedRange::Last(len) => ByteRange::Suffix(len),
    };
    Box::pin(async move {
        let fetched = store.get(&key, range, &context).await;
        let Some(fetched) = fetched.map_err(|error| error.at_key(key.as_str()))? else { return Ok(None) };
        let bytes = fetched.value.to_vec(limits::SHARD_INDEX_BYTES, "shard index")?;
        let index = decoding.format.decode(&bytes, decoding.nested_len.or(fetched.size));
        let index = index.map_err(|error| error.in_codec("sharding_indexed").at_key(key.as_str()))?;
        Ok(Some(Rc::new(FoundIndex { index, shard_len: fetched.size, version: fetched.version })))
    })
}

/// Which index a need asks for. Where in the stored chunk the shard begins is told as far as it tells indexes of one chunk apart.
fn index_key(request: &ByteRequest) -> IndexKey {
    let offset = match request.range {
        RequestedRange::At { offset, .. } => offset,
        RequestedRange::Whole | RequestedRange::Last(_) => 0,
    };
    (request.chunk.clone(), request.level, offset)
}
