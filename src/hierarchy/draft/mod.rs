//! Hierarchies of the historic drafts, in the words of their texts' sections "Protocol operations" (2020) and "Operations" (2022).
//!
//! A hierarchy is found by its entry point at the root of a store, and its nodes are opened below that ([`hierarchy`]). Groups need no
//! documents: whatever a node's path passes through is one. Deliberately no consolidation: the texts have none. The engine only sees
//! that there is a draft's hierarchy, and leaves it to the full build.

pub(super) mod create;
pub(super) mod erase;
pub(super) mod hierarchy;
#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests;

pub use create::{NewHierarchy, create_hierarchy};
pub use hierarchy::Hierarchy;
