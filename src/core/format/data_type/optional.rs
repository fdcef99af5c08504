//! The data type `optional` (`zarrs.optional`): a value of another type, or none.
//! <https://github.com/zarr-developers/zarr-extensions/pull/33>
//!
//! In memory an element is one byte, 1 or 0, and then the value. A value of a fixed-size type is
//! always there, as zeros where there is none. A value of variable length is only there where the
//! byte is 1.

use super::{DataType, FillValue, ParseType};
use crate::error::{Error, Result};
use crate::format::json::Json;
use crate::format::metadata::extension::Extension;

/// The names in v3 metadata. zarrs writes the first; earlier versions wrote the second, which is
/// proposed.
pub(super) const NAMES: [&str; 2] = ["zarrs.optional", "optional"];

/// Parses a configuration, which is the data type of the value.
pub(super) fn parse(extension: &Extension<'_>, parse_type: ParseType) -> Result<DataType> {
    let configuration = extension.configuration.ok_or_else(|| {
        Error::format("the optional data type does not have the type of its values").in_field("configuration")
    })?;
    let inner = parse_type(&Extension::parse(configuration)?)?;
    Ok(DataType::Optional(Box::new(inner)))
}

/// Writes the configuration for values of this type. zarrs requires both members.
pub(super) fn configuration(inner: &DataType) -> Result<String> {
    let (name, configuration) = inner.parts_v3()?;
    Ok(format!("{{\"name\":\"{name}\",\"configuration\":{}}}", configuration.as_deref().unwrap_or("{}")))
}

/// The fill value that means "no value".
pub(super) fn none(inner: &DataType) -> FillValue {
    FillValue(vec![0; inner.size().unwrap_or(0).saturating_add(1)])
}

/// Parses `null`, or a list of one value.
pub(super) fn parse_fill(inner: &DataType, json: Json<'_>) -> Result<FillValue> {
    if json.is_null() {
        return Ok(none(inner));
    }
    let values = json.list(|json| FillValue::parse_v3(inner, json))?;
    match values.as_slice() {
        [value] => Ok(FillValue([&[1], value.0.as_slice()].concat())),
        _ => Err(json.unexpected("null or [value]")),
    }
}

/// Writes `null`, or a list of one value.
pub(super) fn fill_to_json(inner: &DataType, fill: &[u8]) -> Result<String> {
    match fill.split_first() {
        Some((1, value)) => Ok(format!("[{}]", FillValue(value.to_vec()).to_json_v3(inner)?)),
        _ => Ok("null".to_owned()),
    }
}
