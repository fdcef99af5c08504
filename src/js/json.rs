//! JSON that `JSON.parse` cannot read, or would round.

use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

use super::error::report_to_js;
use crate::error::{Error, Result};
use crate::format::metadata::json::Document;

/// Objects become plain objects, and 64-bit integers bigints.
pub fn to_js<T: Serialize>(value: &T) -> Result<JsValue> {
    let serializer = Serializer::new()
        .serialize_maps_as_objects(true)
        .serialize_missing_as_null(true)
        .serialize_large_number_types_as_bigints(true);
    value.serialize(&serializer).map_err(|error| Error::argument(error.to_string()))
}

fn parse(text: &str, exact_integers: bool) -> Result<JsValue> {
    to_js(&Document::parse(text.as_bytes())?.root().tree(exact_integers)?)
}

/// The value of a JSON text, in which `NaN` and the infinities may stand. With `exact_integers`, integers that a number would
/// round become bigints.
#[wasm_bindgen(js_name = parseJson)]
pub fn parse_json(text: &str, exact_integers: bool) -> std::result::Result<JsValue, JsValue> {
    parse(text, exact_integers).map_err(|error| report_to_js(&error))
}
