//! Gathering while callers join, leave and are answered in random order.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use futures_channel::oneshot;
use futures_executor::{LocalPool, block_on};
use futures_util::FutureExt;
use futures_util::future::{AbortHandle, abortable, join_all, try_join_all};
use futures_util::task::LocalSpawnExt;
use zarr_wasm_http::Value;

use proptest::prelude::*;
use zarr_wasm_contract::Natural;

use super::*;
use crate::error::ErrorKind;
use crate::format::path::StoreKey;
use crate::store::memory::MemoryStore;
use crate::store::wrap::{Counting, Gathering};
use crate::store::{GetFuture, Store};

type Named = (String, ByteRange);

/// A store that answers when the test says so.
#[derive(Default)]
struct Gates {
    open: RefCell<BTreeMap<u64, (Named, oneshot::Sender<FetchResult>)>>,
    begun: Cell<u64>,
    aborted: Cell<u64>,
}

impl Gates {
    fn waiting(&self) -> Vec<Named> {
        self.open.borrow().values().map(|(asked, _)| asked.clone()).collect()
    }

    fn answer(&self, gate: usize, answer: FetchResult) -> Named {
        let id = *self.open.borrow().keys().nth(gate).unwrap();
        let (asked, sender) = self.open.borrow_mut().remove(&id).unwrap();
        sender.send(answer).unwrap();
        asked
    }
}

struct Leaving<'a>(&'a Gates, u64);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let unanswered = self.0.open.borrow_mut().remove(&self.1).is_some();
        self.0.aborted.set(self.0.aborted.get() + u64::from(unanswered));
    }
}

impl Store for Gates {
    fn describe(&self) -> String {
        "gates".to_owned()
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, _context: &'a RequestContext) -> GetFuture<'a> {
        Box::pin(async move {
            let (sender, receiver) = oneshot::channel();
            let id = self.begun.get();
            self.begun.set(id + 1);
            self.open.borrow_mut().insert(id, ((key.as_str().to_owned(), range), sender));
            let _leaving = Leaving(self, id);
            receiver.await.unwrap()
        })
    }
}

/// A caller that reads.
struct Waiter {
    asked: Named,
    abort: AbortHandle,
    outcome: Rc<RefCell<Option<FetchResult>>>,
}

struct Room {
    pool: LocalPool,
    gates: Rc<Gates>,
    store: Rc<Gathering>,
    waiters: Vec<Waiter>,
}

impl Room {
    fn new() -> Self {
        let gates = Rc::new(Gates::default());
        let store = Rc::new(Gathering::new(gates.clone()));
        Self { pool: LocalPool::new(), gates, store, waiters: Vec::new() }
    }

    fn ask(&mut self, key: &str, range: ByteRange) {
        let outcome = Rc::new(RefCell::new(None));
        let (store, written, parsed) = (self.store.clone(), outcome.clone(), StoreKey::parse(key).unwrap());
        let (read, abort) = abortable(async move {
            let answer = store.get(&parsed, range, &RequestContext::default()).await;
            *written.borrow_mut() = Some(answer);
        });
        self.pool.spawner().spawn_local(read.map(|_| ())).unwrap();
        self.waiters.push(Waiter { asked: (key.to_owned(), range), abort, outcome });
    }

    fn leave(&mut self, waiter: usize) {
        self.waiters.swap_remove(waiter).abort.abort();
    }

    /// Answers a request, and removes its callers, whose outcomes are compared.
    fn answer(&mut self, gate: usize, answer: FetchResult) -> Vec<Waiter> {
        let asked = self.gates.answer(gate, answer);
        let (answered, waiting) = self.waiters.drain(..).partition(|waiter| waiter.asked == asked);
        self.waiters = waiting;
        answered
    }

    fn run(&mut self) {
        self.pool.run_until_stalled();
        let waiting = self.gates.waiting();
        let distinct: BTreeSet<_> = waiting.iter().cloned().collect();
        assert_eq!(distinct.len(), waiting.len(), "a question was asked twice");
        assert_eq!(distinct, self.waiters.iter().map(|waiter| waiter.asked.clone()).collect());
        assert!(self.waiters.iter().all(|waiter| waiter.outcome.borrow().is_none()));
    }
}

/// An answer in a form that can be compared.
fn said(answer: &FetchResult) -> std::result::Result<Option<Vec<u8>>, String> {
    let bytes = |fetched: &Fetched| fetched.value.to_vec(100, "test").unwrap();
    answer.as_ref().map(|fetched| fetched.as_ref().map(bytes)).map_err(|error| error.message().to_owned())
}

/// Marsaglia's xorshift with a fixed seed, so that a failure is reproducible.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn answer(&mut self) -> FetchResult {
        match self.below(4) {
            0 => Ok(None),
            1 => Err(Error::store(format!("failure {}", self.below(1000)))),
            _ => {
                let bytes = vec![u8::try_from(self.below(200)).unwrap()];
                Ok(Some(Fetched { value: Value::from(bytes), size: None, version: None, modified: None }))
            }
        }
    }
}

