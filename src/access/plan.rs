//! Step 3, plan: which key, which byte range? The machine of one part.
//!
//! It asks ([`PartPlan::take_requests`]) and is answered ([`PartPlan::supply_index`], [`PartPlan::write_instruction`]). A chunk that stands
//! alone is one need. A shard's index is a need too; answered, it raises the chunks of its inner chunks, and nested shards do it
//! again. Nothing here awaits: the driver is `read`, and a test can be ten lines over a map.

use std::ops::Range;
use std::rc::Rc;

use crate::access::binding::{Binding, Chain, Level};
use crate::access::instruction::{ChunkInstruction, ChunkProjection, ProjectedAxis, halves, word};
use crate::access::projection::{ChunkIndices, DimensionProjection};
use crate::access::rows::{RowAxis, Rows};
use crate::error::{Error, Result};
use crate::format::chunk_grid::GridDimension;
use crate::format::codec::sharding::{IndexLocation, ShardIndex, Sharding};
use crate::limits;
use crate::sorted::Map;

/// Bytes that are needed next.
#[derive(Clone, Debug)]
pub struct ByteRequest {
    /// For the answer.
    pub id: usize,
    /// Indices of the stored chunk in the array's grid.
    pub chunk: Rc<[u64]>,
    /// Level of the chunk, or of the shard whose index it is, in the chain of the stored chunk.
    pub level: usize,
    /// Which bytes of it.
    pub range: RequestedRange,
    /// Whether these bytes are a shard index, which the planner reads, or a chunk, which a decoder does.
    pub is_index: bool,
    /// Array indices where the chunk (or shard) starts: of a leaf, what tells it from the array's other ones; of rows of one one more
    /// number, which no chunk has.
    pub origin: Rc<[u64]>,
    /// These bytes are some rows of a chunk.
    pub rows: Option<RowsOf>,
}

/// What rows were cut from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsOf {
    /// A stored chunk, which has so many bytes and may be absent.
    Stored(u64),
    /// A chunk in a shard.
    Inner,
}

/// Which bytes of a stored chunk are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestedRange {
    /// All.
    Whole,
    /// Some from the start on.
    At {
        /// First byte.
        offset: u64,
        /// How many.
        len: u64,
    },
    /// The last ones.
    Last(u64),
}

/// The plan of one part.
pub struct PartPlan {
    binding: Rc<Binding>,
    /// Along each dimension, what is taken from each leaf chunk, ascending; empty for points.
    axes: Rc<[Vec<LeafAxis>]>,
    /// For points: each one's array indices, dimension by dimension.
    points: Vec<Rc<[u64]>>,
    /// First point of the part.
    first_point: u64,
    chunks: Vec<PlannedChunk>,
    /// Needs handed out so far start here in `chunks`.
    requested: usize,
}

/// What a part takes from which leaf chunks, whatever becomes of it: parts of one projection are of the same elements.
#[derive(Clone, PartialEq, Eq)]
pub struct PartProjection(Rc<[Vec<LeafAxis>]>);

impl PartProjection {
    /// Whether all that is taken from the leaf chunk that starts here is at least so much along each dimension.
    pub fn takes(&self, origin: &[u64], projection: &[ProjectedAxis]) -> bool {
        let mut wanted = self.0.iter().zip(origin.iter().zip(projection));
        wanted.all(|(axis, (origin, projection))| {
            let found = axis.binary_search_by_key(origin, |leaf| leaf.origin).ok();
            found
                .and_then(|at| axis.get(at))
                .is_some_and(|leaf| leaf.projection.count() >= projection.count())
        })
    }

    /// The same in words: what two outlines differ in, their words do.
    ///
    /// # Errors
    /// `Limit` for a list beyond 2^32 entries.
    pub fn to_words(&self) -> Result<Vec<u32>> {
        let mut words = Vec::new();
        for axis in self.0.iter() {
            words.push(word(axis.len() as u64)?);
            for LeafAxis { origin, projection } in axis {
                words.extend(halves(*origin));
                projection.write(&mut words)?;
            }
        }
        Ok(words)
    }
}

/// What one leaf chunk contributes along one dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LeafAxis {
    /// Array index where the leaf chunk starts.
    origin: u64,
    projection: ProjectedAxis,
}

