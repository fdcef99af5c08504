//! The data type `fixed_length_utf32`, v2's `<U5`: text of a maximum number of code points, padded
//! with zeros. Each code point has four bytes.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/fixed_length_utf32>

use super::{FillValue, fixed_bytes};
use crate::error::{Error, Result};
use crate::format::json::text::string;
use crate::format::json::{Json, Object};

/// Parses a configuration's `length_bytes` to the number of code points of one element.
pub(super) fn configured_len(configuration: &Object<'_>) -> Result<usize> {
    let bytes = fixed_bytes::configured_len(configuration)?;
    if bytes.is_multiple_of(4) {
        return Ok(bytes / 4);
    }
    let error = Error::format("the length of UTF-32 text is invalid").expected("a multiple of 4 bytes");
    Err(error.in_field("length_bytes").actual(bytes.to_string()))
}

/// Parses a string of at most `len` code points.
#[allow(clippy::arithmetic_side_effects, reason = "`configured_len` and `typestr` have bounded the length")]
pub(super) fn parse_fill(len: usize, json: Json<'_>) -> Result<FillValue> {
    let text = json.str()?;
    let mut packed = Vec::new();
    for char in text.chars().take(len + 1) {
        packed.extend(u32::from(char).to_le_bytes());
    }
    if packed.len() > 4 * len {
        return Err(json.unexpected(&format!("a string of at most {len} code points")));
    }
    packed.resize(4 * len, 0);
    Ok(FillValue(packed))
}

/// Writes a string without the zeros at the end.
pub(super) fn fill_to_json(fill: &[u8]) -> Result<String> {
    let points = fill.as_chunks().0.iter().map(|unit| u32::from_le_bytes(*unit));
    let text: Option<String> = points.map(char::from_u32).collect();
    let text = text.ok_or_else(|| Error::argument("the fill value is not UTF-32"))?;
    Ok(string(text.trim_end_matches('\0')))
}
