//! What is asked for at the same time, in few requests: neighbouring ranges of a value are one, whoever they are for, and what is
//! on its way already is not asked for again.
//!
//! A range waits until all who are ready have asked, of whatever read. Each waits for its own request only, which is dropped with its
//! last waiter: who gives up his read ends nobody else's requests. The cap is there because a merged answer is decoded only when all
//! of it has come.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::{Rc, Weak};

use crate::error::{Error, Result};
use crate::sorted::{self, Key, Map};
use crate::store::in_flight::{Begun, InFlight, SharedFuture};
use crate::store::turn::end_of_turn;
use crate::store::{ByteRange, Fetched, LocalFuture, RequestContext, Subject, Urgency, writers};

/// How many unwanted bytes are cheaper than another request.
pub const GAP_BYTES: u64 = 32 << 10;

/// How long a merged request may become; a range that is longer by itself is still asked for in one.
pub const MERGED_BYTES: u64 = 2 << 20;

/// Ranges that are asked for together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What is asked for.
    pub span: Range<u64>,
    /// Places of its members in the list that was merged, by where they begin.
    pub members: Vec<usize>,
}

/// Joins ranges that overlap or have at most `gap` bytes between them, up to `cap` bytes a group. The groups come in order;
/// each range is in one of them, whole.
pub fn merge(ranges: &[Range<u64>], gap: u64, cap: u64) -> Vec<Group> {
    let mut order: Vec<(usize, &Range<u64>)> = ranges.iter().enumerate().collect();
    sorted::sort_by_key(&mut order, |(_, range)| (range.start, range.end));
    let mut groups: Vec<Group> = Vec::new();
    for (idx, range) in order {
        match groups.last_mut().filter(|group| fits(&group.span, range, gap, cap)) {
            Some(group) => {
                group.span.end = group.span.end.max(range.end);
                group.members.push(idx);
            }
            None => groups.push(Group { span: range.clone(), members: vec![idx] }),
        }
    }
    groups
}

/// Whether a range that begins no earlier than the span may join it.
fn fits(span: &Range<u64>, range: &Range<u64>, gap: u64, cap: u64) -> bool {
    let contained = range.end <= span.end;
    let near = range.start.saturating_sub(span.end) <= gap;
    contained || (near && range.end - span.start <= cap)
}

/// What a store answers.
pub type FetchResult = Result<Option<Fetched>>;

/// Whose value is asked for, and how: only what is asked for in one way is asked for together.
#[derive(Clone)]
struct RequestScope<K> {
    key: K,
    subject: Subject,
    reload: bool,
    /// Whose requests are kept apart.
    caller: usize,
}

impl<K: Key> Key for RequestScope<K> {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend([self.subject as u8, u8::from(self.reload)]);
        self.caller.put(bytes);
        self.key.put(bytes);
    }
}

/// A request under way.
#[derive(Clone)]
struct RequestKey<K> {
    range: ByteRange,
    of: RequestScope<K>,
}

impl<K: Key> Key for RequestKey<K> {
    fn put(&self, bytes: &mut Vec<u8>) {
        let (tag, offset, len) = match self.range {
            ByteRange::Whole => (0_u8, 0, 0),
            ByteRange::FromStart { offset, len } => (1, offset, len),
            ByteRange::Suffix(len) => (2, 0, len),
        };
        (tag, offset, len).put(bytes);
        self.of.put(bytes);
    }
}

/// A request that a range is read by, and where that request begins.
type MergedRequest = (SharedFuture<FetchResult>, u64);

/// Those who asked for ranges of one value in one turn.
#[derive(Default)]
struct Batch {
    ranges: RefCell<Vec<(Range<u64>, f64)>>,
    /// By member: its request, and where that begins; empty before the turn is over.
    requests: RefCell<Vec<Option<MergedRequest>>>,
}

/// Begins a request.
pub type FetchRange<'a> = dyn Fn(ByteRange, RequestContext) -> LocalFuture<'static, FetchResult> + 'a;

/// What is asked for of the values of a store, by whatever tells them apart.
pub struct Gatherer<K> {
    /// Those that can still be joined.
    open: RefCell<Map<RequestScope<K>, Weak<Batch>>>,
    in_flight: InFlight<RequestKey<K>, FetchResult>,
    keeps_callers_apart: bool,
}

impl<K> Default for Gatherer<K> {
    fn default() -> Self {
        Self { open: RefCell::default(), in_flight: InFlight::default(), keeps_callers_apart: false }
    }
}

