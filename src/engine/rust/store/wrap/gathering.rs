//! A store that merges concurrent reads into few requests: see [`gather`](crate::store::gather).

use std::ops::Range;
use std::rc::Rc;

use zarr_wasm_http::Value;

use crate::error::{IS_FULL, Result};
use crate::format::path::{NodePath, StoreKey};
#[cfg(feature = "reading")]
use crate::store::MeasuredFuture;
use crate::store::gather::Gatherer;
use crate::store::{
    ByteRange, FetchResult, Gathered, GetFuture, LocalFuture, RequestContext, Store, Writable, at_key,
};

/// A store that merges concurrent reads.
pub struct Gathering {
    inner: Rc<dyn Store>,
    gatherer: Gatherer<StoreKey>,
}

impl Gathering {
    /// Wraps a store that is aborted by dropping the future. Reads of all callers are merged.
    pub fn new(inner: Rc<dyn Store>) -> Self {
        Self { inner, gatherer: Gatherer::default() }
    }

    /// Wraps a store that receives the abort signals of its callers. Only reads of one caller are
    /// merged.
    pub fn of_each_caller(inner: Rc<dyn Store>) -> Self {
        Self { inner, gatherer: Gatherer::of_each_caller() }
    }

    /// Starts requests for a key.
    fn asks(
        &self,
        key: &StoreKey,
    ) -> impl Fn(ByteRange, RequestContext) -> LocalFuture<'static, FetchResult> + use<> {
        let (inner, key) = (self.inner.clone(), key.clone());
        move |range, context| {
            let (inner, key) = (inner.clone(), key.clone());
            Box::pin(async move { inner.get(&key, range, &context).await })
        }
    }
}

impl Gathering {
    /// Changes values, and forgets the requests in flight that may miss the change.
    async fn then_forget(
        &self,
        change: LocalFuture<'_, Result<()>>,
        is_changed: impl Fn(&StoreKey) -> bool,
    ) -> Result<()> {
        let changed = change.await;
        self.gatherer.forget(is_changed);
        changed
    }
}

impl Store for Gathering {
    fn inner(&self) -> Option<&Rc<dyn Store>> {
        Some(&self.inner)
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        Box::pin(at_key(key, async move { self.gatherer.get(key, range, context, &self.asks(key)).await }))
    }

    fn gather<'a>(
        &'a self,
        key: &'a StoreKey,
        ranges: &'a [Range<u64>],
        context: &'a RequestContext,
    ) -> Option<LocalFuture<'a, Result<Vec<Gathered>>>> {
        Some(Box::pin(async move { self.gatherer.gather(key, ranges, context, &self.asks(key)).await }))
    }

    #[cfg(feature = "reading")]
    fn measure<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> MeasuredFuture<'a> {
        self.inner.measure(key, context)
    }

    fn as_writable(&self) -> Option<&dyn Writable> {
        if IS_FULL && self.inner.as_writable().is_some() { Some(self) } else { None }
    }
}

impl Writable for Gathering {
    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        Box::pin(self.then_forget(self.inner.set(key, value), move |other| other == key))
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        Box::pin(self.then_forget(self.inner.erase(key), move |other| other == key))
    }

    fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> Option<LocalFuture<'a, Result<()>>> {
        let is_below = move |other: &StoreKey| other.below(prefix).is_some();
        Some(Box::pin(self.then_forget(self.inner.erase_prefix(prefix), is_below)))
    }
}
