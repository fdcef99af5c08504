//! Bulk reads: reads of many bytes, such as reductions, that need no early first result. They send
//! few, long requests, and limit how many are in flight.
//!
//! Each request costs time on the thread that sends it, and money for the owner of the server. If
//! all long requests ran at once, all would end late: decoding would wait for the network, and then
//! the network for decoding.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use futures_util::future::LocalBoxFuture;

/// The maximum number of long requests of a read in flight.
const LONG_REQUESTS: usize = 3;

/// A bulk read.
pub struct Bulk {
    merged_bytes: Cell<u64>,
    begun: Cell<bool>,
    free: Cell<usize>,
    /// Requests that wait for their turn, in the order of arrival.
    waiting: RefCell<Vec<Waker>>,
}

/// A permit for one long request. Dropping it frees the permit.
struct Turn(Rc<Bulk>);

impl Bulk {
    /// A bulk read with this target length of merged requests, in bytes.
    pub fn new(merged_bytes: u64) -> Self {
        Self {
            merged_bytes: Cell::new(merged_bytes),
            begun: Cell::default(),
            free: Cell::new(LONG_REQUESTS),
            waiting: RefCell::default(),
        }
    }

    /// The target length of merged requests, in bytes.
    pub fn merged_bytes(&self) -> u64 {
        self.merged_bytes.get()
    }

    /// Whether this is the first call. Requests of equal length that start together end together,
    /// and the network is idle until the next ones are answered; so the first ones are staggered.
    pub fn begins(&self) -> bool {
        !self.begun.replace(true)
    }

    /// Sets another target length. The last requests should be short, because nothing is fetched
    /// while the last bytes are decoded.
    pub fn shorten(&self, merged_bytes: u64) {
        self.merged_bytes.set(merged_bytes);
    }

    /// Wraps a request so that it starts when a permit is free.
    pub fn in_turn<T: 'static>(
        self: Rc<Self>,
        request: LocalBoxFuture<'static, T>,
    ) -> LocalBoxFuture<'static, T> {
        Box::pin(async move {
            let turn = self.turn().await;
            let answer = request.await;
            drop(turn);
            answer
        })
    }

    async fn turn(self: Rc<Self>) -> Turn {
        poll_fn(|context| {
            if let Some(free) = self.free.get().checked_sub(1) {
                self.free.set(free);
                return Poll::Ready(());
            }
            self.waiting.borrow_mut().push(context.waker().clone());
            Poll::Pending
        })
        .await;
        Turn(self)
    }
}

impl Drop for Turn {
    /// Wakes all that wait, in their order, because the first may have been dropped.
    fn drop(&mut self) {
        self.0.free.set(self.0.free.get().saturating_add(1));
        let waiting = self.0.waiting.take();
        waiting.into_iter().for_each(Waker::wake);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use futures_channel::oneshot;
    use futures_util::future::FutureExt;
    use futures_util::task::LocalSpawnExt;

    use super::*;

    /// A long request that was answered when `answered` is.
    fn request(bulk: &Rc<Bulk>) -> (oneshot::Sender<()>, LocalBoxFuture<'static, ()>) {
        let (sender, answered) = oneshot::channel();
        let request = Box::pin(async move { answered.await.unwrap() });
        (sender, bulk.clone().in_turn(request))
    }

    #[test]
    fn long_requests_take_turns() {
        let bulk = Rc::new(Bulk::new(1));
        let (senders, mut requests): (Vec<_>, Vec<_>) = (0..6).map(|_| request(&bulk)).unzip();
        let is_done = |request: &mut LocalBoxFuture<'_, ()>| request.now_or_never().is_some();
        assert!(!requests.iter_mut().any(is_done));
        senders.into_iter().for_each(|sender| sender.send(()).unwrap());
        // Those that wait for a turn are not begun, though they would be answered at once.
        assert!(!requests.iter_mut().skip(LONG_REQUESTS).any(is_done));
        // A request that is dropped while it waits takes no turn.
        drop(requests.remove(LONG_REQUESTS));
        assert!(is_done(&mut requests[0]));
        assert!(is_done(&mut requests[LONG_REQUESTS]));
        assert!(requests.iter_mut().skip(1).take(LONG_REQUESTS - 1).all(is_done));
        assert!(is_done(&mut requests[LONG_REQUESTS + 1]));
        assert_eq!((bulk.free.get(), bulk.waiting.borrow().len()), (LONG_REQUESTS, 0));
    }

    #[test]
    fn requests_that_wait_are_woken_in_their_order() {
        let bulk = Rc::new(Bulk::new(1));
        let order = Rc::new(RefCell::new(Vec::new()));
        let pool = &mut futures_executor::LocalPool::new();
        for number in 0..10 {
            let order = order.clone();
            let request = bulk.clone().in_turn(Box::pin(async move { order.borrow_mut().push(number) }));
            pool.spawner().spawn_local(request).unwrap();
        }
        pool.run();
        assert_eq!(*order.borrow(), (0..10).collect::<Vec<_>>());
    }

    #[test]
    fn a_turn_that_nobody_takes_is_free_again() {
        let bulk = Rc::new(Bulk::new(1));
        let (_senders, mut requests): (Vec<_>, Vec<_>) = (0..6).map(|_| request(&bulk)).unzip();
        for request in &mut requests {
            assert!(request.now_or_never().is_none());
        }
        drop(requests);
        assert_eq!(bulk.free.get(), LONG_REQUESTS);
    }
}
