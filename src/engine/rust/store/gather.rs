//! Gathers concurrent requests: neighbouring ranges of one value become one request, and a range
//! that is in flight is not requested again. Which ranges become one request is in
//! [`merged_ranges`](super::merged_ranges).
//!
//! A range waits until the turn ends, so that all reads that are ready can add their ranges. Each
//! caller waits only for the request that contains its range. A request is dropped with its last
//! caller, so that no caller's abort ends the request of another.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::{Rc, Weak};

use zarr_wasm_http::Subject;

use crate::error::{Error, Result};
use crate::sorted::{Key, Map};
use crate::store::in_flight::{Begun, InFlight};
use crate::store::merged_ranges::{GAP_BYTES, MERGED_BYTES, MergedRange, merge_staggered};
use crate::store::turn::end_of_turn;
use crate::store::{
    ByteRange, FetchResult, Fetched, Gathered, LocalFuture, Priority, RequestContext, SharedFuture, writers,
};

/// In a bulk read, requests of at least this length wait for a permit. Shorter ones use little
/// bandwidth, and there may be many.
const LONG_BYTES: u64 = MERGED_BYTES / 2;

/// A value, and how it is requested. Only requests of one scope are merged.
#[derive(Clone)]
struct RequestScope<K> {
    key: K,
    subject: Subject,
    reload: bool,
    /// The caller, if callers are kept apart; else 0.
    caller: usize,
    /// The address of the bulk read that asks; 0 for other reads.
    bulk: usize,
}

impl<K: Key> Key for RequestScope<K> {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend([self.subject as u8, u8::from(self.reload)]);
        (self.caller, self.bulk).put(bytes);
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
            ByteRange::At { offset, len } => (1, offset, len),
            ByteRange::Last(len) => (2, 0, len),
        };
        (tag, offset, len).put(bytes);
        self.of.put(bytes);
    }
}

/// The ranges of one value that were requested in one turn, with their priorities.
#[derive(Default)]
struct Batch {
    ranges: RefCell<Vec<(Range<u64>, f64)>>,
    /// For each range, its request. Empty until the turn ends.
    requests: RefCell<Vec<Option<Gathered>>>,
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
        match range.check()? {
            // An open range has no neighbour behind it.
            ByteRange::At { offset, len } if !range.is_open() => {
                let bytes = offset..offset.saturating_add(len);
                let gathered = self.gather(key, &[bytes], context, fetch).await?.pop();
                let Gathered { start, answer, .. } = gathered.ok_or_else(not_started)?;
                answer.await?.map(|answer| part(&answer, start, range)).transpose()
            }
            range => {
                let of = self.asked(key, context);
                self.request(RequestKey { range, of }, context, fetch).await
            }
        }
    }

    /// The requests for some ranges of a value. They are merged with the ranges of all callers of
    /// this turn, before they are cut into requests. A request comes once if the ranges are sorted.
    ///
    /// # Errors
    /// `Store` for an internal error; the answers have the errors of `fetch`.
    pub async fn gather(
        &self,
        key: &K,
        ranges: &[Range<u64>],
        context: &RequestContext,
        fetch: &FetchRange<'_>,
    ) -> Result<Vec<Gathered>> {
        let of = self.asked(key, context);
        let (batch, first) = self.join(&of, ranges, context);
        end_of_turn().await;
        if batch.requests.borrow().is_empty() {
            self.open.borrow_mut().remove(&of);
            self.begin(&batch, &of, context, fetch);
        }
        let mut gathered: Vec<Gathered> = Vec::new();
        let mut requests = batch.requests.borrow_mut();
        for (member, entry) in requests.iter_mut().skip(first).take(ranges.len()).enumerate() {
            // Taken out of the list, so that a request is dropped when its last caller is.
            let mut request = entry.take().ok_or_else(not_started)?;
            match gathered.last_mut().filter(|last| last.answer.ptr_eq(&request.answer)) {
                Some(last) => last.members.push(member),
                None => {
                    request.members.push(member);
                    gathered.push(request);
                }
            }
        }
        Ok(gathered)
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
        // As above: its requests hold the read.
        let bulk = context.bulk.as_ref().map_or(0, |bulk| Rc::as_ptr(bulk) as usize);
        RequestScope { key: key.clone(), subject: context.subject, reload: context.reload, caller, bulk }
    }

    /// Adds ranges to the batch of this turn. Returns the batch, and the position of the first.
    fn join(
        &self,
        of: &RequestScope<K>,
        added: &[Range<u64>],
        context: &RequestContext,
    ) -> (Rc<Batch>, usize) {
        let mut open = self.open.borrow_mut();
        let known = open.get(of).and_then(Weak::upgrade);
        let batch = known.unwrap_or_else(|| {
            open.retain(|_, batch| batch.strong_count() > 0);
            let batch = Rc::default();
            open.insert(of.clone(), Rc::downgrade(&batch));
            batch
        });
        let mut ranges = batch.ranges.borrow_mut();
        let first = ranges.len();
        ranges.extend(added.iter().map(|range| (range.clone(), context.priority.value())));
        drop(ranges);
        (batch, first)
    }

    /// Starts the requests of a batch. The priority of a request is that of its most important
    /// range.
    fn begin(&self, batch: &Batch, of: &RequestScope<K>, context: &RequestContext, fetch: &FetchRange<'_>) {
        let ranges = batch.ranges.borrow();
        let spans: Vec<Range<u64>> = ranges.iter().map(|(range, _)| range.clone()).collect();
        let mut requests: Vec<Option<Gathered>> = vec![None; ranges.len()];
        let bulk = context.bulk.as_ref();
        let target = bulk.map_or(MERGED_BYTES, |bulk| bulk.merged_bytes());
        let is_staggered = bulk.is_some_and(|bulk| bulk.begins());
        for MergedRange { span, members } in merge_staggered(&spans, GAP_BYTES, target, is_staggered) {
            let range = ByteRange::from(span.clone());
            let priority = members.iter().filter_map(|member| Some(ranges.get(*member)?.1));
            let priority = Priority::new(priority.fold(f64::NEG_INFINITY, f64::max));
            let context = RequestContext { priority, ..context.clone() };
            let answer = self.request(RequestKey { range, of: of.clone() }, &context, fetch);
            let gathered = Gathered { members: Vec::new(), start: span.start, answer };
            for member in members {
                if let Some(slot) = requests.get_mut(member) {
                    *slot = Some(gathered.clone());
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
        // A store below that gathers, too, must not wait for a turn that this request has.
        let own = RequestContext { signal, priority: priority.clone(), bulk: None, ..context.clone() };
        let asked = fetch(request_key.range, own);
        let asked = match (&context.bulk, request_key.range) {
            (Some(bulk), ByteRange::At { len, .. }) if len >= LONG_BYTES => bulk.clone().in_turn(asked),
            _ => asked,
        };
        self.in_flight.begin(request_key, Begun { moment: writers::now(), priority }, (), asked)
    }
}

fn not_started() -> Error {
    Error::store("internal error: a gathered request was not started")
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
