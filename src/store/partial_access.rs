//! Stores that offer only partial values, or can only list everything, and the whole operations made of those: the text's
//! `StoreWithPartialAccess` (v3 core "Abstract store interface", its last paragraph).
//!
//! A trait of its own rather than defaults in [`Store`] both ways: there a store that offers neither would call itself without
//! end.

use super::{
    ByteRange, Capabilities, Fetched, KeyRange, KeyStartValue, Listing, LocalFuture, RequestContext, Store,
    Value,
};
use crate::error::{Error, Result};
use crate::format::path::{NodePath, StoreKey};

/// A place that reads, writes and erases by lists, and can name all of its keys.
pub trait PartialAccess {
    /// What it can do.
    fn capabilities(&self) -> Capabilities;

    /// For errors and people.
    fn describe(&self) -> String;

    /// As [`Store::get_partial_values`]; [`ByteRange::Whole`] is a range as any other.
    fn get_partial_values<'a>(
        &'a self,
        key_ranges: &'a [KeyRange],
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Vec<Option<Fetched>>>>;

    /// As [`Store::set_partial_values`]; an empty value makes the key.
    fn set_partial_values<'a>(&'a self, values: &'a [KeyStartValue]) -> LocalFuture<'a, Result<()>> {
        let _ = values;
        Box::pin(async move { Err(lacks(self, "write")) })
    }

    /// As [`Store::erase_values`].
    fn erase_values<'a>(&'a self, keys: &'a [StoreKey]) -> LocalFuture<'a, Result<()>> {
        let _ = keys;
        Box::pin(async move { Err(lacks(self, "erase")) })
    }

    /// As [`Store::list`].
    fn list(&self) -> LocalFuture<'_, Result<Vec<StoreKey>>> {
        Box::pin(async move { Err(lacks(self, "list")) })
    }
}

fn lacks<S: PartialAccess + ?Sized>(store: &S, verb: &str) -> Error {
    Error::unsupported(format!("this store cannot {verb}: {}", store.describe()))
}

/// The whole interface over a store with partial access.
pub struct StoreWithPartialAccess<S>(pub S);

impl<S: PartialAccess> StoreWithPartialAccess<S> {
    async fn read_one(
        &self,
        key: &StoreKey,
        range: ByteRange,
        context: &RequestContext,
    ) -> Result<Option<Fetched>> {
        let asked = [KeyRange { key: key.clone(), range }];
        Ok(self.0.get_partial_values(&asked, context).await?.into_iter().next().flatten())
    }
}

impl<S: PartialAccess> Store for StoreWithPartialAccess<S> {
    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    fn describe(&self) -> String {
        self.0.describe()
    }

    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Fetched>>> {
        Box::pin(self.read_one(key, range, context))
    }

    fn get_ranges<'a>(
        &'a self,
        key: &'a StoreKey,
        ranges: &'a [ByteRange],
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Vec<Option<Fetched>>>> {
        Box::pin(async move {
            let asked: Vec<KeyRange> =
                ranges.iter().map(|range| KeyRange { key: key.clone(), range: *range }).collect();
            self.0.get_partial_values(&asked, context).await
        })
    }

    fn get_partial_values<'a>(
        &'a self,
        key_ranges: &'a [KeyRange],
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Vec<Option<Fetched>>>> {
        self.0.get_partial_values(key_ranges, context)
    }

    /// Erased first: a partial value cannot make a value shorter. Who reads in between finds nothing.
    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            self.0.erase_values(std::slice::from_ref(key)).await?;
            self.0.set_partial_values(&[KeyStartValue { key: key.clone(), start: 0, value }]).await
        })
    }

    fn set_partial_values<'a>(&'a self, values: &'a [KeyStartValue]) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            super::partial_values::check_overlaps(values)?;
            self.0.set_partial_values(values).await
        })
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        self.0.erase_values(std::slice::from_ref(key))
    }

    fn erase_values<'a>(&'a self, keys: &'a [StoreKey]) -> LocalFuture<'a, Result<()>> {
        self.0.erase_values(keys)
    }

    fn list(&self) -> LocalFuture<'_, Result<Vec<StoreKey>>> {
        self.0.list()
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        Box::pin(async move {
            let keys = self.0.list().await?;
            Ok(keys.into_iter().filter(|key| key.below(prefix).is_some()).collect())
        })
    }

    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        Box::pin(async move { Ok(Listing::of(&self.0.list().await?, prefix)) })
    }
}
