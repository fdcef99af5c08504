//! One request for all who ask for the same bytes at the same time.
//!
//! Waiters are counted by what they hold: a read is polled on behalf of whoever is left, and dropped, which aborts it, when
//! the last one leaves. Deliberately no cache: a read that has ended is forgotten at once.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::{Shared, WeakShared};

use crate::error::{IS_FULL, Result};
use crate::format::path::StoreKey;
use crate::store::left_to_full;
use crate::store::{
    ByteRange, Fetched, KeyStartValue, LocalFuture, RequestContext, Store, Subject, Urgency, Value,
};

type Read = LocalFuture<'static, Result<Option<Fetched>>>;

/// What makes two reads the same.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Question {
    key: StoreKey,
    range: ByteRange,
    subject: Subject,
    reload: bool,
}

struct Flight {
    serial: u64,
    read: WeakShared<Read>,
    urgency: Urgency,
}

#[derive(Default)]
struct Flights {
    by_question: RefCell<HashMap<Question, Flight>>,
    serial: Cell<u64>,
}

/// A store whose concurrent equal reads are one.
pub struct Sharing<S> {
    inner: Rc<S>,
    flights: Rc<Flights>,
}

impl<S: Store + 'static> Sharing<S> {
    /// Shares the reads of `inner`. They carry no caller's abort signal: no one of them owns the read.
    pub fn new(inner: S) -> Self {
        Self { inner: Rc::new(inner), flights: Rc::default() }
    }

    fn join(&self, question: Question, context: &RequestContext) -> Shared<Read> {
        let urgency = context.urgency.value();
        let flying = self.flights.by_question.borrow().get(&question).and_then(|flight| {
            let read = flight.read.upgrade()?;
            Some((read, flight.urgency.clone()))
        });
        let Some((read, waiting)) = flying else { return self.begin(question, context) };
        waiting.raise(urgency);
        read
    }

    /// Whoever reads after a write must not join a read that began before it.
    fn forget(&self, key: &StoreKey) {
        self.flights.by_question.borrow_mut().retain(|question, _| question.key != *key);
    }

    fn begin(&self, question: Question, context: &RequestContext) -> Shared<Read> {
        let serial = self.flights.serial.get();
        self.flights.serial.set(serial + 1);
        let landing = Landing { flights: self.flights.clone(), question: question.clone(), serial };
        let inner = self.inner.clone();
        // Its own: raising it must not raise all that this caller waits for.
        let urgency = Urgency::new(context.urgency.value());
        let context = RequestContext { signal: None, urgency: urgency.clone(), ..context.clone() };
        let read: Read = Box::pin(async move {
            let Question { key, range, .. } = &landing.question;
            inner.get(key, *range, &context).await
        });
        let read = read.shared();
        if let Some(weak) = read.downgrade() {
            let flight = Flight { serial, read: weak, urgency };
            self.flights.by_question.borrow_mut().insert(question, flight);
        }
        read
    }
}

/// Forgets a read when it ends or is aborted.
struct Landing {
    flights: Rc<Flights>,
    question: Question,
    serial: u64,
}

impl Drop for Landing {
    fn drop(&mut self) {
        let mut flights = self.flights.by_question.borrow_mut();
        // An abort may run code of the host, which may have asked again in the meantime.
        if flights.get(&self.question).is_some_and(|flight| flight.serial == self.serial) {
            flights.remove(&self.question);
        }
    }
}

impl<S: Store + 'static> Store for Sharing<S> {
    forward_to_inner! { capabilities describe size lists }

    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        if !IS_FULL {
            return left_to_full("writing");
        }
        Box::pin(async move {
            let written = self.inner.set(key, value).await;
            self.forget(key);
            written
        })
    }

    fn set_partial_values<'a>(&'a self, values: &'a [KeyStartValue]) -> LocalFuture<'a, Result<()>> {
        if !IS_FULL {
            return left_to_full("writing");
        }
        Box::pin(async move {
            let written = self.inner.set_partial_values(values).await;
            values.iter().for_each(|value| self.forget(&value.key));
            written
        })
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        if !IS_FULL {
            return left_to_full("erasing");
        }
        Box::pin(async move {
            let erased = self.inner.erase(key).await;
            self.forget(key);
            erased
        })
    }

    fn erase_values<'a>(&'a self, keys: &'a [StoreKey]) -> LocalFuture<'a, Result<()>> {
        if !IS_FULL {
            return left_to_full("erasing");
        }
        Box::pin(async move {
            let erased = self.inner.erase_values(keys).await;
            keys.iter().for_each(|key| self.forget(key));
            erased
        })
    }

    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Fetched>>> {
        let RequestContext { subject, reload, .. } = *context;
        Box::pin(self.join(Question { key: key.clone(), range, subject, reload }, context))
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
