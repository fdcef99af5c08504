//! The calls of decode workers: plain bytes, without wasm-bindgen. `decode/decode_host.ts` makes
//! them, in workers and, where there are none, with an instance of its own on the engine's thread.
//! How bytes cross is written in [`crate::contract::wasm_module`].

use std::cell::RefCell;

use crate::contract::calls::DecodeCall;
use crate::contract::wasm_module::Answer;

use super::decode_worker::Worker;
use super::panic;
use crate::error::{Error, Result};
use crate::format::codec::Direction;
use crate::format::codec::bytes_to_bytes::zstd;
use crate::format::codec::standalone::StandaloneCodec;
use crate::format::tolerated::Form;

/// The largest build that `Unpack` makes (bytes). The full build has 3.5 MB.
const MAX_WASM_BYTES: usize = 64 << 20;

thread_local! {
    static WORKER: RefCell<Worker> = RefCell::default();
}

crate::contract::wasm_module!("decode_call", DecodeCall, answer);

fn answer(call: DecodeCall<'_>) -> Result<Answer> {
    panic::install();
    WORKER.with_borrow_mut(|worker| answer_of(worker, call))
}

fn answer_of(worker: &mut Worker, call: DecodeCall<'_>) -> Result<Answer> {
    match call {
        DecodeCall::Bind { array, document, users } => worker.bind(array, text(document)?, text(users)?)?,
        DecodeCall::Unbind { array } => worker.unbind(array),
        DecodeCall::Begin { part, array, header } => worker.begin(part, array, header)?,
        DecodeCall::Supply { part, table, buffers } => {
            worker.supply(part, table, &buffers.collect::<Vec<_>>())?;
        }
        DecodeCall::Requests { part } => return worker.requests(part),
        DecodeCall::Answer { part, id, output } => worker.take_answer(part, id, output)?,
        DecodeCall::Resume { part } => worker.resume(part)?,
        DecodeCall::Finish { part } => return worker.finish(part),
        DecodeCall::Cancel { part } => worker.cancel(part),
        #[cfg(feature = "full")]
        DecodeCall::Update { part, array, has_old, header, old, elements } => {
            let old = (has_old != 0).then_some(old);
            return super::full::update::update(worker, (part, array), header, old, elements);
        }
        #[cfg(not(feature = "full"))]
        DecodeCall::Update { .. } => return Err(Error::unsupported("this build has no encoders")),
        DecodeCall::RunCodec { encodes, description, input } => {
            let direction = if encodes == 1 { Direction::Encode } else { Direction::Decode };
            return Ok(StandaloneCodec::from_json(text(description)?)?.run(direction, input)?.into());
        }
        DecodeCall::Unpack { frame, prefix } => return Ok(unpacked(frame, prefix)?.into()),
        DecodeCall::Warnings {} => return Ok(Form::take_noted().join("\n").into_bytes().into()),
    }
    Ok(Vec::new().into())
}

fn text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| Error::argument(error.to_string()))
}

fn unpacked(frame: &[u8], prefix: &[u8]) -> Result<Vec<u8>> {
    zstd::decompress_with_prefix(frame, prefix, MAX_WASM_BYTES)
        .map_err(|error| Error::format("the compressed wasm is corrupt").actual(error.to_string()))
}