/// A chunk of some level that is needed, with all that is wanted inside it.
#[derive(Clone)]
struct PlannedChunk {
    chunk: Rc<[u64]>,
    chain: Rc<Chain>,
    level: usize,
    /// Array indices where this chunk starts.
    origin: Rc<[u64]>,
    /// Where it stands in the stored chunk; `None` for the whole of it.
    bytes: Option<Range<u64>>,
    rows: Option<RowsOf>,
    wanted: Wanted,
}

#[derive(Clone)]
enum Wanted {
    /// A range of `PartPlan::axes` along each dimension.
    Orthogonal(Vec<Range<usize>>),
    /// Numbers of points.
    Points(Vec<u32>),
    /// All of a leaf chunk, as part of a stack.
    Whole(BatchSlot),
    /// These elements of some rows of a leaf chunk.
    Rows(Vec<ProjectedAxis>),
}

/// What is wanted of a box within a chunk, by where the box starts.
type WantedAt = (Vec<u64>, Wanted);

/// Where a whole chunk goes in a part that is nothing but whole chunks, one behind the other.
#[derive(Clone, Copy)]
struct BatchSlot {
    /// How many chunks stand before it.
    slot: u64,
    /// The dimension along which they stand.
    along: usize,
}

impl PartPlan {
    /// Plans an orthogonal part: `spans` of each dimension's projection.
    ///
    /// # Errors
    /// As binding the array's codecs; `Limit` for a chunk that cannot be addressed.
    pub fn orthogonal(
        binding: &Rc<Binding>,
        projections: &[DimensionProjection],
        spans: &[Range<u64>],
    ) -> Result<Self> {
        let grid = binding.leaf_grid()?;
        let axes = projections
            .iter()
            .zip(spans)
            .zip(&grid)
            .map(|((projection, spans), grid)| leaf_axes(projection, spans, grid))
            .collect::<Result<Vec<_>>>()?;
        let all = axes.iter().map(|axis| 0..axis.len()).collect();
        let mut plan = Self::empty(binding, axes);
        plan.add_outer(Wanted::Orthogonal(all))?;
        Ok(plan)
    }

    /// Plans points `range` of a selection of points.
    ///
    /// # Errors
    /// As [`orthogonal`](Self::orthogonal).
    pub fn points(binding: &Rc<Binding>, points: &[Rc<[u64]>], range: Range<u64>) -> Result<Self> {
        let mut plan = Self::empty(binding, Vec::new());
        plan.points = points.to_vec();
        plan.first_point = range.start;
        let numbers = range.map(word).collect::<Result<_>>()?;
        plan.add_outer(Wanted::Points(numbers))?;
        Ok(plan)
    }

    fn empty(binding: &Rc<Binding>, axes: Vec<Vec<LeafAxis>>) -> Self {
        let (points, chunks, axes) = (Vec::new(), Vec::new(), axes.into());
        Self { binding: binding.clone(), axes, points, first_point: 0, chunks, requested: 0 }
    }

    /// What the part is of, unless it is of points.
    pub fn projection(&self) -> Option<PartProjection> {
        self.points.is_empty().then(|| PartProjection(self.axes.clone()))
    }

    /// The stored chunks that are needed, as far as they are known.
    pub fn touched(&self) -> impl Iterator<Item = &Rc<[u64]>> {
        self.chunks.iter().map(|planned| &planned.chunk)
    }

    /// What is needed now that was not asked for before; empty when every answer so far has raised no more.
    pub fn take_requests(&mut self) -> Vec<ByteRequest> {
        let first = self.requested;
        self.requested = self.chunks.len();
        (first..self.requested).filter_map(|id| Some(byte_request(id, self.chunks.get(id)?))).collect()
    }

    /// The sharding codec whose index need `id` is.
    ///
    /// # Errors
    /// `Argument` when it is none.
    pub fn sharding(&self, id: usize) -> Result<&Sharding> {
        let level = self.chunks.get(id).and_then(|planned| planned.chain.level(planned.level));
        level.and_then(|level| level.pipeline.plannable_sharding()).ok_or_else(unknown_request)
    }

