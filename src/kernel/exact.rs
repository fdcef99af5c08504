//! Exact numbers: the value of an element, and the nearest element of another type in any rounding
//! mode. The loop of `cast_value`.
//!
//! `cast` has Rust's conversions; this has other rounding modes, values that are mapped, and
//! errors. It covers integers of 2 to 64 bits, the floats of IEEE 754 and `bfloat16`. It has no
//! arithmetic and no floats of 8 bits and fewer.
//!
//! ```text
//! for each number of src:                                                        cast_one
//!     if the map has the number: the result is its partner
//!     read the exact value, ± magnitude * 2^exponent, from the bits           Number::value
//!     choose the weight of the result's last digit, 2^step:
//!         for an integer: step = 0                                            Number::round
//!         for a float: step = the exponent of the last bit of a fraction of this size, but
//!                      never less than that of the smallest number           round_to_float
//!     digits = magnitude * 2^(exponent - step), rounded in the given mode          to_steps
//!     for an integer: the result is ± digits
//!     for a float: the bits are digits + ((step - least) << fraction_bits), because the
//!                  leading 1 of the digits adds 1 to the exponent, and so does a carry
//!     out of range: an error, the end of the range, or the low bits, as the caller chose
//! ```

use super::cast::cast;
use super::number::{Number, NumberType};
use super::sort::sort_by_key;

/// The value of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExactValue {
    /// `magnitude * 2^exponent`, negated if `negative`. Zero has a sign.
    Finite { negative: bool, magnitude: u64, exponent: i32 },
    /// Infinity.
    Infinite { negative: bool },
    /// Not a number.
    Nan,
}

/// How to round a value between two numbers of the target type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest number; ties to the even one.
    NearestEven,
    /// To the nearest number; ties away from zero.
    NearestAway,
    /// Towards zero.
    TowardsZero,
    /// Towards infinity.
    TowardsPositive,
    /// Towards negative infinity.
    TowardsNegative,
}

/// How to treat numbers out of the range of the new type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfRange {
    /// They become the extreme number of their sign.
    Clamp,
    /// Integers keep their low bits.
    Wrap,
}

/// Why a number cannot be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastFailure {
    /// It is out of the range of the new type.
    OutOfRange,
    /// It is infinite or NaN, which an integer type cannot hold.
    Unlike,
}

/// The result of rounding to another type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rounded {
    /// The bits of the number.
    Bits(u64),
    /// The rounded value is out of range; an integer type that wraps keeps these low bits.
    OutOfRange { low_bits: u64 },
    /// Infinity or NaN, which an integer type cannot hold.
    Unlike,
}

/// A conversion with rules.
#[derive(Clone, Debug)]
pub struct ExactCast {
    from: Number,
    to: Number,
    rounding: Rounding,
    out_of_range: Option<OutOfRange>,
    /// The bits that numbers are mapped to, by their canonical bits, ascending.
    map: Vec<(u64, u64)>,
    /// Set when every number fits, so that no rule applies.
    plain: Option<(NumberType, NumberType)>,
}

impl ExactCast {
    /// `map` has the bits of numbers that become others instead of being converted. Of equal
    /// numbers the first counts. Without a rule numbers out of range are errors. Floats cannot
    /// wrap.
    pub fn new(
        [from, to]: [Number; 2],
        rounding: Rounding,
        out_of_range: Option<OutOfRange>,
        mut map: Vec<(u64, u64)>,
    ) -> Self {
        map.iter_mut().for_each(|(input, _)| *input = from.canonical(*input));
        sort_by_key(&mut map, |(input, _)| *input);
        map.dedup_by_key(|(input, _)| *input);
        let plain = NumberType::of_layout(from)
            .zip(NumberType::of_layout(to))
            .filter(|_| map.is_empty() && to.holds(from));
        let out_of_range = out_of_range.filter(|rule| to.is_integer() || *rule == OutOfRange::Clamp);
        Self { from, to, rounding, out_of_range, map, plain }
    }

    /// The number types of both sides.
    pub fn numbers(&self) -> [Number; 2] {
        [self.from, self.to]
    }

    /// Converts every number of `src`.
    ///
    /// # Errors
    /// For the first number that cannot be converted.
    ///
    /// # Panics
    /// When `src` and `dst` do not hold the same number of whole numbers.
    #[inline(never)]
    pub fn cast(&self, src: &[u8], dst: &mut [u8]) -> Result<(), CastFailure> {
        if let Some((from, to)) = self.plain {
            cast(src, from, dst, to);
            return Ok(());
        }
        let size = self.to.size();
        for (src, dst) in src.chunks_exact(self.from.size()).zip(dst.chunks_exact_mut(size)) {
            dst.copy_from_slice(&self.cast_one(self.from.load(src))?.to_le_bytes()[..size]);
        }
        Ok(())
    }

