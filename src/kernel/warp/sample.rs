//! Values at fractional indices. What is missing is never part of a mean: where one of the four
//! neighbours is missing, the nearest one stands for all.

use super::position::Position;

/// How values between centres are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Of the nearest element.
    Nearest,
    /// On straight lines between four.
    Linear,
}

/// The elements that were read: a box of the source.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    /// Row by row; NaN where one is missing.
    pub values: &'a [f32],
    /// First column and row.
    pub start: [usize; 2],
    /// Columns and rows.
    pub size: [usize; 2],
    /// Columns and rows of the source.
    pub whole: [usize; 2],
    /// Whether the first column follows on the last one; the window then may begin at one end and
    /// continue at the other.
    pub wraps: bool,
}

impl Window<'_> {
    /// An element of the source; beyond its edges the last one before. NaN for one that was not
    /// read.
    fn at(&self, column: i64, row: i64) -> f32 {
        let [columns, rows] = self.whole.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        let column = if self.wraps { column.rem_euclid(columns) } else { column.clamp(0, columns - 1) };
        let row = row.clamp(0, rows - 1);
        let [first, top] = self.start.map(|start| i64::try_from(start).unwrap_or(i64::MAX));
        let column = if self.wraps { (column - first).rem_euclid(columns) } else { column - first };
        let within = (usize::try_from(column), usize::try_from(row - top));
        let (Ok(column), Ok(row)) = within else { return f32::NAN };
        if column >= self.size[0] || row >= self.size[1] {
            return f32::NAN;
        }
        self.values[row * self.size[0] + column]
    }
}

#[allow(clippy::cast_possible_truncation)] // an index, and what is beyond one is no element
fn floor(index: f64) -> i64 {
    index.floor() as i64
}

fn nearest(window: &Window<'_>, [column, row]: Position) -> f32 {
    window.at(floor(column + 0.5), floor(row + 0.5))
}

#[allow(clippy::cast_possible_truncation)] // a mean of singles
fn linear(window: &Window<'_>, position: Position) -> f32 {
    let [column, row] = position;
    let (left, top) = (floor(column), floor(row));
    let (across, down) = (column - column.floor(), row - row.floor());
    let mut sum = 0.0;
    for (at_row, of_row) in [(top, 1.0 - down), (top + 1, down)] {
        for (at_column, of_column) in [(left, 1.0 - across), (left + 1, across)] {
            let weight = of_row * of_column;
            if weight == 0.0 {
                continue;
            }
            let value = window.at(at_column, at_row);
            if value.is_nan() {
                return nearest(window, position);
            }
            sum += weight * f64::from(value);
        }
    }
    sum as f32
}

/// The values at positions; NaN where there is none.
///
/// # Panics
/// When there is not one value for each position, or the window is not as long as its size says.
pub fn sample(window: &Window<'_>, method: Method, positions: &[Position], values: &mut [f32]) {
    assert_eq!(positions.len(), values.len(), "each position has a value");
    assert_eq!(window.values.len(), window.size[0] * window.size[1], "a window is whole");
    for (position, value) in positions.iter().zip(values) {
        *value = match method {
            _ if position[0].is_nan() || position[1].is_nan() => f32::NAN,
            Method::Nearest => nearest(window, *position),
            Method::Linear => linear(window, *position),
        };
    }
}
