//! Shards that are fetched whole. Because the index comes with the shard, one round trip replaces
//! two or three.
//!
//! A shard is fetched whole if the read needs at least half of its inner chunks, or if the shard is
//! small. All shards of the read together must be small enough to be held until it ends. Typical
//! are the upper levels of a pyramid. Shards whose index is cached are never fetched whole.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::FutureExt;

use crate::access::projection::DimensionProjection;
use crate::error::{Error, Result};
use crate::format::codec::sharding::index::ShardIndexFormat;
use crate::limits;
use crate::read::array::Array;
use crate::read::shard_indexes::FoundIndex;
use crate::sorted::Map;
use crate::store::{ByteRange, FetchResult, LocalFuture, RequestContext, SharedFuture};

/// Limit of the decoded bytes of all whole shards of a read.
const HELD_BYTES: u64 = 16 << 20;

/// Shards of up to this many decoded bytes are fetched whole even for one inner chunk.
const SMALL_BYTES: u64 = 64 << 10;

/// A stored shard in flight or fetched; `None` if it is absent.
type Shard = SharedFuture<FetchResult>;

/// The whole shards of one read.
#[derive(Default)]
pub(super) struct WholeShards {
    by_chunk: RefCell<Map<Rc<[u64]>, Shard>>,
}

/// What a read needs of the shards along one dimension, or along all.
struct ShardCounts {
    /// Number of shards that the read touches.
    shards: u64,
    /// Number of inner chunks that the read touches.
    needed: u64,
    /// Number of inner chunks in these shards.
    present: u64,
}

impl WholeShards {
    /// Decides whether to fetch whole shards for a read of these inner chunks; `None` means no.
    pub fn for_read(array: &Array, projections: &[DimensionProjection]) -> Result<Option<Rc<Self>>> {
        let binding = array.binding();
        let chain = binding.first_chain()?;
        let (Some(shard), 2) = (chain.level(0), chain.depth()) else { return Ok(None) };
        // Only for stores whose chunks may be cached: the others are local, or may change. Shards
        // of different shapes are not counted.
        let is_uniform = binding.metadata().chunk_grid.is_uniform();
        if !array.chunks().is_cacheable() || !is_uniform {
            return Ok(None);
        }
        let (inner, outer) = (&chain.leaf()?.shape, &shard.shape);
        let mut total = ShardCounts { shards: 1, needed: 1, present: 1 };
        for (axis, projection) in projections.iter().enumerate() {
            let extents = (binding.metadata().shape.get(axis), inner.get(axis), outer.get(axis));
            let (Some(len), Some(inner), Some(outer)) = extents else { return Ok(None) };
            let along = along(projection, *len, *inner, *outer);
            total.shards = total.shards.saturating_mul(along.shards);
            total.needed = total.needed.saturating_mul(along.needed);
            total.present = total.present.saturating_mul(along.present);
        }
        let element_size = binding.element_size().max(1) as u64;
        let bytes = outer.iter().fold(element_size, |bytes, extent| bytes.saturating_mul(*extent));
        let held = bytes.saturating_mul(total.shards);
        let is_worth =
            total.needed > 0 && (total.needed >= total.present.div_ceil(2) || bytes <= SMALL_BYTES);
        Ok((is_worth && held <= HELD_BYTES).then(Rc::default))
    }

    /// The index of a shard, which is fetched together with the shard.
    ///
    /// # Errors
    /// Errors of the store and of the index codecs; `Format` for a shard that is shorter than its
    /// index.
    pub async fn index(
        &self,
        array: &Rc<Array>,
        chunk: &Rc<[u64]>,
        format: &ShardIndexFormat,
        context: &RequestContext,
    ) -> Result<Option<FoundIndex>> {
        let key = array.chunk_key(chunk);
        let found = async {
            let Some(shard) = self.fetch(array, chunk, context).await? else { return Ok(None) };
            let len = shard.value.len();
            let bytes = shard.value.slice(format.byte_range_in(len)?)?;
            let index = format.decode(&bytes.to_vec(limits::SHARD_INDEX_BYTES, "shard index")?, Some(len))?;
            Ok(Some(FoundIndex {
                index,
                shard_len: Some(len),
                version: shard.version,
                #[cfg(feature = "reading")]
                modified: shard.modified,
            }))
        };
        found.await.map_err(|error: Error| error.at_key(key.as_str()))
    }

    /// A shard that was fetched or is in flight.
    pub fn shard(&self, chunk: &Rc<[u64]>) -> Option<Shard> {
        self.by_chunk.borrow().get(chunk).cloned()
    }

    /// Drops a shard that has changed.
    pub fn forget(&self, chunk: &Rc<[u64]>) {
        self.by_chunk.borrow_mut().remove(chunk);
    }

    fn fetch(&self, array: &Rc<Array>, chunk: &Rc<[u64]>, context: &RequestContext) -> Shard {
        let mut shards = self.by_chunk.borrow_mut();
        let begin = || {
            let (array, chunk, context) = (array.clone(), chunk.clone(), context.clone());
            let fetch: LocalFuture<'static, FetchResult> = Box::pin(async move {
                let key = array.chunk_key(&chunk);
                array.chunks().get(&key, ByteRange::Whole, &context).await
            });
            fetch.shared()
        };
        shards.get_or_insert_with(chunk.clone(), begin).clone()
    }
}

/// The counts along one dimension. The chunk grid is regular.
fn along(projection: &DimensionProjection, len: u64, inner: u64, outer: u64) -> ShardCounts {
    let ends = projection.span(0).zip(projection.span(projection.span_count().saturating_sub(1)));
    let Some((first, last)) = ends else { return ShardCounts { shards: 0, needed: 0, present: 0 } };
    let in_shard = outer.div_ceil(inner.max(1)).max(1);
    let (low, high) = (first.chunk.min(last.chunk), first.chunk.max(last.chunk));
    let shards = high / in_shard - low / in_shard + 1;
    let present = shards.saturating_mul(in_shard).min(len.div_ceil(inner.max(1)));
    ShardCounts { shards, needed: projection.span_count(), present }
}
