//! Reads arrays. A TypeScript job (`read/job.ts`) receives the parts and passes chunks to decoders.

use std::rc::Rc;

use js_sys::{Array as JsArray, Float64Array, Function, Uint8Array};
use wasm_bindgen::prelude::*;

use super::bytes::{JsView, to_js as bytes_to_js};
use super::decoder::JobDecoder;
use super::job::{Job, PartNumbers, refused};
use super::{host, plain, registry, store, task};
use crate::access::instruction::ProjectedAxis;
use crate::access::part::Part;
use crate::access::selection::{DimensionSelection, Selection};
use crate::error::{Error, Result};
use crate::format::conversion::{Bins, Colour, Conversion, Shading};
use crate::format::data_type::DataType;
use crate::read::decoder::Decoder;
use crate::read::{
    Base, Growth, OutputLayout, PartData, PartSink, PlacedChunk, Progress, ReadRequest, read as read_array,
};
use crate::store::{LocalFuture, Priority, RequestContext};

/// What to read: a request as `selection.ts` writes it, of an array with elements of this type.
fn read_request(request: &JsValue, data_type: &DataType) -> Result<ReadRequest> {
    let dimension = |value: &JsValue| Ok(plain::word(value)? as usize);
    let dimensions = |list: &JsValue| plain::list(list, dimension);
    Ok(ReadRequest {
        selection: selection(request)?,
        order: plain::read(request, "order", dimensions)?,
        growth: plain::read(request, "growth", growth)?,
        spreads: plain::is(request, "spreads"),
        streamed: plain::is(request, "streamed"),
        nearest: plain::read(request, "nearest", |place| plain::list(place, plain::number))?,
        conversion: plain::read(request, "conversion", |wanted| conversion(wanted, data_type))?,
        decodes: true,
    })
}

/// How parts grow, as `reduction.ts` writes it.
fn growth(growth: &JsValue) -> Result<Growth> {
    let dimension = |value: &JsValue| Ok(plain::word(value)? as usize);
    let dimensions = |name| plain::read(growth, name, |list| plain::list(list, dimension));
    let bytes = |name| plain::read(growth, name, plain::word);
    let read = (dimensions("order")?, dimensions("apart")?, bytes("bytes")?, bytes("together")?);
    let (Some(order), Some(apart), Some(bytes), Some(together)) = read else {
        return Err(plain::unreadable("the growth of parts", growth));
    };
    Ok(Growth { order, apart, bytes: bytes.into(), together: together.into() })
}

/// The circumstances of the requests of a read.
pub fn read_context(request: &JsValue, signal: JsValue) -> Result<RequestContext> {
    let priority = plain::read(request, "priority", plain::number)?.unwrap_or_default();
    let (priority, reload) = (Priority::new(priority), plain::is(request, "reload"));
    Ok(RequestContext { priority, reload, ..store::context(signal) })
}

/// The conversion of elements of this type, as `conversion.ts` writes it.
fn conversion(wanted: &JsValue, data_type: &DataType) -> Result<Conversion> {
    let numbers = |list: &JsValue| plain::list(list, plain::number);
    let words = |list: &JsValue| plain::list(list, plain::word);
    let conversion = match plain::read(wanted, "unpacking", words)? {
        // Words of `format::conversion`, from the conventions' module.
        Some(words) => Conversion::from_words(&words, data_type)?,
        None => Conversion::of(data_type)?,
    };
    let conversion = match plain::read(wanted, "shading", numbers)? {
        Some(numbers) => conversion.shaded(shading(&numbers)?)?,
        None => conversion,
    };
    if let Some(numbers) = plain::read(wanted, "summary", numbers)? {
        return conversion.summarised(bins(&numbers)?);
    }
    if let Some(words) = plain::read(wanted, "labels", words)? {
        return conversion.labelled(label_colours(&words)?);
    }
    let conversion = match plain::member(wanted, "to").and_then(|name| name.as_string()) {
        Some(name) => conversion.to(&name)?,
        None => conversion,
    };
    Ok(if plain::is(wanted, "mask") { conversion.masked() } else { conversion })
}

/// Of each label with a colour of its own: its lower and upper half, and the bytes of the colour.
fn label_colours(words: &[u32]) -> Result<Vec<(u64, Colour)>> {
    let (entries, rest) = words.as_chunks::<3>();
    if !rest.is_empty() {
        return Err(Error::argument("the colours of labels are incomplete"));
    }
    let mut labels = Vec::with_capacity(entries.len());
    for [low, high, colour] in entries {
        labels.push((u64::from(*low) | u64::from(*high) << 32, colour.to_le_bytes()));
    }
    Ok(labels)
}

/// From which number to which, and how many bins.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a count
fn bins(numbers: &[f64]) -> Result<Bins> {
    match numbers {
        [low, high, count] => Ok(Bins { low: *low, high: *high, count: *count as usize }),
        _ => Err(Error::argument("a summary has three numbers")),
    }
}

/// From which number to which, gamma, bytes of a colour, and the table.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // bytes
fn shading(numbers: &[f64]) -> Result<Shading> {
    let (head, table) =
        numbers.split_first_chunk::<4>().ok_or_else(|| Error::argument("a shading is incomplete"))?;
    let [low, high, gamma, width] = *head;
    let table = table.iter().map(|byte| *byte as u8).collect();
    Ok(Shading { low, high, gamma, width: width as usize, table })
}

