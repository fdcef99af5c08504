//! Turns: work that may be long stops here now and then, so that whoever else runs on this thread comes to its turn.
//!
//! How long is long is the host's matter, who has a clock: a page wants to draw. Where nobody else waits, a turn is over at once.
//! And who wants to know what others want at the same time waits until all who are ready have asked.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

use crate::store::LocalFuture;

/// How the host lets others go first.
pub type Pause = fn() -> LocalFuture<'static, ()>;

/// How the host waits some milliseconds.
pub type Delay = fn(u32) -> LocalFuture<'static, ()>;

thread_local! {
    static DELAY: Cell<Option<Delay>> = const { Cell::new(None) };
    static PAUSE: Cell<Option<Pause>> = const { Cell::new(None) };
    /// The turn in which some ask now.
    static ASKING: RefCell<Weak<Asking>> = const { RefCell::new(Weak::new()) };
}

/// Says how turns are taken on this thread.
pub fn set_pause(pause: Pause) {
    PAUSE.set(Some(pause));
}

/// Says how this thread waits.
pub fn set_delay(delay: Delay) {
    DELAY.set(Some(delay));
}

/// Waits some milliseconds; for ever where the host has no timer.
pub async fn delay(ms: u32) {
    match DELAY.get() {
        Some(delay) => delay(ms).await,
        None => std::future::pending().await,
    }
}

/// Lets others go first, if this task has lasted long enough.
pub async fn next_turn() {
    if let Some(pause) = PAUSE.get() {
        pause().await;
    }
}

/// Those who wait until all who are ready have asked.
#[derive(Default)]
struct Asking {
    is_over: Cell<bool>,
    waiting: RefCell<Vec<Waker>>,
}

impl Asking {
    fn poll_over(&self, context: &Context<'_>) -> Poll<()> {
        if self.is_over.get() {
            return Poll::Ready(());
        }
        let mut waiting = self.waiting.borrow_mut();
        if !waiting.iter().any(|waker| waker.will_wake(context.waker())) {
            waiting.push(context.waker().clone());
        }
        Poll::Pending
    }
}

/// Whoever came first, and says when the turn is over: also by leaving.
struct Leader(Rc<Asking>);

impl Drop for Leader {
    fn drop(&mut self) {
        self.0.is_over.set(true);
        ASKING.with_borrow_mut(|asking| {
            if std::ptr::eq(asking.as_ptr(), Rc::as_ptr(&self.0)) {
                *asking = Weak::new();
            }
        });
        self.0.waiting.take().into_iter().for_each(Waker::wake);
    }
}

/// Lets all who are ready go first, whatever they read. The first who waits lets them pass, and wakes the others.
pub async fn all_have_asked() {
    let asking = ASKING.with_borrow(Weak::upgrade);
    if let Some(asking) = asking.filter(|asking| !asking.is_over.get()) {
        return poll_fn(|context| asking.poll_over(context)).await;
    }
    let leader = Leader(Rc::default());
    ASKING.with_borrow_mut(|asking| *asking = Rc::downgrade(&leader.0));
    // Those who poll a set of futures poll one again that has woken itself, but only twice before they let their own callers go on; two
    // sets stand in each other here.
    let mut turns = 0..2 * 2;
    poll_fn(|context| match turns.next() {
        None => Poll::Ready(()),
        Some(_) => {
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await;
    drop(leader);
}
