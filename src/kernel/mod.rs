//! Fast kernels: pure functions on byte slices. The `format` room knows what the bytes mean.
//!
//! | file | content |
//! |---|---|
//! | [`shuffle`] | byte shuffle and its inverse (Blosc 1, numcodecs) |
//! | [`bitshuffle`] | bit shuffle and its inverse (Blosc 1) |
//! | [`swap`] | byte order |
//! | [`scatter`] | strided, listed and pointwise copies between arrays |
//! | [`fill`] | one element repeated |
//! | [`cast`] | conversion of numbers to another type |
//! | [`convert`] | masking, scaling and casting of numbers, and colours |
//! | [`summary`] | count, range, sum and histogram of numbers |
//! | [`reduce`] | numbers added to the accumulators of cells: sums, means, extremes |
//! | [`downsample`] | blocks of elements to single ones |
//! | [`warp`] | values of a grid in the pixels of a map |
//! | [`delta`] | differences of neighbours, and running sums |
//! | [`predictor`] | sums along rows |
//! | [`bitround`] | rounding to a few significant bits |
//! | [`exact`] | conversion of numbers with rounding modes and errors |
//! | [`scale_offset`] | scaling of numbers with errors |
//! | [`number`] | the types of numbers, and their bits |
//! | [`packbits`] | numbers of a few bits, packed |
//! | [`vlen`] | elements of variable length, with their lengths |
//! | [`categorize`] | texts and the numbers of their labels |
//! | [`crc`] | the checksums of shard indexes, gzip and ZIP |
//! | [`json`] | byte ranges of the members of a large JSON document |
//! | [`lz4`] | LZ4 blocks, fast on long runs |
//! | [`sort`] | sorting with little code |
//! | [`inflate`] | DEFLATE, decoded |
//! | [`huffman_scan`] | the blocks of a JPEG's scan, counted |
//! | [`zstd`] | Zstandard through the C library |
//! | `vector` | sixteen bytes in a register |
//! | `interleave` | byte planes to elements, in registers |
//! | `copy` | the unchecked loops of `scatter` |
//! | `copy_axis` | the dimensions and axes of both |
//! | `naive` | simple versions of all kernels, for the tests |
//!
//! Entry points are `#[inline(never)]`. The callers' crate is compiled for size, and inlining
//! would compile the kernel for size too.
//!
//! Kernels do not allocate unless they say so, and they know neither a host nor a clock.
//! `unsafe` is allowed here, with a safety comment on each block. Every kernel is compared with a
//! naive version, natively and in WebAssembly.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod bitround;
pub mod bitshuffle;
pub mod cast;
pub mod categorize;
pub mod convert;
pub mod crc;
pub mod delta;
pub mod downsample;
pub mod exact;
pub mod fill;
pub mod huffman_scan;
pub mod inflate;
pub mod json;
pub mod lz4;
pub mod number;
pub mod packbits;
pub mod predictor;
pub mod reduce;
pub mod scale_offset;
pub mod scatter;
pub mod shuffle;
pub mod sort;
pub mod summary;
pub mod swap;
pub mod vlen;
pub mod warp;
pub mod zstd;

mod copy;
mod copy_axis;
mod interleave;
mod vector;

#[cfg(test)]
mod naive;