/// The selection of a request: `EngineSelection` of `selection.ts`.
pub fn selection(request: &JsValue) -> Result<Selection> {
    let selection = plain::member(request, "selection").unwrap_or(JsValue::UNDEFINED);
    let integers = |list: &JsValue| plain::list(list, plain::integer);
    if let Some(lists) = plain::member(&selection, "Points") {
        return Ok(Selection::Points(plain::list(&lists, integers)?));
    }
    let entries = plain::member(&selection, "Orthogonal");
    let entries = entries.ok_or_else(|| plain::unreadable("a selection", &selection))?;
    Ok(Selection::Orthogonal(plain::list(&entries, dimension)?))
}

fn dimension(entry: &JsValue) -> Result<DimensionSelection> {
    if entry.is_string() {
        return Ok(DimensionSelection::All);
    }
    if let Some(index) = plain::read(entry, "Index", plain::integer)? {
        return Ok(DimensionSelection::Index(index));
    }
    if let Some(list) = plain::read(entry, "List", |list| plain::list(list, plain::integer))? {
        return Ok(DimensionSelection::List(list));
    }
    let slice = plain::member(entry, "Slice").ok_or_else(|| plain::unreadable("a selection", entry))?;
    let bound = |name| plain::read(&slice, name, plain::integer);
    Ok(DimensionSelection::Slice { start: bound("start")?, stop: bound("stop")?, step: bound("step")? })
}

// The counts and bytes of a single read.
#[allow(clippy::cast_precision_loss)]
pub fn progress_numbers(progress: &Progress) -> Float64Array {
    let Progress { chunks, bytes, parts, parts_total, chunks_total } = *progress;
    let numbers = [chunks, bytes, parts, parts_total, chunks_total].map(|count| count as f64);
    Float64Array::from(numbers.as_slice())
}

/// Reads a selection. Settles with the final progress (`progress_numbers`) when the job has all
/// parts.
#[wasm_bindgen]
pub fn read(array: u32, request: JsValue, job: Job, signal: JsValue, settle: Function) -> u32 {
    task::start(settle, async move {
        let array = registry::array(array)?;
        let decoder: Rc<dyn Decoder> = Rc::new(JobDecoder { job: job.clone() });
        let sink = JobSink { wants_progress: job.wants_progress(), job };
        let context = read_context(&request, signal)?;
        let request = read_request(&request, &array.binding().metadata().data_type);
        let request = request.map_err(|error| error.at_node(array.path().as_str()))?;
        let done = read_array(&array, &request, &decoder, &sink, &context).await?;
        Ok(progress_numbers(&done).into())
    })
}

struct JobSink {
    job: Job,
    wants_progress: bool,
}

/// A `PlacedChunk` of `elements/place.ts`: a list of numbers, the chunk's elements, and whether
/// nothing else uses their memory. The first number is the position of the first element to take.
/// Then follow three numbers for each dimension of the array: the number of elements to take, the
/// stride in the chunk, and the first place in the part.
#[allow(clippy::cast_precision_loss)]
fn placed_chunk(chunk: &PlacedChunk) -> Result<JsValue> {
    let mut first = 0;
    let mut numbers = vec![0.0];
    for (axis, stride) in chunk.projection.iter().zip(&chunk.strides) {
        let ProjectedAxis::Range { first: index, step, count, place } = axis else {
            return Err(Error::argument("a chunk is placed by lists"));
        };
        first += u64::from(*index) * *stride as u64;
        numbers.extend([f64::from(*count), f64::from(*step) * *stride as f64, f64::from(*place)]);
    }
    numbers[0] = first as f64;
    let JsView { bytes, ours } = bytes_to_js(&chunk.elements, 1)?;
    Ok(JsArray::of3(&Float64Array::from(numbers.as_slice()), &bytes, &ours.into()).into())
}

impl PartSink for JobSink {
    // The result fits into one buffer, so numbers hold all extents.
    #[allow(clippy::cast_precision_loss)]
    fn begin(&self, layout: &OutputLayout) -> Result<()> {
        let touched = layout.touched.map_or(f64::INFINITY, |elements| elements as f64);
        let mut numbers = vec![layout.parts as f64, layout.element_size as f64, touched];
        for ((extent, kept), axis) in layout.shape.iter().zip(&layout.kept).zip(&layout.order) {
            numbers.extend([*extent as f64, f64::from(*kept), *axis as f64]);
        }
        let fill_value = Uint8Array::from(layout.fill_value.as_slice());
        self.job.begin(&Float64Array::from(numbers.as_slice()), &fill_value).map_err(refused)
    }

    fn part(&self, part: &Part, data: PartData) -> LocalFuture<'_, Result<()>> {
        let PartNumbers { number, start, shape } = PartNumbers::of(part);
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
            let placed = JsArray::new();
            for chunk in chunks {
                placed.push(&placed_chunk(chunk)?);
            }
            match self.job.part(number, &start, &shape, below, ours, &placed) {
                Ok(promise) => host::settled(promise).await.map(|_| ()).map_err(refused),
                Err(thrown) => Err(refused(thrown)),
            }
        })
    }

    fn progress(&self, progress: &Progress) {
        if self.wants_progress {
            // A listener that throws must not end a read.
            let _ = self.job.progress(&progress_numbers(progress));
        }
    }
}
