//! Changes the shape of an array, and appends to an array.
//!
//! Growing never shows old data: elements past the old end, in the chunks there, become fill value
//! first. Shrinking erases the chunks outside the new shape, inner chunks of shards too, and then
//! sets the elements past the new end to fill value. The metadata is written in between, so that an
//! interruption leaves the old array or the new one.

use std::rc::Rc;

use futures_util::stream::{self, StreamExt, TryStreamExt};

use crate::access::chunk_update::{Change, ChunkUpdate};
use crate::access::selection::{DimensionSelection, Selection};
use crate::error::{Error, Result};
use crate::format::chunk_grid::unravel;
use crate::format::codec::sharding::ChunkOrder;
use crate::format::metadata::document::NodeDocument;
use crate::format::metadata::write::edit;
use crate::format::path::{NodePath, StoreKey};
use crate::hierarchy::documents::{self, ChangedNodes};
use crate::hierarchy::erase_keys::{BLIND_KEYS, IN_FLIGHT, erase_keys};
use crate::limits;
use crate::read::array::Array;
use crate::store::{RequestContext, Value};
use crate::write::chunk_writer::ChunkWriter;
use crate::write::encoder::Encoder;
use crate::write::types::ChunkChange;
use crate::write::{WriteProgress, WriteRequest, WriteSource, write};

/// Up to this many chunks are erased without listing which exist.
const UNASKED_KEYS: u64 = 4096;

/// Changes an array's shape. Returns the array with its new shape.
///
/// # Errors
/// `Argument` for another rank or a shape that the chunk grid cannot cover, `Limit` for too many
/// chunks to erase in a store that cannot list, and as codecs and store.
pub async fn resize(
    array: &Rc<Array>,
    shape: &[u64],
    encoder: &dyn Encoder,
    context: &RequestContext,
) -> Result<Rc<Array>> {
    let resized = try_resize(array, shape, encoder, context).await;
    resized.map_err(|error| error.at_node(array.path().as_str()))
}

async fn try_resize(
    array: &Rc<Array>,
    shape: &[u64],
    encoder: &dyn Encoder,
    context: &RequestContext,
) -> Result<Rc<Array>> {
    let _held = documents::lock(array.store(), array.path()).await;
    let old = current(array, context).await?;
    let old_shape = old.binding().metadata().shape.clone();
    let new = with_shape(&old, shape)?;
    let outside = ChunksOutside::new(&old, &new)?;
    let grown: Vec<usize> = (0..shape.len()).filter(|d| shape[*d] > old_shape[*d]).collect();
    let shrunk: Vec<usize> = (0..shape.len()).filter(|d| shape[*d] < old_shape[*d]).collect();
    clip_edges(&old, &grown, encoder, context).await?;
    save(&new, context).await?;
    outside.erase(&new).await?;
    clip_edges(&new, &shrunk, encoder, context).await?;
    Ok(new)
}

/// What to append to an array.
#[derive(Clone, Debug)]
pub struct Appended {
    /// The dimension to append along.
    pub axis: usize,
    /// The number of indices to add along that dimension.
    pub len: u64,
    /// The elements to append. Their shape is that of the array, with `len` along the axis.
    pub source: WriteSource,
    /// Whether to store chunks that have only the fill value.
    pub keep_empty_chunks: bool,
    /// The order of inner chunks in a shard.
    pub chunk_order: ChunkOrder,
}

/// Makes an array longer and writes the new elements. Returns the longer array.
///
/// The new shape is written last: a reader never sees half of the new elements. When two calls
/// append at once, the second appends to the result of the first.
///
/// # Errors
/// `Argument` for an axis that the array has not and elements that do not fill the new part, and as
/// [`write`].
pub async fn append(
    array: &Rc<Array>,
    appended: &Appended,
    encoder: &dyn Encoder,
    progress: &dyn Fn(&WriteProgress),
    context: &RequestContext,
) -> Result<Rc<Array>> {
    let longer = try_append(array, appended, encoder, progress, context).await;
    longer.map_err(|error| error.at_node(array.path().as_str()))
}

