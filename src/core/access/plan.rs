//! Step 3, plan: which key, which byte range? The state machine that plans one part.
//!
//! It names the bytes that it needs ([`PartPlan::take_requests`]) and takes the answers
//! ([`PartPlan::supply_index`], [`PartPlan::write_instruction`]). A chunk without a shard is one
//! request. The index of a shard is a request too: its answer adds the requests of the inner
//! chunks. Nested shards repeat this.
//!
//! Nothing here awaits. The driver is in `read`; in a test, ten lines over a map can drive a plan.

use std::ops::Range;
use std::rc::Rc;

use crate::access::binding::{Binding, Chain};
use crate::access::instruction::{ChunkInstruction, ChunkProjection, ProjectedAxis, halves, word};
use crate::access::level::Level;
use crate::access::projection::{DimensionProjection, outer_product};
use crate::access::rows::Rows;
use crate::error::{Error, Result};
use crate::format::byte_range::ByteRange;
use crate::format::chunk_grid::GridDimension;
use crate::format::codec::sharding::{ShardIndex, Sharding};
use crate::limits;
use crate::sorted::Map;

/// A byte range that a plan needs next.
#[derive(Clone, Debug)]
pub struct ByteRequest {
    /// Identifies the request when it is answered.
    pub id: usize,
    /// Indices of the stored chunk in the array's chunk grid.
    pub chunk: Rc<[u64]>,
    /// The level of the chunk, or of the shard that the index belongs to. See
    /// [`Binding`](crate::access::binding).
    pub level: usize,
    /// Which bytes of the stored chunk.
    pub range: ByteRange,
    /// Whether these bytes are a shard index, which the planner reads. Otherwise a decoder reads
    /// them.
    pub is_index: bool,
    /// Array indices where the chunk or shard starts. They identify a leaf chunk within its array.
    /// A request for rows has one more entry, `u64::MAX`, so that no request for a chunk has the
    /// same origin.
    pub origin: Rc<[u64]>,
    /// Set where these bytes are rows of a chunk. See [`rows`](crate::access::rows).
    pub rows: Option<RowsOf>,
}

/// Which kind of chunk rows belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsOf {
    /// A stored chunk of this many bytes. The store may not have it.
    Stored(u64),
    /// An inner chunk of a shard.
    Inner,
}

/// The plan of one part.
pub struct PartPlan {
    binding: Rc<Binding>,
    /// For each dimension, what each leaf chunk contributes, in ascending order. Empty for points.
    axes: Rc<[Vec<LeafAxis>]>,
    /// For points, one list of array indices for each dimension.
    points: Vec<Rc<[u64]>>,
    /// The number of the part's first point in the selection.
    first_point: u64,
    /// The chunks and shards to read. A request's id is an index into this list.
    chunks: Vec<PlannedChunk>,
    /// How many of them have been requested.
    requested: usize,
}

/// Which elements of which leaf chunks a part takes. Two parts with equal projections have the same
/// elements, though they may convert them differently.
#[derive(Clone, PartialEq, Eq)]
pub struct PartProjection(Rc<[Vec<LeafAxis>]>);

impl PartProjection {
    /// Whether the part takes at least as many elements along each dimension, from the leaf chunk
    /// that starts at `origin`, as `projection` does.
    pub fn takes(&self, origin: &[u64], projection: &[ProjectedAxis]) -> bool {
        let mut wanted = self.0.iter().zip(origin.iter().zip(projection));
        wanted.all(|(axis, (origin, projection))| {
            let found = axis.binary_search_by_key(origin, |leaf| leaf.origin).ok();
            found
                .and_then(|at| axis.get(at))
                .is_some_and(|leaf| leaf.projection.count() >= projection.count())
        })
    }

