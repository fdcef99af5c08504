//! The stores that the suite runs on, and those that offer only half of the operations.

use std::rc::Rc;

use futures_executor::block_on;
use zarr_wasm::error::Result;
use zarr_wasm::format::chunk_key::Separator;
use zarr_wasm::format::metadata::ZarrFormat;
use zarr_wasm::format::metadata::consolidated::Consolidated;
use zarr_wasm::format::path::{NodePath, StoreKey};
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::store::wrap::Counting;
use zarr_wasm_engine::internals::store::wrap::transform::ArrayKeys;
use zarr_wasm_engine::internals::store::wrap::transform::sharding::ShardingTransformer;
use zarr_wasm_engine::internals::store::wrap::{Gathering, KnownDocuments};
use zarr_wasm_engine::internals::store::{
    ByteRange, Fetched, GetFuture, Listable, Listing, LocalFuture, RequestContext, Store, Value, Writable,
};

/// A way to make a store with nothing in it.
pub struct Made {
    pub name: &'static str,
    make: fn() -> Rc<dyn Store>,
}

impl Made {
    pub fn subject(&self) -> Subject {
        Subject { store: (self.make)() }
    }
}

/// A store under test.
pub struct Subject {
    pub store: Rc<dyn Store>,
}

fn memory() -> Rc<dyn Store> {
    Rc::new(MemoryStore::new())
}

/// Chunks of `data/a`: 7 × 5 of them.
pub fn keys(separator: Separator) -> ArrayKeys {
    let prefix = NodePath::from_normal("data/a").unwrap_or_default();
    ArrayKeys { prefix, grid_shape: vec![7, 5], separator }
}

pub fn sharded(inner: Rc<dyn Store>, separator: Separator) -> Rc<dyn Store> {
    let made = ShardingTransformer::new(inner, keys(separator), vec![3, 2]);
    Rc::new(made.unwrap_or_else(|error| panic!("{error:?}")))
}

/// Shards of shards: the transformer nearest to the array is the last around the store.
fn stacked(store: Rc<dyn Store>) -> Rc<dyn Store> {
    let outer = ArrayKeys { grid_shape: vec![3, 3], ..keys(Separator::Slash) };
    let outer = ShardingTransformer::new(store, outer, vec![2, 2]);
    let outer = outer.unwrap_or_else(|error| panic!("{error:?}"));
    sharded(Rc::new(outer), Separator::Slash)
}

fn consolidated() -> KnownDocuments {
    let text = br#"{"zarr_consolidated_format":1,"metadata":{"known/.zgroup":{"zarr_format":2}}}"#;
    let known = Consolidated::index(text.as_slice(), ZarrFormat::V2);
    let known = known.unwrap_or_else(|error| panic!("{error:?}")).unwrap_or_else(|| panic!("none"));
    KnownDocuments::new(memory(), known, text.to_vec().into())
}

fn whole_only() -> Rc<dyn Store> {
    Rc::new(WholeOnly::default())
}

fn all_wrappers() -> Rc<dyn Store> {
    Rc::new(Gathering::new(Rc::new(Counting::new(memory()))))
}

/// Every store, by name.
pub const STORES: &[Made] = &[
    Made { name: "memory", make: memory },
    Made { name: "whole_values_only", make: whole_only },
    Made { name: "counting", make: || Rc::new(Counting::with_log(memory())) },
    Made { name: "gathering", make: || Rc::new(Gathering::new(memory())) },
    Made { name: "gathering_of_each_caller", make: || Rc::new(Gathering::of_each_caller(memory())) },
    Made { name: "known_documents", make: || Rc::new(consolidated()) },
    Made { name: "all_wrappers", make: all_wrappers },
    Made { name: "sharding", make: || sharded(memory(), Separator::Slash) },
    Made { name: "sharding_dot", make: || sharded(memory(), Separator::Dot) },
    Made { name: "sharding_stacked", make: || stacked(memory()) },
    Made { name: "sharding_whole_values_only", make: || sharded(whole_only(), Separator::Slash) },
    Made { name: "sharding_all_wrappers", make: || sharded(all_wrappers(), Separator::Slash) },
];

/// Reads and writes whole values, and lists folders; everything else is the interface's fallback.
#[derive(Default)]
pub struct WholeOnly(MemoryStore);

impl Store for WholeOnly {
    fn describe(&self) -> String {
        "whole values only".to_owned()
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        self.0.get(key, range, context)
    }

    fn as_listable(&self) -> Option<&dyn Listable> {
        Some(self)
    }

    fn as_writable(&self) -> Option<&dyn Writable> {
        Some(self)
    }
}

impl Writable for WholeOnly {
    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        self.0.set(key, value)
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        self.0.erase(key)
    }
}

impl Listable for WholeOnly {
    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        self.0.list_dir(prefix)
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

    pub fn erase(&self, name: &str) -> Result<()> {
        block_on(self.store.erase(&key(name)))
    }

    pub fn erase_prefix(&self, name: &str) -> Result<()> {
        block_on(self.store.erase_prefix(&prefix(name)))
    }

    pub fn size(&self, name: &str) -> Result<Option<u64>> {
        block_on(self.store.size(&key(name), &RequestContext::default()))
    }

    /// The text's `list`.
    pub fn list(&self) -> Result<Vec<String>> {
        self.list_prefix("/")
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
