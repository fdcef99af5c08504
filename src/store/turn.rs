//! Turns: work that may be long stops here now and then, so that whoever else runs on this thread comes to its turn.
//!
//! How long is long is the host's matter, who has a clock: a page wants to draw. Where nobody else waits, a turn is over at once.

use std::cell::Cell;

use crate::store::LocalFuture;

/// How the host lets others go first.
pub type Pause = fn() -> LocalFuture<'static, ()>;

thread_local! {
    static PAUSE: Cell<Option<Pause>> = const { Cell::new(None) };
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
