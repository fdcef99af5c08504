//! What only the full build has: writing and changes of nodes.

pub(super) mod locks;
mod new_archive;
mod nodes;
mod store_calls;
pub(super) mod update;
mod write;

/// The operations of this room.
pub(super) mod operations {
    pub use super::new_archive::*;
    pub use super::nodes::*;
    pub use super::store_calls::*;
    pub use super::write::*;
}
