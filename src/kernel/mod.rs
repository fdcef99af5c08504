//! Bytes, fast: pure functions on slices. What the bytes mean is known one room up, in `format`.
//!
//! | file | what |
//! |---|---|
//! | [`shuffle`] | byte shuffle and its inverse (Blosc 1, numcodecs) |
//! | [`bitshuffle`] | bit shuffle and its inverse (Blosc 1) |
//! | [`swap`] | byte order |
//! | [`scatter`] | strided, listed and pointwise copies between boxes |
//! | [`fill`] | one element repeated |
//! | [`cast`] | numbers of one type as numbers of another |
//! | [`convert`] | numbers masked, scaled and cast, or as colours |
//! | [`summary`] | how many numbers, how high, how often |
//! | [`warp`] | values of a grid in the pixels of a map |
//! | [`delta`] | running sums |
//! | [`crc32c`] | the checksum of shard indexes |
//! | [`json`] | where the members of a large document stand |
//! | [`lz4`] | LZ4 blocks, fast on long runs |
//! | [`inflate`] | DEFLATE through zlib-rs |
//! | [`zstd`] | Zstandard through the C library |
//! | `vector` | sixteen bytes in a register |
//! | `interleave` | byte planes to elements, in registers |
//! | `copy` | the unchecked loops behind `scatter` |
//! | `naive` | one-line oracles for the tests of all of these |
//!
//! The doors are `#[inline(never)]`: inlined into a caller that is compiled for size, a kernel would be too.
//!
//! No error type but what a kernel needs, no allocation unless stated, no JavaScript, no clock. `unsafe` is allowed here,
//! each block with its proof; every kernel has a naive twin that it is compared with, on the host and in WebAssembly.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod bitshuffle;
pub mod cast;
pub mod convert;
pub mod crc32c;
pub mod delta;
pub mod fill;
pub mod inflate;
pub mod json;
pub mod lz4;
pub mod scatter;
pub mod shuffle;
pub mod summary;
pub mod swap;
pub mod warp;
pub mod zstd;

mod copy;
mod interleave;
mod vector;

#[cfg(test)]
mod naive;
