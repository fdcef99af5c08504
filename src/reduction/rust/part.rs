//! The cells of a box, and the boxes of parts within it.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::limits;
use crate::request::{Along, Dimension, Reduction, Spread};

/// The cells of a reduction: one dimension for each that stays, is cut into blocks, or is the first
/// that is grouped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The extent of each dimension of cells.
    pub shape: Vec<usize>,
    /// For each dimension of the box: the cells from one place, block or group to the next; 0 for
    /// one that goes.
    pub strides: Vec<usize>,
    /// The cells from one group to the next.
    pub group_stride: usize,
    /// The number of cells.
    pub count: usize,
}

/// The blocks that some places touch.
fn blocks_of(extent: usize, size: usize, phase: usize) -> usize {
    extent.saturating_add(phase).div_ceil(size.max(1))
}

impl Reduction {
    /// The cells.
    ///
    /// # Errors
    /// `Limit` for too many.
    pub fn grid(&self) -> Result<Grid> {
        let (mut shape, mut axes) = (Vec::new(), Vec::new());
        let mut group_axis = None;
        for dimension in &self.dimensions {
            let extent = match dimension.along {
                Along::Keep => Some(dimension.extent),
                Along::Blocks { size, phase } => Some(blocks_of(dimension.extent, size, phase)),
                Along::Group if group_axis.is_none() => {
                    group_axis = Some(shape.len());
                    Some(self.groups)
                }
                Along::Group | Along::Reduce => None,
            };
            let has_own_cells = matches!(dimension.along, Along::Keep | Along::Blocks { .. });
            axes.push(has_own_cells.then_some(shape.len()));
            shape.extend(extent);
        }
        let count = limits::product(shape.iter().map(|extent| *extent as u64), "result")?;
        limits::within(count, limits::CHUNK_BYTES / 8, "number of cells of the result")?;
        let mut steps = vec![1_usize; shape.len()];
        let mut step = 1_usize;
        for (extent, slot) in shape.iter().zip(&mut steps).rev() {
            *slot = step;
            step = step.saturating_mul(*extent);
        }
        let step_of = |axis: Option<usize>| axis.and_then(|axis| steps.get(axis)).copied().unwrap_or(0);
        let strides = axes.into_iter().map(step_of).collect();
        Ok(Grid {
            shape,
            strides,
            group_stride: step_of(group_axis),
            count: limits::to_usize(count, "result")?,
        })
    }

    /// What the box with this start and shape contributes to.
    ///
    /// # Errors
    /// `Argument` for a box outside of this one.
    pub fn within(&self, start: &[usize], shape: &[usize]) -> Result<Self> {
        let outside = || self.outside(start, shape);
        if start.len() != self.dimensions.len() || shape.len() != self.dimensions.len() {
            return Err(outside());
        }
        let mut ranges = Vec::with_capacity(start.len());
        let mut dimensions = Vec::with_capacity(start.len());
        for ((dimension, start), extent) in self.dimensions.iter().zip(start).zip(shape) {
            let end =
                start.checked_add(*extent).filter(|end| *end <= dimension.extent).ok_or_else(outside)?;
            ranges.push(*start..end);
            let along = match dimension.along {
                Along::Blocks { size, phase } => {
                    let phase = phase.saturating_add(*start).checked_rem(size).unwrap_or(0);
                    Along::Blocks { size, phase }
                }
                along => along,
            };
            dimensions.push(Dimension { extent: *extent, along });
        }
        let mut weights = Vec::with_capacity(self.weights.len());
        for spread in &self.weights {
            weights.push(self.cut(spread, &ranges)?);
        }
        let labels = self.labels.as_ref().map(|labels| self.cut(labels, &ranges)).transpose()?;
        let mask = self.mask.as_ref().map(|mask| self.cut(mask, &ranges)).transpose()?;
        let indices = match &self.indices {
            Some((at, list)) => {
                let range = ranges.get(*at).cloned().ok_or_else(outside)?;
                Some((*at, list.get(range).ok_or_else(outside)?.to_vec()))
            }
            None => None,
        };
        let range = self.range;
        Ok(Self {
            dimensions,
            source: self.source,
            measures: self.measures,
            groups: self.groups,
            labels,
            weights,
            mask,
            range,
            indices,
        })
    }

    /// The error for a box outside of this one.
    fn outside(&self, start: &[usize], shape: &[usize]) -> Error {
        let extents: Vec<usize> = self.dimensions.iter().map(|dimension| dimension.extent).collect();
        Error::argument("a part is outside of its reduction")
            .expected(format!("a box within {extents:?}"))
            .actual(format!("{shape:?} elements from {start:?} on"))
    }

    /// The values of a box.
    fn cut<T: Copy>(&self, spread: &Spread<T>, ranges: &[Range<usize>]) -> Result<Spread<T>> {
        let outside = || {
            let start: Vec<usize> = ranges.iter().map(|range| range.start).collect();
            let shape: Vec<usize> = ranges.iter().map(Range::len).collect();
            self.outside(&start, &shape)
        };
        // The indices of the values, one dimension after the other: rows of the last one.
        let mut rows = vec![0_usize];
        for at in &spread.dimensions {
            let extent = self.extent(*at).ok_or_else(outside)?;
            let range = ranges.get(*at).cloned().ok_or_else(outside)?;
            let mut inner = Vec::with_capacity(rows.len().saturating_mul(range.len()));
            for row in &rows {
                let first = row.saturating_mul(extent);
                inner.extend(range.clone().map(|place| first.saturating_add(place)));
            }
            rows = inner;
        }
        let values = rows.into_iter().map(|index| spread.values.get(index).copied().ok_or_else(outside));
        Ok(Spread { dimensions: spread.dimensions.clone(), values: values.collect::<Result<_>>()? })
    }

    /// For each cell of a part with this start, its index among the cells of the whole.
    ///
    /// # Errors
    /// `Argument` for a part of another reduction.
    pub fn cells_of(&self, start: &[usize], part: &Self) -> Result<Vec<usize>> {
        let (whole, grid) = (self.grid()?, part.grid()?);
        let mut firsts = Vec::with_capacity(whole.shape.len());
        let mut has_group = false;
        for (dimension, start) in self.dimensions.iter().zip(start) {
            match dimension.along {
                Along::Keep => firsts.push(*start),
                Along::Blocks { size, phase } => {
                    firsts.push(phase.saturating_add(*start).checked_div(size).unwrap_or(0));
                }
                Along::Group if !has_group => {
                    has_group = true;
                    firsts.push(0);
                }
                Along::Group | Along::Reduce => {}
            }
        }
        let fits =
            |((first, extent), whole): ((&usize, &usize), &usize)| first.saturating_add(*extent) <= *whole;
        if firsts.len() != grid.shape.len() || !firsts.iter().zip(&grid.shape).zip(&whole.shape).all(fits) {
            return Err(Error::argument("a part is of another reduction")
                .expected(format!("cells within {:?}", whole.shape))
                .actual(format!("{:?} cells from {firsts:?} on", grid.shape)));
        }
        let mut cells = vec![0_usize];
        for ((first, extent), whole) in firsts.iter().zip(&grid.shape).zip(&whole.shape) {
            let mut inner = Vec::with_capacity(cells.len().saturating_mul(*extent));
            for cell in &cells {
                let begin = cell.saturating_mul(*whole).saturating_add(*first);
                inner.extend(begin..begin.saturating_add(*extent));
            }
            cells = inner;
        }
        Ok(cells)
    }
}
