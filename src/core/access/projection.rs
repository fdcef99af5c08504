//! Step 2, project: which chunks, which part of each, where in the output?
//!
//! A chunk grid is the product of its dimensions, and so is a selection. So each dimension is
//! projected alone, and a chunk of the selection is one [`Span`] for each dimension. Spans of a
//! range are computed on demand: a selection of millions of chunks takes no memory before it is
//! read.

use std::ops::Range;

use crate::access::instruction::{ProjectedAxis, word};
use crate::access::selection::{Indices, SelectedAxis, nth};
use crate::error::Result;
use crate::format::chunk_grid::GridDimension;
use crate::limits;
use crate::sorted::Map;

/// What one dimension of a selection takes from one chunk. It fills consecutive places of the
/// output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Index of the chunk along this dimension.
    pub chunk: u64,
    /// The first place in the output.
    pub output_start: u64,
    /// The indices within the chunk, relative to its start; at least one.
    pub indices: Indices,
}

impl Span {
    /// The places of the output that it fills.
    pub fn places(&self) -> Range<u64> {
        self.output_start..self.output_start.saturating_add(self.indices.count())
    }
}

/// The projection of one dimension of a selection on one dimension of a grid.
#[derive(Clone, Debug)]
pub struct DimensionProjection {
    count: u64,
    spans: Spans,
}

#[derive(Clone, Debug)]
enum Spans {
    /// The selection takes something from every chunk between the first and the last. Span `i` is
    /// computed.
    Neighbours { grid: GridDimension, start: u64, step: i64, first_chunk: u64, span_count: u64 },
    /// The step is longer than the chunks of a regular grid: each span has one index.
    Singles { grid: GridDimension, start: u64, step: i64 },
    /// Spans that are computed beforehand. There are at most as many as indices.
    Listed(Vec<Span>),
}

impl DimensionProjection {
    /// Projects the indices of one dimension, all of which lie inside the array. A range over a
    /// regular grid takes constant time and memory, however many chunks it crosses: its spans are
    /// computed when they are asked for. An index list takes both for each index.
    ///
    /// # Errors
    /// `Limit` for index lists too long to hold.
    pub fn new(indices: &Indices, grid: &GridDimension) -> Result<Self> {
        let count = indices.count();
        let spans = match indices {
            _ if count == 0 => Spans::Listed(Vec::new()),
            Indices::Range { start, step, count } => range_spans(*start, *step, *count, grid)?,
            Indices::List(list) => Spans::Listed(list_spans(list.iter().copied(), grid)?),
        };
        Ok(Self { count, spans })
    }

    /// The extent of the output along this dimension.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The number of spans.
    pub fn span_count(&self) -> u64 {
        match &self.spans {
            Spans::Neighbours { span_count, .. } => *span_count,
            Spans::Singles { .. } => self.count,
            Spans::Listed(spans) => spans.len() as u64,
        }
    }

    /// Span `i` of [`span_count`](Self::span_count), in the order of the output. Constant time on a
    /// regular grid, log r on one of r runs; a span of an index list is copied.
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "chunks between the first and the last one, and an index in its chunk"
    )]
    pub fn span(&self, i: u64) -> Option<Span> {
        if i >= self.span_count() {
            return None;
        }
        match &self.spans {
            Spans::Neighbours { grid, start, step, first_chunk, .. } => {
                let chunk = if *step > 0 { first_chunk + i } else { first_chunk - i };
                Some(neighbour_span(&grid.chunk_extent(chunk), *start, *step, self.count, chunk))
            }
            Spans::Singles { grid, start, step } => {
                let index = nth(*start, *step, i);
                let chunk = grid.chunk_of(index);
                let first = index - grid.chunk_extent(chunk).start;
                let indices = Indices::Range { start: first, step: 1, count: 1 };
                Some(Span { chunk, output_start: i, indices })
            }
            Spans::Listed(spans) => spans.get(usize::try_from(i).ok()?).cloned(),
        }
    }

    /// The places of the output that the spans of `range` fill.
    pub fn output_range(&self, range: &Range<u64>) -> Range<u64> {
        let start = self.span(range.start).map_or(self.count, |span| span.output_start);
        let end = self.span(range.end).map_or(self.count, |span| span.output_start);
        start..end
    }

    /// What the spans of `range` take from each chunk, in ascending order of the chunks. Places
    /// count from that of the first span. A chunk that an index list visits several times has one
    /// entry. Takes n log n steps for n spans, and memory for the entries.
    ///
    /// # Errors
    /// `Limit` for an index or a place beyond 32 bits.
    #[allow(clippy::arithmetic_side_effects, reason = "the places of spans ascend")]
    pub fn by_chunk(&self, range: Range<u64>) -> Result<Vec<(u64, ProjectedAxis)>> {
        let first_place = self.output_range(&range).start;
        let mut chunks: Map<u64, ProjectedAxis> = Map::new();
        for i in range {
            let Some(span) = self.span(i) else { continue };
            let place = word(span.output_start - first_place)?;
            let taken = chunks.get_or_insert_with(span.chunk, ProjectedAxis::nothing);
            taken.add(&span.indices, place)?;
        }
        Ok(chunks.into_entries().collect())
    }
}

