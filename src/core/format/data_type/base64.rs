//! Base64 (RFC 4648, with padding), a form of fill values of bytes.

use ::base64::Engine as _;
use ::base64::engine::general_purpose::STANDARD;

use crate::error::Result;
use crate::format::metadata::json::Json;

/// Decodes a JSON string.
pub(super) fn decode(json: Json<'_>) -> Result<Vec<u8>> {
    STANDARD.decode(json.str()?.as_bytes()).map_err(|_| json.unexpected("a base64 string"))
}

/// Encodes bytes as a JSON string.
pub(super) fn encode(bytes: &[u8]) -> String {
    format!("\"{}\"", STANDARD.encode(bytes))
}
