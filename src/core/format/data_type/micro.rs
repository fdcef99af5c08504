//! Floating-point types of 8, 6 and 4 bits, with one byte each in memory. Their layouts:
//! <https://github.com/jax-ml/ml_dtypes#specifications>
//!
//! The tests compare with the crate `microfloat`. The package does not use it, because it would
//! bring a source of random numbers into every wasm build. There is no arithmetic here.

use super::Float;

/// The bits of a narrow type: the sign (not in E8M0), then the exponent, then the mantissa.
struct Layout {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    specials: NonNumbers,
}

/// Which bit patterns are not numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NonNumbers {
    /// As in IEEE 754: the highest exponent means infinity or NaN.
    Ieee,
    /// All ones but the sign are NaN. There is no infinity.
    OnesAreNan,
    /// The pattern of negative zero is NaN. There is no infinity.
    NegativeZeroIsNan,
    /// Every bit pattern is a number.
    None,
    /// There is no sign, no mantissa and no zero. All ones are NaN.
    Scale,
}

/// The layout of a narrow type. `None` for wider types.
fn layout(float: Float) -> Option<Layout> {
    let (exponent_bits, mantissa_bits, bias, specials) = match float {
        Float::Float8E3M4 => (3, 4, 3, NonNumbers::Ieee),
        Float::Float8E4M3 => (4, 3, 7, NonNumbers::Ieee),
        Float::Float8E4M3B11Fnuz => (4, 3, 11, NonNumbers::NegativeZeroIsNan),
        Float::Float8E4M3Fn => (4, 3, 7, NonNumbers::OnesAreNan),
        Float::Float8E4M3Fnuz => (4, 3, 8, NonNumbers::NegativeZeroIsNan),
        Float::Float8E5M2 => (5, 2, 15, NonNumbers::Ieee),
        Float::Float8E5M2Fnuz => (5, 2, 16, NonNumbers::NegativeZeroIsNan),
        Float::Float8E8M0Fnu => (8, 0, 127, NonNumbers::Scale),
        Float::Float6E2M3Fn => (2, 3, 1, NonNumbers::None),
        Float::Float6E3M2Fn => (3, 2, 3, NonNumbers::None),
        Float::Float4E2M1Fn => (2, 1, 1, NonNumbers::None),
        Float::Float16 | Float::Bfloat16 | Float::Float32 | Float::Float64 => return None,
    };
    Some(Layout { exponent_bits, mantissa_bits, bias, specials })
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "the sign, the exponent and the mantissa of a layout have at most 8 bits"
)]
impl Layout {
    fn sign_bit(&self) -> u8 {
        if self.specials == NonNumbers::Scale { 0 } else { 1 << (self.exponent_bits + self.mantissa_bits) }
    }

    fn nan(&self) -> Option<u8> {
        let ones = self.sign_bit().wrapping_sub(1);
        match self.specials {
            NonNumbers::Ieee => Some(self.infinity() | 1 << (self.mantissa_bits - 1)),
            NonNumbers::OnesAreNan | NonNumbers::Scale => Some(ones),
            NonNumbers::NegativeZeroIsNan => Some(self.sign_bit()),
            NonNumbers::None => None,
        }
    }

    /// The highest exponent without a mantissa.
    fn infinity(&self) -> u8 {
        ((1 << self.exponent_bits) - 1) << self.mantissa_bits
    }

    fn is_nan(&self, byte: u8) -> bool {
        let magnitude = byte & !self.sign_bit();
        match self.specials {
            NonNumbers::Ieee => magnitude > self.infinity(),
            NonNumbers::OnesAreNan | NonNumbers::Scale => Some(magnitude) == self.nan(),
            NonNumbers::NegativeZeroIsNan => byte == self.sign_bit(),
            NonNumbers::None => false,
        }
    }

    /// The number that the bits would be if all patterns were numbers. For infinity, the next
    /// number above the largest, from which rounding gives infinity.
    fn number(&self, byte: u8) -> f32 {
        let magnitude = i32::from(byte & !self.sign_bit());
        let (exponent, mantissa) =
            (magnitude >> self.mantissa_bits, magnitude & ((1 << self.mantissa_bits) - 1));
        let normal = exponent > 0 || self.specials == NonNumbers::Scale;
        let (digits, exponent) =
            if normal { (mantissa | 1 << self.mantissa_bits, exponent) } else { (mantissa, 1) };
        // Only 2^-127, the smallest number of E8M0, is not a normal float32. A double represents
        // all numbers, and narrowing it is exact.
        #[allow(clippy::cast_possible_truncation, reason = "exact, as above")]
        let value = (f64::from(digits)
            * f64::from(exponent - self.bias - self.mantissa_bits.cast_signed()).exp2())
            as f32;
        if byte & self.sign_bit() == 0 { value } else { -value }
    }

    fn decode(&self, byte: u8) -> f32 {
        if self.is_nan(byte) {
            f32::NAN
        } else if self.specials == NonNumbers::Ieee && byte & !self.sign_bit() == self.infinity() {
            f32::INFINITY.copysign(self.number(byte))
        } else {
            self.number(byte)
        }
    }

