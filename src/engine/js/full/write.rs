//! Writes arrays. The core receives a selection and packed elements. A TypeScript job
//! (`operations/elements.ts`) encodes the chunks in workers.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Function, Uint8Array, Uint32Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::nodes::summary_of;
use super::objects::to_js;
use crate::error::{Error, Result};
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::sharding::ChunkOrder;
use crate::format::data_type::Float;
use crate::hierarchy::resize::{Appended, append, reread, resize};
use crate::js::bytes::{JsView, our_value, stored_value, to_js as bytes_to_js};
use crate::js::decoder::thrown_error;
use crate::js::error::Exported;
use crate::js::{host, plain, read, registry, store, task};
use crate::quoted::quoted;
use crate::read::array::Array;
use crate::store::LocalFuture;
use crate::write::encoder::{EncodeJob, Encoded, Encoder};
use crate::write::{NewElements, WriteProgress, WriteRequest, WriteSource, write};

#[wasm_bindgen]
extern "C" {
    /// `WriteJob` of `operations/elements.ts`.
    #[derive(Clone)]
    pub type WriteJob;

    /// Registers an array by its documents, because its shape may have changed or be about to.
    /// Returns its number.
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

/// The elements and options of a write. TypeScript sets every member.
#[wasm_bindgen]
extern "C" {
    pub type Source;

    #[wasm_bindgen(method, getter)]
    fn bytes(this: &Source) -> Uint8Array;
    /// The offsets of elements of variable length: one more than there are elements.
    #[wasm_bindgen(method, getter)]
    fn offsets(this: &Source) -> Option<Uint32Array>;
    /// Whether one element is written to all places.
    #[wasm_bindgen(method, getter, js_name = isOne)]
    fn is_one(this: &Source) -> bool;
    #[wasm_bindgen(method, getter, js_name = keepEmptyChunks)]
    fn keep_empty_chunks(this: &Source) -> bool;
    #[wasm_bindgen(method, getter, js_name = chunkOrder)]
    fn chunk_order(this: &Source) -> Option<String>;
}

fn source_of(source: &Source) -> Result<WriteSource> {
    if source.is_one() {
        return Ok(WriteSource::Element(source.bytes().to_vec()));
    }
    match source.offsets() {
        // The bytes may be the caller's own memory, so they are not transferred or changed.
        None => stored_value(&source.bytes(), false).map(WriteSource::Elements),
        Some(offsets) => Ok(WriteSource::Variable(Rc::new(VariableBytes {
            offsets: offsets.to_vec(),
            bytes: source.bytes().to_vec(),
        }))),
    }
}

fn elements_of(source: &Source) -> Result<NewElements> {
    Ok(NewElements {
        source: source_of(source)?,
        keep_empty_chunks: source.keep_empty_chunks(),
        chunk_order: order_of(source)?,
    })
}

fn order_of(source: &Source) -> Result<ChunkOrder> {
    match source.chunk_order().as_deref() {
        None | Some("C") => Ok(ChunkOrder::C),
        Some("F") => Ok(ChunkOrder::F),
        Some("morton") => Ok(ChunkOrder::Morton),
        Some(other) => {
            let error = Error::argument("unknown order of chunks in a shard");
            Err(error.expected("\"C\", \"F\" or \"morton\"").actual(quoted(other)))
        }
    }
}

/// Extents of a selection, 1 for integer indices, and which dimensions values have.
#[derive(Serialize)]
struct SelectionShape {
    shape: Vec<f64>,
    kept: Vec<bool>,
}

/// The extents that values for a selection have; throws a report.
#[wasm_bindgen(js_name = selectionShape)]
#[allow(clippy::cast_precision_loss)] // The values are in memory.
pub fn selection_shape(array: u32, request: JsValue) -> Exported<JsValue> {
    let array = registry::array(array)?;
    let selected = read::selection(&request)?.resolve(&array.binding().metadata().shape)?;
    let shape = selected.shape().into_iter().map(|extent| extent as f64).collect();
    Ok(to_js(&SelectionShape { shape, kept: selected.kept() })?)
}

/// Writes to a selection. Settles when everything is stored.
#[wasm_bindgen(js_name = writeArray)]
pub fn write_array(
    array: u32,
    request: JsValue,
    source: Source,
    job: WriteJob,
    signal: JsValue,
    settle: Function,
) -> u32 {
    task::start(settle, async move {
        let array = registry::array(array)?;
        let request = WriteRequest { selection: read::selection(&request)?, elements: elements_of(&source)? };
        let encoder = JobEncoder::new(job.clone(), signal.clone());
        let hear = |progress: &WriteProgress| hear(&job, progress);
        write(&array, &request, &encoder, &hear, &store::context(signal)).await?;
        Ok(JsValue::UNDEFINED)
    })
}

/// Appends along a dimension. Settles with the array's summary.
#[wasm_bindgen(js_name = appendArray)]
pub fn append_array(
    array: u32,
    axis: u32,
    len: f64,
    source: Source,
    job: WriteJob,
    signal: JsValue,
    settle: Function,
) -> u32 {
    task::start(settle, async move {
        let array = registry::array(array)?;
        let elements = elements_of(&source)?;
        let appended = Appended { axis: axis as usize, len: plain::natural(len)?, elements };
        let encoder = JobEncoder::new(job.clone(), signal.clone());
        let hear = |progress: &WriteProgress| hear(&job, progress);
        let longer = append(&array, &appended, &encoder, &hear, &store::context(signal)).await?;
        summary_of(&longer)
    })
}

/// Changes the shape of an array. Settles with its summary.
#[wasm_bindgen(js_name = resizeArray)]
pub fn resize_array(array: u32, shape: Vec<u64>, job: WriteJob, signal: JsValue, settle: Function) -> u32 {
    task::start(settle, async move {
        let array = registry::array(array)?;
        let encoder = JobEncoder::new(job, JsValue::UNDEFINED);
        let resized = resize(&array, &shape, &encoder, &store::context(signal)).await?;
        summary_of(&resized)
    })
}

/// Reads the documents of an array again, once no other call changes them. Settles with its
/// summary.
#[wasm_bindgen(js_name = rereadArray)]
pub fn reread_array(array: u32, settle: Function) -> u32 {
    task::start(settle, async move {
        let array = registry::array(array)?;
        let found = reread(&array, &store::context(JsValue::UNDEFINED)).await?;
        summary_of(&found)
    })
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

    fn number(&self, array: &Rc<Array>) -> Result<u32> {
        let known = self.bound.borrow().iter().find(|(bound, _)| Rc::ptr_eq(bound, array)).map(|it| it.1);
        if let Some(number) = known {
            return Ok(number);
        }
        let number = self.job.bind(&array.document().to_json()).map_err(|thrown| thrown_error(&thrown))?;
        self.bound.borrow_mut().push((array.clone(), number));
        Ok(number)
    }

    async fn ask(&self, array: &Rc<Array>, encode: &EncodeJob) -> Result<Encoded> {
        let update = Uint32Array::from(encode.update.as_slice());
        let old = encode.old.as_ref().map(|old| bytes_to_js(old, 1)).transpose()?;
        let JsView { bytes, ours } = bytes_to_js(&encode.elements, 1)?;
        let old_is_ours = old.as_ref().is_some_and(|old| old.ours);
        let old = old.as_ref().map(|old| &old.bytes);
        let promise = self.job.encode(self.number(array)?, &update, old, old_is_ours, &bytes, ours);
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
    for (place, number) in numbers.iter().enumerate() {
        let Some(bits) = float.from_f64(*number).or_else(|| saturate.then(|| float.saturated(*number)))
        else {
            return u32::try_from(place).ok();
        };
        packed.extend_from_slice(&bits.to_le_bytes()[..float.size()]);
    }
    output.copy_from(&packed);
    None
}
