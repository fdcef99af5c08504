//! Stores, which bytes come from. Only stores wait for the network or the disk.
//!
//! One interface, [`Store`], follows the specification's abstract store interface (v3 core,
//! "Stores"; the drafts have it too). Caching, merging of requests and the like are wrappers with
//! the same interface ([`wrap`]). A store does not know what its values mean.
//!
//! | specification | here | default implementation |
//! |---|---|---|
//! | `get` | [`Store::get`] of [`ByteRange::Whole`] | required |
//! | `get_partial_values` | [`Store::get_partial_values`]; [`Store::get_ranges`] for one key | `get` for each range |
//! | (not specified) | [`Store::size`] | the length of the whole value |
//! | `set`, `erase` | the same | `Unsupported` |
//! | `set_partial_values` | the same | reads, patches and sets each value |
//! | `erase_values` | the same | erases one key after the other |
//! | `erase_prefix` | the same | `list_prefix`, then `erase_values` |
//! | `list_dir` | the same | `Unsupported` |
//! | `list_prefix` | the same | walks the tree with `list_dir` |
//! | `list` | the same | `list_prefix` of the root |
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::string_slice))]

pub mod byte_range;
pub mod gather;
pub mod http;
pub(crate) mod in_flight;
pub mod key_table;
#[cfg(feature = "internals")]
pub mod memory;
pub mod partial_values;
pub mod priority;
#[cfg(any(feature = "full", feature = "internals"))]
pub mod reference;
mod shared;
pub mod turn;
pub mod value;
pub mod walk;
pub mod wrap;
pub(crate) mod writers;
#[cfg(any(feature = "full", feature = "internals"))]
pub mod zip;

use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::rc::Rc;

pub use byte_range::ByteRange;
pub use partial_values::{KeyRange, KeyStartValue};
pub use priority::Priority;
pub use value::{HostBytes, Value};

use crate::error::{Error, IS_FULL, Opaque, Result};
use crate::format::metadata::NodeMetadata;
use crate::format::path::{NodePath, StoreKey};
use crate::limits;
use crate::sorted;
use crate::store::gather::Gathered;

/// A future on the current thread. JavaScript handles cannot move to other threads.
pub type LocalFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Fails with [`Error::needs_full`], for builds without the feature. Methods that return it first
/// let the compiler drop the rest of their code.
pub(crate) fn left_to_full<'a, T: 'a>(what: &str) -> LocalFuture<'a, Result<T>> {
    Box::pin(std::future::ready(Err(Error::needs_full(what))))
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
    /// The priority among waiting requests.
    pub priority: Priority,
    /// The likely size of the value, for requests for its end.
    pub likely_size: Option<LikelySize>,
    /// The most bytes that the value can have, if that is known. A store reads no more.
    pub most_bytes: Option<u64>,
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
}

impl Fetched {
    /// Cuts a range from a whole value.
    ///
    /// # Errors
    /// `Format` if the range begins at or past the end.
    pub fn part_of(whole: &Value, range: ByteRange) -> Result<Self> {
        let size = whole.len();
        let part = range.of(size).ok_or_else(|| range.past_end(Some(size)))?;
        Ok(Self { value: whole.slice(part)?, size: Some(size), version: None })
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// `get` works.
    pub readable: bool,
    /// Getting a range costs less than getting the whole value.
    pub partial: bool,
    /// `set` and `erase` work.
    pub writable: bool,
    /// `list_dir`, `list_prefix` and `erase_prefix` work.
    pub listable: bool,
}

/// A place that holds values under keys. An absent value is `None`, not an error.
pub trait Store {
    /// What this store can do, as far as it is known without a request.
    fn capabilities(&self) -> Capabilities;

    /// A description for error messages: a URL or a file name.
    fn describe(&self) -> String;

    /// The name of this store for locks of the host, the same in all tabs that write to it. `None`
    /// if only this process can write to it.
    fn lock_name(&self) -> Option<String> {
        None
    }

    /// The wrapped store, if this store only answers for some of its keys. Writes to one are writes
    /// to the other.
    fn wrapped(&self) -> Option<Rc<dyn Store>> {
        None
    }

    /// The v3 root group, if this store knows it from consolidated metadata: its document, which
    /// may have megabytes because it holds the documents of all nodes, and its parsed metadata.
    fn known_group(&self, context: &RequestContext) -> Option<Result<(Value, NodeMetadata)>> {
        let _ = context;
        None
    }

