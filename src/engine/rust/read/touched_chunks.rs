//! The chunks of a grid that a selection touches: how many there are, and each by its number. They
//! are computed when they are asked for, because there may be millions.

use crate::access::projection::{DimensionProjection, project};
use crate::access::selection::Selected;
use crate::error::Result;
use crate::format::chunk_grid::{GridDimension, unravel};
use crate::limits;
use crate::sorted;

/// The chunks of one grid that a selection touches.
pub(super) enum TouchedChunks {
    /// The outer product of the chunks along each dimension.
    Grid(Vec<DimensionProjection>),
    /// The chunks of points, sorted and distinct.
    Listed(Vec<Vec<u64>>),
}

impl TouchedChunks {
    /// The chunks that have selected elements.
    ///
    /// # Errors
    /// `Limit` for index lists too long to hold.
    pub fn new(selected: &Selected, grid: &[GridDimension]) -> Result<Self> {
        match selected {
            Selected::Orthogonal(axes) => project(axes, grid).map(Self::Grid),
            Selected::Points(lists) => {
                let count = lists.first().map_or(0, |list| list.len());
                let mut distinct = Vec::with_capacity(count);
                for i in 0..count {
                    let mut chunk = Vec::with_capacity(grid.len());
                    for (list, grid) in lists.iter().zip(grid) {
                        chunk.push(list.get(i).map_or(0, |index| grid.chunk_of(*index)));
                    }
                    distinct.push(chunk);
                }
                sorted::sort(&mut distinct);
                distinct.dedup();
                Ok(Self::Listed(distinct))
            }
        }
    }

    /// The number of chunks.
    pub fn count(&self) -> f64 {
        match self {
            Self::Grid(axes) => axes.iter().map(|axis| number(axis.span_count())).product(),
            Self::Listed(chunks) => number(chunks.len() as u64),
        }
    }

    /// Number of elements in the chunks, which are counted whole.
    pub fn elements(&self, grid: &[GridDimension]) -> f64 {
        match self {
            Self::Grid(axes) => {
                axes.iter().zip(grid).map(|(axis, grid)| elements_along(axis, grid)).product()
            }
            Self::Listed(chunks) => chunks.iter().map(|chunk| volume(chunk, grid)).sum(),
        }
    }

    /// Chunk `i` in C order.
    pub fn chunk(&self, i: u64) -> Option<Vec<u64>> {
        match self {
            Self::Listed(chunks) => chunks.get(usize::try_from(i).ok()?).cloned(),
            Self::Grid(axes) => {
                let mut grid = Vec::with_capacity(axes.len());
                for axis in axes {
                    grid.push(axis.span_count());
                }
                if limits::product(grid.iter().copied(), "number of chunks").is_ok_and(|count| i >= count) {
                    return None;
                }
                let mut chunk = Vec::with_capacity(axes.len());
                for (axis, at) in axes.iter().zip(unravel(i, &grid)) {
                    chunk.push(axis.span(at)?.chunk);
                }
                Some(chunk)
            }
        }
    }
}

fn extent(grid: &GridDimension, chunk: u64) -> f64 {
    let extent = grid.chunk_extent(chunk);
    number(extent.end - extent.start)
}

fn volume(chunk: &[u64], grid: &[GridDimension]) -> f64 {
    chunk.iter().zip(grid).map(|(chunk, grid)| extent(grid, *chunk)).product()
}

/// Number of elements along one dimension of the touched chunks.
fn elements_along(axis: &DimensionProjection, grid: &GridDimension) -> f64 {
    let count = axis.span_count();
    if let GridDimension::Regular(chunk) = grid {
        return number(count) * number(*chunk);
    }
    let chunk_at = |i: u64| axis.span(i).map(|span| span.chunk);
    let (Some(first), Some(last)) = (chunk_at(0), chunk_at(count.saturating_sub(1))) else { return 0.0 };
    let (low, high) = (first.min(last), first.max(last));
    if high - low + 1 == count {
        return number(grid.chunk_extent(high).end - grid.chunk_extent(low).start);
    }
    // A list of indices has at most as many spans as indices.
    (0..count).filter_map(chunk_at).map(|chunk| extent(grid, chunk)).sum()
}

/// A count or an index for display, so rounding above 2^53 does no harm.
#[allow(clippy::cast_precision_loss)]
pub fn number(count: u64) -> f64 {
    count as f64
}
