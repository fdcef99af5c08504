//! Warping as a page asks for it: numbers in, numbers out. The kernel does it
//! ([`crate::kernel::warp`]); here stands the order of the numbers (`src/conventions/ts/warp.ts`
//! writes them), and the curvilinear grids that are kept from one question to the next.

use std::cell::RefCell;

use super::numbers::{Numbers, malformed};
use crate::error::{Error, Result};
use crate::kernel::warp::{
    Axis, Cell, Corners, Curvilinear, Method, Position, Source, Window, locate, sample,
};
use crate::limits;

/// How many grids are kept; of more the one that was kept first goes.
const MAX_GRIDS: usize = 4;

/// The most elements of a grid that is kept.
const MAX_GRID_ELEMENTS: u64 = 1 << 24;

/// The most pixels of a map.
const MAX_PIXELS: u64 = 1 << 24;

thread_local! {
    static GRIDS: RefCell<Vec<(u64, Curvilinear)>> = const { RefCell::new(Vec::new()) };
}

/// A grid: its id, columns and rows, then all longitudes and all latitudes.
pub(super) fn keep(numbers: &mut Numbers<'_>) -> Result<Vec<u8>> {
    let (id, [columns, rows]) = (numbers.count()?, numbers.pair()?);
    let count = columns.checked_mul(rows).ok_or_else(malformed)?;
    limits::within(count as u64, MAX_GRID_ELEMENTS, "number of elements with coordinates of their own")?;
    let (longitudes, latitudes) = (numbers.list(count)?, numbers.list(count)?);
    let grid = Curvilinear::new(&longitudes, &latitudes, columns, rows).ok_or_else(malformed)?;
    GRIDS.with_borrow_mut(|grids| {
        grids.retain(|(known, _)| *known != id);
        if grids.len() == MAX_GRIDS {
            grids.remove(0);
        }
        grids.push((id, grid));
    });
    Ok(Vec::new())
}

/// An axis: 0, its first coordinate, step and count, or 1, its count and coordinates.
fn axis(numbers: &mut Numbers<'_>) -> Result<Axis> {
    if numbers.flag()? {
        let count = numbers.size()?;
        return Axis::listed(numbers.list(count)?).ok_or_else(malformed);
    }
    Ok(Axis::even(numbers.number()?, numbers.number()?, numbers.size()?))
}

fn axes(numbers: &mut Numbers<'_>, is_globe: bool) -> Result<(Source<'static>, bool)> {
    let (x, y) = (axis(numbers)?, axis(numbers)?);
    let (x, y) = if is_globe { (x.of_longitude(), y.of_latitude()) } else { (x, y) };
    let wraps = x.wraps();
    Ok((Source::Axes { x, y }, wraps))
}

/// A cell: its first column and row, its size, whether its corners are points of the sphere, and
/// those.
#[allow(clippy::indexing_slicing, reason = "pairs have two numbers")]
fn cell(numbers: &mut Numbers<'_>, map: [usize; 2]) -> Result<Cell> {
    let (start, size) = (numbers.pair()?, numbers.pair()?);
    let fits = (0..2).all(|at| start[at].checked_add(size[at]).is_some_and(|end| end <= map[at]));
    if !fits {
        return Err(malformed());
    }
    let corners = if numbers.flag()? {
        Corners::Sphere([numbers.fixed()?, numbers.fixed()?, numbers.fixed()?, numbers.fixed()?])
    } else {
        Corners::Plane([numbers.fixed()?, numbers.fixed()?, numbers.fixed()?, numbers.fixed()?])
    };
    Ok(Cell { start, size, corners })
}

fn cells(numbers: &mut Numbers<'_>, map: [usize; 2]) -> Result<Vec<Cell>> {
    let count = numbers.count()?;
    (0..count).map(|_| cell(numbers, map)).collect()
}

/// The map's size; the source: 0 and its axes, 1 and its affine and size, or 2 and the number of a
/// kept grid; the cells. Answers with whether the source's columns wrap, which of them are needed
/// (in their order, and begun half way), which rows, and all positions.
pub(super) fn located(numbers: &mut Numbers<'_>) -> Result<Vec<u8>> {
    let map = numbers.pair()?;
    let pixels = limits::product([map[0] as u64, map[1] as u64], "map")?;
    let mut positions = vec![[0.0; 2]; limits::within(pixels, MAX_PIXELS, "number of pixels")?];
    let (kind, columns) = (numbers.count()?, numbers.size()?);
    let wraps = match kind {
        0 => {
            let is_globe = numbers.flag()?;
            let (source, wraps) = axes(numbers, is_globe)?;
            locate(&cells(numbers, map)?, map[0], &source, &mut positions);
            wraps
        }
        1 => {
            let (is_globe, affine, size) = (numbers.flag()?, numbers.fixed()?, numbers.pair()?);
            let source = Source::Turned { affine, size, is_globe };
            locate(&cells(numbers, map)?, map[0], &source, &mut positions);
            false
        }
        _ => {
            let id = numbers.count()?;
            let cells = cells(numbers, map)?;
            GRIDS.with_borrow(|grids| {
                let known = grids.iter().find(|(known, _)| *known == id);
                let (_, grid) = known.ok_or_else(|| Error::not_found("the grid is not kept"))?;
                locate(&cells, map[0], &Source::Curvilinear(grid), &mut positions);
                Ok(())
            })?;
            false
        }
    };
    #[allow(clippy::cast_precision_loss)] // a count of columns
    let needed = needed(&positions, columns as f64);
    let flag = if wraps { 1.0 } else { 0.0 };
    let numbers = [flag].into_iter().chain(needed).chain(positions.into_iter().flatten());
    Ok(numbers.flat_map(f64::to_le_bytes).collect())
}

