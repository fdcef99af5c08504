//! State that the stores of one origin share: the number of requests in flight, whether the server
//! sends parts of objects, and the objects that came whole.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_channel::oneshot;
use zarr_wasm_http::OriginKnowledge;
use zarr_wasm_http::url::RootUrl;

use super::whole_objects::WholeObjects;
use crate::sorted::Map;
use crate::store::Priority;

/// Maximum number of requests in flight for one origin.
///
/// HTTP/2 servers accept about a hundred streams. Over HTTP/1.1, browsers queue all requests but
/// six. 32 keeps both kinds of connections busy, keeps the other requests where they can still be
/// cancelled, and stays far below the number at which Chromium fails with
/// `ERR_INSUFFICIENT_RESOURCES`.
pub const CONCURRENT_REQUESTS: usize = 32;

/// Maximum number of background requests beside others. Over HTTP/1.1 they use the same six
/// connections.
pub const BACKGROUND_BESIDE: usize = 3;

/// Maximum number of background requests alone, so that the next request finds a free permit.
pub const BACKGROUND_ALONE: usize = 12;

/// One server.
pub struct Origin {
    pub(super) knowledge: OriginKnowledge,
    pub(super) whole_objects: Rc<RefCell<WholeObjects>>,
    permits: Rc<Permits>,
}

impl Origin {
    /// A server of which nothing is known yet.
    pub fn new(concurrent_requests: usize) -> Self {
        let permits = Permits {
            free: Cell::new(concurrent_requests.max(1)),
            background: Cell::default(),
            foreground: Cell::default(),
            queue: RefCell::default(),
        };
        Self {
            knowledge: OriginKnowledge::default(),
            whole_objects: Rc::default(),
            permits: Rc::new(permits),
        }
    }

    /// Waits until a request may be sent. The request counts as in flight until the permit is
    /// dropped. The request with the highest priority goes first; among equals, the one that has
    /// waited longest.
    pub(super) async fn permit(&self, priority: &Priority) -> Permit {
        if let Some(permit) = self.permits.take(priority.is_background()) {
            return permit;
        }
        let (sender, receiver) = oneshot::channel();
        let permits = Rc::downgrade(&self.permits);
        priority.on_raise(Rc::new(move || {
            if let Some(permits) = permits.upgrade() {
                permits.hand_out();
            }
        }));
        self.permits.queue.borrow_mut().push(Waiter { priority: priority.clone(), sender });
        // The queue lives as long as `self`, and drops no sender unused.
        receiver.await.unwrap_or(Permit { permits: None, background: false })
    }
}

/// A request that waits for a permit.
#[derive(Debug)]
struct Waiter {
    priority: Priority,
    sender: oneshot::Sender<Permit>,
}

/// The permits of an origin.
#[derive(Debug)]
struct Permits {
    free: Cell<usize>,
    /// Numbers of background requests and of other requests in flight.
    background: Cell<usize>,
    foreground: Cell<usize>,
    /// Waiting requests in the order of their arrival.
    queue: RefCell<Vec<Waiter>>,
}

impl Permits {
    fn take(self: &Rc<Self>, background: bool) -> Option<Permit> {
        let most = if self.foreground.get() > 0 { BACKGROUND_BESIDE } else { BACKGROUND_ALONE };
        if background && self.background.get() >= most {
            return None;
        }
        self.free.set(self.free.get().checked_sub(1)?);
        let count = self.count(background);
        count.set(count.get().saturating_add(1));
        Some(Permit { permits: Some(self.clone()), background })
    }

    fn count(&self, background: bool) -> &Cell<usize> {
        if background { &self.background } else { &self.foreground }
    }

    /// Gives free permits to waiting requests.
    fn hand_out(self: &Rc<Self>) {
        self.queue.borrow_mut().retain(|waiter| !waiter.sender.is_canceled());
        loop {
            let Some(index) = self.first_in_line() else { return };
            let background =
                self.queue.borrow().get(index).is_none_or(|waiter| waiter.priority.is_background());
            let Some(permit) = self.take(background) else { return };
            let waiter = self.queue.borrow_mut().remove(index);
            // The channel carries the permit itself. If the request is dropped before it receives
            // the permit, the permit is dropped too and becomes free.
            if let Err(unused) = waiter.sender.send(permit) {
                unused.give_back();
            }
        }
    }

    fn first_in_line(&self) -> Option<usize> {
        let queue = self.queue.borrow();
        let mut best: Option<(usize, f64)> = None;
        for (index, waiter) in queue.iter().enumerate() {
            let value = waiter.priority.value();
            if best.is_none_or(|(_, most)| value > most) {
                best = Some((index, value));
            }
        }
        best.map(|(index, _)| index)
    }
}

/// The right to have one request in flight, until it is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    permits: Option<Rc<Permits>>,
    background: bool,
}

