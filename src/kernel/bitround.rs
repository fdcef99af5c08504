//! Rounds numbers to a few significant bits, ties to even: the loop of `bitround`'s encoder.
//!
//! Floats round within their fraction, integers from their highest set bit. NaN and the sign of an
//! integer stay. An integer that would round out of range is truncated.

use super::number::{Number, NumberType};

/// Rounds every number of `buf` to its `kept` highest significant bits.
#[inline(never)]
pub fn round_bits(buf: &mut [u8], number: NumberType, kept: u32) {
    let rounding = Rounding::of(number, kept);
    match number.size() {
        1 => round_each::<1>(buf, rounding),
        2 => round_each::<2>(buf, rounding),
        4 => round_each::<4>(buf, rounding),
        _ => round_each::<8>(buf, rounding),
    }
}

fn round_each<const N: usize>(buf: &mut [u8], rounding: Rounding) {
    for bytes in buf.as_chunks_mut::<N>().0 {
        let mut wide = [0; 8];
        wide[..N].copy_from_slice(bytes);
        bytes.copy_from_slice(&rounding.round(u64::from_le_bytes(wide)).to_le_bytes()[..N]);
    }
}

/// How to round the bit patterns of one number type.
#[derive(Clone, Copy)]
struct Rounding {
    kept: u32,
    /// The highest bit.
    sign: u64,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Float { infinity: u64, fraction_bits: u32 },
    Integer { signed: bool },
}

impl Rounding {
    fn of(number: NumberType, kept: u32) -> Self {
        let sign = 1 << (8 * number.size() - 1);
        let kind = match number.layout() {
            Number::Integer { signed, .. } => Kind::Integer { signed },
            Number::Float { exponent_bits, fraction_bits } => {
                Kind::Float { infinity: ((1 << exponent_bits) - 1) << fraction_bits, fraction_bits }
            }
        };
        Self { kept, sign, kind }
    }

    fn round(self, pattern: u64) -> u64 {
        match self.kind {
            Kind::Float { infinity, fraction_bits } => {
                let (sign, magnitude) = (pattern & self.sign, pattern & !self.sign);
                if magnitude > infinity {
                    return pattern;
                }
                // The exponent is above the fraction: a carry increments it.
                sign | round_magnitude(magnitude, fraction_bits.saturating_sub(self.kept), infinity)
            }
            Kind::Integer { signed } => {
                // The highest set bit of a negative number is its sign.
                let is_positive = signed && pattern < self.sign;
                let most = if is_positive { self.sign - 1 } else { self.sign | (self.sign - 1) };
                let significant = u64::BITS - pattern.leading_zeros();
                round_magnitude(pattern, significant.saturating_sub(self.kept), most)
            }
        }
    }
}

/// Drops the lowest bits, at most 64, and rounds ties to even. Truncates where rounding would
/// exceed `most`.
fn round_magnitude(magnitude: u64, dropped: u32, most: u64) -> u64 {
    if dropped == 0 {
        return magnitude;
    }
    let below = u64::MAX >> (u64::BITS - dropped);
    let half = 1 << (dropped - 1);
    let (rest, truncated) = (magnitude & below, magnitude & !below);
    let is_odd = truncated.checked_shr(dropped).unwrap_or(0) & 1 == 1;
    let is_up = rest > half || (rest == half && is_odd);
    let up = truncated.checked_add(below).and_then(|rounded| rounded.checked_add(1));
    up.filter(|rounded| is_up && *rounded <= most).unwrap_or(truncated)
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::super::naive;
    use super::*;

    fn round(number: NumberType, kept: u32, pattern: u64) -> u64 {
        let mut buf = pattern.to_le_bytes()[..number.size()].to_vec();
        round_bits(&mut buf, number, kept);
        naive::bits(&buf)
    }

    #[test]
    fn floats_round_within_their_fraction() {
        let single =
            |value: f32, kept| f32::from_bits(round(NumberType::F32, kept, value.to_bits().into()) as u32);
        // By hand: binary 1.01101… and 1.0111, to three and two digits; then a tie in each
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

    #[test]
    fn every_type_and_number_of_bits() {
        use NumberType::*;
        for number in [I8, U8, I16, U16, F16, I32, U32, F32, I64, U64, F64] {
            for kept in naive::cases(0..=64, 9) {
                let src = naive::bytes(number.size() * 40, kept);
                let mut rounded = src.clone();
                round_bits(&mut rounded, number, kept);
                let expected = src.chunks(number.size());
                let expected: Vec<u8> =
                    expected.flat_map(|bytes| naive::rounded_bits(bytes, number, kept)).collect();
                assert!(rounded == expected, "{number:?} to {kept} bits");
            }
        }
    }
}
