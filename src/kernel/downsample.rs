//! Downsamples a box of elements: each block of the source becomes one element of the result.
//!
//! Blocks begin at the first element. Blocks at the far edges may be smaller; they consist of the
//! elements that exist. The rules of the three methods:
//!
//! - [`nearest`]: the element at the centre of its block; of two, the one before it.
//! - [`mode`]: the most frequent number; of equally frequent ones the lowest.
//! - [`mean`]: integers are summed exactly and rounded half to even, as `numpy.rint` does. Floats
//!   are summed in double precision and rounded once.
//!
//! Missing numbers (NaN, and those in [`Blocks::missing`]) count neither for `mean` nor for `mode`.
//! A block without any other number becomes its first element.
//!
//! ```text
//! mean: for each row of blocks (a block in all dimensions but the last):                means
//!     sums = a sum and a count of 0 for each block of the row
//!     for each row of elements in it, for each element that is not missing:             add_row
//!         add it to the sum of block (column / factor), and 1 to its count
//!     for each block: its first element if the count is 0, else sum / count, rounded
//!         a float's sum that is infinite: again, with numbers divided by 2^32      large_mean
//! mode: for each block: keys of its numbers that are not missing, in their order        modes
//!     all equal: that number;  none: the first element
//!     else sort; the first of the longest run of equal keys                     most_frequent
//! ```
//!
//! `mean` goes along rows because the elements of a row are next to each other in memory, and those
//! of a block are not.

use half::f16;

use crate::number::NumberType;

/// A box of elements in C order, and its blocks.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    /// The extents of the box in elements.
    pub shape: &'a [usize],
    /// The extents of a block in elements; one for each extent of the box, none is zero.
    pub factors: &'a [usize],
    /// The bits of numbers that are missing, beside NaN.
    pub missing: &'a [u64],
}

impl Blocks<'_> {
    /// Returns the extents of the result.
    pub fn downsampled(&self) -> impl Iterator<Item = usize> {
        self.shape.iter().zip(self.factors).map(|(extent, factor)| extent.div_ceil(*factor))
    }

    fn check(&self, src: usize, dst: usize, size: usize) {
        assert!(self.shape.len() == self.factors.len(), "each extent has a factor");
        assert!(!self.factors.contains(&0), "a block has elements");
        assert!(self.shape.iter().product::<usize>() * size == src, "the box is whole");
        assert!(self.downsampled().product::<usize>() * size == dst, "each block has one element");
    }

    /// Returns the same blocks over the outer dimensions. Each of their elements is one row.
    fn rows(&self) -> Blocks<'_> {
        let outer = self.shape.len().saturating_sub(1);
        Blocks { shape: &self.shape[..outer], factors: &self.factors[..outer], missing: &[] }
    }

    /// Returns the extent and the factor of the last dimension.
    fn row(&self) -> (usize, usize) {
        (self.shape.last().copied().unwrap_or(1), self.factors.last().copied().unwrap_or(1))
    }

    /// Calls `visit` with the first elements and the extents of every block, in C order.
    fn each(&self, mut visit: impl FnMut(usize, &[usize], &[usize])) {
        let rank = self.shape.len();
        let (mut start, mut extents) = (vec![0; rank], vec![0; rank]);
        let total: usize = self.downsampled().product();
        for block in 0..total {
            let mut rest = block;
            for axis in (0..rank).rev() {
                let (extent, factor) = (self.shape[axis], self.factors[axis]);
                let count = extent.div_ceil(factor);
                start[axis] = rest % count * factor;
                extents[axis] = factor.min(extent - start[axis]);
                rest /= count;
            }
            visit(block, &start, &extents);
        }
    }

    /// Returns the index of an element in the box.
    fn index(&self, element: impl Iterator<Item = usize>) -> usize {
        element.zip(self.shape).fold(0, |index, (at, extent)| index * extent + at)
    }

    /// Calls `visit` with the index of every element of a block, in C order.
    fn within(&self, start: &[usize], extents: &[usize], mut visit: impl FnMut(usize)) {
        let mut offset = vec![0; start.len()];
        loop {
            visit(self.index(start.iter().zip(&offset).map(|(start, offset)| start + offset)));
            let Some(axis) = (0..offset.len()).rev().find(|axis| offset[*axis] + 1 < extents[*axis]) else {
                return;
            };
            offset[axis] += 1;
            offset[axis + 1..].fill(0);
        }
    }
}

