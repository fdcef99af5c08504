//! Stores, which bytes come from. Only stores wait for the network or the disk.
//!
//! One interface, [`Store`], follows the specification's abstract store interface (v3 core,
//! "Stores"; the drafts have it too), as far as something here needs it. Caching, merging of
//! requests and the like are wrappers with the same interface ([`wrap`]). A store does not know
//! what its values mean.
//!
//! | specification | here | default implementation | of a wrapper |
//! |---|---|---|---|
//! | `get` | [`Store::get`] of [`ByteRange::Whole`] | required | required |
//! | `get_partial_values` | [`Store::get`] of a range; [`Store::gather`] for many | none are merged | the same |
//! | (not specified) | [`Store::size`] | the length of the whole value | the wrapped store's |
//! | (not specified) | [`Store::measure`] | the size | the size |
//! | `set`, `erase` | the same | `Unsupported` | the wrapped store's |
//! | `erase_prefix` | the same | `list_prefix`, then `erase` of each key | the wrapped store's |
//! | `list_dir` | the same | `Unsupported` | the wrapped store's |
//! | `list_prefix`, `list` | [`Store::list_prefix`], also of the root | walks the tree with `list_dir` | the wrapped store's |
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::string_slice))]

pub mod bulk;
pub mod gather;
pub mod http;
#[cfg(feature = "reading")]
pub mod icechunk;
pub(crate) mod in_flight;
pub mod key_table;
#[cfg(not(target_arch = "wasm32"))]
pub mod memory;
pub mod priority;
pub mod reader;
#[cfg(feature = "reading")]
pub mod reference;
pub mod turn;
pub mod value;
pub mod walk;
pub mod wrap;
pub(crate) mod writers;
#[cfg(feature = "reading")]
pub mod zip;

use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::rc::Rc;

use futures_util::future::Shared;

pub use bulk::Bulk;
pub use priority::Priority;
pub use reader::Reader;
pub use value::{HostBytes, Value};

pub use crate::format::byte_range::ByteRange;

use crate::error::{Error, IS_FULL, IS_READING, Opaque, Result};
use crate::format::metadata::NodeMetadata;
use crate::format::path::{NodePath, StoreKey};
use crate::limits;
use crate::sorted;

/// A future on the current thread. JavaScript handles cannot move to other threads.
pub type LocalFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A request to a store: the value that it finds.
pub type GetFuture<'a> = LocalFuture<'a, FetchResult>;

/// The size of a value in bytes; `None` if it is absent.
pub type SizeFuture<'a> = LocalFuture<'a, Result<Option<u64>>>;

/// What is known of a value; `None` if it is absent.
#[cfg(feature = "reading")]
pub type MeasuredFuture<'a> = LocalFuture<'a, Result<Option<Measured>>>;

/// Work that several wait for. Clones wait for the same work.
pub type SharedFuture<T> = Shared<LocalFuture<'static, T>>;

/// Work of the full build. In others it fails with [`Error::needs_full`], and the compiler drops
/// the work.
pub(crate) fn in_full<'a, T: 'a>(
    what: &str,
    work: impl FnOnce() -> LocalFuture<'a, Result<T>>,
) -> LocalFuture<'a, Result<T>> {
    if IS_FULL { work() } else { Box::pin(std::future::ready(Err(Error::needs_full(what)))) }
}

/// As [`in_full`], for lists and other work of the build `reading`.
pub(crate) fn in_reading<'a, T: 'a>(
    what: &str,
    work: impl FnOnce() -> LocalFuture<'a, Result<T>>,
) -> LocalFuture<'a, Result<T>> {
    if IS_READING { work() } else { Box::pin(std::future::ready(Err(Error::needs_reading(what)))) }
}

/// Runs work and adds the key to its error.
pub(crate) async fn at_key<T>(key: &StoreKey, work: impl Future<Output = Result<T>>) -> Result<T> {
    work.await.map_err(|error| error.at_key(key.as_str()))
}

/// The circumstances of a request: settings of the caller that a store may use.
#[derive(Clone, Default)]
pub struct RequestContext {
    /// The caller's `AbortSignal`, which only user stores receive. Other stores are aborted by
    /// dropping the future.
    pub signal: Option<Opaque>,
    /// What the key holds. It decides what HTTP status 403 may mean.
    pub subject: Subject,
    /// Whether to bypass HTTP caches and ask the server again.
    pub reload: bool,
    /// Whether the HTTP cache may answer a reload after the server has confirmed its answer (304).
    pub revalidates: bool,
    /// The priority among waiting requests.
    pub priority: Priority,
    /// The likely size of the value, for requests for its end.
    pub likely_size: Option<LikelySize>,
    /// The most bytes that the value can have, if that is known. A store reads no more.
    pub most_bytes: Option<u64>,
    /// The read that this request is a part of.
    pub reader: Option<Rc<Reader>>,
    /// How ranges are asked for in bulk, if they are: see [`bulk`].
    pub bulk: Option<Rc<Bulk>>,
}

