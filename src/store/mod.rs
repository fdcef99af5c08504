//! WHERE BYTES COME FROM. The only awaiting on the world.
//!
//! One small interface, [`Store`], in the words of the specification's "abstract store interface". Caching, coalescing and
//! counting are wrappers of the same shape ([`wrap`]). A store never knows what its bytes mean.

pub mod byte_range;
pub mod http;
pub mod memory;
pub mod value;
pub mod wrap;

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

pub use byte_range::ByteRange;
pub use value::{HostBytes, Value};

use crate::error::{Error, Opaque, Result};
use crate::format::path::{NodePath, StoreKey};

/// A future on the caller's thread: JavaScript handles never leave it.
pub type LocalFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// What a request carries beside its key: things of the caller that a store may honour.
#[derive(Clone, Default)]
pub struct RequestContext {
    /// The caller's `AbortSignal`, for user stores, which are handed the same object. Our own stores do not look at it:
    /// dropping the future aborts.
    pub signal: Option<Opaque>,
    /// What is asked for, which decides what an HTTP 403 may mean.
    pub subject: Subject,
    /// Ask the origin again instead of an HTTP cache.
    pub reload: bool,
}

/// What a key holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A metadata document.
    #[default]
    Metadata,
    /// A chunk, a shard, or a part of one.
    Chunk,
}

/// What a store found under a key.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The bytes of the range that was asked for.
    pub value: Value,
    /// Size of the whole object, where the answer told.
    pub size: Option<u64>,
    /// Something that changes when the object does (an ETag), where visible.
    pub version: Option<String>,
}

impl Fetched {
    /// The range of a value that is at hand as a whole.
    ///
    /// # Errors
    /// `Format` when the range begins at or past the end.
    pub fn part_of(whole: &Value, range: ByteRange) -> Result<Self> {
        let size = whole.len();
        let part = range.of(size).ok_or_else(|| range.past_end(Some(size)))?;
        Ok(Self { value: whole.slice(part)?, size: Some(size), version: None })
    }
}

/// What stands directly below a prefix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Keys with one more name than the prefix.
    pub keys: Vec<StoreKey>,
    /// Prefixes with one more name, below which there are keys.
    pub prefixes: Vec<NodePath>,
}

/// Takes what a person should know and no error says, such as a server that ignores byte ranges.
pub type WarningSink = Rc<dyn Fn(&str)>;

/// What a store can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// `get`.
    pub readable: bool,
    /// `get` of a range costs less than `get` of all.
    pub partial: bool,
    /// `set` and `erase`.
    pub writable: bool,
    /// `list_dir`, `list_prefix` and `erase_prefix`.
    pub listable: bool,
}

/// A place that holds values under keys. Absent is `None`, never an error.
pub trait Store {
    /// What this store can do.
    fn capabilities(&self) -> Capabilities;

    /// For errors and people: a URL, a file name.
    fn describe(&self) -> String;

    /// The value, or the range of it, under a key. A range that begins at or past the end is a `Format` error of the caller's
    /// data; one that only ends past it is cut.
    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Fetched>>>;

    /// Several ranges of one key, answers in input order. A store that can merge neighbours overrides it.
    fn get_ranges<'a>(
        &'a self,
        key: &'a StoreKey,
        ranges: &'a [ByteRange],
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Vec<Option<Fetched>>>> {
        Box::pin(async move {
            futures_util::future::try_join_all(ranges.iter().map(|range| self.get(key, *range, context)))
                .await
        })
    }

    /// Whether neighbouring ranges may be asked for as one. A user's store is asked exactly for what is needed.
    fn merges_ranges(&self) -> bool {
        self.capabilities().partial
    }

    /// Size of the value in bytes.
    fn size<'a>(
        &'a self,
        key: &'a StoreKey,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<u64>>> {
        Box::pin(async move {
            let fetched = self.get(key, ByteRange::Whole, context).await?;
            Ok(fetched.map(|fetched| fetched.value.len()))
        })
    }

    /// Puts a value under a key, all of it or nothing.
    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        let _ = value;
        Box::pin(async move { Err(self.lacks("write").at_key(key.as_str())) })
    }

    /// Removes a key; removing an absent one is fine.
    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move { Err(self.lacks("erase").at_key(key.as_str())) })
    }

    /// What stands directly below a prefix, in no particular order.
    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        let _ = prefix;
        Box::pin(async move { Err(self.lacks("list")) })
    }

    /// All keys below a prefix, in no particular order.
    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        Box::pin(async move {
            let (mut open, mut keys) = (vec![prefix.clone()], Vec::new());
            while let Some(prefix) = open.pop() {
                let listing = self.list_dir(&prefix).await?;
                keys.extend(listing.keys);
                open.extend(listing.prefixes);
            }
            Ok(keys)
        })
    }

    /// Removes all keys below a prefix.
    fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            for key in self.list_prefix(prefix).await? {
                self.erase(&key).await?;
            }
            Ok(())
        })
    }

    /// The `Unsupported` error of a capability this store does not have.
    fn lacks(&self, verb: &str) -> Error {
        Error::unsupported(format!("this store cannot {verb}: {}", self.describe()))
    }
}

/// A store held in several places: by a wrapper, and by whoever asks it for its counters.
impl<S: Store + ?Sized> Store for Rc<S> {
    fn capabilities(&self) -> Capabilities {
        (**self).capabilities()
    }

    fn describe(&self) -> String {
        (**self).describe()
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

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        (**self).erase(key)
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
