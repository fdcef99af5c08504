//! WHERE BYTES COME FROM. The only awaiting on the world.
//!
//! One small interface, [`Store`], in the words of the specification's "abstract store interface" (v3 core "Stores", which
//! the drafts have too). Sharing, coalescing and the like are wrappers of the same shape ([`wrap`]). A store never knows
//! what its bytes mean.
//!
//! | the text | here | without it |
//! |---|---|---|
//! | `get` | [`Store::get`] of [`ByteRange::Whole`] | required |
//! | `get_partial_values` | [`Store::get_partial_values`]; [`Store::get_ranges`] of one key | each key's ranges by `get` |
//! | (not in the text) | [`Store::size`] | the length of the whole value |
//! | `set`, `erase` | the same | `Unsupported` |
//! | `set_partial_values`, `erase_values` | the same | read, patch and `set`; `erase` one after the other |
//! | `erase_prefix` | the same | `list_prefix`, then `erase_values` |
//! | `list_dir` | the same | `Unsupported` |
//! | `list_prefix`, `list` | the same | a walk by `list_dir`; `list_prefix` of the root |
//!

pub mod byte_range;
#[cfg(not(target_arch = "wasm32"))]
pub mod file_system;
pub mod gather;
pub mod http;
pub(crate) mod in_flight;
pub mod key_table;
pub mod memory;
pub mod partial_values;
pub mod reference;
mod shared;
pub mod turn;
pub mod urgency;
pub mod value;
pub mod wrap;
pub(crate) mod writers;
pub mod zip;

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

pub use byte_range::ByteRange;
pub use partial_values::{KeyRange, KeyStartValue};
pub use urgency::Urgency;
pub use value::{HostBytes, Value};

use crate::error::{Error, IS_FULL, Opaque, Result};
use crate::format::metadata::NodeMetadata;
use crate::format::path::{NodePath, StoreKey};
use crate::sorted;

/// A future on the caller's thread: JavaScript handles never leave it.
pub type LocalFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// The answer of a build that has not what a call needs: where it stands first, the compiler drops what comes after. See
/// [`Error::needs_full`].
pub(crate) fn left_to_full<'a, T: 'a>(what: &str) -> LocalFuture<'a, Result<T>> {
    Box::pin(std::future::ready(Err(Error::needs_full(what))))
}

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
    /// Which of the requests that wait goes first.
    pub urgency: Urgency,
    /// How large the value may be, for who asks for its end.
    pub likely_size: Option<LikelySize>,
}

/// From how many to how many bytes a value has, if it is like others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LikelySize {
    /// At least.
    pub low: u64,
    /// At most.
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
    /// The same, to be changed and written back.
    Update,
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

impl Listing {
    /// From all keys of a store, or all below the prefix: for stores that can list in no other way.
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

    /// What this place is called where the host has locks, the same for whoever else writes to it (other tabs): none where nobody
    /// else can.
    fn lock_name(&self) -> Option<String> {
        None
    }

    /// The store around which this one only answers for some keys: what is written to one is written to the other.
    fn wrapped(&self) -> Option<Rc<dyn Store>> {
        None
    }

    /// The v3 group at the root, where this store knows it out of consolidated metadata: its document, which holds those of all other
    /// nodes and may have megabytes, and what it says of the group.
    fn known_group(&self, context: &RequestContext) -> Option<Result<(Value, NodeMetadata)>> {
        let _ = context;
        None
    }

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

    /// Ranges of several keys, answers in input order; a key may occur several times, and an absent one is `None`.
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

    /// Whether neighbouring ranges may be asked for as one. A user's store is asked exactly for what is needed.
    fn merges_ranges(&self) -> bool {
        self.capabilities().partial
    }

    /// Whether some rows of a chunk may be asked for instead of all of it. A user's store may expect to be asked as others ask it.
    fn reads_rows(&self) -> bool {
        self.capabilities().partial
    }

    /// Whether chunks that were read here may be kept and read again from there: not where others change them without telling, as
    /// a user's store may be changed.
    fn may_be_kept(&self) -> bool {
        false
    }

    /// Where hierarchies begin, as far as the store knows without asking: for who looks for one where there is none.
    fn roots(&self) -> Vec<NodePath> {
        Vec::new()
    }

    /// Whether it may be kept that a value is absent: not where that was concluded from something else, such as an HTTP 403.
    fn absence_may_be_kept(&self) -> bool {
        true
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
        if !IS_FULL {
            return left_to_full("writing");
        }
        let _ = value;
        Box::pin(async move { Err(self.lacks("write").at_key(key.as_str())) })
    }

    /// Puts bytes into the values of keys, each at its start; what stands elsewhere in a value stays, an absent value is
    /// empty before, and zeros fill what lies between its end and the first byte that is put. Ranges of one key that
    /// overlap are an `Argument` error, before anything is written. Each key has all of its new bytes or none.
    fn set_partial_values<'a>(&'a self, values: &'a [KeyStartValue]) -> LocalFuture<'a, Result<()>> {
        if !IS_FULL {
            return left_to_full("writing");
        }
        Box::pin(partial_values::set_by_rewriting(self, values))
    }

    /// Removes a key; removing an absent one is fine.
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

    /// All keys, in no particular order.
    fn list(&self) -> LocalFuture<'_, Result<Vec<StoreKey>>> {
        if !IS_FULL {
            return left_to_full("listing");
        }
        Box::pin(async move { self.list_prefix(&NodePath::root()).await })
    }

    /// Whether `list_dir` works, found out where that is not known: a server is asked once. [`Capabilities::listable`] says
    /// what is known without asking.
    fn can_list(&self) -> LocalFuture<'_, Result<bool>> {
        Box::pin(async move { Ok(self.capabilities().listable) })
    }

    /// What stands directly below a prefix, in no particular order. A prefix is the text's without its last slash.
    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        let _ = prefix;
        Box::pin(async move { Err(self.lacks("list")) })
    }

    /// All keys below a prefix, in no particular order.
    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        if !IS_FULL {
            return left_to_full("listing");
        }
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
        if !IS_FULL {
            return left_to_full("erasing");
        }
        Box::pin(async move {
            let keys = self.list_prefix(prefix).await?;
            self.erase_values(&keys).await
        })
    }

    /// The `Unsupported` error of a capability this store does not have.
    fn lacks(&self, verb: &str) -> Error {
        Error::unsupported(format!("this store cannot {verb}: {}", self.describe()))
    }
}
