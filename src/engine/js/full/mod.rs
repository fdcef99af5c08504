//! What only the full build has: writing, changes of nodes, archives, references, and the calls of
//! stores.

mod archive;
pub(super) mod locks;
mod nodes;
mod objects;
mod reference;
mod repository;
mod store_calls;
mod update;
mod write;