/// Downsamples elements of any fixed size. It copies them and does not interpret them.
///
/// # Panics
/// When the slices do not hold the elements of the box and of its blocks.
#[inline(never)]
pub fn nearest(src: &[u8], size: usize, blocks: &Blocks<'_>, dst: &mut [u8]) {
    blocks.check(src.len(), dst.len(), size);
    blocks.each(|block, start, extents| {
        let centre = start.iter().zip(extents).map(|(start, extent)| start + (extent - 1) / 2);
        let at = blocks.index(centre) * size;
        dst[block * size..][..size].copy_from_slice(&src[at..at + size]);
    });
}

/// Replaces each block of numbers by its mean. Bools count as 0 and 1.
///
/// # Panics
/// As [`nearest`].
#[inline(never)]
pub fn mean(src: &[u8], from: NumberType, blocks: &Blocks<'_>, dst: &mut [u8]) {
    match from {
        NumberType::I8 => means::<i8, 1>(src, blocks, dst),
        NumberType::I16 => means::<i16, 2>(src, blocks, dst),
        NumberType::I32 => means::<i32, 4>(src, blocks, dst),
        NumberType::I64 => means::<i64, 8>(src, blocks, dst),
        NumberType::Bool | NumberType::U8 => means::<u8, 1>(src, blocks, dst),
        NumberType::U16 => means::<u16, 2>(src, blocks, dst),
        NumberType::U32 => means::<u32, 4>(src, blocks, dst),
        NumberType::U64 => means::<u64, 8>(src, blocks, dst),
        NumberType::F16 => means::<f16, 2>(src, blocks, dst),
        NumberType::F32 => means::<f32, 4>(src, blocks, dst),
        NumberType::F64 => means::<f64, 8>(src, blocks, dst),
    }
}

/// Downsamples numbers to the most frequent ones.
///
/// # Panics
/// As [`nearest`].
#[inline(never)]
pub fn mode(src: &[u8], from: NumberType, blocks: &Blocks<'_>, dst: &mut [u8]) {
    match from {
        NumberType::I8 => modes::<i8, 1>(src, blocks, dst),
        NumberType::I16 => modes::<i16, 2>(src, blocks, dst),
        NumberType::I32 => modes::<i32, 4>(src, blocks, dst),
        NumberType::I64 => modes::<i64, 8>(src, blocks, dst),
        NumberType::Bool | NumberType::U8 => modes::<u8, 1>(src, blocks, dst),
        NumberType::U16 => modes::<u16, 2>(src, blocks, dst),
        NumberType::U32 => modes::<u32, 4>(src, blocks, dst),
        NumberType::U64 => modes::<u64, 8>(src, blocks, dst),
        NumberType::F16 => modes::<f16, 2>(src, blocks, dst),
        NumberType::F32 => modes::<f32, 4>(src, blocks, dst),
        NumberType::F64 => modes::<f64, 8>(src, blocks, dst),
    }
}

/// A number of `N` bytes.
trait Number<const N: usize>: Copy {
    /// Holds the sum of all numbers of a block.
    type Sum: Copy + std::ops::AddAssign;
    /// The sum of no numbers.
    const NOTHING: Self::Sum;

    fn read(bytes: [u8; N]) -> Self;
    fn write(self) -> [u8; N];
    /// Returns the bits, without a sign.
    fn bits(self) -> u64;
    /// Returns a key in the order of the numbers.
    fn key(self) -> u64;
    fn is_nan(self) -> bool;
    fn widen(self) -> Self::Sum;
    /// Returns the mean, rounded; `None` if the sum has overflowed.
    fn mean(sum: Self::Sum, count: u32) -> Option<Self>;
    /// Returns the number divided by a power of two that is larger than any block.
    fn shrunk(self) -> Self::Sum;
    /// Returns the mean of shrunk numbers.
    fn grown(sum: Self::Sum, count: u32) -> Self;
}

