//! THE WRITE ENGINE: reads, changes and stores the chunks of what is written, with whoever encodes.
//!
//! [`drive`] goes through the chunks of a selection, [`chunk_writer`] changes one, reading no more of an old shard than it keeps
//! ([`old_shard`]), [`encoder`] is the door to whoever encodes. What the files hand to each other is in [`types`].

pub mod encoder;

pub(crate) mod chunk_writer;
mod drive;
mod old_shard;
pub(crate) mod types;

pub use drive::write;
pub use types::{WriteProgress, WriteRequest, WriteSource};