impl RequestContext {
    /// The most bytes of a value that are read.
    pub fn body_limit(&self) -> u64 {
        match self.subject {
            Subject::Metadata => limits::METADATA_BYTES,
            Subject::Chunk | Subject::Update => self.most_bytes.unwrap_or(limits::RESULT_BYTES),
        }
    }
}

/// Estimated bounds of the size of a value, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LikelySize {
    /// The lower bound.
    pub low: u64,
    /// The upper bound.
    pub high: u64,
}

/// What a key holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A metadata document.
    #[default]
    Metadata,
    /// A chunk, a shard, or a part of one.
    Chunk,
    /// A chunk, a shard, or a part of one, which will be changed and written back.
    Update,
}

/// A value or byte range that a store found.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The bytes of the requested range.
    pub value: Value,
    /// Size of the whole value in bytes, if the store reported it.
    pub size: Option<u64>,
    /// A version tag that changes when the value changes, such as an ETag, if the store reported
    /// one.
    pub version: Option<String>,
    /// When the value was changed, as an HTTP date, if the store reported it.
    pub modified: Option<String>,
}

/// What a store tells of a value without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Size of the value in bytes.
    pub size: u64,
    /// When the value was changed, as an HTTP date, if the store reported it.
    pub modified: Option<String>,
}

/// The result of a request to a store.
pub type FetchResult = Result<Option<Fetched>>;

/// A request, and which of a caller's ranges it contains.
#[derive(Clone)]
pub struct Gathered {
    /// The positions of these ranges in the caller's list.
    pub members: Vec<usize>,
    /// Where the bytes of the request start in the value.
    pub start: u64,
    /// The bytes. The request starts when this is polled.
    pub answer: SharedFuture<FetchResult>,
}

impl Fetched {
    /// Whether these are all bytes of the value.
    pub fn is_whole(&self) -> bool {
        self.size == Some(self.value.len())
    }

    /// Cuts a range from a whole value.
    ///
    /// # Errors
    /// `Format` if the range begins at or past the end.
    pub fn part_of(whole: &Value, range: ByteRange) -> Result<Self> {
        let size = whole.len();
        let part = range.of(size).ok_or_else(|| range.past_end(Some(size)))?;
        Ok(Self { value: whole.slice(part)?, size: Some(size), version: None, modified: None })
    }

    /// Cuts a range from a whole value, with its version.
    ///
    /// # Errors
    /// `Format` if the range begins at or past the end.
    pub fn part(&self, range: ByteRange) -> Result<Self> {
        let Self { value, size, .. } = Self::part_of(&self.value, range)?;
        Ok(Self { value, size, ..self.clone() })
    }
}

/// The direct children of a prefix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Keys with one more name than the prefix.
    pub keys: Vec<StoreKey>,
    /// Prefixes with one more name than the prefix, below which there are keys.
    pub prefixes: Vec<NodePath>,
}

impl Listing {
    /// Lists a prefix from all keys of a store, or from all keys below the prefix.
    pub fn of<'k>(keys: impl IntoIterator<Item = &'k StoreKey>, prefix: &NodePath) -> Self {
        let mut listing = Self::default();
        for key in keys {
            match key.below(prefix).map(|rest| rest.split_once('/')) {
                Some(None) => listing.keys.push(key.clone()),
                Some(Some((name, _))) => {
                    listing.prefixes.extend(NodePath::from_normal(name).map(|name| prefix.join(&name)));
                }
                None => {}
            }
        }
        sorted::sort(&mut listing.prefixes);
        listing.prefixes.dedup();
        listing
    }
}

/// Receives warnings, such as that a server ignores byte ranges.
pub type WarningSink = Rc<dyn Fn(&str)>;

/// What a store can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// Getting a range costs less than getting the whole value.
    pub partial: bool,
    /// `set` and `erase` work.
    pub writable: bool,
    /// `list_dir`, `list_prefix` and `erase_prefix` work.
    pub listable: bool,
}

/// A place that holds values under keys. An absent value is `None`, not an error.
///
/// A store around another names it by [`inner`](Self::inner). What it does not implement itself,
/// the wrapped store does; but for [`get`](Self::get) and [`gather`](Self::gather), which belong
/// together.
pub trait Store {
    /// What this store can do, as far as it is known without a request.
    fn capabilities(&self) -> Capabilities {
        self.inner().map(|inner| inner.capabilities()).unwrap_or_default()
    }

    /// A description for error messages: a URL or a file name.
    fn describe(&self) -> String {
        self.inner().map_or_else(|| "a store".to_owned(), |inner| inner.describe())
    }

    /// The wrapped store, if this store changes nothing but some answers: its keys are the keys of
    /// the other, and writes to one are writes to the other.
    fn inner(&self) -> Option<&Rc<dyn Store>> {
        None
    }

