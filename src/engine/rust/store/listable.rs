//! Stores that list their keys. Callers use the methods of `dyn Store`
//! ([`abilities`](super::abilities)).

use std::future::ready;

use super::listing::Listing;
use super::local_future::LocalFuture;
use super::walk;
use crate::error::Result;
use crate::format::path::{NodePath, StoreKey};

/// A store that can list its keys, or may.
pub trait Listable {
    /// Whether it can list, as far as is known without a request.
    fn is_known_to_list(&self) -> bool {
        true
    }

    /// Whether it can list. A store that does not know asks its server once.
    fn can_list(&self) -> LocalFuture<'_, Result<bool>> {
        Box::pin(ready(Ok(true)))
    }

    /// The direct children of a prefix, in any order. Unlike in the specification, the prefix has
    /// no slash at its end.
    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>>;

    /// All keys below a prefix, in any order.
    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        Box::pin(walk::walk(prefix, async |prefix| self.list_dir(prefix).await))
    }
}
