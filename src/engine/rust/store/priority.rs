//! The priority of a request. It may rise while the request waits, for example when a prefetched
//! chunk comes into view.
//!
//! Requests for what the user sees have a priority of 0 or more. Requests below 0 are in the
//! background and let others go first.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

type OnRaise = Rc<dyn Fn()>;

/// The priority of a request. Clones share one value.
#[derive(Clone, Default)]
pub struct Priority(Rc<Shared>);

#[derive(Default)]
struct Shared {
    value: Cell<f64>,
    on_raise: RefCell<Option<OnRaise>>,
}

impl Priority {
    /// A new priority. Higher values go first; NaN counts as 0.
    pub fn new(value: f64) -> Self {
        let value = if value.is_nan() { 0.0 } else { value };
        Self(Rc::new(Shared { value: Cell::new(value), on_raise: RefCell::default() }))
    }

    /// The current value.
    pub fn value(&self) -> f64 {
        self.0.value.get()
    }

    /// Whether the request is in the background.
    pub fn is_background(&self) -> bool {
        self.value() < 0.0
    }

    /// Raises the value to that of another caller of the same request. Never lowers it.
    pub fn raise(&self, other: f64) {
        if other <= self.value() {
            return;
        }
        self.0.value.set(other);
        let on_raise = self.0.on_raise.borrow().clone();
        if let Some(on_raise) = on_raise {
            on_raise();
        }
    }

    /// Sets the function that the queue of the request runs when the value rises.
    pub(super) fn on_raise(&self, call: OnRaise) {
        *self.0.on_raise.borrow_mut() = Some(call);
    }
}

impl std::fmt::Debug for Priority {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Priority").field(&self.value()).finish()
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn priority_only_rises_and_notifies() {
        let calls = Rc::new(Cell::new(0));
        let priority = Priority::new(-1.0);
        let count = calls.clone();
        priority.on_raise(Rc::new(move || count.set(count.get() + 1)));
        priority.clone().raise(-2.0);
        assert_eq!((priority.value(), calls.get()), (-1.0, 0));
        priority.clone().raise(0.0);
        assert_eq!((priority.value(), priority.is_background(), calls.get()), (0.0, false, 1));
        assert_eq!(Priority::new(f64::NAN).value(), 0.0);
    }
}