fn one_seed(seed: u64) {
    let mut random = Random(seed);
    let mut room = Room::new();
    for _ in 0..300 {
        for _ in 0..random.below(6) {
            let key = ["a", "b", "c/0"][random.below(3)];
            // Too far from each other to be one request.
            let offset = random.below(3) as u64 * (GAP_BYTES + 10);
            room.ask(key, ByteRange::At { offset, len: 1 });
        }
        room.run();
        for _ in 0..random.below(5).min(room.waiters.len()) {
            room.leave(random.below(room.waiters.len()));
        }
        // Those who left are still in the pool while the gates open.
        let mut expected = Vec::new();
        for _ in 0..random.below(3).min(room.gates.waiting().len()) {
            let answer = random.answer();
            let gate = random.below(room.gates.waiting().len());
            expected.push((room.answer(gate, answer.clone()), answer));
        }
        room.run();
        for (waiters, answer) in expected {
            for waiter in waiters {
                let outcome = waiter.outcome.borrow();
                assert_eq!(said(outcome.as_ref().expect("an answer")), said(&answer));
            }
        }
    }
    while !room.waiters.is_empty() {
        room.answer(0, Ok(None));
        room.run();
    }
    assert!(room.gates.begun.get() > 200 && room.gates.aborted.get() > 20, "the test does too little");
}