    /// The value of a key, or a range of it; `None` if it is absent. A range that ends past the end
    /// is cut.
    ///
    /// # Errors
    /// `Format` for a range that begins at or past the end; `Store` if the store fails.
    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Fetched>>>;

    /// Several ranges of one key, in input order. Stores that can merge ranges override it.
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

    /// Ranges of several keys, in input order. A key may occur several times.
    fn get_partial_values<'a>(
        &'a self,
        key_ranges: &'a [KeyRange],
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Vec<Option<Fetched>>>> {
        if !IS_FULL {
            return left_to_full("ranges of several keys");
        }
        Box::pin(partial_values::get_key_by_key(self, key_ranges, context))
    }

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

    /// Whether some rows of a chunk may be fetched instead of the whole chunk. A user's store may
    /// expect requests for whole chunks.
    fn reads_rows(&self) -> bool {
        self.capabilities().partial
    }

    /// Forgets what came with the values that were asked for, because others may have changed it.
    fn forget_kept(&self) {}

    /// Whether chunks of this store may be cached. Not if others change them without notice, as
    /// they may in a user's store.
    fn is_cacheable(&self) -> bool {
        false
    }

    /// Paths where hierarchies begin, as far as the store knows without a request. An error
    /// suggests them if there is no node at a path.
    fn roots(&self) -> Vec<NodePath> {
        Vec::new()
    }

    /// Whether the absence of a value may be cached. Not if it was concluded from something else,
    /// such as HTTP status 403.
    fn absence_is_cacheable(&self) -> bool {
        true
    }

    /// Size of the value in bytes; `None` if it is absent.
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

    /// Stores a value completely or not at all.
    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        if !IS_FULL {
            return left_to_full("writing");
        }
        let _ = value;
        Box::pin(async move { Err(self.lacks("write").at_key(key.as_str())) })
    }

    /// Writes bytes into values, each from its start offset on. Other bytes of the value stay. An
    /// absent value counts as empty, and zeros fill a gap between its end and the start. Each value
    /// receives all of its new bytes or none.
    ///
    /// # Errors
    /// `Argument`, before anything is written, if ranges of one key overlap.
    fn set_partial_values<'a>(&'a self, values: &'a [KeyStartValue]) -> LocalFuture<'a, Result<()>> {
        if !IS_FULL {
            return left_to_full("writing");
        }
        Box::pin(partial_values::set_by_rewriting(self, values))
    }

    /// Removes a key. Removing an absent key is no error.
    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        if !IS_FULL {
            return left_to_full("erasing");
        }
        Box::pin(async move { Err(self.lacks("erase").at_key(key.as_str())) })
    }

    /// Removes several keys.
    fn erase_values<'a>(&'a self, keys: &'a [StoreKey]) -> LocalFuture<'a, Result<()>> {
        if !IS_FULL {
            return left_to_full("erasing");
        }
        Box::pin(async move {
            for key in keys {
                self.erase(key).await?;
            }
            Ok(())
        })
    }

    /// All keys, in any order.
    #[allow(
        dead_code,
        reason = "the specification's store interface has it, and the suite of all stores tests it"
    )]
    fn list(&self) -> LocalFuture<'_, Result<Vec<StoreKey>>> {
        if !IS_FULL {
            return left_to_full("listing");
        }
        Box::pin(async move { self.list_prefix(&NodePath::root()).await })
    }

    /// Whether `list_dir` works. A store that does not know asks its server once.
    /// [`Capabilities::listable`] tells what is known without a request.
    fn can_list(&self) -> LocalFuture<'_, Result<bool>> {
        Box::pin(async move { Ok(self.capabilities().listable) })
    }

    /// The direct children of a prefix, in any order. Unlike in the specification, the prefix has
    /// no slash at its end.
    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        let _ = prefix;
        Box::pin(async move { Err(self.lacks("list")) })
    }

    /// All keys below a prefix, in any order.
    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        if !IS_FULL {
            return left_to_full("listing");
        }
        Box::pin(walk::walk(prefix, async |prefix| self.list_dir(prefix).await))
    }

    /// Removes all keys below a prefix.
    fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<()>> {
        if !IS_FULL {
            return left_to_full("erasing");
        }
        Box::pin(async move {
            let keys = self.list_prefix(prefix).await?;
            self.erase_values(&keys).await
        })
    }

    /// The `Unsupported` error for an operation that this store does not support.
    fn lacks(&self, verb: &str) -> Error {
        Error::unsupported(format!("this store cannot {verb}: {}", self.describe()))
    }
}
