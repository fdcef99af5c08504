//! `delta`: stores the first number, then the differences between neighbours in memory order.
//! <https://numcodecs.readthedocs.io/en/stable/filter/delta.html>
//!
//! Integers wrap. Differences are stored as `astype`, which may be narrower than `dtype`; the sums
//! are of type `dtype`. bool is not supported, because numcodecs cannot decode its differences.
//! Complex numbers are not supported.

use half::f16;

use super::numpy::{Numbers, converted};
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::kernel::cast::NumberType;
use crate::kernel::delta::delta_decode_in_place;

/// Binds the codec. Its configuration: `dtype`, `astype`.
///
/// # Errors
/// As [`Numbers::read`], and `Unsupported` for bool.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let numbers = Numbers::read(configuration, decoded)?;
    if numbers.decoded == NumberType::Bool {
        return Err(Error::unsupported(
            "delta does not support bool: numcodecs adds its differences with \"or\", which loses values",
        ));
    }
    Ok(numbers.filter(
        |numbers, bytes| {
            let mut bytes = converted(bytes, numbers.encoded, numbers.decoded)?;
            if !delta_decode_in_place(&mut bytes, numbers.decoded) {
                add_halves(&mut bytes);
            }
            Ok(bytes)
        },
        |numbers, mut bytes| {
            subtract(&mut bytes, numbers.decoded);
            converted(bytes, numbers.decoded, numbers.encoded)
        },
    ))
}

/// Computes running sums in half precision, rounded at each step.
#[allow(clippy::arithmetic_side_effects, reason = "sums of floats round and do not overflow")]
fn add_halves(buf: &mut [u8]) {
    let Some((first, rest)) = buf.as_chunks_mut().0.split_first_mut() else { return };
    let mut total = f16::from_le_bytes(*first);
    for bytes in rest {
        total += f16::from_le_bytes(*bytes);
        *bytes = total.to_le_bytes();
    }
}

/// Replaces every number but the first by its difference from the one before.
#[allow(clippy::arithmetic_side_effects, reason = "differences of floats round and do not overflow")]
fn subtract(buf: &mut [u8], number: NumberType) {
    match number {
        NumberType::Bool => {}
        NumberType::I8 | NumberType::U8 => {
            differences(buf, |a, b| u8::from_le_bytes(a).wrapping_sub(u8::from_le_bytes(b)).to_le_bytes());
        }
        NumberType::I16 | NumberType::U16 => {
            differences(buf, |a, b| u16::from_le_bytes(a).wrapping_sub(u16::from_le_bytes(b)).to_le_bytes());
        }
        NumberType::I32 | NumberType::U32 => {
            differences(buf, |a, b| u32::from_le_bytes(a).wrapping_sub(u32::from_le_bytes(b)).to_le_bytes());
        }
        NumberType::I64 | NumberType::U64 => {
            differences(buf, |a, b| u64::from_le_bytes(a).wrapping_sub(u64::from_le_bytes(b)).to_le_bytes());
        }
        NumberType::F16 => {
            differences(buf, |a, b| (f16::from_le_bytes(a) - f16::from_le_bytes(b)).to_le_bytes());
        }
        NumberType::F32 => {
            differences(buf, |a, b| (f32::from_le_bytes(a) - f32::from_le_bytes(b)).to_le_bytes());
        }
        NumberType::F64 => {
            differences(buf, |a, b| (f64::from_le_bytes(a) - f64::from_le_bytes(b)).to_le_bytes());
        }
    }
}

fn differences<const N: usize>(buf: &mut [u8], subtract: impl Fn([u8; N], [u8; N]) -> [u8; N]) {
    let Some((first, rest)) = buf.as_chunks_mut::<N>().0.split_first_mut() else { return };
    let mut before = *first;
    for bytes in rest {
        let number = *bytes;
        *bytes = subtract(number, before);
        before = number;
    }
}
