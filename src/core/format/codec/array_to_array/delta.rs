//! `delta`: stores the first number, then the differences between neighbours in memory order.
//! <https://numcodecs.readthedocs.io/en/stable/filter/delta.html>
//!
//! Integers wrap. Differences are stored as `astype`, which may be narrower than `dtype`; the sums
//! are of type `dtype`. bool is not supported, because numcodecs cannot decode its differences.
//! Complex numbers are not supported.

use super::numpy::{Numbers, converted};
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::kernel::delta::{delta_decode_in_place, delta_encode_in_place};
use crate::kernel::number::NumberType;

/// Binds the codec. Its configuration: `dtype`, `astype`.
///
/// # Errors
/// `Format` for a `dtype` that is none, `Unsupported` for bool and what is not a number.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let numbers = Numbers::read(configuration, decoded)?;
    if numbers.decoded == NumberType::Bool {
        return Err(Error::unsupported(
            "delta does not support bool: numcodecs adds its differences with \"or\", which loses values",
        ));
    }
    let (decoded, encoded) = (numbers.decoded, numbers.encoded);
    numbers.filter(
        move |bytes| {
            let mut bytes = converted(bytes, encoded, decoded)?;
            delta_decode_in_place(&mut bytes, decoded);
            Ok(bytes)
        },
        move |mut bytes| {
            delta_encode_in_place(&mut bytes, decoded);
            converted(bytes, decoded, encoded)
        },
    )
}
