//! Whole chunks that are being fetched and decoded, for all who need some part of them.
//!
//! Chunks are decoded some at a time, one message a stack. Whoever needs a chunk of a stack that is under way joins it; it is polled on
//! behalf of whoever is left, and dropped, which cancels it, when the last one leaves. A stack that failed is tried again by those who
//! joined: it may have been another chunk that is broken.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::{FutureExt, Shared, WeakShared};
use futures_util::stream::{FuturesUnordered, StreamExt};

use crate::access::plan::{Need, PartPlan};
use crate::error::{Error, Result, Stage};
use crate::hierarchy::chunk_cache::{Kind, Origin};
use crate::hierarchy::decoder::Decoder;
use crate::hierarchy::decoding::{supply, with_full_key};
use crate::hierarchy::fetching::{Arrival, Fetching};
use crate::hierarchy::read_part::Interrupted;
use crate::sorted::Map;
use crate::store::writers::{self, Moment};
use crate::store::{LocalFuture, Value};

/// A decoded chunk (`None`: absent) and how many bytes were fetched for it.
#[derive(Clone)]
pub(super) struct WholeChunk {
    pub elements: Option<Value>,
    pub fetched: u64,
}

/// The chunks of a stack, in order.
pub(super) type Decoded = std::result::Result<Rc<Vec<WholeChunk>>, Interrupted>;

/// A stack under way.
pub(super) type Stack = Shared<LocalFuture<'static, Decoded>>;

/// A chunk in a stack under way.
struct Flight {
    begun: Moment,
    urgency: f64,
    stack: WeakShared<LocalFuture<'static, Decoded>>,
    slot: usize,
}

/// See the module.
#[derive(Default)]
pub(super) struct Flights {
    by_origin: RefCell<Map<Origin, Flight>>,
}

impl Flights {
    /// The stack that a chunk is in, and its place there, unless `is_current` denies it, or it is less urgent: it waits in queues that
    /// would let somebody pass.
    pub fn join(
        &self,
        need: &Need,
        urgency: f64,
        is_current: impl FnOnce(Moment) -> bool,
    ) -> Option<(Stack, usize)> {
        let flights = self.by_origin.borrow();
        let flight = flights.get(&need.origin)?;
        let stack = flight.stack.upgrade().filter(|stack| stack.peek().is_none())?;
        (flight.urgency >= urgency && is_current(flight.begun)).then_some((stack, flight.slot))
    }

    /// Whether nothing was begun since all was forgotten.
    pub fn is_empty(&self) -> bool {
        self.by_origin.borrow().len() == 0
    }

    /// Nobody joins what is under way any more.
    pub fn forget_all(&self) {
        self.by_origin.borrow_mut().clear();
    }

    /// Starts a stack of these chunks.
    pub fn start(
        &self,
        needs: &[Need],
        (begun, urgency): (Moment, f64),
        decoding: LocalFuture<'static, Decoded>,
    ) -> Stack {
        let stack = decoding.shared();
        let mut flights = self.by_origin.borrow_mut();
        flights.retain(|_, flight| flight.stack.upgrade().is_some());
        for (slot, need) in needs.iter().enumerate() {
            if let Some(weak) = stack.downgrade() {
                flights.insert(need.origin.clone(), Flight { begun, urgency, stack: weak, slot });
            }
        }
        stack
    }
}

/// Whole chunks of one shape, on their way to a decoder of their own.
pub(super) struct StackReader {
    pub fetching: Fetching,
    pub decoder: Rc<dyn Decoder>,
    pub header: Vec<u32>,
    /// Of these chunks alone.
    pub plan: PartPlan,
    /// Bytes of one of them, decoded.
    pub slot_bytes: u64,
    /// As those know them who keep them; in the plan of whoever began it.
    pub needs: Vec<Need>,
}

impl StackReader {
    /// Fetches and decodes them, and keeps their elements.
    pub async fn read(mut self) -> Decoded {
        let begun = writers::now();
        let needs = self.plan.take_needs();
        let mut waiting: FuturesUnordered<_> =
            self.fetching.requests(&self.plan, needs, begun)?.into_iter().collect();
        let mut decoding = None;
        let mut fetched: Vec<Option<u64>> = vec![None; self.needs.len()];
        while let Some(arrival) = waiting.next().await {
            let Arrival::Chunks(chunks) = arrival? else { continue };
            let chunks: Vec<(Need, Value)> =
                chunks.into_iter().filter_map(|(need, value)| Some((need, value?))).collect();
            for (need, value) in &chunks {
                if let Some(fetched) = fetched.get_mut(need.id) {
                    *fetched = Some(value.len());
                }
            }
            let header = || Ok(self.header.clone());
            supply(&self.fetching, &*self.decoder, &self.plan, &mut decoding, chunks, header)?;
        }
        drop(waiting);
        let elements = match decoding {
            Some(decoding) => {
                let decoded = decoding.finish().await;
                Some(decoded.map_err(|error| with_full_key(&self.fetching, error))?)
            }
            None => None,
        };
        let slots = cut(elements.as_ref(), &fetched, self.slot_bytes)?;
        self.keep(&slots, begun);
        Ok(Rc::new(slots))
    }

    fn keep(self, slots: &[WholeChunk], begun: Moment) {
        if self.fetching.array.chunks().may_be_kept() {
            let elements = slots.iter().map(|slot| slot.elements.clone());
            let chunks = self.needs.into_iter().zip(elements).collect();
            self.fetching.array.cache().put(Kind::Decoded, chunks, begun);
        }
    }
}

/// The chunks of a decoded stack.
fn cut(elements: Option<&Value>, fetched: &[Option<u64>], len: u64) -> Result<Vec<WholeChunk>> {
    let expected = len * fetched.len() as u64;
    if let Some(actual) = elements.map(Value::len).filter(|actual| *actual != expected) {
        let error = Error::format("chunks decode to the wrong number of bytes").in_stage(Stage::Decode);
        return Err(error.expected(format!("{expected} bytes")).actual(format!("{actual} bytes")));
    }
    let slot = |(slot, fetched): (u64, &Option<u64>)| match (elements, fetched) {
        (Some(elements), Some(fetched)) => {
            let elements = Some(elements.slice(slot * len..(slot + 1) * len)?);
            Ok(WholeChunk { elements, fetched: *fetched })
        }
        _ => Ok(WholeChunk { elements: None, fetched: 0 }),
    };
    (0..).zip(fetched).map(slot).collect()
}
