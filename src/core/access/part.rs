//! Parts: the unit of work. A part is a chunk-aligned box of the output that one worker fills.
//!
//! Parts grow to about [`TARGET_BYTES`] along the dimensions that are fastest in the output's
//! memory, so that their rows are long. Parts are computed on demand: a selection of millions of
//! chunks takes no memory before it is read.

use std::ops::Range;

use crate::access::projection::DimensionProjection;
use crate::error::Result;
use crate::format::chunk_grid::unravel;
use crate::limits;

/// The size that parts aim at, decoded. It is large enough that the cost of a message does not
/// matter. It is small enough that two workers share a read of some MiB, and that decoding overlaps
/// the fetches.
pub const TARGET_BYTES: u64 = 1 << 20;

/// A read of at most this many bytes is one part: it is handed over without a copy into a larger
/// output.
pub const WHOLE_BYTES: u64 = 1 << 22;

/// Copying a row that is shorter than this costs more than its bytes. Parts with shorter rows grow
/// beyond [`TARGET_BYTES`], up to [`WHOLE_BYTES`].
const ROW_BYTES: u64 = 1 << 12;

/// The most chunks of a part. Planning a part takes time and memory for each of its chunks, and
/// cannot pause.
const MAX_CHUNKS: u64 = 1 << 12;

/// A box of the output. Both lists have one entry for each dimension of the array; a dimension with
/// an integer index has extent 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its first place along each dimension of the output.
    pub start: Vec<u64>,
    /// The extent along each dimension.
    pub shape: Vec<u64>,
    /// The number of the part in the order of its read.
    pub number: u64,
}

/// A part and the spans that fill it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartSpans {
    /// The part.
    pub part: Part,
    /// For each dimension, the range of spans of its projection.
    pub spans: Vec<Range<u64>>,
}

/// The grid of parts that an output is cut into.
#[derive(Clone, Debug)]
pub struct PartGrid {
    /// The number of spans of a part along each dimension.
    step: Vec<u64>,
    /// The number of parts along each dimension.
    shape: Vec<u64>,
    count: u64,
}

impl PartGrid {
    /// Cuts the output of these projections into parts. `element_size` is in bytes. `order` lists
    /// the dimensions as they are in the output's memory, slowest first.
    ///
    /// # Errors
    /// `Limit` when there are 2^64 parts or more.
    pub fn new(axes: &[DimensionProjection], element_size: usize, order: &[usize]) -> Result<Self> {
        let total = axes.iter().map(DimensionProjection::count);
        let total = limits::product(total.chain([element_size as u64]), "selection");
        let target = if total.is_ok_and(|total| total <= WHOLE_BYTES) { WHOLE_BYTES } else { TARGET_BYTES };
        Self::of(axes, steps(axes, element_size, order, target))
    }

    /// Cuts the output into parts of about `target` bytes, which grow along the last of these
    /// dimensions first.
    ///
    /// # Errors
    /// `Limit` when there are 2^64 parts or more.
    pub fn grown(
        axes: &[DimensionProjection],
        element_size: usize,
        growth: &[usize],
        target: u64,
    ) -> Result<Self> {
        Self::of(axes, steps(axes, element_size, growth, target))
    }

    fn of(axes: &[DimensionProjection], step: Vec<u64>) -> Result<Self> {
        let mut shape = Vec::with_capacity(axes.len());
        for (axis, step) in axes.iter().zip(&step) {
            shape.push(axis.span_count().div_ceil(*step));
        }
        let count = limits::product(shape.iter().copied(), "number of parts")?;
        Ok(Self { step, shape, count })
    }

    /// The number of parts along each dimension.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The places of the output, along a dimension, of the parts with index `at` along it.
    pub fn places(&self, axes: &[DimensionProjection], dimension: usize, at: u64) -> Range<u64> {
        let (Some(axis), Some(step)) = (axes.get(dimension), self.step.get(dimension)) else { return 0..0 };
        axis.output_range(&spans_of_part(at, *step, axis))
    }

    /// The first span, along a dimension, of the parts with index `at` along it.
    pub fn first_span(&self, dimension: usize, at: u64) -> u64 {
        self.step.get(dimension).map_or(0, |step| at.saturating_mul(*step))
    }

    /// The number of parts.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Part `i`, counted in C order of the grid. Takes time in the number of dimensions, so that a
    /// read of any size begins at once.
    #[allow(clippy::arithmetic_side_effects, reason = "the places of spans ascend")]
    pub fn part(&self, i: u64, axes: &[DimensionProjection]) -> PartSpans {
        let at = unravel(i, &self.shape);
        let (mut start, mut shape, mut spans) = (Vec::new(), Vec::new(), Vec::new());
        for ((at, step), axis) in at.iter().zip(&self.step).zip(axes) {
            let taken = spans_of_part(*at, *step, axis);
            let places = axis.output_range(&taken);
            start.push(places.start);
            shape.push(places.end - places.start);
            spans.push(taken);
        }
        PartSpans { part: Part { start, shape, number: i }, spans }
    }
}

