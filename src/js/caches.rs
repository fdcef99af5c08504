//! What is kept of chunks that were read: how much may be, and how often it was of use.

use wasm_bindgen::prelude::*;

use super::registry;
use crate::error::Result;
use crate::read::chunk_cache::{self, CacheKind};

/// Says how many bytes may be kept; 0 keeps nothing. What is no number of bytes changes nothing.
#[wasm_bindgen(js_name = setCacheBytes)]
pub fn set_cache_bytes(encoded: f64, decoded: f64) {
    for (kind, bytes) in [(CacheKind::Encoded, encoded), (CacheKind::Decoded, decoded)] {
        // Checked on the line before the cast; more than there is memory is all the memory.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        if bytes >= 0.0 {
            chunk_cache::set_capacity(kind, bytes as u64);
        }
    }
}

/// Chunks found, chunks not found and bytes kept: of encoded bytes, then of decoded chunks.
// Counts of what one page does.
#[allow(clippy::cast_precision_loss)]
#[wasm_bindgen(js_name = cacheCounters)]
pub fn cache_counters() -> Vec<f64> {
    let counters = [CacheKind::Encoded, CacheKind::Decoded].map(chunk_cache::counters);
    counters
        .iter()
        .flat_map(|found| [found.hits, found.misses, found.bytes])
        .map(|count| count as f64)
        .collect()
}

/// Drops what is kept of an array's chunks and shard indexes.
#[wasm_bindgen(js_name = forgetChunks)]
pub fn forget_chunks(array: u32) {
    let array: Result<_> = registry::array(array);
    // One that this instance does not know has nothing that is kept.
    if let Ok(array) = array {
        array.forget_chunks();
    }
}
