//! Casts numbers to another type, packed little-endian on both sides.
//!
//! The rules are those of Rust's `as`, except that integers saturate too: a value out of range
//! becomes the nearest value of the target, never a wrapped one. In particular:
//!
//! - float → integer truncates towards zero and saturates; NaN becomes 0;
//! - number → narrower float rounds to nearest, ties to even; a number that is too large becomes
//!   infinite;
//! - bool → number is 0 or 1, where any byte but 0 is true;
//! - number → bool is "not zero", so that NaN is true as in NumPy.
//!
//! A cast goes block by block through the narrowest of four wide types that holds every value of
//! the source (i32, i64, u64, f64). This takes 12 widening loops and 48 narrowing ones instead of
//! 144 direct ones, with the same result. The caller casts complex numbers as twice as many floats.
//! Datetimes and strings cannot be cast.

#![allow(clippy::cast_possible_truncation)] // the purpose of the file

use half::f16;

use super::number::NumberType;

/// The numbers per block. A wide block has 4 KB, which stays in the first-level cache between the
/// two loops.
const BLOCK: usize = 512;

/// Casts every number of `src` from type `from` to type `to`.
///
/// # Panics
/// When `src` and `dst` do not hold the same number of whole numbers.
#[inline(never)]
pub fn cast(src: &[u8], from: NumberType, dst: &mut [u8], to: NumberType) {
    let count = src.len() / from.size();
    assert!(
        src.len() == count * from.size() && dst.len() == count * to.size(),
        "both slices must hold the same number of numbers"
    );
    match from {
        NumberType::Bool => widen(src, dst, to, |[byte]| i32::from(byte != 0)),
        same if same == to => dst.copy_from_slice(src),
        NumberType::I8 => widen(src, dst, to, |bytes| i32::from(i8::from_le_bytes(bytes))),
        NumberType::U8 => widen(src, dst, to, |bytes| i32::from(u8::from_le_bytes(bytes))),
        NumberType::I16 => widen(src, dst, to, |bytes| i32::from(i16::from_le_bytes(bytes))),
        NumberType::U16 => widen(src, dst, to, |bytes| i32::from(u16::from_le_bytes(bytes))),
        NumberType::I32 => widen(src, dst, to, i32::from_le_bytes),
        NumberType::U32 => widen(src, dst, to, |bytes| i64::from(u32::from_le_bytes(bytes))),
        NumberType::I64 => widen(src, dst, to, i64::from_le_bytes),
        NumberType::U64 => widen(src, dst, to, u64::from_le_bytes),
        NumberType::F16 => widen(src, dst, to, |bytes| f16::from_le_bytes(bytes).to_f64()),
        NumberType::F32 => widen(src, dst, to, |bytes| f64::from(f32::from_le_bytes(bytes))),
        NumberType::F64 => widen(src, dst, to, f64::from_le_bytes),
    }
}

fn widen<const N: usize, W: Wide>(src: &[u8], dst: &mut [u8], to: NumberType, read: impl Fn([u8; N]) -> W) {
    let mut wide = [W::default(); BLOCK];
    for (src, dst) in src.as_chunks::<N>().0.chunks(BLOCK).zip(dst.chunks_mut(BLOCK * to.size())) {
        for (wide, bytes) in wide.iter_mut().zip(src) {
            *wide = read(*bytes);
        }
        narrow(&wide[..src.len()], dst, to);
    }
}

fn narrow<W: Wide>(wide: &[W], dst: &mut [u8], to: NumberType) {
    match to {
        NumberType::Bool => write(wide, dst, |number| [u8::from(number != W::default())]),
        NumberType::I8 => write(wide, dst, |number| number.to_i8().to_le_bytes()),
        NumberType::U8 => write(wide, dst, |number| number.to_u8().to_le_bytes()),
        NumberType::I16 => write(wide, dst, |number| number.to_i16().to_le_bytes()),
        NumberType::U16 => write(wide, dst, |number| number.to_u16().to_le_bytes()),
        NumberType::I32 => write(wide, dst, |number| number.to_i32().to_le_bytes()),
        NumberType::U32 => write(wide, dst, |number| number.to_u32().to_le_bytes()),
        NumberType::I64 => write(wide, dst, |number| number.to_i64().to_le_bytes()),
        NumberType::U64 => write(wide, dst, |number| number.to_u64().to_le_bytes()),
        NumberType::F16 => write(wide, dst, |number| to_half(number.to_f64()).to_le_bytes()),
        NumberType::F32 => write(wide, dst, |number| number.to_f32().to_le_bytes()),
        NumberType::F64 => write(wide, dst, |number| number.to_f64().to_le_bytes()),
    }
}

