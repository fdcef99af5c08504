//! Converts values to JavaScript with serde. Only in the full build, which contains serde anyway;
//! other builds use [`record`](crate::js::record).

use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;

use crate::error::{Error, Result};

/// Structs and maps become plain objects, and 64-bit integers become bigints.
pub fn to_js<T: Serialize>(value: &T) -> Result<JsValue> {
    let serializer = Serializer::new()
        .serialize_maps_as_objects(true)
        .serialize_missing_as_null(true)
        .serialize_large_number_types_as_bigints(true);
    value.serialize(&serializer).map_err(|error| Error::argument(error.to_string()))
}
