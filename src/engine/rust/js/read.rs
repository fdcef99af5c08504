//! Reads arrays. A TypeScript job (`read/job.ts`) receives the parts and passes chunks to decoders.

use std::rc::Rc;

use js_sys::{Array as JsArray, Float64Array, Uint8Array};
use wasm_bindgen::JsValue;
use zarr_wasm_contract::{self as contract, Bytes, ReadArguments, ReadLayout, ReadProgress};

use super::bytes::{JsView, to_js as bytes_to_js};
use super::call::Call;
use super::decoder::JobDecoder;
use super::job::{Job, box_of, bytes_of, refused};
use super::{host, objects};
use crate::access::instruction::ProjectedAxis;
use crate::access::part::Part;
use crate::error::{Error, Result};
use crate::format::conversion_request::requested;
use crate::format::data_type::DataType;
use crate::read::decoder::Decoder;
use crate::read::{
    Base, Growth, OutputLayout, PartData, PartSink, PlacedChunk, Progress, ReadRequest, read as read_array,
};
use crate::store::{LocalFuture, Priority, RequestContext};

/// See `read` of the contract.
pub async fn read(arguments: ReadArguments, call: Call) -> Result<ReadProgress> {
    let ReadArguments { array, request, job } = arguments;
    let (array, job) = (objects::array(array)?, call.held::<Job>(job));
    let context = read_context(&request, &call);
    let decoder: Rc<dyn Decoder> = Rc::new(JobDecoder { job: job.clone() });
    let sink = JobSink { wants_progress: job.wants_progress(), job };
    let request = read_request(request, &array.binding().metadata().data_type);
    let request = request.map_err(|error| error.at_node(array.path().as_str()))?;
    let done = read_array(&array, &request, &decoder, &sink, &context).await?;
    Ok(progress_record(&done))
}

/// What to read, of an array with elements of this type.
fn read_request(request: contract::ReadRequest, data_type: &DataType) -> Result<ReadRequest> {
    Ok(ReadRequest {
        selection: request.selection,
        order: request.order.map(dimensions),
        padded: request.padded == Some(true),
        growth: request.growth.map(|growth| Growth {
            order: dimensions(growth.order),
            apart: dimensions(growth.apart),
            bytes: growth.bytes.into(),
            together: growth.together.into(),
        }),
        spreads: request.spreads == Some(true),
        streamed: request.streamed == Some(true),
        nearest: request.nearest,
        conversion: request.conversion.map(|wanted| requested(&wanted, data_type)).transpose()?,
        decodes: true,
    })
}

fn dimensions(axes: Vec<u32>) -> Vec<usize> {
    axes.into_iter().map(|axis| axis as usize).collect()
}

/// The circumstances of the requests of a read.
pub fn read_context(request: &contract::ReadRequest, call: &Call) -> RequestContext {
    let priority = Priority::new(request.priority.unwrap_or_default());
    RequestContext { priority, reload: request.reload == Some(true), ..call.context() }
}

/// How far a read is.
// The counts and bytes of a single read.
#[allow(clippy::cast_precision_loss)]
pub fn progress_record(progress: &Progress) -> ReadProgress {
    let Progress { chunks, bytes, parts, parts_total, chunks_total } = *progress;
    let [chunks, bytes, parts, total_parts, total_chunks] =
        [chunks, bytes, parts, parts_total, chunks_total].map(|count| count as f64);
    ReadProgress { chunks, bytes, parts, total_parts, total_chunks }
}

/// The bytes of the record, for listeners.
pub fn progress_bytes(progress: &Progress) -> Uint8Array {
    bytes_of(&progress_record(progress))
}

struct JobSink {
    job: Job,
    wants_progress: bool,
}

/// Decoded chunks to copy into the result: the arguments of `part` in `read/job.ts`.
#[derive(Default)]
struct ChunksToScatter {
    numbers: Vec<f64>,
    elements: JsArray,
}

impl ChunksToScatter {
    /// Adds a chunk and its row of numbers. The first number is 1 if nothing else uses the memory
    /// of the elements, and 0 otherwise. The second is the index of the first element to copy.
    /// Three numbers follow for each dimension of the array: how many elements to copy, their
    /// stride in the chunk, and the index of the first one in the part.
    #[allow(clippy::cast_precision_loss)]
    fn add(&mut self, chunk: &PlacedChunk) -> Result<()> {
        let JsView { bytes, ours } = bytes_to_js(&chunk.elements, 1)?;
        self.elements.push(&bytes);
        self.numbers.extend([f64::from(u8::from(ours)), 0.0]);
        let at = self.numbers.len() - 1;
        let mut first = 0;
        for (axis, stride) in chunk.projection.iter().zip(&chunk.strides) {
            let ProjectedAxis::Range { first: index, step, count, place } = axis else {
                return Err(Error::argument("a chunk is placed by lists"));
            };
            first += u64::from(*index) * *stride as u64;
            self.numbers.extend([f64::from(*count), f64::from(*step) * *stride as f64, f64::from(*place)]);
        }
        self.numbers[at] = first as f64;
        Ok(())
    }
}

impl PartSink for JobSink {
    // The result fits into one buffer, so numbers hold all extents.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
    fn begin(&self, layout: &OutputLayout) -> Result<()> {
        let record = ReadLayout {
            shape: layout.shape.iter().map(|extent| *extent as f64).collect(),
            kept: layout.kept.clone(),
            order: layout.order.iter().map(|axis| *axis as u32).collect(),
            parts: layout.parts as f64,
            touched: layout.touched.map_or(f64::INFINITY, |elements| elements as f64),
            fill_value: Bytes(layout.fill_value.clone()),
            element_size: layout.element_size as u32,
        };
        self.job.begin(&bytes_of(&record)).map_err(refused)
    }

    fn part(&self, part: &Part, data: PartData) -> LocalFuture<'_, Result<()>> {
        let part_box = box_of(part);
        Box::pin(async move {
            let PartData { base, chunks } = &data;
            let view = match base {
                Base::Fill | Base::Covered => None,
                Base::Bytes(value) => Some(bytes_to_js(value, 1)?),
            };
            let below = match (&view, base) {
                (Some(view), _) => view.bytes.as_ref(),
                (None, Base::Covered) => &JsValue::NULL,
                (None, _) => &JsValue::UNDEFINED,
            };
            let ours = view.as_ref().is_some_and(|view| view.ours);
            let mut scattered = ChunksToScatter::default();
            for chunk in chunks {
                scattered.add(chunk)?;
            }
            let ChunksToScatter { numbers, elements } = scattered;
            let numbers = Float64Array::from(numbers.as_slice());
            match self.job.part(&part_box, below, ours, &numbers, &elements) {
                Ok(promise) => host::settled(promise).await.map(|_| ()).map_err(refused),
                Err(thrown) => Err(refused(thrown)),
            }
        })
    }

    fn progress(&self, progress: &Progress) {
        if self.wants_progress {
            // A listener that throws must not end a read.
            let _ = self.job.progress(&progress_bytes(progress));
        }
    }
}
