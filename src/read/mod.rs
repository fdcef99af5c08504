//! THE READ ENGINE: drives the plans of what is asked for against a store and whoever decodes.
//!
//! [`drive`] cuts a read into parts, [`part_reader`] sees each through, [`part_work`] fetches what it needs and hands it to a
//! [`decoder`], [`fetching`] turns needs into few requests. What several want at once is done once: indexes of shards
//! ([`shard_indexes`]), whole chunks ([`shared_chunks`]), parts ([`shared_parts`]); what may be wanted again is kept ([`chunk_cache`]).
//! What the files hand to each other is in [`types`], so that no two of them import each other.

pub mod array;
pub mod chunk_cache;
mod chunk_store;
pub mod cost;
pub mod decoder;
mod decoding;
mod drive;
mod fetching;
mod part_reader;
mod part_work;
pub mod prefetch;
mod shard_indexes;
mod shared_chunks;
mod shared_parts;
mod types;
mod whole_shards;

pub use drive::read;
pub use types::{Base, OutputLayout, PartData, PartSink, PlacedChunk, Progress, ReadRequest};
