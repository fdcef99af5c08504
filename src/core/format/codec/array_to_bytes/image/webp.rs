//! `imagecodecs_webp`: WebP, lossless and lossy, of one frame.
//! <https://www.rfc-editor.org/rfc/rfc9649>
//!
//! The configuration may add an alpha channel, which is then opaque, or drop it. Animations are not
//! supported.

use std::io::Cursor;

use image_webp::WebPDecoder;

use super::{Chunk, ImageFormat, buffer, codec, damaged, tolerate, unsupported};
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::kernel::number::NumberType;

/// The part of the configuration that decoding depends on.
struct WebP {
    /// Whether the decoded pixels have an alpha channel; `None`: as the image has.
    has_alpha: Option<bool>,
}

/// Binds the codec. Decoding needs `hasalpha` of the configuration.
///
/// # Errors
/// `Format` for a `hasalpha` that is not a boolean, and `Unsupported` for a data type that
/// the format does not have.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    tolerate(configuration, &["level", "lossless", "method", "index", "numthreads", "squeeze"]);
    codec(WebP { has_alpha: configuration.boolean("hasalpha")? }, decoded)
}

impl ImageFormat for WebP {
    const NAME: &'static str = "WebP";
    const SAMPLES: &'static [NumberType] = &[NumberType::U8];

    #[allow(
        clippy::arithmetic_side_effects,
        reason = "`check` has compared the length with that of the chunk, at most CHUNK_BYTES"
    )]
    fn decode(&self, encoded: &[u8], chunk: &Chunk) -> Result<Vec<u8>> {
        check_length(encoded)?;
        let mut decoder =
            WebPDecoder::new(Cursor::new(encoded)).map_err(|error| damaged(Self::NAME, error))?;
        if decoder.is_animated() {
            return Err(unsupported(Self::NAME, "several frames"));
        }
        let (width, height) = decoder.dimensions();
        let given = decoder.has_alpha();
        let wanted = self.has_alpha.unwrap_or(given);
        let dimensions = [u64::from(height), u64::from(width), if wanted { 4 } else { 3 }];
        let len = chunk.check(Self::NAME, &dimensions, NumberType::U8)?;
        decoder.set_memory_limit(len.saturating_mul(8).saturating_add(1 << 20));
        let mut samples = buffer(len / if wanted { 4 } else { 3 } * if given { 4 } else { 3 })?;
        decoder.read_image(&mut samples).map_err(|error| damaged(Self::NAME, error))?;
        Ok(match (given, wanted) {
            (true, false) => samples.chunks(4).flat_map(|pixel| pixel.iter().take(3).copied()).collect(),
            (false, true) => samples.chunks(3).flat_map(|pixel| [pixel, &[255]].concat()).collect(),
            _ => samples,
        })
    }
}

/// Checks the file's length in its header, because the decoder would ignore missing bytes at the
/// end.
fn check_length(encoded: &[u8]) -> Result<()> {
    let declared = encoded.get(4..8).and_then(|len| len.first_chunk()).map(|len| u32::from_le_bytes(*len));
    match declared {
        Some(declared) if u64::from(declared) + 8 <= encoded.len() as u64 => Ok(()),
        _ => Err(Error::format("the WebP image is truncated")),
    }
}
