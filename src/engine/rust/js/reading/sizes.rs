//! What is stored of a selection. Called by `read/stored_sizes.ts`.

use zarr_wasm_contract::{InnerChunkSize, Natural, PlanObjectsArguments, StoredObjectSize};

use crate::error::Result;
use crate::js::call::Call;
use crate::js::objects;
use crate::read::stored_sizes::{self as measured, StoredSize};
use crate::read::touched_chunks::number;
use crate::store::{Priority, RequestContext};

/// Sizes do not hold up reads.
const PRIORITY: f64 = -1.0;

fn index(chunk: &[u64]) -> Vec<f64> {
    let mut index = Vec::with_capacity(chunk.len());
    for at in chunk {
        index.push(number(*at));
    }
    index
}

/// See `stored_sizes` of the contract.
pub async fn stored_sizes(arguments: PlanObjectsArguments, call: Call) -> Result<Vec<StoredObjectSize>> {
    let PlanObjectsArguments { array, selection, start: Natural(start), count } = arguments;
    let context = RequestContext { priority: Priority::new(PRIORITY), ..call.context() };
    let page = start..start.saturating_add(u64::from(count));
    let found = measured::stored_sizes(&objects::array(array)?, &selection, page, &context).await?;
    let mut records = Vec::with_capacity(found.len());
    for StoredSize { chunk, key, stored, inner_chunks } in found {
        let (bytes, last_modified) = stored.map(|stored| (Natural(stored.size), stored.modified)).unzip();
        records.push(StoredObjectSize {
            chunk: index(&chunk),
            key: format!("/{}", key.as_str()),
            bytes,
            last_modified: last_modified.flatten(),
            inner_chunks: inner_chunks.as_deref().map(inner_records),
        });
    }
    Ok(records)
}

fn inner_records(inner: &[measured::InnerChunkSize]) -> Vec<InnerChunkSize> {
    let mut records = Vec::with_capacity(inner.len());
    for measured::InnerChunkSize { chunk, bytes } in inner {
        records.push(InnerChunkSize { chunk: index(chunk), bytes: bytes.map(Natural) });
    }
    records
}
