//! Data types of a fixed number of bytes: `r24`, `raw_bytes`, `null_terminated_bytes`, and v2's
//! `|V3` and `|S3`. <https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html>
//!
//! zarr-python writes `raw_bytes` for `r*`, and `null_terminated_bytes` for NumPy's `S`.

use super::{DataType, FillValue, base64};
use crate::error::{Error, Result};
use crate::format::json::{Json, Object};
use crate::limits;
use crate::quoted::quoted;

/// Bytes without a meaning. Types of the same size are equal, whatever metadata names them.
#[derive(Clone, Copy, Debug, Eq)]
pub struct RawBytes {
    /// The size of one element in bytes.
    pub len: usize,
    /// Whether v3 metadata names the type `raw_bytes`, the only name that zarr-python knows. The
    /// specification names it `r<N>`.
    pub is_named: bool,
}

impl PartialEq for RawBytes {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len
    }
}

impl DataType {
    /// Elements of so many bytes, named as in the specification.
    pub fn raw(len: usize) -> Self {
        Self::Raw(RawBytes { len, is_named: false })
    }
}

/// The size in bytes of an element of `r<N>`. `None` for other names.
///
/// # Errors
/// `Format` for a number of bits that is not a multiple of 8.
pub(super) fn raw_len_of_name(name: &str) -> Option<Result<usize>> {
    let digits =
        name.strip_prefix('r').filter(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()))?;
    let bits = digits.parse::<u64>().ok().filter(|bits| bits.is_multiple_of(8));
    let invalid =
        || Error::format(format!("invalid data type {}", quoted(name))).expected("\"r\" and a multiple of 8");
    Some(bits.ok_or_else(invalid).and_then(|bits| element_len(bits / 8)))
}

/// Parses the `length_bytes` of a configuration.
pub(super) fn configured_len(configuration: &Object<'_>) -> Result<usize> {
    configuration.require("length_bytes", |json| element_len(json.u64()?))
}

/// Checks the size of an element that metadata gives.
pub(super) fn element_len(len: u64) -> Result<usize> {
    if len == 0 {
        return Err(Error::format("the elements of the data type have no bytes")
            .expected("at least one byte for each element"));
    }
    limits::within(len, limits::ELEMENT_BYTES, "element")
}

/// Parses base64 or a list of exactly `len` bytes.
pub(super) fn parse_raw_fill(len: usize, json: Json<'_>) -> Result<FillValue> {
    let fill = base64::parse_fill(json)?;
    if fill.0.len() == len { Ok(fill) } else { Err(json.unexpected(&format!("{len} bytes"))) }
}

/// Parses base64 or a list of at most `len` bytes. The rest is zero: NumPy leaves out zeros at the
/// end.
pub(super) fn parse_padded_fill(len: usize, json: Json<'_>) -> Result<FillValue> {
    let mut fill = base64::parse_fill(json)?;
    if fill.0.len() > len {
        return Err(json.unexpected(&format!("at most {len} bytes")));
    }
    fill.0.resize(len, 0);
    Ok(fill)
}

/// Writes a list of bytes, the specification's form for `r*`, or base64, zarr-python's for
/// `raw_bytes`.
pub(super) fn raw_fill_to_json(raw: RawBytes, fill: &[u8]) -> String {
    if raw.is_named {
        return base64::encode(fill);
    }
    let bytes: Vec<String> = fill.iter().map(u8::to_string).collect();
    format!("[{}]", bytes.join(","))
}

/// Writes base64 without the zeros at the end.
pub(super) fn padded_fill_to_json(fill: &[u8]) -> String {
    let last = fill.iter().rposition(|byte| *byte != 0);
    base64::encode(last.and_then(|last| fill.get(..=last)).unwrap_or_default())
}
