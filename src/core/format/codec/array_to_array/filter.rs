//! Most array → array codecs are two functions, over elements of a fixed size on both sides.

use crate::error::Result;
use crate::format::codec::build::require_encoders;
use crate::format::codec::{ArrayBytes, ArrayToArray, ChunkRepresentation, Codec, check_decoded_len};

/// The functions have types of their own, so that a build without encoders does not contain the one
/// that encodes.
struct Filter<D, E> {
    encoded: ChunkRepresentation,
    decoded_len: u64,
    encoded_len: u64,
    decode: D,
    encode: E,
}

/// The codec that turns bytes of the chunk `decoded` into bytes of the chunk `encoded` and back.
///
/// # Errors
/// `Limit` for chunks whose lengths do not fit 64 bits.
pub(super) fn filter(
    decoded: &ChunkRepresentation,
    encoded: ChunkRepresentation,
    decode: impl Fn(Vec<u8>) -> Result<Vec<u8>> + 'static,
    encode: impl Fn(Vec<u8>) -> Result<Vec<u8>> + 'static,
) -> Result<Codec> {
    let [decoded_len, encoded_len] =
        [decoded.byte_len()?, encoded.byte_len()?].map(Option::unwrap_or_default);
    Ok(Codec::array_to_array(Filter { encoded, decoded_len, encoded_len, decode, encode }))
}

impl<D, E> ArrayToArray for Filter<D, E>
where
    D: Fn(Vec<u8>) -> Result<Vec<u8>>,
    E: Fn(Vec<u8>) -> Result<Vec<u8>>,
{
    fn encoded(&self) -> &ChunkRepresentation {
        &self.encoded
    }

    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes> {
        let bytes = encoded.into_fixed()?;
        check_decoded_len(&bytes, self.encoded_len)?;
        (self.decode)(bytes).map(ArrayBytes::Fixed)
    }

    fn encode(&self, decoded: ArrayBytes) -> Result<ArrayBytes> {
        require_encoders()?;
        let bytes = decoded.into_fixed()?;
        check_decoded_len(&bytes, self.decoded_len)?;
        (self.encode)(bytes).map(ArrayBytes::Fixed)
    }
}
