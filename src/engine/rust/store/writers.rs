//! Writes of this process: a lock for each key, and the moment at which each key was last written.
//!
//! Two writes to one chunk each read, change and store it. The lock makes them run one after the
//! other, also across tabs and workers if the store has a lock name and the host has locks. Moments
//! let readers notice that a shard changed after they read its index. They do not cover writes of
//! other programs.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync;

use futures_util::lock::{Mutex, OwnedMutexGuard};

use crate::error::{Error, Opaque, Result};
use crate::format::path::StoreKey;
use crate::sorted::Map;
use crate::store::{LocalFuture, RequestContext, Store, innermost};

/// A logical time, which counts writes.
pub(crate) type Moment = u64;

thread_local! {
    static CLOCK: Cell<Moment> = const { Cell::new(0) };
    static STORES: RefCell<Vec<StoreWrites>> = const { RefCell::new(Vec::new()) };
}

/// The locks and writes of one store. The weak reference keeps the store's address from being
/// reused.
struct StoreWrites {
    store: Weak<dyn Store>,
    locks: Map<StoreKey, sync::Weak<Mutex<()>>>,
    last: Map<StoreKey, Moment>,
    /// The last moment of the keys that are not in `last`.
    last_of_others: Moment,
}

impl StoreWrites {
    fn note(&mut self, key: &StoreKey, moment: Moment) {
        if self.last.len() >= MAX_MOMENTS {
            self.last.clear();
            self.last_of_others = moment;
        }
        self.last.insert(key.clone(), moment);
    }

    fn last(&self, key: &StoreKey) -> Moment {
        self.last.get(key).copied().unwrap_or(self.last_of_others)
    }
}

/// Number of locks above which unused ones are removed.
const MAX_LOCKS: usize = 1024;

/// Maximum number of moments in the table. If it is full, it is cleared, and all keys count as
/// written at that time: caches read their values again.
const MAX_MOMENTS: usize = 1 << 16;

/// Acquires a lock of the host by name. Dropping the result releases it.
type Acquire = dyn Fn(String) -> LocalFuture<'static, Box<dyn Any>>;

/// The locks of the host.
#[derive(Clone)]
pub(crate) struct HostLocks {
    pub acquire: Rc<Acquire>,
    /// Whether a caller's abort signal has fired.
    pub is_aborted: fn(&Opaque) -> bool,
}

thread_local! {
    static HOST_LOCKS: RefCell<Option<HostLocks>> = const { RefCell::new(None) };
}

/// Uses locks of the host too, for stores that have a lock name.
pub(crate) fn use_host_locks(locks: HostLocks) {
    HOST_LOCKS.with_borrow_mut(|slot| *slot = Some(locks));
}

/// Holds the lock of a key until it is dropped: that of the host, where the store names one, or
/// else one of this process. Never both: the host's locks have an order, which keys do not have
/// where links give one file several of them.
pub(crate) struct KeyLock {
    _by_host: Option<Box<dyn Any>>,
    _here: Option<OwnedMutexGuard<()>>,
    /// The name of the host's lock.
    name: Option<String>,
}

impl KeyLock {
    /// Whether the lock of this name may be waited for while this one is held: it is that of
    /// another file, in the same folder or in one above. By links, what is above a key may be
    /// anywhere, and two that wait for each other would wait without end.
    fn may_wait_for(&self, name: &str) -> bool {
        let folder = name.rfind('/').map_or("", |slash| name.get(..=slash).unwrap_or_default());
        self.name.as_deref().is_none_or(|held| held != name && held.starts_with(folder))
    }
}

/// Waits until no other task changes the value of this key.
pub(crate) async fn lock(store: &Rc<dyn Store>, key: &StoreKey) -> KeyLock {
    lock_if(store, key, &|_name| true).await
}

/// As [`lock`], for a key beside or above that of a lock that is held.
pub(crate) async fn lock_above(store: &Rc<dyn Store>, key: &StoreKey, held: &KeyLock) -> KeyLock {
    lock_if(store, key, &|name| held.may_wait_for(name)).await
}

/// Waits for the lock of a key, unless `may_wait` refuses the name of the host's lock.
async fn lock_if(store: &Rc<dyn Store>, key: &StoreKey, may_wait: &dyn Fn(&str) -> bool) -> KeyLock {
    if let Some(locks) = HOST_LOCKS.with_borrow(Clone::clone)
        && let Some(name) = store.lock_name(key).await
    {
        let by_host = if may_wait(&name) { Some((locks.acquire)(name.clone()).await) } else { None };
        return KeyLock { _by_host: by_host, _here: None, name: Some(name) };
    }
    KeyLock { _by_host: None, _here: Some(lock_here(store, key).await), name: None }
}

