//! Stores, which bytes come from. Only stores wait for the network or the disk.
//!
//! The interface follows the specification's abstract store interface (v3 core, "Stores"; the
//! drafts have it too), as far as something here needs it. It is one trait for each ability, as the
//! specification has stores that one can read, write and list. Every store reads: [`Store`]. It
//! says what else it can do: [`Listable`], [`Writable`], [`Changeable`]. Callers use the methods of
//! `dyn Store`, which fail with `Unsupported` where a store lacks the ability. Caching, merging of
//! requests and the like are wrappers with the same interface ([`wrap`]). A store does not know
//! what its values mean.
//!
//! | specification | here | default implementation | of a wrapper |
//! |---|---|---|---|
//! | `get` | [`Store::get`] of [`ByteRange::Whole`] | required | required |
//! | `get_partial_values` | [`Store::get`] of a range; [`Store::gather`] for many | none are merged | the same |
//! | (not specified) | [`Store::size`] | the length of the whole value | the wrapped store's |
//! | (not specified) | [`Store::measure`] | the size | the size |
//! | `set`, `erase` | the same, of [`Writable`] | required | the wrapped store's |
//! | `erase_prefix` | the same | `list_prefix`, then `erase` of each key | the wrapped store's |
//! | `list_dir` | the same, of [`Listable`] | required | the wrapped store's |
//! | `list_prefix`, `list` | [`Listable::list_prefix`], also of the root | walks the tree with `list_dir` | the wrapped store's |
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::string_slice))]

mod abilities;
pub mod bulk;
mod changeable;
mod context;
mod fetched;
pub mod gather;
pub mod http;
#[cfg(feature = "reading")]
pub mod icechunk;
pub(crate) mod in_flight;
mod interface;
pub mod key_table;
mod listable;
mod listing;
mod local_future;
#[cfg(not(target_arch = "wasm32"))]
pub mod memory;
pub mod priority;
pub mod reader;
#[cfg(feature = "reading")]
pub mod reference;
#[cfg(feature = "reading")]
pub mod repository;
pub mod turn;
pub mod walk;
pub mod wrap;
mod writable;
pub(crate) mod writers;
#[cfg(feature = "reading")]
pub mod zip;

pub use bulk::Bulk;
pub use changeable::Changeable;
pub use context::RequestContext;
#[cfg(feature = "reading")]
pub use fetched::MeasuredFuture;
pub use fetched::{FetchResult, Fetched, Gathered, GetFuture, Measured, SizeFuture};
pub use interface::Store;
pub(crate) use interface::innermost;
pub use listable::Listable;
pub use listing::Listing;
pub use local_future::{LocalFuture, SharedFuture};
pub(crate) use local_future::{at_key, first_of, in_full, in_reading};
pub use priority::Priority;
pub use reader::Reader;
pub use writable::Writable;
pub use zarr_wasm_http::{HostBytes, LikelySize, Subject, Value, WarningSink, merged_ranges};

pub use crate::format::byte_range::ByteRange;
