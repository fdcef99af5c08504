//! JSON that `JSON.parse` cannot read, or would round.

use js_sys::Array as JsArray;
use wasm_bindgen::prelude::*;
use zarr_wasm_contract::JsonText;

use super::error::Exported;
use crate::error::Result;
use crate::format::metadata::lossless::{Lossless, is_suspect, mark};

/// An element that is JSON, as a text for `JSON.parse`, and the tokens of the marks in it
/// (`metadata::lossless`). Marks replace bare `NaN` and infinities.
#[wasm_bindgen(js_name = losslessJson)]
pub fn lossless_json(text: &str) -> Exported<JsArray> {
    let Lossless { text, marks } = mark(text, false)?;
    Ok(JsArray::of2(&text.into(), &marks.into()))
}

/// A text of metadata for `JSON.parse`.
pub fn json_text(text: &str) -> Result<JsonText> {
    if !is_suspect(text) {
        return Ok(JsonText { text: text.to_owned(), marks: None });
    }
    let Lossless { text, marks } = mark(text, true)?;
    Ok(JsonText { text, marks: Some(marks) })
}

/// As [`json_text`], for a text that may be absent.
pub fn json_text_of(text: Option<&String>) -> Result<Option<JsonText>> {
    text.map(|text| json_text(text)).transpose()
}
