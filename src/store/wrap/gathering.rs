//! A store that merges concurrent reads into few requests: see [`gather`](crate::store::gather).

use std::ops::Range;
use std::rc::Rc;

use crate::error::{IS_FULL, Result};
use crate::format::path::{NodePath, StoreKey};
use crate::store::gather::Gatherer;
use crate::store::{
    ByteRange, FetchResult, Gathered, GetFuture, LocalFuture, RequestContext, Store, Value, left_to_full,
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

impl Store for Gathering {
    fn inner(&self) -> Option<&Rc<dyn Store>> {
        Some(&self.inner)
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        Box::pin(async move {
            let answer = self.gatherer.get(key, range, context, &self.asks(key)).await;
            answer.map_err(|error| error.at_key(key.as_str()))
        })
    }

    fn gather<'a>(
        &'a self,
        key: &'a StoreKey,
        ranges: &'a [Range<u64>],
        context: &'a RequestContext,
    ) -> Option<LocalFuture<'a, Result<Vec<Gathered>>>> {
        Some(Box::pin(async move { self.gatherer.gather(key, ranges, context, &self.asks(key)).await }))
    }

    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        if !IS_FULL {
            return left_to_full("writing");
        }
        Box::pin(async move {
            let written = self.inner.set(key, value).await;
            self.gatherer.forget(|other| other == key);
            written
        })
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        if !IS_FULL {
            return left_to_full("erasing");
        }
        Box::pin(async move {
            let erased = self.inner.erase(key).await;
            self.gatherer.forget(|other| other == key);
            erased
        })
    }

    fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<()>> {
        if !IS_FULL {
            return left_to_full("erasing");
        }
        Box::pin(async move {
            let erased = self.inner.erase_prefix(prefix).await;
            self.gatherer.forget(|other| other.below(prefix).is_some());
            erased
        })
    }
}
