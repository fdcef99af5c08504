//! JSON that `JSON.parse` cannot read, or would round.

use js_sys::Array as JsArray;
use wasm_bindgen::prelude::*;

use super::error::Exported;
use crate::format::metadata::lossless::{Lossless, mark};

/// An element that is JSON, as a text for `JSON.parse`, and the tokens of the marks in it
/// (`metadata::lossless`). Marks replace bare `NaN` and infinities.
#[wasm_bindgen(js_name = losslessJson)]
pub fn lossless_json(text: &str) -> Exported<JsArray> {
    let Lossless { text, marks } = mark(text, false)?;
    Ok(JsArray::of2(&text.into(), &marks.into()))
}
