//! Complex numbers: two floats, the real part first.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html>, `complex_*` of
//! zarr-extensions.

use std::borrow::Cow;

use super::{FillValue, Float};
use crate::error::Result;
use crate::format::json::Json;

/// The prefix of the names of complex types, before the name of the part. `complex64` and
/// `complex128` do not have it.
const PREFIX: &str = "complex_";

/// The name in v3 metadata.
pub(super) fn name(part: Float) -> Cow<'static, str> {
    match part {
        Float::Float32 => Cow::Borrowed("complex64"),
        Float::Float64 => Cow::Borrowed("complex128"),
        _ => Cow::Owned(format!("{PREFIX}{}", part.name())),
    }
}

/// The type of the parts of the complex type with this name.
pub(super) fn of_name(name: &str) -> Option<Float> {
    match name {
        "complex32" => Some(Float::Float16),
        "complex64" => Some(Float::Float32),
        "complex128" => Some(Float::Float64),
        _ => Float::of_name(name.strip_prefix(PREFIX)?),
    }
}

/// Parses `[re, im]`. Each part has a form of a floating-point fill value.
pub(super) fn parse_fill(part: Float, json: Json<'_>) -> Result<FillValue> {
    let parts = json.list(|json| part.parse_fill(json))?;
    match parts.as_slice() {
        [re, im] => Ok(FillValue([re.0.as_slice(), &im.0].concat())),
        _ => Err(json.unexpected("[re, im]")),
    }
}

/// Parses the forms of v2 writers, which also include a real number alone.
pub(super) fn parse_v2_fill(part: Float, json: Json<'_>) -> Result<FillValue> {
    if json.kind_name() == "an array" {
        return parse_fill(part, json);
    }
    let mut fill = part.parse_fill(json)?;
    fill.0.resize(part.size().saturating_mul(2), 0);
    Ok(fill)
}

/// Writes `[re, im]`.
pub(super) fn fill_to_json(part: Float, fill: &[u8]) -> String {
    let (re, im) = fill.split_at(fill.len() / 2);
    format!("[{},{}]", part.fill_to_json(re), part.fill_to_json(im))
}
