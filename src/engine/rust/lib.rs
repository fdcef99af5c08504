//! The engine: it does what the core plans. It fetches, drives reads and writes, changes nodes, and
//! hands elements to JavaScript.
//!
//! For wasm it is built three times: as the engine that every reader downloads, with everything
//! (feature `full`), and with decoders of images (feature `images`): see `scripts/wasm.mjs`.
//!
//! # Layer rule
//!
//! `js → hierarchy → write → read → store`, and all of them use the core. Files of these rooms
//! import each other in one direction. `tests/rust/tidy.rs` checks it.

#![warn(missing_docs)]
// The compiler finds dead code in the full build, which uses every room.
#![cfg_attr(not(all(target_arch = "wasm32", feature = "full")), allow(dead_code, unused_imports))]

use zarr_wasm::{access, describe, error, format, limits, quoted, sorted};
#[cfg(target_arch = "wasm32")]
use zarr_wasm_contract as contract;

#[forbid(unsafe_code)]
mod hierarchy;
#[cfg(target_arch = "wasm32")]
mod js;
#[forbid(unsafe_code)]
mod read;
#[forbid(unsafe_code)]
mod store;
#[forbid(unsafe_code)]
mod write;

/// Everything, for the tests of this project. The modules themselves are private, so that the
/// compiler finds what nothing uses.
#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)]
pub mod internals {
    pub mod hierarchy {
        pub use crate::hierarchy::*;
    }
    pub mod read {
        pub use crate::read::*;
    }
    pub mod store {
        pub use crate::store::*;
    }
    pub mod write {
        pub use crate::write::*;
    }
}
