//! Gathers concurrent requests: neighbouring ranges of one value become one request, and a range
//! that is in flight is not requested again.
//!
//! A range waits until the turn ends, so that all reads that are ready can add their ranges. Each
//! caller waits only for the request that contains its range. A request is dropped with its last
//! caller, so that no caller's abort ends the request of another.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::{Rc, Weak};

use crate::error::{Error, Result};
use crate::sorted::{self, Key, Map};
use crate::store::byte_range::len_of;
use crate::store::in_flight::{Begun, InFlight, SharedFuture};
use crate::store::turn::end_of_turn;
use crate::store::{ByteRange, Fetched, LocalFuture, Priority, RequestContext, Subject, writers};

/// Gap between two ranges up to which one request is cheaper than two.
pub const GAP_BYTES: u64 = 32 << 10;

/// Maximum length of a merged request. Its bytes are decoded only after all of them have arrived. A
/// longer single range is still one request.
pub const MERGED_BYTES: u64 = 2 << 20;

/// Ranges that are requested together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The range to request.
    pub span: Range<u64>,
    /// Indexes of the members in the input list, sorted by start.
    pub members: Vec<usize>,
}

/// Merges ranges that overlap or have at most `gap` bytes between them, up to `cap` bytes a group.
/// The groups are sorted. Each input range is a member of exactly one group.
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

/// Whether a range that starts at or after the start of the span may join it.
fn fits(span: &Range<u64>, range: &Range<u64>, gap: u64, cap: u64) -> bool {
    let contained = range.end <= span.end;
    let near = range.start.saturating_sub(span.end) <= gap;
    contained || (near && len_of(&(span.start..range.end)) <= cap)
}

/// The result of a request to a store.
pub type FetchResult = Result<Option<Fetched>>;

/// A value, and how it is requested. Only requests of one scope are merged.
#[derive(Clone)]
struct RequestScope<K> {
    key: K,
    subject: Subject,
    reload: bool,
    /// The caller, if callers are kept apart; else 0.
    caller: usize,
}

impl<K: Key> Key for RequestScope<K> {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend([self.subject as u8, u8::from(self.reload)]);
        self.caller.put(bytes);
        self.key.put(bytes);
    }
}

/// Identifies a request in flight.
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

/// A request that contains a range, and the offset at which the request starts.
type MergedRequest = (SharedFuture<FetchResult>, u64);

/// The ranges of one value that were requested in one turn, with their priorities.
#[derive(Default)]
struct Batch {
    ranges: RefCell<Vec<(Range<u64>, f64)>>,
    /// For each range, its request. Empty until the turn ends.
    requests: RefCell<Vec<Option<MergedRequest>>>,
}

/// Starts a request.
pub type FetchRange<'a> = dyn Fn(ByteRange, RequestContext) -> LocalFuture<'static, FetchResult> + 'a;

/// Gathers the requests to the values of a store. `K` identifies a value.
pub struct Gatherer<K> {
    /// Batches that further ranges may join.
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
    /// For a store that receives the abort signals of its callers: only requests of one caller are
    /// merged.
    pub fn of_each_caller() -> Self {
        Self { keeps_callers_apart: true, ..Self::default() }
    }

    /// Some bytes of a value. `fetch` starts a request.
    ///
    /// # Errors
    /// Errors of `fetch`; `Format` for a range that begins past the end.
    pub async fn get(
        &self,
        key: &K,
        range: ByteRange,
        context: &RequestContext,
        fetch: &FetchRange<'_>,
    ) -> FetchResult {
        let of = self.asked(key, context);
        match range.check()? {
            // An open range has no neighbour behind it.
            ByteRange::FromStart { offset, len } if !range.is_open() => {
                let bytes = offset..offset.saturating_add(len);
                let (request, start) = self.gathered(of, bytes, context, fetch).await?;
                request.await?.map(|answer| part(&answer, start, range)).transpose()
            }
            range => self.request(RequestKey { range, of }, context, fetch).await,
        }
    }

    /// Prevents later callers from joining requests that started before a write.
    pub fn forget(&self, is_written: impl Fn(&K) -> bool) {
        self.in_flight.forget(|request_key| is_written(&request_key.of.key));
    }

    fn asked(&self, key: &K, context: &RequestContext) -> RequestScope<K> {
        let signal = context.signal.as_ref().filter(|_| self.keeps_callers_apart);
        // The address identifies the caller while its request is in flight, because the signal
        // lives as long.
        let caller = signal.map_or(0, |signal| Rc::as_ptr(signal).cast::<()>() as usize);
        RequestScope { key: key.clone(), subject: context.subject, reload: context.reload, caller }
    }

    /// The request that contains these bytes, and its start.
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
        request.ok_or_else(|| Error::store("internal error: a gathered request was not started"))
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
        let member = ranges.len();
        ranges.push((bytes, context.priority.value()));
        drop(ranges);
        (batch, member)
    }

    /// Starts the requests of a batch. The priority of a request is that of its most important
    /// range.
    fn begin(&self, batch: &Batch, of: &RequestScope<K>, context: &RequestContext, fetch: &FetchRange<'_>) {
        let ranges = batch.ranges.borrow();
        let spans: Vec<Range<u64>> = ranges.iter().map(|(range, _)| range.clone()).collect();
        let mut requests: Vec<Option<(SharedFuture<FetchResult>, u64)>> = vec![None; ranges.len()];
        for Group { span, members } in merge(&spans, GAP_BYTES, MERGED_BYTES) {
            let range = ByteRange::FromStart { offset: span.start, len: len_of(&span) };
            let priority = members.iter().filter_map(|member| Some(ranges.get(*member)?.1));
            let priority = Priority::new(priority.fold(f64::NEG_INFINITY, f64::max));
            let context = RequestContext { priority, ..context.clone() };
            let request = self.request(RequestKey { range, of: of.clone() }, &context, fetch);
            for member in members {
                if let Some(place) = requests.get_mut(member) {
                    *place = Some((request.clone(), span.start));
                }
            }
        }
        *batch.requests.borrow_mut() = requests;
    }

    /// Joins the request for a range if it is in flight, or starts it.
    fn request(
        &self,
        request_key: RequestKey<K>,
        context: &RequestContext,
        fetch: &FetchRange<'_>,
    ) -> SharedFuture<FetchResult> {
        let joined = self.in_flight.join(&request_key, |begun, ()| {
            begun.priority.raise(context.priority.value());
            true
        });
        if let Some((request, ())) = joined {
            return request;
        }
        // A new priority: raising it must not raise other requests of this caller. No signal,
        // because several callers may wait.
        let priority = Priority::new(context.priority.value());
        let signal = context.signal.clone().filter(|_| self.keeps_callers_apart);
        let own = RequestContext { signal, priority: priority.clone(), ..context.clone() };
        let asked = fetch(request_key.range, own);
        self.in_flight.begin(request_key, Begun { moment: writers::now(), priority }, (), asked)
    }
}

/// Cuts a range from the bytes of a request, which start at `start`. It ends early where the value
/// ends.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "`of` gives a part of what is in the range, which begins at `start` or after it"
)]
fn part(answer: &Fetched, start: u64, range: ByteRange) -> Result<Fetched> {
    // A store of the user may answer a request near 2^64 with bytes.
    let end = start.saturating_add(answer.value.len());
    // The bytes end where the value ends, or cover the range.
    let part = range.of(end).ok_or_else(|| range.past_end(answer.size.or(Some(end))))?;
    let value = answer.value.slice(part.start - start..part.end - start)?;
    Ok(Fetched { value, ..answer.clone() })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
