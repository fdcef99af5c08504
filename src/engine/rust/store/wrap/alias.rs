//! A store in which the value of one key may be stored under another key. For arrays without
//! dimensions, zarr-python named the only chunk `c0` in the layout of the drafts, which specify
//! `c`.

use std::rc::Rc;

use zarr_wasm_http::Value;

use crate::error::Result;
use crate::format::path::{NodePath, StoreKey};
use crate::store::{
    ByteRange, GetFuture, LocalFuture, RequestContext, SizeFuture, Store, Writable, first_of,
};

/// A store with an alias for one key.
pub struct Alias {
    /// The wrapped store.
    pub inner: Rc<dyn Store>,
    /// The key that callers use, and under which values are written. It counts where both are
    /// there.
    pub key: StoreKey,
    /// The key where an older value may be.
    pub other: StoreKey,
}

impl Store for Alias {
    fn inner(&self) -> Option<&Rc<dyn Store>> {
        Some(&self.inner)
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        if *key != self.key {
            return self.inner.get(key, range, context);
        }
        first_of(self.inner.get(key, range, context), move || self.inner.get(&self.other, range, context))
    }

    fn size<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> SizeFuture<'a> {
        if *key != self.key {
            return self.inner.size(key, context);
        }
        first_of(self.inner.size(key, context), || self.inner.size(&self.other, context))
    }

    fn as_writable(&self) -> Option<&dyn Writable> {
        self.inner.as_writable().map(|_| self as &dyn Writable)
    }
}

impl Writable for Alias {
    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        self.inner.set(key, value)
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        if *key != self.key {
            return self.inner.erase(key);
        }
        Box::pin(async move {
            self.inner.erase(&self.other).await?;
            self.inner.erase(key).await
        })
    }

    fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> Option<LocalFuture<'a, Result<()>>> {
        self.inner.as_writable()?.erase_prefix(prefix)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use futures_executor::block_on;

    use super::*;
    use crate::store::memory::MemoryStore;

    #[test]
    fn a_value_is_found_under_both_keys_and_written_under_the_first() {
        let memory = Rc::new(MemoryStore::new());
        let key = |text: &str| StoreKey::parse(text).unwrap();
        let (chunk, other) = (key("data/a/c"), key("data/a/c0"));
        let store: &dyn Store = &Alias { inner: memory.clone(), key: chunk.clone(), other: other.clone() };
        let context = RequestContext::default();
        let read = |key: &StoreKey| {
            let found = block_on(store.get(key, ByteRange::Whole, &context)).unwrap();
            found.map(|found| found.value.to_vec(10, "test").unwrap())
        };
        memory.insert(&other, vec![1]);
        assert_eq!((read(&chunk), block_on(store.size(&chunk, &context)).unwrap()), (Some(vec![1]), Some(1)));
        block_on(store.set(&chunk, vec![2, 3].into())).unwrap();
        assert_eq!((read(&chunk), memory.keys().len()), (Some(vec![2, 3]), 2));
        block_on(store.erase(&chunk)).unwrap();
        assert_eq!(read(&chunk), None);
        assert!(memory.keys().is_empty());
    }
}
