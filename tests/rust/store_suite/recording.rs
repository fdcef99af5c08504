//! A store that records its calls, for tests of the stores that wrap it.

use std::cell::RefCell;
use std::rc::Rc;

use futures_executor::block_on;
use zarr_wasm::internals::error::Result;
use zarr_wasm::internals::format::path::{NodePath, StoreKey};
use zarr_wasm::internals::store::memory::MemoryStore;
use zarr_wasm::internals::store::{
    ByteRange, Capabilities, GetFuture, Listing, LocalFuture, RequestContext, SizeFuture, Store, Value,
};

use super::stores::key;

/// Notes each call and what it was about.
pub struct Recording {
    pub inner: MemoryStore,
    pub calls: RefCell<Vec<String>>,
    pub is_writable: bool,
}

pub fn recording() -> Rc<Recording> {
    Rc::new(Recording { inner: MemoryStore::new(), calls: RefCell::default(), is_writable: true })
}

impl Recording {
    fn note(&self, call: String) {
        self.calls.borrow_mut().push(call);
    }

    pub fn calls(&self) -> Vec<String> {
        self.calls.take()
    }

    pub fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        let fetched = block_on(self.inner.get(&key(name), ByteRange::Whole, &RequestContext::default()));
        fetched.ok()??.value.as_slice().map(<[u8]>::to_vec)
    }
}

fn span(range: ByteRange) -> String {
    match range {
        ByteRange::Whole => "all".to_owned(),
        ByteRange::At { offset, len } => format!("{offset}+{len}"),
        ByteRange::Last(len) => format!("-{len}"),
    }
}

impl Store for Recording {
    fn capabilities(&self) -> Capabilities {
        Capabilities { writable: self.is_writable, ..self.inner.capabilities() }
    }

    fn describe(&self) -> String {
        "recording".to_owned()
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        self.note(format!("get {key} {}", span(range)));
        self.inner.get(key, range, context)
    }

    fn size<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> SizeFuture<'a> {
        self.note(format!("size {key}"));
        self.inner.size(key, context)
    }

    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        self.note(format!("set {key}"));
        self.inner.set(key, value)
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        self.note(format!("erase {key}"));
        self.inner.erase(key)
    }

    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        self.note(format!("list_dir {prefix}/"));
        self.inner.list_dir(prefix)
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        self.note(format!("list_prefix {prefix}/"));
        self.inner.list_prefix(prefix)
    }

    fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<()>> {
        self.note(format!("erase_prefix {prefix}/"));
        self.inner.erase_prefix(prefix)
    }
}
