//! numcodecs' `lz4`: the decoded length in four bytes, little-endian, then one LZ4 block. It is not
//! the LZ4 frame format. v3 metadata names it `numcodecs.lz4`.
//! <https://numcodecs.readthedocs.io/en/stable/compression/lz4.html>

use super::{check_ratio, require_encoders, split, truncated};
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{BytesToBytes, ChunkRepresentation, Codec, Output, wrong_decoded_len};
use crate::kernel::lz4::{Lz4Error, decompress_block_into};
use crate::limits;

/// The maximal ratio of decoded to encoded bytes: a length byte stands for at most 255 bytes.
pub(super) const BEST_RATIO: u64 = 255;

struct Lz4;

/// Binds the codec. Decoding needs no field of the configuration, and the encoder has one speed.
///
/// # Errors
/// None: only encoding needs a valid acceleration.
pub fn bind(configuration: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    configuration.for_encoder(configuration.integer("acceleration", i64::MIN..=i64::MAX));
    Ok(Codec::bytes_to_bytes(Lz4))
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
        let len = u32::try_from(decoded.len()).map_err(|_| Error::limit("lz4 encodes less than 4 GiB"))?;
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
        Err(Lz4Error::TooLong) => {
            Err(Error::format("the lz4 block decodes to more bytes than its header says"))
        }
        Err(Lz4Error::Offset) => Err(Error::format("an lz4 match begins before its block")),
    }
}

/// Encodes `decoded` to one block and appends it.
///
/// # Errors
/// `Unsupported` in a build without encoders.
pub(super) fn encode_block(decoded: &[u8], encoded: &mut Vec<u8>) -> Result<()> {
    require_encoders()?;
    let start = encoded.len();
    let most = lz4_flex::block::get_maximum_output_size(decoded.len());
    limits::grow(encoded, start.saturating_add(most), "encoded chunk")?;
    let target = encoded.get_mut(start..).unwrap_or_default();
    let written = lz4_flex::block::compress_into(decoded, target);
    let written =
        written.map_err(|error| Error::limit("lz4 cannot encode the chunk").actual(error.to_string()))?;
    encoded.truncate(start.saturating_add(written));
    Ok(())
}
