//! Values of floats by the layout of their bits, and the special values. Their layouts are in
//! [`number`](super::number). There is no arithmetic here.
//!
//! The tests compare with the crate `microfloat`. The package does not use it, because it would
//! bring a source of random numbers into every wasm build.

use super::number::{Layout, Specials};
use crate::kernel::number::power_of_two;

#[allow(
    clippy::arithmetic_side_effects,
    reason = "the sign, the exponent and the fraction of a layout have at most 64 bits"
)]
impl Layout {
    fn sign_bit(self) -> u64 {
        if self.specials == Specials::Scale { 0 } else { 1 << (self.exponent_bits + self.fraction_bits) }
    }

    /// All bits but the sign.
    fn ones(self) -> u64 {
        (1 << (self.exponent_bits + self.fraction_bits)) - 1
    }

    /// The bits of NaN. `None` where the type does not have it.
    pub(super) fn nan(self) -> Option<u64> {
        match self.specials {
            Specials::Ieee => Some(self.infinity() | 1 << (self.fraction_bits - 1)),
            Specials::OnesAreNan | Specials::Scale => Some(self.ones()),
            Specials::NegativeZeroIsNan => Some(self.sign_bit()),
            Specials::None => None,
        }
    }

    /// The bits of positive and negative infinity. `None` where the type does not have them.
    pub(super) fn infinities(self) -> Option<[u64; 2]> {
        let both = [self.infinity(), self.infinity() | self.sign_bit()];
        (self.specials == Specials::Ieee).then_some(both)
    }

    /// The highest exponent without a fraction.
    fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

    fn is_nan(self, bits: u64) -> bool {
        let magnitude = bits & !self.sign_bit();
        match self.specials {
            Specials::Ieee => magnitude > self.infinity(),
            Specials::OnesAreNan | Specials::Scale => Some(magnitude) == self.nan(),
            Specials::NegativeZeroIsNan => bits == self.sign_bit(),
            Specials::None => false,
        }
    }

    /// The number that the bits would be if all patterns were numbers. For infinity, the next
    /// number above the largest, from which rounding gives infinity.
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "32 bits at most")]
    fn number(self, bits: u64) -> f64 {
        let magnitude = bits & !self.sign_bit();
        let exponent = (magnitude >> self.fraction_bits) as i32;
        let fraction = magnitude & ((1 << self.fraction_bits) - 1);
        let normal = exponent > 0 || self.specials == Specials::Scale;
        let (digits, exponent) =
            if normal { (fraction | 1 << self.fraction_bits, exponent) } else { (fraction, 1) };
        let step = exponent - self.bias - self.fraction_bits.cast_signed();
        let value = digits as f64 * power_of_two(step);
        if bits & self.sign_bit() == 0 { value } else { -value }
    }

    /// The exact value of the bits of a type of at most 32 bits.
    pub(super) fn decode(self, bits: u64) -> f64 {
        if self.is_nan(bits) {
            f64::NAN
        } else if self.specials == Specials::Ieee && bits & !self.sign_bit() == self.infinity() {
            f64::INFINITY.copysign(self.number(bits))
        } else {
            self.number(bits)
        }
    }

    /// The largest magnitude that is a number or infinity.
    fn highest(self) -> u64 {
        match self.specials {
            Specials::Ieee => self.infinity(),
            Specials::OnesAreNan | Specials::Scale => self.ones() - 1,
            Specials::NegativeZeroIsNan | Specials::None => self.ones(),
        }
    }

    /// Of two equally near patterns, the one with the lower rank is taken: the even one. For powers
    /// of two, which have no fraction, it is the greater one, as in other implementations.
    fn tie(self, bits: u64) -> u64 {
        if self.specials == Specials::Scale { !bits } else { bits & 1 }
    }

    /// The nearest bits of a type of at most eight, rounded half to even. `None` for values out of
    /// the range of types without infinity. It compares a few hundred patterns, which is fast
    /// enough for fill values.
    pub(super) fn encode(self, value: f64) -> Option<u64> {
        let highest = self.highest();
        let in_range = match self.specials {
            Specials::Ieee => true,
            Specials::Scale => value > 0.0 && value <= self.number(highest),
            _ => value.abs() <= self.number(highest),
        };
        let distance = |bits: &u64| (self.number(*bits) - value.abs()).abs();
        let nearer =
            |a: &u64, b: &u64| distance(a).total_cmp(&distance(b)).then(self.tie(*a).cmp(&self.tie(*b)));
        let magnitude = (0..=highest).min_by(nearer).filter(|_| in_range)?;
        let has_sign = magnitude != 0 || self.specials != Specials::NegativeZeroIsNan;
        Some(if value.is_sign_negative() && has_sign { magnitude | self.sign_bit() } else { magnitude })
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use microfloat::{
        f4e2m1fn, f6e2m3fn, f6e3m2fn, f8e3m4, f8e4m3, f8e4m3b11fnuz, f8e4m3fn, f8e4m3fnuz, f8e5m2,
        f8e5m2fnuz, f8e8m0fnu,
    };

    use crate::format::data_type::Float;

    macro_rules! oracles {
        ($($float:ident $micro:ident),*) => {
            #[test]
            fn every_byte_decodes_as_in_microfloat() {
                $(for byte in 0..=u8::try_from((1_u32 << Float::$float.bits()) - 1).unwrap() {
                    let ours = Float::$float.layout().decode(byte.into());
                    let theirs = f64::from($micro::from_bits(byte).to_f32());
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
                    match Float::$float.layout().encode(value) {
                        Some(ours) => assert_eq!(ours, u64::from(theirs.to_bits()), "{} {value}", Float::$float.name()),
                        None => assert!(theirs.is_nan() || (theirs.to_f64() - value).abs() > 0.0),
                    }
                })*
            }

            #[test]
            fn specials_are_those_of_microfloat() {
                $(
                    let layout = Float::$float.layout();
                    assert_eq!(layout.nan(), $micro::has_nan().then(|| $micro::NAN.to_bits().into()));
                    let theirs = [$micro::INFINITY.to_bits(), $micro::NEG_INFINITY.to_bits()];
                    assert_eq!(layout.infinities(), $micro::has_inf().then_some(theirs.map(u64::from)));
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
