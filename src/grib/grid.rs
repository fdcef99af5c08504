//! The grid of a field (section 3): its coordinates, and the order of its points.

use crate::bits::{i32_at, u8_at, u16_at, u32_at};
use crate::error::{Result, damaged, other_count, unsupported};
use crate::projected::Projected;
use crate::scale::room;

/// Flags of the scanning mode (flag table 3.4).
const FROM_EAST: u8 = 0x80;
const FROM_SOUTH: u8 = 0x40;
const BY_COLUMNS: u8 = 0x20;

/// How [gribberish](https://github.com/mpiannucci/gribberish) may change the order of columns and
/// rows. The default changes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Adjustments {
    /// Longitudes of the whole globe go from −180 to 180.
    pub wraps_longitude: bool,
    /// The northern-most row comes first.
    pub is_north_up: bool,
}

/// Whose coordinates are computed: they differ in the range of longitudes, and where steps are
/// rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// Longitudes of maps go from −180 to 180, others from 0 to 360, with the steps of the message.
    Gribberish,
    /// Longitudes of maps go from 0 to 360, others continue from the first; both ends are exact.
    Eccodes,
}

/// A coordinate, in degrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// North of the equator.
    Latitude,
    /// East of Greenwich.
    Longitude,
}

/// Where the points are.
enum Shape {
    /// Latitudes and longitudes at even distances: the first, and the step.
    Even {
        latitude: (f64, f64),
        longitude: (f64, f64),
        /// The last longitude, as the message gives it.
        last: f64,
    },
    Projected(Projected),
}

/// The grid of a field.
pub struct Grid {
    columns: usize,
    rows: usize,
    scan: u8,
    convention: Convention,
    shape: Shape,
}

/// The numbers of columns and rows.
fn size(section: &[u8]) -> Result<(usize, usize)> {
    Ok((u32_at(section, 30)? as usize, u32_at(section, 34)? as usize))
}

impl Grid {
    /// Reads section 3.
    pub(crate) fn parse(section: &[u8], convention: Convention) -> Result<Self> {
        let template = u16_at(section, 12)?;
        // Where the scanning mode is.
        let at = match template {
            0 => 71,
            10 => 59,
            20 | 30 => 64,
            _ => return Err(unsupported("coordinates of the grid with template 3.", template)),
        };
        let (columns, rows) = size(section)?;
        if columns == 0 || rows == 0 || columns.checked_mul(rows).is_none() {
            return Err(damaged("its grid has no columns or rows"));
        }
        let scan = u8_at(section, at)?;
        let shape = match template {
            0 => even(section, (columns, rows), scan, convention)?,
            _ => Shape::Projected(Projected::read(
                section,
                template,
                (scan & FROM_EAST != 0, scan & FROM_SOUTH != 0),
            )?),
        };
        Ok(Self { columns, rows, scan, convention, shape })
    }

    /// A coordinate of all points in the order of [`Message::values`](crate::Message::values), or
    /// along one dimension, where that is what `count` says: as many numbers as columns or rows.
    /// Takes time and eight bytes for each of `count` numbers; a point on a map takes some
    /// trigonometry.
    ///
    /// # Errors
    /// `Format` where `count` is neither, before anything is allocated; `Limit` where memory is
    /// short.
    pub fn coordinates(&self, axis: Axis, adjustments: Adjustments, count: usize) -> Result<Vec<f64>> {
        let points = self.columns.saturating_mul(self.rows);
        let (latitude, longitude) = match &self.shape {
            Shape::Even { latitude, longitude, .. } => (*latitude, *longitude),
            Shape::Projected(_) if count != points => return Err(other_count(count, points)),
            Shape::Projected(projected) => return self.of_projected(projected, axis, adjustments),
        };
        let len = if axis == Axis::Latitude { self.rows } else { self.columns };
        if count != points && count != len {
            return Err(other_count(count, len));
        }
        let line = match axis {
            Axis::Latitude => latitudes(latitude, len, adjustments)?,
            Axis::Longitude => self.longitudes(longitude, adjustments)?,
        };
        if line.len() == count {
            return Ok(line);
        }
        let mut all = room(count)?;
        for point in 0..points {
            let (column, row) = self.column_and_row(point);
            let at = if axis == Axis::Latitude { row } else { column };
            all.push(line.get(at).copied().unwrap_or(f64::NAN));
        }
        Ok(all)
    }

