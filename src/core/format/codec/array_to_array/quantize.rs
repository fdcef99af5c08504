//! `quantize`: rounds floats to a binary step that keeps the given number of decimal digits.
//! <https://numcodecs.readthedocs.io/en/stable/filter/quantize.html>
//!
//! Decoding only converts `astype` back to `dtype`: the lost digits do not come back.

use super::numpy::{Numbers, converted, map_doubles, rounded};
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::kernel::number::power_of_two;

/// Binds the codec. Its configuration: `digits`, `dtype`, `astype`.
///
/// # Errors
/// `Format` for a `dtype` that is none and for numbers that are not floats, `Unsupported` for data
/// types that are not numbers. Only encoding needs valid `digits`.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let digits = configuration.integer("digits", -300..=300).and_then(|digits| {
        let digits = digits.and_then(|digits| i16::try_from(digits).ok());
        configuration.required("digits", digits).map(Some)
    });
    let digits = configuration.for_encoder(digits).unwrap_or_default();
    let numbers = Numbers::read(configuration, decoded)?;
    let float = numbers.decoded;
    if !float.is_float() || !numbers.encoded.is_float() {
        return Err(Error::format("quantize encodes floating-point numbers only"));
    }
    // The smallest power of two that is at least 10^digits.
    #[allow(clippy::cast_possible_truncation, reason = "at most 300 digits")]
    let bits = (f64::from(digits) * std::f64::consts::LOG2_10).ceil() as i32;
    let scale = rounded(power_of_two(bits), float);
    let quantised = move |number: f64| {
        let steps = rounded(number * scale, float).round_ties_even();
        rounded(steps / scale, float)
    };
    let encoded = numbers.encoded;
    numbers.filter(
        move |bytes| converted(bytes, encoded, float),
        move |bytes| map_doubles(&bytes, float, encoded, quantised),
    )
}
