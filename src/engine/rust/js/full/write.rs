//! Writes arrays. The core receives a selection and packed elements. A TypeScript job
//! (`operations/elements.ts`) encodes the chunks in workers.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array as JsArray, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;
use zarr_wasm_contract::encoding::HeldBytes;
use zarr_wasm_contract::{
    self as contract, AppendArguments, ArrayId, ChunkToEncode, Natural, NodeSummary, OwnedBytes,
    ResizeArguments, Words, WriteArguments,
};

use super::nodes::summary_of;
use crate::error::{Error, Result};
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::sharding::ChunkOrder;
use crate::format::data_type::Float;
use crate::hierarchy::resize::{self as shapes, Appended};
use crate::js::bytes::{JsView, handed_over, our_value, stored_value, to_js as bytes_to_js};
use crate::js::call::{Call, context};
use crate::js::decoder::thrown_error;
use crate::js::job::bytes_of;
use crate::js::{host, objects};
use crate::read::array::Array;
use crate::store::{LocalFuture, Value};
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

    /// Encodes a `ChunkToEncode`, beside which are these values. A promise of bytes; null if the
    /// chunk contains only the fill value, undefined if nothing changed.
    #[wasm_bindgen(method, catch)]
    fn encode(this: &WriteJob, chunk: &Uint8Array, values: &JsArray)
    -> std::result::Result<JsValue, JsValue>;

    /// Receives a `WriteProgress`.
    #[wasm_bindgen(method, catch)]
    fn progress(this: &WriteJob, record: &Uint8Array) -> std::result::Result<(), JsValue>;
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
    let (array, job) = (objects::array(array)?, call.held::<WriteJob>(job));
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
    let (array, job) = (objects::array(array)?, call.held::<WriteJob>(job));
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
    let resized = shapes::resize(&objects::array(array)?, &shape, &encoder, &call.context()).await?;
    summary_of(&resized, &call)
}

/// See `reread` of the contract.
pub async fn reread(ArrayId { array }: ArrayId, call: Call) -> Result<NodeSummary> {
    let found = shapes::reread(&objects::array(array)?, &context(JsValue::UNDEFINED)).await?;
    summary_of(&found, &call)
}

// Counts and bytes of a single write.
#[allow(clippy::cast_precision_loss)]
fn hear(job: &WriteJob, progress: &WriteProgress) {
    let WriteProgress { chunks, empty, chunks_total, bytes } = *progress;
    let [chunks, total_chunks, empty, bytes] = [chunks, chunks_total, empty, bytes].map(|count| count as f64);
    let record = contract::WriteProgress { chunks, total_chunks, empty, bytes };
    // A listener that throws must not end the write.
    let _ = job.progress(&bytes_of(&record));
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
        let values = JsArray::new();
        let owned = |value: &Value| {
            let JsView { bytes, ours } = bytes_to_js(value, 1)?;
            Ok::<_, Error>(OwnedBytes { bytes: HeldBytes(values.push(&bytes) - 1), ours })
        };
        let record = ChunkToEncode {
            array: self.id(array)?,
            header: Words(encode.update.clone()),
            old: encode.old.as_ref().map(owned).transpose()?,
            elements: owned(&encode.elements)?,
        };
        let promise = self.job.encode(&bytes_of(&record), &values);
        let promise = promise.map_err(|thrown| thrown_error(&thrown))?;
        let encoded = host::settled(promise).await.map_err(|thrown| thrown_error(&thrown))?;
        if encoded.is_undefined() {
            return Ok(Encoded::Same);
        }
        if encoded.is_null() {
            return Ok(Encoded::Empty);
        }
        let bytes = handed_over(&encoded);
        let bytes = bytes.ok_or_else(|| Error::unsupported("an encoder returned no bytes"))?;
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
