//! The job of a read (`read/job.ts`): what it takes.

use std::rc::Rc;

use js_sys::{Float64Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;
use zarr_wasm_contract::{Floats, Natural, NumberedBox, Record};

use crate::access::part::Part;
use crate::error::Error;

#[wasm_bindgen]
extern "C" {
    /// `Job` of `read/job.ts`.
    #[derive(Clone)]
    pub type Job;

    /// Announces the layout of the result, a `ReadLayout`.
    #[wasm_bindgen(method, catch)]
    pub fn begin(this: &Job, layout: &Uint8Array) -> Result<(), JsValue>;

    /// Takes a part, whose box is a `NumberedBox`. `bytes` is undefined if the part contains the
    /// fill value below its chunks, and null if the chunks cover it. `ours` tells that its buffer
    /// may be transferred. `chunks` has the elements of each chunk, and `numbers` has a row of
    /// equal length for each (`ChunksToScatter`). Returns undefined or a promise.
    #[wasm_bindgen(method, catch)]
    pub fn part(
        this: &Job,
        part_box: &Uint8Array,
        bytes: &JsValue,
        ours: bool,
        numbers: &Float64Array,
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

    /// As `decode_finish`, with the part's box, a `NumberedBox`. The job may write
    /// the elements there; then the promise is of undefined. Throws if the result cannot be held.
    #[wasm_bindgen(method, catch, js_name = decodeFinishAt)]
    pub fn decode_finish_at(this: &Job, part: u32, part_box: &Uint8Array) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = decodeCancel)]
    pub fn decode_cancel(this: &Job, part: u32) -> Result<(), JsValue>;
}

/// The bytes of a record.
pub fn bytes_of(record: &impl Record) -> Uint8Array {
    Uint8Array::from(record.to_bytes().as_slice())
}

/// The box of a part, as a job takes it. The whole result fits into one buffer, so that floats
/// hold all numbers.
#[allow(clippy::cast_precision_loss)]
pub fn box_of(part: &Part) -> Uint8Array {
    let floats = |values: &[u64]| Floats(values.iter().map(|value| *value as f64).collect());
    let (start, shape) = (floats(&part.start), floats(&part.shape));
    bytes_of(&NumberedBox { number: Natural(part.number), start, shape })
}

/// The error if the job does not take a part: what its sink reports, or that it has no room.
pub fn refused(thrown: JsValue) -> Error {
    if let Some(error) = super::error::reported_error(&thrown) {
        return error;
    }
    let message = super::error::describe(&thrown);
    Error::limit(format!("the result cannot be held: {message}")).caused_by(Rc::new(thrown))
}
