//! Converts numbers to what the caller wants: masked, scaled, in another type, or as colours. One
//! pass, in blocks.
//!
//! The rules, which the tests compare with a version that converts number by number:
//!
//! - A **packed** number is missing if it equals one of some values or is out of a valid range. The
//!   comparison is exact.
//! - Then `× scale`, then `+ offset`. Each step rounds to the type of the arithmetic (f32 or f64).
//!   They are never fused. Missing numbers become NaN.
//! - To an integer type: rounds to the nearest integer, ties to even. Numbers out of range become
//!   the nearest bound, NaN becomes 0.
//! - To a float type: rounds to the nearest number.
//! - To colours: the position of the number in a window, clamped to 0 to 1, to the power of gamma,
//!   selects an entry of a table.
//! - With a mask: each number is followed by its mask value. A missing number and its mask are 0.
//! - To the colours of labels: see [`labels`].
//!
//! ```text
//! for each block of 512 numbers, which stay in the first-level cache:   convert_block
//!     wide = the numbers as f32 or f64                                         unpack
//!     wide = wide * scale; wide = wide + offset                                 scale
//!     wide = NaN where the packed number is missing                              mask
//!     numbers: round to the nearest integer if need be, then cast              number
//!     masked:  likewise, and 0 or the mask's value behind each                 masked
//!     colours: at = ((wide - low) / (high - low)) clamped, to the power of gamma  shade
//!         append the table's entry at `at`, or its last for NaN
//! ```
//!
//! Without arithmetic, and not from a float to an integer, `cast` alone does it in one pass.
//!
//! `convention::cf` knows which attributes lead to which rules.

pub mod labels;

use crate::cast::cast;
use crate::number::NumberType;
use labels::LabelColours;

/// The numbers per block. The intermediate blocks fit the first-level cache.
pub(crate) const BLOCK: usize = 512;

/// Which packed numbers are missing.
#[derive(Clone, Debug, PartialEq)]
pub enum Missing {
    /// For integers, as keys of [`integer_key`].
    Integers {
        /// Missing values.
        values: Vec<i64>,
        /// Smaller numbers are missing.
        low: i64,
        /// Larger numbers are missing.
        high: i64,
    },
    /// For floats. NaN is always missing.
    Floats {
        /// Missing values.
        values: Vec<f64>,
        /// Smaller numbers are missing.
        low: f64,
        /// Larger numbers are missing.
        high: f64,
    },
}

/// How to unpack numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Unpacking {
    /// Whether the arithmetic is in double precision, else in single precision.
    pub is_double: bool,
    /// Which packed numbers are missing.
    pub missing: Option<Missing>,
    /// The factor, which is applied first.
    pub scale: Option<f64>,
    /// The summand.
    pub offset: Option<f64>,
}

/// How to map numbers to colours or grey values.
#[derive(Clone, Debug, PartialEq)]
pub struct Shading {
    /// The number of the first colour.
    pub low: f64,
    /// The number of the last colour. If it is below `low`, the order is reversed.
    pub high: f64,
    /// The exponent for the position in the window, which is from 0 to 1.
    pub gamma: f64,
    /// The bytes of a colour: 1, 2 for a shade and its mask, or 4 for red, green, blue and alpha.
    pub width: usize,
    /// The colours, one after the other, then the colour of missing numbers.
    pub table: Vec<u8>,
}

/// What numbers are converted to.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// Numbers of this type.
    Number(NumberType),
    /// Numbers of a type, each with a number behind it that tells whether it is there: [`mask_of`],
    /// or 0.
    Masked(NumberType),
    /// Colours.
    Colours(Shading),
    /// Colours of labels, which are integers.
    Labels(LabelColours),
}

impl Target {
    /// The bytes that one number becomes.
    pub fn size(&self) -> usize {
        match self {
            Self::Number(number) => number.size(),
            Self::Masked(number) => 2 * number.size(),
            Self::Colours(shading) => shading.width,
            Self::Labels(_) => 4,
        }
    }
}

/// The mask of a number that is there: 255 among bytes, as textures have it, else 1.
pub fn mask_of(number: NumberType) -> u8 {
    if number == NumberType::U8 { 255 } else { 1 }
}

/// Maps integers to i64 so that order and equality stay. Unsigned integers of 64 bits are shifted
/// by 2^63.
pub fn integer_key(bits: u64, of: NumberType) -> i64 {
    (if of == NumberType::U64 { bits ^ (1 << 63) } else { bits }).cast_signed()
}

