//! WHAT BYTES MEAN. Pure values: no async, no clock, no JavaScript, no unsafe.
//!
//! In the specification's words: node names and keys ([`path`]), metadata documents ([`metadata`]), data types and fill
//! values ([`data_type`]), chunk grids ([`chunk_grid`]), chunk key encodings ([`chunk_key`]), codecs ([`codec`]);
//! and what elements become on their way to the caller ([`conversion`]). [`tolerated`] lists what bends the rules and is read.

pub mod chunk_grid;
pub mod chunk_key;
pub mod codec;
pub mod conversion;
pub mod data_type;
pub mod metadata;
pub mod path;
pub mod tolerated;
pub mod warp;
