//! Sums of the columns of rows of float32: what a mean over the first dimension of an array takes
//! most of its time for.
//!
//! The sums are those of [`FloatSum`], in the same order. Here they lie apart from their rests, and
//! four rows are added in one turn, so that the loops fill registers. NaN is counted and left out.

use super::cell::{Count, FloatSum};

/// The most columns at a time. Their sums stay in the cache, and a piece of a row is long enough to
/// be read ahead.
pub const COLUMNS: usize = 1024;

/// A float32, little-endian.
type Element = [u8; 4];

/// Rows that are added in one turn.
const TOGETHER: usize = 4;

/// The sums of some columns.
struct Columns {
    sums: [f64; COLUMNS],
    rests: [f64; COLUMNS],
    /// How many of the rows have NaN there.
    missing: [u64; COLUMNS],
    rows: u64,
}

/// The accumulators of the same columns, one for each.
pub struct ColumnCells<'a> {
    /// The sums.
    pub sums: &'a mut [FloatSum],
    /// The counts of numbers.
    pub used: &'a mut [Count],
    /// The counts of NaN.
    pub missing: &'a mut [Count],
}

impl Columns {
    /// Those of accumulators, of which there are [`COLUMNS`] at most.
    fn of(cells: &[FloatSum]) -> Self {
        let mut found = Self { sums: [0.0; COLUMNS], rests: [0.0; COLUMNS], missing: [0; COLUMNS], rows: 0 };
        for ((cell, sum), rest) in cells.iter().zip(&mut found.sums).zip(&mut found.rests) {
            (*sum, *rest) = cell.parts();
        }
        found
    }

    /// Gives accumulators the sums and the counts.
    fn put(&self, ColumnCells { sums, used, missing }: ColumnCells<'_>) {
        for ((cell, sum), rest) in sums.iter_mut().zip(&self.sums).zip(&self.rests) {
            *cell = FloatSum::of_parts(*sum, *rest);
        }
        for ((used, missing), count) in used.iter_mut().zip(missing).zip(&self.missing) {
            used.0 += self.rows - count;
            missing.0 += count;
        }
    }

    fn add(&mut self, rows: [&[Element]; TOGETHER]) {
        let [first, second, third, fourth] = rows;
        if rows.into_iter().any(has_nan) {
            rows.into_iter().for_each(|row| self.add_some(row));
        } else {
            self.add_four(first, second, third, fourth);
        }
        self.rows += TOGETHER as u64;
    }

    /// Adds rows without NaN. As arguments of a function they are known not to be the sums.
    #[inline(never)]
    fn add_four(&mut self, first: &[Element], second: &[Element], third: &[Element], fourth: &[Element]) {
        let rows = first.iter().zip(second).zip(third).zip(fourth);
        for ((sum, rest), (((first, second), third), fourth)) in
            self.sums.iter_mut().zip(&mut self.rests).zip(rows)
        {
            let mut both = FloatSum::of_parts(*sum, *rest);
            both.plus(number(first));
            both.plus(number(second));
            both.plus(number(third));
            both.plus(number(fourth));
            (*sum, *rest) = both.parts();
        }
    }

    /// Adds the numbers of a row, and counts NaN. Zero changes no sum.
    #[inline(never)]
    fn add_some(&mut self, row: &[Element]) {
        let columns = self.sums.iter_mut().zip(&mut self.rests).zip(&mut self.missing);
        for (((sum, rest), missing), element) in columns.zip(row) {
            let value = number(element);
            let mut both = FloatSum::of_parts(*sum, *rest);
            both.plus(if value.is_nan() { 0.0 } else { value });
            (*sum, *rest) = both.parts();
            *missing += u64::from(value.is_nan());
        }
    }
}

#[inline]
fn number(element: &Element) -> f64 {
    f64::from(f32::from_le_bytes(*element))
}

/// Whether a row has NaN. Without an early end, the loop fills registers.
fn has_nan(row: &[Element]) -> bool {
    row.iter().fold(false, |found, element| found | f32::from_le_bytes(*element).is_nan())
}

/// Adds rows of float32 to accumulators. `rows` has rows of `row_bytes` bytes, in which the columns
/// begin at byte `first`.
///
/// # Panics
/// When there are more than [`COLUMNS`] accumulators, or a row has fewer numbers.
#[inline(never)] // So that what a compiler at run time optimises, when it is hot, is small.
pub fn add_columns(cells: ColumnCells<'_>, rows: &[u8], row_bytes: usize, first: usize) {
    let width = cells.sums.len();
    assert!(width <= COLUMNS, "as many columns as are added at a time");
    let end = first + width * size_of::<Element>();
    let mut columns = Columns::of(cells.sums);
    let (fours, others) = rows.split_at(rows.len() - rows.len() % (row_bytes * TOGETHER));
    for four in fours.chunks_exact(row_bytes * TOGETHER) {
        columns.add([0, 1, 2, 3].map(|at| four[at * row_bytes..][first..end].as_chunks().0));
    }
    for row in others.chunks_exact(row_bytes) {
        columns.add_some(row[first..end].as_chunks().0);
        columns.rows += 1;
    }
    columns.put(cells);
}