/// Returns the quotient of a sum, rounded half to even.
macro_rules! rounded {
    ($sum:expr, $count:expr) => {{
        let (quotient, rest) = ($sum.div_euclid($count), $sum.rem_euclid($count));
        let is_up = 2 * rest > $count || (2 * rest == $count && quotient % 2 != 0);
        if is_up { quotient + 1 } else { quotient }
    }};
}

macro_rules! integers {
    ($($number:ty, $size:literal, $unsigned:ty, $sum:ty, $flip:expr;)*) => {$(
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_lossless, clippy::cast_possible_wrap)]
        impl Number<$size> for $number {
            type Sum = $sum;
            const NOTHING: $sum = 0;

            fn read(bytes: [u8; $size]) -> Self {
                Self::from_le_bytes(bytes)
            }

            fn write(self) -> [u8; $size] {
                self.to_le_bytes()
            }

            fn bits(self) -> u64 {
                self as $unsigned as u64
            }

            fn key(self) -> u64 {
                (self as $unsigned ^ $flip) as u64
            }

            fn is_nan(self) -> bool {
                false
            }

            fn widen(self) -> $sum {
                self as $sum
            }

            fn mean(sum: $sum, count: u32) -> Option<Self> {
                Some(rounded!(sum, <$sum>::from(count)) as Self)
            }

            fn shrunk(self) -> $sum {
                self as $sum
            }

            fn grown(sum: $sum, count: u32) -> Self {
                rounded!(sum, <$sum>::from(count)) as Self
            }
        }
    )*};
}

integers! {
    i8, 1, u8, i64, 1 << 7;
    i16, 2, u16, i64, 1 << 15;
    i32, 4, u32, i64, 1 << 31;
    i64, 8, u64, i128, 1 << 63;
    u8, 1, u8, i64, 0;
    u16, 2, u16, i64, 0;
    u32, 4, u32, i64, 0;
    u64, 8, u64, i128, 0;
}

/// Larger than any block, and a power of two: dividing large doubles by it is exact.
const SHRINK: f64 = 4_294_967_296.0;

macro_rules! floats {
    ($($number:ty, $size:literal, $sign:expr, $narrow:expr;)*) => {$(
        #[allow(clippy::cast_lossless, clippy::redundant_closure_call)]
        impl Number<$size> for $number {
            type Sum = f64;
            // The mean of negative zeros must be a negative zero.
            const NOTHING: f64 = -0.0;

            fn read(bytes: [u8; $size]) -> Self {
                Self::from_le_bytes(bytes)
            }

            fn write(self) -> [u8; $size] {
                self.to_le_bytes()
            }

            fn bits(self) -> u64 {
                u64::from(self.to_bits())
            }

            fn key(self) -> u64 {
                let (bits, sign) = (self.to_bits(), $sign);
                // Both zeros are one number.
                let bits = if bits == sign { 0 } else { bits };
                u64::from(if bits & sign == 0 { bits | sign } else { !bits })
            }

            fn is_nan(self) -> bool {
                self != self
            }

            fn widen(self) -> f64 {
                f64::from(self)
            }

            fn mean(sum: f64, count: u32) -> Option<Self> {
                sum.is_finite().then(|| $narrow(sum / f64::from(count)))
            }

            fn shrunk(self) -> f64 {
                f64::from(self) / SHRINK
            }

            fn grown(sum: f64, count: u32) -> Self {
                $narrow(sum / f64::from(count) * SHRINK)
            }
        }
    )*};
}

#[allow(clippy::cast_possible_truncation)] // rounds to the nearest single
fn single(number: f64) -> f32 {
    number as f32
}

floats! {
    f16, 2, 1_u16 << 15, f16::from_f64;
    f32, 4, 1_u32 << 31, single;
    f64, 8, 1_u64 << 63, |number: f64| number;
}

fn is_missing<T: Number<N>, const N: usize>(number: T, missing: &[u64]) -> bool {
    number.is_nan() || missing.contains(&number.bits())
}

