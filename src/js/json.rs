//! JSON that `JSON.parse` cannot read, or would round.

use js_sys::{Array as JsArray, Object};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

use super::error::report_to_js;
use crate::error::{Error, Result};
use crate::format::metadata::json::Document;
use crate::format::metadata::tree::Tree;

/// Objects become plain objects, and 64-bit integers bigints.
pub fn to_js<T: Serialize>(value: &T) -> Result<JsValue> {
    let serializer = Serializer::new()
        .serialize_maps_as_objects(true)
        .serialize_missing_as_null(true)
        .serialize_large_number_types_as_bigints(true);
    value.serialize(&serializer).map_err(|error| Error::argument(error.to_string()))
}

fn parse(text: &str, exact_integers: bool) -> Result<JsValue> {
    Ok(of_tree(&Document::parse(text.as_bytes())?.root().tree(exact_integers)?))
}

/// Members are defined, not set: `__proto__` is a key like any other.
fn of_tree(tree: &Tree) -> JsValue {
    match tree {
        Tree::Null => JsValue::NULL,
        Tree::Bool(value) => JsValue::from(*value),
        Tree::Number(value) => JsValue::from(*value),
        Tree::Integer(value) => JsValue::from(*value),
        Tree::Unsigned(value) => JsValue::from(*value),
        Tree::Text(text) => JsValue::from(text.as_str()),
        Tree::Array(elements) => elements.iter().map(of_tree).collect::<JsArray>().into(),
        Tree::Object(members) => {
            let entry = |(key, value): &(String, Tree)| JsArray::of2(&key.as_str().into(), &of_tree(value));
            let entries: JsArray = members.iter().map(entry).collect();
            // Entries that are pairs make an object.
            Object::from_entries(&entries).map_or(JsValue::NULL, Into::into)
        }
    }
}

/// The value of a JSON text, in which `NaN` and the infinities may stand. With `exact_integers`, integers that a number would
/// round become bigints.
#[wasm_bindgen(js_name = parseJson)]
pub fn parse_json(text: &str, exact_integers: bool) -> std::result::Result<JsValue, JsValue> {
    parse(text, exact_integers).map_err(|error| report_to_js(&error))
}