/// Converts all numbers of `src` to `dst`.
///
/// # Panics
/// When the slices do not hold the same number of whole numbers, or when a table does not hold at
/// least two whole colours.
#[inline(never)]
pub fn convert(src: &[u8], from: NumberType, dst: &mut [u8], unpacking: Option<&Unpacking>, target: &Target) {
    let count = src.len() / from.size();
    assert!(
        src.len() == count * from.size() && dst.len() == count * target.size(),
        "both slices must hold the same number of numbers"
    );
    if let (None, Target::Number(to)) = (unpacking, target)
        && (to.is_float() || !from.is_float())
    {
        return cast(src, from, dst, *to);
    }
    if let Target::Labels(colours) = target {
        return labels::colour(src, from, dst, colours);
    }
    let blocks = src.chunks(BLOCK * from.size()).zip(dst.chunks_mut(BLOCK * target.size()));
    blocks.for_each(|(src, dst)| convert_block(src, from, dst, unpacking, target));
}

/// Unpacks at most one block to the beginning of `wide`; without arithmetic it only widens the
/// numbers. Returns the type of the numbers in `wide`.
pub(crate) fn unpack(
    src: &[u8],
    from: NumberType,
    wide: &mut [u8; 8 * BLOCK],
    unpacking: Option<&Unpacking>,
) -> NumberType {
    let is_double = unpacking.is_none_or(|unpacking| unpacking.is_double);
    let arithmetic = if is_double { NumberType::F64 } else { NumberType::F32 };
    let wide = &mut wide[..src.len() / from.size() * arithmetic.size()];
    cast(src, from, wide, arithmetic);
    if let Some(unpacking) = unpacking {
        scale(wide, unpacking);
        if let Some(missing) = &unpacking.missing {
            mask(src, from, wide, arithmetic.size(), missing);
        }
    }
    arithmetic
}

fn convert_block(
    src: &[u8],
    from: NumberType,
    dst: &mut [u8],
    unpacking: Option<&Unpacking>,
    target: &Target,
) {
    let count = src.len() / from.size();
    let mut wide = [0_u8; 8 * BLOCK];
    let arithmetic = unpack(src, from, &mut wide, unpacking);
    let wide = &mut wide[..count * arithmetic.size()];
    let is_double = arithmetic == NumberType::F64;
    match target {
        Target::Number(to) => number(wide, arithmetic, dst, *to),
        Target::Masked(to) => {
            let is_exact = unpacking.is_none() && !from.is_float() && !to.is_float();
            let exact = is_exact.then_some((src, from));
            masked(wide, arithmetic, dst, *to, exact);
        }
        Target::Labels(_) => unreachable!("labels are coloured before numbers are widened"),
        Target::Colours(shading) if is_double => shade(wide, dst, shading),
        Target::Colours(shading) => {
            let mut doubles = [0_u8; 8 * BLOCK];
            cast(wide, arithmetic, &mut doubles[..count * 8], NumberType::F64);
            shade(&doubles[..count * 8], dst, shading);
        }
    }
}

/// Numbers after the arithmetic as those of a type.
fn number(wide: &mut [u8], arithmetic: NumberType, dst: &mut [u8], to: NumberType) {
    if !to.is_float() && arithmetic == NumberType::F64 {
        each::<8>(wide, |bytes| f64::from_le_bytes(bytes).round_ties_even().to_le_bytes());
    } else if !to.is_float() {
        each::<4>(wide, |bytes| f32::from_le_bytes(bytes).round_ties_even().to_le_bytes());
    }
    cast(wide, arithmetic, dst, to);
}

/// The same with masks. Integers that stay integers are `exact`: they go through no float.
fn masked(
    wide: &mut [u8],
    arithmetic: NumberType,
    dst: &mut [u8],
    to: NumberType,
    exact: Option<(&[u8], NumberType)>,
) {
    let count = wide.len() / arithmetic.size();
    let mut missing = [false; BLOCK];
    for (is_missing, bytes) in missing.iter_mut().zip(wide.chunks_exact(arithmetic.size())) {
        *is_missing = match *bytes {
            [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).is_nan(),
            [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]).is_nan(),
            _ => false,
        };
    }
    let mut plain = [0_u8; 8 * BLOCK];
    let plain = &mut plain[..count * to.size()];
    match exact {
        Some((src, from)) => cast(src, from, plain, to),
        None => number(wide, arithmetic, plain, to),
    }
    let mut one = [0_u8; 8];
    let one = &mut one[..to.size()];
    cast(&[mask_of(to)], NumberType::U8, one, to);
    let numbers = plain.chunks_exact(to.size()).zip(&missing);
    for (pair, (number, is_missing)) in dst.chunks_exact_mut(2 * to.size()).zip(numbers) {
        let (value, mask) = pair.split_at_mut(to.size());
        if *is_missing {
            value.fill(0);
            mask.fill(0);
        } else {
            value.copy_from_slice(number);
            mask.copy_from_slice(one);
        }
    }
}

