//! The job of a read (`read/job.ts`): what it takes, and the numbers that it is given.

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
        number: f64,
        start: &Float64Array,
        shape: &Float64Array,
        bytes: &JsValue,
        ours: bool,
        chunks: &js_sys::Array,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, getter, js_name = wantsProgress)]
    pub fn wants_progress(this: &Job) -> bool;

    #[wasm_bindgen(method, catch)]
    pub fn progress(this: &Job, record: &Uint8Array) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch, js_name = decodeBegin)]
    pub fn decode_begin(this: &Job, header: &Uint32Array) -> Result<u32, JsValue>;

    #[wasm_bindgen(method, catch, js_name = decodeSupply)]
    pub fn decode_supply(
        this: &Job,
        part: u32,
        table: &Uint32Array,
        buffers: &js_sys::Array,
        ours: &js_sys::Array,
    ) -> Result<(), JsValue>;

    /// Announces the end of a part's chunks. Returns a promise of the elements, or of a text: why
    /// the worker was lost that had the part.
    #[wasm_bindgen(method, catch, js_name = decodeFinish)]
    pub fn decode_finish(this: &Job, part: u32) -> Result<JsValue, JsValue>;

    /// As `decode_finish`, with where the part is in the result. The job may write the elements
    /// there; then the promise is of undefined. `number` is that of the part in the order of its
    /// read. Throws if the result cannot be held.
    #[wasm_bindgen(method, catch, js_name = decodeFinishAt)]
    pub fn decode_finish_at(
        this: &Job,
        part: u32,
        number: f64,
        start: &Float64Array,
        shape: &Float64Array,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = decodeCancel)]
    pub fn decode_cancel(this: &Job, part: u32) -> Result<(), JsValue>;
}

/// A part as a job takes it. The whole result fits into one buffer, so that numbers hold them all.
pub struct PartNumbers {
    /// The number of the part in the order of its read.
    pub number: f64,
    /// The start of the part in its result.
    pub start: Float64Array,
    pub shape: Float64Array,
}

impl PartNumbers {
    #[allow(clippy::cast_precision_loss)]
    pub fn of(part: &Part) -> Self {
        let extents = |values: &[u64]| {
            Float64Array::from(values.iter().map(|value| *value as f64).collect::<Vec<_>>().as_slice())
        };
        Self { number: part.number as f64, start: extents(&part.start), shape: extents(&part.shape) }
    }
}

/// The error if the job does not take a part: what its sink reports, or that it has no room.
pub fn refused(thrown: JsValue) -> Error {
    if let Some(error) = super::error::reported_error(&thrown) {
        return error;
    }
    let message = super::error::describe(&thrown);
    Error::limit(format!("the result cannot be held: {message}")).caused_by(Rc::new(thrown))
}
