//! Work in flight that several callers share: the first caller starts it, later callers join.
//!
//! Each waiting caller drives the work. It is dropped, and thereby cancelled, when the last caller
//! leaves, so that no caller's abort ends the work of another. This is not a cache: finished work
//! is removed at once.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use futures_util::future::{FutureExt, WeakShared};

use crate::sorted::{Key, Map};
use crate::store::writers::Moment;
use crate::store::{LocalFuture, Priority, SharedFuture};

/// When work started, and its priority.
#[derive(Clone, Debug)]
pub struct Begun {
    /// The moment at which the work started. It may miss later writes.
    pub moment: Moment,
    /// The priority of the work, independent of its callers.
    pub priority: Priority,
}

/// Work in the table. `serial` tells it from later work for the same key.
struct Entry<T, N> {
    serial: u64,
    future: WeakShared<LocalFuture<'static, T>>,
    begun: Begun,
    note: N,
}

type Table<K, T, N> = RefCell<Map<K, Entry<T, N>>>;

/// A table of work in flight by key. Each entry has a note of the caller that started it.
pub struct InFlight<K, T, N = ()> {
    table: Rc<Table<K, T, N>>,
    serial: Cell<u64>,
}

impl<K, T, N> Default for InFlight<K, T, N> {
    fn default() -> Self {
        Self { table: Rc::default(), serial: Cell::default() }
    }
}

impl<K: Key + Clone + 'static, T: Clone + 'static, N: Clone + 'static> InFlight<K, T, N> {
    /// Joins the work in flight for a key, if `may_join` allows it.
    pub fn join(&self, key: &K, may_join: impl FnOnce(&Begun, &N) -> bool) -> Option<(SharedFuture<T>, N)> {
        let table = self.table.borrow();
        let entry = table.get(key)?;
        let future = entry.future.upgrade().filter(|future| future.peek().is_none())?;
        may_join(&entry.begun, &entry.note).then(|| (future, entry.note.clone()))
    }

    /// Starts work that others may join.
    pub fn begin(&self, key: K, begun: Begun, note: N, work: LocalFuture<'static, T>) -> SharedFuture<T> {
        self.begin_for(vec![(key, note)], begun, work)
    }

    /// Starts work that others may join by several keys.
    pub fn begin_for(
        &self,
        keys: Vec<(K, N)>,
        begun: Begun,
        work: LocalFuture<'static, T>,
    ) -> SharedFuture<T> {
        let serial = self.serial.get();
        self.serial.set(serial.wrapping_add(1));
        let mut named = Vec::with_capacity(keys.len());
        for (key, _) in &keys {
            named.push(key.clone());
        }
        let forget = ForgetOnDrop { table: Rc::downgrade(&self.table), keys: named, serial };
        let work: LocalFuture<'static, T> = Box::pin(async move {
            let _forget = forget;
            work.await
        });
        let future = work.shared();
        let mut table = self.table.borrow_mut();
        for (key, note) in keys {
            if let Some(weak) = future.downgrade() {
                table.insert(key, Entry { serial, future: weak, begun: begun.clone(), note });
            }
        }
        future
    }

    /// The notes of all work in flight.
    pub fn notes(&self) -> Vec<N> {
        let mut notes = Vec::new();
        for entry in self.table.borrow().values() {
            notes.push(entry.note.clone());
        }
        notes
    }

    /// Whether there is no work to join.
    pub fn is_empty(&self) -> bool {
        self.table.borrow().len() == 0
    }

    /// Removes matching work from the table. Callers that wait for it still receive it.
    pub fn forget(&self, is_forgotten: impl Fn(&K) -> bool) {
        self.table.borrow_mut().retain(|key, _| !is_forgotten(key));
    }

    /// Removes all work from the table. Callers that wait for it still receive it.
    pub fn forget_all(&self) {
        self.table.borrow_mut().clear();
    }
}

/// Removes work from the table when it ends or is dropped.
struct ForgetOnDrop<K: Key, T, N> {
    table: Weak<Table<K, T, N>>,
    keys: Vec<K>,
    serial: u64,
}

impl<K: Key, T, N> Drop for ForgetOnDrop<K, T, N> {
    fn drop(&mut self) {
        let Some(table) = self.table.upgrade() else { return };
        for key in &self.keys {
            let mut table = table.borrow_mut();
            // The key may belong to other work by now.
            if table.get(key).is_some_and(|entry| entry.serial == self.serial) {
                table.remove(key);
            }
        }
    }
}
