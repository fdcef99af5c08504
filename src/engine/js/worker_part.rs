//! The objects that a decode worker holds by number: parts of reads, and changes to stored chunks
//! that wait for user-defined codecs.

use crate::access::assemble::Assembly;
#[cfg(feature = "full")]
use crate::access::chunk_update::{PendingUpdate, Updated};
use crate::error::{IS_FULL, Result, Stage};
use crate::format::codec::pipeline::Scratch;
use crate::format::codec::user::CodecCall;

/// A part of a read, or a change to a stored chunk.
pub enum WorkerPart {
    /// A part of a read.
    Assembly(Assembly),
    /// A change to a stored chunk.
    #[cfg(feature = "full")]
    Update(PendingUpdate),
}

/// Results of `zarr_update` besides 0 (bytes to store) and 1 (an error).
#[cfg(feature = "full")]
const SAME: u32 = 2;
#[cfg(feature = "full")]
const EMPTY: u32 = 3;
/// Codecs of the user must run before the chunk can be stored.
#[cfg(feature = "full")]
pub const WAITING: u32 = 4;

/// The status of `zarr_update` for a changed chunk, and the bytes to store.
#[cfg(feature = "full")]
pub fn outcome(updated: Updated) -> (u32, Vec<u8>) {
    match updated {
        Updated::Same => (SAME, Vec::new()),
        Updated::Empty => (EMPTY, Vec::new()),
        Updated::Bytes(bytes) => (0, bytes),
    }
}

impl WorkerPart {
    /// The part of a read; `None` for a change.
    pub fn assembly(&mut self) -> Option<&mut Assembly> {
        match self {
            Self::Assembly(assembly) => Some(assembly),
            #[cfg(feature = "full")]
            Self::Update(_) => None,
        }
    }

    /// Passes each request to the user's codecs to `take`, with the chunk's key. Each request is
    /// passed once.
    pub fn requests(&mut self, take: impl FnMut(&str, CodecCall<'_>)) {
        match self {
            Self::Assembly(assembly) => assembly.requests(take),
            #[cfg(feature = "full")]
            Self::Update(update) => update.requests(take),
        }
    }

    /// Takes the output of a user's codec.
    ///
    /// # Errors
    /// `Format` for the wrong number of elements.
    pub fn answer(&mut self, id: u32, output: &[u8]) -> Result<()> {
        match self {
            Self::Assembly(assembly) if IS_FULL => assembly.answer(id, output),
            Self::Assembly(_) => Ok(()),
            #[cfg(feature = "full")]
            Self::Update(update) => update.answer(id, output),
        }
    }

    /// Continues after answers.
    ///
    /// # Errors
    /// Errors of the codecs.
    pub fn resume(&mut self, scratch: &mut Scratch) -> Result<()> {
        match self {
            Self::Assembly(assembly) => {
                assembly.resume(scratch).map_err(|error| error.in_stage(Stage::Decode))
            }
            #[cfg(feature = "full")]
            Self::Update(update) => update.resume(),
        }
    }

    /// Whether answers are missing.
    pub fn is_waiting(&self) -> bool {
        match self {
            Self::Assembly(assembly) => assembly.is_waiting(),
            #[cfg(feature = "full")]
            Self::Update(update) => update.is_waiting(),
        }
    }

    /// Finishes: a status as that of `zarr_update`, and the elements or the bytes to store.
    ///
    /// # Errors
    /// `Argument` while answers are missing; `Limit` if the elements need too much memory.
    pub fn finish(self) -> Result<(u32, Vec<u8>)> {
        match self {
            Self::Assembly(assembly) => Ok((0, assembly.finish()?)),
            #[cfg(feature = "full")]
            Self::Update(update) => Ok(outcome(update.finish()?)),
        }
    }
}
