//! The shard indexes of an array: each is fetched once, however many parts wait for it, and kept while there is room.
//!
//! Waiters share one request; it is aborted when the last of them leaves, never by the first.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::future::{FutureExt, LocalBoxFuture, Shared, WeakShared};

use crate::access::plan::{Need, NeededRange};
use crate::error::{ErrorKind, Result};
use crate::format::codec::sharding::ShardIndex;
use crate::format::codec::sharding::index::ShardIndexFormat;
use crate::hierarchy::array::Array;
use crate::limits;
use crate::sorted::Map;
use crate::store::writers::{self, Moment};
use crate::store::{ByteRange, LikelySize, RequestContext};

/// Bytes of decoded indexes that an array keeps.
const KEPT_BYTES: usize = 32 << 20;

/// An index, or nothing where the shard is absent.
pub(super) type Answer = Option<Rc<FoundIndex>>;

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
pub(super) struct IndexRequest {
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
type Place = (Rc<[u64]>, usize, u64);
type Pending = Shared<LocalBoxFuture<'static, Result<Answer>>>;
type WeakPending = WeakShared<LocalBoxFuture<'static, Result<Answer>>>;

/// A request under way.
struct Joined {
    pending: Pending,
    /// Whether it was begun just now.
    ours: bool,
    /// When it was begun.
    asked: Moment,
}

/// See the module.
#[derive(Default)]
pub struct ShardIndexes {
    /// Each with the moment at which it was asked for.
    found: RefCell<Map<Place, (Moment, Answer)>>,
    /// Each with the moment at which it was begun.
    pending: RefCell<Map<Place, (Moment, WeakPending)>>,
    /// What was asked for before is not kept: everything was to be forgotten then.
    forgotten: Cell<Moment>,
    /// Lengths of the shards that were read last.
    lengths: RefCell<Vec<u64>>,
}

impl ShardIndexes {
    /// The index that a need asks for.
    pub(super) async fn get(
        &self,
        array: &Rc<Array>,
        need: &Need,
        request: IndexRequest,
        context: &RequestContext,
    ) -> Result<Answer> {
        let place = (need.chunk.clone(), need.level, offset(need.range));
        if let Some(answer) = self.known(array, &place) {
            return Ok(answer);
        }
        let context = RequestContext { likely_size: self.likely_size(request.full_len), ..context.clone() };
        loop {
            let Joined { pending, ours, asked } = self.join(array, need, &place, &request, &context);
            let answer = pending.await;
            match answer {
                // A user's store was given the signal of whoever asked first; we have not given up.
                Err(error) if error.kind() == ErrorKind::Aborted && !ours => {
                    self.pending.borrow_mut().remove(&place);
                }
                answer => {
                    self.keep(array, place, asked, &answer);
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
    pub(super) fn known_of(&self, array: &Array, need: &Need) -> Option<Answer> {
        self.known(array, &(need.chunk.clone(), need.level, offset(need.range)))
    }

    /// Keeps an index that was asked for at a moment.
    pub(super) fn put(&self, array: &Array, need: &Need, asked: Moment, answer: &Answer) {
        self.keep(array, (need.chunk.clone(), need.level, offset(need.range)), asked, &Ok(answer.clone()));
    }

    /// What is known of a place, unless the shard was written since.
    fn known(&self, array: &Array, place: &Place) -> Option<Answer> {
        let (asked, answer) = self.found.borrow().get(place).cloned()?;
        if writers::unchanged_since(array.chunks(), &array.chunk_key(&place.0), asked) {
            return Some(answer);
        }
        self.forget(&place.0);
        None
    }

    /// The request under way for a place, or a new one, which is ours.
    fn join(
        &self,
        array: &Rc<Array>,
        need: &Need,
        place: &Place,
        request: &IndexRequest,
        context: &RequestContext,
    ) -> Joined {
        let mut pending = self.pending.borrow_mut();
        let fresh = |asked| writers::unchanged_since(array.chunks(), &array.chunk_key(&place.0), asked);
        if let Some((asked, shared)) = pending.get(place)
            && let Some(shared) = shared.upgrade()
            && fresh(*asked)
        {
            return Joined { pending: shared, ours: false, asked: *asked };
        }
        let asked = writers::now();
        let fetch = fetch(array.clone(), need.clone(), request.clone(), context.clone());
        let shared = FutureExt::shared(fetch.boxed_local());
        if let Some(weak) = shared.downgrade() {
            pending.insert(place.clone(), (asked, weak));
        }
        Joined { pending: shared, ours: true, asked }
    }

    fn keep(&self, array: &Array, place: Place, asked: Moment, answer: &Result<Answer>) {
        let mut pending = self.pending.borrow_mut();
        // Another request may be under way by now.
        if pending.get(&place).is_some_and(|(begun, _)| *begun == asked) {
            pending.remove(&place);
        }
        drop(pending);
        let Ok(answer) = answer else { return };
        if let Some(len) = answer.as_ref().and_then(|found| found.shard_len) {
            self.learn_length(len);
        }
        let is_doubtful = answer.is_none() && !array.chunks().absence_may_be_kept();
        if asked < self.forgotten.get() || is_doubtful {
            return;
        }
        let mut found = self.found.borrow_mut();
        let bytes = |answer: &Answer| answer.as_ref().map_or(64, |found| found.index.len() * 16 + 64);
        let kept: usize = found.values().map(|(_, answer)| bytes(answer)).sum();
        if kept + bytes(answer) > KEPT_BYTES {
            found.clear();
        }
        found.insert(place, (asked, answer.clone()));
    }

    /// Drops everything, also what is under way: whoever waits for that still gets it.
    pub(super) fn forget_all(&self) {
        self.forgotten.set(writers::later());
        self.found.borrow_mut().clear();
        self.pending.borrow_mut().clear();
    }

    /// Drops what is known of a stored chunk that has changed.
    pub(super) fn forget(&self, chunk: &Rc<[u64]>) {
        self.found.borrow_mut().retain(|place, _| place.0 != *chunk);
    }
}

async fn fetch(
    array: Rc<Array>,
    need: Need,
    request: IndexRequest,
    context: RequestContext,
) -> Result<Answer> {
    let key = array.chunk_key(&need.chunk);
    let range = match need.range {
        NeededRange::Whole => ByteRange::Whole,
        NeededRange::At { offset, len } => ByteRange::FromStart { offset, len },
        NeededRange::Last(len) => ByteRange::Suffix(len),
    };
    let fetched = array.chunks().get(&key, range, &context).await;
    let Some(fetched) = fetched.map_err(|error| error.at_key(key.as_str()))? else { return Ok(None) };
    let bytes = fetched.value.to_vec(limits::SHARD_INDEX_BYTES, "shard index")?;
    let index = request.format.decode(&bytes, request.nested_len.or(fetched.size));
    let index = index.map_err(|error| error.in_codec("sharding_indexed").at_key(key.as_str()))?;
    Ok(Some(Rc::new(FoundIndex { index, shard_len: fetched.size, version: fetched.version })))
}

/// Where in the stored chunk the shard of this need begins, as far as it tells indexes of one chunk apart.
fn offset(range: NeededRange) -> u64 {
    match range {
        NeededRange::At { offset, .. } => offset,
        NeededRange::Whole | NeededRange::Last(_) => 0,
    }
}
