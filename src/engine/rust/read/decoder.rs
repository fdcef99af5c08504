//! The interface to decoders: a pool of workers, or the caller's thread.
//!
//! A part is started, supplied with encoded chunks as they arrive, and finished. Dropping it
//! earlier cancels it.

use std::rc::Rc;

use crate::access::part::Part;
use crate::error::{Error, Result};
use crate::read::array::Array;
use crate::store::{LocalFuture, Value};

/// Instructions for a decoder, and the buffers to which they refer by number.
pub struct EncodedChunks {
    /// Instructions in the format of `access::instruction`.
    pub table: Vec<u32>,
    /// The buffers.
    pub values: Vec<Value>,
}

/// Decodes the parts of reads.
pub trait Decoder {
    /// Starts a part. `header` is a header of `access::instruction`.
    ///
    /// # Errors
    /// Errors of binding the array's codecs, and of starting a worker.
    fn begin(&self, array: &Rc<Array>, header: Vec<u32>) -> Result<Box<dyn PartDecoder>>;
}

/// Why a part was not decoded.
#[derive(Clone, Debug)]
pub enum Undecoded {
    /// The worker that had the part has stopped, for this reason. The part can be decoded
    /// elsewhere.
    WorkerLost(String),
    /// The chunks or the decoder are to blame.
    Failed(Error),
}

impl From<Error> for Undecoded {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The result of decoding a part.
pub type Decoded<T> = std::result::Result<T, Undecoded>;

/// A part that is being decoded.
pub trait PartDecoder {
    /// Hands over encoded chunks that have arrived.
    ///
    /// # Errors
    /// Decoding errors, either here or from [`finish`](Self::finish).
    fn supply(&mut self, supply: EncodedChunks) -> Result<()>;

    /// Waits for the packed elements of the part.
    fn finish(self: Box<Self>) -> LocalFuture<'static, Decoded<Value>>;

    /// Like [`finish`](Self::finish), but may write the elements into the result instead, where
    /// `part` is. Returns `None` if it did.
    fn finish_at(self: Box<Self>, _part: &Part) -> LocalFuture<'static, Decoded<Option<Value>>> {
        let finished = self.finish();
        Box::pin(async move { finished.await.map(Some) })
    }
}