    /// The largest magnitude that is a number or infinity.
    fn highest(&self) -> u8 {
        let ones = self.sign_bit().wrapping_sub(1);
        match self.specials {
            NonNumbers::Ieee => self.infinity(),
            NonNumbers::OnesAreNan | NonNumbers::Scale => ones - 1,
            NonNumbers::NegativeZeroIsNan | NonNumbers::None => ones,
        }
    }

    /// Of two equally near bytes, the one with the lower rank is taken: the even one. For powers of
    /// two, which have no mantissa, it is the greater one, as in other implementations.
    fn tie(&self, byte: u8) -> u8 {
        if self.specials == NonNumbers::Scale { !byte } else { byte & 1 }
    }

    /// The nearest byte. It compares a few hundred bytes, which is fast enough for fill values.
    fn encode(&self, value: f64) -> Option<u8> {
        let highest = self.highest();
        let in_range = match self.specials {
            NonNumbers::Ieee => true,
            NonNumbers::Scale => value > 0.0 && value <= self.number(highest).into(),
            _ => value.abs() <= self.number(highest).into(),
        };
        let distance = |byte: &u8| (f64::from(self.number(*byte)) - value.abs()).abs();
        let nearer =
            |a: &u8, b: &u8| distance(a).total_cmp(&distance(b)).then(self.tie(*a).cmp(&self.tie(*b)));
        let magnitude = (0..=highest).min_by(nearer).filter(|_| in_range)?;
        let has_sign = magnitude != 0 || self.specials != NonNumbers::NegativeZeroIsNan;
        Some(if value.is_sign_negative() && has_sign { magnitude | self.sign_bit() } else { magnitude })
    }
}

/// The exact value of a byte. `None` for wider types.
pub(super) fn decode(float: Float, byte: u8) -> Option<f32> {
    layout(float).map(|layout| layout.decode(byte))
}

/// The nearest byte, rounded half to even. `None` for wider types, and for values out of the range
/// of types without infinity.
pub(super) fn encode(float: Float, value: f64) -> Option<u8> {
    layout(float)?.encode(value)
}

/// The byte of NaN. `None` where the type does not have it.
pub(super) fn nan(float: Float) -> Option<u8> {
    layout(float)?.nan()
}

/// The bytes of positive and negative infinity. `None` where the type does not have them.
pub(super) fn infinities(float: Float) -> Option<[u8; 2]> {
    let layout = layout(float).filter(|layout| layout.specials == NonNumbers::Ieee)?;
    Some([layout.infinity(), layout.infinity() | layout.sign_bit()])
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use microfloat::{
        f4e2m1fn, f6e2m3fn, f6e3m2fn, f8e3m4, f8e4m3, f8e4m3b11fnuz, f8e4m3fn, f8e4m3fnuz, f8e5m2,
        f8e5m2fnuz, f8e8m0fnu,
    };

    use super::*;

    macro_rules! oracles {
        ($($float:ident $micro:ident),*) => {
            #[test]
            fn every_byte_decodes_as_in_microfloat() {
                $(for byte in 0..=u8::try_from((1_u32 << Float::$float.bits()) - 1).unwrap() {
                    let (ours, theirs) = (decode(Float::$float, byte).unwrap(), $micro::from_bits(byte).to_f32());
                    let same = ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan());
                    assert!(same, "{} {byte:#x}: {ours} {theirs}", Float::$float.name());
                })*
            }

            #[test]
            fn numbers_are_rounded_as_in_microfloat() {
                $(for step in -4000_i32..4000 {
                    let value = f64::from(step) / 16.0 * f64::from(step.rem_euclid(7) - 5).exp2();
                    let theirs = $micro::from_f64(value);
                    // For values out of range, microfloat gives the greatest number or NaN.
                    match encode(Float::$float, value) {
                        Some(ours) => assert_eq!(ours, theirs.to_bits(), "{} {value}", Float::$float.name()),
                        None => assert!(theirs.is_nan() || (theirs.to_f64() - value).abs() > 0.0),
                    }
                })*
            }

            #[test]
            fn specials_are_those_of_microfloat() {
                $(
                    assert_eq!(nan(Float::$float), $micro::has_nan().then(|| $micro::NAN.to_bits()));
                    let theirs = [$micro::INFINITY.to_bits(), $micro::NEG_INFINITY.to_bits()];
                    assert_eq!(infinities(Float::$float), $micro::has_inf().then_some(theirs));
                )*
            }
        };
    }

    oracles! {
        Float8E3M4 f8e3m4, Float8E4M3 f8e4m3, Float8E4M3B11Fnuz f8e4m3b11fnuz, Float8E4M3Fn f8e4m3fn,
        Float8E4M3Fnuz f8e4m3fnuz, Float8E5M2 f8e5m2, Float8E5M2Fnuz f8e5m2fnuz, Float8E8M0Fnu f8e8m0fnu,
        Float6E2M3Fn f6e2m3fn, Float6E3M2Fn f6e3m2fn, Float4E2M1Fn f4e2m1fn
    }
}
