//! A store that counts its requests, so that tests can assert numbers of requests and bytes. No
//! build for the web contains it.

use std::cell::{Cell, RefCell};

use crate::error::Result;
use crate::format::path::StoreKey;
use crate::store::{ByteRange, Fetched, KeyRange, LocalFuture, RequestContext, Store};

/// Sums since the store was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Reads that were started. Each range of `get_ranges` and `get_partial_values` counts.
    pub requests: u64,
    /// Bytes that were returned.
    pub bytes: u64,
    /// Reads in flight.
    pub in_flight: u64,
    /// The maximum number of reads in flight.
    pub most_in_flight: u64,
    /// Reads of absent values.
    pub absent: u64,
    /// Reads that failed.
    pub failed: u64,
    /// Reads that were dropped before their answer.
    pub aborted: u64,
}

/// A store that counts its requests.
#[derive(Debug, Default)]
pub struct Counting<S> {
    inner: S,
    counters: Cell<Counters>,
    log: Option<RefCell<Vec<(String, ByteRange)>>>,
}

impl<S: Store> Counting<S> {
    /// Counts requests.
    pub fn new(inner: S) -> Self {
        Self { inner, counters: Cell::default(), log: None }
    }

    /// Counts requests and logs every read. The log grows without limit.
    pub fn with_log(inner: S) -> Self {
        Self { log: Some(RefCell::default()), ..Self::new(inner) }
    }

    /// The sums.
    pub fn counters(&self) -> Counters {
        self.counters.get()
    }

    /// All reads in order; empty without a log.
    pub fn log(&self) -> Vec<(String, ByteRange)> {
        self.log.as_ref().map(|log| log.borrow().clone()).unwrap_or_default()
    }

    fn change(&self, change: impl FnOnce(&mut Counters)) {
        let mut counters = self.counters.get();
        change(&mut counters);
        self.counters.set(counters);
    }

    #[allow(clippy::arithmetic_side_effects, reason = "counts of requests and of bytes")]
    fn begin<'a>(
        &self,
        asked: impl ExactSizeIterator<Item = (&'a StoreKey, ByteRange)>,
    ) -> CountedReads<'_, S> {
        let reads = asked.len() as u64;
        self.change(|counters| {
            counters.requests += reads;
            counters.in_flight += reads;
            counters.most_in_flight = counters.most_in_flight.max(counters.in_flight);
        });
        if let Some(log) = &self.log {
            log.borrow_mut().extend(asked.map(|(key, range)| (key.as_str().to_owned(), range)));
        }
        CountedReads { counting: self, reads, answered: false }
    }
}

/// Reads in flight. If they are dropped without an answer, they count as aborted.
struct CountedReads<'a, S: Store> {
    counting: &'a Counting<S>,
    reads: u64,
    answered: bool,
}

impl<S: Store> CountedReads<'_, S> {
    #[allow(clippy::arithmetic_side_effects, reason = "counts of requests and of bytes")]
    fn end(mut self, answer: Option<&[Option<Fetched>]>) {
        self.answered = true;
        self.counting.change(|counters| match answer {
            None => counters.failed += self.reads,
            Some(answers) => answers.iter().for_each(|fetched| match fetched {
                Some(fetched) => counters.bytes += fetched.value.len(),
                None => counters.absent += 1,
            }),
        });
    }
}

impl<S: Store> Drop for CountedReads<'_, S> {
    #[allow(clippy::arithmetic_side_effects, reason = "the reads that end are in flight")]
    fn drop(&mut self) {
        self.counting.change(|counters| {
            counters.in_flight -= self.reads;
            if !self.answered {
                counters.aborted += self.reads;
            }
        });
    }
}

impl<S: Store> Store for Counting<S> {
    forward_to_inner! { capabilities describe size set erase lists erase_prefix }

    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Fetched>>> {
        Box::pin(async move {
            let in_flight = self.begin(std::iter::once((key, range)));
            let answer = self.inner.get(key, range, context).await;
            in_flight.end(answer.as_ref().ok().map(std::slice::from_ref));
            answer
        })
    }

    fn get_ranges<'a>(
        &'a self,
        key: &'a StoreKey,
        ranges: &'a [ByteRange],
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Vec<Option<Fetched>>>> {
        Box::pin(async move {
            let in_flight = self.begin(ranges.iter().map(|range| (key, *range)));
            let answer = self.inner.get_ranges(key, ranges, context).await;
            in_flight.end(answer.as_deref().ok());
            answer
        })
    }

    fn get_partial_values<'a>(
        &'a self,
        key_ranges: &'a [KeyRange],
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Vec<Option<Fetched>>>> {
        Box::pin(async move {
            let in_flight = self.begin(key_ranges.iter().map(|asked| (&asked.key, asked.range)));
            let answer = self.inner.get_partial_values(key_ranges, context).await;
            in_flight.end(answer.as_deref().ok());
            answer
        })
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::task::{Context, Waker};

    use futures_executor::block_on;

    use super::*;
    use crate::store::memory::MemoryStore;

    #[test]
    fn reads_bytes_absences_and_failures_are_counted() {
        let memory = MemoryStore::new();
        let key = StoreKey::parse("a").unwrap();
        memory.insert(&key, vec![0; 10]);
        let store = Counting::with_log(memory);
        let context = RequestContext::default();
        let range = ByteRange::FromStart { offset: 4, len: 100 };
        let past_end = ByteRange::FromStart { offset: 10, len: 1 };
        block_on(store.get_ranges(&key, &[range, ByteRange::Suffix(3)], &context)).unwrap();
        block_on(store.get(&StoreKey::parse("b").unwrap(), ByteRange::Whole, &context)).unwrap();
        block_on(store.get(&key, past_end, &context)).unwrap_err();
        let expected = Counters {
            requests: 4,
            bytes: 6 + 3,
            most_in_flight: 2,
            absent: 1,
            failed: 1,
            ..Counters::default()
        };
        assert_eq!(store.counters(), expected);
        let log = [("a", range), ("a", ByteRange::Suffix(3)), ("b", ByteRange::Whole), ("a", past_end)];
        assert_eq!(store.log(), log.map(|(key, range)| (key.to_owned(), range)));
    }

    #[test]
    fn dropped_reads_count_as_aborted() {
        struct Silent;
        impl Store for Silent {
            fn capabilities(&self) -> crate::store::Capabilities {
                MemoryStore::new().capabilities()
            }

            fn describe(&self) -> String {
                "silent".to_owned()
            }

            fn get<'a>(
                &'a self,
                _key: &'a StoreKey,
                _range: ByteRange,
                _context: &'a RequestContext,
            ) -> LocalFuture<'a, Result<Option<Fetched>>> {
                Box::pin(std::future::pending())
            }
        }
        let store = Counting::new(Silent);
        let key = StoreKey::parse("a").unwrap();
        let context = RequestContext::default();
        let mut read = store.get(&key, ByteRange::Whole, &context);
        assert!(read.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert_eq!(store.counters().in_flight, 1);
        drop(read);
        assert_eq!((store.counters().in_flight, store.counters().aborted), (0, 1));
    }
}
