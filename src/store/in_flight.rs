//! Work under way, for all who want the same: one begins it, and whoever comes before it has ended joins.
//!
//! It is polled on behalf of whoever is left, and dropped, which cancels it, when the last one leaves: nobody's abort ends what
//! somebody else waits for. Deliberately no cache: what has ended is forgotten at once.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use futures_util::future::{FutureExt, Shared, WeakShared};

use crate::sorted::{Key, Map};
use crate::store::writers::Moment;
use crate::store::{LocalFuture, Urgency};

/// Work under way. Clones are the same work.
pub type SharedFuture<T> = Shared<LocalFuture<'static, T>>;

/// When work was begun, and how urgent it is.
#[derive(Clone, Debug)]
pub struct Begun {
    /// What was written later, it may not have seen.
    pub moment: Moment,
    /// Of the work itself, whoever waits for it.
    pub urgency: Urgency,
}

struct Entry<T, N> {
    serial: u64,
    future: WeakShared<LocalFuture<'static, T>>,
    begun: Begun,
    note: N,
}

type Table<K, T, N> = RefCell<Map<K, Entry<T, N>>>;

/// Work under way by what it is, each with a note of whoever began it.
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
    /// Joins the work under way for a key, unless `may_join` denies it.
    pub fn join(&self, key: &K, may_join: impl FnOnce(&Begun, &N) -> bool) -> Option<(SharedFuture<T>, N)> {
        let table = self.table.borrow();
        let entry = table.get(key)?;
        let future = entry.future.upgrade().filter(|future| future.peek().is_none())?;
        may_join(&entry.begun, &entry.note).then(|| (future, entry.note.clone()))
    }

    /// Begins work; others may join it from now on.
    pub fn begin(&self, key: K, begun: Begun, note: N, work: LocalFuture<'static, T>) -> SharedFuture<T> {
        self.begin_for(vec![(key, note)], begun, work)
    }

    /// Begins work that answers several questions.
    pub fn begin_for(
        &self,
        keys: Vec<(K, N)>,
        begun: Begun,
        work: LocalFuture<'static, T>,
    ) -> SharedFuture<T> {
        let serial = self.serial.get();
        self.serial.set(serial + 1);
        let named = keys.iter().map(|(key, _)| key.clone()).collect();
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

    /// The notes of what is under way.
    pub fn notes(&self) -> Vec<N> {
        self.table.borrow().values().map(|entry| entry.note.clone()).collect()
    }

    /// Whether nothing is under way that could be joined.
    pub fn is_empty(&self) -> bool {
        self.table.borrow().len() == 0
    }

    /// Nobody joins what is under way for such keys any more; whoever waits for it still gets it.
    pub fn forget(&self, is_forgotten: impl Fn(&K) -> bool) {
        self.table.borrow_mut().retain(|key, _| !is_forgotten(key));
    }

    /// Nobody joins anything that is under way any more.
    pub fn forget_all(&self) {
        self.table.borrow_mut().clear();
    }
}

/// Forgets work when it ends or is dropped.
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
            // Other work may be under way for the key by now.
            if table.get(key).is_some_and(|entry| entry.serial == self.serial) {
                table.remove(key);
            }
        }
    }
}
