//! The one way to the engine's operations: [`call`] begins one by its number, with the bytes of its
//! record, and with the values that JavaScript owns beside them (`src/contract`).
//!
//! Each operation is a function of its name in a file of this room: `async fn name(arguments, call)
//! -> Result<answer>`. Operations that this build lacks ask for a build that has them.

use std::future::Future;

use js_sys::{Array as JsArray, Function, Uint8Array};
use wasm_bindgen::prelude::*;
use zarr_wasm_contract::operations::Number;
use zarr_wasm_contract::{Record, with_operations};

use super::call::Call;
#[cfg(feature = "full")]
use super::full::operations::*;
#[cfg(feature = "reading")]
use super::reading::operations::*;
use super::task::{self, TaskFuture};
use super::{children::*, consolidated::*, describe::*, open::*, plan::*, read::*, store::*, user_codecs::*};
use crate::error::{Error, Result};

/// Begins an operation. It ends as a [`task`] does; its value is the bytes of the answer's record.
/// The values beside that record are behind those that were passed, in the same list.
#[wasm_bindgen]
pub fn call(operation: u8, record: &[u8], values: JsArray, settle: Function) -> u32 {
    task::start(settle, begun(operation, record, Call::new(values)))
}

/// The future of an operation.
fn run<T: Record, R: Record, F: Future<Output = Result<R>> + 'static>(
    record: &[u8],
    call: Call,
    operation: impl FnOnce(T, Call) -> F,
) -> TaskFuture {
    let Some(arguments) = T::from_bytes(record) else {
        return failed(Error::argument("the record of a call cannot be read"));
    };
    let answer = operation(arguments, call);
    Box::pin(async move { Ok(Uint8Array::from(answer.await?.to_bytes().as_slice()).into()) })
}

#[cold]
fn failed(error: Error) -> TaskFuture {
    Box::pin(std::future::ready(Err(error)))
}

macro_rules! in_build {
    (Engine, $future:expr) => {
        $future
    };
    (Reading, $future:expr) => {
        in_build!("reading" needs_reading, $future)
    };
    (Full, $future:expr) => {
        in_build!("full" needs_full, $future)
    };
    ($feature:literal $needs:ident, $future:expr) => {{
        #[cfg(feature = $feature)]
        let future = $future;
        #[cfg(not(feature = $feature))]
        let future = failed(Error::$needs("this operation"));
        future
    }};
}

macro_rules! dispatch {
    ($($build:ident { $(
        $(#[doc = $doc:literal])* $name:ident($takes:ty) -> $gives:ty $(, $finishes:ident)?;
    )* })*) => {
        fn begun(operation: u8, record: &[u8], call: Call) -> TaskFuture {
            match operation {
                $($(number if number == Number::$name as u8 => {
                    in_build!($build, run(record, call, $name))
                })*)*
                _ => failed(Error::argument("unknown operation")),
            }
        }
    };
}

with_operations!(dispatch);
