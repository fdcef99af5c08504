//! `lz4` of numcodecs: the decoded size as four bytes, little-endian, then one LZ4 block (not the
//! LZ4 frame format).
//! <https://numcodecs.readthedocs.io/en/stable/compression/lz4.html>
//!
//! A v2 codec; v3 metadata has it as `numcodecs.lz4`.

use super::{check_ratio, require_encoders, split, truncated};
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{
    BytesToBytes, BytesToBytesSpec, ChunkRepresentation, Output, Spec, wrong_decoded_len,
};
use crate::kernel::lz4::{Lz4Error, decompress_block_into};
use crate::limits;

/// LZ4's best ratio: 255 bytes of a match in each byte of its length.
pub(super) const BEST_RATIO: u64 = 255;

/// The configuration: nothing that a reader needs, and one encoder at one speed.
#[derive(Clone, Copy, Debug)]
struct Lz4;

/// Reads the configuration.
///
/// # Errors
/// None: an acceleration that is not an integer is an encoder's.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    configuration.for_encoder(configuration.integer("acceleration", i64::MIN..=i64::MAX));
    Ok(Spec::BytesToBytes(Box::new(Lz4)))
}

impl BytesToBytesSpec for Lz4 {
    fn bind(&self, _: &ChunkRepresentation) -> Result<Box<dyn BytesToBytes>> {
        Ok(Box::new(*self))
    }
}

impl BytesToBytes for Lz4 {
    fn decode(&self, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
        let (len, block) = split(encoded).ok_or_else(|| truncated("lz4 size"))?;
        let len = u64::from(u32::from_le_bytes(len));
        if matches!(output, Output::Growing { .. }) {
            check_ratio(block.len(), len, BEST_RATIO)?;
        }
        decode_block(block, output.reserve(len)?)
    }

    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        let len = u32::try_from(decoded.len()).map_err(|_| Error::limit("lz4 holds less than 4 GiB"))?;
        let mut encoded = len.to_le_bytes().to_vec();
        encode_block(decoded, &mut encoded)?;
        Ok(encoded)
    }
}

/// Decodes one block, which must fill `output`.
pub(super) fn decode_block(block: &[u8], output: &mut [u8]) -> Result<()> {
    match decompress_block_into(block, output) {
        Ok(len) if len == output.len() => Ok(()),
        Ok(len) => Err(wrong_decoded_len(output.len() as u64, len as u64)),
        Err(Lz4Error::Truncated) => Err(truncated("lz4 block")),
        Err(Lz4Error::TooLong) => Err(Error::format("lz4 block holds more than its size says")),
        Err(Lz4Error::Offset) => Err(Error::format("lz4 match begins before its block")),
    }
}

/// Appends one block.
///
/// # Errors
/// `Unsupported` in the engine.
pub(super) fn encode_block(decoded: &[u8], encoded: &mut Vec<u8>) -> Result<()> {
    require_encoders()?;
    let start = encoded.len();
    let most = lz4_flex::block::get_maximum_output_size(decoded.len());
    limits::grow(encoded, start + most, "encoded chunk")?;
    let target = encoded.get_mut(start..).unwrap_or_default();
    let written = lz4_flex::block::compress_into(decoded, target);
    let written =
        written.map_err(|error| Error::limit("lz4 cannot hold the chunk").actual(error.to_string()))?;
    encoded.truncate(start + written);
    Ok(())
}
