//! How urgent a request is, which may change while it waits: a chunk that was fetched ahead of time comes into view.
//!
//! What is in front of the user has 0 or more; what is below 0 is fetched in the background, and makes way.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

type OnRaise = Rc<dyn Fn()>;

/// The urgency of a request. Clones are the same one.
#[derive(Clone, Default)]
pub struct Urgency(Rc<Shared>);

#[derive(Default)]
struct Shared {
    value: Cell<f64>,
    on_raise: RefCell<Option<OnRaise>>,
}

impl Urgency {
    /// The higher, the sooner.
    pub fn new(value: f64) -> Self {
        let value = if value.is_nan() { 0.0 } else { value };
        Self(Rc::new(Shared { value: Cell::new(value), on_raise: RefCell::default() }))
    }

    /// How urgent it is now.
    pub fn value(&self) -> f64 {
        self.0.value.get()
    }

    /// Whether it makes way for everything that is not in the background.
    pub fn is_background(&self) -> bool {
        self.value() < 0.0
    }

    /// Makes it as urgent as somebody else who waits for the same thing.
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

    /// Says who keeps the queue in which the request waits.
    pub(super) fn on_raise(&self, call: OnRaise) {
        *self.0.on_raise.borrow_mut() = Some(call);
    }
}

impl std::fmt::Debug for Urgency {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Urgency").field(&self.value()).finish()
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn urgency_only_rises_and_tells() {
        let told = Rc::new(Cell::new(0));
        let urgency = Urgency::new(-1.0);
        let count = told.clone();
        urgency.on_raise(Rc::new(move || count.set(count.get() + 1)));
        urgency.clone().raise(-2.0);
        assert_eq!((urgency.value(), told.get()), (-1.0, 0));
        urgency.clone().raise(0.0);
        assert_eq!((urgency.value(), urgency.is_background(), told.get()), (0.0, false, 1));
        assert_eq!(Urgency::new(f64::NAN).value(), 0.0);
    }
}
