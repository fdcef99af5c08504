//! `(x - offset) * scale` and its inverse, in the arithmetic of the elements' type: the loops of
//! `scale_offset`.
//!
//! Integers neither wrap nor round: a result out of range and a division with a remainder are
//! errors. Floats round after each step. A double has more than twice the digits of the other
//! floats, so that rounding a sum, product or quotient twice gives the same result as rounding it
//! once.
#![allow(clippy::cast_possible_truncation)] // rounding is meant

use half::{bf16, f16};

use super::number::Number;

/// Offset and scale, as elements.
#[derive(Clone, Copy, Debug)]
pub struct Scaling<'a> {
    /// What is subtracted.
    pub offset: &'a [u8],
    /// What the difference is multiplied by.
    pub scale: &'a [u8],
}

/// Why an integer cannot be encoded or decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaleFailure {
    /// A result leaves the range of the type.
    OutOfRange,
    /// The number is not a multiple of the scale.
    Remainder,
}

/// Encodes every number of `buf`.
///
/// # Errors
/// For the first number that cannot be encoded.
#[inline(never)]
pub fn scale(buf: &mut [u8], number: Number, by: Scaling<'_>) -> Result<(), ScaleFailure> {
    convert(buf, number, by, true)
}

/// Decodes every number of `buf`.
///
/// # Errors
/// For the first number that [`scale`] cannot have encoded.
#[inline(never)]
pub fn unscale(buf: &mut [u8], number: Number, by: Scaling<'_>) -> Result<(), ScaleFailure> {
    convert(buf, number, by, false)
}

fn convert(buf: &mut [u8], number: Number, by: Scaling<'_>, encodes: bool) -> Result<(), ScaleFailure> {
    match number {
        Number::Integer { bits, signed } => match number.size() {
            1 => narrow_integers::<1>(buf, (bits, signed), by, encodes),
            2 => narrow_integers::<2>(buf, (bits, signed), by, encodes),
            4 => narrow_integers::<4>(buf, (bits, signed), by, encodes),
            _ => wide_integers::<8>(buf, (bits, signed), by, encodes),
        },
        Number::Float { exponent_bits, fraction_bits } => {
            match (exponent_bits, fraction_bits) {
                (5, 10) => floats(buf, by, encodes, |bytes| f16::from_le_bytes(bytes).to_f64(), half),
                (8, 7) => floats(buf, by, encodes, |bytes| bf16::from_le_bytes(bytes).to_f64(), brain),
                (8, 23) => floats(buf, by, encodes, |bytes| f32::from_le_bytes(bytes).into(), single),
                _ => floats(buf, by, encodes, f64::from_le_bytes, f64::to_le_bytes),
            }
            Ok(())
        }
    }
}

fn half(value: f64) -> [u8; 2] {
    f16::from_f32(value as f32).to_le_bytes()
}

fn brain(value: f64) -> [u8; 2] {
    bf16::from_f32(value as f32).to_le_bytes()
}

fn single(value: f64) -> [u8; 4] {
    (value as f32).to_le_bytes()
}

#[inline(always)]
fn floats<const N: usize>(
    buf: &mut [u8],
    by: Scaling<'_>,
    encodes: bool,
    read: impl Fn([u8; N]) -> f64,
    write: impl Fn(f64) -> [u8; N],
) {
    let scalar = |bytes: &[u8]| read(bytes.first_chunk().copied().unwrap_or([0; N]));
    let (offset, scale) = (scalar(by.offset), scalar(by.scale));
    let rounded = |value| read(write(value));
    for bytes in buf.as_chunks_mut::<N>().0 {
        let number = read(*bytes);
        let result =
            if encodes { rounded(number - offset) * scale } else { rounded(number / scale) + offset };
        *bytes = write(result);
    }
}

