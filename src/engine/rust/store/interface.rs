//! [`Store`], the interface of all stores: how values are read. What else a store can do, it says
//! itself: [`Listable`], [`Writable`], [`Changeable`].

use std::ops::Range;
use std::rc::Rc;

use zarr_wasm_http::Value;

use super::changeable::Changeable;
use super::context::RequestContext;
use super::fetched::{Gathered, GetFuture, SizeFuture};
#[cfg(feature = "reading")]
use super::fetched::{Measured, MeasuredFuture};
use super::listable::Listable;
use super::local_future::LocalFuture;
#[cfg(feature = "reading")]
use super::repository::Repository;
use super::writable::Writable;
use crate::error::{Error, Result};
use crate::format::byte_range::ByteRange;
use crate::format::metadata::NodeMetadata;
use crate::format::path::{NodePath, StoreKey};

/// Holds values under keys. An absent value is `None`, not an error.
///
/// A store around another names it by [`inner`](Self::inner). What it does not implement itself,
/// the wrapped store does; but for [`get`](Self::get) and [`gather`](Self::gather), which belong
/// together.
pub trait Store {
    /// A description for error messages: a URL or a file name.
    fn describe(&self) -> String {
        self.inner().map_or_else(|| "a store".to_owned(), |inner| inner.describe())
    }

    /// The wrapped store, if this store changes nothing but some answers: its keys are the keys of
    /// the other, and writes to one are writes to the other.
    fn inner(&self) -> Option<&Rc<dyn Store>> {
        None
    }

    /// The value of a key, or a range of it; `None` if it is absent. A range that ends past the end
    /// is cut.
    ///
    /// # Errors
    /// `Format` for a range that begins at or past the end; `Store` if the store fails.
    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a>;

    /// Merges some ranges of a key with those that others ask for in this turn, and returns the
    /// requests. `None` if this store does not merge. Then the caller merges its own ranges.
    fn gather<'a>(
        &'a self,
        key: &'a StoreKey,
        ranges: &'a [Range<u64>],
        context: &'a RequestContext,
    ) -> Option<LocalFuture<'a, Result<Vec<Gathered>>>> {
        let _ = (key, ranges, context);
        None
    }

    /// Size of the value in bytes; `None` if it is absent.
    fn size<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> SizeFuture<'a> {
        if let Some(inner) = self.inner() {
            return inner.size(key, context);
        }
        Box::pin(async move {
            let fetched = self.get(key, ByteRange::Whole, context).await?;
            Ok(fetched.map(|fetched| fetched.value.len()))
        })
    }

    /// Size of the value, and when it was changed, if the store knows; `None` if it is absent.
    #[cfg(feature = "reading")]
    fn measure<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> MeasuredFuture<'a> {
        Box::pin(async move {
            let size = self.size(key, context).await?;
            Ok(size.map(|size| Measured { size, modified: None }))
        })
    }

    /// Whether getting a range costs less than getting the whole value, as far as that is known.
    fn reads_parts(&self) -> bool {
        self.inner().is_some_and(|inner| inner.reads_parts())
    }

    /// Whether some rows of a chunk may be fetched instead of the whole chunk. A user's store may
    /// expect requests for whole chunks.
    fn reads_rows(&self) -> bool {
        self.inner().map_or_else(|| self.reads_parts(), |inner| inner.reads_rows())
    }

    /// How keys are listed. A server that may list has yet to be asked: [`Listable::can_list`].
    fn as_listable(&self) -> Option<&dyn Listable> {
        self.inner()?.as_listable()
    }

    /// How values are written; `None` for a store that only reads.
    fn as_writable(&self) -> Option<&dyn Writable> {
        self.inner()?.as_writable()
    }

    /// What may be kept of values that others may change; `None` if nothing is known of them.
    fn as_changeable(&self) -> Option<&dyn Changeable> {
        self.inner()?.as_changeable()
    }

    /// The Icechunk repository, if this store shows one.
    #[cfg(feature = "reading")]
    fn repository(&self) -> Option<&dyn Repository> {
        self.inner()?.repository()
    }

    /// The v3 root group, if this store knows it from consolidated metadata: its document, which
    /// may have megabytes because it holds the documents of all nodes, and its parsed metadata.
    fn known_group(&self, context: &RequestContext) -> Option<Result<(Value, NodeMetadata)>> {
        self.inner()?.known_group(context)
    }

    /// Paths where hierarchies begin, as far as the store knows without a request. An error
    /// suggests them if there is no node at a path.
    fn roots(&self) -> Vec<NodePath> {
        self.inner().map(|inner| inner.roots()).unwrap_or_default()
    }

    /// The `Unsupported` error for an operation that this store does not support.
    fn lacks(&self, verb: &str) -> Error {
        Error::unsupported(format!("this store cannot {verb}: {}", self.describe()))
    }
}

/// The innermost store, without its wrappers. Stores with one such store hold the same values.
pub(crate) fn innermost(store: &Rc<dyn Store>) -> Rc<dyn Store> {
    let mut store = store;
    while let Some(inner) = store.inner() {
        store = inner;
    }
    store.clone()
}
