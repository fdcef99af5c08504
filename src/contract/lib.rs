//! THE CONTRACT: what Rust and TypeScript both know. Each operation of the engine has one record of
//! arguments and one record of its answer. They are defined here, once; `src/contract/contract.ts`
//! is generated from them (`npm run contract`), and a test finds an old one.
//!
//! Records cross as bytes, field after field and without names ([`encoding`]): derived
//! deserializers of JavaScript objects made the engine 24 kB larger for two operations alone.
//! Values that JavaScript owns (buffers, stores, signals) cross beside the bytes, and records refer
//! to them by index ([`Held`]).
//!
//! The table of [`builds`] is here, too: what the scripts and TypeScript know of each is made from
//! it.
//!
//! The wasm modules without JavaScript of their own have [`calls`] instead of operations, which
//! take blocks of bytes that are too large to be copied ([`wasm_module!`]). One of these calls
//! takes and gives JSON; [`with_convention_records`] has its records.
//!
//! This crate does not say what an operation or a call does. The engine implements it
//! (`src/engine/rust/js`).

#![warn(missing_docs)]

#[cfg(not(target_arch = "wasm32"))]
pub mod build_tables;
#[cfg(not(target_arch = "wasm32"))]
mod call_declarations;
pub mod calls;
mod conventions;
pub mod encoding;
#[macro_use]
mod define;
pub mod builds;
#[cfg(not(target_arch = "wasm32"))]
mod json;
pub mod operations;
pub mod records;
#[cfg(not(target_arch = "wasm32"))]
pub mod shape;
#[cfg(not(target_arch = "wasm32"))]
pub mod typescript;
#[allow(unsafe_code)] // the only module where memory of JavaScript and of these modules meets
pub mod wasm_module;

pub use encoding::{Bytes, Floats, FormatVersion, Held, Natural, Reader, Record, Words, Writer};
pub use records::*;
