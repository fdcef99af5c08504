//! A stored shard of which most is about to be replaced: its index is read, and what is kept of it, in place of the whole.

use std::ops::Range;
use std::rc::Rc;

use crate::access::chunk_update::KeptChunks;
use crate::access::plan::RequestedRange;
use crate::error::{Error, Result};
use crate::format::path::StoreKey;
use crate::limits;
use crate::store::gather::{self, GAP_BYTES, MERGED_BYTES};
use crate::store::{ByteRange, Fetched, RequestContext, Store, Value};

/// Longer shards are read whole: their bytes need not come into the core's memory then.
const MOST_BYTES: u64 = 64 << 20;

/// What is known of the old shard.
pub(super) enum Remaining {
    /// It is absent, or these are its bytes, with zeros in place of what is replaced.
    Known(Option<Value>),
    /// It must be read whole.
    Unknown,
}

/// Reads what is kept of a shard.
///
/// # Errors
/// `Format` for an index that cannot be, and as the store.
pub(super) async fn remaining(
    store: &Rc<dyn Store>,
    key: &StoreKey,
    remains: &KeptChunks,
    context: &RequestContext,
) -> Result<Remaining> {
    let range = match remains.index_range() {
        RequestedRange::At { offset, len } => ByteRange::FromStart { offset, len },
        RequestedRange::Last(len) => ByteRange::Suffix(len),
        RequestedRange::Whole => return Ok(Remaining::Unknown),
    };
    let Some(index) = store.get(key, range, context).await? else { return Ok(Remaining::Known(None)) };
    let kept = remains.kept(&index.value.to_vec(limits::SHARD_INDEX_BYTES, "shard index")?, index.size)?;
    if kept.len > MOST_BYTES {
        return Ok(Remaining::Unknown);
    }
    let spans: Vec<Range<u64>> =
        gather::merge(&kept.ranges, GAP_BYTES, MERGED_BYTES).into_iter().map(|group| group.span).collect();
    let asked =
        spans.iter().map(|span| ByteRange::FromStart { offset: span.start, len: span.end - span.start });
    let fetched = store.get_ranges(key, &asked.collect::<Vec<_>>(), context).await?;
    let mut shard = limits::zeroed(kept.len, MOST_BYTES, "shard")?;
    put(&mut shard, kept.index, &index)?;
    for (span, fetched) in spans.iter().zip(fetched) {
        let is_of_it = |fetched: &Fetched| {
            fetched.version == index.version && fetched.value.len() == span.end - span.start
        };
        // A shard that somebody else has replaced between the two requests is read whole, as one that is cut short is.
        match fetched.filter(is_of_it) {
            Some(fetched) => put(&mut shard, span.start, &fetched)?,
            None => return Ok(Remaining::Unknown),
        }
    }
    Ok(Remaining::Known(Some(shard.into())))
}

/// Copies what was fetched to its place, which lies within the shard.
fn put(shard: &mut [u8], start: u64, fetched: &Fetched) -> Result<()> {
    let (start, len) = (limits::to_usize(start, "shard")?, limits::to_usize(fetched.value.len(), "shard")?);
    let place = shard.get_mut(start..).and_then(|rest| rest.get_mut(..len));
    fetched.value.copy_to(0, place.ok_or_else(|| Error::format("a shard is shorter than its index says"))?)
}
