//! The chunk cache: its capacity and its counters.

use wasm_bindgen::prelude::*;

use super::objects;
use crate::error::Result;
use crate::format::metadata::document::NodeDocument;
use crate::read::chunk_cache::{self, CacheKind};
use crate::store::http::whole_objects;

/// Sets the capacities in bytes; 0 disables a cache. The third bounds the objects that servers sent
/// whole for parts of them. NaN and negative numbers change nothing.
#[wasm_bindgen(js_name = setCacheBytes)]
pub fn set_cache_bytes(encoded: f64, decoded: f64, whole_objects: f64) {
    // Checked before the cast. Larger numbers saturate.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    if whole_objects >= 0.0 {
        whole_objects::set_limit(whole_objects as u64);
    }
    for (kind, bytes) in [(CacheKind::Encoded, encoded), (CacheKind::Decoded, decoded)] {
        // Checked in the line before the cast. Larger numbers saturate.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        if bytes >= 0.0 {
            chunk_cache::set_capacity(kind, bytes as u64);
        }
    }
}

/// Hits, misses, cached bytes and capacity: of encoded chunks, then of decoded chunks.
#[allow(clippy::cast_precision_loss)]
#[wasm_bindgen(js_name = cacheCounters)]
pub fn cache_counters() -> Vec<f64> {
    let mut counts = Vec::with_capacity(8);
    for kind in [CacheKind::Encoded, CacheKind::Decoded] {
        let found = chunk_cache::counters(kind);
        for count in [found.hits, found.misses, found.bytes, chunk_cache::capacity(kind)] {
            counts.push(count as f64);
        }
    }
    counts
}

/// Notes that another program has changed an array, which had the documents `old`. If it has only
/// appended, reads of the chunks at the old edge pass the caches in front of the store. Returns
/// false otherwise, or if they are too many, and does nothing then.
#[wasm_bindgen(js_name = passEdge)]
pub fn pass_edge(array: u32, old: &str) -> bool {
    let old: Result<_> = NodeDocument::from_json(old);
    old.and_then(|old| Ok(objects::array(array)?.pass_edge(&old))).unwrap_or(false)
}

/// Drops the cached chunks and shard indexes of an array.
#[wasm_bindgen(js_name = forgetChunks)]
pub fn forget_chunks(array: u32) {
    let array: Result<_> = objects::array(array);
    // An array that this instance does not know has no cache.
    if let Ok(array) = array {
        array.forget_chunks();
    }
}
