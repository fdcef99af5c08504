//! The number types of `cast_value` and `scale_offset`: integers, and floats of 16 to 64 bits.

use crate::error::{Error, Result};
use crate::format::data_type::{DataType, Float};
use crate::kernel::exact::Number;

/// The number type of a data type.
///
/// # Errors
/// `Unsupported`, with the name of the codec, for other data types and for floats of 8 bits and
/// fewer.
pub(super) fn exact_number(data_type: &DataType, codec: &str) -> Result<Number> {
    let (exponent_bits, fraction_bits) = match data_type {
        DataType::Integer(integer) => {
            return Ok(Number::Integer { bits: integer.bits(), signed: integer.is_signed() });
        }
        DataType::Float(Float::Float16) => (5, 10),
        DataType::Float(Float::Bfloat16) => (8, 7),
        DataType::Float(Float::Float32) => (8, 23),
        DataType::Float(Float::Float64) => (11, 52),
        other => {
            let name = other.name();
            return Err(Error::unsupported(format!("{codec} does not support the data type {name}")));
        }
    };
    Ok(Number::Float { exponent_bits, fraction_bits })
}
