//! The data type `bool`: one byte, 0 or 1.

use super::FillValue;
use crate::error::Result;
use crate::format::json::Json;

pub(super) const NAME: &str = "bool";

/// Parses `true` or `false`.
pub(super) fn parse_fill(json: Json<'_>) -> Result<FillValue> {
    Ok(FillValue(vec![u8::from(json.bool()?)]))
}

/// Writes `true` or `false`.
pub(super) fn fill_to_json(fill: &[u8]) -> String {
    fill.iter().any(|byte| *byte != 0).to_string()
}
