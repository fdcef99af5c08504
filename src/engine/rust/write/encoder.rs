//! The interface to encoders: a pool of workers, or this thread.

use std::rc::Rc;

use crate::access::chunk_update::Updated;
use crate::error::Result;
use crate::read::array::Array;
use crate::store::{LocalFuture, Value};

/// A change to a stored chunk.
pub struct EncodeJob {
    /// The change: see [`to_words`](crate::access::chunk_update::ChunkUpdate::to_words).
    pub update: Vec<u32>,
    /// The stored value; `None` if it is absent or not needed.
    pub old: Option<Value>,
    /// The new elements: see [`apply`](crate::access::chunk_update::apply).
    pub elements: Value,
}

/// The new value of a chunk.
pub type Encoded = Updated<Value>;

/// Encodes the chunks of writes.
pub trait Encoder {
    /// Applies a change to a chunk and encodes it. See
    /// [`apply`](crate::access::chunk_update::apply).
    fn encode<'a>(&'a self, array: &'a Rc<Array>, job: EncodeJob) -> LocalFuture<'a, Result<Encoded>>;

    /// Whether the caller has aborted: chunks in flight are finished, no other is started.
    fn is_abandoned(&self) -> bool {
        false
    }
}
