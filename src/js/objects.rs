//! Objects for JavaScript of whatever serde knows: in the full build, where serde is there anyway. Others are [`record`](super::record)s.

use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;

use crate::error::{Error, Result};

/// Objects become plain objects, and 64-bit integers bigints.
pub fn to_js<T: Serialize>(value: &T) -> Result<JsValue> {
    let serializer = Serializer::new()
        .serialize_maps_as_objects(true)
        .serialize_missing_as_null(true)
        .serialize_large_number_types_as_bigints(true);
    value.serialize(&serializer).map_err(|error| Error::argument(error.to_string()))
}
