//! The meaning of attributes. Takes JSON text and returns values, without I/O. Invalid attributes
//! become findings, not errors.
//!
//! [`examine`] finds and checks the conventions of a node by the table in [`registry`]. [`declare`]
//! adds a declaration to attributes. [`pyramid`] turns every convention of levels into one model.
//! In wasm this crate is a separate module, which is downloaded at the first use. [`answer`] is its
//! entry point for JSON; `src/ts/convention/` writes the requests. [`numbers`] is the entry point
//! for what has many numbers: [`warp`] and [`downsample`].
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::string_slice))]

pub mod cf;
mod declaration;
pub mod declare;
mod dggs;
mod downsample;
pub mod examine;
pub mod finding;
mod license;
mod marks;
mod members;
mod multiscales;
mod ndpyramid;
pub mod node;
mod numbers;
mod ome;
mod place;
mod proj;
pub mod pyramid;
pub mod registry;
mod spatial;
mod stac;
mod tile_matrix_set;
mod uom;
mod warp;

#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code)] // `extern "C"` functions take raw pointers.
mod host;

use serde::Serialize;
use serde_json::Value;
use zarr_wasm::{error, format, limits};
use zarr_wasm_kernel as kernel;

use crate::error::{Error, Result};
use crate::format::json::Document;

/// Answers a request: JSON text to JSON text.
///
/// # Errors
/// `Format` for text that is not JSON, `Limit` for JSON nested too deep, and the errors of each
/// request.
pub fn answer(request: &str) -> Result<String> {
    let document = Document::parse(request.as_bytes())?;
    let mut request: Value = read(serde_json::from_str(document.root().text()))?;
    let mut take = |key: &str| request.get_mut(key).map(Value::take).unwrap_or_default();
    // Not a tagged enum: its deserializer would be a quarter of the module.
    match take("operation").as_str() {
        Some("examine") => {
            let node: node::Node = read(serde_json::from_value(take("node")))?;
            let registered: Option<Vec<examine::Registered>> =
                read(serde_json::from_value(take("registered")))?;
            text(&examine::examine(&node, &registered.unwrap_or_default())?)
        }
        Some("declare") => {
            let wanted: declare::Wanted = read(serde_json::from_value(take("convention")))?;
            text(&declare::declare(&take("attributes"), wanted)?)
        }
        Some("packing") => {
            let node: node::Node = read(serde_json::from_value(take("node")))?;
            text(&cf::packing::packing(&node, &read(serde_json::from_value(take("wanted")))?)?)
        }
        Some("time") => text(&cf::time::answer(&read(serde_json::from_value(request))?)?),
        Some("pyramid") => text(&pyramid::step(&read(serde_json::from_value(request))?)?),
        _ => Err(Error::argument("an operation is examine, declare, packing, time or pyramid")),
    }
}

/// Answers a request of numbers, which begins with the number of its operation: [`warp`] and
/// [`downsample`] describe the operands. The response is little-endian doubles; that of
/// `downsample` is elements.
///
/// # Errors
/// `Argument` for a malformed request, and the errors of the operations.
pub fn answer_numbers(request: &[u8]) -> Result<Vec<u8>> {
    let mut numbers = numbers::Numbers::new(request);
    match numbers.count()? {
        0 => warp::keep(&mut numbers),
        1 => warp::located(&mut numbers),
        2 => warp::sampled(&mut numbers),
        3 => downsample::downsampled(&mut numbers),
        _ => Err(numbers::malformed()),
    }
}

fn read<T>(parsed: serde_json::Result<T>) -> Result<T> {
    parsed.map_err(|error| Error::argument(error.to_string()))
}

fn text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::format(error.to_string()))
}
