//! The objects that a decode worker holds by id: parts of reads and, in the full build, changes
//! to stored chunks that wait for user-defined codecs.

use crate::contract::wasm_module::Answer;

use crate::access::assemble::Assembly;
use crate::error::{HAS_USER_CODECS, Result, Stage};
use crate::format::codec::pipeline::Scratch;
use crate::format::codec::user::CodecCall;

/// A part of a read, or a change to a stored chunk.
pub trait WorkerPart {
    /// The part of a read; `None` for a change.
    fn assembly(&mut self) -> Option<&mut Assembly>;

    /// Passes each request to the user's codecs to `take`, with the chunk's key. Each request is
    /// passed once.
    fn requests(&mut self, take: &mut dyn FnMut(&str, CodecCall<'_>));

    /// Takes the output of a user's codec.
    ///
    /// # Errors
    /// `Format` for the wrong number of elements.
    fn answer(&mut self, id: u32, output: &[u8]) -> Result<()>;

    /// Continues after answers.
    ///
    /// # Errors
    /// Errors of the codecs.
    fn resume(&mut self, scratch: &mut Scratch) -> Result<()>;

    /// Whether answers are missing.
    fn is_waiting(&self) -> bool;

    /// Finishes: the elements or the bytes to store.
    ///
    /// # Errors
    /// `Argument` while answers are missing; `Limit` if the elements need too much memory.
    fn finish(self: Box<Self>) -> Result<Answer>;
}

impl WorkerPart for Assembly {
    fn assembly(&mut self) -> Option<&mut Assembly> {
        Some(self)
    }

    fn requests(&mut self, take: &mut dyn FnMut(&str, CodecCall<'_>)) {
        // The other builds do not decode arrays with user-defined codecs.
        if HAS_USER_CODECS {
            Self::requests(self, take);
        }
    }

    fn answer(&mut self, id: u32, output: &[u8]) -> Result<()> {
        if HAS_USER_CODECS { Self::answer(self, id, output) } else { Ok(()) }
    }

    fn resume(&mut self, scratch: &mut Scratch) -> Result<()> {
        Self::resume(self, scratch).map_err(|error| error.in_stage(Stage::Decode))
    }

    fn is_waiting(&self) -> bool {
        Self::is_waiting(self)
    }

    fn finish(self: Box<Self>) -> Result<Answer> {
        Ok(Self::finish(*self)?.into())
    }
}
