//! The calls of the conventions' own module: from JSON text to JSON text, and from numbers to
//! numbers. `host/conventions.ts` makes them. In wasm the module imports nothing; a panic is a
//! trap, after which the instance is thrown away.

use crate::contract::calls::ConventionsCall;
use crate::contract::wasm_module::Answer;
use crate::error::{Error, Result, Stage};
use crate::numbers::Numbers;
use crate::warp;

#[cfg(target_arch = "wasm32")]
crate::contract::wasm_module!("conventions_call", ConventionsCall, answer);

/// Answers a call. Numbers are little-endian doubles; `warp.rs` says what they mean.
///
/// # Errors
/// `Argument` for a malformed request, and the errors of the operations.
pub fn answer(call: ConventionsCall<'_>) -> Result<Answer> {
    let answer = match call {
        ConventionsCall::Answer { request } => in_json(request),
        ConventionsCall::KeepGrid { request } => warp::keep(&mut Numbers::new(request)),
        ConventionsCall::Locate { request } => warp::located(&mut Numbers::new(request)),
        ConventionsCall::Sample { request } => warp::sampled(&mut Numbers::new(request)),
    };
    // What is wrong with attributes is wrong with metadata.
    answer.map(Answer::from).map_err(|error| error.in_stage(Stage::Metadata))
}

fn in_json(request: &[u8]) -> Result<Vec<u8>> {
    let request = std::str::from_utf8(request).map_err(|error| Error::argument(error.to_string()))?;
    Ok(crate::answer(request)?.into_bytes())
}
