//! `base64`: bytes as text (RFC 4648, with padding).
//! <https://numcodecs.readthedocs.io/en/stable/other/base64.html>

use ::base64::Engine as _;
use ::base64::engine::general_purpose::STANDARD;

use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{BytesToBytes, ChunkRepresentation, Codec, Output};

struct Base64;

/// Binds the codec. Its configuration has no fields.
///
/// # Errors
/// None.
pub fn bind(_: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    Ok(Codec::bytes_to_bytes(Base64))
}

impl BytesToBytes for Base64 {
    fn encoded_len(&self, decoded: u64) -> Option<u64> {
        decoded.div_ceil(3).checked_mul(4)
    }

    fn decode(&self, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
        let padding = encoded.iter().rev().take(2).take_while(|&&byte| byte == b'=').count();
        let len = (encoded.len() / 4).saturating_mul(3).saturating_sub(padding);
        let decoded = output.reserve(len as u64)?;
        let written = STANDARD.decode_slice(encoded, decoded);
        let written =
            written.map_err(|error| Error::format("the base64 text is corrupt").actual(error.to_string()))?;
        if written == len { Ok(()) } else { Err(Error::format("the base64 text is corrupt")) }
    }

    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        Ok(STANDARD.encode(decoded).into_bytes())
    }
}