    fn cast_one(&self, pattern: u64) -> Result<u64, CastFailure> {
        if !self.map.is_empty() {
            let canonical = self.from.canonical(pattern);
            if let Ok(at) = self.map.binary_search_by_key(&canonical, |(input, _)| *input) {
                return Ok(self.map[at].1);
            }
        }
        let value = self.from.value(pattern);
        match (self.to.round(value, self.rounding), self.out_of_range) {
            (Rounded::Bits(bits), _) => Ok(bits),
            (Rounded::Unlike, _) => Err(CastFailure::Unlike),
            (Rounded::OutOfRange { .. }, None) => Err(CastFailure::OutOfRange),
            (Rounded::OutOfRange { low_bits }, Some(OutOfRange::Wrap)) => Ok(low_bits),
            (Rounded::OutOfRange { .. }, Some(OutOfRange::Clamp)) => {
                Ok(self.to.end(matches!(value, ExactValue::Finite { negative: true, .. })))
            }
        }
    }
}

impl Number {
    /// The bits that represent all numbers equal to this one: all NaNs are equal, and so are both
    /// zeros.
    fn canonical(self, pattern: u64) -> u64 {
        let value = match self.value(pattern) {
            ExactValue::Finite { magnitude: 0, .. } => {
                ExactValue::Finite { negative: false, magnitude: 0, exponent: 0 }
            }
            value => value,
        };
        match self.round(value, Rounding::NearestEven) {
            Rounded::Bits(bits) => bits,
            _ => pattern,
        }
    }

    /// Whether every number of the other type is exact in this one.
    fn holds(self, other: Self) -> bool {
        match (other, self) {
            (Self::Integer { bits, signed }, Self::Integer { bits: room, signed: has_signed }) => {
                (signed == has_signed && bits <= room) || (!signed && bits < room)
            }
            (Self::Integer { bits, .. }, Self::Float { fraction_bits, exponent_bits }) => {
                bits.saturating_sub(1) <= fraction_bits && exponent_bits > 5
            }
            (
                Self::Float { exponent_bits, fraction_bits },
                Self::Float { exponent_bits: exponent_room, fraction_bits: fraction_room },
            ) => exponent_bits <= exponent_room && fraction_bits <= fraction_room,
            (Self::Float { .. }, Self::Integer { .. }) => false,
        }
    }

    /// The value of these bits.
    fn value(self, pattern: u64) -> ExactValue {
        match self {
            Self::Integer { bits, signed } => {
                let unused = u64::BITS - bits;
                let high = pattern << unused;
                let negative = signed && high.cast_signed() < 0;
                let magnitude =
                    if negative { (high.cast_signed() >> unused).unsigned_abs() } else { high >> unused };
                ExactValue::Finite { negative, magnitude, exponent: 0 }
            }
            Self::Float { exponent_bits, fraction_bits } => {
                let negative = pattern >> (exponent_bits + fraction_bits) & 1 == 1;
                let field = pattern >> fraction_bits & ((1 << exponent_bits) - 1);
                let fraction = pattern & ((1 << fraction_bits) - 1);
                if field == (1 << exponent_bits) - 1 {
                    return if fraction == 0 { ExactValue::Infinite { negative } } else { ExactValue::Nan };
                }
                // Subnormal numbers have no implicit leading one.
                let leading = if field == 0 { 0 } else { 1 << fraction_bits };
                let step = i32::try_from(field.max(1)).unwrap_or(1) - 1;
                let exponent = self.least_exponent() + step;
                ExactValue::Finite { negative, magnitude: leading | fraction, exponent }
            }
        }
    }

    /// The exponent of the smallest step of the type.
    fn least_exponent(self) -> i32 {
        match self {
            Self::Integer { .. } => 0,
            Self::Float { exponent_bits, fraction_bits } => {
                2 - (1_i32 << (exponent_bits - 1)) - fraction_bits.cast_signed()
            }
        }
    }

    /// The bits of the infinity or of the extreme integer of that sign.
    fn end(self, negative: bool) -> u64 {
        match self {
            Self::Integer { bits, signed: false } => {
                if negative {
                    0
                } else {
                    u64::MAX >> (u64::BITS - bits)
                }
            }
            Self::Integer { bits, signed: true } => {
                let largest = u64::MAX >> (u64::BITS - bits + 1);
                if negative { !largest } else { largest }
            }
            Self::Float { exponent_bits, fraction_bits } => {
                let infinity = ((1 << exponent_bits) - 1) << fraction_bits;
                infinity | u64::from(negative) << (exponent_bits + fraction_bits)
            }
        }
    }

