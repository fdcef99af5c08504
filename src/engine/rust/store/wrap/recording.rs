//! A store in memory that records its calls, so that tests can compare what another store or an
//! operation asks of it. No build for the web contains it.

use std::cell::RefCell;
use std::fmt::Display;
use std::rc::Rc;

use zarr_wasm_http::Value;

use crate::error::Result;
use crate::format::path::{NodePath, StoreKey};
use crate::store::memory::MemoryStore;
use crate::store::{
    ByteRange, GetFuture, Listable, Listing, LocalFuture, RequestContext, SizeFuture, Store, Writable,
};

/// Notes each call and what it was about.
pub struct Recording {
    /// The values.
    pub memory: Rc<MemoryStore>,
    lists: bool,
    writes: bool,
    calls: RefCell<Vec<String>>,
}

impl Recording {
    /// Records the calls of what is in memory.
    fn over(memory: Rc<MemoryStore>) -> Self {
        Self { memory, lists: true, writes: true, calls: RefCell::default() }
    }

    /// An empty store.
    pub fn empty() -> Rc<Self> {
        Rc::new(Self::over(Rc::default()))
    }

    /// What is in memory, which cannot be listed.
    pub fn unlisted(memory: Rc<MemoryStore>) -> Rc<Self> {
        Rc::new(Self { lists: false, ..Self::over(memory) })
    }

    /// What is in memory, which cannot be changed.
    pub fn read_only(memory: Rc<MemoryStore>) -> Rc<Self> {
        Rc::new(Self { writes: false, ..Self::over(memory) })
    }

    /// The calls since the last call of this: `get c/0`, `get c/0 4+8`, `get c/0 -8`.
    pub fn calls(&self) -> Vec<String> {
        self.calls.take()
    }

    fn note(&self, call: &str, what: impl Display) {
        self.calls.borrow_mut().push(format!("{call} {what}"));
    }
}

impl Store for Recording {
    fn describe(&self) -> String {
        "recording".to_owned()
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        match range {
            ByteRange::Whole => self.note("get", key),
            ByteRange::At { offset, len } => self.note("get", format!("{key} {offset}+{len}")),
            ByteRange::Last(len) => self.note("get", format!("{key} -{len}")),
        }
        self.memory.get(key, range, context)
    }

    fn size<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> SizeFuture<'a> {
        self.note("size", key);
        self.memory.size(key, context)
    }

    fn reads_parts(&self) -> bool {
        true
    }

    fn as_listable(&self) -> Option<&dyn Listable> {
        self.lists.then_some(self)
    }

    fn as_writable(&self) -> Option<&dyn Writable> {
        self.writes.then_some(self)
    }
}

impl Writable for Recording {
    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        self.note("set", key);
        self.memory.set(key, value)
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        self.note("erase", key);
        self.memory.erase(key)
    }

    fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> Option<LocalFuture<'a, Result<()>>> {
        self.note("erase_prefix", format!("{prefix}/"));
        let memory: &dyn Store = &*self.memory;
        Some(memory.erase_prefix(prefix))
    }
}

impl Listable for Recording {
    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        self.note("list_dir", format!("{prefix}/"));
        self.memory.list_dir(prefix)
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        self.note("list_prefix", format!("{prefix}/"));
        self.memory.list_prefix(prefix)
    }
}
