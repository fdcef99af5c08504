//! Reads a selection of an array through a store and a decoder.
//!
//! [`drive`] cuts the selection into parts. [`part_reader`] reads each part and hands it to the
//! sink. [`part_work`] fetches the chunks of one part and passes them to a [`decoder`].
//! [`fetching`] merges byte requests into few requests to the store.
//!
//! Concurrent reads share work in flight: shard indexes ([`shard_indexes`]), whole chunks
//! ([`shared_chunks`]) and parts ([`shared_parts`]). [`chunk_cache`] caches chunks for later reads;
//! [`edge`] tells the store which chunks another program has appended to. [`types`] holds the types
//! that these files share, so that no two of them import each other.

pub mod array;
pub mod chunk_cache;
mod chunk_store;
pub mod cost;
pub mod decoder;
mod decoding;
mod drive;
mod edge;
mod fetching;
#[cfg(not(target_arch = "wasm32"))]
pub mod inline_decoder;
mod part_reader;
mod part_work;
pub mod prefetch;
mod shard_indexes;
mod shared_chunks;
mod shared_parts;
#[cfg(feature = "reading")]
pub mod stored_sizes;
pub mod touched_chunks;
mod types;
mod whole_shards;

pub use drive::read;
pub use types::{Base, Growth, OutputLayout, PartData, PartSink, PlacedChunk, Progress, ReadRequest};
