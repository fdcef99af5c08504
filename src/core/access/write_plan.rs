//! Plans a write: which stored chunks does it change, and which elements of the source go where in
//! each?
//!
//! Chunks are computed on demand, one at a time. What a chunk takes is copied out of the source and
//! packed, so that an encoder needs neither the source nor the selection. The plan does not see the
//! stored bytes: [`chunk_update`](super::chunk_update) changes a chunk.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use crate::access::binding::Binding;
use crate::access::instruction::{ChunkProjection, ProjectedAxis, word};
use crate::access::projection::DimensionProjection;
use crate::access::selection::{Indices, Selected};
use crate::error::Result;
use crate::format::chunk_grid::{GridDimension, unravel};
use crate::limits;

/// The chunks that a write changes.
pub struct WritePlan {
    binding: Rc<Binding>,
    work: Work,
}

/// For each point, its indices in the chunk and its place in the source.
type Points = Vec<(Vec<u32>, u32)>;

enum Work {
    /// The chunks along each dimension.
    Orthogonal(Vec<WriteAxis>),
    /// The points of each chunk.
    Points(Vec<(Vec<u64>, Points)>),
}

enum WriteAxis {
    /// A range: each chunk takes one span.
    Spans(DimensionProjection),
    /// An index list: for each chunk, the indices in it and their places in the source. The last
    /// place counts where an index repeats.
    Listed(Vec<(u64, Indices, Indices)>),
}

/// What a write changes in one stored chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkWrite {
    /// Indices of the chunk in the array's chunk grid.
    pub chunk: Vec<u64>,
    /// Which elements of the chunk take which of the packed source elements.
    pub projection: ChunkProjection,
    /// The box of the source to copy, packed in C order: the places along each dimension.
    pub source: Vec<Indices>,
    /// Whether the write replaces every element of the chunk that lies inside the array, so that
    /// the stored bytes are not needed.
    pub covers: bool,
}

impl WritePlan {
    /// Plans a write to a resolved selection.
    ///
    /// # Errors
    /// `Limit` for lists too long to hold and for chunks that cannot be addressed.
    pub fn new(binding: &Rc<Binding>, selected: &Selected) -> Result<Self> {
        let grid = &binding.metadata().chunk_grid.dimensions;
        let work = match selected {
            Selected::Orthogonal(axes) => {
                let axes = axes.iter().zip(grid).map(|(axis, grid)| WriteAxis::new(&axis.indices, grid));
                Work::Orthogonal(axes.collect::<Result<_>>()?)
            }
            Selected::Points(lists) => Work::Points(points(lists, grid, selected.shape().iter().product())?),
        };
        Ok(Self { binding: binding.clone(), work })
    }

    /// The number of chunks to change.
    ///
    /// # Errors
    /// `Limit` beyond 64 bits.
    pub fn chunk_count(&self) -> Result<u64> {
        match &self.work {
            Work::Orthogonal(axes) => limits::product(axes.iter().map(WriteAxis::len), "number of chunks"),
            Work::Points(chunks) => Ok(chunks.len() as u64),
        }
    }

    /// What the write changes in chunk number `i` of [`chunk_count`](Self::chunk_count).
    ///
    /// # Errors
    /// `Limit` for a chunk that cannot be addressed.
    pub fn chunk(&self, i: u64) -> Result<ChunkWrite> {
        match &self.work {
            Work::Orthogonal(axes) => self.orthogonal(axes, i),
            Work::Points(chunks) => {
                let at = limits::to_usize(i, "chunk")?;
                chunks.get(at).map_or_else(|| Ok(nothing()), |(chunk, points)| self.points(chunk, points))
            }
        }
    }

    fn orthogonal(&self, axes: &[WriteAxis], i: u64) -> Result<ChunkWrite> {
        let grid: Vec<u64> = axes.iter().map(WriteAxis::len).collect();
        let mut write = nothing();
        let mut projection = Vec::with_capacity(axes.len());
        for (axis, at) in axes.iter().zip(unravel(i, &grid)) {
            let (chunk, along, source) = axis.entry(at)?;
            write.chunk.push(chunk);
            projection.push(along);
            write.source.push(source);
        }
        write.projection = ChunkProjection::Orthogonal(projection);
        let inside = inside(&self.binding, &write.chunk);
        write.covers = write.source.iter().zip(&inside).all(|(source, len)| source.count() == *len);
        Ok(write)
    }

    fn points(&self, chunk: &[u64], points: &[(Vec<u32>, u32)]) -> Result<ChunkWrite> {
        let indices = (0..chunk.len()).map(|dimension| {
            points.iter().map(|(position, _)| position.get(dimension).copied().unwrap_or(0)).collect()
        });
        let inside = limits::product(inside(&self.binding, chunk), "chunk")?;
        Ok(ChunkWrite {
            chunk: chunk.to_vec(),
            projection: ChunkProjection::Points {
                indices: indices.collect(),
                places: (0..points.len() as u64).map(word).collect::<Result<_>>()?,
            },
            source: vec![Indices::List(points.iter().map(|(_, place)| u64::from(*place)).collect())],
            covers: points.len() as u64 == inside,
        })
    }
}

