//! An encoder on the caller's thread, for the tests of the host.

use std::rc::Rc;

use crate::access::chunk_update::{ChunkUpdate, Updated, apply};
use crate::error::Result;
use crate::format::codec::user::without_user_codecs;
use crate::limits;
use crate::read::array::Array;
use crate::store::{LocalFuture, Value};
use crate::write::encoder::{EncodeJob, Encoded, Encoder};

/// Encodes on this thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct InlineEncoder;

impl Encoder for InlineEncoder {
    fn encode<'a>(&'a self, array: &'a Rc<Array>, job: EncodeJob) -> LocalFuture<'a, Result<Encoded>> {
        Box::pin(async move {
            let bytes = |value: &Value| value.to_vec(limits::CHUNK_BYTES, "chunk");
            let old = job.old.as_ref().map(bytes).transpose()?;
            let update = ChunkUpdate::from_words(&job.update)?;
            let elements = bytes(&job.elements)?;
            let updated = without_user_codecs(|calls| {
                apply(array.binding(), &update, old.as_deref(), &elements, calls)
            })?;
            Ok(match updated {
                Updated::Same => Encoded::Same,
                Updated::Empty => Encoded::Empty,
                Updated::Bytes(bytes) => Encoded::Bytes(bytes.into()),
            })
        })
    }
}
