//! Opens, lists, creates, resizes and erases nodes, and changes their attributes. Everything is
//! generic over stores, so that all of it also runs on the host.
//!
//! [`read`](crate::read) and [`write`](crate::write) read and write elements.

pub mod attributes;
mod beyond;
pub mod children;
pub mod consolidate;
pub mod create;
mod documents;
pub mod draft;
pub mod erase;
mod erase_keys;
pub mod exists;
pub mod fetch;
pub mod large_document;
mod new_node;
pub mod open;
pub mod resize;
mod types;
