//! What the stores of one origin share: how many requests are under way, and whether the server takes suffix ranges.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use futures_channel::oneshot;

use super::url::RootUrl;

/// How many requests of one origin are under way at once. HTTP/2 servers take about a hundred streams; over HTTP/1.1
/// browsers queue all but six on their own. 32 keeps either line busy, leaves what waits where it can still be cancelled,
/// and stays far from Chromium's `ERR_INSUFFICIENT_RESOURCES`.
pub const CONCURRENT_REQUESTS: usize = 32;

/// Whether `Range: bytes=-N` works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SuffixRanges {
    /// Nobody has tried.
    #[default]
    Unknown,
    /// One was answered rightly.
    Work,
    /// One was refused, ignored or misread, and something else worked.
    Fail,
}

/// One server.
#[derive(Debug)]
pub struct Origin {
    pub(super) suffix_ranges: Cell<SuffixRanges>,
    permits: Rc<Permits>,
}

impl Origin {
    /// A server of which nothing is known.
    pub fn new(concurrent_requests: usize) -> Self {
        let permits = Permits { free: Cell::new(concurrent_requests.max(1)), queue: RefCell::default() };
        Self { suffix_ranges: Cell::default(), permits: Rc::new(permits) }
    }

    /// Waits until a request may be sent; it is under way until the permit is dropped.
    pub(super) async fn permit(&self) -> Permit {
        if let Some(permit) = self.permits.take() {
            return permit;
        }
        let (sender, receiver) = oneshot::channel();
        self.permits.queue.borrow_mut().push_back(sender);
        // Nobody drops a sender unused while the queue lives, and it lives as long as `self`.
        receiver.await.unwrap_or(Permit(None))
    }
}

#[derive(Debug)]
struct Permits {
    free: Cell<usize>,
    queue: RefCell<VecDeque<oneshot::Sender<Permit>>>,
}

impl Permits {
    fn take(self: &Rc<Self>) -> Option<Permit> {
        self.free.set(self.free.get().checked_sub(1)?);
        Some(Permit(Some(self.clone())))
    }
}

/// Leave to have one request under way, until it is dropped.
#[derive(Debug)]
pub(super) struct Permit(Option<Rc<Permits>>);

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(permits) = self.0.take() else { return };
        loop {
            let next = permits.queue.borrow_mut().pop_front();
            let Some(waiter) = next else { break };
            // The permit itself travels through the channel: a waiter that leaves after this drops it, and it comes by here
            // again. From one that has left already it comes back at once.
            match waiter.send(Self(Some(permits.clone()))) {
                Ok(()) => return,
                Err(mut unused) => unused.0 = None,
            }
        }
        permits.free.set(permits.free.get() + 1);
    }
}

/// All origins that are known.
#[derive(Debug, Default)]
pub struct Origins(RefCell<BTreeMap<String, Rc<Origin>>>);

impl Origins {
    /// The origin of a root.
    pub fn of(&self, root: &RootUrl) -> Rc<Origin> {
        let mut origins = self.0.borrow_mut();
        origins.entry(root.origin()).or_insert_with(|| Rc::new(Origin::new(CONCURRENT_REQUESTS))).clone()
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
    fn permits_pass_over_waiters_that_left() {
        let origin = Origin::new(1);
        let Poll::Ready(first) = poll(pin!(origin.permit())) else { panic!("a free permit") };
        let mut left_before = Box::pin(origin.permit());
        let mut left_after = Box::pin(origin.permit());
        let mut last = Box::pin(origin.permit());
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
    fn thousands_that_left_do_not_exhaust_the_stack() {
        let origin = Origin::new(1);
        let Poll::Ready(first) = poll(pin!(origin.permit())) else { panic!("a free permit") };
        for _ in 0..100_000 {
            assert!(poll(Box::pin(origin.permit()).as_mut()).is_pending());
        }
        drop(first);
        assert_eq!(origin.permits.free.get(), 1);
    }

    #[test]
    fn stores_of_one_server_share_an_origin() {
        let origins = Origins::default();
        let of = |url: &str| origins.of(&RootUrl::parse(url).unwrap());
        assert!(Rc::ptr_eq(&of("https://host/a"), &of("https://HOST/b?sig=1")));
        assert!(!Rc::ptr_eq(&of("https://host/a"), &of("http://host/a")));
    }
}