/// Projects an orthogonal selection on the dimensions of a grid.
///
/// # Errors
/// As [`DimensionProjection::new`].
pub fn project(axes: &[SelectedAxis], grid: &[GridDimension]) -> Result<Vec<DimensionProjection>> {
    let mut projections = Vec::with_capacity(axes.len());
    for (axis, grid) in axes.iter().zip(grid) {
        projections.push(DimensionProjection::new(&axis.indices, grid)?);
    }
    Ok(projections)
}

/// Divides what is taken of a chunk along one dimension into what is taken of each box of this
/// extent in it, in ascending order of the boxes. The indices of a box count from its start.
///
/// # Errors
/// `Limit` for a place beyond 32 bits.
#[allow(clippy::arithmetic_side_effects, reason = "the places of an axis fit 32 bits")]
pub fn divide(axis: &ProjectedAxis, extent: u64) -> Result<Vec<(u64, ProjectedAxis)>> {
    let projection = DimensionProjection::new(&axis.indices(), &GridDimension::Regular(extent))?;
    let mut divided = projection.by_chunk(0..projection.span_count())?;
    for (_, taken) in &mut divided {
        match (taken, axis) {
            (ProjectedAxis::List { places, .. }, ProjectedAxis::List { places: all, .. }) => {
                for at in places {
                    *at = all.get(*at as usize).copied().unwrap_or(*at);
                }
            }
            (ProjectedAxis::Range { place, .. }, ProjectedAxis::Range { place: first, .. }) => {
                *place += first
            }
            _ => {}
        }
    }
    Ok(divided)
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "the range has elements, and all of them lie inside of the array"
)]
fn range_spans(start: u64, step: i64, count: u64, grid: &GridDimension) -> Result<Spans> {
    let last = nth(start, step, count - 1);
    let (first_chunk, last_chunk) = (grid.chunk_of(start), grid.chunk_of(last));
    let stride = step.unsigned_abs();
    if stride <= grid.shortest_chunk() || first_chunk == last_chunk {
        let span_count = first_chunk.abs_diff(last_chunk) + 1;
        return Ok(Spans::Neighbours { grid: grid.clone(), start, step, first_chunk, span_count });
    }
    if grid.is_regular() {
        return Ok(Spans::Singles { grid: grid.clone(), start, step });
    }
    list_spans((0..count).map(|i| nth(start, step, i)), grid).map(Spans::Listed)
}

/// What a range takes from a chunk. The range has at least one index in the chunk.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "the range has an index in the chunk, and its step is not 0"
)]
fn neighbour_span(extent: &Range<u64>, start: u64, step: i64, count: u64, chunk: u64) -> Span {
    let stride = step.unsigned_abs();
    // The places k of the output whose index start + k·step lies in the extent: `before..through`.
    let (before, through) = if step > 0 {
        (extent.start.saturating_sub(start).div_ceil(stride), (extent.end - start).div_ceil(stride))
    } else {
        let before = (start + 1).saturating_sub(extent.end).div_ceil(stride);
        (before, (start - extent.start) / stride + 1)
    };
    let first = nth(start, step, before) - extent.start;
    let indices = Indices::Range { start: first, step, count: through.min(count) - before };
    Span { chunk, output_start: before, indices }
}

/// One span for each run of neighbouring list entries that lie in one chunk.
#[allow(clippy::arithmetic_side_effects, reason = "an index is not before the start of its chunk")]
fn list_spans(indices: impl Iterator<Item = u64>, grid: &GridDimension) -> Result<Vec<Span>> {
    let mut spans: Vec<Span> = Vec::new();
    for (place, index) in indices.enumerate() {
        let chunk = grid.chunk_of(index);
        let within = index - grid.chunk_extent(chunk).start;
        match spans.last_mut() {
            Some(Span { chunk: last, indices: Indices::List(list), .. }) if *last == chunk => {
                list.push(within)
            }
            _ => {
                limits::reserve(&mut spans, 1, "index list")?;
                let indices = Indices::List(vec![within]);
                spans.push(Span { chunk, output_start: place as u64, indices });
            }
        }
    }
    Ok(spans)
}

