//! Two stores that are read as one: a key's value comes from the first store that has the key. For
//! local changes to a remote hierarchy, or for metadata that is stored apart from the chunks.
//!
//! The store is read-only, because it cannot know to which store a write belongs.

use std::rc::Rc;

use crate::error::Result;
use crate::format::path::{NodePath, StoreKey};
use crate::sorted;
#[cfg(feature = "reading")]
use crate::store::MeasuredFuture;
use crate::store::{
    ByteRange, Changeable, GetFuture, Listable, Listing, LocalFuture, RequestContext, SizeFuture, Store,
    first_of, in_reading,
};

/// A store over another store.
pub struct OverlayStore {
    first: Rc<dyn Store>,
    second: Rc<dyn Store>,
}

impl OverlayStore {
    /// Reads `first`; reads `second` where the first has no value.
    pub fn new(first: Rc<dyn Store>, second: Rc<dyn Store>) -> Self {
        Self { first, second }
    }
}

impl Store for OverlayStore {
    fn describe(&self) -> String {
        format!("{} over {}", self.first.describe(), self.second.describe())
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        first_of(self.first.get(key, range, context), move || self.second.get(key, range, context))
    }

    fn size<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> SizeFuture<'a> {
        first_of(self.first.size(key, context), || self.second.size(key, context))
    }

    #[cfg(feature = "reading")]
    fn measure<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> MeasuredFuture<'a> {
        first_of(self.first.measure(key, context), || self.second.measure(key, context))
    }

    fn reads_parts(&self) -> bool {
        self.first.reads_parts() && self.second.reads_parts()
    }

    fn reads_rows(&self) -> bool {
        self.first.reads_rows() && self.second.reads_rows()
    }

    fn as_listable(&self) -> Option<&dyn Listable> {
        Some(self)
    }

    fn as_changeable(&self) -> Option<&dyn Changeable> {
        Some(self)
    }
}

impl Changeable for OverlayStore {
    fn is_cacheable(&self) -> bool {
        self.first.is_cacheable() && self.second.is_cacheable()
    }

    fn absence_is_cacheable(&self) -> bool {
        self.first.absence_is_cacheable() && self.second.absence_is_cacheable()
    }

    fn forget_kept(&self) {
        self.first.forget_kept();
        self.second.forget_kept();
    }
}

impl Listable for OverlayStore {
    fn is_known_to_list(&self) -> bool {
        self.first.is_known_to_list() && self.second.is_known_to_list()
    }

    fn can_list(&self) -> LocalFuture<'_, Result<bool>> {
        Box::pin(async move { Ok(self.first.can_list().await? && self.second.can_list().await?) })
    }

    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        Box::pin(async move {
            let (first, second) = (self.first.list_dir(prefix).await?, self.second.list_dir(prefix).await?);
            Ok(Listing {
                keys: union(first.keys, second.keys),
                prefixes: union(first.prefixes, second.prefixes),
            })
        })
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        in_reading("listing", || {
            Box::pin(async move {
                Ok(union(self.first.list_prefix(prefix).await?, self.second.list_prefix(prefix).await?))
            })
        })
    }
}

fn union<T: Ord>(first: Vec<T>, second: Vec<T>) -> Vec<T> {
    let mut all = first;
    all.extend(second);
    sorted::sort(&mut all);
    all.dedup();
    all
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use futures_executor::block_on;

    use super::*;
    use crate::error::ErrorKind;
    use crate::store::Value;
    use crate::store::memory::MemoryStore;

    #[test]
    fn the_first_store_wins_and_both_are_listed() {
        let key = |text: &str| StoreKey::parse(text).unwrap();
        let (first, second) = (MemoryStore::new(), MemoryStore::new());
        first.insert(&key("a/x"), vec![1]);
        second.insert(&key("a/x"), vec![2, 2]);
        second.insert(&key("a/y"), vec![3, 3]);
        second.insert(&key("b/z"), vec![4]);
        let store: &dyn Store = &OverlayStore::new(Rc::new(first), Rc::new(second));
        let get = |name: &str| {
            let fetched =
                block_on(store.get(&key(name), ByteRange::Whole, &RequestContext::default())).unwrap();
            fetched.map(|fetched| fetched.value.to_vec(10, "test").unwrap())
        };
        assert_eq!((get("a/x"), get("a/y"), get("a/z")), (Some(vec![1]), Some(vec![3, 3]), None));
        let range = ByteRange::At { offset: 1, len: 1 };
        let part = block_on(store.get(&key("a/y"), range, &RequestContext::default())).unwrap();
        assert_eq!(part.unwrap().value.as_slice().unwrap(), [3]);
        let past = block_on(store.get(&key("a/x"), range, &RequestContext::default()));
        assert_eq!(past.unwrap_err().kind(), ErrorKind::Format);
        assert_eq!(block_on(store.size(&key("a/y"), &RequestContext::default())).unwrap(), Some(2));
        assert_eq!(block_on(store.list_prefix(&NodePath::root())).unwrap().len(), 3);
        let root = block_on(store.list_dir(&NodePath::root())).unwrap();
        assert_eq!(root.prefixes.len(), 2);
        let error = block_on(store.set(&key("a"), Value::from(vec![]))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
    }
}
