//! Turns: long work pauses now and then, so that other tasks of this thread can run.
//!
//! The host decides how long a turn lasts, because it has a clock and must draw. Without other
//! tasks, a turn ends at once. [`end_of_turn`] waits until all tasks that are ready have made their
//! requests. Only the host knows when that is: sets of futures poll their members in nested loops,
//! so a future cannot tell from its own polls whether the others have run.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

use crate::store::LocalFuture;

/// The host's way to let other tasks run.
pub type Pause = fn() -> LocalFuture<'static, ()>;

/// How the host waits some milliseconds.
pub type Delay = fn(u32) -> LocalFuture<'static, ()>;

thread_local! {
    static DELAY: Cell<Option<Delay>> = const { Cell::new(None) };
    static PAUSE: Cell<Option<Pause>> = const { Cell::new(None) };
    static NEXT_TASK: Cell<Option<Pause>> = const { Cell::new(None) };
    /// The turn that tasks of this thread wait for.
    static CURRENT_TURN: RefCell<Weak<Turn>> = const { RefCell::new(Weak::new()) };
}

/// Sets how turns end on this thread.
pub fn set_pause(pause: Pause) {
    PAUSE.set(Some(pause));
}

/// Sets how this thread waits until all tasks that are ready have run.
pub fn set_next_task(next_task: Pause) {
    NEXT_TASK.set(Some(next_task));
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

/// Lets other tasks run if this task has run long enough.
pub async fn next_turn() {
    if let Some(pause) = PAUSE.get() {
        pause().await;
    }
}

/// Tasks that wait for the end of the turn.
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

/// The first task of a turn. The turn ends when it is dropped, and wakes the other tasks.
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

/// Waits until all tasks that are ready have run. The first task that waits asks the host, then
/// wakes the others.
pub async fn end_of_turn() {
    let turn = CURRENT_TURN.with_borrow(Weak::upgrade);
    if let Some(turn) = turn.filter(|turn| !turn.is_over.get()) {
        return poll_fn(|context| turn.poll_over(context)).await;
    }
    let leader = Leader(Rc::default());
    CURRENT_TURN.with_borrow_mut(|turn| *turn = Rc::downgrade(&leader.0));
    match NEXT_TASK.get() {
        Some(next_task) => next_task().await,
        None => let_others_run().await,
    }
    drop(leader);
}

/// How often a set of futures (`FuturesUnordered`) polls a member that has woken itself, before it
/// returns to its own caller.
const POLLS_BY_A_SET: usize = 2;

/// The sets that a task of a read is in: the parts of the read, and the reads of one caller.
const NESTED_SETS: usize = 2;

/// Lets other tasks run that were started together with this one. It costs less than
/// [`end_of_turn`], and may miss tasks beside more than [`NESTED_SETS`] sets of futures.
pub async fn let_others_run() {
    // An outer set polls an inner one as often as that wakes it.
    let mut polls = 0..POLLS_BY_A_SET * NESTED_SETS;
    poll_fn(|context| match polls.next() {
        None => Poll::Ready(()),
        Some(_) => {
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await;
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::pin::pin;

    use futures_channel::oneshot;
    use futures_util::stream::{FuturesUnordered, StreamExt};

    use super::*;

    /// A set of two futures, of which one sleeps.
    async fn set(member: LocalFuture<'static, ()>) {
        let sleeping: LocalFuture<'static, ()> = Box::pin(std::future::pending());
        let mut set: FuturesUnordered<_> = [member, sleeping].into_iter().collect();
        set.next().await;
    }

    #[test]
    fn a_task_in_nested_sets_lets_the_tasks_beside_them_run() {
        let (start, started) = oneshot::channel::<()>();
        let done = Rc::new(Cell::new(false));
        let is_done = done.clone();
        let task = async move {
            started.await.unwrap();
            let_others_run().await;
            is_done.set(true);
        };
        let mut sets = pin!(set(Box::pin(set(Box::pin(task)))));
        let mut poll = || sets.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
        assert!(!poll());
        start.send(()).unwrap();
        assert!(!poll() && !done.get(), "sets poll a member more often before they return");
        assert!(poll() && done.get());
    }
}
