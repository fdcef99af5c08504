//! Reads the index and the kept chunks of a shard of which a write replaces most, instead of the
//! whole shard.

use std::ops::Range;
use std::rc::Rc;

use futures_util::future::try_join_all;

use crate::access::chunk_update::KeptChunks;
use crate::error::{Error, Result};
use crate::format::path::StoreKey;
use crate::limits;
use crate::store::merged_ranges::{GAP_BYTES, MERGED_BYTES, merge};
use crate::store::{ByteRange, Fetched, RequestContext, Store, Value};

/// Longer shards are read whole, so that their bytes need not be copied into the wasm memory.
const MAX_BYTES: u64 = 64 << 20;

/// What is known of the old shard.
pub(super) enum Remaining {
    /// `None` if the shard is absent; else its bytes, with zeros in place of the chunks that are
    /// replaced.
    Known(Option<Value>),
    /// The shard must be read whole.
    Unknown,
}

/// Reads the parts of a shard that a write keeps.
///
/// # Errors
/// `Format` for an invalid index; errors of the store.
pub(super) async fn remaining(
    store: &Rc<dyn Store>,
    key: &StoreKey,
    remains: &KeptChunks,
    context: &RequestContext,
) -> Result<Remaining> {
    let Some(index) = store.get(key, remains.index_range(), context).await? else {
        return Ok(Remaining::Known(None));
    };
    let kept = remains.kept(&index.value.to_vec(limits::SHARD_INDEX_BYTES, "shard index")?, index.size)?;
    if kept.len > MAX_BYTES {
        return Ok(Remaining::Unknown);
    }
    let spans: Vec<Range<u64>> =
        merge(&kept.ranges, GAP_BYTES, MERGED_BYTES).into_iter().map(|merged| merged.span).collect();
    let asked = spans.iter().map(|span| store.get(key, ByteRange::from(span.clone()), context));
    let fetched = try_join_all(asked).await?;
    let mut shard = limits::zeroed(kept.len, MAX_BYTES, "shard")?;
    put(&mut shard, kept.index, &index)?;
    for (span, fetched) in spans.iter().zip(fetched) {
        let is_of_it = |fetched: &Fetched| {
            fetched.version == index.version && fetched.value.len() == span.end - span.start
        };
        // Another writer may have replaced or cut the shard between the two requests. It is then
        // read whole.
        match fetched.filter(is_of_it) {
            Some(fetched) => put(&mut shard, span.start, &fetched)?,
            None => return Ok(Remaining::Unknown),
        }
    }
    Ok(Remaining::Known(Some(shard.into())))
}

/// Copies fetched bytes to where they are in the shard.
fn put(shard: &mut [u8], start: u64, fetched: &Fetched) -> Result<()> {
    let (start, len) = (limits::to_usize(start, "shard")?, limits::to_usize(fetched.value.len(), "shard")?);
    let part = shard.get_mut(start..).and_then(|rest| rest.get_mut(..len));
    fetched.value.copy_to(0, part.ok_or_else(|| Error::format("a shard is shorter than its index says"))?)
}
