//! `fixedscaleoffset`: stores `round((x - offset) * scale)` in a smaller data type, and decodes
//! `x / scale + offset`. <https://numcodecs.readthedocs.io/en/stable/filter/fixedscaleoffset.html>
//!
//! The arithmetic is NumPy's: floats in their own type, integers in double precision, except that
//! an integer minus an integer wraps. Numbers that do not fit `astype` are no error, as in
//! numcodecs. The registered `scale_offset` is another codec with other rules.

use super::numpy::{Numbers, converted, map_doubles, rounded, zeroed};
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::format::json::Json;
use crate::kernel::number::NumberType;

/// A JSON number. NumPy treats numbers with and without a fraction differently.
#[derive(Clone, Copy)]
struct JsonNumber {
    value: f64,
    integer: Option<i128>,
}

impl JsonNumber {
    fn parse(json: Json<'_>) -> Result<Self> {
        let (text, value) = (json.text(), json.f64()?);
        // Larger integers cannot be operands of NumPy's integers.
        let integer = text.parse::<i64>().map(i128::from).or_else(|_| text.parse::<u64>().map(i128::from));
        Ok(Self { value, integer: integer.ok() })
    }
}

/// The configuration's `offset` and `scale`.
#[derive(Clone, Copy)]
struct Linear {
    offset: JsonNumber,
    scale: JsonNumber,
}

/// Binds the codec. Its configuration: `offset`, `scale`, `dtype`, `astype`.
///
/// # Errors
/// `Format` when `offset` or `scale` is missing or not a number, and for a `dtype` that is none;
/// `Unsupported` for data types that are not numbers.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let number = |field| configuration.required(field, configuration.read(field, JsonNumber::parse)?);
    let linear = Linear { offset: number("offset")?, scale: number("scale")? };
    let numbers = Numbers::read(configuration, decoded)?;
    if [numbers.decoded, numbers.encoded].contains(&NumberType::Bool) {
        return Err(Error::unsupported("fixedscaleoffset does not support the data type bool"));
    }
    let (decoded, encoded) = (numbers.decoded, numbers.encoded);
    numbers.filter(
        move |bytes| linear.decode(&bytes, encoded, decoded),
        move |bytes| linear.encode(&bytes, decoded, encoded),
    )
}

impl Linear {
    fn decode(self, bytes: &[u8], from: NumberType, to: NumberType) -> Result<Vec<u8>> {
        let (scale, offset) = (rounded(self.scale.value, from), rounded(self.offset.value, from));
        map_doubles(bytes, from, to, |number| rounded(rounded(number / scale, from) + offset, from))
    }

    fn encode(self, bytes: &[u8], from: NumberType, to: NumberType) -> Result<Vec<u8>> {
        if let (Some(offset), Some(scale), true) =
            (self.offset.integer, self.scale.integer, from.is_integer())
        {
            return converted(multiplied(bytes, from, offset, scale)?, from, to);
        }
        let work = if from.is_float() { from } else { NumberType::F64 };
        let (scale, offset) = (rounded(self.scale.value, work), rounded(self.offset.value, work));
        map_doubles(bytes, from, to, |number| {
            rounded(rounded(number - offset, work) * scale, work).round_ties_even()
        })
    }
}

/// Encodes integers in their own arithmetic, which wraps.
fn multiplied(bytes: &[u8], number: NumberType, offset: i128, scale: i128) -> Result<Vec<u8>> {
    let size = number.size();
    let numbers = bytes.chunks_exact(size);
    let mut products = zeroed(numbers.len(), number)?;
    for (src, dst) in numbers.zip(products.chunks_exact_mut(size)) {
        let negative = number.is_signed() && src.last().is_some_and(|&byte| byte >= 0x80);
        let mut wide = [if negative { 0xff } else { 0 }; 16];
        wide.iter_mut().zip(src).for_each(|(to, from)| *to = *from);
        let product = i128::from_le_bytes(wide).wrapping_sub(offset).wrapping_mul(scale);
        dst.iter_mut().zip(product.to_le_bytes()).for_each(|(to, from)| *to = from);
    }
    Ok(products)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_at_any_offset() {
        let encoded = multiplied(&[7, 0], NumberType::U8, i128::MIN + 5, 3).unwrap();
        assert_eq!(encoded, [6, 241]);
    }
}
