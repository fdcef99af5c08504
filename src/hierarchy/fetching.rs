//! Step 4 for the chunks of one read: needs become few requests, and what arrives is cut by need again.
//!
//! Neighbouring ranges of one key are fetched together; what is kept is not fetched. A shard whose version changes between its index
//! and its chunks interrupts whoever reads it.

use std::ops::Range;
use std::rc::Rc;

use crate::access::plan::{Need, NeededRange, PartPlan};
use crate::error::{Error, Result};
use crate::hierarchy::array::Array;
use crate::hierarchy::chunk_cache::Kind;
use crate::hierarchy::read_part::Interrupted;
use crate::hierarchy::shard_indexes::{self, IndexRequest};
use crate::store::wrap::{self, GAP_BYTES, MERGED_BYTES};
use crate::store::writers::{self, Moment};
use crate::store::{ByteRange, LocalFuture, RequestContext, Value};

/// Something that has arrived.
pub(super) enum Arrival {
    Index { need: Need, index: shard_indexes::Answer },
    Chunks(Vec<(Need, Option<Value>)>),
}

/// A request under way.
pub(super) type Arriving = LocalFuture<'static, std::result::Result<Arrival, Interrupted>>;

/// What the requests of one read share.
#[derive(Clone)]
pub(super) struct Fetching {
    pub array: Rc<Array>,
    pub context: RequestContext,
    /// Encoded bytes are kept.
    pub keeps: bool,
    /// What was kept before may be used.
    pub uses_kept: bool,
}

/// Needs of one key, and the part of it that has all of them.
struct Merged {
    range: Range<u64>,
    members: Vec<(Need, Range<u64>)>,
}

impl Fetching {
    /// One request an index, and one a run of neighbouring ranges of a key.
    pub fn requests(&self, plan: &PartPlan, needs: Vec<Need>, begun: Moment) -> Result<Vec<Arriving>> {
        let mut requests: Vec<Arriving> = Vec::new();
        let mut at_hand = Vec::new();
        let mut chunks: Vec<Need> = Vec::new();
        for need in needs {
            if need.is_index {
                let format = plan.sharding(need.id)?.index().clone();
                requests.push(Box::pin(self.clone().index(need, IndexRequest { format })));
                continue;
            }
            if let Some(value) = self.kept(Kind::Encoded, &need) {
                at_hand.push((need, value));
                continue;
            }
            if chunks.first().is_some_and(|first| first.chunk != need.chunk) {
                requests.extend(self.chunk_requests(std::mem::take(&mut chunks), begun));
            }
            chunks.push(need);
        }
        requests.extend(self.chunk_requests(chunks, begun));
        if !at_hand.is_empty() {
            requests.push(Box::pin(std::future::ready(Ok(Arrival::Chunks(at_hand)))));
        }
        Ok(requests)
    }

    /// What is kept of a chunk.
    pub fn kept(&self, kind: Kind, need: &Need) -> Option<Option<Value>> {
        if !self.uses_kept {
            return None;
        }
        self.array.cache().get(kind, need, |asked| self.is_current(need, asked))
    }

    /// Whether nothing was written to a chunk's key here since a moment.
    pub fn is_current(&self, need: &Need, since: Moment) -> bool {
        writers::unchanged_since_of(self.array.chunks(), || self.array.chunk_key(&need.chunk), since)
    }

    async fn index(self, need: Need, request: IndexRequest) -> std::result::Result<Arrival, Interrupted> {
        let index = self.array.indexes().get(&self.array, &need, request, &self.context).await?;
        Ok(Arrival::Index { need, index })
    }

    /// The needs of one key, merged into few requests.
    fn chunk_requests(&self, needs: Vec<Need>, begun: Moment) -> Vec<Arriving> {
        let ranges: Option<Vec<Range<u64>>> = needs
            .iter()
            .map(|need| match need.range {
                NeededRange::At { offset, len } => Some(offset..offset + len),
                NeededRange::Whole | NeededRange::Last(_) => None,
            })
            .collect();
        let Some(ranges) = ranges else {
            return needs
                .into_iter()
                .map(|need| -> Arriving { Box::pin(self.clone().whole(need, begun)) })
                .collect();
        };
        let (gap, cap) = if self.array.chunks().merges_ranges() { (GAP_BYTES, MERGED_BYTES) } else { (0, 0) };
        wrap::merge(&ranges, gap, cap)
            .into_iter()
            .map(|group| -> Arriving {
                let members = group.members.iter();
                let members =
                    members.filter_map(|at| Some((needs.get(*at)?.clone(), ranges.get(*at)?.clone())));
                let merged = Merged { range: group.span.clone(), members: members.collect() };
                Box::pin(self.clone().merged(merged, begun))
            })
            .collect()
    }

    async fn whole(self, need: Need, begun: Moment) -> std::result::Result<Arrival, Interrupted> {
        let key = self.array.chunk_key(&need.chunk);
        let fetched = self.array.chunks().get(&key, ByteRange::Whole, &self.context).await;
        let fetched = fetched.map_err(|error| error.at_key(key.as_str()))?;
        let value = fetched.map(|fetched| fetched.value);
        let len = value.as_ref().map_or(0, Value::len);
        Ok(self.arrived(vec![(need, value)], len, begun))
    }

    /// One range of a shard, and the inner chunks in it.
    async fn merged(self, merged: Merged, begun: Moment) -> std::result::Result<Arrival, Interrupted> {
        let Merged { range, members } = merged;
        let Some((first, _)) = members.first() else {
            return Ok(Arrival::Chunks(Vec::new()));
        };
        let (chunk, key) = (first.chunk.clone(), self.array.chunk_key(&first.chunk));
        let len = range.end - range.start;
        if len == 0 {
            let empty = members.into_iter().map(|(need, _)| (need, Some(Value::from(Vec::new()))));
            return Ok(Arrival::Chunks(empty.collect()));
        }
        let bytes = ByteRange::FromStart { offset: range.start, len };
        let fetched = self.array.chunks().get(&key, bytes, &self.context).await;
        let place = |error: Error| error.at_key(key.as_str()).at_range(range.start, len);
        let Some(fetched) = fetched.map_err(place)? else {
            // The index was there a moment ago.
            return Err(Interrupted::Changed(chunk));
        };
        let unchanged = writers::unchanged_since(self.array.chunks(), &key, begun);
        if !unchanged || !self.array.indexes().agrees(&chunk, fetched.version.as_deref()) {
            return Err(Interrupted::Changed(chunk));
        }
        let cut = |(need, bytes): (Need, Range<u64>)| {
            let within = bytes.start - range.start..bytes.end - range.start;
            Ok((need, Some(fetched.value.slice(within).map_err(place)?)))
        };
        let chunks = members.into_iter().map(cut).collect::<Result<_>>()?;
        Ok(self.arrived(chunks, fetched.value.len(), begun))
    }

    /// Chunks that stand in one buffer of so many bytes.
    fn arrived(&self, chunks: Vec<(Need, Option<Value>)>, bytes: u64, begun: Moment) -> Arrival {
        if self.keeps && self.array.chunks().may_be_kept() {
            self.array.cache().put(Kind::Encoded, chunks.clone(), bytes, begun);
        }
        Arrival::Chunks(chunks)
    }
}
