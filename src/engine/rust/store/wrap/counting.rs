//! A store that counts its requests, so that tests can assert numbers of requests and bytes. No
//! build for the web contains it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::error::Result;
use crate::format::path::StoreKey;
use crate::store::{ByteRange, Fetched, GetFuture, RequestContext, Store};

/// Sums since the store was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Reads that were started.
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
pub struct Counting {
    inner: Rc<dyn Store>,
    counters: Cell<Counters>,
    log: Option<RefCell<Vec<(String, ByteRange)>>>,
}

impl Counting {
    /// Counts requests.
    pub fn new(inner: Rc<dyn Store>) -> Self {
        Self { inner, counters: Cell::default(), log: None }
    }

    /// Counts requests and logs every read. The log grows without limit.
    pub fn with_log(inner: Rc<dyn Store>) -> Self {
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
    fn begin(&self, key: &StoreKey, range: ByteRange) -> CountedRead<'_> {
        self.change(|counters| {
            counters.requests += 1;
            counters.in_flight += 1;
            counters.most_in_flight = counters.most_in_flight.max(counters.in_flight);
        });
        if let Some(log) = &self.log {
            log.borrow_mut().push((key.as_str().to_owned(), range));
        }
        CountedRead { counting: self, answered: false }
    }
}

/// A read in flight. If it is dropped without an answer, it counts as aborted.
struct CountedRead<'a> {
    counting: &'a Counting,
    answered: bool,
}

impl CountedRead<'_> {
    #[allow(clippy::arithmetic_side_effects, reason = "counts of requests and of bytes")]
    fn end(mut self, answer: &Result<Option<Fetched>>) {
        self.answered = true;
        self.counting.change(|counters| match answer {
            Err(_) => counters.failed += 1,
            Ok(Some(fetched)) => counters.bytes += fetched.value.len(),
            Ok(None) => counters.absent += 1,
        });
    }
}

impl Drop for CountedRead<'_> {
    #[allow(clippy::arithmetic_side_effects, reason = "the read that ends is in flight")]
    fn drop(&mut self) {
        self.counting.change(|counters| {
            counters.in_flight -= 1;
            counters.aborted += u64::from(!self.answered);
        });
    }
}

impl Store for Counting {
    fn inner(&self) -> Option<&Rc<dyn Store>> {
        Some(&self.inner)
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        Box::pin(async move {
            let in_flight = self.begin(key, range);
            let answer = self.inner.get(key, range, context).await;
            in_flight.end(&answer);
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
        let store = Counting::with_log(Rc::new(memory));
        let context = RequestContext::default();
        let range = ByteRange::At { offset: 4, len: 100 };
        let past_end = ByteRange::At { offset: 10, len: 1 };
        for range in [range, ByteRange::Last(3)] {
            block_on(store.get(&key, range, &context)).unwrap();
        }
        block_on(store.get(&StoreKey::parse("b").unwrap(), ByteRange::Whole, &context)).unwrap();
        block_on(store.get(&key, past_end, &context)).unwrap_err();
        let expected = Counters {
            requests: 4,
            bytes: 6 + 3,
            most_in_flight: 1,
            absent: 1,
            failed: 1,
            ..Counters::default()
        };
        assert_eq!(store.counters(), expected);
        let log = [("a", range), ("a", ByteRange::Last(3)), ("b", ByteRange::Whole), ("a", past_end)];
        assert_eq!(store.log(), log.map(|(key, range)| (key.to_owned(), range)));
    }

    #[test]
    fn dropped_reads_count_as_aborted() {
        struct Silent;
        impl Store for Silent {
            fn describe(&self) -> String {
                "silent".to_owned()
            }

            fn get<'a>(
                &'a self,
                _key: &'a StoreKey,
                _range: ByteRange,
                _context: &'a RequestContext,
            ) -> GetFuture<'a> {
                Box::pin(std::future::pending())
            }
        }
        let store = Counting::new(Rc::new(Silent));
        let key = StoreKey::parse("a").unwrap();
        let context = RequestContext::default();
        let mut reads = [(); 2].map(|()| store.get(&key, ByteRange::Whole, &context));
        for read in &mut reads {
            assert!(read.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        assert_eq!((store.counters().in_flight, store.counters().most_in_flight), (2, 2));
        drop(reads);
        assert_eq!((store.counters().in_flight, store.counters().aborted), (0, 2));
    }
}
