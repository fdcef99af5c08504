//! `Rc<S>` is a store if `S` is one, so that several owners can share a store.

use std::ops::Range;
use std::rc::Rc;

use super::{
    ByteRange, Capabilities, Fetched, KeyRange, KeyStartValue, Listing, LocalFuture, RequestContext, Store,
    Value,
};
use crate::error::Result;
use crate::format::metadata::NodeMetadata;
use crate::format::path::{NodePath, StoreKey};
use crate::store::gather::Gathered;

impl<S: Store + ?Sized> Store for Rc<S> {
    fn capabilities(&self) -> Capabilities {
        (**self).capabilities()
    }

    fn describe(&self) -> String {
        (**self).describe()
    }

    fn lock_name(&self) -> Option<String> {
        (**self).lock_name()
    }

    fn wrapped(&self) -> Option<Rc<dyn Store>> {
        (**self).wrapped()
    }

    fn known_group(&self, context: &RequestContext) -> Option<Result<(Value, NodeMetadata)>> {
        (**self).known_group(context)
    }

    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Fetched>>> {
        (**self).get(key, range, context)
    }

    fn get_ranges<'a>(
        &'a self,
        key: &'a StoreKey,
        ranges: &'a [ByteRange],
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Vec<Option<Fetched>>>> {
        (**self).get_ranges(key, ranges, context)
    }

    fn get_partial_values<'a>(
        &'a self,
        key_ranges: &'a [KeyRange],
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Vec<Option<Fetched>>>> {
        (**self).get_partial_values(key_ranges, context)
    }

    fn reads_rows(&self) -> bool {
        (**self).reads_rows()
    }

    fn gather<'a>(
        &'a self,
        key: &'a StoreKey,
        ranges: &'a [Range<u64>],
        context: &'a RequestContext,
    ) -> Option<LocalFuture<'a, Result<Vec<Gathered>>>> {
        (**self).gather(key, ranges, context)
    }

    fn is_cacheable(&self) -> bool {
        (**self).is_cacheable()
    }

    fn forget_kept(&self) {
        (**self).forget_kept();
    }

    fn roots(&self) -> Vec<NodePath> {
        (**self).roots()
    }

    fn absence_is_cacheable(&self) -> bool {
        (**self).absence_is_cacheable()
    }

    fn size<'a>(
        &'a self,
        key: &'a StoreKey,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<u64>>> {
        (**self).size(key, context)
    }

    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        (**self).set(key, value)
    }

    fn set_partial_values<'a>(&'a self, values: &'a [KeyStartValue]) -> LocalFuture<'a, Result<()>> {
        (**self).set_partial_values(values)
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        (**self).erase(key)
    }

    fn erase_values<'a>(&'a self, keys: &'a [StoreKey]) -> LocalFuture<'a, Result<()>> {
        (**self).erase_values(keys)
    }

    fn list(&self) -> LocalFuture<'_, Result<Vec<StoreKey>>> {
        (**self).list()
    }

    fn can_list(&self) -> LocalFuture<'_, Result<bool>> {
        (**self).can_list()
    }

    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        (**self).list_dir(prefix)
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        (**self).list_prefix(prefix)
    }

    fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<()>> {
        (**self).erase_prefix(prefix)
    }
}