/// From which to which column, the same where those of the first half come behind the others, and
/// from which to which row.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "`widen` gets 0, 2 and 4, and there are six bounds"
)]
fn needed(positions: &[Position], columns: f64) -> [f64; 6] {
    let mut bounds = [f64::INFINITY, f64::NEG_INFINITY].repeat(3);
    let mut widen = |at: usize, number: f64| {
        bounds[at] = bounds[at].min(number);
        bounds[at + 1] = bounds[at + 1].max(number);
    };
    for [column, row] in positions.iter().filter(|[column, _]| !column.is_nan()) {
        widen(0, *column);
        widen(2, if *column < columns / 2.0 { *column + columns } else { *column });
        widen(4, *row);
    }
    bounds.try_into().unwrap_or([f64::NAN; 6])
}

/// Whether values lie on lines; the window's start and size, the source's size, whether its columns
/// wrap; how many positions, and those. Then the window's values as singles. Answers with singles.
pub(super) fn sampled(numbers: &mut Numbers<'_>) -> Result<Vec<u8>> {
    let method = if numbers.flag()? { Method::Linear } else { Method::Nearest };
    let (start, size, whole, wraps) = (numbers.pair()?, numbers.pair()?, numbers.pair()?, numbers.flag()?);
    let count = numbers.size()?;
    let flat = numbers.list(count.checked_mul(2).ok_or_else(malformed)?)?;
    let positions = flat.as_chunks::<2>().0;
    let (singles, rest) = numbers.0.rest().as_chunks::<4>();
    let values: Vec<f32> = singles.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    if !rest.is_empty() || size[0].checked_mul(size[1]) != Some(values.len()) || whole.contains(&0) {
        return Err(malformed());
    }
    let mut found = vec![0.0; count];
    sample(&Window { values: &values, start, size, whole, wraps }, method, positions, &mut found);
    Ok(found.into_iter().flat_map(f32::to_le_bytes).collect())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Numbers, Result, keep, located, sampled};

    fn locate(question: &[u8]) -> Result<Vec<u8>> {
        located(&mut Numbers::new(question))
    }

    fn sample(question: &[u8]) -> Result<Vec<u8>> {
        sampled(&mut Numbers::new(question))
    }

    fn keep_grid(question: &[f64]) -> Result<Vec<u8>> {
        keep(&mut Numbers::new(&bytes(question)))
    }

    fn bytes(numbers: &[f64]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn numbers(bytes: &[u8]) -> Vec<f64> {
        bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()
    }

    /// Two by two pixels over 8 by 8 elements.
    const QUESTION: [f64; 23] = [
        2.0, 2.0, 0.0, 8.0, 0.0, 0.0, 0.0, 1.0, 8.0, 0.0, 0.0, 1.0, 8.0, 1.0, 0.0, 0.0, 2.0, 2.0, 0.0, 0.0,
        0.0, 4.0, 0.0,
    ];

    #[test]
    fn positions_and_what_they_need() {
        let question = [QUESTION.as_slice(), &[0.0, 4.0, 4.0, 4.0]].concat();
        let found = numbers(&locate(&bytes(&question)).unwrap());
        assert_eq!(found, [0.0, 1.0, 3.0, 9.0, 11.0, 1.0, 3.0, 1.0, 1.0, 3.0, 1.0, 1.0, 3.0, 3.0, 3.0]);
        (0..question.len() * 8).for_each(|end| assert!(locate(&bytes(&question)[..end]).is_err()));
    }

    #[test]
    fn values_between_four() {
        let question = [1.0, 0.0, 0.0, 2.0, 2.0, 2.0, 2.0, 0.0, 1.0, 0.5, 0.5];
        let singles: Vec<u8> = [1.0_f32, 2.0, 3.0, 4.0].into_iter().flat_map(f32::to_le_bytes).collect();
        let found = sample(&[bytes(&question), singles.clone()].concat()).unwrap();
        assert_eq!(found, 2.5_f32.to_le_bytes());
        assert!(sample(&[bytes(&question), singles[4..].to_vec()].concat()).is_err());
    }

    #[test]
    fn the_grid_that_was_kept_first_is_forgotten_first() {
        let question = |id: f64| bytes(&[0.0, 0.0, 2.0, 2.0, id, 0.0]);
        for id in 0..5 {
            let id = f64::from(id);
            keep_grid(&[id, 2.0, 2.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0]).unwrap();
            assert!(locate(&question(id)).is_ok());
        }
        assert!(locate(&question(0.0)).is_err() && locate(&question(1.0)).is_ok());
        assert!(keep_grid(&[9.0, 1.0, 1.0, 0.0, 0.0]).is_err());
    }
}
