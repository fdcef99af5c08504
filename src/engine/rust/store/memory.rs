//! A store in memory. It does not limit how much it holds.

use std::cell::RefCell;
use std::collections::BTreeMap;

use zarr_wasm_http::Value;

use super::key_table::below;
use super::{
    ByteRange, Fetched, GetFuture, Listable, Listing, LocalFuture, RequestContext, SizeFuture, Store,
    Writable,
};
use crate::error::Result;
use crate::format::path::{NodePath, StoreKey};

/// A map from keys to values.
#[derive(Debug, Default)]
pub struct MemoryStore {
    values: RefCell<BTreeMap<String, Value>>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// All keys, sorted.
    pub fn keys(&self) -> Vec<String> {
        self.values.borrow().keys().cloned().collect()
    }

    /// Stores a value under a key.
    pub fn insert(&self, key: &StoreKey, value: impl Into<Value>) {
        self.values.borrow_mut().insert(key.as_str().to_owned(), value.into());
    }

    /// The bytes under a key.
    pub fn bytes(&self, key: &StoreKey) -> Option<Vec<u8>> {
        self.value(key)?.as_slice().map(<[u8]>::to_vec)
    }

    fn value(&self, key: &StoreKey) -> Option<Value> {
        self.values.borrow().get(key.as_str()).cloned()
    }
}

impl Store for MemoryStore {
    fn describe(&self) -> String {
        "memory".to_owned()
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, _context: &'a RequestContext) -> GetFuture<'a> {
        Box::pin(async move {
            let part = self.value(key).map(|value| Fetched::part_of(&value, range));
            part.transpose().map_err(|error| error.at_key(key.as_str()))
        })
    }

    fn size<'a>(&'a self, key: &'a StoreKey, _context: &'a RequestContext) -> SizeFuture<'a> {
        Box::pin(async move { Ok(self.value(key).map(|value| value.len())) })
    }

    fn reads_parts(&self) -> bool {
        true
    }

    fn as_listable(&self) -> Option<&dyn Listable> {
        Some(self)
    }

    fn as_writable(&self) -> Option<&dyn Writable> {
        Some(self)
    }
}

impl Writable for MemoryStore {
    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            self.insert(key, value);
            Ok(())
        })
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            self.values.borrow_mut().remove(key.as_str());
            Ok(())
        })
    }
}

impl Listable for MemoryStore {
    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        Box::pin(async move { Ok(Listing::of(&self.list_prefix(prefix).await?, prefix)) })
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        Box::pin(async move {
            let start = below(prefix);
            let values = self.values.borrow();
            let keys =
                values.range(start.clone()..).map(|(key, _)| key).take_while(|key| key.starts_with(&start));
            keys.map(|key| StoreKey::parse(key)).collect()
        })
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use futures_executor::block_on;
    use zarr_wasm_contract::Natural;

    use super::*;
    use crate::error::ErrorKind;

    fn read(store: &MemoryStore, key: &str, range: ByteRange) -> Result<Option<Vec<u8>>> {
        let key = StoreKey::parse(key).unwrap();
        let fetched = block_on(store.get(&key, range, &RequestContext::default()))?;
        Ok(fetched.map(|fetched| fetched.value.to_vec(100, "test").unwrap()))
    }

    #[test]
    fn ranges_are_cut_at_the_end_and_refused_past_it() {
        let store = MemoryStore::new();
        store.insert(&StoreKey::parse("a/b").unwrap(), vec![0, 1, 2, 3, 4]);
        assert_eq!(read(&store, "a/b", ByteRange::Whole).unwrap().unwrap(), [0, 1, 2, 3, 4]);
        assert_eq!(read(&store, "a/b", ByteRange::At { offset: 3, len: 9 }).unwrap().unwrap(), [3, 4]);
        assert_eq!(read(&store, "a/b", ByteRange::Last(2)).unwrap().unwrap(), [3, 4]);
        assert_eq!(read(&store, "a/b", ByteRange::Last(9)).unwrap().unwrap(), [0, 1, 2, 3, 4]);
        assert_eq!(read(&store, "a", ByteRange::Whole).unwrap(), None);
        let error = read(&store, "a/b", ByteRange::At { offset: 5, len: 1 }).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format);
        assert_eq!(error.context().key.as_deref(), Some("a/b"));
        assert_eq!(error.context().range, Some((Natural(5), Natural(1))));
        assert_eq!(error.context().actual.as_deref(), Some("5 bytes"));
    }

    #[test]
    fn a_value_exists_until_it_is_erased() {
        let store = MemoryStore::new();
        let key = StoreKey::parse("zarr.json").unwrap();
        let context = RequestContext::default();
        block_on(store.set(&key, vec![7; 3].into())).unwrap();
        assert_eq!(store.keys(), ["zarr.json"]);
        assert_eq!(block_on(store.size(&key, &context)).unwrap(), Some(3));
        block_on(store.erase(&key)).unwrap();
        block_on(store.erase(&key)).unwrap();
        assert_eq!(block_on(store.size(&key, &context)).unwrap(), None);
    }

    #[test]
    fn listings_separate_keys_from_prefixes() {
        let store = MemoryStore::new();
        for key in ["a", "a.b/x", "a/b/c", "a/b", "a/d", "ab/c"] {
            store.insert(&StoreKey::parse(key).unwrap(), vec![1]);
        }
        let path = |text: &str| NodePath::from_normal(text).unwrap();
        let keys = |keys: &[StoreKey]| keys.iter().map(|key| key.as_str().to_owned()).collect::<Vec<_>>();
        let root = block_on(store.list_dir(&path(""))).unwrap();
        assert_eq!(keys(&root.keys), ["a"]);
        assert_eq!(root.prefixes, [path("a"), path("a.b"), path("ab")]);
        let a = block_on(store.list_dir(&path("a"))).unwrap();
        assert_eq!(keys(&a.keys), ["a/b", "a/d"]);
        assert_eq!(a.prefixes, [path("a/b")]);
        assert_eq!(keys(&block_on(store.list_prefix(&path("a"))).unwrap()), ["a/b", "a/b/c", "a/d"]);
        let all: &dyn Store = &store;
        block_on(all.erase_prefix(&path("a"))).unwrap();
        assert_eq!(store.keys(), ["a", "a.b/x", "ab/c"]);
    }
}
