//! What is directly below a prefix.

use crate::format::path::{NodePath, StoreKey};
use crate::sorted;

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
