//! JSON that `JSON.parse` cannot read, or would round.

use js_sys::Array as JsArray;
use wasm_bindgen::prelude::*;

use super::error::Exported;
use crate::format::metadata::lossless::{Lossless, mark};

/// A text for `JSON.parse`, and JSON with the places of marks in it: `metadata::lossless`. Marks
/// replace bare `NaN` and infinities. With `exact_integers`, they also replace integers that a
/// number would round.
#[wasm_bindgen(js_name = losslessJson)]
pub fn lossless_json(text: &str, exact_integers: bool) -> Exported<JsArray> {
    let Lossless { text, places } = mark(text, exact_integers)?;
    Ok(JsArray::of2(&text.into(), &places.into()))
}