/// Rounds once. `f16::from_f64` drops the low half of the fraction before it rounds, and rounding
/// to single precision first rounds twice. Truncating to a single and setting its last bit if
/// anything was cut off keeps enough digits to round correctly.
fn to_half(number: f64) -> f16 {
    let single = number as f32;
    let mut bits = single.to_bits();
    let back = f64::from(single);
    if back != number && !number.is_nan() {
        bits -= u32::from(back.abs() > number.abs());
        bits |= 1;
    }
    f16::from_f32(f32::from_bits(bits))
}

#[inline(always)]
fn write<const N: usize, W: Wide>(wide: &[W], dst: &mut [u8], convert: impl Fn(W) -> [u8; N]) {
    for (bytes, number) in dst.as_chunks_mut::<N>().0.iter_mut().zip(wide) {
        *bytes = convert(*number);
    }
}

/// A type that holds every value of several others. Integers become halves through f64, which holds
/// every integer that a half can represent.
trait Wide: Copy + Default + PartialEq {
    fn to_i8(self) -> i8;
    fn to_u8(self) -> u8;
    fn to_i16(self) -> i16;
    fn to_u16(self) -> u16;
    fn to_i32(self) -> i32;
    fn to_u32(self) -> u32;
    fn to_i64(self) -> i64;
    fn to_u64(self) -> u64;
    fn to_f32(self) -> f32;
    fn to_f64(self) -> f64;
}

/// Casts integers by clamping to the range of the target, so that `as` loses nothing.
macro_rules! wide_integer {
    ($wide:ty: $($name:ident -> $target:ty),*) => {
        #[allow(clippy::unnecessary_cast)]
        impl Wide for $wide {
            $(#[inline(always)]
            fn $name(self) -> $target {
                const FITS_BELOW: bool = <$wide>::MIN as i128 >= <$target>::MIN as i128;
                const FITS_ABOVE: bool = <$wide>::MAX as i128 <= <$target>::MAX as i128;
                const LOWEST: $wide = if FITS_BELOW { <$wide>::MIN } else { <$target>::MIN as $wide };
                const HIGHEST: $wide = if FITS_ABOVE { <$wide>::MAX } else { <$target>::MAX as $wide };
                self.clamp(LOWEST, HIGHEST) as $target
            })*
            #[inline(always)]
            fn to_f32(self) -> f32 {
                self as f32
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    };
    ($($wide:ty),*) => {
        $(wide_integer!($wide: to_i8 -> i8, to_u8 -> u8, to_i16 -> i16, to_u16 -> u16,
            to_i32 -> i32, to_u32 -> u32, to_i64 -> i64, to_u64 -> u64);)*
    };
}

wide_integer!(i32, i64, u64);

/// Casts doubles. Narrow integers go through i32, for which vector instructions exist. Saturating
/// twice has the same result as saturating once.
macro_rules! wide_double {
    ($($name:ident -> $target:ty),*; through i32: $($narrow:ident -> $narrow_target:ty),*) => {
        #[allow(clippy::unnecessary_cast)]
        impl Wide for f64 {
            $(#[inline(always)]
            fn $name(self) -> $target {
                self as $target
            })*
            $(#[inline(always)]
            fn $narrow(self) -> $narrow_target {
                (self as i32).$narrow()
            })*
        }
    };
}

wide_double!(to_i32 -> i32, to_u32 -> u32, to_i64 -> i64, to_u64 -> u64, to_f32 -> f32, to_f64 -> f64;
    through i32: to_i8 -> i8, to_u8 -> u8, to_i16 -> i16, to_u16 -> u16);

#[cfg(test)]
mod tests;
