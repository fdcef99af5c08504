//! Grids whose elements have a longitude and a latitude each. Which four centres a point lies
//! between is looked up in buckets of the globe, and decided in the plane that touches the globe at
//! the point: neither the poles nor the antimeridian are special there.
//!
//! ```text
//! new: points = the centres of the cells on a globe of radius 1, and a rim of half a cell around
//!     a cell = four neighbouring points
//!     buckets = the globe in `down` rows of 2 × `down` boxes of equal angles       Buckets::of
//!         each lists the cells that may reach into it                         Buckets::covering
//! index of a point: try the cell found last, then those of the point's bucket
//!     a cell holds the point if:                                               Touching::within
//!         its corners a, b, c, d are near, and not all on one side of the point
//!         a + u * (b - a) + v * (c - a) + u * v * (a - b - c + d) = point has a solution in the
//!             plane, by Newton's steps from the middle                             within_flat
//!         and 0 <= u <= 1 and 0 <= v <= 1: the index is the cell's column + u and row + v
//!     a cell of the rim counts only where no inner cell does
//! ```

use super::position::{NOWHERE, Position, WHOLE_TURN};

type Point = [f64; 3];

/// Four neighbouring centres, and where they are in the grid.
#[derive(Debug)]
pub struct Curvilinear {
    /// With half an element around the grid: two more columns and rows than centres.
    points: Vec<Point>,
    columns: usize,
    rows: usize,
    buckets: Buckets,
}

/// Which cells may lie in which part of the globe.
#[derive(Debug)]
struct Buckets {
    across: usize,
    down: usize,
    /// Where the cells of each bucket begin, and behind the last one where they end.
    starts: Vec<u32>,
    cells: Vec<u32>,
}

/// The most entries of all buckets: cells that are large for their grid are in many.
const MAX_ENTRIES: u64 = 1 << 26;

/// Ten metres before a pole.
const NEXT_TO_POLE: f64 = 89.9999;

/// A box of buckets: first and count across, which may go around, then first and last down.
type Box4 = [usize; 4];

