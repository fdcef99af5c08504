//! What is stored of a selection: the sizes of its chunks and shards, and of the chunks in shards,
//! which the indexes of the shards tell. No chunk is read.
//!
//! The planner of reads finds the indexes, also of nested shards, and what they say; they come from
//! the cache that reads fill, and fill it.

use std::ops::Range;
use std::rc::Rc;

use futures_util::future::try_join_all;

use crate::access::part::PartGrid;
use crate::access::plan::{ByteRequest, PartPlan};
use crate::access::projection::project;
use crate::access::selection::{Selected, Selection, resolve};
use crate::access::within::{ascending, within};
use crate::error::Result;
use crate::format::chunk_grid::GridDimension;
use crate::format::path::StoreKey;
use crate::read::array::Array;
use crate::read::shard_indexes::{IndexDecoding, OptionalIndex, StoredChunk};
use crate::read::touched_chunks::TouchedChunks;
use crate::sorted::Map;
use crate::store::turn::next_turn;
use crate::store::{ByteRange, Measured, RequestContext, Subject};

/// The most inner chunks of a page, unless one shard has more.
const PAGE_CHUNKS: f64 = 65_536.0;

/// The points that are planned at a time.
const POINTS_AT_A_TIME: usize = 4096;

/// What is stored under a key.
pub struct StoredSize {
    /// Index of the chunk or shard along each dimension of the grid of stored objects.
    pub chunk: Vec<u64>,
    /// Its key.
    pub key: StoreKey,
    /// What the store tells of it; `None` if it is absent.
    pub stored: Option<Measured>,
    /// Of a shard, its chunks that have selected elements, in C order.
    pub inner_chunks: Option<Vec<InnerChunkSize>>,
}

/// A chunk in a shard.
pub struct InnerChunkSize {
    /// Its index along each dimension of the grid of chunks.
    pub chunk: Vec<u64>,
    /// Its encoded size in bytes; `None` if it is absent.
    pub bytes: Option<u64>,
}

/// The stored objects that a selection touches, from number `page.start` on, in C order of the
/// grid. There are fewer than `page` has where they are the last ones, or have many inner chunks.
///
/// # Errors
/// `Argument` for a selection outside the array; errors of the store, of binding the codecs and of
/// the indexes of shards. All name the node.
pub async fn stored_sizes(
    array: &Rc<Array>,
    selection: &Selection,
    page: Range<u64>,
    context: &RequestContext,
) -> Result<Vec<StoredSize>> {
    let sizes = sizes_of(array, selection, page, context).await;
    sizes.map_err(|error| error.at_node(array.path().as_str()))
}

async fn sizes_of(
    array: &Rc<Array>,
    selection: &Selection,
    page: Range<u64>,
    context: &RequestContext,
) -> Result<Vec<StoredSize>> {
    let metadata = array.binding().metadata();
    let selected = ascending(resolve(selection, &metadata.shape)?);
    let objects = TouchedChunks::new(&selected, &metadata.chunk_grid.dimensions)?;
    let (mut asked, mut room) = (Vec::new(), PAGE_CHUNKS);
    for i in page {
        let Some(chunk) = objects.chunk(i) else { break };
        let shard = Shard::of(array, &chunk, &selected)?;
        let count = shard.as_ref().map_or(0.0, |shard| shard.touched.count());
        if count > room && !asked.is_empty() {
            break;
        }
        room -= count;
        asked.push(StoredObject::new(array, chunk, context)?.size(shard));
    }
    try_join_all(asked).await
}

/// What is selected of a shard.
struct Shard {
    selected: Selected,
    grid: Vec<GridDimension>,
    touched: TouchedChunks,
}

impl Shard {
    /// `None` for a chunk that is no shard, or whose index the planner cannot read.
    fn of(array: &Array, chunk: &[u64], selected: &Selected) -> Result<Option<Self>> {
        let binding = array.binding();
        if binding.first_chain()?.depth() == 1 {
            return Ok(None);
        }
        let mut bounds = Vec::with_capacity(chunk.len());
        for (at, along) in chunk.iter().zip(&binding.metadata().chunk_grid.dimensions) {
            bounds.push(along.chunk_extent(*at));
        }
        let (selected, grid) = (within(selected, &bounds), binding.leaf_grid()?);
        let touched = TouchedChunks::new(&selected, &grid)?;
        Ok(Some(Self { selected, grid, touched }))
    }

    /// The inner chunks with the sizes that were found.
    fn inner_chunks(&self, sizes: &Map<Vec<u64>, u64>) -> Vec<InnerChunkSize> {
        let mut inner = Vec::new();
        for i in 0.. {
            let Some(chunk) = self.touched.chunk(i) else { break };
            inner.push(InnerChunkSize { bytes: sizes.get(&chunk).copied(), chunk });
        }
        inner
    }