impl Permit {
    /// Returns the permit without waking other requests.
    fn give_back(mut self) -> Option<Rc<Permits>> {
        self.count_back()
    }

    fn count_back(&mut self) -> Option<Rc<Permits>> {
        let permits = self.permits.take()?;
        let count = permits.count(self.background);
        count.set(count.get().saturating_sub(1));
        permits.free.set(permits.free.get().saturating_add(1));
        Some(permits)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(permits) = self.count_back() {
            permits.hand_out();
        }
    }
}

/// All known origins.
#[derive(Default)]
pub struct Origins(RefCell<Map<String, Rc<Origin>>>);

impl Origins {
    /// The origin of a root URL.
    pub fn of(&self, root: &RootUrl) -> Rc<Origin> {
        let mut origins = self.0.borrow_mut();
        origins.get_or_insert_with(root.origin(), || Rc::new(Origin::new(CONCURRENT_REQUESTS))).clone()
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn permits_skip_dropped_waiters() {
        let (origin, priority) = (Origin::new(1), Priority::default());
        let Poll::Ready(first) = poll(pin!(origin.permit(&priority))) else { panic!("a free permit") };
        let mut left_before = Box::pin(origin.permit(&priority));
        let mut left_after = Box::pin(origin.permit(&priority));
        let mut last = Box::pin(origin.permit(&priority));
        assert!(poll(left_before.as_mut()).is_pending());
        assert!(poll(left_after.as_mut()).is_pending());
        assert!(poll(last.as_mut()).is_pending());
        drop(left_before);
        drop(first);
        // `left_after` was handed the permit and leaves without having looked.
        assert!(poll(last.as_mut()).is_pending());
        drop(left_after);
        let Poll::Ready(permit) = poll(last.as_mut()) else { panic!("the last waiter's turn") };
        drop(permit);
        assert_eq!(origin.permits.free.get(), 1);
    }

    #[test]
    fn many_dropped_waiters_do_not_exhaust_the_stack() {
        let origin = Origin::new(1);
        let Poll::Ready(first) = poll(pin!(origin.permit(&Priority::default()))) else {
            panic!("a free permit")
        };
        for _ in 0..100_000 {
            assert!(poll(Box::pin(origin.permit(&Priority::default())).as_mut()).is_pending());
        }
        drop(first);
        assert_eq!(origin.permits.free.get(), 1);
    }

    #[test]
    fn the_request_of_highest_priority_goes_first_and_priorities_may_rise() {
        let origin = Origin::new(1);
        let priorities = [0.0, 2.0, 1.0, 2.0].map(Priority::new);
        let Poll::Ready(mut permit) = poll(pin!(origin.permit(&Priority::default()))) else {
            panic!("a free permit")
        };
        let mut waiting: Vec<_> =
            priorities.iter().map(|priority| Box::pin(origin.permit(priority))).collect();
        assert!(waiting.iter_mut().all(|waiter| poll(waiter.as_mut()).is_pending()));
        priorities[0].raise(1.5);
        for expected in [1, 3, 0, 2] {
            drop(permit);
            let Poll::Ready(next) = poll(waiting[expected].as_mut()) else {
                panic!("{expected} was not next")
            };
            permit = next;
        }
    }

    #[test]
    fn background_requests_leave_permits_free_and_start_when_raised() {
        let origin = Origin::new(CONCURRENT_REQUESTS);
        let ahead: Vec<Priority> = (0..20).map(|_| Priority::new(-1.0)).collect();
        let mut waiting: Vec<_> = ahead.iter().map(|priority| Box::pin(origin.permit(priority))).collect();
        let mut permits: Vec<Option<Permit>> = Vec::new();
        for waiter in &mut waiting {
            permits.push(match poll(waiter.as_mut()) {
                Poll::Ready(permit) => Some(permit),
                Poll::Pending => None,
            });
        }
        assert_eq!(permits.iter().flatten().count(), BACKGROUND_ALONE);
        // Something is looked at: it begins at once, and no more of the background does beside it.
        let visible = Priority::default();
        let Poll::Ready(seen) = poll(pin!(origin.permit(&visible))) else { panic!("permits are free") };
        permits[0] = None;
        assert!(poll(waiting[BACKGROUND_ALONE].as_mut()).is_pending());
        ahead[19].raise(0.0);
        let Poll::Ready(raised) = poll(waiting[19].as_mut()) else {
            panic!("it is not in the background now")
        };
        drop((seen, raised));
        permits.clear();
        assert!(poll(waiting[BACKGROUND_ALONE].as_mut()).is_ready());
    }

    #[test]
    fn stores_of_one_server_share_an_origin() {
        let origins = Origins::default();
        let of = |url: &str| origins.of(&RootUrl::parse(url).unwrap());
        assert!(Rc::ptr_eq(&of("https://host/a"), &of("https://HOST/b?sig=1")));
        assert!(!Rc::ptr_eq(&of("https://host/a"), &of("http://host/a")));
    }
}
