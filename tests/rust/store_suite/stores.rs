//! The stores that the suite runs on, and those that offer only half of the operations.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use futures_executor::block_on;
use zarr_wasm::internals::error::Result;
use zarr_wasm::internals::format::chunk_key::Separator;
use zarr_wasm::internals::format::metadata::ZarrFormat;
use zarr_wasm::internals::format::metadata::consolidated::Consolidated;
use zarr_wasm::internals::format::path::{NodePath, StoreKey};
use zarr_wasm::internals::store::memory::MemoryStore;
use zarr_wasm::internals::store::wrap::Counting;
use zarr_wasm::internals::store::wrap::transform::ArrayPlace;
use zarr_wasm::internals::store::wrap::transform::sharding::{ShardingTransformer, UNUSED_BYTES};
use zarr_wasm::internals::store::wrap::{Gathering, KnownDocuments};
use zarr_wasm::internals::store::{
    ByteRange, Capabilities, Fetched, KeyRange, KeyStartValue, Listing, LocalFuture, RequestContext, Store,
    Value,
};

/// A way to make a store with nothing in it.
pub struct Made {
    pub name: &'static str,
    pub make: fn() -> Subject,
}

/// A store under test.
pub struct Subject {
    pub store: Rc<dyn Store>,
    /// `list_dir` may name prefixes below which there is nothing, as the text allows the sharding
    /// transformer.
    pub names_empty_prefixes: bool,
}

fn subject(store: impl Store + 'static) -> Subject {
    Subject { store: Rc::new(store), names_empty_prefixes: false }
}

fn memory() -> Rc<dyn Store> {
    Rc::new(MemoryStore::new())
}

/// Chunks of `data/a`: 7 × 5 of them.
pub fn place(separator: Separator) -> ArrayPlace {
    let prefix = NodePath::from_normal("data/a").unwrap_or_default();
    ArrayPlace { prefix, grid_shape: vec![7, 5], separator }
}

pub fn sharded(inner: Rc<dyn Store>, separator: Separator, unused_bytes: u64) -> Rc<dyn Store> {
    let made = ShardingTransformer::new(inner, place(separator), vec![3, 2], unused_bytes);
    Rc::new(made.unwrap_or_else(|error| panic!("{error:?}")))
}

fn transformed(store: Rc<dyn Store>) -> Subject {
    Subject { names_empty_prefixes: true, ..subject(store) }
}

/// Shards of shards: the transformer nearest to the array is the last around the store.
fn stacked(store: Rc<dyn Store>) -> Subject {
    let outer = ArrayPlace { grid_shape: vec![3, 3], ..place(Separator::Slash) };
    let outer = ShardingTransformer::new(store, outer, vec![2, 2], UNUSED_BYTES);
    let outer = outer.unwrap_or_else(|error| panic!("{error:?}"));
    transformed(sharded(Rc::new(outer), Separator::Slash, UNUSED_BYTES))
}

fn consolidated() -> KnownDocuments {
    let text = br#"{"zarr_consolidated_format":1,"metadata":{"known/.zgroup":{"zarr_format":2}}}"#;
    let known = Consolidated::index(text.as_slice(), ZarrFormat::V2);
    let known = known.unwrap_or_else(|error| panic!("{error:?}")).unwrap_or_else(|| panic!("none"));
    KnownDocuments::new(memory(), known, text.to_vec().into())
}

/// Every store, by name.
pub const STORES: &[Made] = &[
    Made { name: "memory", make: || subject(memory()) },
    Made { name: "whole_values_only", make: || subject(WholeOnly::default()) },
    Made { name: "counting", make: || subject(Counting::with_log(memory())) },
    Made { name: "gathering", make: || subject(Gathering::new(memory())) },
    Made { name: "gathering_of_each_caller", make: || subject(Gathering::of_each_caller(memory())) },
    Made { name: "known_documents", make: || subject(consolidated()) },
    Made { name: "all_wrappers", make: || subject(Gathering::new(Counting::new(memory()))) },
    Made { name: "sharding", make: || transformed(sharded(memory(), Separator::Slash, UNUSED_BYTES)) },
    Made { name: "sharding_dot", make: || transformed(sharded(memory(), Separator::Dot, UNUSED_BYTES)) },
    Made {
        name: "sharding_without_unused_bytes",
        make: || transformed(sharded(memory(), Separator::Slash, 0)),
    },
    Made { name: "sharding_stacked", make: || stacked(memory()) },
    Made {
        name: "sharding_whole_values_only",
        make: || transformed(sharded(Rc::new(WholeOnly::default()), Separator::Slash, UNUSED_BYTES)),
    },
    Made {
        name: "sharding_all_wrappers",
        make: || {
            let wrapped = Gathering::new(Counting::new(memory()));
            transformed(sharded(Rc::new(wrapped), Separator::Slash, UNUSED_BYTES))
        },
    },
];