/// As [`lock`], for a change that has not begun: it must not begin long after its caller has left.
///
/// # Errors
/// `Aborted` if the caller has aborted while it waited.
pub(crate) async fn lock_unless_aborted(
    store: &Rc<dyn Store>,
    key: &StoreKey,
    context: &RequestContext,
) -> Result<KeyLock> {
    let held = lock(store, key).await;
    let is_aborted = HOST_LOCKS.with_borrow(|locks| {
        locks.as_ref().zip(context.signal.as_ref()).is_some_and(|(locks, signal)| (locks.is_aborted)(signal))
    });
    if is_aborted { Err(Error::aborted("the call was aborted before it changed anything")) } else { Ok(held) }
}

async fn lock_here(store: &Rc<dyn Store>, key: &StoreKey) -> OwnedMutexGuard<()> {
    let mutex = with_store(store, |written| {
        if let Some(mutex) = written.locks.get(key).and_then(sync::Weak::upgrade) {
            return mutex;
        }
        if written.locks.len() >= MAX_LOCKS {
            written.locks.retain(|_, mutex| mutex.strong_count() > 0);
        }
        let mutex = sync::Arc::new(Mutex::new(()));
        written.locks.insert(key.clone(), sync::Arc::downgrade(&mutex));
        mutex
    });
    mutex.lock_owned().await
}

/// The current moment.
pub(crate) fn now() -> Moment {
    CLOCK.get()
}

/// A new moment, later than the start of all work so far, although nothing was written.
#[allow(clippy::arithmetic_side_effects, reason = "a count of writes")]
pub(crate) fn later() -> Moment {
    CLOCK.set(CLOCK.get() + 1);
    CLOCK.get()
}

/// Records that the value of a key has changed.
#[allow(clippy::arithmetic_side_effects, reason = "a count of writes")]
fn note(store: &Rc<dyn Store>, key: &StoreKey) {
    let moment = CLOCK.get() + 1;
    CLOCK.set(moment);
    with_store(store, |written| written.note(key, moment));
}

/// Records that the values of keys may have changed, when it is dropped.
///
/// A write holds it from before it asks the store until the store has answered. What a failed write
/// did is unknown: the store may have acted before it reported the failure. So caches drop the keys
/// whatever the outcome was, and also where the write itself was dropped half-way.
#[must_use]
pub(crate) struct Touched<'a> {
    store: &'a Rc<dyn Store>,
    keys: &'a [StoreKey],
}

/// Begins a write of these keys. See [`Touched`].
pub(crate) fn touch<'a>(store: &'a Rc<dyn Store>, keys: &'a [StoreKey]) -> Touched<'a> {
    Touched { store, keys }
}

impl Drop for Touched<'_> {
    fn drop(&mut self) {
        self.keys.iter().for_each(|key| note(self.store, key));
    }
}

/// Whether this process has not changed the value of a key since `moment`.
pub(crate) fn unchanged_since(store: &Rc<dyn Store>, key: &StoreKey, moment: Moment) -> bool {
    // Without writes since, no table is searched.
    CLOCK.get() == moment || with_store(store, |written| written.last(key) <= moment)
}

/// Like [`unchanged_since`], for a key that is computed only if it is needed.
pub(crate) fn unchanged_since_of(
    store: &Rc<dyn Store>,
    key: impl FnOnce() -> StoreKey,
    moment: Moment,
) -> bool {
    CLOCK.get() == moment || unchanged_since(store, &key(), moment)
}

