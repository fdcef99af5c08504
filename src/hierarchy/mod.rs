//! VERBS: what is done to a hierarchy. Generic over stores, so that all of it runs on the host too.
//!
//! One driver with two doors to the world: [`Store`](crate::store::Store), where bytes come from, and [`decoder`], who
//! decodes them; for writing [`encoder`], who encodes.

pub mod array;
pub mod attributes;
pub mod children;
pub mod chunk_cache;
mod chunk_store;
pub mod consolidate;
pub mod cost;
pub mod create;
pub mod decoder;
mod decoding;
mod documents;
pub mod draft;
pub mod encoder;
pub mod erase;
pub mod exists;
mod fetching;
mod gathering;
pub mod large_document;
mod old_shard;
pub mod open;
mod part_work;
pub mod prefetch;
pub mod read;
mod read_part;
pub mod resize;
mod shard_indexes;
mod shared_chunks;
mod shared_parts;
mod whole_shards;
pub mod write;
mod write_chunk;