/// Reads and writes whole values, and lists folders; everything else is the interface's fallback.
#[derive(Default)]
pub struct WholeOnly {
    values: RefCell<BTreeMap<StoreKey, Vec<u8>>>,
}

impl Store for WholeOnly {
    fn capabilities(&self) -> Capabilities {
        Capabilities { readable: true, partial: false, writable: true, listable: true }
    }

    fn describe(&self) -> String {
        "whole values only".to_owned()
    }

    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        _context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Fetched>>> {
        Box::pin(async move {
            let value = self.values.borrow().get(key).cloned();
            value.map(|value| Fetched::part_of(&value.into(), range)).transpose()
        })
    }

    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            self.values.borrow_mut().insert(key.clone(), value.to_vec(1 << 30, "test")?);
            Ok(())
        })
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            self.values.borrow_mut().remove(key);
            Ok(())
        })
    }

    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        Box::pin(async move { Ok(Listing::of(self.values.borrow().keys(), prefix)) })
    }
}

/// The operations by text, at once.
impl Subject {
    pub fn set(&self, name: &str, bytes: &[u8]) -> Result<()> {
        block_on(self.store.set(&key(name), bytes.to_vec().into()))
    }

    pub fn get(&self, name: &str, range: ByteRange) -> Result<Option<Vec<u8>>> {
        let fetched = block_on(self.store.get(&key(name), range, &RequestContext::default()))?;
        fetched.map(bytes).transpose()
    }

    pub fn whole(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.get(name, ByteRange::Whole)
    }

    pub fn get_partial_values(&self, asked: &[(&str, ByteRange)]) -> Result<Vec<Option<Vec<u8>>>> {
        let asked: Vec<KeyRange> =
            asked.iter().map(|(name, range)| KeyRange { key: key(name), range: *range }).collect();
        let answers = block_on(self.store.get_partial_values(&asked, &RequestContext::default()))?;
        answers.into_iter().map(|fetched| fetched.map(bytes).transpose()).collect()
    }

    pub fn set_partial_values(&self, values: &[(&str, u64, &[u8])]) -> Result<()> {
        let values: Vec<KeyStartValue> = values
            .iter()
            .map(|(name, start, bytes)| KeyStartValue {
                key: key(name),
                start: *start,
                value: bytes.to_vec().into(),
            })
            .collect();
        block_on(self.store.set_partial_values(&values))
    }

    pub fn erase(&self, name: &str) -> Result<()> {
        block_on(self.store.erase(&key(name)))
    }

    pub fn erase_values(&self, names: &[&str]) -> Result<()> {
        let keys: Vec<StoreKey> = names.iter().map(|name| key(name)).collect();
        block_on(self.store.erase_values(&keys))
    }

    pub fn erase_prefix(&self, name: &str) -> Result<()> {
        block_on(self.store.erase_prefix(&prefix(name)))
    }

    pub fn size(&self, name: &str) -> Result<Option<u64>> {
        block_on(self.store.size(&key(name), &RequestContext::default()))
    }

    pub fn list(&self) -> Result<Vec<String>> {
        block_on(self.store.list()).map(sorted)
    }

    pub fn list_prefix(&self, name: &str) -> Result<Vec<String>> {
        block_on(self.store.list_prefix(&prefix(name))).map(sorted)
    }

    /// Keys, and prefixes without their last slash.
    pub fn list_dir(&self, name: &str) -> Result<(Vec<String>, Vec<String>)> {
        let listing = block_on(self.store.list_dir(&prefix(name)))?;
        let mut prefixes: Vec<String> =
            listing.prefixes.iter().map(|prefix| prefix.as_str().to_owned()).collect();
        prefixes.sort();
        Ok((sorted(listing.keys), prefixes))
    }
}

pub fn key(name: &str) -> StoreKey {
    StoreKey::parse(name).unwrap_or_else(|error| panic!("{error:?}"))
}

/// A prefix as the text writes it, with a slash at its end.
pub fn prefix(name: &str) -> NodePath {
    NodePath::parse_any(name).unwrap_or_else(|error| panic!("{error:?}"))
}

fn sorted(keys: Vec<StoreKey>) -> Vec<String> {
    let mut names: Vec<String> = keys.iter().map(|key| key.as_str().to_owned()).collect();
    names.sort();
    names
}

fn bytes(fetched: Fetched) -> Result<Vec<u8>> {
    fetched.value.to_vec(1 << 30, "test")
}
