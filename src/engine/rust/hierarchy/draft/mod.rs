//! Hierarchies of the historic v3 drafts: the sections "Protocol operations" (October 2020) and
//! "Operations" (May 2022).
//!
//! A hierarchy has an entry point at the root of its store ([`hierarchy`]). Groups need no
//! documents: each path above a node is a group. The drafts have no consolidated metadata. The
//! engine only recognises that there is a draft's hierarchy, and leaves it to the full build.

pub(super) mod create;
pub(super) mod erase;
pub(super) mod hierarchy;
#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests;

pub use create::{NewHierarchy, create_hierarchy};