/// Adds up rows, because the elements of a row of blocks are next to each other.
fn means<T: Number<N>, const N: usize>(src: &[u8], blocks: &Blocks<'_>, dst: &mut [u8]) {
    blocks.check(src.len(), dst.len(), N);
    let (extent, factor) = blocks.row();
    let width = extent.div_ceil(factor);
    if width == 0 {
        return;
    }
    let numbers = src.as_chunks::<N>().0;
    let mut sums = vec![(T::NOTHING, 0_u32); width];
    let rows = blocks.rows();
    rows.each(|row, start, extents| {
        sums.fill((T::NOTHING, 0));
        rows.within(start, extents, |at| {
            add_row::<T, N>(&numbers[at * extent..][..extent], factor, blocks.missing, &mut sums);
        });
        let first = rows.index(start.iter().copied()) * extent;
        let results = &mut dst.as_chunks_mut::<N>().0[row * width..][..width];
        for (column, (result, (sum, count))) in results.iter_mut().zip(&sums).enumerate() {
            *result = if *count == 0 {
                numbers[first + column * factor]
            } else if let Some(mean) = T::mean(*sum, *count) {
                mean.write()
            } else {
                let start: Vec<usize> = start.iter().copied().chain([column * factor]).collect();
                // A box without dimensions has one row, and no index in it.
                large_mean::<T, N>(numbers, blocks, &start[..blocks.shape.len()]).write()
            };
        }
    });
}

fn add_row<T: Number<N>, const N: usize>(
    row: &[[u8; N]],
    factor: usize,
    missing: &[u64],
    sums: &mut [(T::Sum, u32)],
) {
    for (block, (sum, count)) in row.chunks(factor).zip(sums) {
        for bytes in block {
            let number = T::read(*bytes);
            if !is_missing(number, missing) {
                *sum += number.widen();
                *count += 1;
            }
        }
    }
}

/// Returns the mean of a block whose sum is too large, or is infinite because a number is.
#[cold]
fn large_mean<T: Number<N>, const N: usize>(numbers: &[[u8; N]], blocks: &Blocks<'_>, start: &[usize]) -> T {
    let sizes = blocks.shape.iter().zip(blocks.factors).zip(start);
    let extents: Vec<usize> = sizes.map(|((extent, factor), start)| *factor.min(&(extent - start))).collect();
    let (mut sum, mut count) = (T::NOTHING, 0);
    blocks.within(start, &extents, |at| {
        let number = T::read(numbers[at]);
        if !is_missing(number, blocks.missing) {
            sum += number.shrunk();
            count += 1;
        }
    });
    T::grown(sum, count)
}

fn modes<T: Number<N>, const N: usize>(src: &[u8], blocks: &Blocks<'_>, dst: &mut [u8]) {
    blocks.check(src.len(), dst.len(), N);
    let numbers = src.as_chunks::<N>().0;
    let results = dst.as_chunks_mut::<N>().0;
    let mut keys: Vec<(u64, usize)> = Vec::new();
    blocks.each(|block, start, extents| {
        keys.clear();
        let mut first = None;
        blocks.within(start, extents, |at| {
            first.get_or_insert(at);
            let number = T::read(numbers[at]);
            if !is_missing(number, blocks.missing) {
                keys.push((number.key(), at));
            }
        });
        let chosen = most_frequent(&mut keys).or(first);
        results[block] = chosen.map_or([0; N], |at| numbers[at]);
    });
}

/// Returns the index that belongs to the most frequent key; of equally frequent keys, to the
/// lowest.
fn most_frequent(keys: &mut [(u64, usize)]) -> Option<usize> {
    let (lowest, first) = *keys.first()?;
    // A block of a label image usually lies within one label.
    if keys.iter().all(|(key, _)| *key == lowest) {
        return Some(first);
    }
    keys.sort_unstable();
    let mut longest: &[(u64, usize)] = &[];
    for run in keys.chunk_by(|a, b| a.0 == b.0) {
        if run.len() > longest.len() {
            longest = run;
        }
    }
    longest.first().map(|(_, at)| *at)
}

#[cfg(test)]
mod tests;