/// The spans of the part with index `at` along a dimension. The last part may have fewer.
fn spans_of_part(at: u64, step: u64, axis: &DimensionProjection) -> Range<u64> {
    let start = at.saturating_mul(step);
    start..start.saturating_add(step).min(axis.span_count())
}

/// The number of spans of a part along each dimension.
///
/// A part takes as many spans along the fastest dimensions as fit the target, and more where its
/// rows are short.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "steps are at least one, and their product is at most `room` or `most`"
)]
fn steps(axes: &[DimensionProjection], element_size: usize, order: &[usize], target: u64) -> Vec<u64> {
    let mut step = vec![1; axes.len()];
    // The smallest part has one span along every dimension. Growing multiplies its size.
    let least = axes.iter().map(places_per_span).fold(element_size.max(1) as u64, u64::saturating_mul);
    let mut room = (target / least.max(1)).clamp(1, MAX_CHUNKS);
    let most = (WHOLE_BYTES / least.max(1)).clamp(1, MAX_CHUNKS);
    let mut row = element_size.max(1) as u64;
    for &dimension in order.iter().rev() {
        let (axis, taken) = (&axes[dimension], step.iter().product::<u64>());
        row = row.saturating_mul(places_per_span(axis));
        let for_rows = ROW_BYTES.div_ceil(row).min(most / taken);
        step[dimension] = axis.span_count().max(1).min(room.max(for_rows));
        room = (room / step[dimension]).max(1);
        // A row continues in the next slower dimension only where the part has all of this
        // dimension.
        row = if step[dimension] == axis.span_count() {
            row.saturating_mul(step[dimension])
        } else {
            ROW_BYTES
        };
    }
    step
}

/// The average number of places of a span, rounded up.
fn places_per_span(axis: &DimensionProjection) -> u64 {
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
        assert_eq!(whole.part, Part { start: vec![0, 0], shape: vec![100, 100], number: 0 });
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
        // One chunk has 16 MiB, so each part is one chunk.
        assert_eq!(grid.count(), 2 * 8 * 8);
    }

    #[test]
    fn short_rows_make_parts_larger_up_to_a_limit() {
        // Chunks of 2 MiB have rows of 512 bytes. Two of them side by side have the whole width.
        let axes = [axis(64, 16), axis(512, 256), axis(512, 256)];
        let part =
            |axes: &[DimensionProjection], size| PartGrid::new(axes, size, &[0, 1, 2]).unwrap().part(0, axes);
        assert_eq!(part(&axes, 2).part.shape, [16, 256, 512]);
        // Parts of one chunk of 4 MiB do not grow.
        assert_eq!(part(&axes, 4).part.shape, [16, 256, 256]);
        // Chunks of 32 KiB have rows of 32 bytes. A part stops growing once its rows have 4 KiB.
        let axes = [axis(32, 32), axis(4096, 32), axis(8192, 32)];
        assert_eq!(part(&axes, 1).part.shape, [32, 32, 4096]);
    }

    #[test]
    fn parts_have_a_bounded_number_of_chunks() {
        for axes in [vec![axis(2_000_000_000, 1)], vec![axis(4, 1), axis(1 << 20, 1), axis(1 << 9, 1)]] {
            let order: Vec<usize> = (0..axes.len()).collect();
            let grid = PartGrid::new(&axes, 1, &order).unwrap();
            let part = grid.part(grid.count() - 1, &axes);
            let chunks: u64 = part.spans.iter().map(|along| along.end - along.start).product();
            assert!(chunks <= MAX_CHUNKS, "{chunks} chunks");
            let first: u64 = grid.part(0, &axes).part.shape.iter().product();
            assert_eq!(first, MAX_CHUNKS);
        }
    }

    #[test]
    fn parts_of_a_reduction_are_long_along_what_goes() {
        // Chunks of 1 MiB; sixteen of them along the first dimension.
        let axes = [axis(400, 4), axis(1024, 256), axis(1024, 256)];
        let grid = PartGrid::grown(&axes, 4, &[1, 2, 0], 1 << 24).unwrap();
        assert_eq!(grid.part(0, &axes).part.shape, [64, 256, 256]);
        assert_eq!(grid.part(grid.count() - 1, &axes).part.start, [384, 768, 768]);
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