    /// Length of the shard in another one whose index need `id` is.
    pub fn nested_len(&self, id: usize) -> Option<u64> {
        let bytes = self.chunks.get(id)?.bytes.as_ref()?;
        Some(bytes.end - bytes.start)
    }

    /// Answers the need of an index. An absent shard is answered by not answering: all of it is fill value.
    ///
    /// # Errors
    /// `Format` for an index that has too few entries.
    pub fn supply_index(&mut self, id: usize, index: &ShardIndex) -> Result<()> {
        let planned = self.chunks.get(id).cloned().ok_or_else(unknown_request)?;
        let base = planned.bytes.as_ref().map_or(0, |bytes| bytes.start);
        let child = planned.chain.level(planned.level + 1).ok_or_else(unknown_request)?;
        let grid = self.sharding(id)?.grid().to_vec();
        for (position, wanted) in self.divide(&planned, child) {
            let linear = child.index_in_shard(&position, &grid)?;
            let Some(bytes) = index.get(linear)? else { continue };
            let origin = (0..position.len())
                .map(|dimension| planned.origin[dimension] + position[dimension] * child.shape[dimension])
                .collect();
            let bytes = Some(base.saturating_add(bytes.start)..base.saturating_add(bytes.end));
            let (chunk, chain, level) = (planned.chunk.clone(), planned.chain.clone(), planned.level + 1);
            self.chunks.push(PlannedChunk { chunk, chain, level, origin, bytes, rows: None, wanted });
        }
        Ok(())
    }

    /// Answers the need of a chunk whose bytes stand at `bytes` of buffer `buffer`: appends what a decoder has to do to `table`. An
    /// absent chunk is answered by not answering.
    ///
    /// # Errors
    /// `Limit` for positions beyond 32 bits.
    pub fn write_instruction(
        &self,
        id: usize,
        buffer: u32,
        bytes: Range<u64>,
        table: &mut Vec<u32>,
    ) -> Result<()> {
        let planned = self.chunks.get(id).ok_or_else(unknown_request)?;
        let projection = match &planned.wanted {
            Wanted::Points(numbers) => self.projected_points(planned, numbers)?,
            Wanted::Orthogonal(ranges) => ChunkProjection::Orthogonal(self.projected_axes(ranges)),
            Wanted::Whole(batch) => {
                ChunkProjection::Orthogonal(whole_chunk_projection(&planned.level()?.shape, batch)?)
            }
            Wanted::Rows(axes) => ChunkProjection::Orthogonal(axes.clone()),
        };
        let level = word(planned.level as u64)?;
        ChunkInstruction { level, buffer, bytes, chunk: planned.chunk.to_vec(), projection }.write(table)
    }

    /// What of a leaf chunk goes where, if it is a box of steps along each dimension.
    pub fn projection_box(&self, id: usize) -> Option<Vec<ProjectedAxis>> {
        let axes = match &self.chunks.get(id)?.wanted {
            Wanted::Orthogonal(ranges) => self.projected_axes(ranges),
            Wanted::Rows(axes) => axes.clone(),
            Wanted::Points(_) | Wanted::Whole(_) => return None,
        };
        axes.into_iter().map(ProjectedAxis::into_range).collect()
    }

    /// Divides the need of a leaf chunk into chunks of the rows that have what is wanted of it, which are answered in its place; whether
    /// it did: not where the rows would be most of the chunk.
    ///
    /// # Errors
    /// `Argument` when there is no such need.
    pub fn divide_into_rows(&mut self, id: usize) -> Result<bool> {
        let planned = self.chunks.get(id).cloned().ok_or_else(unknown_request)?;
        let Some(rows) = planned.chain.rows().filter(|_| planned.level + 1 == planned.chain.depth()) else {
            return Ok(false);
        };
        let base = match &planned.bytes {
            Some(bytes) if bytes.end - bytes.start != rows.chunk_bytes() => return Ok(false),
            Some(bytes) => bytes.start,
            None => 0,
        };
        let whole = if planned.bytes.is_some() { RowsOf::Inner } else { RowsOf::Stored(rows.chunk_bytes()) };
        let Some(divided) = self.rows_of(&planned, rows)? else { return Ok(false) };
        for (starts, wanted) in divided {
            let bytes = rows.bytes_at(&starts);
            let bytes = Some(base + bytes.start..base + bytes.end);
            let origin = planned.origin.iter().zip(&starts).map(|(origin, start)| origin + start).collect();
            let (level, rows) = (planned.level + 1, Some(whole));
            self.chunks.push(PlannedChunk { level, origin, bytes, rows, wanted, ..planned.clone() });
        }
        Ok(true)
    }