fn nothing() -> ChunkWrite {
    ChunkWrite {
        chunk: Vec::new(),
        projection: ChunkProjection::Orthogonal(Vec::new()),
        source: Vec::new(),
        covers: true,
    }
}

/// The extent, along each dimension, of the box of a stored chunk that lies inside the array.
pub fn inside(binding: &Binding, chunk: &[u64]) -> Vec<u64> {
    let metadata = binding.metadata();
    let along = chunk.iter().zip(&metadata.chunk_grid.dimensions).zip(&metadata.shape);
    along
        .map(|((chunk, grid), len)| {
            let extent = grid.chunk_extent(*chunk);
            extent.end.min(*len).saturating_sub(extent.start)
        })
        .collect()
}

impl WriteAxis {
    #[allow(clippy::arithmetic_side_effects, reason = "an index is not before the start of its chunk")]
    fn new(indices: &Indices, grid: &GridDimension) -> Result<Self> {
        let Indices::List(list) = indices else {
            return DimensionProjection::new(indices, grid).map(Self::Spans);
        };
        let mut chunks: BTreeMap<u64, BTreeMap<u64, u64>> = BTreeMap::new();
        for (place, index) in (0..).zip(list) {
            let chunk = grid.chunk_of(*index);
            chunks.entry(chunk).or_default().insert(index - grid.chunk_extent(chunk).start, place);
        }
        let listed = |(chunk, pairs): (u64, BTreeMap<u64, u64>)| {
            let (indices, places) = pairs.into_iter().unzip();
            (chunk, Indices::List(indices), Indices::List(places))
        };
        Ok(Self::Listed(chunks.into_iter().map(listed).collect()))
    }

    fn len(&self) -> u64 {
        match self {
            Self::Spans(projection) => projection.span_count(),
            Self::Listed(chunks) => chunks.len() as u64,
        }
    }

    /// The index of chunk number `i`, its projection, and the places of the source that it takes.
    fn entry(&self, i: u64) -> Result<(u64, ProjectedAxis, Indices)> {
        let found = match self {
            Self::Spans(projection) => {
                projection.span(i).map(|span| (span.chunk, span.places().into(), span.indices))
            }
            Self::Listed(chunks) => chunks
                .get(limits::to_usize(i, "chunk")?)
                .map(|(chunk, indices, places)| (*chunk, places.clone(), indices.clone())),
        };
        let (chunk, places, indices) = found.unwrap_or_else(|| (0, (0..0).into(), (0..0).into()));
        Ok((chunk, ProjectedAxis::new(&indices, 0)?, places))
    }
}

/// Groups points by chunk. Where a point repeats, the last place counts.
#[allow(clippy::arithmetic_side_effects, reason = "an index is not before the start of its chunk")]
fn points(lists: &[Rc<[u64]>], grid: &[GridDimension], count: u64) -> Result<Vec<(Vec<u64>, Points)>> {
    let mut chunks: BTreeMap<Vec<u64>, BTreeMap<Vec<u32>, u32>> = BTreeMap::new();
    for place in 0..limits::to_usize(count, "points")? {
        let (mut chunk, mut position) = (Vec::new(), Vec::new());
        for (list, along) in lists.iter().zip(grid) {
            let index = list.get(place).copied().unwrap_or(0);
            let number = along.chunk_of(index);
            position.push(word(index - along.chunk_extent(number).start)?);
            chunk.push(number);
        }
        chunks.entry(chunk).or_default().insert(position, word(place as u64)?);
    }
    Ok(chunks.into_iter().map(|(chunk, points)| (chunk, points.into_iter().collect())).collect())
}

/// Calls `take` with each run of consecutive elements, in C order, of a box of a packed source of
/// this shape.
///
/// # Errors
/// Whatever `take` reports.
#[allow(clippy::arithmetic_side_effects, reason = "the source is packed and in memory")]
pub fn each_run(
    shape: &[u64],
    source: &[Indices],
    take: &mut dyn FnMut(Range<u64>) -> Result<()>,
) -> Result<()> {
    // Trailing dimensions that are taken whole form one run with the dimension before them.
    let (mut run_len, mut dimensions) = (1, source.len());
    while let Some(last) = dimensions.checked_sub(1) {
        if source.get(last) != Some(&Indices::from(0..shape.get(last).copied().unwrap_or(0))) {
            break;
        }
        run_len *= shape.get(last).copied().unwrap_or(1);
        dimensions = last;
    }
    let Some((innermost, outer)) = source.get(..dimensions).and_then(<[Indices]>::split_last) else {
        return take(0..run_len);
    };
    let runs = runs(innermost);
    let row = run_len * shape.get(outer.len()).copied().unwrap_or(1);
    for_each_row(shape, outer, 0, &mut |number| {
        let start = number * row;
        runs.iter().try_for_each(|run| take(start + run.start * run_len..start + run.end * run_len))
    })
}

