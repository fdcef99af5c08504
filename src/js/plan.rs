//! What a read will cost, and fetching ahead. `read/plan.ts` and `read/prefetch.ts` drive it.

use js_sys::Function;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::error::report_to_js;
use super::json::to_js;
use super::read::{progress_numbers, read_context, request_of};
use super::store::natural;
use super::{registry, task};
use crate::error::Result;
use crate::hierarchy::cost::{ReadCost, cost, objects};
use crate::hierarchy::prefetch::prefetch as prefetch_chunks;
use crate::hierarchy::read::Progress;

/// `EngineCost` of `read/plan.ts`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Cost {
    shape: Vec<f64>,
    chunks: f64,
    objects: f64,
    elements: f64,
    decoded_elements: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoded_chunk_bytes: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index_bytes: Option<f64>,
}

// Sizes for people.
#[allow(clippy::cast_precision_loss)]
fn number(value: u64) -> f64 {
    value as f64
}

impl From<ReadCost> for Cost {
    fn from(cost: ReadCost) -> Self {
        let kept = cost.shape.iter().zip(&cost.kept).filter(|(_, kept)| **kept);
        Self {
            shape: kept.map(|(extent, _)| number(*extent)).collect(),
            chunks: cost.chunks,
            objects: cost.objects,
            elements: cost.elements,
            decoded_elements: cost.decoded_elements,
            encoded_chunk_bytes: cost.encoded_chunk_bytes.map(number),
            index_bytes: cost.index_bytes.map(number),
        }
    }
}

/// What reading a selection takes; throws a report.
#[wasm_bindgen(js_name = planRead)]
pub fn plan_read(array: u32, request: JsValue) -> std::result::Result<JsValue, JsValue> {
    let planned = || to_js(&Cost::from(cost(&registry::array(array)?, &request_of(request)?.selection)?));
    planned().map_err(|error| report_to_js(&error))
}

/// `EngineObject` of `read/plan.ts`.
#[derive(Serialize)]
struct Object {
    chunk: Vec<f64>,
    key: String,
}

/// Some of the stored objects that a read touches: at most `count`, from the `start`th on; throws a report.
#[wasm_bindgen(js_name = planObjects)]
pub fn plan_objects(
    array: u32,
    request: JsValue,
    start: f64,
    count: u32,
) -> std::result::Result<JsValue, JsValue> {
    let page = || {
        let request = request_of(request)?;
        let page = objects(&registry::array(array)?, &request.selection, natural(start)?, u64::from(count))?;
        let described = page.into_iter().map(|object| Object {
            chunk: object.chunk.iter().map(|at| number(*at)).collect(),
            key: format!("/{}", object.key.as_str()),
        });
        to_js(&described.collect::<Vec<_>>())
    };
    page().map_err(|error| report_to_js(&error))
}

/// Fetches what a selection needs; answers as a read does. `listener` hears of progress.
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
        let request = request_of(request)?;
        let context = read_context(&request, signal);
        let tell = |progress: &Progress| {
            if let Some(listener) = &listener {
                // A listener that throws does not end it.
                let _ = listener.call1(&JsValue::UNDEFINED, &progress_numbers(progress));
            }
        };
        let done: Result<Progress> =
            prefetch_chunks(&array, request.selection.clone(), &tell, &context).await;
        Ok(progress_numbers(&done?).into())
    })
}
