//! VERBS: what is done to a hierarchy. Generic over stores, so that all of it runs on the host too.
//!
//! One driver with two doors to the world: [`Store`](crate::store::Store), where bytes come from, and [`decoder`], who decodes them.

pub mod array;
pub mod decoder;
pub mod open;
pub mod read;
mod read_part;
mod shard_indexes;
