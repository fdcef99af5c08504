//! The chunk cache: its capacity and its counters.

use wasm_bindgen::prelude::*;

use super::registry;
use crate::error::Result;
use crate::read::chunk_cache::{self, CacheKind};

/// Sets the capacities in bytes; 0 disables a cache. NaN and negative numbers change nothing.
#[wasm_bindgen(js_name = setCacheBytes)]
pub fn set_cache_bytes(encoded: f64, decoded: f64) {
    for (kind, bytes) in [(CacheKind::Encoded, encoded), (CacheKind::Decoded, decoded)] {
        // Checked in the line before the cast. Larger numbers saturate.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        if bytes >= 0.0 {
            chunk_cache::set_capacity(kind, bytes as u64);
        }
    }
}

/// Hits, misses and cached bytes: of encoded chunks, then of decoded chunks.
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

/// Drops the cached chunks and shard indexes of an array.
#[wasm_bindgen(js_name = forgetChunks)]
pub fn forget_chunks(array: u32) {
    let array: Result<_> = registry::array(array);
    // An array that this instance does not know has no cache.
    if let Ok(array) = array {
        array.forget_chunks();
    }
}
