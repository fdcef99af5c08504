//! Pieces of a map, between whose corners points lie on straight lines.

/// The points of a cell's corners: top left, top right, bottom left, bottom right.
#[derive(Clone, Debug, PartialEq)]
pub enum Corners {
    /// x and y in the source's reference system.
    Plane([[f64; 2]; 4]),
    /// Near the poles: points of the unit sphere, that longitudes cannot tear apart.
    Sphere([[f64; 3]; 4]),
}

/// A rectangle of pixels. Its corners are corners of pixels, and points are pixels'
/// centres.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// First column and row.
    pub start: [usize; 2],
    /// Columns and rows.
    pub size: [usize; 2],
    /// Where the corners are.
    pub corners: Corners,
}

fn between<const N: usize>([a, b, c, d]: &[[f64; N]; 4], [u, v]: [f64; 2]) -> [f64; N] {
    std::array::from_fn(|at| {
        let top = a[at] + (b[at] - a[at]) * u;
        let bottom = c[at] + (d[at] - c[at]) * u;
        top + (bottom - top) * v
    })
}

impl Cell {
    /// The point of a pixel of the cell.
    #[allow(clippy::cast_precision_loss)] // a count of pixels
    pub fn point(&self, column: usize, row: usize) -> [f64; 2] {
        let along = |at: usize, count: usize| (at as f64 + 0.5) / count as f64;
        let within = [along(column, self.size[0]), along(row, self.size[1])];
        match &self.corners {
            Corners::Plane(corners) => between(corners, within),
            Corners::Sphere(corners) => {
                let [x, y, z] = between(corners, within);
                [y.atan2(x).to_degrees(), z.atan2(x.hypot(y)).to_degrees()]
            }
        }
    }
}