fn point(longitude: f64, latitude: f64) -> Point {
    let (sin_lon, cos_lon) = longitude.to_radians().sin_cos();
    let (sin_lat, cos_lat) = latitude.to_radians().sin_cos();
    [cos_lat * cos_lon, cos_lat * sin_lon, sin_lat]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn beyond(near: Point, far: Point) -> Point {
    let point: Point = std::array::from_fn(|at| near[at] + (near[at] - far[at]) / 2.0);
    let length = dot(point, point).sqrt();
    point.map(|number| number / length)
}

fn longitude_of([x, y, _]: Point) -> f64 {
    y.atan2(x).to_degrees()
}

fn latitude_of([x, y, z]: Point) -> f64 {
    z.atan2(x.hypot(y)).to_degrees()
}

impl Curvilinear {
    /// Of longitudes and latitudes in degrees, row by row; NaN where an element has none. `None`
    /// for less than two columns or rows, and for lists that are not of this length.
    pub fn new(longitudes: &[f64], latitudes: &[f64], columns: usize, rows: usize) -> Option<Self> {
        let count = columns.checked_mul(rows)?;
        let is_usable = columns >= 2 && rows >= 2 && longitudes.len() == count && latitudes.len() == count;
        if !is_usable || u32::try_from((columns + 2).checked_mul(rows + 2)?).is_err() {
            return None;
        }
        let centre = |column: usize, row: usize| {
            let at = row * columns + column;
            point(longitudes[at], latitudes[at])
        };
        let in_row = |column: usize, row: usize| match column {
            0 => beyond(centre(0, row), centre(1, row)),
            column if column > columns => beyond(centre(columns - 1, row), centre(columns - 2, row)),
            column => centre(column - 1, row),
        };
        let padded = |column: usize, row: usize| match row {
            0 => beyond(in_row(column, 0), in_row(column, 1)),
            row if row > rows => beyond(in_row(column, rows - 1), in_row(column, rows - 2)),
            row => in_row(column, row - 1),
        };
        let padded_indices = (0..rows + 2).flat_map(|row| (0..columns + 2).map(move |column| (column, row)));
        let points = padded_indices.map(|(column, row)| padded(column, row)).collect();
        let buckets = Buckets { across: 0, down: 0, starts: Vec::new(), cells: Vec::new() };
        let mut grid = Self { points, columns, rows, buckets };
        grid.buckets = Buckets::of(&grid)?;
        Some(grid)
    }

    fn cells_across(&self) -> usize {
        self.columns + 1
    }

    fn cell_count(&self) -> usize {
        self.cells_across() * (self.rows + 1)
    }

    /// The corners of a cell: of its first row, then of its second.
    fn corners(&self, cell: usize) -> [Point; 4] {
        let (row, column) = (cell / self.cells_across(), cell % self.cells_across());
        let start = row * (self.columns + 2) + column;
        let below = start + self.columns + 2;
        [self.points[start], self.points[start + 1], self.points[below], self.points[below + 1]]
    }

    /// The index of a longitude and latitude. `last` is the cell that was found before, which is
    /// tried first.
    pub fn index(&self, [longitude, latitude]: [f64; 2], last: &mut usize) -> Position {
        if !longitude.is_finite() || !(-90.0..=90.0).contains(&latitude) {
            return NOWHERE;
        }
        // At the pole itself cells that end there have no width.
        let plane = Touching::at(longitude, latitude.clamp(-NEXT_TO_POLE, NEXT_TO_POLE));
        if self.is_inner(*last)
            && let Some(within) = plane.within(self.corners(*last))
        {
            return self.position(*last, within);
        }
        // What is added around the grid may lie on its other end: it counts where nothing else is.
        let mut around = NOWHERE;
        for cell in self.buckets.at(longitude, latitude) {
            let cell = *cell as usize;
            let Some(within) = plane.within(self.corners(cell)) else { continue };
            if self.is_inner(cell) {
                *last = cell;
                return self.position(cell, within);
            }
            around = self.position(cell, within);
        }
        around
    }

    /// Whether all corners of a cell are centres of elements.
    fn is_inner(&self, cell: usize) -> bool {
        let (row, column) = (cell / self.cells_across(), cell % self.cells_across());
        (1..self.rows).contains(&row) && (1..self.columns).contains(&column)
    }

    fn position(&self, cell: usize, [across, down]: [f64; 2]) -> Position {
        let (row, column) = (cell / self.cells_across(), cell % self.cells_across());
        [index(column, across, self.columns), index(row, down, self.rows)]
    }
}

/// The index in the grid: the first and the last cell are half an element wide.
#[allow(clippy::cast_precision_loss)] // a count of elements
fn index(cell: usize, within: f64, count: usize) -> f64 {
    match cell {
        0 => within / 2.0 - 0.5,
        cell if cell == count => (count - 1) as f64 + within / 2.0,
        cell => (cell - 1) as f64 + within,
    }
}

/// The plane that touches the globe at a point: great circles are straight lines in it.
struct Touching {
    at: Point,
    east: Point,
    north: Point,
}

/// Cells of which a corner is further away than this (its cosine) are not neighbours.
const FAR: f64 = 0.2;

/// A point on the line between two cells is in both.
const SLACK: f64 = 1e-9;

/// Newton's steps: each doubles the digits that are right.
const STEPS: usize = 12;

impl Touching {
    fn at(longitude: f64, latitude: f64) -> Self {
        let (sin_lon, cos_lon) = longitude.to_radians().sin_cos();
        let (sin_lat, cos_lat) = latitude.to_radians().sin_cos();
        Self {
            at: [cos_lat * cos_lon, cos_lat * sin_lon, sin_lat],
            east: [-sin_lon, cos_lon, 0.0],
            north: [-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat],
        }
    }

    /// Where the point lies between four corners, from 0 to 1 each way; `None` where it does not.
    fn within(&self, corners: [Point; 4]) -> Option<[f64; 2]> {
        let mut flat = [[0.0; 2]; 4];
        for (flat, corner) in flat.iter_mut().zip(corners) {
            let depth = dot(self.at, corner);
            if depth.is_nan() || depth <= FAR {
                return None;
            }
            *flat = [dot(self.east, corner) / depth, dot(self.north, corner) / depth];
        }
        for axis in 0..2 {
            let all = flat.map(|corner| corner[axis]);
            if all.iter().all(|number| *number > 0.0) || all.iter().all(|number| *number < 0.0) {
                return None;
            }
        }
        within_flat(flat)
    }
}

/// Where the origin lies between four corners of a plane.
fn within_flat([a, b, c, d]: [[f64; 2]; 4]) -> Option<[f64; 2]> {
    let along: [f64; 2] = std::array::from_fn(|at| b[at] - a[at]);
    let down: [f64; 2] = std::array::from_fn(|at| c[at] - a[at]);
    let mixed: [f64; 2] = std::array::from_fn(|at| a[at] - b[at] - c[at] + d[at]);
    let reach = along.iter().chain(&down).map(|number| number.abs()).sum::<f64>();
    let [mut u, mut v] = [0.5, 0.5];
    for _ in 0..STEPS {
        let miss: [f64; 2] =
            std::array::from_fn(|at| a[at] + along[at] * u + down[at] * v + mixed[at] * u * v);
        let by_u: [f64; 2] = std::array::from_fn(|at| along[at] + mixed[at] * v);
        let by_v: [f64; 2] = std::array::from_fn(|at| down[at] + mixed[at] * u);
        let determinant = by_u[0] * by_v[1] - by_u[1] * by_v[0];
        if determinant == 0.0 || !determinant.is_finite() {
            return None;
        }
        let step_u = (miss[0] * by_v[1] - miss[1] * by_v[0]) / determinant;
        let step_v = (by_u[0] * miss[1] - by_u[1] * miss[0]) / determinant;
        (u, v) = (u - step_u, v - step_v);
        // In the plane: where a cell is narrow, its own coordinate says little.
        let moved = (by_u[0] * step_u).abs()
            + (by_u[1] * step_u).abs()
            + (by_v[0] * step_v).abs()
            + (by_v[1] * step_v).abs();
        if moved < SLACK / 10.0 * reach {
            let fits = [u, v].into_iter().all(|at| (-SLACK..=1.0 + SLACK).contains(&at));
            return fits.then(|| [u.clamp(0.0, 1.0), v.clamp(0.0, 1.0)]);
        }
    }
    None
}

impl Buckets {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // counts
    fn of(grid: &Curvilinear) -> Option<Self> {
        let down = ((grid.cell_count() as f64 / 2.0).sqrt() as usize).clamp(4, 2048);
        let mut buckets = Self { across: 2 * down, down, starts: Vec::new(), cells: Vec::new() };
        let boxes: Vec<Option<Box4>> =
            (0..grid.cell_count()).map(|cell| buckets.covering(grid.corners(cell))).collect();
        let mut starts = vec![0_u32; buckets.across * down + 1];
        let entries = |[_, count, top, bottom]: &Box4| (count * (bottom - top + 1)) as u64;
        if boxes.iter().flatten().map(entries).sum::<u64>() > MAX_ENTRIES {
            return None;
        }
        for bounds in boxes.iter().flatten() {
            buckets.each(*bounds, |bucket| starts[bucket + 1] += 1);
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut cells = vec![0_u32; starts.last().copied().unwrap_or_default() as usize];
        let mut next = starts.clone();
        for (cell, bounds) in boxes.iter().enumerate() {
            let Some(bounds) = bounds else { continue };
            buckets.each(*bounds, |bucket| {
                cells[next[bucket] as usize] = cell as u32;
                next[bucket] += 1;
            });
        }
        buckets.starts = starts;
        buckets.cells = cells;
        Some(buckets)
    }

    fn each(&self, [first, count, top, bottom]: Box4, mut visit: impl FnMut(usize)) {
        for row in top..=bottom {
            for step in 0..count {
                visit(row * self.across + (first + step) % self.across);
            }
        }
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // counts
    fn row_of(&self, latitude: f64) -> usize {
        let row = (latitude.clamp(-90.0, 90.0) + 90.0) / 180.0 * self.down as f64;
        (row as usize).min(self.down - 1)
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // counts
    fn column_of(&self, longitude: f64) -> usize {
        let column = longitude.rem_euclid(WHOLE_TURN) / WHOLE_TURN * self.across as f64;
        (column as usize).min(self.across - 1)
    }

    /// The buckets that a cell may reach into; `None` for one that is nowhere.
    fn covering(&self, corners: [Point; 4]) -> Option<Box4> {
        if corners.iter().flatten().any(|number| number.is_nan()) {
            return None;
        }
        let latitudes = corners.map(latitude_of);
        let first = longitude_of(corners[0]);
        let turn = |point| (longitude_of(point) - first + 540.0).rem_euclid(WHOLE_TURN) - 180.0;
        let longitudes = corners.map(turn);
        let ([west, east], [south, north]) = (bounds(longitudes), bounds(latitudes));
        if east - west > 90.0 {
            // It is around a pole, or beside one.
            let low = if south < 0.0 { -90.0 } else { south };
            let high = if north > 0.0 { 90.0 } else { north };
            return Some([0, self.across, self.row_of(low), self.row_of(high)]);
        }
        // Its sides are arcs: they run from corner to corner in longitude, and bulge towards the
        // pole.
        let steepest = south.abs().max(north.abs()).to_radians();
        let half = ((east - west) / 2.0).to_radians();
        let bulge = (steepest.tan() / half.cos()).atan().to_degrees() - steepest.to_degrees();
        let margin = bulge.abs() + 1e-6;
        let (left, right) = (self.column_of(first + west - 1e-6), self.column_of(first + east + 1e-6));
        let count = (right + self.across - left) % self.across + 1;
        Some([left, count, self.row_of(south - margin), self.row_of(north + margin)])
    }

    /// The cells that may hold a point.
    fn at(&self, longitude: f64, latitude: f64) -> &[u32] {
        let bucket = self.row_of(latitude) * self.across + self.column_of(longitude);
        &self.cells[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}

fn bounds(numbers: [f64; 4]) -> [f64; 2] {
    numbers
        .into_iter()
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], number| [low.min(number), high.max(number)])
}