    /// Serialises it as 32-bit words. Different projections have different words.
    ///
    /// # Errors
    /// `Limit` for a list of 2^32 entries or more.
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

/// A chunk or shard that the part needs, with the elements that it takes.
#[derive(Clone)]
struct PlannedChunk {
    /// Indices of the stored chunk in the array's chunk grid.
    chunk: Rc<[u64]>,
    chain: Rc<Chain>,
    level: usize,
    /// Array indices where this chunk starts.
    origin: Rc<[u64]>,
    /// Its byte range in the stored chunk. `None` for the whole stored chunk.
    bytes: Option<Range<u64>>,
    rows: Option<RowsOf>,
    wanted: Wanted,
}

/// The elements that a part takes from a chunk or shard.
#[derive(Clone)]
enum Wanted {
    /// A range of `PartPlan::axes` along each dimension.
    Orthogonal(Vec<Range<usize>>),
    /// Numbers of points in the selection.
    Points(Vec<u32>),
    /// All of a leaf chunk, as a member of a batch.
    Whole(BatchSlot),
    /// Elements of some rows of a leaf chunk.
    Rows(Vec<ProjectedAxis>),
}

/// The elements wanted of a box, with the position or the start of the box within its chunk.
type WantedAt = (Vec<u64>, Wanted);

/// The position of a whole chunk in a batch.
#[derive(Clone, Copy)]
struct BatchSlot {
    /// The number of chunks before it.
    slot: u64,
    /// The dimension along which the chunks of the batch are concatenated.
    along: usize,
}

impl PartPlan {
    /// Plans a part of an orthogonal selection: `spans` of each dimension's projection. Takes time
    /// and a few hundred bytes for each stored chunk: the product of the numbers of chunks along
    /// all dimensions. Parts bound it (see `access::part`).
    ///
    /// # Errors
    /// As binding the array's codecs; `Limit` for a chunk that cannot be addressed.
    pub fn orthogonal(
        binding: &Rc<Binding>,
        projections: &[DimensionProjection],
        spans: &[Range<u64>],
    ) -> Result<Self> {
        let grid = binding.leaf_grid()?;
        let (mut axes, mut all) = (Vec::new(), Vec::new());
        for ((projection, spans), grid) in projections.iter().zip(spans).zip(&grid) {
            let leaves = leaf_axes(projection, spans, grid)?;
            all.push(0..leaves.len());
            axes.push(leaves);
        }
        let mut plan = Self::empty(binding, axes);
        plan.add_outer(Wanted::Orthogonal(all))?;
        Ok(plan)
    }

    /// Plans the points number `range` of a selection of points. `points` has one list for each
    /// dimension, which is shared, not copied. Takes p log c steps for p points in c chunks.
    ///
    /// # Errors
    /// As [`orthogonal`](Self::orthogonal).
    pub fn points(binding: &Rc<Binding>, points: &[Rc<[u64]>], range: Range<u64>) -> Result<Self> {
        let mut plan = Self::empty(binding, Vec::new());
        plan.points = points.to_vec();
        plan.first_point = range.start;
        let mut numbers = Vec::new();
        for number in range {
            numbers.push(word(number)?);
        }
        plan.add_outer(Wanted::Points(numbers))?;
        Ok(plan)
    }

    fn empty(binding: &Rc<Binding>, axes: Vec<Vec<LeafAxis>>) -> Self {
        let (points, chunks, axes) = (Vec::new(), Vec::new(), axes.into());
        Self { binding: binding.clone(), axes, points, first_point: 0, chunks, requested: 0 }
    }

    /// Which elements of which chunks the part takes. `None` for points.
    pub fn projection(&self) -> Option<PartProjection> {
        self.points.is_empty().then(|| PartProjection(self.axes.clone()))
    }

    /// The stored chunks that the part needs, once for each planned chunk in them.
    pub fn touched(&self) -> impl Iterator<Item = &Rc<[u64]>> {
        self.chunks.iter().map(|planned| &planned.chunk)
    }

    /// Takes the requests that were added since the last call. It is empty when no answer since
    /// then has added any. Takes time and memory for each new request; those of before cost
    /// nothing.
    pub fn take_requests(&mut self) -> Vec<ByteRequest> {
        let first = self.requested;
        self.requested = self.chunks.len();
        let mut requests = Vec::new();
        for (id, planned) in self.chunks.iter().enumerate().skip(first) {
            requests.push(byte_request(id, planned));
        }
        requests
    }

    /// The sharding codec of the shard index that request `id` is for.
    ///
    /// # Errors
    /// `Argument` when the request is not for a shard index.
    pub fn sharding(&self, id: usize) -> Result<&Sharding> {
        let level = self.chunks.get(id).and_then(|planned| planned.chain.level(planned.level));
        level.and_then(|level| level.pipeline.plannable_sharding()).ok_or_else(unknown_request)
    }

