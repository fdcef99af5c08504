//! What only the full build has: writing and changes of nodes.

pub(super) mod locks;
mod new_archive;
mod nodes;
mod objects;
mod store_calls;
pub(super) mod update;
mod write;
