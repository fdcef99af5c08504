//! THE JAVASCRIPT INTERFACE (wasm32 only): functions over integer ids. The classes that users see
//! are written in TypeScript (`src`).
//!
//! Only [`objects`] outlive a call, and no borrow of them is held across an
//! await. Every future is a [`task`] that TypeScript polls. TypeScript can therefore catch a panic,
//! reject what is pending, and replace only this instance.
//!
//! Code that readers of v2 and v3 rarely need is only in other builds: [`reading`] and [`full`]. A
//! call that needs it fails with [`Error::needs_reading`](crate::error::Error::needs_reading) or
//! [`Error::needs_full`](crate::error::Error::needs_full).
//!
//! [`decode_calls`] is a second interface, for decode workers. It takes plain bytes, without
//! wasm-bindgen.

// wasm-bindgen's macro writes items without documentation.
#![allow(missing_docs)]

mod bytes;
mod caches;
mod call;
mod children;
mod consolidated;
mod decode_calls;
mod decode_worker;
mod decoder;
mod describe;
mod error;
mod fetch;
#[cfg(feature = "full")]
mod full;
mod host;
mod job;
mod json;
mod objects;
mod open;
mod operations;
mod panic;
mod plan;
mod read;
#[cfg(feature = "reading")]
mod reading;
mod storage_transformers;
mod store;
mod task;
mod user_codecs;
mod user_store;
mod worker_part;

use wasm_bindgen::prelude::wasm_bindgen;

use crate::store::turn;

/// Initialises this instance. Called once, on the engine's thread.
#[wasm_bindgen]
pub fn start(host: host::Host) {
    host::set(host);
    #[cfg(feature = "full")]
    full::locks::install();
    panic::install();
    turn::set_pause(|| Box::pin(host::pause_if_due()));
    turn::set_next_task(|| Box::pin(host::next_task()));
    turn::set_delay(|ms| Box::pin(host::sleep(ms)));
}