/// Combines one list for each dimension to every combination of their entries, in C order.
///
/// An entry is an index, such as that of a chunk along the dimension, and what belongs to it.
pub fn outer_product<T: Clone>(axes: &[Vec<(u64, T)>]) -> Vec<(Vec<u64>, Vec<T>)> {
    let mut product = vec![(Vec::new(), Vec::new())];
    for along in axes {
        let mut longer = Vec::with_capacity(product.len().saturating_mul(along.len()));
        for so_far in &product {
            for (index, item) in along {
                let (mut indices, mut items) = so_far.clone();
                indices.push(*index);
                items.push(item.clone());
                longer.push((indices, items));
            }
        }
        product = longer;
    }
    product
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::format::chunk_grid::ChunkGrid;
    use crate::format::json::Document;
    use crate::format::metadata::extension::Extension;
    use proptest::prelude::*;

    /// Walks all spans and returns every pair of a place of the output and an array index.
    fn walk(projection: &DimensionProjection, grid: &GridDimension) -> Vec<(u64, u64)> {
        let mut pairs = Vec::new();
        for span in (0..projection.span_count()).map(|i| projection.span(i).unwrap()) {
            let origin = grid.chunk_extent(span.chunk).start;
            let len = grid.chunk_extent(span.chunk).end - origin;
            for (place, within) in span.places().zip(span.indices.iter()) {
                assert!(within < len);
                pairs.push((place, origin + within));
            }
        }
        pairs
    }

    proptest! {
        #[test]
        fn every_place_is_filled_once_with_its_index(
            chunk in 1_u64..9, start in 0_u64..40, step in prop_oneof![-12_i64..0, 1_i64..12], count in 1_u64..12,
        ) {
            let last = i128::from(start) + i128::from(step) * i128::from(count - 1);
            prop_assume!(last >= 0);
            let grid = GridDimension::Regular(chunk);
            let projection = DimensionProjection::new(&Indices::Range { start, step, count }, &grid).unwrap();
            let expected: Vec<_> = (0..count).map(|k| (k, nth(start, step, k))).collect();
            prop_assert_eq!(walk(&projection, &grid), expected);
        }

        #[test]
        fn every_place_is_filled_once_on_grids_of_different_chunks(
            lens in prop::collection::vec(1_u64..9, 1..12), start in 0_u64..90, step in prop_oneof![-12_i64..0, 1_i64..12],
            count in 1_u64..12,
        ) {
            let total: u64 = lens.iter().sum();
            let (start, last) = (start % total, i128::from(total) - 1);
            let room = if step > 0 { last - i128::from(start) } else { i128::from(start) };
            let count = count.min(u64::try_from(room).unwrap() / step.unsigned_abs() + 1);
            let text = format!(r#"{{"name":"rectilinear","configuration":{{"kind":"inline","chunk_shapes":[{lens:?}]}}}}"#);
            let document = Document::parse(text.as_bytes()).unwrap();
            let grid = ChunkGrid::parse(&Extension::parse(document.root()).unwrap(), &[total]).unwrap().dimensions.remove(0);
            let projection = DimensionProjection::new(&Indices::Range { start, step, count }, &grid).unwrap();
            let expected: Vec<_> = (0..count).map(|k| (k, nth(start, step, k))).collect();
            prop_assert_eq!(walk(&projection, &grid), expected);
        }

        #[test]
        fn lists_keep_their_order(chunk in 1_u64..9, list in prop::collection::vec(0_u64..40, 0..20)) {
            let grid = GridDimension::Regular(chunk);
            let projection = DimensionProjection::new(&Indices::List(list.clone()), &grid).unwrap();
            let expected: Vec<_> = list.iter().enumerate().map(|(k, index)| (k as u64, *index)).collect();
            prop_assert_eq!(walk(&projection, &grid), expected);
        }
    }

    #[test]
    fn spans_of_huge_ranges_are_computed_directly() {
        let grid = GridDimension::Regular(1000);
        let indices = Indices::Range { start: 0, step: 1, count: 1 << 62 };
        let projection = DimensionProjection::new(&indices, &grid).unwrap();
        let last = projection.span(projection.span_count() - 1).unwrap();
        assert_eq!(last.places().end, 1 << 62);
    }
}
