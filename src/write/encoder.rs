//! The interface to encoders: a pool of workers, or this thread.

use std::rc::Rc;

use crate::access::chunk_update::{ChunkUpdate, Updated, apply};
use crate::error::Result;
use crate::limits;
use crate::read::array::Array;
use crate::store::{LocalFuture, Value};

/// A change to a stored chunk.
pub struct EncodeJob {
    /// The change: see [`ChunkUpdate::to_words`].
    pub update: Vec<u32>,
    /// The stored value; `None` if it is absent or not needed.
    pub old: Option<Value>,
    /// The new elements: see [`apply`].
    pub elements: Value,
}

/// The new value of a chunk.
#[derive(Clone, Debug)]
pub enum Encoded {
    /// The stored value does not change.
    Same,
    /// The chunk contains only the fill value.
    Empty,
    /// These bytes.
    Bytes(Value),
}

/// Encodes the chunks of writes.
pub trait Encoder {
    /// Applies a change to a chunk and encodes it: see [`apply`].
    fn encode<'a>(&'a self, array: &'a Rc<Array>, job: EncodeJob) -> LocalFuture<'a, Result<Encoded>>;

    /// Whether the caller has aborted: chunks in flight are finished, no other is started.
    fn is_abandoned(&self) -> bool {
        false
    }
}

/// Encodes on this thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct InlineEncoder;

impl Encoder for InlineEncoder {
    fn encode<'a>(&'a self, array: &'a Rc<Array>, job: EncodeJob) -> LocalFuture<'a, Result<Encoded>> {
        Box::pin(async move {
            let bytes = |value: &Value| value.to_vec(limits::CHUNK_BYTES, "chunk");
            let old = job.old.as_ref().map(bytes).transpose()?;
            let update = ChunkUpdate::from_words(&job.update)?;
            let updated = apply(array.binding(), &update, old.as_deref(), &bytes(&job.elements)?)?;
            Ok(match updated {
                Updated::Same => Encoded::Same,
                Updated::Empty => Encoded::Empty,
                Updated::Bytes(bytes) => Encoded::Bytes(bytes.into()),
            })
        })
    }
}