    /// The name of the host's lock for changes of a key: the same in all tabs, and in all stores
    /// that reach the same value. `None` if only this store can write to it.
    fn lock_name<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Option<String>> {
        match self.inner() {
            Some(inner) => inner.lock_name(key),
            None => Box::pin(std::future::ready(None)),
        }
    }

    /// The v3 root group, if this store knows it from consolidated metadata: its document, which
    /// may have megabytes because it holds the documents of all nodes, and its parsed metadata.
    fn known_group(&self, context: &RequestContext) -> Option<Result<(Value, NodeMetadata)>> {
        self.inner()?.known_group(context)
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

    /// The Icechunk repository, if this store shows one.
    #[cfg(feature = "reading")]
    fn repository(&self) -> Option<&dyn icechunk::history::Repository> {
        self.inner()?.repository()
    }

    /// Whether some rows of a chunk may be fetched instead of the whole chunk. A user's store may
    /// expect requests for whole chunks.
    fn reads_rows(&self) -> bool {
        self.inner().map_or_else(|| self.capabilities().partial, |inner| inner.reads_rows())
    }

    /// Forgets what came with the values that were asked for, because others may have changed it.
    fn forget_kept(&self) {
        if let Some(inner) = self.inner() {
            inner.forget_kept();
        }
    }

    /// Notes that another program has changed the value of a key: reads of it pass the caches in
    /// front of the store.
    fn note_changed(&self, key: &StoreKey) {
        if let Some(inner) = self.inner() {
            inner.note_changed(key);
        }
    }

    /// Whether chunks of this store may be cached. Not if others change them without notice, as
    /// they may in a user's store.
    fn is_cacheable(&self) -> bool {
        self.inner().is_some_and(|inner| inner.is_cacheable())
    }

    /// Paths where hierarchies begin, as far as the store knows without a request. An error
    /// suggests them if there is no node at a path.
    fn roots(&self) -> Vec<NodePath> {
        self.inner().map(|inner| inner.roots()).unwrap_or_default()
    }

    /// Whether the absence of a value may be cached. Not if it was concluded from something else,
    /// such as HTTP status 403.
    fn absence_is_cacheable(&self) -> bool {
        self.inner().is_none_or(|inner| inner.absence_is_cacheable())
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

    /// Stores a value completely or not at all.
    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        in_full("writing", || match self.inner() {
            Some(inner) => inner.set(key, value),
            None => Box::pin(async move { Err(self.lacks("write").at_key(key.as_str())) }),
        })
    }

    /// Removes a key. Removing an absent key is no error.
    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        in_full("erasing", || match self.inner() {
            Some(inner) => inner.erase(key),
            None => Box::pin(async move { Err(self.lacks("erase").at_key(key.as_str())) }),
        })
    }

    /// Whether `list_dir` works. A store that does not know asks its server once.
    /// [`Capabilities::listable`] tells what is known without a request.
    fn can_list(&self) -> LocalFuture<'_, Result<bool>> {
        match self.inner() {
            Some(inner) => inner.can_list(),
            None => Box::pin(async move { Ok(self.capabilities().listable) }),
        }
    }

    /// The direct children of a prefix, in any order. Unlike in the specification, the prefix has
    /// no slash at its end.
    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        match self.inner() {
            Some(inner) => inner.list_dir(prefix),
            None => Box::pin(async move { Err(self.lacks("list")) }),
        }
    }

    /// All keys below a prefix, in any order.
    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        in_reading("listing", || match self.inner() {
            Some(inner) => inner.list_prefix(prefix),
            None => Box::pin(walk::walk(prefix, async |prefix| self.list_dir(prefix).await)),
        })
    }

    /// Removes all keys below a prefix.
    fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<()>> {
        in_full("erasing", || match self.inner() {
            Some(inner) => inner.erase_prefix(prefix),
            None => Box::pin(async move {
                for key in self.list_prefix(prefix).await? {
                    self.erase(&key).await?;
                }
                Ok(())
            }),
        })
    }

    /// The `Unsupported` error for an operation that this store does not support.
    fn lacks(&self, verb: &str) -> Error {
        Error::unsupported(format!("this store cannot {verb}: {}", self.describe()))
    }
}

/// The first value, or else the second, which is asked for where the first is absent.
pub(crate) fn first_of<'a, T: 'a>(
    first: LocalFuture<'a, Result<Option<T>>>,
    second: impl FnOnce() -> LocalFuture<'a, Result<Option<T>>> + 'a,
) -> LocalFuture<'a, Result<Option<T>>> {
    Box::pin(async move {
        match first.await? {
            None => second().await,
            found => Ok(found),
        }
    })
}

/// The innermost store, without its wrappers. Stores with one such store hold the same values.
pub(crate) fn innermost(store: &Rc<dyn Store>) -> Rc<dyn Store> {
    let mut store = store;
    while let Some(inner) = store.inner() {
        store = inner;
    }
    store.clone()
}
