//! The job of a read (`read/job.ts`): what it takes, and what is told to it in numbers.

use std::rc::Rc;

use js_sys::{Float64Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use crate::access::part::Part;
use crate::error::Error;

#[wasm_bindgen]
extern "C" {
    /// `Job` of `read/job.ts`.
    #[derive(Clone)]
    pub type Job;

    /// Announces the layout of the result: `layoutOf` of `read/job.ts` says what the numbers mean.
    #[wasm_bindgen(method, catch)]
    pub fn begin(this: &Job, layout: &Float64Array, fill_value: &Uint8Array) -> Result<(), JsValue>;

    /// Takes a part. `bytes` is undefined if the part contains the fill value below its chunks, and
    /// null if the chunks cover it. `ours` tells that its buffer may be transferred. Returns
    /// undefined or a promise.
    #[wasm_bindgen(method, catch)]
    pub fn part(
        this: &Job,
        start: &Float64Array,
        shape: &Float64Array,
        bytes: &JsValue,
        ours: bool,
        chunks: &js_sys::Array,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, getter, js_name = wantsProgress)]
    pub fn wants_progress(this: &Job) -> bool;

    #[wasm_bindgen(method, catch)]
    pub fn progress(this: &Job, numbers: &Float64Array) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch, js_name = decodeBegin)]
    pub fn decode_begin(this: &Job, header: &Uint32Array) -> Result<u32, JsValue>;

    /// Announces the end of a part's chunks, and the part's place in the result, before
    /// `decode_finish`. The job may write the elements there.
    #[wasm_bindgen(method, catch, js_name = decodePlace)]
    pub fn decode_place(
        this: &Job,
        part: u32,
        start: &Float64Array,
        shape: &Float64Array,
    ) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch, js_name = decodeSupply)]
    pub fn decode_supply(
        this: &Job,
        part: u32,
        table: &Uint32Array,
        buffers: &js_sys::Array,
        ours: &js_sys::Array,
    ) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch, js_name = decodeFinish)]
    pub fn decode_finish(this: &Job, part: u32) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = decodeCancel)]
    pub fn decode_cancel(this: &Job, part: u32) -> Result<(), JsValue>;
}

/// Extents of a box of a result. The whole result fits into one buffer.
#[allow(clippy::cast_precision_loss)]
fn extents(values: &[u64]) -> Vec<f64> {
    values.iter().map(|value| *value as f64).collect()
}

/// The start of a part in its result, with its number behind it, and its extents.
pub fn box_numbers(part: &Part) -> (Float64Array, Float64Array) {
    let (mut start, shape) = (extents(&part.start), extents(&part.shape));
    start.extend(extents(&[part.number]));
    (Float64Array::from(start.as_slice()), Float64Array::from(shape.as_slice()))
}

/// The error if the job does not take a part: what its sink reports, or that it has no room.
pub fn refused(thrown: JsValue) -> Error {
    if let Some(error) = super::error::reported_error(&thrown) {
        return error;
    }
    let message = super::error::describe(&thrown);
    Error::limit(format!("the result cannot be held: {message}")).caused_by(Rc::new(thrown))
}
