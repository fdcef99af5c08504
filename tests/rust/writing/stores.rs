//! Stores that make it hard: slow, failing, unable.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use zarr_wasm::internals::error::{Error, Result};
use zarr_wasm::internals::format::path::{NodePath, StoreKey};
use zarr_wasm::internals::store::{
    ByteRange, Capabilities, Fetched, Listing, LocalFuture, RequestContext, Store, Value,
};

/// splitmix64: the numbers of a seed.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below.max(1)
    }
}

/// Answers after a while, others first.
pub struct Slow {
    pub inner: Rc<dyn Store>,
    pub state: Cell<u64>,
}

impl Slow {
    pub async fn wait(&self) {
        let turns = Numbers(self.state.get()).next(5);
        self.state.set(self.state.get() + 1);
        for _ in 0..turns {
            let mut polled = false;
            futures_util::future::poll_fn(|context| {
                if polled {
                    return std::task::Poll::Ready(());
                }
                polled = true;
                context.waker().wake_by_ref();
                std::task::Poll::Pending
            })
            .await;
        }
    }
}

impl Store for Slow {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn describe(&self) -> String {
        "slow".to_owned()
    }

    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Fetched>>> {
        Box::pin(async move {
            self.wait().await;
            self.inner.get(key, range, context).await
        })
    }

    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            self.wait().await;
            self.inner.set(key, value).await
        })
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            self.wait().await;
            self.inner.erase(key).await
        })
    }

    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        self.inner.list_dir(prefix)
    }
}

/// Fails to set some keys, may not be able to list or erase, and counts.
pub struct Picky {
    pub inner: Rc<dyn Store>,
    pub refused: RefCell<Vec<String>>,
    pub bare: bool,
    pub gets: Cell<usize>,
    pub sets: Cell<usize>,
}

impl Picky {
    pub fn new(inner: Rc<dyn Store>, refused: &[&str], bare: bool) -> Rc<Self> {
        let refused = RefCell::new(refused.iter().map(|key| (*key).to_owned()).collect());
        Rc::new(Self { inner, refused, bare, gets: Cell::new(0), sets: Cell::new(0) })
    }
}

impl Store for Picky {
    fn capabilities(&self) -> Capabilities {
        Capabilities { listable: !self.bare, ..self.inner.capabilities() }
    }

    fn describe(&self) -> String {
        "picky".to_owned()
    }

    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Fetched>>> {
        self.gets.set(self.gets.get() + 1);
        self.inner.get(key, range, context)
    }

    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        self.sets.set(self.sets.get() + 1);
        if self.refused.borrow().iter().any(|refused| refused == key.as_str()) {
            return Box::pin(async { Err(Error::store("the disk is full")) });
        }
        self.inner.set(key, value)
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        if self.bare {
            return Box::pin(async { Err(self.lacks("erase")) });
        }
        self.inner.erase(key)
    }

    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        if self.bare {
            return Box::pin(async { Err(self.lacks("list")) });
        }
        self.inner.list_dir(prefix)
    }
}

/// Can do all but list.
pub struct Unlisted {
    pub inner: Rc<dyn Store>,
}

impl Store for Unlisted {
    fn capabilities(&self) -> Capabilities {
        Capabilities { listable: false, ..self.inner.capabilities() }
    }

    fn describe(&self) -> String {
        "unlisted".to_owned()
    }

    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Fetched>>> {
        self.inner.get(key, range, context)
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        self.inner.erase(key)
    }
}