    fn longitudes(&self, longitude: (f64, f64), adjustments: Adjustments) -> Result<Vec<f64>> {
        match (self.convention, &self.shape) {
            (Convention::Eccodes, Shape::Even { last, .. }) => {
                let mut line = line(longitude, self.columns)?;
                line.pop();
                line.push(*last);
                Ok(line)
            }
            _ => wrapped_longitudes(longitude, self.columns, adjustments),
        }
    }

    /// The column and the row of a point.
    fn column_and_row(&self, point: usize) -> (usize, usize) {
        let split = |len: usize| (point.checked_rem(len).unwrap_or(0), point.checked_div(len).unwrap_or(0));
        if self.scan & BY_COLUMNS == 0 {
            return split(self.columns);
        }
        let (row, column) = split(self.rows);
        (column, row)
    }

    fn of_projected(&self, projected: &Projected, axis: Axis, adjustments: Adjustments) -> Result<Vec<f64>> {
        let points = self.columns.saturating_mul(self.rows);
        let mut all = room(points)?;
        for point in 0..points {
            let (column, row) = self.column_and_row(point);
            let (latitude, longitude) = projected.coordinates(column, row);
            all.push(match (axis, self.convention) {
                (Axis::Latitude, _) => latitude,
                (_, Convention::Gribberish) => longitude - 360.0 * (longitude / 360.0).round(),
                (_, Convention::Eccodes) => longitude.rem_euclid(360.0),
            });
        }
        self.adjust(&mut all, adjustments);
        Ok(all)
    }

    /// Changes the order of columns and rows of values, in place. It does nothing where the grid
    /// does not fit.
    pub fn adjust(&self, values: &mut [f64], adjustments: Adjustments) {
        if self.scan & BY_COLUMNS != 0 || values.len() != self.columns.saturating_mul(self.rows) {
            return;
        }
        if let Shape::Even { longitude, .. } = self.shape
            && adjustments.wraps_longitude
            && let Some(roll) = roll(longitude, self.columns)
        {
            values.chunks_mut(self.columns).for_each(|row| row.rotate_left(roll.min(row.len())));
        }
        if adjustments.is_north_up && self.goes_north() {
            values.reverse();
            values.chunks_mut(self.columns).for_each(<[f64]>::reverse);
        }
    }

    fn goes_north(&self) -> bool {
        match &self.shape {
            Shape::Even { latitude, .. } => latitude.1 > 0.0,
            Shape::Projected(_) => self.scan & FROM_SOUTH != 0,
        }
    }
}

/// The grid of even latitudes and longitudes (template 3.0).
fn even(section: &[u8], size: (usize, usize), scan: u8, convention: Convention) -> Result<Shape> {
    let unit = unit(section)?;
    let angle = |at| -> Result<f64> { Ok(f64::from(i32_at(section, at)?) * unit) };
    let (first_row, last_row) = (angle(46)?, angle(55)?);
    let (mut first, last) = (angle(50)?, angle(59)?);
    let step = |at, ends: f64, count: usize, is_negative: bool| -> Result<f64> {
        let given = u32_at(section, at)?;
        #[allow(clippy::cast_precision_loss, reason = "counts have 32 bits")]
        let step = match convention {
            Convention::Gribberish if given != u32::MAX => f64::from(given) * unit,
            _ => ends.abs() / count.saturating_sub(1).max(1) as f64,
        };
        Ok(if is_negative { -step } else { step })
    };
    let goes_west = scan & FROM_EAST != 0;
    let ends = if goes_west { first - last } else { last - first };
    let crosses = ends < 0.0;
    let along_row = step(63, if crosses { ends + 360.0 } else { ends }, size.0, goes_west)?;
    #[allow(clippy::cast_precision_loss, reason = "counts have 32 bits")]
    let last_but_one = first + along_row * size.0.saturating_sub(2) as f64;
    // A row that ends just beyond the meridian has 360 and the last longitude, as in eccodes.
    if convention == Convention::Eccodes && crosses && !goes_west && last_but_one > 360.0 {
        first -= 360.0;
    }
    let goes_south = scan & FROM_SOUTH == 0;
    Ok(Shape::Even {
        latitude: (first_row, step(67, last_row - first_row, size.1, goes_south)?),
        longitude: (first, along_row),
        last,
    })
}

