//! THE FACE TO JAVASCRIPT (wasm32 only): functions over integer ids. The classes that users see are TypeScript (`src/ts`).
//!
//! Nothing here outlives a call but what stands in a [`registry`], and no borrow of one crosses an await. Every future is a
//! [`task`] that TypeScript polls, so that a panic is caught there, rejects what is pending and costs only this instance.
//!
//! What readers of v2 and v3 rarely need is in the build `full` alone; a call that finds out that it needs more than this build has
//! answers with [`Error::needs_full`](crate::error::Error::needs_full).
//!
//! [`decode_host`] is another face, for workers: plain numbers, without wasm-bindgen's glue.

// wasm-bindgen's macro writes items without documentation.
#![allow(missing_docs)]

#[cfg(feature = "full")]
mod archive;
mod bytes;
mod caches;
mod children;
mod consolidated;
#[allow(unsafe_code)] // an `extern "C"` face is unsafe by its nature
mod decode_host;
mod decoder;
mod describe;
mod error;
mod fetch;
mod host;
mod json;
#[cfg(feature = "full")]
mod locks;
#[cfg(feature = "full")]
mod nodes;
#[cfg(feature = "full")]
mod objects;
mod open;
mod panic;
mod plain;
mod plan;
mod read;
mod record;
#[cfg(feature = "full")]
mod reference;
mod registry;
mod storage_transformers;
mod store;
#[cfg(feature = "full")]
mod store_calls;
mod task;
mod user_codecs;
mod user_store;
mod worker_part;
#[cfg(feature = "full")]
mod write;

use wasm_bindgen::prelude::wasm_bindgen;

use crate::store::turn;

/// Begins the life of this instance on the caller's thread.
#[wasm_bindgen]
pub fn start(host: host::Host) {
    host::set(host);
    #[cfg(feature = "full")]
    locks::install();
    panic::install();
    turn::set_pause(|| Box::pin(host::breathe()));
    turn::set_delay(|ms| Box::pin(host::sleep(ms)));
}
