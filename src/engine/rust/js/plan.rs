//! Computes the cost of reads, and prefetches. Called by `read/plan.ts` and `read/read.ts`.

use js_sys::Function;
use wasm_bindgen::JsValue;
use zarr_wasm_contract::{
    Natural, PlanArguments, PlanObjectsArguments, PlannedObject, PrefetchArguments, ReadCost, ReadProgress,
};

use super::call::Call;
use super::objects;
use super::read::{progress_bytes, progress_record, read_context};
use crate::error::Result;
use crate::read::Progress;
use crate::read::cost::{cost, objects};
use crate::read::prefetch::prefetch as prefetch_chunks;

/// See `plan_read` of the contract.
pub async fn plan_read(PlanArguments { array, selection }: PlanArguments, _: Call) -> Result<ReadCost> {
    cost(&objects::array(array)?, &selection)
}

/// See `plan_objects` of the contract.
pub async fn plan_objects(arguments: PlanObjectsArguments, _: Call) -> Result<Vec<PlannedObject>> {
    let PlanObjectsArguments { array, selection, start: Natural(start), count } = arguments;
    objects(&objects::array(array)?, &selection, start, u64::from(count))
}

/// See `prefetch` of the contract.
pub async fn prefetch(arguments: PrefetchArguments, call: Call) -> Result<ReadProgress> {
    let PrefetchArguments { array, request, listener } = arguments;
    let array = objects::array(array)?;
    let context = read_context(&request, &call);
    let listener = listener.map(|listener| call.held::<Function>(listener));
    let tell = |progress: &Progress| {
        if let Some(listener) = &listener {
            // A listener that throws must not end the prefetch.
            let _ = listener.call1(&JsValue::UNDEFINED, &progress_bytes(progress));
        }
    };
    let done = prefetch_chunks(&array, request.selection, &tell, &context).await?;
    Ok(progress_record(&done))
}