#[test]
fn concurrent_reads_of_one_range_share_one_request() {
    for seed in 1..=20 {
        one_seed(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
    }
}

#[test]
fn a_request_goes_on_after_its_first_caller_leaves() {
    let mut room = Room::new();
    for _ in 0..3 {
        room.ask("a", ByteRange::Whole);
    }
    room.run();
    room.leave(0);
    room.run();
    assert_eq!((room.gates.begun.get(), room.gates.aborted.get()), (1, 0));
    let answered = room.answer(0, Err(Error::store("broken")));
    room.run();
    assert_eq!(answered.len(), 2);
    for waiter in answered {
        let outcome = waiter.outcome.borrow();
        assert_eq!(outcome.as_ref().unwrap().as_ref().unwrap_err().kind(), ErrorKind::Store);
    }
}

#[test]
fn the_last_caller_aborts_a_request_and_the_next_caller_starts_another() {
    let mut room = Room::new();
    room.ask("a", ByteRange::Whole);
    room.run();
    room.leave(0);
    room.run();
    assert_eq!(room.gates.aborted.get(), 1);
    room.ask("a", ByteRange::Whole);
    room.run();
    assert_eq!(room.gates.begun.get(), 2);
}

fn byte_range() -> impl Strategy<Value = ByteRange> {
    prop_oneof![
        8 => (0_u64..190, 1_u64..40).prop_map(|(offset, len)| ByteRange::At { offset, len }),
        1 => (0_u64..190).prop_map(ByteRange::from_offset),
        1 => (1_u64..250).prop_map(ByteRange::Last),
        1 => Just(ByteRange::Whole),
    ]
}

proptest! {
    #[test]
    fn merged_requests_return_the_bytes_of_single_requests(ranges in prop::collection::vec(byte_range(), 0..12)) {
        let memory = Rc::new(MemoryStore::new());
        let key = StoreKey::parse("shard").unwrap();
        memory.insert(&key, (0..200).collect::<Vec<u8>>());
        let context = RequestContext::default();
        let bytes = |fetched: Option<Fetched>| fetched.unwrap().value.to_vec(1000, "test").unwrap();
        let gathering = Gathering::new(memory.clone());
        let merged = read_all(&gathering, &key, &ranges).unwrap();
        let merged: Vec<Vec<u8>> = merged.into_iter().map(bytes).collect();
        let single = ranges.iter().map(|range| bytes(block_on(memory.get(&key, *range, &context)).unwrap()));
        prop_assert_eq!(merged, single.collect::<Vec<_>>());
    }
}

/// Ranges of one key, read together.
fn read_all(store: &Gathering, key: &StoreKey, ranges: &[ByteRange]) -> Result<Vec<Option<Fetched>>> {
    let context = RequestContext::default();
    block_on(try_join_all(ranges.iter().map(|range| store.get(key, *range, &context))))
}

fn counted(len: usize) -> (StoreKey, Rc<Counting>) {
    let memory = MemoryStore::new();
    let key = StoreKey::parse("shard").unwrap();
    memory.insert(&key, vec![7; len]);
    (key, Rc::new(Counting::new(Rc::new(memory))))
}

const FAR: u64 = GAP_BYTES + 100;

#[test]
fn a_group_is_one_request_and_absent_values_stay_absent() {
    let (key, counting) = counted(100 << 10);
    let store = Gathering::new(counting.clone());
    let ranges = [10, 0, 5, FAR].map(|offset| ByteRange::At { offset, len: 3 });
    let fetched = read_all(&store, &key, &ranges).unwrap();
    assert!(fetched.iter().all(|fetched| fetched.as_ref().unwrap().value.len() == 3));
    assert_eq!((counting.counters().requests, counting.counters().bytes), (2, 13 + 3));
    let absent = StoreKey::parse("absent").unwrap();
    let fetched = read_all(&store, &absent, &ranges).unwrap();
    assert!(fetched.iter().all(Option::is_none));
}

#[test]
fn a_range_past_the_end_fails_alone() {
    let (key, counting) = counted(100);
    let store = Gathering::new(counting);
    let context = RequestContext::default();
    let read = |offset| store.get(&key, ByteRange::At { offset, len: 10 }, &context);
    let (cut, past_end) = block_on(futures_util::future::join(read(95), read(100)));
    assert_eq!(cut.unwrap().unwrap().value.len(), 5);
    let error = past_end.unwrap_err();
    assert_eq!((error.kind(), error.context().range), (ErrorKind::Format, Some((Natural(100), Natural(10)))));
    assert_eq!(error.context().key.as_deref(), Some("shard"));
}

/// The reads run in separate tasks, like the reads of a page.
#[test]
fn ranges_of_all_tasks_that_are_ready_are_one_request() {
    let (key, counting) = counted(1000);
    let store = Rc::new(Gathering::new(counting.clone()));
    let mut pool = LocalPool::new();
    let ended = Rc::new(Cell::new(0));
    for task in 0..64 {
        let (store, key, ended) = (store.clone(), key.clone(), ended.clone());
        // Each task has sets of futures in sets of futures, like a read of several parts.
        let part = move |part: u64| {
            let (store, key) = (store.clone(), key.clone());
            async move {
                let ranges = [0, 1].map(|at| ByteRange::At { offset: task + 100 * (part + at), len: 9 });
                let context = RequestContext::default();
                join_all(ranges.iter().map(|range| store.get(&key, *range, &context))).await
            }
        };
        let read = async move {
            let answers = join_all((0..3).map(part)).await;
            assert!(answers.iter().flatten().all(|answer| answer.as_ref().unwrap().is_some()));
            ended.set(ended.get() + 1);
        };
        pool.spawner().spawn_local(read).unwrap();
    }
    pool.run_until_stalled();
    assert_eq!((ended.get(), counting.counters().requests), (64, 1));
}

/// The other callers must not wait for the first one.
#[test]
fn a_turn_ends_although_its_first_caller_leaves() {
    let (key, counting) = counted(1000);
    let store = Gathering::new(counting.clone());
    let context = RequestContext::default();
    let read = |offset| store.get(&key, ByteRange::At { offset, len: 10 }, &context);
    let (mut first, mut second) = (read(0), read(20));
    assert!((&mut first).now_or_never().is_none() && (&mut second).now_or_never().is_none());
    drop(first);
    assert_eq!(block_on(second).unwrap().unwrap().value.len(), 10);
    // The dropped range was part of the batch, so it was requested too.
    assert_eq!(counting.counters().requests, 1);
}

/// A request carries the signal of one caller.
#[test]
fn requests_of_different_callers_are_not_merged_if_the_store_gets_their_signals() {
    for (apart, requests) in [(false, 1), (true, 2)] {
        let (key, counting) = counted(1000);
        let store = if apart {
            Gathering::of_each_caller(counting.clone())
        } else {
            Gathering::new(counting.clone())
        };
        let callers = [1, 2].map(|caller: i32| {
            let signal: crate::error::Opaque = Rc::new(caller);
            RequestContext { signal: Some(signal), ..RequestContext::default() }
        });
        let reads = callers.iter().flat_map(|context| {
            let ranges = [0, 30].map(|offset| ByteRange::At { offset, len: 10 });
            ranges.map(|range| store.get(&key, range, context))
        });
        let answers = block_on(join_all(reads));
        assert!(answers.iter().all(|answer| answer.as_ref().unwrap().is_some()));
        assert_eq!(counting.counters().requests, requests, "apart: {apart}");
    }
}
