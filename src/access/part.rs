//! Parts: the unit of work. A part is a chunk-aligned box of the output that one worker fills.
//!
//! Parts are grown along the axes that are fastest in the output's memory, so that their rows are long, to about
//! [`TARGET_BYTES`]; they are computed one at a time, so a selection over millions of chunks costs nothing before it is read.

use std::ops::Range;

use crate::access::projection::DimensionProjection;
use crate::error::Result;
use crate::limits;

/// About how large a part is when it is decoded: large enough that a message costs nothing beside it, small enough that two
/// workers share a read of some MiB and that decoding overlaps the wire.
pub const TARGET_BYTES: u64 = 1 << 20;

/// A read up to this size is one part: it is handed over as it is, without being placed.
pub const WHOLE_BYTES: u64 = 1 << 22;

/// Rows that are shorter than this take longer to place than their bytes: parts grow beyond their target for longer ones, up to
/// [`WHOLE_BYTES`].
const ROW_BYTES: u64 = 1 << 12;

/// A box of the output, one entry a dimension of the array (integer-indexed ones have extent 1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// First place along each dimension.
    pub start: Vec<u64>,
    /// Places along each dimension.
    pub shape: Vec<u64>,
}

/// A part and the spans that fill it, along each dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartSpans {
    /// The box.
    pub part: Part,
    /// Which spans of each dimension's projection.
    pub spans: Vec<Range<u64>>,
}

/// How an output is cut into parts.
#[derive(Clone, Debug)]
pub struct PartGrid {
    /// Spans a part takes along each dimension.
    step: Vec<u64>,
    /// Parts along each dimension.
    shape: Vec<u64>,
    count: u64,
}

impl PartGrid {
    /// Cuts the output of these projections; `order` lists the dimensions, slowest first, as the output has them in memory.
    ///
    /// # Errors
    /// `Limit` when one part (one chunk's worth) passes the budget of a chunk.
    pub fn new(axes: &[DimensionProjection], element_size: usize, order: &[usize]) -> Result<Self> {
        let total = axes.iter().map(DimensionProjection::count);
        let total = limits::product(total.chain([element_size as u64]), "selection");
        let target = if total.is_ok_and(|total| total <= WHOLE_BYTES) { WHOLE_BYTES } else { TARGET_BYTES };
        let step = steps(axes, element_size, order, target);
        let shape: Vec<u64> =
            axes.iter().zip(&step).map(|(axis, step)| axis.span_count().div_ceil(*step)).collect();
        let count = limits::product(shape.iter().copied(), "number of parts")?;
        Ok(Self { step, shape, count })
    }

    /// Parts along each dimension.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The places of the output that parts `at` along a dimension take.
    pub fn places(&self, axes: &[DimensionProjection], dimension: usize, at: u64) -> Range<u64> {
        let (Some(axis), Some(step)) = (axes.get(dimension), self.step.get(dimension)) else { return 0..0 };
        axis.output_range(&(at * step..((at + 1) * step).min(axis.span_count())))
    }

    /// How many parts there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Part `i`, in C order of the grid.
    pub fn part(&self, i: u64, axes: &[DimensionProjection]) -> PartSpans {
        let mut rest = i;
        let mut spans = vec![0..0; axes.len()];
        for (dimension, axis) in axes.iter().enumerate().rev() {
            let along = self.shape[dimension].max(1);
            let (step, at) = (self.step[dimension], rest % along);
            rest /= along;
            spans[dimension] = at * step..((at + 1) * step).min(axis.span_count());
        }
        let places: Vec<Range<u64>> =
            axes.iter().zip(&spans).map(|(axis, spans)| axis.output_range(spans)).collect();
        let start = places.iter().map(|places| places.start).collect();
        let shape = places.iter().map(|places| places.end - places.start).collect();
        PartSpans { part: Part { start, shape }, spans }
    }
}