/// The unit of angles in degrees: a millionth, unless the grid has its own.
fn unit(section: &[u8]) -> Result<f64> {
    Ok(match (u32_at(section, 38)?, u32_at(section, 42)?) {
        (0 | u32::MAX, _) | (_, 0 | u32::MAX) => 1e-6,
        (basic, subdivisions) => f64::from(basic) / f64::from(subdivisions),
    })
}

#[allow(clippy::cast_precision_loss, reason = "counts have 32 bits")]
fn line((first, step): (f64, f64), count: usize) -> Result<Vec<f64>> {
    let mut line = room(count)?;
    line.extend((0..count).map(|index| first + step * index as f64));
    Ok(line)
}

fn latitudes(latitude: (f64, f64), count: usize, adjustments: Adjustments) -> Result<Vec<f64>> {
    let mut line = line(latitude, count)?;
    if adjustments.is_north_up && latitude.1 > 0.0 {
        line.reverse();
    }
    Ok(line)
}

/// Longitudes from 0 to 360, or from −180 to 180.
fn wrapped_longitudes(longitude: (f64, f64), count: usize, adjustments: Adjustments) -> Result<Vec<f64>> {
    let mut line = line(longitude, count)?;
    for value in &mut line {
        if *value >= 360.0 {
            *value -= 360.0;
        } else if *value < 0.0 && longitude.0 >= 0.0 {
            *value += 360.0;
        }
    }
    if adjustments.wraps_longitude
        && let Some(roll) = roll(longitude, count)
    {
        line.iter_mut().filter(|value| **value >= 180.0).for_each(|value| *value -= 360.0);
        line.rotate_left(roll.min(count));
    }
    Ok(line)
}

/// How far columns move so that longitudes of the whole globe begin at −180. `None` for others.
#[allow(clippy::cast_precision_loss, reason = "counts have 32 bits")]
fn roll((first, step): (f64, f64), count: usize) -> Option<usize> {
    if count < 2 || step <= 0.0 || (step * count as f64 - 360.0).abs() >= step / 4.0 {
        return None;
    }
    let wrapped = |index: usize| {
        let value = first + step * index as f64;
        let value = if value >= 360.0 { value - 360.0 } else { value };
        if value >= 180.0 { value - 360.0 } else { value }
    };
    (0..count).min_by(|one, other| wrapped(*one).total_cmp(&wrapped(*other)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    /// A grid of even latitudes and longitudes.
    fn section(columns: u32, rows: u32) -> Vec<u8> {
        let mut section = vec![0; 72];
        section[30..34].copy_from_slice(&columns.to_be_bytes());
        section[34..38].copy_from_slice(&rows.to_be_bytes());
        section
    }

    #[test]
    fn a_coordinate_of_more_points_than_the_chunk_has_is_refused_before_allocation() {
        for (columns, rows) in [(3, u32::MAX), (u32::MAX, 3), (u32::MAX, u32::MAX), (3, 5)] {
            let grid = Grid::parse(&section(columns, rows), Convention::Eccodes).unwrap();
            for axis in [Axis::Latitude, Axis::Longitude] {
                let error = grid.coordinates(axis, Adjustments::default(), 12).unwrap_err();
                let len = if axis == Axis::Latitude { rows } else { columns };
                assert_eq!(error.kind(), ErrorKind::Format);
                assert!(error.to_string().contains(&len.to_string()), "{error}");
            }
        }
        let grid = Grid::parse(&section(3, 4), Convention::Eccodes).unwrap();
        for (count, lens) in [(12, [12, 12]), (4, [4, 0]), (3, [0, 3])] {
            for (axis, len) in [Axis::Latitude, Axis::Longitude].into_iter().zip(lens) {
                let line = grid.coordinates(axis, Adjustments::default(), count);
                assert_eq!(line.map_or(0, |line| line.len()), len);
            }
        }
    }
}
