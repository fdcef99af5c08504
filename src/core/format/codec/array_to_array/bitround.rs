//! `bitround`: rounds numbers to a few significant bits, so that they compress better.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/bitround>,
//! <https://numcodecs.readthedocs.io/en/stable/filter/bitround.html>
//!
//! Decoding changes nothing. Encoding rounds ties to even: floats within their fraction, integers
//! from their highest set bit. NaN and the sign of an integer stay. (numcodecs turns some NaNs into
//! zero.) An integer that would round out of range is truncated instead.

use super::filter::filter;
use super::numpy::number_type;
use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, Spelling};
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::kernel::bitround::round_bits;

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
    let data_type = decoded.data_type.clone();
    filter(decoded, decoded.clone(), Ok, move |mut bytes| {
        round_bits(&mut bytes, number_type(&data_type)?, keepbits);
        Ok(bytes)
    })
}
