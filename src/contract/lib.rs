//! THE CONTRACT: what Rust and TypeScript both know. Each operation of the engine has one record of
//! arguments and one record of its answer. They are defined here, once; `src/ts/contract.ts` is
//! generated from them (`npm run contract`), and a test finds an old one.
//!
//! Records cross as bytes, field after field and without names ([`encoding`]): derived
//! deserializers of JavaScript objects made the engine 24 kB larger for two operations alone.
//! Values that JavaScript owns (buffers, stores, signals) cross beside the bytes, and records refer
//! to them by index ([`Held`]).
//!
//! This crate does not say what an operation does. The engine implements it (`src/engine/js`).

#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod encoding;
#[macro_use]
mod define;
pub mod operations;
pub mod records;
#[cfg(not(target_arch = "wasm32"))]
pub mod shape;
#[cfg(not(target_arch = "wasm32"))]
pub mod typescript;

pub use encoding::{Bytes, Held, Natural, Reader, Record, Writer};
pub use records::*;
