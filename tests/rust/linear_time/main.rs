//! Every parser of foreign text takes linear time. Each case repeats a piece of text, doubles the
//! input ten times, and fails if the time of a doubling grows by more than 2.5. The time is that of
//! the thread, so a busy machine does not disturb it.
//!
//! The pieces are what each grammar gives a meaning to, and what its parsers search for. Not here:
//! decoders of chunks, which have budgets of their own, and texts that only TypeScript parses
//! (`tests/node/regular_expressions.test.mjs`).

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

mod conventions;
mod growth;
mod metadata;
mod stores;
