//! Decode workers change stored chunks, too: the call for that, and changes that wait for
//! user-defined codecs.

use std::task::Poll;

use crate::access::assemble::Assembly;
use crate::access::chunk_update::{ChunkUpdate, PendingUpdate, Updated, apply};
use crate::error::{Result, Stage};
use crate::format::codec::pipeline::Scratch;
use crate::format::codec::user::{CodecCall, CodecCalls};
use crate::js::decode_host::{answer_with, slice};
use crate::js::worker_part::WorkerPart;

/// Results of [`zarr_update`] besides 0 (bytes to store) and 1 (an error).
const SAME: u32 = 2;
const EMPTY: u32 = 3;
/// Codecs of the user must run before the chunk can be stored.
const WAITING: u32 = 4;

/// The status for a changed chunk, and the bytes to store.
fn outcome(updated: Updated) -> (u32, Vec<u8>) {
    match updated {
        Updated::Same => (SAME, Vec::new()),
        Updated::Empty => (EMPTY, Vec::new()),
        Updated::Bytes(bytes) => (0, bytes),
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

    fn finish(self: Box<Self>) -> Result<(u32, Vec<u8>)> {
        Ok(outcome(Self::finish(*self)?))
    }
}

/// Changes a stored chunk. `update` is written by `access::chunk_update`, `old` is the stored value
/// (if `has_old`), `elements` are the new elements.
///
/// Returns 0 with the bytes to store, 2 if nothing changed, 3 if the chunk contains only the fill
/// value, and 4 if user-defined codecs must run. Then the part waits, and [`zarr_finish`] ends it.
///
/// # Safety
/// There are `words` words at `update`, `old_len` bytes at `old`, and `elements_len` bytes at
/// `elements`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zarr_update(
    part: u32,
    array: u32,
    update: *const u32,
    words: usize,
    old: *const u8,
    old_len: usize,
    has_old: u32,
    elements: *const u8,
    elements_len: usize,
) -> u32 {
    // SAFETY: as this function requires.
    let (update, old, elements) =
        unsafe { (slice(update, words), slice(old, old_len), slice(elements, elements_len)) };
    answer_with(|worker| {
        let binding = worker.binding(array)?;
        let update = ChunkUpdate::from_words(update)?;
        let old = (has_old != 0).then_some(old);
        let mut calls = CodecCalls::default();
        if let Poll::Ready(updated) = apply(binding, &update, old, elements, &mut calls) {
            return Ok(outcome(updated.map_err(|error| error.in_stage(Stage::Encode))?));
        }
        let pending = PendingUpdate::new(binding, update, old, elements, calls);
        worker.hold(part, Box::new(pending));
        Ok((WAITING, Vec::new()))
    })
}
