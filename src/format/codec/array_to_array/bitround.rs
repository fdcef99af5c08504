//! `bitround`: rounds numbers to a few significant bits, so that they compress better.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/bitround>,
//! <https://numcodecs.readthedocs.io/en/stable/filter/bitround.html>
//!
//! Decoding changes nothing. Encoding rounds ties to even: floats within their fraction, integers
//! from their highest set bit. NaN and the sign of an integer stay. (numcodecs turns some NaNs into
//! zero.) An integer that would round out of range is truncated instead.

use super::numpy::{is_signed, number_type};
use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, Spelling};
use crate::format::codec::registry::require_encoders;
use crate::format::codec::{ArrayBytes, ArrayToArray, ChunkRepresentation, Codec};
use crate::kernel::cast::NumberType;

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

    #[allow(clippy::indexing_slicing, reason = "the types of numbers have 1 to 8 bytes")]
    fn encode(&self, decoded: ArrayBytes) -> Result<ArrayBytes> {
        require_encoders()?;
        let number = number_type(&self.representation.data_type)?;
        let mut bytes = decoded.into_fixed()?;
        let rounding = BitRounding { number, keepbits: self.keepbits };
        for element in bytes.chunks_exact_mut(number.size()) {
            let mut wide = [0; 8];
            wide[..element.len()].copy_from_slice(element);
            let rounded = rounding.round(u64::from_le_bytes(wide)).to_le_bytes();
            element.copy_from_slice(&rounded[..element.len()]);
        }
        Ok(ArrayBytes::Fixed(bytes))
    }
}

/// How to round the bit patterns of one number type.
#[derive(Clone, Copy)]
struct BitRounding {
    number: NumberType,
    keepbits: u32,
}

impl BitRounding {
    fn round(self, pattern: u64) -> u64 {
        let infinity: u64 = match self.number {
            NumberType::F16 => 0x7c00,
            NumberType::F32 => 0x7f80_0000,
            NumberType::F64 => 0x7ff0_0000_0000_0000,
            _ => return self.round_integer(pattern),
        };
        // The exponent and the sign are above the fraction: a carry increments the exponent.
        let (fraction_bits, sign_bit) = match self.number {
            NumberType::F16 => (10, 1 << 15),
            NumberType::F32 => (23, 1 << 31),
            _ => (52, 1 << 63),
        };
        let (sign, magnitude) = (pattern & sign_bit, pattern & !sign_bit);
        if magnitude > infinity {
            return pattern;
        }
        sign | round_magnitude(magnitude, fraction_bits, self.keepbits, infinity)
    }

    #[allow(clippy::arithmetic_side_effects, reason = "the types of numbers have 1 to 8 bytes")]
    fn round_integer(self, pattern: u64) -> u64 {
        let all = u64::MAX >> (u64::BITS - 8 * self.size());
        let negative = is_signed(self.number) && pattern > all / 2;
        // The highest set bit of a negative number is its sign.
        let significant = u64::BITS - pattern.leading_zeros();
        let most = if is_signed(self.number) && !negative { all / 2 } else { all };
        round_magnitude(pattern, significant, self.keepbits, most)
    }

    fn size(self) -> u32 {
        match self.number {
            NumberType::Bool | NumberType::I8 | NumberType::U8 => 1,
            NumberType::I16 | NumberType::U16 | NumberType::F16 => 2,
            NumberType::I32 | NumberType::U32 | NumberType::F32 => 4,
            NumberType::I64 | NumberType::U64 | NumberType::F64 => 8,
        }
    }
}

/// Keeps the highest `kept` of the low `significant` bits, ties to even. Truncates where rounding
/// would exceed `most`.
#[allow(clippy::cast_possible_truncation)] // a truncated magnitude is no larger than before
#[allow(
    clippy::arithmetic_side_effects,
    reason = "at most 64 bits are dropped; a magnitude and a step fit 128 bits"
)]
fn round_magnitude(magnitude: u64, significant: u32, kept: u32, most: u64) -> u64 {
    let dropped = significant.saturating_sub(kept);
    if dropped == 0 {
        return magnitude;
    }
    let (wide, step) = (u128::from(magnitude), 1_u128 << dropped);
    let odd = (wide / step) & 1;
    let rounded = (wide + odd + step / 2 - 1) / step * step;
    let fits = u64::try_from(rounded).ok().filter(|&rounded| rounded <= most);
    fits.unwrap_or((wide / step * step) as u64)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::cast_possible_truncation)]
mod tests {
    use super::*;

    fn round(number: NumberType, keepbits: u32, pattern: u64) -> u64 {
        BitRounding { number, keepbits }.round(pattern)
    }

    #[test]
    fn floats_round_within_their_fraction() {
        let single = |value: f32, keepbits| {
            f32::from_bits(round(NumberType::F32, keepbits, value.to_bits().into()) as u32)
        };
        // By hand: binary 1.01101… and 1.0111, to three and two places; then a tie in each
        // direction.
        assert_eq!([single(1.40625, 3), single(1.4375, 3)], [1.375, 1.5]);
        assert_eq!([single(1.125, 2), single(1.375, 2), single(-1.375, 2)], [1.0, 1.5, -1.5]);
        assert_eq!([single(1.75, 0), single(f32::MAX, 3)], [2.0, f32::INFINITY]);
        assert!(single(f32::NAN, 0).is_nan());
        assert_eq!(single(0.1, 23), 0.1);
    }

    #[test]
    fn integers_round_from_their_highest_bit() {
        // 0b1011_0111 to three bits is 0b1100_0000, to four 0b1011_0000.
        assert_eq!([round(NumberType::U8, 3, 0xb7), round(NumberType::U8, 4, 0xb7)], [0xc0, 0xb0]);
        assert_eq!([round(NumberType::U16, 1, 3), round(NumberType::U64, 1, 0)], [4, 0]);
        // Numbers that would round out of range are truncated: 127 to 112, 255 to 224.
        assert_eq!([round(NumberType::I8, 3, 127), round(NumberType::U8, 3, 255)], [112, 224]);
        assert_eq!(round(NumberType::U64, 1, u64::MAX), 1 << 63);
        // -3 is 0b1111_1101.
        assert_eq!(round(NumberType::I8, 6, 0xfd), 0xfc);
    }
}
