//! Summarises numbers: their count, range and sum, and a histogram.
//!
//! `convert` unpacks the numbers first. NaN is missing: it is counted, and nothing else includes
//! it.

use crate::cast::cast;
use crate::convert::{BLOCK, Unpacking, unpack};
use crate::number::NumberType;

/// The bins of the histogram, of equal width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bins {
    /// The lower end of the first bin.
    pub low: f64,
    /// The upper end of the last bin, which includes it.
    pub high: f64,
    /// The number of bins.
    pub count: usize,
}

/// The indices of a summary's numbers in its slice. The counts of the bins come last.
pub mod index {
    /// The count of numbers that are not missing.
    pub const COUNT: usize = 0;
    /// The count of missing numbers.
    pub const MISSING: usize = 1;
    /// The count of numbers below the bins.
    pub const BELOW: usize = 2;
    /// The count of numbers above the bins.
    pub const ABOVE: usize = 3;
    /// The lowest finite number; infinity if there is none.
    pub const LOWEST: usize = 4;
    /// The highest finite number; minus infinity if there is none.
    pub const HIGHEST: usize = 5;
    /// The sum of the finite numbers.
    pub const SUM: usize = 6;
    /// The count of the first bin.
    pub const BINS: usize = 7;
}

/// Writes the summary of all numbers of `src` to `numbers`, whose indices are in [`index`].
///
/// # Panics
/// When `src` does not hold whole numbers, or `numbers` has another length than the summary.
#[inline(never)]
pub fn summarise(
    src: &[u8],
    from: NumberType,
    unpacking: Option<&Unpacking>,
    bins: Bins,
    numbers: &mut [f64],
) {
    assert!(src.len().is_multiple_of(from.size()), "the slice must hold whole numbers");
    assert!(numbers.len() == index::BINS + bins.count, "a summary needs a number for each bin");
    numbers.fill(0.0);
    (numbers[index::LOWEST], numbers[index::HIGHEST]) = (f64::INFINITY, f64::NEG_INFINITY);
    for src in src.chunks(BLOCK * from.size()) {
        let count = src.len() / from.size();
        let (mut wide, mut doubles) = ([0_u8; 8 * BLOCK], [0_u8; 8 * BLOCK]);
        let arithmetic = unpack(src, from, &mut wide, unpacking);
        let doubles = &mut doubles[..count * 8];
        cast(&wide[..count * arithmetic.size()], arithmetic, doubles, NumberType::F64);
        for bytes in doubles.as_chunks::<8>().0 {
            add(f64::from_le_bytes(*bytes), bins, numbers);
        }
    }
}

fn add(number: f64, bins: Bins, numbers: &mut [f64]) {
    if number.is_nan() {
        numbers[index::MISSING] += 1.0;
        return;
    }
    numbers[index::COUNT] += 1.0;
    if number.is_finite() {
        numbers[index::LOWEST] = numbers[index::LOWEST].min(number);
        numbers[index::HIGHEST] = numbers[index::HIGHEST].max(number);
        numbers[index::SUM] += number;
    }
    if number < bins.low {
        numbers[index::BELOW] += 1.0;
    } else if number > bins.high {
        numbers[index::ABOVE] += 1.0;
    } else if bins.count > 0 {
        numbers[index::BINS + bin_of(number, bins)] += 1.0;
    }
}

/// The bin of a number within the window. It compares with the lower ends of bins, because a
/// quotient alone may miss the bin by its rounding. The last bin includes its upper end. A window
/// without width has one bin.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // the number of a bin
fn bin_of(number: f64, Bins { low, high, count }: Bins) -> usize {
    if high <= low {
        return 0;
    }
    let begin = |at: usize| low + at as f64 * (high - low) / count as f64;
    let guess = ((number - low) / (high - low) * count as f64) as usize;
    let at = guess.min(count - 1);
    if at > 0 && number < begin(at) {
        at - 1
    } else if at + 1 < count && number >= begin(at + 1) {
        at + 1
    } else {
        at
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;
    use crate::convert::Missing;

    fn summary(src: &[u8], from: NumberType, unpacking: Option<&Unpacking>, bins: Bins) -> Vec<f64> {
        let mut numbers = vec![f64::NAN; index::BINS + bins.count];
        summarise(src, from, unpacking, bins, &mut numbers);
        numbers
    }

    #[test]
    fn every_byte_is_in_its_bin() {
        let src: Vec<u8> = (0..=255).cycle().take(256 * 5).collect();
        let found = summary(&src, NumberType::U8, None, Bins { low: 0.0, high: 256.0, count: 256 });
        assert_eq!(found[..index::BINS], [1280.0, 0.0, 0.0, 0.0, 0.0, 255.0, 5.0 * 32640.0]);
        assert!(found[index::BINS..].iter().all(|count| *count == 5.0));
    }

    #[test]
    fn ends_infinities_and_missing_numbers() {
        let doubles = [0.0, 1.0, 0.5, 0.49, -0.1, 1.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        let src: Vec<u8> = doubles.into_iter().flat_map(f64::to_le_bytes).collect();
        let found = summary(&src, NumberType::F64, None, Bins { low: 0.0, high: 1.0, count: 2 });
        let sum = 0.0 + 1.0 + 0.5 + 0.49 + -0.1 + 1.1;
        assert_eq!(found, [8.0, 1.0, 2.0, 2.0, -0.1, 1.1, sum, 2.0, 2.0]);
        // In floating point, 28 / 101 × 101 is less than 28.
        let whole: Vec<u8> = (0..=101).collect();
        let each = summary(&whole, NumberType::U8, None, Bins { low: 0.0, high: 101.0, count: 101 });
        assert!(each[index::BINS..index::BINS + 100].iter().all(|count| *count == 1.0));
        let one = summary(&src[..8], NumberType::F64, None, Bins { low: 0.0, high: 0.0, count: 3 });
        assert_eq!(one[index::BINS..], [1.0, 0.0, 0.0]);
        let none = summary(&src[48..56], NumberType::F64, None, Bins { low: 0.0, high: 1.0, count: 0 });
        assert_eq!(none, [0.0, 1.0, 0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, 0.0]);
    }

    #[test]
    fn numbers_are_unpacked_first() {
        let missing = Missing::Integers { values: vec![9], low: i64::MIN, high: i64::MAX };
        let unpacking =
            Unpacking { is_double: false, missing: Some(missing), scale: Some(0.5), offset: Some(1.0) };
        let found =
            summary(&[9, 2, 4], NumberType::U8, Some(&unpacking), Bins { low: 2.0, high: 3.0, count: 1 });
        assert_eq!(found, [2.0, 1.0, 0.0, 0.0, 2.0, 3.0, 5.0, 2.0]);
    }
}