    /// The bits of a value in this type, rounded.
    fn round(self, value: ExactValue, rounding: Rounding) -> Rounded {
        match (self, value) {
            (Self::Integer { .. }, ExactValue::Infinite { .. } | ExactValue::Nan) => Rounded::Unlike,
            (_, ExactValue::Infinite { negative }) => Rounded::Bits(self.end(negative)),
            (Self::Float { fraction_bits, .. }, ExactValue::Nan) => {
                Rounded::Bits(self.end(false) | 1 << (fraction_bits - 1))
            }
            (Self::Integer { bits, signed }, ExactValue::Finite { negative, magnitude, exponent }) => {
                round_to_integer(to_steps(magnitude, exponent, 0, negative, rounding), negative, bits, signed)
            }
            (Self::Float { .. }, ExactValue::Finite { negative, magnitude, exponent }) => {
                self.round_to_float(negative, magnitude, exponent, rounding)
            }
        }
    }

    fn round_to_float(self, negative: bool, magnitude: u64, exponent: i32, rounding: Rounding) -> Rounded {
        let Self::Float { exponent_bits, fraction_bits } = self else { return Rounded::Unlike };
        let sign = u64::from(negative) << (exponent_bits + fraction_bits);
        let used = (u64::BITS - magnitude.leading_zeros()).cast_signed();
        if used == 0 {
            return Rounded::Bits(sign);
        }
        // As many digits as the fraction holds, but none below the smallest step.
        let step = (exponent + used - 1 - fraction_bits.cast_signed()).max(self.least_exponent());
        let digits = match to_steps(magnitude, exponent, step, negative, rounding) {
            Steps::Digits(digits) => digits,
            Steps::Shifted { .. } => return Rounded::Unlike,
        };
        // A carry out of the fraction increments the exponent, because the bits are one number.
        // For subnormal numbers the fraction is the number of steps from zero.
        let field = u128::from((step - self.least_exponent()).unsigned_abs());
        let bits = (field << fraction_bits) + digits;
        match u64::try_from(bits) {
            Ok(bits) if bits < self.end(false) => Rounded::Bits(sign | bits),
            _ => Rounded::OutOfRange { low_bits: 0 },
        }
    }
}

/// A magnitude in whole steps.
enum Steps {
    /// This number of steps.
    Digits(u128),
    /// These digits and this number of zero bits after them, which do not fit 128 bits.
    Shifted { digits: u64, zeros: u32 },
}

/// Rounds `magnitude * 2^exponent` to steps of `2^step`.
fn to_steps(magnitude: u64, exponent: i32, step: i32, negative: bool, rounding: Rounding) -> Steps {
    let Some(dropped) = step.checked_sub(exponent).filter(|dropped| *dropped > 0) else {
        let zeros = exponent.abs_diff(step);
        return match zeros {
            0..=63 => Steps::Digits(u128::from(magnitude) << zeros),
            _ => Steps::Shifted { digits: magnitude, zeros },
        };
    };
    // 66 dropped bits round like any larger number.
    let dropped = dropped.unsigned_abs().min(66);
    let wide = u128::from(magnitude);
    let (digits, rest, half) = (wide >> dropped, wide & ((1 << dropped) - 1), 1 << (dropped - 1));
    let up = match rounding {
        Rounding::NearestEven => rest > half || (rest == half && digits & 1 == 1),
        Rounding::NearestAway => rest >= half,
        Rounding::TowardsZero => false,
        Rounding::TowardsPositive => rest > 0 && !negative,
        Rounding::TowardsNegative => rest > 0 && negative,
    };
    Steps::Digits(digits + u128::from(up))
}

#[allow(clippy::cast_possible_truncation)] // the low bits are meant
fn round_to_integer(to_steps: Steps, negative: bool, bits: u32, signed: bool) -> Rounded {
    let sized = |low: u64| {
        let unused = u64::BITS - bits;
        let high = low << unused;
        // In memory, the unused bits of a narrow integer repeat its sign.
        if signed { (high.cast_signed() >> unused).cast_unsigned() } else { high >> unused }
    };
    let (digits, low) = match to_steps {
        Steps::Digits(digits) => (digits, digits as u64),
        Steps::Shifted { digits: 0, .. } => (0, 0),
        // The zeros exceed the bits of every integer type.
        Steps::Shifted { digits, zeros } => (u128::MAX, digits.checked_shl(zeros).unwrap_or(0)),
    };
    let low = sized(if negative { low.wrapping_neg() } else { low });
    let room = if signed { bits - 1 } else { bits };
    let most = if !negative {
        (1 << room) - 1
    } else if signed {
        1 << room
    } else {
        0
    };
    if digits <= most { Rounded::Bits(low) } else { Rounded::OutOfRange { low_bits: low } }
}

