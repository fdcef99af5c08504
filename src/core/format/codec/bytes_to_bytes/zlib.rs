//! `zlib`: RFC 1950. <https://numcodecs.readthedocs.io/en/stable/compression/zlib.html>
//!
//! v3 metadata names it `numcodecs.zlib`. imagecodecs has four names for it, of which
//! `imagecodecs_deflate` may omit header and checksum (`raw`). Decoding verifies the checksum.
//! Preset dictionaries are refused, because the data does not contain them.

use miniz_oxide::deflate::{compress_to_vec, compress_to_vec_zlib};

use super::checksum::adler32;
use super::inflate::{Inflater, window};
use super::{check_sum, require_encoders, split, truncated};
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{BytesToBytes, ChunkRepresentation, Codec, Output, wrong_decoded_len};

struct Zlib {
    level: u8,
    /// Whether the stream has no header and no checksum.
    raw: bool,
    inflater: Inflater,
}

/// Binds the codec. Its configuration: `level`, with numcodecs' default, and `raw`.
///
/// # Errors
/// `Format` for a `raw` that is not a boolean.
pub fn bind(configuration: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    // imagecodecs_deflate uses libdeflate, which has three more levels.
    let is_deflate = configuration.codec().name == "imagecodecs_deflate";
    let levels = if is_deflate { -1..=12 } else { -1..=9 };
    let level = configuration.for_encoder(configuration.integer("level", levels));
    let level = deflate_level(level.unwrap_or(1).min(9));
    let raw = is_deflate && configuration.boolean("raw")?.unwrap_or(false);
    Ok(Codec::bytes_to_bytes(Zlib { level, raw, inflater: Inflater::default() }))
}

/// Translates zlib's -1, which means its default.
pub(super) fn deflate_level(level: i64) -> u8 {
    u8::try_from(level).unwrap_or(6)
}

impl BytesToBytes for Zlib {
    fn decode(&self, encoded: &[u8], output: Output<'_>) -> Result<()> {
        if self.raw {
            decode_raw(&self.inflater, encoded, output)
        } else {
            decode(&self.inflater, encoded, output)
        }
    }

    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        if !self.raw {
            return encode(decoded, self.level);
        }
        require_encoders()?;
        Ok(compress_to_vec(decoded, self.level))
    }
}

/// Decodes a stream without header and checksum. It must end where `encoded` ends.
fn decode_raw(inflater: &Inflater, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
    let inflated = inflater.inflate(encoded, &mut output, 0)?;
    let len = window(&mut output).len();
    if inflated.end != len {
        return Err(wrong_decoded_len(len as u64, inflated.end as u64));
    }
    match encoded.len().saturating_sub(inflated.consumed) {
        0 => Ok(()),
        rest => {
            Err(Error::format("there are bytes after the DEFLATE stream").actual(format!("{rest} bytes")))
        }
    }
}

/// Decodes one stream. It must end where `encoded` ends.
pub(super) fn decode(inflater: &Inflater, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
    let ([method, flags], stream) = split(encoded).ok_or_else(|| truncated("zlib header"))?;
    if method & 0x0f != 8 || method >> 4 > 7 || !u16::from_be_bytes([method, flags]).is_multiple_of(31) {
        return Err(Error::format("the zlib header is corrupt").actual(format!("{method:#04x} {flags:#04x}")));
    }
    if flags & 0x20 != 0 {
        return Err(Error::unsupported("the zlib stream needs a preset dictionary, which Zarr cannot store"));
    }
    let inflated = inflater.inflate(stream, &mut output, 0)?;
    let target = window(&mut output);
    if inflated.end != target.len() {
        return Err(wrong_decoded_len(target.len() as u64, inflated.end as u64));
    }
    let trailer = stream.get(inflated.consumed..).unwrap_or_default();
    let (stored, rest) = split(trailer).ok_or_else(|| truncated("zlib checksum"))?;
    if !rest.is_empty() {
        return Err(
            Error::format("there are bytes after the zlib stream").actual(format!("{} bytes", rest.len()))
        );
    }
    check_sum(u32::from_be_bytes(stored), adler32(target))
}

/// Encodes one stream.
///
/// # Errors
/// `Unsupported` in a build without encoders.
pub(super) fn encode(decoded: &[u8], level: u8) -> Result<Vec<u8>> {
    require_encoders()?;
    Ok(compress_to_vec_zlib(decoded, level))
}
