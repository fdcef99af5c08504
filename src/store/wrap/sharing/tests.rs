//! Sharing under random joins, departures and answers: one read a question, alive as long as anybody waits for it.

use std::collections::{BTreeMap, BTreeSet};

use futures_channel::oneshot;
use futures_executor::LocalPool;
use futures_util::future::{AbortHandle, abortable};
use futures_util::task::LocalSpawnExt;

use super::*;
use crate::error::{Error, ErrorKind};
use crate::store::{Capabilities, Value};

type Answer = Result<Option<Fetched>>;
type Asked = (String, ByteRange);

/// A store that answers when the test says so.
#[derive(Default)]
struct Gates {
    open: RefCell<BTreeMap<u64, (Asked, oneshot::Sender<Answer>)>>,
    begun: Cell<u64>,
    aborted: Cell<u64>,
}

impl Gates {
    fn waiting(&self) -> Vec<Asked> {
        self.open.borrow().values().map(|(asked, _)| asked.clone()).collect()
    }

    fn answer(&self, gate: usize, answer: Answer) -> Asked {
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
    fn capabilities(&self) -> Capabilities {
        Capabilities { readable: true, partial: true, writable: false, listable: false }
    }

    fn describe(&self) -> String {
        "gates".to_owned()
    }

    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        _context: &'a RequestContext,
    ) -> LocalFuture<'a, Answer> {
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

/// Someone who reads.
struct Waiter {
    asked: Asked,
    abort: AbortHandle,
    outcome: Rc<RefCell<Option<Answer>>>,
}

struct Room {
    pool: LocalPool,
    gates: Rc<Gates>,
    store: Rc<Sharing<Rc<Gates>>>,
    waiters: Vec<Waiter>,
}

impl Room {
    fn new() -> Self {
        let gates = Rc::new(Gates::default());
        let store = Rc::new(Sharing::new(gates.clone()));
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

    /// Answers a gate; those who wait there leave the room, to be compared.
    fn answer(&mut self, gate: usize, answer: Answer) -> Vec<Waiter> {
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
        assert_eq!(self.store.flights.by_question.borrow().len(), waiting.len());
        assert!(self.waiters.iter().all(|waiter| waiter.outcome.borrow().is_none()));
    }
}

/// What an answer says, to be compared.
fn said(answer: &Answer) -> std::result::Result<Option<Vec<u8>>, String> {
    let bytes = |fetched: &Fetched| fetched.value.to_vec(100, "test").unwrap();
    answer.as_ref().map(|fetched| fetched.as_ref().map(bytes)).map_err(ToString::to_string)
}

/// Marsaglia's xorshift: a test must fail again the way it failed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn answer(&mut self) -> Answer {
        match self.below(4) {
            0 => Ok(None),
            1 => Err(Error::store(format!("failure {}", self.below(1000)))),
            _ => {
                let bytes = vec![0; self.below(50)];
                Ok(Some(Fetched { value: Value::from(bytes), size: None, version: None }))
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
            let offset = random.below(3) as u64;
            room.ask(key, ByteRange::FromStart { offset, len: 1 });
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
fn one_read_a_question_for_as_long_as_anyone_waits() {
    for seed in 1..=20 {
        one_seed(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
    }
}

#[test]
fn the_first_to_ask_may_leave_before_the_others() {
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
fn the_last_to_leave_aborts_and_the_next_begins_anew() {
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