// The random numbers of these tests need an operating system.
#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
mod tests {
    use proptest::prelude::*;

    use super::super::naive;
    use super::*;

    const I32: Number = Number::Integer { bits: 32, signed: true };
    const U64: Number = Number::Integer { bits: 64, signed: false };
    const I64: Number = Number::Integer { bits: 64, signed: true };
    const F16: Number = Number::Float { exponent_bits: 5, fraction_bits: 10 };
    const BF16: Number = Number::Float { exponent_bits: 8, fraction_bits: 7 };
    const F32: Number = Number::Float { exponent_bits: 8, fraction_bits: 23 };
    const F64: Number = Number::Float { exponent_bits: 11, fraction_bits: 52 };
    const ALL: [Rounding; 5] = [
        Rounding::NearestEven,
        Rounding::NearestAway,
        Rounding::TowardsZero,
        Rounding::TowardsPositive,
        Rounding::TowardsNegative,
    ];

    /// Rounds a double to a single: Rust's nearest single or one of its neighbours.
    fn single(value: f64, rounding: Rounding) -> f32 {
        let nearest = value as f32;
        let (below, above) = match f64::from(nearest).total_cmp(&value) {
            std::cmp::Ordering::Less => (nearest, nearest.next_up()),
            std::cmp::Ordering::Equal => return nearest,
            std::cmp::Ordering::Greater => (nearest.next_down(), nearest),
        };
        let (inner, outer) = if value < 0.0 { (above, below) } else { (below, above) };
        let tie = value - f64::from(inner) == f64::from(outer) - value;
        match rounding {
            Rounding::NearestEven => nearest,
            Rounding::NearestAway => {
                if tie {
                    outer
                } else {
                    nearest
                }
            }
            Rounding::TowardsZero => inner,
            Rounding::TowardsPositive => above,
            Rounding::TowardsNegative => below,
        }
    }