    /// The rows that have what is wanted of a leaf chunk, by where they start in it; `None` where they are many.
    fn rows_of(&self, planned: &PlannedChunk, rows: &Rows) -> Result<Option<Vec<WantedAt>>> {
        match &planned.wanted {
            Wanted::Orthogonal(ranges) => {
                let axes = self.projected_axes(ranges);
                let axes =
                    axes.iter().enumerate().map(|(dimension, projection)| rows.divide(dimension, projection));
                let axes = axes.collect::<Result<Vec<Vec<RowAxis>>>>()?;
                let count = axes.iter().map(|axis| axis.len() as u64).fold(1, u64::saturating_mul);
                Ok(rows.are_few(count).then(|| rows_of_axes(&axes)))
            }
            Wanted::Points(numbers) => {
                let mut found: Map<Vec<u64>, Vec<u32>> = Map::new();
                for number in numbers {
                    let start = |(dimension, list): (usize, &Rc<[u64]>)| {
                        rows.start_of(dimension, list[*number as usize] - planned.origin[dimension])
                    };
                    let starts = self.points.iter().enumerate().map(start).collect();
                    found.get_or_insert_with(starts, Vec::new).push(*number);
                }
                let few = rows.are_few(found.len() as u64);
                let points = |(starts, numbers)| (starts, Wanted::Points(numbers));
                Ok(few.then(|| found.into_entries().map(points).collect()))
            }
            Wanted::Whole(_) | Wanted::Rows(_) => Ok(None),
        }
    }

    /// How a leaf chunk is decoded.
    ///
    /// # Errors
    /// `Argument` when there is no such need.
    pub fn leaf(&self, id: usize) -> Result<&Level> {
        self.chunks.get(id).ok_or_else(unknown_request)?.level()
    }

    /// A plan of these leaf chunks of this plan, whole and one behind the other along a dimension of the part; they have one shape.
    ///
    /// # Errors
    /// `Argument` when there is no such need.
    pub fn batch(&self, ids: &[usize], along: usize) -> Result<Self> {
        let mut plan = Self::empty(&self.binding, Vec::new());
        for (id, slot) in ids.iter().zip(0..) {
            let planned = self.chunks.get(*id).ok_or_else(unknown_request)?;
            plan.chunks
                .push(PlannedChunk { wanted: Wanted::Whole(BatchSlot { slot, along }), ..planned.clone() });
        }
        Ok(plan)
    }

    /// A leaf takes exactly one entry a dimension.
    fn projected_axes(&self, ranges: &[Range<usize>]) -> Vec<ProjectedAxis> {
        let entries = self.axes.iter().zip(ranges);
        entries.filter_map(|(axis, range)| Some(axis.get(range.start)?.projection.clone())).collect()
    }

    fn projected_points(&self, planned: &PlannedChunk, numbers: &[u32]) -> Result<ChunkProjection> {
        let indices = self.points.iter().zip(planned.origin.iter());
        let indices = indices
            .map(|(list, origin)| {
                numbers.iter().map(|number| word(list[*number as usize] - origin)).collect()
            })
            .collect::<Result<_>>()?;
        let places = numbers.iter().map(|number| word(u64::from(*number) - self.first_point));
        Ok(ChunkProjection::Points { indices, places: places.collect::<Result<_>>()? })
    }

    /// The stored chunks that are touched.
    fn add_outer(&mut self, wanted: Wanted) -> Result<()> {
        let grid = self.binding.metadata().chunk_grid.clone();
        let chunk_of = |dimension: usize, index: u64| {
            grid.dimensions.get(dimension).map_or(0, |along: &GridDimension| along.chunk_of(index))
        };
        for (position, wanted) in self.split(&wanted, &chunk_of) {
            let chain = self.binding.chain_of(&position)?;
            let origin = position
                .iter()
                .zip(&grid.dimensions)
                .map(|(chunk, along)| along.chunk_extent(*chunk).start)
                .collect();
            limits::reserve(&mut self.chunks, 1, "plan")?;
            let (chunk, bytes, rows) = (position.into(), None, None);
            self.chunks.push(PlannedChunk { chunk, chain, level: 0, origin, bytes, rows, wanted });
        }
        Ok(())
    }

