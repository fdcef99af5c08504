//! Resampling into the pixels of a map: from pixels to points in the source's reference system,
//! from there to indices of its elements, and from those to values. One kernel for each of the two
//! steps, [`locate`] and [`sample`]. The caller reads the elements between them.
//!
//! What reference systems are is not known here: the caller transforms the corners of [`Cell`]s,
//! which are so small that a straight line between them is near enough. On the globe points are
//! longitude and latitude in degrees, and longitudes wrap.

mod axis;
mod cell;
mod curvilinear;
mod position;
mod sample;

pub use axis::Axis;
pub use cell::{Cell, Corners};
pub use curvilinear::Curvilinear;
pub use position::{NOWHERE, Position, WHOLE_TURN};
pub use sample::{Method, Window, sample};

/// How points become indices.
#[derive(Debug)]
pub enum Source<'a> {
    /// Columns and rows each by themselves.
    Axes {
        /// Of columns.
        x: Axis,
        /// Of rows.
        y: Axis,
    },
    /// `x = a·column + b·row + c`, `y = d·column + e·row + f`, of centres.
    Turned {
        /// From a to f.
        affine: [f64; 6],
        /// Columns and rows.
        size: [usize; 2],
        /// Whether x is a longitude.
        is_globe: bool,
    },
    /// A longitude and a latitude for each element.
    Curvilinear(&'a Curvilinear),
}

impl Source<'_> {
    fn index(&self, [x, y]: [f64; 2], last: &mut usize) -> Position {
        match self {
            Self::Axes { x: columns, y: rows } => match (columns.index(x), rows.index(y)) {
                (Some(column), Some(row)) => [column, row],
                _ => NOWHERE,
            },
            Self::Turned { affine, size, is_globe } => {
                let turns: &[f64] = if *is_globe { &[0.0, WHOLE_TURN, -WHOLE_TURN] } else { &[0.0] };
                let found = turns.iter().filter_map(|turn| turned([x + turn, y], *affine, *size));
                found.into_iter().next().unwrap_or(NOWHERE)
            }
            Self::Curvilinear(grid) => grid.index([x, y], last),
        }
    }
}

fn turned([x, y]: [f64; 2], [a, b, c, d, e, f]: [f64; 6], size: [usize; 2]) -> Option<Position> {
    let determinant = a * e - b * d;
    let (x, y) = (x - c, y - f);
    let position = [(e * x - b * y) / determinant, (a * y - d * x) / determinant];
    let fits = position.iter().zip(size).all(|(index, count)| inside(*index, count));
    fits.then_some(position)
}

/// Whether an index is within an element of a row of so many.
#[allow(clippy::cast_precision_loss)] // a count of elements
fn inside(index: f64, count: usize) -> bool {
    index >= -0.5 && index <= count as f64 - 0.5
}

/// The positions of all pixels of a map of a size, row by row.
///
/// # Panics
/// When a cell reaches beyond the map, or `positions` is not as long as the map.
pub fn locate(cells: &[Cell], width: usize, source: &Source<'_>, positions: &mut [Position]) {
    positions.fill(NOWHERE);
    // Neighbours in the map are mostly neighbours in the source.
    let mut last = 0;
    for cell in cells {
        let [left, top] = cell.start;
        let [columns, rows] = cell.size;
        assert!(left + columns <= width, "a cell lies within the map");
        for row in 0..rows {
            let start = (top + row) * width + left;
            for (column, position) in positions[start..start + columns].iter_mut().enumerate() {
                *position = source.index(cell.point(column, row), &mut last);
            }
        }
    }
}

#[cfg(test)]
mod tests;