    /// The length in bytes of the nested shard whose index request `id` is for. `None` for a shard
    /// that is not nested.
    #[allow(clippy::arithmetic_side_effects, reason = "an index has checked the ends of its byte ranges")]
    pub fn nested_len(&self, id: usize) -> Option<u64> {
        let bytes = self.chunks.get(id)?.bytes.as_ref()?;
        Some(bytes.end - bytes.start)
    }

    /// Answers the request of a shard index. The caller leaves requests of absent shards
    /// unanswered: all their elements are fill value. Takes time and a few hundred bytes for each
    /// inner chunk that has wanted elements, not for each that the shard has.
    ///
    /// # Errors
    /// `Format` for an index that has too few entries.
    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        reason = "the wanted elements, which are in the array, are in this inner chunk"
    )]
    pub fn supply_index(&mut self, id: usize, index: &ShardIndex) -> Result<()> {
        let planned = self.chunks.get(id).cloned().ok_or_else(unknown_request)?;
        let base = planned.bytes.as_ref().map_or(0, |bytes| bytes.start);
        let child = planned.chain.level(planned.level + 1).ok_or_else(unknown_request)?;
        let grid = self.sharding(id)?.grid().to_vec();
        for (position, wanted) in self.divide(&planned, child) {
            let linear = child.index_in_shard(&position, &grid)?;
            let Some(bytes) = index.get(linear)? else { continue };
            let mut origin = planned.origin.to_vec();
            for (start, (position, extent)) in origin.iter_mut().zip(position.iter().zip(&child.shape)) {
                *start += position * extent;
            }
            let bytes = Some(base.saturating_add(bytes.start)..base.saturating_add(bytes.end));
            let (chunk, chain, level) = (planned.chunk.clone(), planned.chain.clone(), planned.level + 1);
            let origin = origin.into();
            self.chunks.push(PlannedChunk { chunk, chain, level, origin, bytes, rows: None, wanted });
        }
        Ok(())
    }

    /// Answers the request of a chunk whose bytes are at `bytes` of buffer number `buffer`: appends
    /// the instruction for the decoder to `table`. The caller leaves requests of absent chunks
    /// unanswered. Appends a few words for each dimension, and one or two for
    /// each element of an index list and each point.
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

    /// The projection of a leaf chunk, where it is a range with even steps along each dimension.
    pub fn projection_box(&self, id: usize) -> Option<Vec<ProjectedAxis>> {
        let axes = match &self.chunks.get(id)?.wanted {
            Wanted::Orthogonal(ranges) => self.projected_axes(ranges),
            Wanted::Rows(axes) => axes.clone(),
            Wanted::Points(_) | Wanted::Whole(_) => return None,
        };
        let mut ranges = Vec::with_capacity(axes.len());
        for axis in axes {
            ranges.push(axis.into_range()?);
        }
        Some(ranges)
    }

    /// Replaces the request of a leaf chunk by requests of the rows that have the wanted elements.
    /// The caller answers those instead.
    ///
    /// Returns `false`, and changes nothing, where the chunk cannot be read by rows or the rows
    /// would be most of it.
    ///
    /// # Errors
    /// `Argument` when the plan has no such request.
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "the rows are in the chunk, and the chunk is in its shard or value"
    )]
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
            let mut origin = planned.origin.to_vec();
            for (origin, start) in origin.iter_mut().zip(&starts) {
                *origin += start;
            }
            let (origin, level, rows) = (origin.into(), planned.level + 1, Some(whole));
            self.chunks.push(PlannedChunk { level, origin, bytes, rows, wanted, ..planned.clone() });
        }
        Ok(true)
    }

    /// The rows that have the wanted elements of a leaf chunk. `None` where they are most of the
    /// chunk.
    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        reason = "`number` is of a point, and the point is in the chunk"
    )]
    fn rows_of(&self, planned: &PlannedChunk, rows: &Rows) -> Result<Option<Vec<WantedAt>>> {
        match &planned.wanted {
            Wanted::Orthogonal(ranges) => {
                let (mut axes, mut count) = (Vec::new(), 1_u64);
                for (dimension, projection) in self.projected_axes(ranges).iter().enumerate() {
                    let divided = rows.divide(dimension, projection)?;
                    count = count.saturating_mul(divided.len() as u64);
                    axes.push(divided);
                }
                Ok(rows.are_few(count).then(|| outer_wanted(&axes, Wanted::Rows)))
            }
            Wanted::Points(numbers) => {
                let found = self.points_by(numbers, &|dimension, index| {
                    rows.start_of(dimension, index - planned.origin[dimension])
                });
                Ok(rows.are_few(found.len() as u64).then_some(found))
            }
            Wanted::Whole(_) | Wanted::Rows(_) => Ok(None),
        }
    }

    /// The shape and the codecs of the leaf chunk of request `id`.
    ///
    /// # Errors
    /// `Argument` when the plan has no such request.
    pub fn leaf(&self, id: usize) -> Result<&Level> {
        self.chunks.get(id).ok_or_else(unknown_request)?.level()
    }

    /// A plan that decodes these leaf chunks whole and concatenates them along one dimension.
    ///
    /// All must have the same shape.
    ///
    /// # Errors
    /// `Argument` when the plan has no such request.
    pub fn batch(&self, ids: &[usize], along: usize) -> Result<Self> {
        let mut plan = Self::empty(&self.binding, Vec::new());
        for (id, slot) in ids.iter().zip(0..) {
            let planned = self.chunks.get(*id).ok_or_else(unknown_request)?;
            plan.chunks
                .push(PlannedChunk { wanted: Wanted::Whole(BatchSlot { slot, along }), ..planned.clone() });
        }
        Ok(plan)
    }

    /// The projection of a leaf chunk: its range along each dimension has exactly one entry.
    fn projected_axes(&self, ranges: &[Range<usize>]) -> Vec<ProjectedAxis> {
        let mut projected = Vec::with_capacity(ranges.len());
        for (axis, range) in self.axes.iter().zip(ranges) {
            if let Some(leaf) = axis.get(range.start) {
                projected.push(leaf.projection.clone());
            }
        }
        projected
    }

    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        reason = "`numbers` are of points of this part, and the points are in the chunk"
    )]
    fn projected_points(&self, planned: &PlannedChunk, numbers: &[u32]) -> Result<ChunkProjection> {
        let (mut indices, mut places) = (Vec::new(), Vec::with_capacity(numbers.len()));
        for (list, origin) in self.points.iter().zip(planned.origin.iter()) {
            let mut along = Vec::with_capacity(numbers.len());
            for number in numbers {
                along.push(word(list[*number as usize] - origin)?);
            }
            indices.push(along);
        }
        for number in numbers {
            places.push(word(u64::from(*number) - self.first_point)?);
        }
        Ok(ChunkProjection::Points { indices, places })
    }

    /// Adds the stored chunks that have the wanted elements.
    fn add_outer(&mut self, wanted: Wanted) -> Result<()> {
        let grid = self.binding.metadata().chunk_grid.clone();
        let chunk_of = |dimension: usize, index: u64| {
            grid.dimensions.get(dimension).map_or(0, |along: &GridDimension| along.chunk_of(index))
        };
        for (position, wanted) in self.split(&wanted, &chunk_of) {
            let chain = self.binding.chain_of(&position)?;
            let mut origin = Vec::with_capacity(position.len());
            for (chunk, along) in position.iter().zip(&grid.dimensions) {
                origin.push(along.chunk_extent(*chunk).start);
            }
            limits::reserve(&mut self.chunks, 1, "plan")?;
            let (chunk, origin, bytes, rows) = (position.into(), origin.into(), None, None);
            self.chunks.push(PlannedChunk { chunk, chain, level: 0, origin, bytes, rows, wanted });
        }
        Ok(())
    }

    /// The inner chunks that have the wanted elements of a shard, by their position in it.
    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        reason = "the wanted elements are in the shard"
    )]
    fn divide(&self, planned: &PlannedChunk, child: &Level) -> Vec<WantedAt> {
        self.split(&planned.wanted, &|dimension, index| {
            (index - planned.origin[dimension]) / child.shape[dimension].max(1)
        })
    }

    /// Sorts the wanted elements by the chunk that `chunk_of` names for a dimension and an array
    /// index.
    fn split(&self, wanted: &Wanted, chunk_of: &dyn Fn(usize, u64) -> u64) -> Vec<WantedAt> {
        match wanted {
            Wanted::Orthogonal(ranges) => {
                let mut runs = Vec::with_capacity(ranges.len());
                for (dimension, (axis, range)) in self.axes.iter().zip(ranges).enumerate() {
                    runs.push(runs_by_chunk(axis, range, &|i| chunk_of(dimension, i)));
                }
                outer_wanted(&runs, Wanted::Orthogonal)
            }
            Wanted::Points(numbers) => self.points_by(numbers, chunk_of),
            // Leaf chunks have no chunks in them.
            Wanted::Whole(_) | Wanted::Rows(_) => Vec::new(),
        }
    }

    /// Sorts points by the position that `of` gives for a dimension and an array index.
    #[allow(clippy::indexing_slicing, reason = "`numbers` are of points of this part")]
    fn points_by(&self, numbers: &[u32], of: &dyn Fn(usize, u64) -> u64) -> Vec<WantedAt> {
        let mut found: Map<Vec<u64>, Vec<u32>> = Map::new();
        for number in numbers {
            let mut position = Vec::with_capacity(self.points.len());
            for (dimension, list) in self.points.iter().enumerate() {
                position.push(of(dimension, list[*number as usize]));
            }
            found.get_or_insert_with(position, Vec::new).push(*number);
        }
        let mut sorted = Vec::with_capacity(found.len());
        for (position, numbers) in found.into_entries() {
            sorted.push((position, Wanted::Points(numbers)));
        }
        sorted
    }
}

