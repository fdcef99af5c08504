//! The meaning of attributes. Takes JSON text and returns values, without I/O. Invalid attributes
//! become findings, not errors.
//!
//! [`examine`] finds and checks the conventions of a node by the table in [`known_conventions`].
//! [`declare`] adds a declaration to attributes. [`pyramid`] turns every convention of levels into
//! one model. In wasm this crate is a separate module, which is downloaded at the first use;
//! [`calls`] has its calls. [`answer`] is that for JSON; the contract says what its questions and
//! answers have ([`records`]). What has many numbers takes [`numbers`]: [`warp`].
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::string_slice))]

pub mod calls;
pub mod cf;
mod declaration;
pub mod declare;
mod dggs;
pub mod examine;
pub mod finding;
pub mod known_conventions;
mod license;
mod marks;
mod members;
mod multiscales;
mod ndpyramid;
pub mod node;
mod numbers;
mod ome;
mod path;
mod pointer;
mod proj;
pub mod pyramid;
pub mod records;
mod spatial;
mod stac;
mod tile_matrix_set;
mod uom;
mod value;
mod warp;
use zarr_wasm::{error, format, limits, quoted, sorted};
use zarr_wasm_contract as contract;
use zarr_wasm_kernel as kernel;

use crate::error::Result;
use crate::format::json::Document;
use crate::records::{Answered, Question};
use crate::value::Value;

/// Answers a request: JSON text to JSON text.
///
/// # Errors
/// `Format` for text that is not JSON, `Limit` for JSON nested too deep, and the errors of each
/// request.
pub fn answer(request: &str) -> Result<String> {
    let document = Document::parse(request.as_bytes())?;
    let mut text = String::new();
    match Question::of(Value::of(document.root())?)? {
        Question::Examine(asked) => examine::examine(&asked)?.write(&mut text),
        Question::Declare(asked) => declare::declare(asked)?.write(&mut text),
        Question::Packing(asked) => cf::packing::packing(&asked)?.write(&mut text),
        Question::Time(asked) => cf::time::answer(&asked)?.write(&mut text),
        Question::Pyramid(asked) => pyramid::step(&asked)?.write(&mut text),
    }
    Ok(text)
}