async fn try_append(
    array: &Rc<Array>,
    appended: &Appended,
    encoder: &dyn Encoder,
    progress: &dyn Fn(&WriteProgress),
    context: &RequestContext,
) -> Result<Rc<Array>> {
    let _held = documents::lock(array.store(), array.path()).await;
    let old = current(array, context).await?;
    let mut shape = old.binding().metadata().shape.clone();
    let rank = shape.len();
    let Some(extent) = shape.get_mut(appended.axis) else {
        let error = Error::argument("the array does not have the dimension to append along");
        return Err(error.expected(format!("below {rank}")).actual(appended.axis.to_string()));
    };
    let too_long = || limits::exceeded("extent of an array", appended.len, i64::MAX.unsigned_abs());
    let start = i64::try_from(*extent).map_err(|_| too_long())?;
    *extent = extent.checked_add(appended.len).ok_or_else(too_long)?;
    let new = with_shape(&old, &shape)?;
    clip_edges(&old, &[appended.axis], encoder, context).await?;
    let mut entries = vec![DimensionSelection::All; rank];
    entries[appended.axis] = DimensionSelection::Slice { start: Some(start), stop: None, step: None };
    let request = WriteRequest {
        selection: Selection::Orthogonal(entries),
        source: appended.source.clone(),
        keep_empty_chunks: appended.keep_empty_chunks,
        chunk_order: appended.chunk_order,
    };
    if let Err(error) = write(&new, &request, encoder, progress, context).await {
        // The chunks that were written lie past the end. They are erased as far as the store
        // allows.
        if let Ok(outside) = ChunksOutside::new(&new, &old) {
            let _ = outside.erase(&old).await;
        }
        let _ = clip_edges(&old, &[appended.axis], encoder, context).await;
        return Err(error);
    }
    save(&new, context).await?;
    Ok(new)
}

/// The array as its documents in the store describe it now.
async fn current(array: &Rc<Array>, context: &RequestContext) -> Result<Rc<Array>> {
    let format = Some(array.document().format);
    let opened = documents::reopen(array.store(), array.path(), format, context).await?;
    array.by(opened.document)
}

fn with_shape(array: &Rc<Array>, shape: &[u64]) -> Result<Rc<Array>> {
    let metadata = array.binding().metadata();
    if metadata.shape.len() != shape.len() {
        let error = Error::argument("the new shape has another number of dimensions");
        return Err(error
            .expected(format!("{} dimensions", metadata.shape.len()))
            .actual(format!("{shape:?}")));
    }
    let document: NodeDocument = edit::with_shape(array.document(), shape)?;
    // The array's own grid was valid, so an error is the new shape's.
    array.by(document).map_err(Error::into_argument)
}

async fn save(array: &Rc<Array>, context: &RequestContext) -> Result<()> {
    let (store, path) = (array.store(), array.path());
    documents::save(store, path, array.document()).await?;
    let changed = ChangedNodes { removed: Vec::new(), set: vec![(path.clone(), array.document().clone())] };
    documents::record(store, path, array.document().format, &changed, context).await
}

/// Sets the elements past the array's end, along these dimensions, to fill value. Only the chunks
/// that the end cuts have such elements.
async fn clip_edges(
    array: &Rc<Array>,
    dimensions: &[usize],
    encoder: &dyn Encoder,
    context: &RequestContext,
) -> Result<()> {
    let metadata = array.binding().metadata();
    let grid = metadata.chunk_grid.grid_shape(&metadata.shape);
    let writer = ChunkWriter::new(array, encoder, context);
    let mut boxes = Vec::new();
    let mut ranges: Vec<std::ops::Range<u64>> = grid.iter().map(|count| 0..*count).collect();
    for &dimension in dimensions {
        let (along, len) = (&metadata.chunk_grid.dimensions[dimension], metadata.shape[dimension]);
        let last = grid[dimension].saturating_sub(1);
        if len > 0 && along.chunk_extent(last).end > len {
            let mut edge = ranges.clone();
            edge[dimension] = last..last + 1;
            boxes.push(edge);
            // Later dimensions skip these chunks: they are done.
            ranges[dimension] = 0..last;
        }
    }
    for edge in boxes {
        let changes = in_box(edge)?.map(|chunk| clip(array, &writer, chunk));
        stream::iter(changes).buffer_unordered(IN_FLIGHT).try_collect::<()>().await?;
    }
    Ok(())
}

