//! zarr-wasm: the part of a Zarr array that was asked for, as typed arrays, in a browser.
//!
//! The way data goes, and where each step lives:
//!
//! | step | question | room |
//! |---|---|---|
//! | 1 select | what was asked? | [`access::selection`] |
//! | 2 project | which chunks, which part of each, where in the output? | [`access::projection`], [`format::chunk_grid`] |
//! | 3 plan | which key, which byte range? | [`access::plan`], [`format::codec::sharding`] |
//! | 4 fetch | from where? | [`store`] |
//! | 5 decode | what do the bytes mean? | [`format::codec::pipeline`] |
//! | 6 scatter | where do the elements go? | [`kernel::scatter`] |
//! | 7 hand over | typed array to JavaScript | `js` (wasm only) |
//!
//! Steps 4 to 6 of a read are driven by [`read`](mod@read), the same road backwards by [`write`](mod@write); what is done to nodes, and
//! not to their elements, is in [`hierarchy`].
//!
//! **Layer rule**: `js → hierarchy → write → read → {access, store, format}`, `{access, store, convention} → format`,
//! `{format, access} → kernel`; `format` knows of the rest only [`error`], [`limits`] and `sorted`. Files of `read`, `write` and
//! `hierarchy` import each other in one direction alone; elsewhere no circle of imports leaves its folder. `unsafe` stands in `kernel` and
//! `js` alone.

pub mod error;
pub mod limits;

#[forbid(unsafe_code)]
mod sorted;

pub use zarr_wasm_kernel as kernel;

#[forbid(unsafe_code)]
pub mod format;

#[forbid(unsafe_code)]
pub mod access;

#[forbid(unsafe_code)]
pub mod store;

#[forbid(unsafe_code)]
pub mod read;

#[forbid(unsafe_code)]
pub mod write;

#[forbid(unsafe_code)]
pub mod hierarchy;

/// In wasm it is a module of its own, without the rest: see `scripts/wasm.mjs`.
#[cfg(any(not(target_arch = "wasm32"), feature = "conventions"))]
#[forbid(unsafe_code)]
pub mod convention;

#[cfg(all(target_arch = "wasm32", not(feature = "conventions")))]
mod js;

#[cfg(all(target_arch = "wasm32", feature = "conventions"))]
#[path = "js/convention_host.rs"]
#[allow(unsafe_code)] // an `extern "C"` face is unsafe by its nature
mod convention_host;
