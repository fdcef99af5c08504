//! A decoder on the caller's thread, for the tests of the host. In a browser the decode workers
//! decode, or the engine: see `js/decoder.rs`.

use std::cell::RefCell;
use std::rc::Rc;

use crate::access::assemble::Assembly;
use crate::error::Result;
use crate::format::codec::pipeline::Scratch;
use crate::limits;
use crate::read::array::Array;
use crate::read::decoder::{Decoded, Decoder, EncodedChunks, PartDecoder};
use crate::store::{LocalFuture, Value};

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

    fn finish(self: Box<Self>) -> LocalFuture<'static, Decoded<Value>> {
        Box::pin(async move { Ok(Value::from(self.assembly.finish()?)) })
    }
}
