//! THE FACE TO JAVASCRIPT (wasm32 only): functions over integer ids. The classes that users see are TypeScript (`src/ts`).
//!
//! Nothing here outlives a call but what stands in a [`registry`], and no borrow of one crosses an await. Every future is a
//! [`task`] that TypeScript polls, so that a panic is caught there, rejects what is pending and costs only this instance.
//! [`decode_host`] is another face, for workers: plain numbers, without wasm-bindgen's glue.

// wasm-bindgen's macro writes items without documentation.
#![allow(missing_docs)]

mod archive;
mod bytes;
mod caches;
mod consolidated;
#[allow(unsafe_code)] // an `extern "C"` face is unsafe by its nature
mod decode_host;
mod decoder;
mod describe;
mod error;
mod fetch;
mod host;
mod json;
mod locks;
mod nodes;
mod open;
mod panic;
mod plan;
mod read;
mod reference;
mod registry;
mod storage_transformers;
mod store;
mod store_calls;
mod task;
mod user_codecs;
mod user_store;
mod worker_part;
mod write;

use wasm_bindgen::prelude::wasm_bindgen;

/// Begins the life of this instance on the caller's thread.
#[wasm_bindgen]
pub fn start(host: host::Host) {
    host::set(host);
    locks::install();
    panic::install();
}
