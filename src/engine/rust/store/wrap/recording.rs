//! A store in memory that records its calls, so that tests can compare what another store or an
//! operation asks of it. No build for the web contains it.

use std::cell::RefCell;
use std::fmt::Display;
use std::rc::Rc;

use crate::error::Result;
use crate::format::path::{NodePath, StoreKey};
use crate::store::memory::MemoryStore;
use crate::store::{
    ByteRange, Capabilities, GetFuture, Listing, LocalFuture, RequestContext, SizeFuture, Store, Value,
};

/// Notes each call and what it was about.
pub struct Recording {
    /// The values.
    pub memory: Rc<MemoryStore>,
    capabilities: Capabilities,
    calls: RefCell<Vec<String>>,
}

impl Recording {
    /// Records the calls of what is in memory. `capabilities` are those that the store has.
    pub fn over(memory: Rc<MemoryStore>, capabilities: Capabilities) -> Rc<Self> {
        Rc::new(Self { memory, capabilities, calls: RefCell::default() })
    }

    /// An empty store.
    pub fn empty() -> Rc<Self> {
        let memory = Rc::<MemoryStore>::default();
        let capabilities = memory.capabilities();
        Self::over(memory, capabilities)
    }

    /// The calls since the last call of this: `get c/0`, `get c/0 4+8`, `get c/0 -8`.
    pub fn calls(&self) -> Vec<String> {
        self.calls.take()
    }

    fn note(&self, call: &str, what: impl Display) {
        self.calls.borrow_mut().push(format!("{call} {what}"));
    }

    fn listed<'a, T: 'a>(&self, list: LocalFuture<'a, Result<T>>) -> LocalFuture<'a, Result<T>> {
        let refused = self.lacks("list");
        if self.capabilities.listable { list } else { Box::pin(std::future::ready(Err(refused))) }
    }
}

impl Store for Recording {
    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

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

    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        self.note("set", key);
        self.memory.set(key, value)
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        self.note("erase", key);
        self.memory.erase(key)
    }

    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        self.note("list_dir", format!("{prefix}/"));
        self.listed(self.memory.list_dir(prefix))
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        self.note("list_prefix", format!("{prefix}/"));
        self.listed(self.memory.list_prefix(prefix))
    }

    fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<()>> {
        self.note("erase_prefix", format!("{prefix}/"));
        self.memory.erase_prefix(prefix)
    }
}