/// The runs of consecutive places.
#[allow(clippy::arithmetic_side_effects, reason = "places of the source, which is in memory")]
#[allow(clippy::single_range_in_vec_init)] // A list of one run is meant.
fn runs(places: &Indices) -> Vec<Range<u64>> {
    if let Indices::Range { start, step: 1, count } = places {
        return vec![*start..start + count];
    }
    let mut runs: Vec<Range<u64>> = Vec::new();
    for place in places.iter() {
        match runs.last_mut() {
            Some(last) if last.end == place => last.end += 1,
            _ => runs.push(place..place + 1),
        }
    }
    runs
}

/// Calls `visit` with the number of each row: the C-order number of a position in the outer
/// dimensions.
#[allow(clippy::arithmetic_side_effects, reason = "the source is packed and in memory")]
fn for_each_row(
    shape: &[u64],
    source: &[Indices],
    number: u64,
    visit: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<()> {
    let ([first, source @ ..], [along, shape @ ..]) = (source, shape) else { return visit(number) };
    first.iter().try_for_each(|place| for_each_row(shape, source, number * along + place, visit))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, clippy::single_range_in_vec_init)]
mod tests {
    use super::*;
    use crate::access::selection::{DimensionSelection, Selection, SliceSelection, resolve};
    use crate::format::metadata::{ZarrFormat, write::options::ArrayOptions};

    fn binding(shape: &[u64], chunk_shape: &[u64]) -> Rc<Binding> {
        let mut options = ArrayOptions::new(ZarrFormat::V3, shape, "\"uint8\"");
        options.chunk_shape = Some(chunk_shape.to_vec());
        Rc::new(Binding::of(options.metadata().unwrap()).unwrap())
    }

    fn plan(shape: &[u64], chunk_shape: &[u64], selection: &Selection) -> WritePlan {
        let selected = resolve(selection, shape).unwrap();
        WritePlan::new(&binding(shape, chunk_shape), &selected).unwrap()
    }

    #[test]
    fn whole_and_partial_chunks_are_distinguished() {
        let all = plan(&[5, 7], &[3, 4], &Selection::all());
        assert_eq!(all.chunk_count().unwrap(), 4);
        assert!((0..4).all(|i| all.chunk(i).unwrap().covers));
        let edge = all.chunk(3).unwrap();
        assert_eq!(edge.chunk, [1, 1]);
        assert_eq!(edge.source, [Indices::from(3..5), Indices::from(4..7)]);
        let slice = DimensionSelection::Slice(SliceSelection { start: Some(1), stop: None, step: Some(1) });
        let part = plan(&[5, 7], &[3, 4], &Selection::Orthogonal(vec![slice]));
        assert!(!part.chunk(0).unwrap().covers);
        assert!(part.chunk(2).unwrap().covers);
    }

    #[test]
    fn the_last_of_repeated_indices_counts() {
        let list =
            plan(&[6], &[3], &Selection::Orthogonal(vec![DimensionSelection::List(vec![1, 4, 1, -6])]));
        let first = list.chunk(0).unwrap();
        assert_eq!(first.source, [Indices::List(vec![3, 2])]);
        assert_eq!(
            first.projection,
            ChunkProjection::Orthogonal(vec![ProjectedAxis::List {
                indices: vec![0, 1],
                places: vec![0, 1]
            }])
        );
        let points = plan(&[6], &[3], &Selection::Points(vec![vec![0, 1, 2, 0]]));
        assert_eq!(points.chunk_count().unwrap(), 1);
        let only = points.chunk(0).unwrap();
        assert!(only.covers);
        assert_eq!(only.source, [Indices::List(vec![3, 1, 2])]);
    }

    #[test]
    fn huge_writes_are_planned_lazily() {
        let all = plan(&[1 << 62], &[1 << 10], &Selection::all());
        assert_eq!(all.chunk_count().unwrap(), 1 << 52);
        assert_eq!(all.chunk((1 << 52) - 1).unwrap().chunk, [(1 << 52) - 1]);
    }

    #[test]
    fn boxes_of_the_source_become_runs() {
        let runs = |shape: &[u64], source: &[Indices]| {
            let mut runs = Vec::new();
            each_run(shape, source, &mut |run| {
                runs.push(run);
                Ok(())
            })
            .unwrap();
            runs
        };
        assert_eq!(runs(&[], &[]), [0..1]);
        assert_eq!(runs(&[3, 4], &[Indices::from(0..3), Indices::from(0..4)]), [0..12]);
        assert_eq!(runs(&[3, 4], &[Indices::from(1..3), Indices::from(0..4)]), [4..12]);
        assert_eq!(runs(&[3, 4], &[Indices::from(1..3), Indices::from(1..3)]), [5..7, 9..11]);
        assert_eq!(
            runs(&[3, 4], &[Indices::List(vec![2, 0]), Indices::List(vec![1, 2, 0])]),
            [9..11, 8..9, 1..3, 0..1]
        );
    }
}
