//! `quantize`: rounds floats to a binary step that keeps the given number of decimal digits.
//! <https://numcodecs.readthedocs.io/en/stable/filter/quantize.html>
//!
//! Decoding only converts `astype` back to `dtype`: the lost digits do not come back.

use super::numpy::{self, Numbers, converted, is_float, map_doubles, rounded};
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::registry::require_encoders;
use crate::format::codec::{ArrayBytes, ArrayToArray, ArrayToArraySpec, ChunkRepresentation, Spec};
use crate::format::data_type::DataType;

/// The configuration: `digits`, `dtype`, `astype`.
#[derive(Debug)]
struct QuantizeSpec {
    digits: i16,
    dtype: Option<DataType>,
    astype: Option<DataType>,
}

/// Parses the configuration.
///
/// # Errors
/// As [`numpy::dtype`]. Only encoding needs valid `digits`.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    let digits = configuration.integer("digits", -300..=300).and_then(|digits| {
        let digits = digits.and_then(|digits| i16::try_from(digits).ok());
        configuration.required("digits", digits).map(Some)
    });
    let digits = configuration.for_encoder(digits).unwrap_or_default();
    let spec = QuantizeSpec {
        digits,
        dtype: numpy::dtype(configuration, "dtype")?,
        astype: numpy::dtype(configuration, "astype")?,
    };
    Ok(Spec::ArrayToArray(Box::new(spec)))
}

impl ArrayToArraySpec for QuantizeSpec {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn ArrayToArray>> {
        let numbers = Numbers::bind(decoded, self.dtype.as_ref(), self.astype.as_ref())?;
        if !is_float(numbers.decoded) || !is_float(numbers.encoded) {
            return Err(Error::format("quantize encodes floating-point numbers only"));
        }
        // The smallest power of two that is at least 10^digits.
        let bits = (f64::from(self.digits) * std::f64::consts::LOG2_10).ceil();
        Ok(Box::new(Quantize { scale: rounded(bits.exp2(), numbers.decoded), numbers }))
    }
}

struct Quantize {
    numbers: Numbers,
    scale: f64,
}

impl ArrayToArray for Quantize {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.numbers.representation
    }

    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes> {
        let bytes = encoded.into_fixed()?;
        self.numbers.check_encoded(&bytes)?;
        converted(bytes, self.numbers.encoded, self.numbers.decoded).map(ArrayBytes::Fixed)
    }

    fn encode(&self, decoded: ArrayBytes) -> Result<ArrayBytes> {
        require_encoders()?;
        let bytes = decoded.into_fixed()?;
        self.numbers.check_decoded(&bytes)?;
        let float = self.numbers.decoded;
        let encode = |number: f64| {
            let steps = rounded(number * self.scale, float).round_ties_even();
            rounded(steps / self.scale, float)
        };
        map_doubles(&bytes, float, self.numbers.encoded, encode).map(ArrayBytes::Fixed)
    }
}