    /// The chunks of the next level that are touched, by their position in the planned's chunk.
    fn divide(&self, planned: &PlannedChunk, child: &Level) -> Vec<(Vec<u64>, Wanted)> {
        self.split(&planned.wanted, &|dimension, index| {
            (index - planned.origin[dimension]) / child.shape[dimension].max(1)
        })
    }

    /// Sorts what is wanted by chunk.
    fn split(&self, wanted: &Wanted, chunk_of: &dyn Fn(usize, u64) -> u64) -> Vec<(Vec<u64>, Wanted)> {
        match wanted {
            Wanted::Orthogonal(ranges) => {
                let runs = self.axes.iter().zip(ranges).enumerate();
                let runs: Vec<_> = runs
                    .map(|(dimension, (axis, range))| runs_by_chunk(axis, range, &|i| chunk_of(dimension, i)))
                    .collect();
                outer_product(&runs)
            }
            Wanted::Points(numbers) => {
                let mut chunks: Map<Vec<u64>, Vec<u32>> = Map::new();
                for number in numbers {
                    let lists = self.points.iter().enumerate();
                    let position =
                        lists.map(|(dimension, list)| chunk_of(dimension, list[*number as usize])).collect();
                    chunks.get_or_insert_with(position, Vec::new).push(*number);
                }
                chunks.into_entries().map(|(position, numbers)| (position, Wanted::Points(numbers))).collect()
            }
            // A leaf, which has no chunks in it.
            Wanted::Whole(_) | Wanted::Rows(_) => Vec::new(),
        }
    }
}

impl PlannedChunk {
    fn level(&self) -> Result<&Level> {
        self.chain.level(self.level).ok_or_else(unknown_request)
    }
}

/// All elements of a chunk, at its place in a stack.
fn whole_chunk_projection(shape: &[u64], batch: &BatchSlot) -> Result<Vec<ProjectedAxis>> {
    let axis = |(dimension, extent): (usize, &u64)| {
        let place = if dimension == batch.along { word(batch.slot * extent)? } else { 0 };
        Ok(ProjectedAxis::Range { first: 0, step: 1, count: word(*extent)?, place })
    };
    shape.iter().enumerate().map(axis).collect()
}

/// What each leaf chunk contributes along one dimension of a part, ascending; a chunk that an index list visits again is one entry.
fn leaf_axes(
    projection: &DimensionProjection,
    spans: &Range<u64>,
    grid: &GridDimension,
) -> Result<Vec<LeafAxis>> {
    let part_start = projection.output_range(spans).start;
    let mut leaves: Map<u64, LeafAxis> = Map::new();
    for span in spans.clone().filter_map(|i| projection.span(i)) {
        let place = word(span.output_start - part_start)?;
        match (&span.indices, leaves.get_mut(&span.chunk)) {
            (ChunkIndices::Range { first, step, count }, _) => {
                let step = i32::try_from(*step).unwrap_or(1); // Longer than a chunk: one index only.
                let projection =
                    ProjectedAxis::Range { first: word(*first)?, step, count: word(*count)?, place };
                let origin = grid.chunk_extent(span.chunk).start;
                leaves.insert(span.chunk, LeafAxis { origin, projection });
            }
            (
                ChunkIndices::List(list),
                Some(LeafAxis { projection: ProjectedAxis::List { indices, places }, .. }),
            ) => {
                extend_list(list, place, indices, places)?;
            }
            (ChunkIndices::List(list), _) => {
                let (mut indices, mut places) = (Vec::new(), Vec::new());
                extend_list(list, place, &mut indices, &mut places)?;
                let origin = grid.chunk_extent(span.chunk).start;
                leaves.insert(
                    span.chunk,
                    LeafAxis { origin, projection: ProjectedAxis::List { indices, places } },
                );
            }
        }
    }
    Ok(leaves.into_entries().map(|(_, leaf)| leaf).collect())
}

