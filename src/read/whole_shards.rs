//! Shards that are fetched whole: their index is in them, so that two round trips, or three, are one.
//!
//! For reads that want at least half of the inner chunks of shards that are small enough to be held until the read ends, such as the
//! upper levels of a pyramid. Deliberately not for shards whose index is known already, nor for what a larger read streams by.

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
use crate::store::flights::Flight;
use crate::store::gather::Answer;
use crate::store::{ByteRange, LocalFuture, RequestContext};

/// Shards are held up to about so many decoded bytes.
const HELD_BYTES: u64 = 16 << 20;

/// So little is fetched whole whatever is wanted of it.
const SMALL_BYTES: u64 = 64 << 10;

/// A stored shard, or nothing where it is absent.
type Shard = Flight<Answer>;

/// The shards of one read.
#[derive(Default)]
pub(super) struct WholeShards {
    by_chunk: RefCell<Map<Rc<[u64]>, Shard>>,
}

/// What a read wants of the shards along one dimension.
struct Along {
    shards: u64,
    /// Inner chunks that are touched, and all that these shards have.
    wanted: u64,
    there: u64,
}

impl WholeShards {
    /// For a read of these inner chunks; `None` where whole shards are not worth their bytes.
    pub fn for_read(array: &Array, projections: &[DimensionProjection]) -> Result<Option<Rc<Self>>> {
        let binding = array.binding();
        let chain = binding.first_chain()?;
        let (Some(shard), 2) = (chain.level(0), chain.depth()) else { return Ok(None) };
        // What is not worth keeping takes no round trip; and shards of many shapes are not counted.
        let is_uniform = binding.metadata().chunk_grid.is_uniform();
        if !array.chunks().may_be_kept() || !is_uniform {
            return Ok(None);
        }
        let (inner, outer) = (&chain.leaf()?.shape, &shard.shape);
        let mut total = Along { shards: 1, wanted: 1, there: 1 };
        for (axis, projection) in projections.iter().enumerate() {
            let extents = (binding.metadata().shape.get(axis), inner.get(axis), outer.get(axis));
            let (Some(len), Some(inner), Some(outer)) = extents else { return Ok(None) };
            let along = along(projection, *len, *inner, *outer);
            total.shards = total.shards.saturating_mul(along.shards);
            total.wanted = total.wanted.saturating_mul(along.wanted);
            total.there = total.there.saturating_mul(along.there);
        }
        let element_size = binding.element_size().max(1) as u64;
        let bytes = outer.iter().fold(element_size, |bytes, extent| bytes.saturating_mul(*extent));
        let held = bytes.saturating_mul(total.shards);
        let is_worth = total.wanted > 0 && (total.wanted >= total.there.div_ceil(2) || bytes <= SMALL_BYTES);
        Ok((is_worth && held <= HELD_BYTES).then(Rc::default))
    }

    /// The index of a shard, which is fetched with it.
    ///
    /// # Errors
    /// As the store and the index's codecs; `Format` for a shard that is shorter than its index.
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
            Ok(Some(FoundIndex { index, shard_len: Some(len), version: shard.version }))
        };
        found.await.map_err(|error: Error| error.at_key(key.as_str()))
    }

    /// A shard that was fetched, or is on its way.
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
            let fetch: LocalFuture<'static, Answer> = Box::pin(async move {
                let key = array.chunk_key(&chunk);
                array.chunks().get(&key, ByteRange::Whole, &context).await
            });
            fetch.shared()
        };
        shards.get_or_insert_with(chunk.clone(), begin).clone()
    }
}

/// See [`Along`]; chunks and shards are regular.
fn along(projection: &DimensionProjection, len: u64, inner: u64, outer: u64) -> Along {
    let ends = projection.span(0).zip(projection.span(projection.span_count().saturating_sub(1)));
    let Some((first, last)) = ends else { return Along { shards: 0, wanted: 0, there: 0 } };
    let in_shard = outer.div_ceil(inner.max(1)).max(1);
    let (low, high) = (first.chunk.min(last.chunk), first.chunk.max(last.chunk));
    let shards = high / in_shard - low / in_shard + 1;
    let there = shards.saturating_mul(in_shard).min(len.div_ceil(inner.max(1)));
    Along { shards, wanted: projection.span_count(), there }
}
