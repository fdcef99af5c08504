//! The inverses of TIFF's and imagecodecs' predictors: sums along rows of elements.
//!
//! A row has whole elements; the codecs check it.

/// Rows of elements in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The bytes of an element.
    pub size: usize,
    /// Elements in a row, at least one.
    pub len: usize,
    /// The distance from an element to the one it is the difference from, at least one.
    pub step: usize,
}

/// Adds to every element the one that is `step` before it in its row. Elements are integers of 1,
/// 2, 4 or 8 bytes, which wrap.
#[inline(never)]
pub fn undo_differences(buf: &mut [u8], rows: Rows) {
    for row in buf.chunks_mut(rows.len * rows.size) {
        match rows.size {
            1 => add_before(row, rows.step, u8::from_le_bytes, u8::wrapping_add, u8::to_le_bytes),
            2 => add_before(row, rows.step, u16::from_le_bytes, u16::wrapping_add, u16::to_le_bytes),
            4 => add_before(row, rows.step, u32::from_le_bytes, u32::wrapping_add, u32::to_le_bytes),
            _ => add_before(row, rows.step, u64::from_le_bytes, u64::wrapping_add, u64::to_le_bytes),
        }
    }
}

#[inline(always)]
fn add_before<const N: usize, T>(
    row: &mut [u8],
    step: usize,
    read: impl Fn([u8; N]) -> T,
    add: impl Fn(T, T) -> T,
    write: impl Fn(T) -> [u8; N],
) {
    let elements = row.as_chunks_mut::<N>().0;
    for at in step..elements.len() {
        elements[at] = write(add(read(elements[at]), read(elements[at - step])));
    }
}

/// Undoes the floating-point predictor: sums the bytes of each row of `src`, which are grouped by
/// their position in the numbers, the highest first, and writes the numbers. `src` is used up.
///
/// # Panics
/// When `src` and `dst` differ in length or are not whole rows.
#[inline(never)]
pub fn undo_float_differences(src: &mut [u8], rows: Rows, dst: &mut [u8]) {
    assert_eq!(src.len(), dst.len(), "the predictor keeps the length");
    let Rows { size, len, step } = rows;
    for (row, numbers) in src.chunks_exact_mut(len * size).zip(dst.chunks_exact_mut(len * size)) {
        add_before(row, step, u8::from_le_bytes, u8::wrapping_add, u8::to_le_bytes);
        for (index, number) in numbers.chunks_exact_mut(size).enumerate() {
            for (byte, plane) in number.iter_mut().zip((0..size).rev()) {
                *byte = row[plane * len + index];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::super::naive;
    use super::*;

    #[test]
    fn rows_of_every_size_and_step() {
        for (size, len, step) in [(1, 7, 1), (2, 5, 2), (4, 16, 3), (8, 3, 1), (1, 4, 9), (2, 1, 1)] {
            let rows = Rows { size, len, step };
            let plain = naive::bytes(6 * len * size, 3);
            let mut sums = naive::row_differences(&plain, rows);
            undo_differences(&mut sums, rows);
            assert!(sums == plain, "{rows:?}");
        }
    }

    #[test]
    fn planes_become_numbers() {
        for (size, len, step) in [(2, 5, 1), (4, 16, 3), (8, 3, 2)] {
            let rows = Rows { size, len, step };
            let plain = naive::bytes(4 * len * size, 5);
            let mut grouped = naive::float_differences(&plain, rows);
            let mut numbers = vec![0xee; plain.len()];
            undo_float_differences(&mut grouped, rows, &mut numbers);
            assert!(numbers == plain, "{rows:?}");
        }
    }
}
