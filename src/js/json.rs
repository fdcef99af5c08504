//! JSON that `JSON.parse` cannot read, or would round.

use js_sys::Array as JsArray;
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

use super::error::report_to_js;
use crate::error::{Error, Result};
use crate::format::metadata::json::Document;
use crate::format::metadata::marked::{Marked, mark};

/// Objects become plain objects, and 64-bit integers bigints.
pub fn to_js<T: Serialize>(value: &T) -> Result<JsValue> {
    let serializer = Serializer::new()
        .serialize_maps_as_objects(true)
        .serialize_missing_as_null(true)
        .serialize_large_number_types_as_bigints(true);
    value.serialize(&serializer).map_err(|error| Error::argument(error.to_string()))
}

/// A text for `JSON.parse`, and JSON that tells where marks stand in it: `metadata::marked`. Bare `NaN` and the infinities are marked
/// and, with `exact_integers`, integers that a number would round.
#[wasm_bindgen(js_name = markedJson)]
pub fn marked_json(text: &str, exact_integers: bool) -> std::result::Result<JsArray, JsValue> {
    let document = Document::parse(text.as_bytes()).map_err(|error| report_to_js(&error))?;
    let Marked { text, places } = mark(document.root(), exact_integers);
    Ok(JsArray::of2(&text.into(), &places.into()))
}