/// The loop over integers of N bytes, in a wider type. What overflows it is out of range too.
macro_rules! integers {
    ($name:ident, $wide:ty) => {
        fn $name<const N: usize>(
            buf: &mut [u8],
            (bits, signed): (u32, bool),
            by: Scaling<'_>,
            encodes: bool,
        ) -> Result<(), ScaleFailure> {
            let read = |bytes: &[u8]| {
                let negative = signed && bytes.last().is_some_and(|byte| *byte >= 0x80);
                let mut wide = [if negative { 0xff } else { 0 }; size_of::<$wide>()];
                wide.iter_mut().zip(bytes).for_each(|(wide, byte)| *wide = *byte);
                <$wide>::from_le_bytes(wide)
            };
            let end: $wide = 1 << if signed { bits - 1 } else { bits };
            let range = if signed { -end..end } else { 0..end };
            let fitting = |value: Option<$wide>| {
                value.filter(|value| range.contains(value)).ok_or(ScaleFailure::OutOfRange)
            };
            let (offset, scale) = (read(by.offset), read(by.scale));
            for bytes in buf.as_chunks_mut::<N>().0 {
                let number = read(bytes);
                let result = if encodes {
                    fitting(number.checked_sub(offset))?.checked_mul(scale)
                } else if number.checked_rem(scale) == Some(0) {
                    fitting(number.checked_div(scale))?.checked_add(offset)
                } else {
                    return Err(ScaleFailure::Remainder);
                };
                bytes.copy_from_slice(&fitting(result)?.to_le_bytes()[..N]);
            }
            Ok(())
        }
    };
}

integers!(narrow_integers, i64);
integers!(wide_integers, i128);

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::super::naive;
    use super::*;

    fn with(encodes: bool, src: &[u8], number: Number, by: Scaling<'_>) -> Option<Vec<u8>> {
        let mut buf = src.to_vec();
        let done = if encodes { scale(&mut buf, number, by) } else { unscale(&mut buf, number, by) };
        done.ok().map(|()| buf)
    }

    #[test]
    fn integers_are_exact_or_errors() {
        for (bits, signed) in [(8, true), (8, false), (16, true), (32, false), (64, true), (64, false)] {
            let number = Number::Integer { bits, signed };
            for (offset, scale) in [(0_i64, 1_i64), (5, 3), (100, -1), (0, 0), (-7, 2), (127, 127)] {
                let scalars = [offset, scale].map(i64::to_le_bytes);
                let [offset, scale] = [0, 1].map(|at| &scalars[at][..number.size()]);
                let by = Scaling { offset, scale };
                let numbers = naive::bytes(400 * number.size(), bits);
                for src in naive::cases(numbers.chunks(number.size()), 40) {
                    for encodes in [true, false] {
                        let expected = naive::scaled(src, signed, [offset, scale], encodes);
                        assert_eq!(with(encodes, src, number, by), expected, "{number:?} {by:?} {src:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn floats_round_after_each_step() {
        const F32: Number = Number::Float { exponent_bits: 8, fraction_bits: 23 };
        let numbers = [0.1_f32, 1e8, -3.75, f32::MAX, f32::INFINITY];
        let src = numbers.map(f32::to_le_bytes).concat();
        let scalars = [0.3_f32, 3e4].map(f32::to_le_bytes);
        let by = Scaling { offset: &scalars[0], scale: &scalars[1] };
        let singles = |operation: fn(f32) -> f32| Some(numbers.map(operation).map(f32::to_le_bytes).concat());
        assert_eq!(with(true, &src, F32, by), singles(|number| (number - 0.3) * 3e4));
        assert_eq!(with(false, &src, F32, by), singles(|number| number / 3e4 + 0.3));
        const F16: Number = Number::Float { exponent_bits: 5, fraction_bits: 10 };
        let half = |value: f32| f16::from_f32(value).to_le_bytes();
        let by = Scaling { offset: &half(0.5), scale: &half(3.0) };
        assert_eq!(with(true, &half(2048.0), F16, by), Some(half(6144.0).to_vec()));
    }
}
