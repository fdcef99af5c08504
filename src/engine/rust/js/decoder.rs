//! The decoder of a read: passes parts to a TypeScript job (`read/job.ts`), which uses a pool of
//! workers or this thread.

use std::rc::Rc;

use js_sys::{Array as JsArray, Uint32Array};
use wasm_bindgen::prelude::*;

use super::bytes::{handed_over, our_value, to_js};
use super::error::{reported_error, store_failed};
use super::host;
use super::job::{Job, box_of, refused};
use crate::access::part::Part;
use crate::error::{Error, Result};
use crate::read::array::Array;
use crate::read::decoder::{Decoded, Decoder, EncodedChunks, PartDecoder, Undecoded};
use crate::sorted::Map;
use crate::store::{LocalFuture, Value};

/// Decodes through a job.
pub struct JobDecoder {
    pub job: Job,
}

impl Decoder for JobDecoder {
    fn begin(&self, _array: &Rc<Array>, header: Vec<u32>) -> Result<Box<dyn PartDecoder>> {
        let header = Uint32Array::from(header.as_slice());
        let part = self.job.decode_begin(&header).map_err(|thrown| thrown_error(&thrown))?;
        Ok(Box::new(JobPart { job: self.job.clone(), part, is_over: false, borrowed: Vec::new() }))
    }
}

/// A part in a job. Dropping it before its end cancels it.
struct JobPart {
    job: Job,
    part: u32,
    is_over: bool,
    /// Values that others use too. Holding them until the end prevents other code from transferring
    /// their buffers while this part still waits to be read.
    borrowed: Vec<Value>,
}

impl PartDecoder for JobPart {
    fn supply(&mut self, supply: EncodedChunks) -> Result<()> {
        let uses = count_uses(&supply.values);
        let (views, ours) = (JsArray::new(), JsArray::new());
        for value in &supply.values {
            let view = to_js(value, uses.get(&identity(value)).copied().unwrap_or(1))?;
            if !view.ours {
                self.borrowed.push(value.clone());
            }
            views.push(&view.bytes);
            ours.push(&view.ours.into());
        }
        let table = Uint32Array::from(supply.table.as_slice());
        let supplied = self.job.decode_supply(self.part, &table, &views, &ours);
        supplied.map_err(|thrown| thrown_error(&thrown))
    }

    fn finish(self: Box<Self>) -> LocalFuture<'static, Decoded<Value>> {
        Box::pin(async move {
            let promise = self.job.decode_finish(self.part).map_err(|thrown| thrown_error(&thrown))?;
            let elements = self.settled(promise).await?;
            elements.ok_or_else(|| Error::unsupported("a decoder returned no elements").into())
        })
    }

    fn finish_at(self: Box<Self>, part: &Part) -> LocalFuture<'static, Decoded<Option<Value>>> {
        let part_box = box_of(part);
        Box::pin(async move {
            let promise = self.job.decode_finish_at(self.part, &part_box).map_err(refused)?;
            self.settled(promise).await
        })
    }
}

impl JobPart {
    /// The job's answer: the elements; `None` if it wrote them into the result.
    async fn settled(mut self: Box<Self>, promise: JsValue) -> Decoded<Option<Value>> {
        let settled = host::settled(promise).await;
        self.is_over = true;
        let elements = settled.map_err(|thrown| thrown_error(&thrown))?;
        if let Some(reason) = elements.as_string() {
            return Err(Undecoded::WorkerLost(reason));
        }
        if elements.is_undefined() {
            return Ok(None);
        }
        let elements = handed_over(&elements).ok_or_else(|| Error::store("a decoder returned no bytes"))?;
        Ok(Some(our_value(elements)))
    }
}

impl Drop for JobPart {
    fn drop(&mut self) {
        if !self.is_over {
            // The outcome is not needed any more.
            let _ = self.job.decode_cancel(self.part);
        }
    }
}

/// The address of a value's JavaScript buffer; 0 for bytes in wasm memory.
fn identity(value: &Value) -> usize {
    value.as_host().map_or(0, |(host, _)| Rc::as_ptr(host).cast::<()>() as usize)
}

/// Number of values that refer to each buffer.
fn count_uses(values: &[Value]) -> Map<usize, usize> {
    let mut uses = Map::new();
    for value in values {
        *uses.get_or_insert_with(identity(value), || 0) += 1;
    }
    uses
}

/// The error for work that failed: a `ReportedError` (`wasm_module.ts`), or any other thrown value.
pub fn thrown_error(thrown: &JsValue) -> Error {
    reported_error(thrown).unwrap_or_else(|| store_failed("decoding failed", thrown.clone()))
}
