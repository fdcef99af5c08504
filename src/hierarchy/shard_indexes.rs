//! The shard indexes of an array: each is fetched once, however many parts wait for it, and kept while there is room.
//!
//! Waiters share one request; it is aborted when the last of them leaves, never by the first.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use futures_util::future::{FutureExt, LocalBoxFuture, Shared, WeakShared};

use crate::access::plan::{Need, NeededRange};
use crate::error::{ErrorKind, Result};
use crate::format::codec::sharding::ShardIndex;
use crate::format::codec::sharding::index::ShardIndexFormat;
use crate::hierarchy::array::Array;
use crate::limits;
use crate::store::{ByteRange, RequestContext};

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
    version: Option<String>,
}

/// How an index is decoded.
pub(super) struct IndexRequest {
    /// Where it stands and how it is encoded.
    pub format: Rc<ShardIndexFormat>,
}

/// A stored chunk, the level of the shard in it, and where its index stands (0 for the outermost).
type Place = (Rc<[u64]>, usize, u64);
type Pending = Shared<LocalBoxFuture<'static, Result<Answer>>>;

/// See the module.
#[derive(Default)]
pub struct ShardIndexes {
    found: RefCell<BTreeMap<Place, Answer>>,
    pending: RefCell<BTreeMap<Place, WeakShared<LocalBoxFuture<'static, Result<Answer>>>>>,
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
        if let Some(answer) = self.found.borrow().get(&place) {
            return Ok(answer.clone());
        }
        let format = request.format;
        loop {
            let (pending, ours) = self.join(array, need, &place, &format, context);
            let answer = pending.await;
            match answer {
                // A user's store was given the signal of whoever asked first; we have not given up.
                Err(error) if error.kind() == ErrorKind::Aborted && !ours => {
                    self.pending.borrow_mut().remove(&place);
                }
                answer => {
                    self.keep(place, &answer);
                    return answer;
                }
            }
        }
    }

    /// The request under way for a place, or a new one, which is ours.
    fn join(
        &self,
        array: &Rc<Array>,
        need: &Need,
        place: &Place,
        format: &Rc<ShardIndexFormat>,
        context: &RequestContext,
    ) -> (Pending, bool) {
        let mut pending = self.pending.borrow_mut();
        if let Some(shared) = pending.get(place).and_then(WeakShared::upgrade) {
            return (shared, false);
        }
        let fetch = fetch(array.clone(), need.clone(), format.clone(), context.clone());
        let shared = FutureExt::shared(fetch.boxed_local());
        if let Some(weak) = shared.downgrade() {
            pending.insert(place.clone(), weak);
        }
        (shared, true)
    }

    fn keep(&self, place: Place, answer: &Result<Answer>) {
        self.pending.borrow_mut().remove(&place);
        let Ok(answer) = answer else { return };
        let mut found = self.found.borrow_mut();
        let bytes = |answer: &Answer| answer.as_ref().map_or(64, |found| found.index.len() * 16 + 64);
        let kept: usize = found.values().map(bytes).sum();
        if kept + bytes(answer) > KEPT_BYTES {
            found.clear();
        }
        found.insert(place, answer.clone());
    }

    /// Whether a stored chunk's version is that of its index; true where either is not visible.
    pub(super) fn agrees(&self, chunk: &Rc<[u64]>, version: Option<&str>) -> bool {
        let found = self.found.borrow();
        let known = found.range((chunk.clone(), 0, 0)..=(chunk.clone(), usize::MAX, u64::MAX));
        let mut versions = known.filter_map(|(_, answer)| answer.as_ref()?.version.as_deref());
        version.is_none_or(|version| versions.all(|known| known == version))
    }

    /// Drops what is known of a stored chunk that has changed.
    pub(super) fn forget(&self, chunk: &Rc<[u64]>) {
        self.found.borrow_mut().retain(|place, _| place.0 != *chunk);
    }
}

async fn fetch(
    array: Rc<Array>,
    need: Need,
    format: Rc<ShardIndexFormat>,
    context: RequestContext,
) -> Result<Answer> {
    let key = array.chunk_key(&need.chunk);
    let range = match need.range {
        NeededRange::Whole => ByteRange::Whole,
        NeededRange::At { offset, len } => ByteRange::FromStart { offset, len },
        NeededRange::Last(len) => ByteRange::Suffix(len),
    };
    let fetched = array.store().get(&key, range, &context).await;
    let Some(fetched) = fetched.map_err(|error| error.at_key(key.as_str()))? else { return Ok(None) };
    let bytes = fetched.value.to_vec(limits::SHARD_INDEX_BYTES, "shard index")?;
    let index =
        format.decode(&bytes).map_err(|error| error.in_codec("sharding_indexed").at_key(key.as_str()))?;
    Ok(Some(Rc::new(FoundIndex { index, shard_len: fetched.size, version: fetched.version })))
}

/// Where in the stored chunk the shard of this need begins, as far as it tells indexes of one chunk apart.
fn offset(range: NeededRange) -> u64 {
    match range {
        NeededRange::At { offset, .. } => offset,
        NeededRange::Whole | NeededRange::Last(_) => 0,
    }
}
