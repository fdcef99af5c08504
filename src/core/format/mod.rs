//! What the bytes of a Zarr store mean. Pure values: no async, no clock, no host, no `unsafe`.
//!
//! | module | subject of the specification |
//! |---|---|
//! | [`path`] | node names and store keys |
//! | [`metadata`] | metadata documents |
//! | [`data_type`] | data types and fill values |
//! | [`chunk_grid`] | chunk grids |
//! | [`chunk_key`] | chunk key encodings |
//! | [`codec`] | codecs |
//!
//! Other modules are not in the specification. [`byte_range`] names parts of stored values.
//! [`conversion`] turns decoded elements into the type
//! that the caller asked for. [`dimension_order`] computes strides. [`tolerated`] lists the
//! metadata that breaks the rules and is read anyway. [`words`] reads lists of numbers.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::string_slice))]

pub mod byte_range;
pub mod chunk_grid;
pub mod chunk_key;
pub mod codec;
pub mod conversion;
pub mod conversion_request;
pub mod data_type;
pub mod dimension_order;
pub mod json;
pub mod metadata;
pub mod path;
pub mod tolerated;
pub mod words;
