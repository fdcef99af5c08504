//! Stores whose values others may change: what may be kept of them, and the lock for a change.
//! Callers use the methods of `dyn Store` ([`abilities`](super::abilities)). The changes of this
//! process are in [`writers`](super::writers).

use std::future::ready;

use super::local_future::LocalFuture;
use crate::format::path::StoreKey;

/// A store that knows how its values change.
pub trait Changeable {
    /// Whether chunks of this store may be cached. Not if others change them without notice, as
    /// they may in a user's store.
    fn is_cacheable(&self) -> bool {
        false
    }

    /// Whether the absence of a value may be cached. Not if it was concluded from something else,
    /// such as HTTP status 403.
    fn absence_is_cacheable(&self) -> bool {
        true
    }

    /// Forgets what came with the values that were asked for, because others may have changed it.
    fn forget_kept(&self) {}

    /// Notes that another program has changed the value of a key: reads of it pass the caches in
    /// front of the store.
    fn note_changed(&self, _key: &StoreKey) {}

    /// The name of the host's lock for changes of a key: the same in all tabs, and in all stores
    /// that reach the same value. `None` if only this store can write to it.
    fn lock_name<'a>(&'a self, _key: &'a StoreKey) -> LocalFuture<'a, Option<String>> {
        Box::pin(ready(None))
    }
}
