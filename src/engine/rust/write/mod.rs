//! Writes elements to a selection of an array.
//!
//! [`fit`] fits the elements to the selection. [`drive`] goes through its chunks. [`chunk_writer`]
//! reads, changes and stores one chunk; of an old shard it reads only what it keeps
//! ([`old_shard`]). [`encoder`] is the interface to encoders. [`types`] holds the types that these
//! files share.

pub mod encoder;

pub(crate) mod chunk_writer;
mod drive;
mod fit;
#[cfg(not(target_arch = "wasm32"))]
pub mod inline_encoder;
mod old_shard;
pub(crate) mod types;

pub(crate) use drive::WriteRun;
pub use drive::write;
pub use types::{NewElements, WriteProgress, WriteRequest, WriteSource};
