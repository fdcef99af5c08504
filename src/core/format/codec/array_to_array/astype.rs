//! `astype`: stores numbers in another data type, with NumPy's conversions.
//! <https://numcodecs.readthedocs.io/en/stable/filter/astype.html>
//!
//! The registered `cast_value` is another codec: it refuses numbers that do not fit.

use super::numpy::{self, Numbers, converted};
use crate::error::Result;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};

/// Binds the codec. Its configuration: `encode_dtype`, `decode_dtype`.
///
/// # Errors
/// `Format` when `encode_dtype` is missing or no data type, `Unsupported` for data types that are
/// not numbers.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let encode_dtype = numpy::dtype(configuration, "encode_dtype")?;
    let encode_dtype = configuration.required("encode_dtype", encode_dtype)?;
    let decode_dtype = numpy::dtype(configuration, "decode_dtype")?;
    let numbers = Numbers::bind(decoded, decode_dtype.as_ref(), Some(&encode_dtype))?;
    let (decoded, encoded) = (numbers.decoded, numbers.encoded);
    numbers.filter(
        move |bytes| converted(bytes, encoded, decoded),
        move |bytes| converted(bytes, decoded, encoded),
    )
}
