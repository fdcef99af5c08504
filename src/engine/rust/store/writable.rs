//! Stores whose values can be written. Callers use the methods of `dyn Store`
//! ([`abilities`](super::abilities)).

use super::local_future::LocalFuture;
use crate::error::Result;
use crate::format::path::{NodePath, StoreKey};
use zarr_wasm_http::Value;

/// A store that changes values.
pub trait Writable {
    /// Stores a value completely or not at all.
    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>>;

    /// Removes a key. Removing an absent key is no error.
    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>>;

    /// Removes all keys below a prefix, if the store has a way of its own. Else they are listed,
    /// and each is erased.
    fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> Option<LocalFuture<'a, Result<()>>> {
        let _ = prefix;
        None
    }
}