#[inline(always)]
fn each<const N: usize>(numbers: &mut [u8], change: impl Fn([u8; N]) -> [u8; N]) {
    numbers.as_chunks_mut::<N>().0.iter_mut().for_each(|bytes| *bytes = change(*bytes));
}

#[allow(clippy::cast_possible_truncation)] // single precision is meant
fn scale(wide: &mut [u8], Unpacking { is_double, scale, offset, .. }: &Unpacking) {
    if *is_double {
        if let Some(scale) = scale {
            each::<8>(wide, |bytes| (f64::from_le_bytes(bytes) * scale).to_le_bytes());
        }
        if let Some(offset) = offset {
            each::<8>(wide, |bytes| (f64::from_le_bytes(bytes) + offset).to_le_bytes());
        }
        return;
    }
    if let Some(scale) = scale.map(|scale| scale as f32) {
        each::<4>(wide, |bytes| (f32::from_le_bytes(bytes) * scale).to_le_bytes());
    }
    if let Some(offset) = offset.map(|offset| offset as f32) {
        each::<4>(wide, |bytes| (f32::from_le_bytes(bytes) + offset).to_le_bytes());
    }
}

/// Replaces missing numbers by NaN.
fn mask(src: &[u8], from: NumberType, wide: &mut [u8], size: usize, missing: &Missing) {
    let mut exact = [0_u8; 8 * BLOCK];
    let exact = &mut exact[..src.len() / from.size() * 8];
    let mut nan = |at: usize| {
        let bytes = &mut wide[at * size..(at + 1) * size];
        if size == 8 {
            bytes.copy_from_slice(&f64::NAN.to_le_bytes());
        } else {
            bytes.copy_from_slice(&f32::NAN.to_le_bytes());
        }
    };
    match missing {
        Missing::Integers { values, low, high } => {
            let same = if from == NumberType::U64 { NumberType::U64 } else { NumberType::I64 };
            cast(src, from, exact, same);
            for (at, bytes) in exact.as_chunks::<8>().0.iter().enumerate() {
                let key = integer_key(u64::from_le_bytes(*bytes), from);
                if key < *low || key > *high || values.contains(&key) {
                    nan(at);
                }
            }
        }
        Missing::Floats { values, low, high } => {
            cast(src, from, exact, NumberType::F64);
            for (at, bytes) in exact.as_chunks::<8>().0.iter().enumerate() {
                let number = f64::from_le_bytes(*bytes);
                if number < *low || number > *high || values.contains(&number) {
                    nan(at);
                }
            }
        }
    }
}

fn shade(wide: &[u8], dst: &mut [u8], shading: &Shading) {
    match shading.width {
        1 => shade_of::<1>(wide, dst, shading),
        2 => shade_of::<2>(wide, dst, shading),
        4 => shade_of::<4>(wide, dst, shading),
        width => panic!("a colour must have 1, 2 or 4 bytes, not {width}"),
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // an index below the table's length
fn shade_of<const WIDTH: usize>(wide: &[u8], dst: &mut [u8], shading: &Shading) {
    let (colours, rest) = shading.table.as_chunks::<WIDTH>();
    let [colours @ .., of_missing] = colours else { panic!("a colour table must not be empty") };
    assert!(rest.is_empty() && !colours.is_empty(), "a colour table must hold whole colours");
    let last = (colours.len() - 1) as f64;
    let width = shading.high - shading.low;
    for (bytes, colour) in wide.as_chunks::<8>().0.iter().zip(dst.as_chunks_mut::<WIDTH>().0) {
        let share = (f64::from_le_bytes(*bytes) - shading.low) / width;
        // The difference of two infinities is NaN, which has no position.
        let mut share = share.clamp(0.0, 1.0);
        if shading.gamma != 1.0 {
            share = share.powf(shading.gamma);
        }
        *colour = if share.is_nan() { *of_missing } else { colours[(share * last + 0.5) as usize] };
    }
}

#[cfg(test)]
mod tests;