fn extend_list(list: &[u64], place: u32, indices: &mut Vec<u32>, places: &mut Vec<u32>) -> Result<()> {
    for (within, place) in list.iter().zip(place..) {
        indices.push(word(*within)?);
        places.push(place);
    }
    Ok(())
}

/// Neighbouring entries of one dimension that lie in one chunk of a coarser grid.
fn runs_by_chunk(
    axis: &[LeafAxis],
    range: &Range<usize>,
    chunk_of: &dyn Fn(u64) -> u64,
) -> Vec<(u64, Range<usize>)> {
    let mut runs: Vec<(u64, Range<usize>)> = Vec::new();
    for i in range.clone() {
        let chunk = axis.get(i).map_or(0, |leaf| chunk_of(leaf.origin));
        match runs.last_mut() {
            Some((last, run)) if *last == chunk => run.end = i + 1,
            _ => runs.push((chunk, i..i + 1)),
        }
    }
    runs
}

fn outer_product(runs: &[Vec<(u64, Range<usize>)>]) -> Vec<(Vec<u64>, Wanted)> {
    let mut product = vec![(Vec::new(), Vec::new())];
    for along in runs {
        product = product
            .into_iter()
            .flat_map(|(position, ranges): (Vec<u64>, Vec<Range<usize>>)| {
                along.iter().map(move |(chunk, range)| {
                    let position = position.iter().copied().chain([*chunk]).collect();
                    (position, ranges.iter().cloned().chain([range.clone()]).collect())
                })
            })
            .collect();
    }
    product.into_iter().map(|(position, ranges)| (position, Wanted::Orthogonal(ranges))).collect()
}

/// The outer product of what is taken of rows along each dimension.
fn rows_of_axes(axes: &[Vec<RowAxis>]) -> Vec<WantedAt> {
    let mut product = vec![(Vec::new(), Vec::new())];
    for along in axes {
        let longer = |(starts, projection): &(Vec<u64>, Vec<ProjectedAxis>), row: &RowAxis| {
            (extended(starts, row.start), extended(projection, row.projection.clone()))
        };
        product =
            product.iter().flat_map(|so_far| along.iter().map(move |row| longer(so_far, row))).collect();
    }
    product.into_iter().map(|(starts, projection)| (starts, Wanted::Rows(projection))).collect()
}

fn extended<T: Clone>(list: &[T], next: T) -> Vec<T> {
    list.iter().cloned().chain([next]).collect()
}

fn byte_request(id: usize, planned: &PlannedChunk) -> ByteRequest {
    let sharding = planned.chain.level(planned.level).and_then(|level| level.pipeline.plannable_sharding());
    let range = match (sharding, &planned.bytes) {
        (None, None) => RequestedRange::Whole,
        (None, Some(bytes)) => at(bytes.clone()),
        (Some(sharding), bytes) => index_range(sharding, bytes.as_ref()),
    };
    let (chunk, rows) = (planned.chunk.clone(), planned.rows);
    let origin = match rows {
        Some(_) => planned.origin.iter().copied().chain([u64::MAX]).collect(),
        None => planned.origin.clone(),
    };
    ByteRequest { id, chunk, level: planned.level, range, is_index: sharding.is_some(), origin, rows }
}

/// Where a shard's index stands; a nested shard's length is known from the index above it.
fn index_range(sharding: &Sharding, bytes: Option<&Range<u64>>) -> RequestedRange {
    let len = sharding.index().encoded_len();
    match (sharding.index().location(), bytes) {
        (IndexLocation::Start, None) => at(0..len),
        (IndexLocation::End, None) => RequestedRange::Last(len),
        (IndexLocation::Start, Some(bytes)) => {
            at(bytes.start..bytes.end.min(bytes.start.saturating_add(len)))
        }
        (IndexLocation::End, Some(bytes)) => at(bytes.start.max(bytes.end.saturating_sub(len))..bytes.end),
    }
}

fn at(bytes: Range<u64>) -> RequestedRange {
    RequestedRange::At { offset: bytes.start, len: bytes.end - bytes.start }
}

fn unknown_request() -> Error {
    Error::argument("an answer names a need that the plan does not have")
}