/// Spans a part takes along each dimension: all along the fastest ones while they fit the target, and more where rows are short.
fn steps(axes: &[DimensionProjection], element_size: usize, order: &[usize], target: u64) -> Vec<u64> {
    let mut step = vec![1; axes.len()];
    // One span along every dimension is the least; growing multiplies from there.
    let least = axes.iter().map(places_a_span).fold(element_size.max(1) as u64, u64::saturating_mul);
    let mut room = (target / least.max(1)).max(1);
    let most = (WHOLE_BYTES / least.max(1)).max(1);
    let mut row = element_size.max(1) as u64;
    for &dimension in order.iter().rev() {
        let (axis, taken) = (&axes[dimension], step.iter().product::<u64>());
        row = row.saturating_mul(places_a_span(axis));
        let for_rows = ROW_BYTES.div_ceil(row).min(most / taken);
        step[dimension] = axis.span_count().max(1).min(room.max(for_rows));
        room = (room / step[dimension]).max(1);
        // A row goes on in the next dimension only where it is all of this one.
        row = if step[dimension] == axis.span_count() {
            row.saturating_mul(step[dimension])
        } else {
            ROW_BYTES
        };
    }
    step
}

/// How many places of the output a span has, about.
fn places_a_span(axis: &DimensionProjection) -> u64 {
    axis.count().div_ceil(axis.span_count().max(1)).max(1)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::access::selection::Indices;
    use crate::format::chunk_grid::GridDimension;

    fn axis(len: u64, chunk: u64) -> DimensionProjection {
        let indices = Indices::Range { start: 0, step: 1, count: len };
        DimensionProjection::new(&indices, &GridDimension::Regular(chunk)).unwrap()
    }

    #[test]
    fn a_small_read_is_one_part() {
        let axes = [axis(100, 10), axis(100, 10)];
        let grid = PartGrid::new(&axes, 2, &[0, 1]).unwrap();
        assert_eq!(grid.count(), 1);
        let whole = grid.part(0, &axes);
        assert_eq!(whole.part, Part { start: vec![0, 0], shape: vec![100, 100] });
        assert_eq!(whole.spans, [0..10, 0..10]);
    }

    #[test]
    fn parts_grow_along_the_fastest_axis_and_tile_the_output() {
        let axes = [axis(64, 32), axis(4096, 512), axis(4000, 512)];
        let grid = PartGrid::new(&axes, 2, &[0, 1, 2]).unwrap();
        let mut places = 0;
        for i in 0..grid.count() {
            let part = grid.part(i, &axes).part;
            places += part.shape.iter().product::<u64>();
        }
        assert_eq!(places, 64 * 4096 * 4000);
        // One chunk is 16 MiB already: parts are single chunks.
        assert_eq!(grid.count(), 2 * 8 * 8);
    }

    #[test]
    fn short_rows_make_parts_larger_up_to_a_limit() {
        // Chunks of 2 MiB with rows of 512 bytes: two side by side are the whole width, and rows are planes.
        let axes = [axis(64, 16), axis(512, 256), axis(512, 256)];
        let part =
            |axes: &[DimensionProjection], size| PartGrid::new(axes, size, &[0, 1, 2]).unwrap().part(0, axes);
        assert_eq!(part(&axes, 2).part.shape, [16, 256, 512]);
        // Chunks of 4 MiB do not grow.
        assert_eq!(part(&axes, 4).part.shape, [16, 256, 256]);
        // Rows of 64 bytes in chunks of 32 KiB: no longer than they must be, where the target is reached.
        let axes = [axis(32, 32), axis(4096, 32), axis(8192, 32)];
        assert_eq!(part(&axes, 1).part.shape, [32, 32, 4096]);
    }

    #[test]
    fn rows_are_long_in_the_order_of_the_output() {
        let axes = [axis(4096, 64), axis(4096, 64)];
        let c = PartGrid::new(&axes, 1, &[0, 1]).unwrap().part(0, &axes).part.shape;
        let f = PartGrid::new(&axes, 1, &[1, 0]).unwrap().part(0, &axes).part.shape;
        assert_eq!(c, [256, 4096]);
        assert_eq!(f, [4096, 256]);
    }
}
