//! Files in which everything refers to one shared thing. Lists of offsets, dictionaries, anchors
//! and defaults let a small file name a large object without end: no length is too large, their sum
//! is.
//!
//! Each case makes a file of a length, and reads it. The length grows from 4 KiB to 1 MiB. The most
//! memory held at a time must be at most 64 times the length, and a doubling must not make the time
//! grow by more than 2.5. The time is that of the thread, so a busy machine does not disturb it.
//! Whether the file is read or refused is not decided here.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

#[path = "../counting.rs"]
mod counting;
mod flatbuffer;
mod flexbuffer;
mod history;
mod icechunk;
mod json;
mod manifests;
mod measure;
mod others;
mod parquet;
