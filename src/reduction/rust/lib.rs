//! Reduces a selection of an array where it is decoded: to sums, means, variances and extremes of
//! the elements that fall into each cell of the result.
//!
//! A read has parts. [`Reduction::within`] is what a part contributes to: a worker that has decoded
//! the part calls [`Reduction::add`], and only the accumulators cross. [`session`] merges those of
//! all parts in the order of the plan, so that the same call gives the same bits every time,
//! whichever part arrives first. [`answer`] makes results of accumulators.
//!
//! - [`request`]: what is asked.
//! - [`part`]: the cells of a part.
//! - [`add`]: the loop over the elements of a part.
//! - [`accumulators`]: what is remembered of each cell.
//! - [`quantiles`]: many numbers in little memory.
//! - [`records`]: reductions as records of the contract, in which they cross to the workers.
//! - [`calls`]: the calls of the module.
//! - [`downsample`]: the elements of a pyramid's next level, apart from reductions.
//!
//! It does not read arrays, and it knows no attributes: coordinates, calendars and names are those
//! of `src/reduction/ts/`.
#![cfg_attr(test, allow(clippy::unwrap_used))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::string_slice))]

pub mod accumulators;
pub mod add;
pub mod answer;
pub mod calls;
pub mod downsample;
pub mod part;
pub mod quantiles;
pub mod records;
pub mod request;
pub mod session;

#[cfg(test)]
mod random;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod twin;

use zarr_wasm::{error, format, limits};
use zarr_wasm_contract as contract;
use zarr_wasm_kernel as kernel;

pub use request::Reduction;