async fn clip(array: &Rc<Array>, writer: &ChunkWriter<'_>, chunk: Vec<u64>) -> Result<()> {
    let inside = crate::access::write_plan::inside(array.binding(), &chunk);
    let update = ChunkUpdate { chunk, change: Change::Clip(inside), keep_empty: false, order: ChunkOrder::C };
    let change = ChunkChange { update, elements: Value::from(Vec::new()), covers: false };
    writer.change(change).await.map(drop)
}

/// The chunks that the old array has and the new array does not.
struct ChunksOutside {
    old: Vec<u64>,
    new: Vec<u64>,
    count: u64,
}

impl ChunksOutside {
    fn new(old: &Array, new: &Array) -> Result<Self> {
        let grid = |array: &Array| {
            let metadata = array.binding().metadata();
            metadata.chunk_grid.grid_shape(&metadata.shape)
        };
        let (old_grid, new_grid) = (grid(old), grid(new));
        let both = old_grid.iter().zip(&new_grid).map(|(old, new)| *old.min(new));
        let both: u128 = both.map(u128::from).product();
        let all = old_grid.iter().map(|count| u128::from(*count)).try_fold(1, u128::checked_mul);
        let count = all.map_or(u64::MAX, |all| u64::try_from(all - both.min(all)).unwrap_or(u64::MAX));
        if !old.chunks().capabilities().listable {
            limits::within(count, BLIND_KEYS, "number of chunks to erase in a store that cannot list")?;
        }
        Ok(Self { old: old_grid, new: new_grid, count })
    }

    async fn erase(&self, array: &Rc<Array>) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        if self.count > UNASKED_KEYS && array.chunks().capabilities().listable {
            return erase_keys(array.chunks(), self.stored(array).await?).await;
        }
        for dimension in 0..self.old.len() {
            let along = |at: usize| match at.cmp(&dimension) {
                std::cmp::Ordering::Less => 0..self.new[at].min(self.old[at]),
                std::cmp::Ordering::Equal => self.new[at].min(self.old[at])..self.old[at],
                std::cmp::Ordering::Greater => 0..self.old[at],
            };
            let chunks = in_box((0..self.old.len()).map(along).collect())?;
            erase_keys(array.chunks(), chunks.map(|chunk| array.chunk_key(&chunk))).await?;
        }
        Ok(())
    }

    /// The keys of those that the store has.
    async fn stored(&self, array: &Array) -> Result<Vec<StoreKey>> {
        let encoding = &array.binding().metadata().chunk_key_encoding;
        let prefix = array.chunk_prefix();
        let keys = array.chunks().list_prefix(&prefix).await?;
        Ok(keys
            .into_iter()
            .filter(|key| {
                let chunk = relative(key, &prefix).and_then(|key| encoding.decode(key, self.new.len()));
                chunk.is_some_and(|chunk| chunk.iter().zip(&self.new).any(|(at, count)| at >= count))
            })
            .collect())
    }
}

fn relative<'a>(key: &'a StoreKey, path: &NodePath) -> Option<&'a str> {
    let rest = key.as_str().strip_prefix(path.as_str())?;
    if path.is_root() { Some(rest) } else { rest.strip_prefix('/') }
}

/// All positions in a box, in C order.
fn in_box(ranges: Vec<std::ops::Range<u64>>) -> Result<impl Iterator<Item = Vec<u64>>> {
    let shape: Vec<u64> = ranges.iter().map(|range| range.end.saturating_sub(range.start)).collect();
    let count = limits::product(shape.iter().copied(), "number of chunks")?;
    Ok((0..count).map(move |linear| {
        unravel(linear, &shape).iter().zip(&ranges).map(|(at, range)| at + range.start).collect()
    }))
}
