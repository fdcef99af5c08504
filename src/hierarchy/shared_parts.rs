//! Parts under way, for all who read the same elements in the same form: they are fetched and decoded once.
//!
//! Who asks for a part that is under way joins it; it is polled on behalf of whoever is left, and dropped, which cancels it, when the last
//! one leaves. Deliberately only for the very same part: one that merely overlaps would have to be read to its end for whoever wants a
//! corner of it. Single chunks are shared in [`shared_chunks`](super::shared_chunks).

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use futures_util::future::{FutureExt, Shared, WeakShared};

use crate::access::piece::Header;
use crate::access::plan::{Outline, PartPlan};
use crate::hierarchy::part_work::{Counts, PartResult, PartRun, ReadWork};
use crate::store::LocalFuture;
use crate::store::writers::{self, Moment};

/// What becomes of a part.
pub(super) type Running = LocalFuture<'static, PartResult>;

/// What two parts have in common that are one.
#[derive(PartialEq, Eq)]
struct Identity {
    outline: Outline,
    header: Vec<u32>,
}

/// A part under way.
struct Flight {
    identity: Identity,
    conversion: Vec<u32>,
    /// Those who read it; never looked at.
    of: Weak<ReadWork>,
    begun: Moment,
    urgency: f64,
    counts: Rc<Counts>,
    is_wanted: Rc<Cell<bool>>,
    running: WeakShared<Running>,
}

/// Whether a part is read for all who want it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    On,
    /// For those who come later.
    Begun,
    /// Nothing of it is worth it, or somebody may see it.
    Off,
}

/// A part that is on its way.
pub(super) struct OnItsWay {
    pub running: Shared<Running>,
    pub counts: Rc<Counts>,
    /// Somebody else has begun it.
    pub is_joined: bool,
}

/// See the module.
#[derive(Default)]
pub(super) struct SharedParts {
    flights: RefCell<Vec<Flight>>,
}

impl SharedParts {
    /// What parts of other reads are under way with elements in the same form.
    pub fn of_others(&self, read: &ReadWork) -> Vec<Outline> {
        let flights = self.flights.borrow();
        let others = flights.iter().filter(|flight| {
            !std::ptr::eq(flight.of.as_ptr(), read)
                && flight.conversion == read.layout.conversion
                && flight.is_under_way()
        });
        others.map(|flight| flight.identity.outline.clone()).collect()
    }

    /// Joins the part, or begins it.
    pub fn read(&self, read: &Rc<ReadWork>, run: PartRun, sharing: Sharing) -> OnItsWay {
        let identity = if sharing == Sharing::Off { None } else { identity_of(read, &run) };
        let urgency = read.fetching.context.urgency.value();
        if sharing == Sharing::On
            && let Some(identity) = &identity
            && let Some(joined) = self.join(read, identity, &run.plan, urgency)
        {
            return joined;
        }
        let (begun, counts, is_wanted) = (writers::now(), run.counts.clone(), run.is_wanted.clone());
        let running: Running = Box::pin(read.clone().run(run));
        let running = running.shared();
        if let Some((weak, identity)) = running.downgrade().zip(identity) {
            let (of, conversion) = (Rc::downgrade(read), read.layout.conversion.clone());
            let counts = counts.clone();
            let flight =
                Flight { identity, conversion, of, begun, urgency, counts, is_wanted, running: weak };
            let mut flights = self.flights.borrow_mut();
            flights.retain(Flight::is_under_way);
            flights.push(flight);
        }
        OnItsWay { running, counts, is_joined: false }
    }

    /// Not what is less urgent: it waits in queues that would let somebody pass. Nor what was written to since it was begun.
    fn join(&self, read: &ReadWork, identity: &Identity, plan: &PartPlan, urgency: f64) -> Option<OnItsWay> {
        let flights = self.flights.borrow();
        let same = |flight: &&Flight| flight.identity == *identity && flight.urgency >= urgency;
        let flight = flights.iter().find(same)?;
        let running = flight.running.upgrade().filter(|running| running.peek().is_none())?;
        let array = &read.fetching.array;
        let is_current = |chunk: &Rc<[u64]>| {
            writers::unchanged_since_of(array.chunks(), || array.chunk_key(chunk), flight.begun)
        };
        if !plan.touched().all(is_current) {
            return None;
        }
        flight.is_wanted.set(true);
        Some(OnItsWay { running, counts: flight.counts.clone(), is_joined: true })
    }

    /// Nobody joins what is under way any more.
    pub fn forget_all(&self) {
        self.flights.borrow_mut().clear();
    }
}

impl Flight {
    fn is_under_way(&self) -> bool {
        self.running.upgrade().is_some_and(|running| running.peek().is_none())
    }
}

fn identity_of(read: &ReadWork, run: &PartRun) -> Option<Identity> {
    let outline = run.plan.outline()?;
    let header = Header::new(&run.part.shape, &read.layout.order, &read.layout.conversion).ok()?;
    Some(Identity { outline, header: header.to_words() })
}
