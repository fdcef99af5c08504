//! What callers ask of any store, which it may not be able to do: to list, to write, and to know of
//! changes. The methods of `dyn Store` ask the store for the ability, and are the errors of those
//! that lack it.

use std::future::ready;

use zarr_wasm_http::Value;

use super::interface::Store;
use super::listing::Listing;
use super::local_future::{LocalFuture, in_full, in_reading};
use crate::error::Result;
use crate::format::path::{NodePath, StoreKey};

/// Lists: work of the build `reading`, but for the children of a node in a user's store.
impl dyn Store + '_ {
    /// As `Listable::is_known_to_list`.
    pub fn is_known_to_list(&self) -> bool {
        self.as_listable().is_some_and(|store| store.is_known_to_list())
    }

    /// As `Listable::can_list`.
    pub fn can_list(&self) -> LocalFuture<'_, Result<bool>> {
        match self.as_listable() {
            Some(store) => store.can_list(),
            None => in_reading("listing", || Box::pin(ready(Ok(false)))),
        }
    }

    /// As `Listable::list_dir`.
    pub fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        match self.as_listable() {
            Some(store) => store.list_dir(prefix),
            None => in_reading("listing", || Box::pin(ready(Err(self.lacks("list"))))),
        }
    }

    /// As `Listable::list_prefix`.
    pub fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        in_reading("listing", || match self.as_listable() {
            Some(store) => store.list_prefix(prefix),
            None => Box::pin(ready(Err(self.lacks("list")))),
        })
    }
}

/// Writes: work of the full build.
impl dyn Store + '_ {
    /// As `Writable::set`.
    pub fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        in_full("writing", || match self.as_writable() {
            Some(store) => store.set(key, value),
            None => Box::pin(ready(Err(self.lacks("write").at_key(key.as_str())))),
        })
    }

    /// As `Writable::erase`.
    pub fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        in_full("erasing", || match self.as_writable() {
            Some(store) => store.erase(key),
            None => Box::pin(ready(Err(self.lacks("erase").at_key(key.as_str())))),
        })
    }

    /// Removes all keys below a prefix.
    pub fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<()>> {
        in_full("erasing", || {
            if let Some(erased) = self.as_writable().and_then(|store| store.erase_prefix(prefix)) {
                return erased;
            }
            Box::pin(async move {
                for key in self.list_prefix(prefix).await? {
                    self.erase(&key).await?;
                }
                Ok(())
            })
        })
    }
}

/// Changes by others.
impl dyn Store + '_ {
    /// As `Changeable::is_cacheable`.
    pub fn is_cacheable(&self) -> bool {
        self.as_changeable().is_some_and(|store| store.is_cacheable())
    }

    /// As `Changeable::absence_is_cacheable`.
    pub fn absence_is_cacheable(&self) -> bool {
        self.as_changeable().is_none_or(|store| store.absence_is_cacheable())
    }

    /// As `Changeable::forget_kept`.
    pub fn forget_kept(&self) {
        if let Some(store) = self.as_changeable() {
            store.forget_kept();
        }
    }

    /// As `Changeable::note_changed`.
    pub fn note_changed(&self, key: &StoreKey) {
        if let Some(store) = self.as_changeable() {
            store.note_changed(key);
        }
    }

    /// As `Changeable::lock_name`.
    pub fn lock_name<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Option<String>> {
        match self.as_changeable() {
            Some(store) => store.lock_name(key),
            None => Box::pin(ready(None)),
        }
    }
}