    /// The index in the grid of chunks of the one that starts at an element.
    fn chunk_at(&self, origin: &[u64]) -> Vec<u64> {
        let mut chunk = Vec::with_capacity(origin.len());
        for (start, along) in origin.iter().zip(&self.grid) {
            chunk.push(along.chunk_of(*start));
        }
        chunk
    }
}

/// A chunk or shard that is measured.
struct StoredObject {
    array: Rc<Array>,
    chunk: Vec<u64>,
    key: StoreKey,
    context: RequestContext,
}

impl StoredObject {
    fn new(array: &Rc<Array>, chunk: Vec<u64>, context: &RequestContext) -> Result<Self> {
        let most_bytes = Some(array.binding().most_stored_len(&chunk)?);
        let context = RequestContext { subject: Subject::Chunk, most_bytes, ..context.clone() };
        Ok(Self { array: array.clone(), key: array.chunk_key(&chunk), chunk, context })
    }

    async fn size(self, shard: Option<Shard>) -> Result<StoredSize> {
        let Some(shard) = shard else {
            let stored = self.measured().await?;
            return Ok(StoredSize { chunk: self.chunk, key: self.key, stored, inner_chunks: None });
        };
        let mut sizes = Map::default();
        let index = self.read_indexes(&shard, &mut sizes).await?;
        let stored = match index {
            None => None,
            Some(index) => match index.shard_len {
                Some(size) => Some(Measured { size, modified: index.modified.clone() }),
                None => self.measured().await?,
            },
        };
        let inner_chunks = Some(shard.inner_chunks(&sizes));
        Ok(StoredSize { chunk: self.chunk, key: self.key, stored, inner_chunks })
    }

    async fn measured(&self) -> Result<Option<Measured>> {
        self.array.chunks().measure(&self.key, &self.context).await
    }

    /// Reads the indexes of a shard, and of the shards in it. Returns that of the shard itself.
    async fn read_indexes(&self, shard: &Shard, sizes: &mut Map<Vec<u64>, u64>) -> Result<OptionalIndex> {
        let binding = self.array.binding();
        let mut outer = None;
        match &shard.selected {
            Selected::Orthogonal(axes) => {
                let projections = project(axes, &shard.grid)?;
                let order: Vec<usize> = (0..projections.len()).collect();
                // The sizes of elements do not matter, so parts have as many chunks as they may.
                let parts = PartGrid::grown(&projections, 1, &order, u64::MAX)?;
                for i in 0..parts.count() {
                    let spans = parts.part(i, &projections).spans;
                    let plan = PartPlan::orthogonal(binding, &projections, &spans)?;
                    outer = self.follow(plan, shard, sizes).await?;
                }
            }
            Selected::Points(lists) => {
                let count = lists.first().map_or(0, |list| list.len());
                for start in (0..count).step_by(POINTS_AT_A_TIME) {
                    let end = start.saturating_add(POINTS_AT_A_TIME).min(count);
                    let plan = PartPlan::points(binding, lists, start as u64..end as u64)?;
                    outer = self.follow(plan, shard, sizes).await?;
                }
            }
        }
        Ok(outer)
    }

    /// Answers what a plan asks of indexes, and takes the sizes of the chunks that it finds.
    async fn follow(
        &self,
        mut plan: PartPlan,
        shard: &Shard,
        sizes: &mut Map<Vec<u64>, u64>,
    ) -> Result<OptionalIndex> {
        next_turn().await;
        let mut outer = None;
        loop {
            let mut asked = Vec::new();
            for request in plan.take_requests() {
                match request.range {
                    _ if request.is_index => asked.push(self.index(&plan, request)?),
                    ByteRange::At { len, .. } => {
                        sizes.insert(shard.chunk_at(&request.origin), len);
                    }
                    ByteRange::Whole | ByteRange::Last(_) => {}
                }
            }
            if asked.is_empty() {
                return Ok(outer);
            }
            for (request, found) in try_join_all(asked).await? {
                let Some(found) = found else { continue };
                plan.supply_index(request.id, &found.index)?;
                if request.level == 0 {
                    outer = Some(found);
                }
            }
        }
    }

    /// The index that a plan asks for.
    fn index(
        &self,
        plan: &PartPlan,
        request: ByteRequest,
    ) -> Result<impl Future<Output = Result<(ByteRequest, OptionalIndex)>>> {
        let decoding = IndexDecoding::of(plan, request.id)?;
        let found = async move {
            let stored = StoredChunk { store: self.array.chunks(), key: &self.key };
            let index = self.array.indexes().get(&stored, &request, decoding, &self.context).await?;
            Ok((request, index))
        };
        Ok(found)
    }
}
