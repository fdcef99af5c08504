//! Fill values of bytes: base64 (RFC 4648, with padding), and lists of numbers.

use ::base64::Engine as _;
use ::base64::engine::general_purpose::STANDARD;

use super::FillValue;
use crate::error::Result;
use crate::format::json::Json;

/// Decodes a JSON string.
pub(super) fn decode(json: Json<'_>) -> Result<Vec<u8>> {
    STANDARD.decode(json.str()?.as_bytes()).map_err(|_| json.unexpected("a base64 string"))
}

/// Encodes bytes as a JSON string.
pub(super) fn encode(bytes: &[u8]) -> String {
    format!("\"{}\"", STANDARD.encode(bytes))
}

/// Parses base64, or a list of bytes, which was the form before base64 was registered.
pub(super) fn parse_fill(json: Json<'_>) -> Result<FillValue> {
    match json.kind_name() {
        "a string" => decode(json).map(FillValue),
        _ => byte_list(json).map(FillValue),
    }
}

/// Parses a list of integers from 0 to 255.
fn byte_list(json: Json<'_>) -> Result<Vec<u8>> {
    json.list(|json| {
        let byte = json.u64().ok().and_then(|value| u8::try_from(value).ok());
        byte.ok_or_else(|| json.unexpected("an integer from 0 to 255"))
    })
}
