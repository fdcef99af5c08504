//! Writes arrays. The core receives a selection and packed elements. A TypeScript job
//! (`operations/elements.ts`) encodes the chunks in workers.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;
use zarr_wasm_contract::{
    self as contract, AppendArguments, ArrayId, Natural, NodeSummary, ResizeArguments, WriteArguments,
};

use super::nodes::summary_of;
use crate::error::{Error, Result};
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::sharding::ChunkOrder;
use crate::format::data_type::Float;
use crate::hierarchy::resize::{self as shapes, Appended};
use crate::js::bytes::{JsView, our_value, stored_value, to_js as bytes_to_js};
use crate::js::call::{Call, context};
use crate::js::decoder::thrown_error;
use crate::js::{host, registry};
use crate::read::array::Array;
use crate::store::LocalFuture;
use crate::write::encoder::{EncodeJob, Encoded, Encoder};
use crate::write::{NewElements, WriteProgress, WriteRequest, WriteSource, write as write_elements};

#[wasm_bindgen]
extern "C" {
    /// `WriteJob` of `operations/elements.ts`.
    #[derive(Clone)]
    pub type WriteJob;

    /// Registers an array by its documents, because its shape may have changed or be about to.
    /// Returns its id.
    #[wasm_bindgen(method, catch)]
    fn bind(this: &WriteJob, document: &str) -> std::result::Result<u32, JsValue>;

    /// A promise of bytes; null if the chunk contains only the fill value, undefined if nothing
    /// changed.
    #[wasm_bindgen(method, catch)]
    fn encode(
        this: &WriteJob,
        array: u32,
        update: &Uint32Array,
        old: Option<&Uint8Array>,
        old_is_ours: bool,
        elements: &Uint8Array,
        elements_are_ours: bool,
    ) -> std::result::Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn progress(
        this: &WriteJob,
        chunks: f64,
        empty: f64,
        total: f64,
        bytes: f64,
    ) -> std::result::Result<(), JsValue>;
}

fn source_of(source: &contract::WriteSource, call: &Call) -> Result<WriteSource> {
    let bytes = call.held_bytes(source.bytes);
    match &source.offsets {
        // The bytes may be the caller's own memory, so they are not transferred or changed.
        None => stored_value(&bytes, false).map(WriteSource::Elements),
        Some(offsets) => Ok(WriteSource::Variable(Rc::new(VariableBytes {
            offsets: call.held::<Uint32Array>(*offsets).to_vec(),
            bytes: bytes.to_vec(),
        }))),
    }
}

fn elements_of(source: &contract::WriteSource, call: &Call) -> Result<NewElements> {
    Ok(NewElements {
        source: source_of(source, call)?,
        layout: source.layout.clone(),
        keep_empty_chunks: source.keep_empty_chunks,
        chunk_order: source.chunk_order.unwrap_or(ChunkOrder::C),
    })
}

/// See `write` of the contract.
pub async fn write(arguments: WriteArguments, call: Call) -> Result<()> {
    let WriteArguments { array, selection, source, job } = arguments;
    let (array, job) = (registry::array(array)?, call.held::<WriteJob>(job));
    let elements = elements_of(&source, &call)?;
    let request = WriteRequest { selection, elements };
    let encoder = JobEncoder::new(job.clone(), call.signal());
    let hear = |progress: &WriteProgress| hear(&job, progress);
    write_elements(&array, &request, &encoder, &hear, &call.context()).await?;
    Ok(())
}

/// See `append` of the contract.
pub async fn append(arguments: AppendArguments, call: Call) -> Result<NodeSummary> {
    let AppendArguments { array, axis, length: Natural(len), source, job } = arguments;
    let (array, job) = (registry::array(array)?, call.held::<WriteJob>(job));
    let appended = Appended { axis: axis as usize, len, elements: elements_of(&source, &call)? };
    let encoder = JobEncoder::new(job.clone(), call.signal());
    let hear = |progress: &WriteProgress| hear(&job, progress);
    let longer = shapes::append(&array, &appended, &encoder, &hear, &call.context()).await?;
    summary_of(&longer, &call)
}

