//! A read in flight, as stores see it: when it began, and what ends with it.
//!
//! A read makes many requests. A store that gets more than a request asked for may keep the rest
//! for the other requests of the read, and lets it go when the read ends.

use std::cell::{Cell, RefCell};

/// A logical time: it counts the reads that began, and what arrived for them.
pub type Tick = u64;

thread_local! {
    static CLOCK: Cell<Tick> = const { Cell::new(0) };
}

/// The next tick.
#[allow(clippy::arithmetic_side_effects, reason = "a count of reads and answers")]
pub fn tick() -> Tick {
    CLOCK.set(CLOCK.get() + 1);
    CLOCK.get()
}

/// A read in flight. All requests of the read hold it.
pub struct Reader {
    began: Tick,
    at_end: RefCell<Vec<Box<dyn FnOnce()>>>,
}

impl Reader {
    /// A read that begins now.
    pub fn begin() -> Self {
        Self { began: tick(), at_end: RefCell::default() }
    }

    /// When the read began.
    pub fn began(&self) -> Tick {
        self.began
    }

    /// Runs a function when the read ends, also when it is dropped before its end.
    pub fn at_end(&self, run: impl FnOnce() + 'static) {
        self.at_end.borrow_mut().push(Box::new(run));
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.at_end.take().into_iter().for_each(|run| run());
    }
}
