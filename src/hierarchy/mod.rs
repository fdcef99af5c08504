//! VERBS: what is done to the nodes of a hierarchy. Generic over stores, so that all of it runs on the host too.
//!
//! Elements are read and written in rooms of their own: [`read`](crate::read), [`write`](crate::write).

pub mod attributes;
pub mod children;
pub mod consolidate;
pub mod create;
mod documents;
pub mod draft;
pub mod erase;
mod erase_keys;
pub mod exists;
pub mod large_document;
mod new_node;
pub mod open;
pub mod resize;
mod types;
