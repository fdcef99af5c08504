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

thread_local! {
    static PAUSE: Cell<Option<Pause>> = const { Cell::new(None) };
    /// The turn in which some ask now.
    static CURRENT_TURN: RefCell<Weak<Turn>> = const { RefCell::new(Weak::new()) };
}

/// Says how turns are taken on this thread.
pub fn set_pause(pause: Pause) {
    PAUSE.set(Some(pause));
}

/// Lets others go first, if this task has lasted long enough.
pub async fn next_turn() {
    if let Some(pause) = PAUSE.get() {
        pause().await;
    }
}

/// Those who wait until all who are ready have asked.
#[derive(Default)]
struct Turn {
    is_over: Cell<bool>,
    waiting: RefCell<Vec<Waker>>,
}

impl Turn {
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
struct Leader(Rc<Turn>);

impl Drop for Leader {
    fn drop(&mut self) {
        self.0.is_over.set(true);
        CURRENT_TURN.with_borrow_mut(|turn| {
            if std::ptr::eq(turn.as_ptr(), Rc::as_ptr(&self.0)) {
                *turn = Weak::new();
            }
        });
        self.0.waiting.take().into_iter().for_each(Waker::wake);
    }
}

/// Lets all who are ready go first, whatever they read. The first who waits lets them pass, and wakes the others.
pub async fn end_of_turn() {
    let turn = CURRENT_TURN.with_borrow(Weak::upgrade);
    if let Some(turn) = turn.filter(|turn| !turn.is_over.get()) {
        return poll_fn(|context| turn.poll_over(context)).await;
    }
    let leader = Leader(Rc::default());
    CURRENT_TURN.with_borrow_mut(|turn| *turn = Rc::downgrade(&leader.0));
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