    /// Doubles near singles, near ties between singles, and of every size.
    fn doubles() -> impl Strategy<Value = f64> {
        let near = (any::<f32>(), -2_i64..=2).prop_map(|(single, steps)| {
            f64::from_bits(f64::from(single).to_bits().wrapping_add_signed(steps))
        });
        let tie = (any::<f32>(), -1_i64..=1).prop_map(|(single, steps)| {
            let middle = f64::midpoint(single.into(), single.next_up().into());
            f64::from_bits(middle.to_bits().wrapping_add_signed(steps))
        });
        prop_oneof![
            near,
            tie,
            any::<f64>(),
            (-1e6..1e6_f64),
            (-4000_i32..4000).prop_map(|n| f64::from(n) / 8.0)
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, max_global_rejects: 40_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn doubles_become_singles(value in doubles()) {
            prop_assume!(value.is_finite() && value.abs() < 3.4e38);
            for rounding in ALL {
                let expected = u64::from(single(value, rounding).to_bits());
                prop_assert_eq!(F32.round(F64.value(value.to_bits()), rounding), Rounded::Bits(expected), "{:?}", rounding);
            }
        }

        #[test]
        fn doubles_become_halves(value in doubles()) {
            prop_assume!(value.abs() < 6e4);
            // A double rounds to a half through a single only where that is exact.
            let value = f64::from(value as f32);
            let rounded = |number: Number| number.round(F64.value(value.to_bits()), Rounding::NearestEven);
            prop_assert_eq!(rounded(F16), Rounded::Bits(half::f16::from_f32(value as f32).to_bits().into()));
            prop_assert_eq!(rounded(BF16), Rounded::Bits(half::bf16::from_f32(value as f32).to_bits().into()));
        }

        #[test]
        fn doubles_become_integers(value in doubles()) {
            prop_assume!(value.abs() < 2e9);
            for (rounding, whole) in ALL.into_iter().zip([
                value.round_ties_even(), value.round(), value.trunc(), value.ceil(), value.floor(),
            ]) {
                let expected = Rounded::Bits(u64::from_le_bytes((whole as i64).to_le_bytes()));
                prop_assert_eq!(I32.round(F64.value(value.to_bits()), rounding), expected, "{:?}", rounding);
            }
        }

        #[test]
        fn integers_become_floats(value: i64, shift in 0_u32..64) {
            let value = value >> shift;
            let exact = I64.value(u64::from_le_bytes(value.to_le_bytes()));
            prop_assert_eq!(F64.round(exact, Rounding::NearestEven), Rounded::Bits((value as f64).to_bits()));
            prop_assert_eq!(F32.round(exact, Rounding::NearestEven), Rounded::Bits((value as f32).to_bits().into()));
        }

        #[test]
        fn every_number_is_itself(pattern: u64) {
            for number in [F16, BF16, F32, F64, I32, I64, U64] {
                let pattern = number.load(&pattern.to_le_bytes());
                let value = number.value(pattern);
                prop_assume!(value != ExactValue::Nan);
                let Rounded::Bits(bits) = number.round(value, Rounding::TowardsZero) else { panic!("{value:?}") };
                prop_assert_eq!(number.load(&bits.to_le_bytes()), pattern);
            }
        }
    }

    #[test]
    fn a_slice_is_cast_number_by_number() {
        let mapped = [(f32::NAN, 7), (0.0, 9), (-0.0, 1)];
        let map = mapped.map(|(input, output)| (u64::from(input.to_bits()), output)).to_vec();
        let to = Number::Integer { bits: 8, signed: true };
        let cast = ExactCast::new([F32, to], Rounding::TowardsZero, Some(OutOfRange::Clamp), map);
        for count in naive::COUNTS {
            let src = naive::bytes(count * 4, 21);
            let expected = src.as_chunks().0.iter().map(|bytes| match f32::from_le_bytes(*bytes) {
                0.0 => 9,
                number if number.is_nan() => 7,
                number => number as i8,
            });
            let expected: Vec<u8> = expected.map(i8::cast_unsigned).collect();
            let mut dst = vec![0xee; count];
            assert_eq!(cast.cast(&src, &mut dst), Ok(()));
            assert_eq!(dst, expected);
        }
        assert_eq!(cast.cast(&f32::INFINITY.to_le_bytes(), &mut [0]), Err(CastFailure::Unlike));
        let strict = ExactCast::new([F32, to], Rounding::TowardsZero, None, Vec::new());
        assert_eq!(strict.cast(&128_f32.to_le_bytes(), &mut [0]), Err(CastFailure::OutOfRange));
        let plain = ExactCast::new([to, F32], Rounding::TowardsZero, None, Vec::new());
        let mut dst = [0; 4];
        assert_eq!(plain.cast(&[0xfe], &mut dst), Ok(()));
        assert_eq!(dst, (-2_f32).to_le_bytes());
    }

    #[test]
    fn the_extreme_numbers_of_types() {
        let half = |value: f64| F16.round(F64.value(value.to_bits()), Rounding::NearestEven);
        assert_eq!(half(65519.9), Rounded::Bits(0x7bff));
        assert_eq!(half(65520.0), Rounded::OutOfRange { low_bits: 0 });
        assert_eq!(half(f64::NEG_INFINITY), Rounded::Bits(0xfc00));
        assert_eq!(half(f64::NAN), Rounded::Bits(0x7e00));
        assert_eq!(half(-0.0), Rounded::Bits(0x8000));
        let int = |value: f64, bits, signed| {
            Number::Integer { bits, signed }.round(F64.value(value.to_bits()), Rounding::NearestEven)
        };
        assert_eq!(int(-128.5, 8, true), Rounded::Bits((-128_i64).cast_unsigned()));
        assert_eq!(int(128.4, 8, true), Rounded::OutOfRange { low_bits: (-128_i64).cast_unsigned() });
        assert_eq!(int(-9.0, 4, true), Rounded::OutOfRange { low_bits: 7 });
        assert_eq!(int(-1.0, 16, false), Rounded::OutOfRange { low_bits: 0xffff });
        assert_eq!(int(-0.4, 16, false), Rounded::Bits(0));
        assert_eq!(int(1e300, 64, true), Rounded::OutOfRange { low_bits: 0 });
        assert_eq!(int(18_446_744_073_709_549_568.0, 64, false), Rounded::Bits(u64::MAX - 2047));
        assert_eq!(int(f64::NAN, 8, true), Rounded::Unlike);
        assert_eq!(Number::Integer { bits: 4, signed: true }.end(true), (-8_i64).cast_unsigned());
        assert_eq!(U64.end(false), u64::MAX);
    }
}
