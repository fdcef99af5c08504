//! Decode workers change stored chunks, too: the call for that, and changes that wait for
//! user-defined codecs.

use std::task::Poll;

use crate::access::assemble::Assembly;
use crate::access::chunk_update::{ChunkUpdate, PendingUpdate, Updated, apply};
use crate::contract::wasm_module::{Answer, Status};
use crate::error::{Result, Stage};
use crate::format::codec::pipeline::Scratch;
use crate::format::codec::user::{CodecCall, CodecCalls};
use crate::js::decode_worker::Worker;
use crate::js::worker_part::WorkerPart;

/// The answer for a changed chunk.
fn outcome(updated: Updated) -> Answer {
    match updated {
        Updated::Same => Status::Same.into(),
        Updated::Empty => Status::Empty.into(),
        Updated::Bytes(bytes) => bytes.into(),
    }
}

impl WorkerPart for PendingUpdate {
    fn assembly(&mut self) -> Option<&mut Assembly> {
        None
    }

    fn requests(&mut self, take: &mut dyn FnMut(&str, CodecCall<'_>)) {
        Self::requests(self, take);
    }

    fn answer(&mut self, id: u32, output: &[u8]) -> Result<()> {
        Self::answer(self, id, output)
    }

    fn resume(&mut self, _: &mut Scratch) -> Result<()> {
        Self::resume(self)
    }

    fn is_waiting(&self) -> bool {
        Self::is_waiting(self)
    }

    fn finish(self: Box<Self>) -> Result<Answer> {
        Ok(outcome(Self::finish(*self)?))
    }
}

/// Changes a stored chunk. `header` is written by `access::chunk_update`, `old` is the stored
/// value, `elements` are the new elements. The answer is the bytes to store. If user-defined codecs
/// must run, the part waits, and `Finish` ends it.
///
/// # Errors
/// Errors of the codecs.
pub fn update(
    worker: &mut Worker,
    (part, array): (u32, u32),
    header: &[u32],
    old: Option<&[u8]>,
    elements: &[u8],
) -> Result<Answer> {
    let binding = worker.binding(array)?;
    let update = ChunkUpdate::from_words(header)?;
    let mut calls = CodecCalls::default();
    if let Poll::Ready(updated) = apply(binding, &update, old, elements, &mut calls) {
        return Ok(outcome(updated.map_err(|error| error.in_stage(Stage::Encode))?));
    }
    let pending = PendingUpdate::new(binding, update, old, elements, calls);
    worker.hold(part, Box::new(pending));
    Ok(Status::Waiting.into())
}
