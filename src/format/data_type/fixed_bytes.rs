//! Elements of a fixed number of bytes: `r24`, `raw_bytes`, `null_terminated_bytes`; v2's `|V3` and `|S3`.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html>
//!
//! zarr-python's own name for `r*` is `raw_bytes`; `null_terminated_bytes` is what NumPy's `S` is there.

use super::{FillValue, base64, variable};
use crate::error::{Error, Result};
use crate::format::metadata::json::{Json, Object};
use crate::limits;

/// Bytes of one element of `r<N>`; `None` for other names.
///
/// # Errors
/// `Format` for no whole number of bytes.
pub(super) fn raw_len_of_name(name: &str) -> Option<Result<usize>> {
    let digits =
        name.strip_prefix('r').filter(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()))?;
    let bits = digits.parse::<u64>().ok().filter(|bits| bits.is_multiple_of(8));
    let invalid =
        || Error::format(format!("invalid data type {name:?}")).expected("\"r\" and a multiple of 8");
    Some(bits.ok_or_else(invalid).and_then(|bits| element_len(bits / 8)))
}

/// The `length_bytes` of a configuration.
pub(super) fn configured_len(configuration: &Object<'_>) -> Result<usize> {
    configuration.require("length_bytes", |json| element_len(json.u64()?))
}

/// Checks the length of an element that metadata asks for.
pub(super) fn element_len(len: u64) -> Result<usize> {
    if len == 0 {
        return Err(Error::format("elements without bytes").expected("at least one byte an element"));
    }
    limits::within(len, limits::ELEMENT_BYTES, "element")
}

/// From base64 or a list of bytes, all of them.
pub(super) fn parse_raw_fill(len: usize, json: Json<'_>) -> Result<FillValue> {
    let fill = variable::parse_bytes_fill(json)?;
    if fill.0.len() == len { Ok(fill) } else { Err(json.unexpected(&format!("{len} bytes"))) }
}

/// From base64 or a list of bytes; what is missing at the end is zero, as NumPy leaves it out.
pub(super) fn parse_padded_fill(len: usize, json: Json<'_>) -> Result<FillValue> {
    let mut fill = variable::parse_bytes_fill(json)?;
    if fill.0.len() > len {
        return Err(json.unexpected(&format!("at most {len} bytes")));
    }
    fill.0.resize(len, 0);
    Ok(fill)
}

/// To a list of bytes: what the specification has for `r*`.
pub(super) fn raw_fill_to_json(fill: &[u8]) -> String {
    let bytes: Vec<String> = fill.iter().map(u8::to_string).collect();
    format!("[{}]", bytes.join(","))
}

/// To base64, without the zeros at the end.
pub(super) fn padded_fill_to_json(fill: &[u8]) -> String {
    let len = fill.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    base64::encode(&fill[..len])
}
