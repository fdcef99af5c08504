//! The door to whoever encodes: a pool of workers that have the encoders, or this thread.

use std::rc::Rc;

use crate::access::chunk_update::{ChunkUpdate, Updated, apply};
use crate::error::Result;
use crate::limits;
use crate::read::array::Array;
use crate::store::{LocalFuture, Value};

/// A stored chunk to be changed.
pub struct EncodeJob {
    /// See [`ChunkUpdate::to_words`].
    pub update: Vec<u32>,
    /// What is stored, where it matters.
    pub old: Option<Value>,
    /// The new elements: see [`apply`].
    pub elements: Value,
}

/// What a changed chunk is to be stored as.
#[derive(Clone, Debug)]
pub enum Encoded {
    /// It is as it was.
    Same,
    /// All of it is fill value.
    Empty,
    /// These bytes.
    Bytes(Value),
}

/// Whoever encodes.
pub trait Encoder {
    /// Changes a chunk: see [`apply`].
    fn encode<'a>(&'a self, array: &'a Rc<Array>, job: EncodeJob) -> LocalFuture<'a, Result<Encoded>>;

    /// Whether the caller has given up: what has begun is finished, and nothing more is begun.
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
