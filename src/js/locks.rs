//! Locks of the host: Web Locks where there are any, which other tabs and workers wait for too (`engine/locks.ts`).

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

/// Has stores' names locked by the host.
pub fn install() {
    use_host_locks(Rc::new(|name| {
        let lock = host::lock(&name).map(HostLock);
        Box::pin(async move {
            if let Some(HostLock(lock)) = &lock {
                // One that cannot be had is gone without: it only ever resolves.
                let _ = host::settled(lock.held().into()).await;
            }
            Box::new(lock) as Box<dyn Any>
        })
    }));
}
