//! Locks of the host: Web Locks, for which other tabs and workers wait too (`engine/locks.ts`).

use std::any::Any;
use std::rc::Rc;

use super::host;
use crate::store::writers::use_host_locks;

/// A lock that is held, or waited for, until this is dropped.
struct HostLock(host::Lock);

impl Drop for HostLock {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// Uses locks of the host for stores that have a lock name.
pub fn install() {
    use_host_locks(Rc::new(|name| {
        let lock = host::lock(&name).map(HostLock);
        Box::pin(async move {
            if let Some(HostLock(lock)) = &lock {
                // The promise never rejects. Without a lock, the write goes on.
                let _ = host::settled(lock.held().into()).await;
            }
            Box::new(lock) as Box<dyn Any>
        })
    }));
}
