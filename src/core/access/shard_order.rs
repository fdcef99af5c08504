//! Orders the parts of a read by shard, so that the byte ranges of neighbouring parts can share a
//! request.
//!
//! A reduction merges its parts in the order in which they are read, and merging floats is not
//! associative. So the parts of one cell must keep their order, which is that of the grid.

use std::ops::Range;

use crate::access::part::PartGrid;
use crate::access::projection::DimensionProjection;

/// The maximum number of parts along a dimension. It bounds the memory of the runs.
const MAX_PARTS: u64 = 1 << 16;

/// The parts of a grid, shard by shard.
pub struct ShardOrder {
    /// The number of parts along each dimension.
    shape: Vec<u64>,
    /// Along each dimension, the parts that begin in the same shard.
    runs: Vec<Vec<Range<u64>>>,
}

impl ShardOrder {
    /// The order of the parts of `grid`. `in_shard` is the number of chunks of a shard along each
    /// dimension. Along the dimensions in `apart`, different parts share no cell. Returns `None` if
    /// this order would change the order of the parts of a cell.
    pub fn new(
        grid: &PartGrid,
        axes: &[DimensionProjection],
        in_shard: &[u64],
        apart: &[usize],
    ) -> Option<Self> {
        let shape = grid.shape().to_vec();
        if shape.iter().any(|count| *count > MAX_PARTS) {
            return None;
        }
        let mut runs = Vec::with_capacity(shape.len());
        for (dimension, (axis, in_shard)) in axes.iter().zip(in_shard).enumerate() {
            runs.push(runs_along(grid, axis, *in_shard, dimension));
        }
        let order = Self { shape, runs };
        order.keeps_cells(apart).then_some(order)
    }

    /// Whether the parts of each cell keep the order of the grid. They do if no dimension with
    /// several shards follows a dimension along which a shard has several parts.
    fn keeps_cells(&self, apart: &[usize]) -> bool {
        let mut is_divided = false;
        for (dimension, runs) in self.runs.iter().enumerate() {
            if apart.contains(&dimension) {
                continue;
            }
            if is_divided && runs.len() > 1 {
                return false;
            }
            is_divided |= runs.iter().any(|run| run.end.saturating_sub(run.start) > 1);
        }
        true
    }

    /// A run along a dimension, of those that `runs` has for each.
    fn run(&self, dimension: usize, runs: &[usize]) -> Range<u64> {
        let (all, at) = (self.runs.get(dimension), runs.get(dimension));
        let run = all.zip(at).and_then(|(all, at)| all.get(*at));
        run.cloned().unwrap_or_default()
    }

    /// The numbers of the parts, as they are counted in C order of the grid.
    pub fn numbers(&self) -> Numbers<'_> {
        let is_done = self.runs.iter().any(Vec::is_empty);
        Numbers { order: self, runs: vec![0; self.shape.len()], at: vec![0; self.shape.len()], is_done }
    }
}

/// The numbers of the parts, shard by shard.
pub struct Numbers<'a> {
    order: &'a ShardOrder,
    /// The run of the present shard, along each dimension.
    runs: Vec<usize>,
    /// The present part.
    at: Vec<u64>,
    is_done: bool,
}

impl Numbers<'_> {
    /// Goes to the next part, the last dimension first: within the shard, then in the next one.
    fn advance(&mut self) {
        for (dimension, at) in self.at.iter_mut().enumerate().rev() {
            let run = self.order.run(dimension, &self.runs);
            *at = at.saturating_add(1);
            if *at < run.end {
                return;
            }
            *at = run.start;
        }
        self.is_done = true;
        for (run, all) in self.runs.iter_mut().zip(&self.order.runs).rev() {
            *run = run.saturating_add(1);
            if *run < all.len() {
                self.is_done = false;
                break;
            }
            *run = 0;
        }
        for (dimension, at) in self.at.iter_mut().enumerate() {
            *at = self.order.run(dimension, &self.runs).start;
        }
    }
}

impl Iterator for Numbers<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.is_done {
            return None;
        }
        let mut number = 0_u64;
        for (at, extent) in self.at.iter().zip(&self.order.shape) {
            number = number.saturating_mul(*extent).saturating_add(*at);
        }
        self.advance();
        Some(number)
    }
}

/// Along a dimension, the ranges of parts whose first chunks are in the same shard.
fn runs_along(
    grid: &PartGrid,
    axis: &DimensionProjection,
    in_shard: u64,
    dimension: usize,
) -> Vec<Range<u64>> {
    let count = grid.shape().get(dimension).copied().unwrap_or(0);
    let (mut runs, mut last): (Vec<Range<u64>>, _) = (Vec::new(), None);
    for at in 0..count {
        let first = axis.span(grid.first_span(dimension, at)).map_or(0, |span| span.chunk);
        let shard = Some(first.checked_div(in_shard).unwrap_or(0));
        match runs.last_mut().filter(|_| shard == last) {
            Some(run) => run.end = run.end.saturating_add(1),
            None => runs.push(at..at.saturating_add(1)),
        }
        last = shard;
    }
    runs
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::access::selection::Indices;
    use crate::format::chunk_grid::GridDimension;

    /// A grid of parts of one chunk each, with chunks of 4 elements.
    fn axes(chunks: &[u64]) -> Vec<DimensionProjection> {
        let axis = |count: &u64| {
            let indices = Indices::Range { start: 0, step: 1, count: 4 * count };
            DimensionProjection::new(&indices, &GridDimension::Regular(4)).unwrap()
        };
        chunks.iter().map(axis).collect()
    }

    fn order(chunks: &[u64], in_shard: &[u64], apart: &[usize]) -> Option<Vec<u64>> {
        let axes = axes(chunks);
        let growth: Vec<usize> = (0..chunks.len()).collect();
        let grid = PartGrid::grown(&axes, 1024, &growth, 1).unwrap();
        assert_eq!(grid.shape(), chunks);
        Some(ShardOrder::new(&grid, &axes, in_shard, apart)?.numbers().collect())
    }

    #[test]
    fn the_parts_of_a_shard_come_together() {
        assert_eq!(order(&[2, 4], &[2, 2], &[1]).unwrap(), [0, 1, 4, 5, 2, 3, 6, 7]);
        assert_eq!(order(&[3, 3], &[2, 2], &[0, 1]).unwrap(), [0, 1, 3, 4, 2, 5, 6, 7, 8]);
    }

    #[test]
    fn the_parts_of_a_cell_keep_their_order() {
        // Parts share cells along both dimensions.
        assert_eq!(order(&[2, 4], &[2, 2], &[]), None);
        assert_eq!(order(&[2, 4], &[2, 2], &[0]).unwrap(), [0, 1, 4, 5, 2, 3, 6, 7]);
        // A shard has one part along the first dimension, or the second has one shard.
        for in_shard in [[1, 2], [2, 4]] {
            assert_eq!(order(&[2, 4], &in_shard, &[]).unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
        }
    }

    #[test]
    fn each_part_comes_once() {
        for chunks in [[1, 1, 1], [3, 1, 5], [4, 6, 7], [0, 2, 2]] {
            let mut numbers = order(&chunks, &[2, 3, 4], &[0, 1, 2]).unwrap();
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..chunks.iter().product()));
        }
    }
}