impl<K: Key + Clone + 'static> Gatherer<K> {
    /// For a store that is handed its callers' signals: what one of them asks for at the same time is asked for together, in his name.
    pub fn of_each_caller() -> Self {
        Self { keeps_callers_apart: true, ..Self::default() }
    }

    /// Some bytes of a value.
    ///
    /// # Errors
    /// As what `fetch` begins; `Format` for a range that begins past the end.
    pub async fn get(
        &self,
        key: &K,
        range: ByteRange,
        context: &RequestContext,
        fetch: &FetchRange<'_>,
    ) -> FetchResult {
        let of = self.asked(key, context);
        match range.check()? {
            // What is open at its end has no place for a neighbour behind it.
            ByteRange::FromStart { offset, len } if !range.is_open() => {
                let bytes = offset..offset.saturating_add(len);
                let (request, start) = self.gathered(of, bytes, context, fetch).await?;
                request.await?.map(|answer| part(&answer, start, range)).transpose()
            }
            range => self.request(RequestKey { range, of }, context, fetch).await,
        }
    }

    /// Whoever asks for this value after it was written must not join a request that began before.
    pub fn forget(&self, is_written: impl Fn(&K) -> bool) {
        self.in_flight.forget(|request_key| is_written(&request_key.of.key));
    }

    fn asked(&self, key: &K, context: &RequestContext) -> RequestScope<K> {
        let signal = context.signal.as_ref().filter(|_| self.keeps_callers_apart);
        // It is no other caller's for as long as his request is under way.
        let caller = signal.map_or(0, |signal| Rc::as_ptr(signal).cast::<()>() as usize);
        RequestScope { key: key.clone(), subject: context.subject, reload: context.reload, caller }
    }

    /// The request that these bytes are in, and where it begins.
    async fn gathered(
        &self,
        of: RequestScope<K>,
        bytes: Range<u64>,
        context: &RequestContext,
        fetch: &FetchRange<'_>,
    ) -> Result<(SharedFuture<FetchResult>, u64)> {
        let (batch, member) = self.join(&of, bytes, context);
        end_of_turn().await;
        if batch.requests.borrow().is_empty() {
            self.open.borrow_mut().remove(&of);
            self.begin(&batch, &of, context, fetch);
        }
        let request = batch.requests.borrow_mut().get_mut(member).and_then(Option::take);
        request.ok_or_else(|| Error::store("a request was lost"))
    }

    fn join(&self, of: &RequestScope<K>, bytes: Range<u64>, context: &RequestContext) -> (Rc<Batch>, usize) {
        let mut open = self.open.borrow_mut();
        let known = open.get(of).and_then(Weak::upgrade);
        let batch = known.unwrap_or_else(|| {
            open.retain(|_, batch| batch.strong_count() > 0);
            let batch = Rc::default();
            open.insert(of.clone(), Rc::downgrade(&batch));
            batch
        });
        let mut ranges = batch.ranges.borrow_mut();
        ranges.push((bytes, context.urgency.value()));
        let member = ranges.len() - 1;
        drop(ranges);
        (batch, member)
    }

    /// Asks for what all of a batch want. A request is as urgent as the most urgent one in it.
    fn begin(&self, batch: &Batch, of: &RequestScope<K>, context: &RequestContext, fetch: &FetchRange<'_>) {
        let ranges = batch.ranges.borrow();
        let spans: Vec<Range<u64>> = ranges.iter().map(|(range, _)| range.clone()).collect();
        let mut requests: Vec<Option<(SharedFuture<FetchResult>, u64)>> = vec![None; ranges.len()];
        for Group { span, members } in merge(&spans, GAP_BYTES, MERGED_BYTES) {
            let range = ByteRange::FromStart { offset: span.start, len: span.end - span.start };
            let urgency = members.iter().filter_map(|member| Some(ranges.get(*member)?.1));
            let urgency = Urgency::new(urgency.fold(f64::NEG_INFINITY, f64::max));
            let context = RequestContext { urgency, ..context.clone() };
            let request = self.request(RequestKey { range, of: of.clone() }, &context, fetch);
            for member in members {
                if let Some(place) = requests.get_mut(member) {
                    *place = Some((request.clone(), span.start));
                }
            }
        }
        *batch.requests.borrow_mut() = requests;
    }

    /// The request for a range, which is under way or begins.
    fn request(
        &self,
        request_key: RequestKey<K>,
        context: &RequestContext,
        fetch: &FetchRange<'_>,
    ) -> SharedFuture<FetchResult> {
        let joined = self.in_flight.join(&request_key, |begun, ()| {
            begun.urgency.raise(context.urgency.value());
            true
        });
        if let Some((request, ())) = joined {
            return request;
        }
        // Its own: raising it must not raise all that this caller waits for. And nobody who waits owns it.
        let urgency = Urgency::new(context.urgency.value());
        let signal = context.signal.clone().filter(|_| self.keeps_callers_apart);
        let own = RequestContext { signal, urgency: urgency.clone(), ..context.clone() };
        let asked = fetch(request_key.range, own);
        self.in_flight.begin(request_key, Begun { moment: writers::now(), urgency }, (), asked)
    }
}

/// A range of a value, of which these bytes from `start` on are at hand; it ends early where the value does.
fn part(answer: &Fetched, start: u64, range: ByteRange) -> Result<Fetched> {
    let end = start + answer.value.len();
    // What is at hand ends where the value does, or covers the range.
    let part = range.of(end).ok_or_else(|| range.past_end(answer.size.or(Some(end))))?;
    let value = answer.value.slice(part.start - start..part.end - start)?;
    Ok(Fetched { value, ..answer.clone() })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
