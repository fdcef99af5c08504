//! Blocks of Snappy, which is a compressor of Blosc and of Parquet's pages, and no codec of Zarr.
//! <https://github.com/google/snappy/blob/main/format_description.txt>

use super::check_ratio;
use crate::error::{Error, Result};
use crate::format::codec::wrong_decoded_len;
use crate::limits;

/// The maximal ratio of decoded to encoded bytes: a copy of 64 bytes takes three bytes.
pub(super) const BEST_RATIO: u64 = 22;

/// Decodes a block of this decoded length.
///
/// # Errors
/// `Format` for a corrupt block, and for one of another length; `Limit` where memory is short.
pub fn decode(block: &[u8], len: u64) -> Result<Vec<u8>> {
    check_ratio(block.len(), len, BEST_RATIO)?;
    let mut decoded = limits::zeroed(len, len, "decoded bytes")?;
    decode_exact(block, &mut decoded)?;
    Ok(decoded)
}

/// Decodes a block, which must fill `output`.
pub(super) fn decode_exact(block: &[u8], output: &mut [u8]) -> Result<()> {
    let len = snap::raw::decompress_len(block).map_err(damaged)?;
    if len != output.len() {
        return Err(wrong_decoded_len(output.len() as u64, len as u64));
    }
    snap::raw::Decoder::new().decompress(block, output).map(drop).map_err(damaged)
}

/// The crate's own text would be a kilobyte of the engine.
fn damaged(error: snap::Error) -> Error {
    let (expected, actual) = match error {
        snap::Error::Empty => ("a stream", "no bytes"),
        snap::Error::Header | snap::Error::TooBig { .. } => ("a length of 32 bits", "none"),
        snap::Error::Offset { .. } => ("a copy of earlier output", "an offset before the output"),
        snap::Error::HeaderMismatch { .. } => ("as many bytes as the stream announces", "fewer bytes"),
        _ => ("elements that fit", "one that ends beyond the stream or its output"),
    };
    Error::format("the snappy stream is corrupt").expected(expected).actual(actual)
}
