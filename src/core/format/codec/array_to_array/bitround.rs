//! `bitround`: rounds numbers to a few significant bits, so that they compress better.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/bitround>,
//! <https://numcodecs.readthedocs.io/en/stable/filter/bitround.html>
//!
//! Decoding changes nothing. Encoding rounds ties to even: floats within their fraction, integers
//! from their highest set bit. NaN and the sign of an integer stay. (numcodecs turns some NaNs into
//! zero.) An integer that would round out of range is truncated instead.

use super::numpy::number_type;
use crate::error::{Error, Result};
use crate::format::codec::build::require_encoders;
use crate::format::codec::configuration::{Configuration, Spelling};
use crate::format::codec::{ArrayBytes, ArrayToArray, ChunkRepresentation, Codec};
use crate::kernel::bitround::round_bits;

struct BitRound {
    keepbits: u32,
    representation: ChunkRepresentation,
}

/// Binds the codec. Its configuration: `keepbits`, which only encoding needs.
///
/// # Errors
/// `Format` for elements of variable length.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    // numcodecs allows 0 bits; the registered specification requires 1.
    let least = match configuration.spelling() {
        Spelling::Zarr => 1,
        Spelling::Numcodecs => 0,
    };
    let keepbits = configuration.integer("keepbits", least..=i64::from(u32::MAX)).and_then(|keepbits| {
        let keepbits = keepbits.and_then(|bits| u32::try_from(bits).ok());
        configuration.required("keepbits", keepbits).map(Some)
    });
    let keepbits = configuration.for_encoder(keepbits).unwrap_or_default();
    if decoded.data_type.size().is_none() {
        return Err(Error::format("bitround encodes numbers only"));
    }
    Ok(Codec::array_to_array(BitRound { keepbits, representation: decoded.clone() }))
}

impl ArrayToArray for BitRound {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.representation
    }

    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes> {
        Ok(encoded)
    }

    fn encode(&self, decoded: ArrayBytes) -> Result<ArrayBytes> {
        require_encoders()?;
        let number = number_type(&self.representation.data_type)?;
        let mut bytes = decoded.into_fixed()?;
        round_bits(&mut bytes, number, self.keepbits);
        Ok(ArrayBytes::Fixed(bytes))
    }
}
