//! The light build: a wasm module without stores, caches and threads, for a page that reads a few
//! chunks. It describes nodes and plans, decodes and assembles small reads, by the core.
//!
//! - [`calls`]: the calls of the module.
//! - [`small_read`]: a read in progress, and the requests that it wants.
//!
//! `src/light/ts` sends the requests. A call about which something is not plain fails there or
//! here, and the engine does it: no user sees an error of this module.

#![forbid(unsafe_op_in_unsafe_fn)]

pub mod calls;
pub mod small_read;

use zarr_wasm_contract as contract;
