//! The door to whoever decodes: a pool of workers, or this thread.
//!
//! A part is begun, supplied as its bytes arrive, and finished. Dropping it before that cancels it.

use std::cell::RefCell;
use std::rc::Rc;

use crate::access::assemble::Assembly;
use crate::access::part::Part;
use crate::error::Result;
use crate::format::codec::pipeline::Scratch;
use crate::limits;
use crate::read::array::Array;
use crate::store::{LocalFuture, Value};

/// Pieces, and the values they refer to by number.
pub struct EncodedChunks {
    /// See `access::instruction`.
    pub table: Vec<u32>,
    /// The buffers of the table.
    pub values: Vec<Value>,
}

/// Whoever decodes.
pub trait Decoder {
    /// Begins a part; `header` is that of `access::instruction`.
    ///
    /// # Errors
    /// When nobody can decode this array.
    fn begin(&self, array: &Rc<Array>, header: Vec<u32>) -> Result<Box<dyn PartDecoder>>;
}

/// A part that is being decoded.
pub trait PartDecoder {
    /// Hands over bytes that have arrived.
    ///
    /// # Errors
    /// At once, or at [`finish`](Self::finish), as decoding fails.
    fn supply(&mut self, supply: EncodedChunks) -> Result<()>;

    /// Waits for the packed elements of the part.
    fn finish(self: Box<Self>) -> LocalFuture<'static, Result<Value>>;

    /// As [`finish`](Self::finish), of a part of a result; `None` when the elements have been put there already.
    fn finish_at(self: Box<Self>, _part: &Part) -> LocalFuture<'static, Result<Option<Value>>> {
        let finished = self.finish();
        Box::pin(async move { finished.await.map(Some) })
    }
}

/// Decodes on this thread.
#[derive(Default)]
pub struct InlineDecoder {
    scratch: Rc<RefCell<Scratch>>,
}

struct InlinePart {
    assembly: Assembly,
    scratch: Rc<RefCell<Scratch>>,
}

impl Decoder for InlineDecoder {
    fn begin(&self, array: &Rc<Array>, header: Vec<u32>) -> Result<Box<dyn PartDecoder>> {
        let assembly = Assembly::begin(array.binding(), &header, Vec::new())?;
        Ok(Box::new(InlinePart { assembly, scratch: self.scratch.clone() }))
    }
}

impl PartDecoder for InlinePart {
    fn supply(&mut self, supply: EncodedChunks) -> Result<()> {
        let buffers: Vec<Vec<u8>> = supply
            .values
            .iter()
            .map(|value| value.to_vec(limits::CHUNK_BYTES, "encoded bytes"))
            .collect::<Result<_>>()?;
        let buffers: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
        self.assembly.supply(&supply.table, &buffers, &mut self.scratch.borrow_mut())
    }

    fn finish(self: Box<Self>) -> LocalFuture<'static, Result<Value>> {
        Box::pin(async move { Ok(Value::from(self.assembly.finish()?)) })
    }
}
