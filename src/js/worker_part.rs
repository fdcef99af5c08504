//! What a worker has at hand by number: a part of a read, or a stored chunk that is being changed and waits for codecs of the user's.

use crate::access::assemble::Assembly;
#[cfg(feature = "full")]
use crate::access::chunk_update::{PendingUpdate, Updated};
use crate::error::{IS_FULL, Result, Stage};
use crate::format::codec::pipeline::Scratch;
use crate::format::codec::user::CodecCall;

/// See the module.
pub enum WorkerPart {
    /// A part of a read.
    Assembly(Assembly),
    /// A chunk to be stored.
    #[cfg(feature = "full")]
    Update(PendingUpdate),
}

/// What `zarr_update` answers with beside 0 (bytes to be stored) and 1 (an error).
#[cfg(feature = "full")]
const SAME: u32 = 2;
#[cfg(feature = "full")]
const EMPTY: u32 = 3;
/// Codecs of the user's have to be run before the chunk can be stored.
#[cfg(feature = "full")]
pub const WAITING: u32 = 4;

/// A changed chunk as `zarr_update` answers: a status, and the bytes to be stored.
#[cfg(feature = "full")]
pub fn outcome(updated: Updated) -> (u32, Vec<u8>) {
    match updated {
        Updated::Same => (SAME, Vec::new()),
        Updated::Empty => (EMPTY, Vec::new()),
        Updated::Bytes(bytes) => (0, bytes),
    }
}

impl WorkerPart {
    /// The part of a read, if it is one.
    pub fn assembly(&mut self) -> Option<&mut Assembly> {
        match self {
            Self::Assembly(assembly) => Some(assembly),
            #[cfg(feature = "full")]
            Self::Update(_) => None,
        }
    }

    /// Hands out what the user's codecs are to do: each request once, with the chunk's key.
    pub fn requests(&mut self, take: impl FnMut(&str, CodecCall<'_>)) {
        match self {
            Self::Assembly(assembly) => assembly.requests(take),
            #[cfg(feature = "full")]
            Self::Update(update) => update.requests(take),
        }
    }

    /// Takes what one of them has made.
    ///
    /// # Errors
    /// `Format` for elements that are not as many as the chunk's.
    pub fn answer(&mut self, id: u32, output: &[u8]) -> Result<()> {
        match self {
            Self::Assembly(assembly) if IS_FULL => assembly.answer(id, output),
            Self::Assembly(_) => Ok(()),
            #[cfg(feature = "full")]
            Self::Update(update) => update.answer(id, output),
        }
    }

    /// Goes on after answers.
    ///
    /// # Errors
    /// As the codecs.
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

    /// Its end: a status as of `zarr_update`, and the elements or the bytes to be stored.
    ///
    /// # Errors
    /// `Argument` while it waits, `Limit` for elements that take too much memory.
    pub fn finish(self) -> Result<(u32, Vec<u8>)> {
        match self {
            Self::Assembly(assembly) => Ok((0, assembly.finish()?)),
            #[cfg(feature = "full")]
            Self::Update(update) => Ok(outcome(update.finish()?)),
        }
    }
}
