//! Locks of the host: Web Locks, for which other tabs and workers wait too (`host/locks.ts`).

use std::any::Any;
use std::rc::Rc;

use crate::error::Opaque;
use crate::js::host;
use crate::store::LocalFuture;
use crate::store::writers::{HostLocks, use_host_locks};

/// A lock that is held, or waited for, until this is dropped.
struct HostLock(host::Lock);

impl Drop for HostLock {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// Uses locks of the host for stores that have a lock name.
pub fn install() {
    let acquire = Rc::new(|name: String| {
        let lock = host::lock(&name).map(HostLock);
        let held: LocalFuture<'static, Box<dyn Any>> = Box::pin(async move {
            if let Some(HostLock(lock)) = &lock {
                // The promise never rejects. Without a lock, the write continues.
                let _ = host::settled(lock.held().into()).await;
            }
            Box::new(lock) as Box<dyn Any>
        });
        held
    });
    let is_aborted = |signal: &Opaque| signal.downcast_ref().is_some_and(host::is_aborted);
    use_host_locks(HostLocks { acquire, is_aborted });
}