/// Every combination of one entry for each dimension, in C order.
fn outer_wanted<T: Clone>(axes: &[Vec<(u64, T)>], wanted: fn(Vec<T>) -> Wanted) -> Vec<WantedAt> {
    let mut all = Vec::new();
    for (position, entries) in outer_product(axes) {
        all.push((position, wanted(entries)));
    }
    all
}

impl PlannedChunk {
    fn level(&self) -> Result<&Level> {
        self.chain.level(self.level).ok_or_else(unknown_request)
    }
}

/// The projection of all elements of a chunk onto its position in a batch.
#[allow(clippy::arithmetic_side_effects, reason = "`PartBuffer` has checked the length of the whole batch")]
fn whole_chunk_projection(shape: &[u64], batch: &BatchSlot) -> Result<Vec<ProjectedAxis>> {
    let mut axes = Vec::with_capacity(shape.len());
    for (dimension, extent) in shape.iter().enumerate() {
        let place = if dimension == batch.along { word(batch.slot * extent)? } else { 0 };
        axes.push(ProjectedAxis::Range { first: 0, step: 1, count: word(*extent)?, place });
    }
    Ok(axes)
}

/// What each leaf chunk contributes along one dimension of a part, in ascending order.
fn leaf_axes(
    projection: &DimensionProjection,
    spans: &Range<u64>,
    grid: &GridDimension,
) -> Result<Vec<LeafAxis>> {
    let mut leaves = Vec::new();
    for (chunk, projection) in projection.by_chunk(spans.clone())? {
        leaves.push(LeafAxis { origin: grid.chunk_extent(chunk).start, projection });
    }
    Ok(leaves)
}

/// Runs of neighbouring entries of one dimension that lie in the same chunk of a coarser grid.
#[allow(clippy::arithmetic_side_effects, reason = "`i` is below the end of a range")]
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

fn byte_request(id: usize, planned: &PlannedChunk) -> ByteRequest {
    let sharding = planned.chain.level(planned.level).and_then(|level| level.pipeline.plannable_sharding());
    let range = match (sharding, &planned.bytes) {
        (None, None) => ByteRange::Whole,
        (None, Some(bytes)) => ByteRange::from(bytes.clone()),
        (Some(sharding), bytes) => sharding.index().range_in(bytes.as_ref()),
    };
    let (chunk, rows) = (planned.chunk.clone(), planned.rows);
    let mut origin = planned.origin.to_vec();
    if rows.is_some() {
        origin.push(u64::MAX);
    }
    let origin = origin.into();
    ByteRequest { id, chunk, level: planned.level, range, is_index: sharding.is_some(), origin, rows }
}

fn unknown_request() -> Error {
    Error::argument("an answer is for a byte request that the plan has not made")
}