/// See `resize` of the contract.
pub async fn resize(arguments: ResizeArguments, call: Call) -> Result<NodeSummary> {
    let ResizeArguments { array, shape, job } = arguments;
    let encoder = JobEncoder::new(call.held(job), JsValue::UNDEFINED);
    let resized = shapes::resize(&registry::array(array)?, &shape, &encoder, &call.context()).await?;
    summary_of(&resized, &call)
}

/// See `reread` of the contract.
pub async fn reread(ArrayId { array }: ArrayId, call: Call) -> Result<NodeSummary> {
    let found = shapes::reread(&registry::array(array)?, &context(JsValue::UNDEFINED)).await?;
    summary_of(&found, &call)
}

// Counts and bytes of a single write.
#[allow(clippy::cast_precision_loss)]
fn hear(job: &WriteJob, progress: &WriteProgress) {
    let WriteProgress { chunks, empty, chunks_total, bytes } = *progress;
    // A listener that throws must not end the write.
    let _ = job.progress(chunks as f64, empty as f64, chunks_total as f64, bytes as f64);
}

/// Encodes through a job.
struct JobEncoder {
    job: WriteJob,
    signal: JsValue,
    /// The arrays that the job knows: one, or the array before and after a change of its shape.
    bound: RefCell<Vec<(Rc<Array>, u32)>>,
}

impl JobEncoder {
    fn new(job: WriteJob, signal: JsValue) -> Self {
        Self { job, signal, bound: RefCell::default() }
    }

    fn id(&self, array: &Rc<Array>) -> Result<u32> {
        let known = self.bound.borrow().iter().find(|(bound, _)| Rc::ptr_eq(bound, array)).map(|it| it.1);
        if let Some(id) = known {
            return Ok(id);
        }
        let id = self.job.bind(&array.document().to_json()).map_err(|thrown| thrown_error(&thrown))?;
        self.bound.borrow_mut().push((array.clone(), id));
        Ok(id)
    }

    async fn ask(&self, array: &Rc<Array>, encode: &EncodeJob) -> Result<Encoded> {
        let update = Uint32Array::from(encode.update.as_slice());
        let old = encode.old.as_ref().map(|old| bytes_to_js(old, 1)).transpose()?;
        let JsView { bytes, ours } = bytes_to_js(&encode.elements, 1)?;
        let old_is_ours = old.as_ref().is_some_and(|old| old.ours);
        let old = old.as_ref().map(|old| &old.bytes);
        let promise = self.job.encode(self.id(array)?, &update, old, old_is_ours, &bytes, ours);
        let promise = promise.map_err(|thrown| thrown_error(&thrown))?;
        let encoded = host::settled(promise).await.map_err(|thrown| thrown_error(&thrown))?;
        if encoded.is_undefined() {
            return Ok(Encoded::Same);
        }
        if encoded.is_null() {
            return Ok(Encoded::Empty);
        }
        let bytes = encoded.dyn_into::<Uint8Array>();
        let bytes = bytes.map_err(|_| Error::unsupported("an encoder returned no bytes"))?;
        Ok(Encoded::Bytes(our_value(bytes)))
    }
}

impl Encoder for JobEncoder {
    fn encode<'a>(&'a self, array: &'a Rc<Array>, job: EncodeJob) -> LocalFuture<'a, Result<Encoded>> {
        Box::pin(async move { self.ask(array, &job).await })
    }

    fn is_abandoned(&self) -> bool {
        host::is_aborted(&self.signal)
    }
}

/// Packs numbers as floats for which JavaScript has no typed array, rounded half to even. Without
/// `saturate`, returns the position of the first number that the type cannot represent.
#[wasm_bindgen(js_name = packFloats)]
pub fn pack_floats(name: &str, numbers: &[f64], saturate: bool, output: &Uint8Array) -> Option<u32> {
    let float = Float::of_name(name)?;
    let mut packed = Vec::with_capacity(numbers.len() * float.size());
    for (index, number) in numbers.iter().enumerate() {
        let Some(bits) = float.from_f64(*number).or_else(|| saturate.then(|| float.saturated(*number)))
        else {
            return u32::try_from(index).ok();
        };
        packed.extend_from_slice(&bits.to_le_bytes()[..float.size()]);
    }
    output.copy_from(&packed);
    None
}
