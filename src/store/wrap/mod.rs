//! Wrappers: stores that have the interface of the store that they wrap, and add one thing.
//!
//! [`Gathering`] is the innermost wrapper. [`KnownDocuments`] wraps it when a hierarchy has
//! consolidated metadata. [`Alias`] and [`transform`] wrap the store of a single array, as its
//! metadata demands. [`OverlayStore`] combines two stores of the user. [`Counting`] is for tests.

/// Implements methods of `Store` by calling the same methods of the field `inner`.
macro_rules! forward_to_inner {
    ($($method:ident)*) => { $(forward_to_inner!(@ $method);)* };
    (@ capabilities) => {
        fn capabilities(&self) -> crate::store::Capabilities {
            self.inner.capabilities()
        }

        fn reads_rows(&self) -> bool {
            self.inner.reads_rows()
        }

        fn is_cacheable(&self) -> bool {
            self.inner.is_cacheable()
        }

        fn forget_kept(&self) {
            self.inner.forget_kept();
        }

        fn roots(&self) -> Vec<crate::format::path::NodePath> {
            self.inner.roots()
        }

        fn absence_is_cacheable(&self) -> bool {
            self.inner.absence_is_cacheable()
        }
    };
    (@ describe) => {
        fn describe(&self) -> String {
            self.inner.describe()
        }

        fn lock_name(&self) -> Option<String> {
            self.inner.lock_name()
        }
    };
    (@ get_ranges) => {
        fn get_ranges<'a>(
            &'a self,
            key: &'a crate::format::path::StoreKey,
            ranges: &'a [crate::store::ByteRange],
            context: &'a crate::store::RequestContext,
        ) -> crate::store::LocalFuture<'a, crate::error::Result<Vec<Option<crate::store::Fetched>>>> {
            self.inner.get_ranges(key, ranges, context)
        }

        fn gather<'a>(
            &'a self,
            key: &'a crate::format::path::StoreKey,
            ranges: &'a [std::ops::Range<u64>],
            context: &'a crate::store::RequestContext,
        ) -> Option<crate::store::LocalFuture<'a, crate::error::Result<Vec<crate::store::gather::Gathered>>>>
        {
            self.inner.gather(key, ranges, context)
        }
    };
    (@ size) => {
        fn size<'a>(
            &'a self,
            key: &'a crate::format::path::StoreKey,
            context: &'a crate::store::RequestContext,
        ) -> crate::store::LocalFuture<'a, crate::error::Result<Option<u64>>> {
            self.inner.size(key, context)
        }
    };
    (@ set) => {
        fn set<'a>(
            &'a self,
            key: &'a crate::format::path::StoreKey,
            value: crate::store::Value,
        ) -> crate::store::LocalFuture<'a, crate::error::Result<()>> {
            self.inner.set(key, value)
        }

        fn set_partial_values<'a>(
            &'a self,
            values: &'a [crate::store::KeyStartValue],
        ) -> crate::store::LocalFuture<'a, crate::error::Result<()>> {
            self.inner.set_partial_values(values)
        }
    };
    (@ lists) => {
        fn list(
            &self,
        ) -> crate::store::LocalFuture<'_, crate::error::Result<Vec<crate::format::path::StoreKey>>> {
            self.inner.list()
        }

        fn can_list(&self) -> crate::store::LocalFuture<'_, crate::error::Result<bool>> {
            self.inner.can_list()
        }

        fn list_dir<'a>(
            &'a self,
            prefix: &'a crate::format::path::NodePath,
        ) -> crate::store::LocalFuture<'a, crate::error::Result<crate::store::Listing>> {
            self.inner.list_dir(prefix)
        }

        fn list_prefix<'a>(
            &'a self,
            prefix: &'a crate::format::path::NodePath,
        ) -> crate::store::LocalFuture<'a, crate::error::Result<Vec<crate::format::path::StoreKey>>> {
            self.inner.list_prefix(prefix)
        }
    };
    (@ erase_prefix) => {
        fn erase_prefix<'a>(
            &'a self,
            prefix: &'a crate::format::path::NodePath,
        ) -> crate::store::LocalFuture<'a, crate::error::Result<()>> {
            self.inner.erase_prefix(prefix)
        }
    };
    (@ erase) => {
        fn erase<'a>(
            &'a self,
            key: &'a crate::format::path::StoreKey,
        ) -> crate::store::LocalFuture<'a, crate::error::Result<()>> {
            self.inner.erase(key)
        }

        fn erase_values<'a>(
            &'a self,
            keys: &'a [crate::format::path::StoreKey],
        ) -> crate::store::LocalFuture<'a, crate::error::Result<()>> {
            self.inner.erase_values(keys)
        }
    };
}

mod alias;
#[cfg(feature = "internals")]
mod counting;
mod gathering;
mod known_documents;
mod overlay;
pub mod transform;

pub use alias::Alias;
#[cfg(feature = "internals")]
pub use counting::{Counters, Counting};
pub use gathering::Gathering;
pub use known_documents::KnownDocuments;
pub use overlay::OverlayStore;
