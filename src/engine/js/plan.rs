//! Computes the cost of reads, and prefetches. Called by `read/plan.ts` and `read/read.ts`.

use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

use super::error::Exported;
use super::plain::natural;
use super::read::{progress_numbers, read_context, selection};
use super::record::{Record, numbers};
use super::{registry, task};
use crate::read::Progress;
use crate::read::cost::{ReadCost, cost, objects};
use crate::read::prefetch::prefetch as prefetch_chunks;

// Sizes are for display.
#[allow(clippy::cast_precision_loss)]
fn number(value: u64) -> f64 {
    value as f64
}

/// An `EngineCost` of `read/plan.ts`.
fn described(cost: &ReadCost) -> JsValue {
    let mut shape = Vec::new();
    for (extent, kept) in cost.shape.iter().zip(&cost.kept) {
        if *kept {
            shape.push(number(*extent));
        }
    }
    let mut record = Record::new()
        .with("shape", &numbers(&shape))
        .with_number("chunks", cost.chunks)
        .with_number("objects", cost.objects)
        .with_number("elements", cost.elements)
        .with_number("decodedElements", cost.decoded_elements);
    for (name, size) in [("encodedChunkBytes", cost.encoded_chunk_bytes), ("indexBytes", cost.index_bytes)] {
        if let Some(size) = size {
            record = record.with_number(name, number(size));
        }
    }
    record.finish()
}

/// The cost of reading a selection. Throws a report.
#[wasm_bindgen(js_name = planRead)]
pub fn plan_read(array: u32, request: JsValue) -> Exported<JsValue> {
    Ok(described(&cost(&registry::array(array)?, &selection(&request)?)?))
}

/// Up to `count` of the stored objects that a read touches, from number `start` on: `EngineObject`
/// of `read/plan.ts`. Throws a report.
#[wasm_bindgen(js_name = planObjects)]
pub fn plan_objects(array: u32, request: JsValue, start: f64, count: u32) -> Exported<JsValue> {
    let array = registry::array(array)?;
    let page = objects(&array, &selection(&request)?, natural(start)?, u64::from(count))?;
    let objects = Array::new();
    for object in page {
        let mut chunk = Vec::with_capacity(object.chunk.len());
        for at in &object.chunk {
            chunk.push(number(*at));
        }
        let key = format!("/{}", object.key.as_str());
        objects.push(&Record::new().with("chunk", &numbers(&chunk)).with_text("key", &key).finish());
    }
    Ok(objects.into())
}

/// Fetches the chunks of a selection. Settles as a read does. `listener` receives the progress.
#[wasm_bindgen]
pub fn prefetch(
    array: u32,
    request: JsValue,
    listener: Option<Function>,
    signal: JsValue,
    settle: Function,
) -> u32 {
    task::start(settle, async move {
        let array = registry::array(array)?;
        let context = read_context(&request, signal)?;
        let tell = |progress: &Progress| {
            if let Some(listener) = &listener {
                // A listener that throws must not end the prefetch.
                let _ = listener.call1(&JsValue::UNDEFINED, &progress_numbers(progress));
            }
        };
        let done = prefetch_chunks(&array, selection(&request)?, &tell, &context).await?;
        Ok(progress_numbers(&done).into())
    })
}
