//! The meaning of attributes. Takes JSON text and returns values, without I/O. Invalid attributes
//! become findings, not errors.
//!
//! [`examine`] finds and checks the conventions of a node by the table in [`known_conventions`].
//! [`declare`] adds a declaration to attributes. [`pyramid`] turns every convention of levels into
//! one model. In wasm this crate is a separate module, which is downloaded at the first use;
//! [`calls`] has its calls. [`answer`] is that for JSON; `src/conventions/ts/` writes the requests.
//! What has many numbers takes [`numbers`]: [`warp`].
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
mod reply;
mod request;
mod spatial;
mod stac;
mod tile_matrix_set;
mod uom;
mod value;
mod warp;
use zarr_wasm::{error, format, limits, quoted, sorted};
use zarr_wasm_contract as contract;
use zarr_wasm_kernel as kernel;

use crate::error::{Error, Result};
use crate::format::json::Document;
use crate::node::Node;
use crate::request::Record;
use crate::value::Value;

/// Answers a request: JSON text to JSON text.
///
/// # Errors
/// `Format` for text that is not JSON, `Limit` for JSON nested too deep, and the errors of each
/// request.
pub fn answer(request: &str) -> Result<String> {
    let document = Document::parse(request.as_bytes())?;
    let mut request = Record::of(Value::of(document.root())?, "request")?;
    match request.text("operation")?.as_deref() {
        Some("examine") => {
            let node = Node::of(request.take("node"))?;
            let mut registered = Vec::new();
            for convention in request.list("registered")?.unwrap_or_default() {
                registered.push(examine::Registered::of(convention)?);
            }
            Ok(examine::examine(&node, &registered)?.text())
        }
        Some("declare") => {
            let wanted = declare::Wanted::of(request.take("convention"))?;
            Ok(Value::Object(declare::declare(&request.take("attributes"), wanted)?).text())
        }
        Some("packing") => {
            let node = Node::of(request.take("node"))?;
            let packing = cf::packing::packing(&node, &cf::packing::Wanted::of(request.take("wanted"))?)?;
            Ok(packing.map_or_else(|| "null".to_owned(), |packing| packing.text()))
        }
        Some("time") => Ok(cf::time::answer(&cf::time::Question::of(request)?)?.text()),
        Some("pyramid") => Ok(pyramid::step(&pyramid::Question::of(request)?)?.text()),
        _ => Err(Error::argument("an operation is examine, declare, packing, time or pyramid")),
    }
}