#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "the index was found, or it is that of the store that was pushed"
)]
fn with_store<T>(store: &Rc<dyn Store>, act: impl FnOnce(&mut StoreWrites) -> T) -> T {
    let store = innermost(store);
    STORES.with_borrow_mut(|stores| {
        let address = |store: *const dyn Store| store.cast::<()>();
        let wanted = address(Rc::as_ptr(&store));
        let at = stores.iter().position(|written| address(written.store.as_ptr()) == wanted);
        let at = at.unwrap_or_else(|| {
            stores.retain(|written| written.store.strong_count() > 0);
            stores.push(StoreWrites {
                store: Rc::downgrade(&store),
                locks: Map::new(),
                last: Map::new(),
                last_of_others: 0,
            });
            stores.len() - 1
        });
        act(&mut stores[at])
    })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use futures_executor::block_on;
    use futures_util::FutureExt;

    use super::*;
    use crate::error::ErrorKind;
    use crate::store::memory::MemoryStore;

    #[test]
    fn one_task_holds_the_lock_of_a_key() {
        let store: Rc<dyn Store> = Rc::new(MemoryStore::new());
        let other: Rc<dyn Store> = Rc::new(MemoryStore::new());
        let (a, b) = (StoreKey::parse("a").unwrap(), StoreKey::parse("b").unwrap());
        let held = block_on(lock(&store, &a));
        assert!(lock(&store, &a).now_or_never().is_none());
        assert!(lock(&store, &b).now_or_never().is_some());
        assert!(lock(&other, &a).now_or_never().is_some());
        drop(held);
        assert!(lock(&store, &a).now_or_never().is_some());
    }

    /// Locks of a host that grants them at once, and whose signals have fired if they are `true`.
    fn host_locks() -> HostLocks {
        HostLocks {
            acquire: Rc::new(|name| Box::pin(async move { Box::new(name) as Box<dyn Any> })),
            is_aborted: |signal| signal.downcast_ref::<Cell<bool>>().unwrap().get(),
        }
    }

    #[test]
    fn a_lock_waits_for_those_beside_and_above_it_alone() {
        let held = |name: &str| KeyLock { _by_host: None, _here: None, name: Some(name.to_owned()) };
        let node = held("file:/d/g/a/zarr.json");
        for above in ["file:/d/g/zarr.json", "file:/d/zarr.json", "file:/d/g/a/.zmetadata", "other"] {
            assert!(node.may_wait_for(above), "{above}");
        }
        // By links, what is above a key may be the same file, or one elsewhere.
        for elsewhere in ["file:/d/g/a/zarr.json", "file:/d/h/zarr.json", "file:/d/g/a/b/zarr.json"] {
            assert!(!node.may_wait_for(elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn a_call_that_was_aborted_while_it_waited_does_not_get_the_lock() {
        HOST_LOCKS.with_borrow_mut(|slot| *slot = Some(host_locks()));
        let store: Rc<dyn Store> = Rc::new(MemoryStore::new());
        let key = StoreKey::parse("a").unwrap();
        let signal = Rc::new(Cell::new(false));
        let context = RequestContext { signal: Some(signal.clone()), ..RequestContext::default() };
        let held = block_on(lock_unless_aborted(&store, &key, &context)).unwrap();
        let mut waiting = Box::pin(lock_unless_aborted(&store, &key, &context));
        assert!(waiting.as_mut().now_or_never().is_none());
        signal.set(true);
        drop(held);
        assert!(block_on(waiting).is_err_and(|error| error.kind() == ErrorKind::Aborted));
        let nobody = RequestContext::default();
        assert!(lock_unless_aborted(&store, &key, &nobody).now_or_never().unwrap().is_ok());
        HOST_LOCKS.with_borrow_mut(|slot| *slot = None);
    }

    #[test]
    fn writes_are_recorded_by_key() {
        let store: Rc<dyn Store> = Rc::new(MemoryStore::new());
        let (a, b) = (StoreKey::parse("a").unwrap(), StoreKey::parse("b").unwrap());
        let before = now();
        note(&store, &a);
        assert!(!unchanged_since(&store, &a, before));
        assert!(unchanged_since(&store, &b, before));
        assert!(unchanged_since(&store, &a, now()));
    }

    #[test]
    fn moments_of_any_number_of_keys_take_bounded_memory() {
        let store: Rc<dyn Store> = Rc::new(MemoryStore::new());
        let key = |at: usize| StoreKey::parse(&format!("c/{at}")).unwrap();
        let before = now();
        (0..MAX_MOMENTS + 2).for_each(|at| note(&store, &key(at)));
        with_store(&store, |written| assert!(written.last.len() <= MAX_MOMENTS));
        // Also for the keys that were dropped from the table, and for one that was never written.
        assert!([0, MAX_MOMENTS + 1, MAX_MOMENTS + 9].iter().all(|at| !unchanged_since(
            &store,
            &key(*at),
            before
        )));
        assert!([0, MAX_MOMENTS + 1].iter().all(|at| unchanged_since(&store, &key(*at), now())));
    }

    #[test]
    fn a_write_that_is_dropped_half_way_is_recorded_too() {
        let store: Rc<dyn Store> = Rc::new(MemoryStore::new());
        let keys = [StoreKey::parse("a").unwrap()];
        let before = now();
        let write = async {
            let _touched = touch(&store, &keys);
            std::future::pending::<()>().await;
        };
        assert!(write.now_or_never().is_none());
        assert!(!unchanged_since(&store, &keys[0], before));
    }
}
