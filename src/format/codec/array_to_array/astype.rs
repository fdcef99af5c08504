//! `astype`: stores numbers in another data type, with NumPy's conversions.
//! <https://numcodecs.readthedocs.io/en/stable/filter/astype.html>
//!
//! The registered `cast_value` is another codec: it refuses numbers that do not fit.

use super::numpy::{self, Numbers, converted};
use crate::error::Result;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::registry::require_encoders;
use crate::format::codec::{ArrayBytes, ArrayToArray, ArrayToArraySpec, ChunkRepresentation, Spec};
use crate::format::data_type::DataType;

/// The configuration: `encode_dtype`, `decode_dtype`.
#[derive(Debug)]
struct AsTypeSpec {
    encode_dtype: DataType,
    decode_dtype: Option<DataType>,
}

/// Parses the configuration.
///
/// # Errors
/// `Format` when `encode_dtype` is missing, and as [`numpy::dtype`].
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    let encode_dtype = numpy::dtype(configuration, "encode_dtype")?;
    let spec = AsTypeSpec {
        encode_dtype: configuration.required("encode_dtype", encode_dtype)?,
        decode_dtype: numpy::dtype(configuration, "decode_dtype")?,
    };
    Ok(Spec::ArrayToArray(Box::new(spec)))
}

impl ArrayToArraySpec for AsTypeSpec {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn ArrayToArray>> {
        let numbers = Numbers::bind(decoded, self.decode_dtype.as_ref(), Some(&self.encode_dtype))?;
        Ok(Box::new(AsType { numbers }))
    }
}

struct AsType {
    numbers: Numbers,
}

impl ArrayToArray for AsType {
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
        converted(bytes, self.numbers.decoded, self.numbers.encoded).map(ArrayBytes::Fixed)
    }
}
