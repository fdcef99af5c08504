//! Reads one part: requests the bytes that the plan asks for and passes each answer to the decoder.
//!
//! There are three ways for a chunk:
//!
//! - A chunk whose bytes are its elements needs no decoder.
//! - A chunk that is decoded whole although the part needs only some of it is decoded once for all
//!   reads ([`shared_chunks`](super::shared_chunks)) and cached
//!   ([`chunk_cache`](super::chunk_cache)). So is a chunk that another part in flight decodes too.
//! - All other chunks go to the decoder of the part.
//!
//! This file does not know who waits for the part: several reads may
//! ([`shared_parts`](super::shared_parts)).

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use futures_util::future::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};

use crate::access::instruction::{PartHeader, ProjectedAxis};
use crate::access::level::Level;
use crate::access::part::Part;
use crate::access::plan::{ByteRequest, PartPlan, PartProjection};
use crate::error::Result;
use crate::format::dimension_order::{in_array_order, packed_strides};
use crate::read::chunk_cache::CacheKind;
use crate::read::decoder::{Decoder, PartDecoder};
use crate::read::decoding::{DecoderInput, interrupted};
use crate::read::fetching::{Arrival, ChunkFetcher, PendingArrival, wrong_length};
use crate::read::shared_chunks::BatchReader;
use crate::read::types::{
    Base, CachePolicy, DecodedBatch, FinishedPart, Interrupted, OutputLayout, PartCounts, PartData,
    PartResult, PlacedChunk, WholeChunk,
};
use crate::store::in_flight::Begun;
use crate::store::turn::{let_others_run, next_turn};
use crate::store::writers::{self, Moment};
use crate::store::{ByteRange, LocalFuture, SharedFuture, Value};

/// Decoded bytes of whole chunks that go to a decoder as one batch.
const BATCH_BYTES: u64 = 1 << 20;

/// Number of requests that a part starts, or answers that it takes, in one turn. A part may have
/// thousands of tiny chunks.
const AT_A_TIME: usize = 64;

/// Encoded bytes that are collected for one message to the decoder. A message costs more than a
/// small chunk. Fewer bytes are sent when no request is in flight.
const SUPPLY_BYTES: u64 = 64 << 10;

/// Number of whole chunks that are examined in one turn. The ranges of a shard are examined
/// together, because neighbouring ranges become one request.
pub(super) const LOOKED_AT: usize = 256;

/// Boxes of up to this many elements are copied element by element on the engine's thread.
const SINGLE_ELEMENTS: u64 = 1 << 14;

/// What the parts of one read share.
pub(super) struct ReadContext {
    pub fetcher: ChunkFetcher,
    pub decoder: Rc<dyn Decoder>,
    pub layout: OutputLayout,
    pub cache_policy: CachePolicy,
    /// Whether decoders reduce the elements of a part. Then they need all of them.
    pub reduces: bool,
    /// Identifies the read.
    pub token: Rc<()>,
}

/// A part to read.
pub(super) struct PartTask {
    pub part: Part,
    pub plan: PartPlan,
    pub counts: Rc<PartCounts>,
    /// Set when another read waits for this part too: the decoder must then return the elements.
    pub is_wanted: Rc<Cell<bool>>,
}

/// An answer that a part waits for.
enum Event {
    Arrived(Arrival),
    Whole(Vec<(ByteRequest, WholeChunk)>),
}

type PendingEvent = LocalFuture<'static, std::result::Result<Event, Interrupted>>;

/// The elements that a part takes from a chunk which other parts may use too.
struct SharedUse {
    /// The part takes all elements of the chunk that are inside the array.
    is_all: bool,
    projection: Vec<ProjectedAxis>,
}

/// The state of a part in flight. `decoding` starts with the first chunk that needs a decoder.
struct PartState {
    plan: PartPlan,
    counts: Rc<PartCounts>,
    decoding: Option<Box<dyn PartDecoder>>,
    /// Requests that ranges were merged into, and that have not been started yet.
    merged: Vec<PendingArrival>,
    /// Chunks that have arrived and wait for the next message to the decoder.
    encoded: Vec<(ByteRequest, Value)>,
    chunks: Vec<PlacedChunk>,
}

impl ReadContext {
    /// Fetches and decodes a part.
    pub async fn run(self: Rc<Self>, task: PartTask) -> PartResult {
        let PartTask { part, plan, counts, is_wanted } = task;
        let begun = writers::now();
        let (merged, encoded, chunks) = (Vec::new(), Vec::new(), Vec::new());
        let mut state = PartState { plan, counts, decoding: None, merged, encoded, chunks };
        let mut waiting: FuturesUnordered<PendingEvent> = FuturesUnordered::new();
        let (mut needed, mut to_start, mut taken) = (VecDeque::new(), VecDeque::new(), 0_usize);
        loop {
            needed.extend(state.plan.take_requests());
            for arrival in std::mem::take(&mut state.merged) {
                to_start.push_back(arrival_event(arrival));
            }
            if to_start.len() < AT_A_TIME {
                let requests = some_of(&mut needed);
                to_start.extend(self.begin(&mut state, requests, begun)?);
            }
            let event = if to_start.is_empty() && needed.is_empty() {
                waiting.next().await
            } else {
                waiting.extend(to_start.drain(..to_start.len().min(AT_A_TIME)));
                // Polling starts the new requests, and takes an answer that is there already.
                waiting.next().now_or_never().flatten()
            };
            match event {
                Some(event) => {
                    self.take(&mut state, event?)?;
                    // Take everything that has arrived by now, so that it goes to the decoder as
                    // one message.
                    for _ in 1..AT_A_TIME {
                        let Some(event) = waiting.next().now_or_never().flatten() else { break };
                        self.take(&mut state, event?)?;
                        taken += 1;
                    }
                    let encoded: u64 = state.encoded.iter().map(|(_, value)| value.len()).sum();
                    if encoded >= SUPPLY_BYTES || (waiting.is_empty() && state.merged.is_empty()) {
                        self.supply(&mut state, &part)?;
                    }
                }
                None if needed.is_empty() && to_start.is_empty() && waiting.is_empty() => break,
                None => {}
            }
            taken += 1;
            if !needed.is_empty() || !to_start.is_empty() || taken >= AT_A_TIME {
                taken = 0;
                next_turn().await;
            }
        }
        drop(waiting);
        self.supply(&mut state, &part)?;
        let base = match state.decoding {
            Some(decoding) => {
                // Reads that began together with this one have had the chance to join this part.
                let_others_run().await;
                let is_mixed = self.reduces && !state.chunks.is_empty();
                let decoded = if is_wanted.get() || is_mixed {
                    decoding.finish().await.map(Some)
                } else {
                    decoding.finish_at(&part).await
                };
                decoded.map_err(|undecoded| interrupted(&self.fetcher, undecoded))?.map(Base::Bytes)
            }
            None if covers(&state.chunks, &part) => Some(Base::Covered),
            None => Some(Base::Fill),
        };
        let is_placed = base.is_none();
        let data = PartData { base: base.unwrap_or(Base::Covered), chunks: state.chunks };
        Ok(Rc::new(FinishedPart { data, is_placed }))
    }

    /// The projections of the parts that other reads are decoding now.
    fn elsewhere(&self) -> Vec<PartProjection> {
        if !self.cache_policy.decoded || !self.fetcher.uses_cache {
            return Vec::new();
        }
        let mut others = Vec::new();
        for note in self.fetcher.array.cache().parts.notes() {
            if !Rc::ptr_eq(&note.read, &self.token) && note.conversion == self.layout.conversion {
                others.push(note.projection);
            }
        }
        others
    }

    /// Starts the requests of a part. Chunks that other reads decode, or may use, are decoded
    /// whole.
    fn begin(
        &self,
        state: &mut PartState,
        requests: Vec<ByteRequest>,
        begun: Moment,
    ) -> Result<Vec<PendingEvent>> {
        let mut events: Vec<PendingEvent> = Vec::new();
        let (mut others, mut to_batch) = (Vec::new(), Vec::new());
        let priority = self.fetcher.context.priority.value();
        let elsewhere = self.elsewhere();
        let mut requests = VecDeque::from(requests);
        while let Some(request) = requests.pop_front() {
            if self.reads_rows(&request) && state.plan.divide_into_rows(request.id)? {
                requests.extend(state.plan.take_requests());
                continue;
            }
            let Some(shared) = self.shared_use(&state.plan, &request) else {
                others.push(request);
                continue;
            };
            // The encoded bytes of a chunk that is needed whole are decoded right into the part.
            let is_at_hand = shared.is_all
                && self.fetcher.uses_cache
                && self.fetcher.array.cache().has(CacheKind::Encoded, &request);
            if !is_at_hand
                && let Some(elements) = self.fetcher.cached(CacheKind::Decoded, &self.converted(&request))
            {
                let whole = WholeChunk { elements, fetched: 0 };
                self.take_whole(state, vec![(request, whole)])?;
            } else if let Some((batch, slot)) = self.under_way(&request, priority) {
                let own = self.read_batch(&state.plan, vec![request.clone()])?;
                events.push(joined(batch, slot, request, own));
            } else if self.decodes_for_others(&state.plan, &elsewhere, &request, &shared) {
                to_batch.push(request);
            } else {
                others.push(request);
            }
        }
        for requests in self.batches(&state.plan, to_batch)? {
            let decoding = self.read_batch(&state.plan, requests.clone())?;
            let mut slots = Vec::with_capacity(requests.len());
            for (slot, request) in requests.iter().enumerate() {
                slots.push((self.converted(request).origin, slot));
            }
            let begun = Begun { moment: begun, priority: self.fetcher.context.priority.clone() };
            let batch = self.fetcher.array.cache().batches.begin_for(slots, begun, decoding);
            events.push(Box::pin(async move {
                let decoded = batch.await?;
                Ok(Event::Whole(requests.into_iter().zip(decoded.iter().cloned()).collect()))
            }));
        }
        for arrival in self.fetcher.arrivals(&state.plan, others, begun)? {
            events.push(arrival_event(arrival));
        }
        Ok(events)
    }

    /// Whether single rows of a chunk may be fetched, if its bytes are its elements. Not if the
    /// chunk is cached. Not from a store that must see whole-chunk requests, such as a user's
    /// store.
    fn reads_rows(&self, request: &ByteRequest) -> bool {
        let array = &self.fetcher.array;
        let is_cached = self.fetcher.uses_cache && array.cache().has(CacheKind::Encoded, request);
        !request.is_index && request.rows.is_none() && array.chunks().reads_rows() && !is_cached
    }

    /// The elements to take from a chunk if it is decoded whole; `None` if decoding it whole does
    /// not pay.
    fn shared_use(&self, plan: &PartPlan, request: &ByteRequest) -> Option<SharedUse> {
        let level = plan.leaf(request.id).ok().filter(|_| !request.is_index)?;
        if !self.cache_policy.decoded || self.layout.element_size == 0 || self.is_plain(level) {
            return None;
        }
        let projection = plan.projection_box(request.id)?;
        // A read with padding takes more than the elements of the array.
        let shape = &self.fetcher.array.binding().metadata().shape;
        let is_all = projection.iter().zip(&level.shape).zip(shape.iter().zip(request.origin.iter())).all(
            |((axis, extent), (end, origin))| axis.count() >= (*extent).min(end.saturating_sub(*origin)),
        );
        self.has_rows(&projection).then_some(SharedUse { is_all, projection })
    }

    /// A batch in flight that decodes the chunk whole, and the chunk's position in the batch.
    /// `None` if the batch has a lower priority, because other requests would overtake it in the
    /// queues.
    fn under_way(&self, request: &ByteRequest, priority: f64) -> Option<(SharedFuture<DecodedBatch>, usize)> {
        let batches = &self.fetcher.array.cache().batches;
        if !self.fetcher.uses_cache || batches.is_empty() {
            return None;
        }
        batches.join(&self.converted(request).origin, |begun, _| {
            begun.priority.value() >= priority && self.fetcher.is_current(request, begun.moment)
        })
    }

    /// Whether to decode a chunk whole for other reads too. If the part needs some of the chunk,
    /// this depends on the codecs and the cache. If it needs all of it, it depends on whether
    /// another part in flight decodes the same elements: a third read then finds the chunk in the
    /// cache.
    fn decodes_for_others(
        &self,
        plan: &PartPlan,
        elsewhere: &[PartProjection],
        request: &ByteRequest,
        shared: &SharedUse,
    ) -> bool {
        if !shared.is_all {
            return self.decodes_whole(plan, request);
        }
        elsewhere.iter().any(|other| other.takes(&request.origin, &shared.projection))
    }

    /// Whether the bytes of a chunk are elements of the result.
    pub fn is_plain(&self, level: &Level) -> bool {
        self.layout.conversion.is_empty() && level.pipeline.plain_strides().is_some()
    }

    /// The request under which caches know the chunk. The conversion is part of its origin, because
    /// converted elements are not those of the stored chunk.
    fn converted(&self, request: &ByteRequest) -> ByteRequest {
        if self.layout.conversion.is_empty() {
            return request.clone();
        }
        let mut origin = request.origin.to_vec();
        for word in &self.layout.conversion {
            origin.push(u64::from(*word));
        }
        ByteRequest { origin: origin.into(), ..request.clone() }
    }

    /// Whether the elements to take form rows, or are so few that copying each of them is cheap.
    fn has_rows(&self, projection: &[ProjectedAxis]) -> bool {
        let elements: u64 = projection.iter().map(ProjectedAxis::count).product();
        if elements <= SINGLE_ELEMENTS {
            return true;
        }
        let fastest = self.layout.order.iter().rev().filter_map(|axis| projection.get(*axis));
        let row = fastest.into_iter().find(|axis| axis.count() > 1);
        let is_row = matches!(row, Some(ProjectedAxis::Range { step: 1, .. }));
        is_row && self.layout.order == self.cache_policy.native_order
    }

    /// Whether a chunk is decoded whole although the part needs only some of it: its codecs cannot
    /// decode partially, or its encoded bytes are cached, which means that it was read before.
    fn decodes_whole(&self, plan: &PartPlan, request: &ByteRequest) -> bool {
        let partial = plan.leaf(request.id).is_ok_and(|level| level.pipeline.decodes_partially());
        !partial || self.fetcher.array.cache().has(CacheKind::Encoded, request)
    }

    /// Groups chunks of one shape into batches of limited size.
    fn batches(&self, plan: &PartPlan, requests: Vec<ByteRequest>) -> Result<Vec<Vec<ByteRequest>>> {
        let element_size = self.layout.element_size.max(1) as u64;
        let mut batches: Vec<(&[u64], u64, Vec<ByteRequest>)> = Vec::new();
        for request in requests {
            let shape = plan.leaf(request.id)?.shape.as_slice();
            let bytes = shape.iter().fold(element_size, |bytes, extent| bytes.saturating_mul(*extent));
            match batches.last_mut() {
                Some((of, size, batch)) if *of == shape && *size + bytes <= BATCH_BYTES => {
                    *size += bytes;
                    batch.push(request);
                }
                _ => batches.push((shape, bytes, vec![request])),
            }
        }
        let mut grouped = Vec::with_capacity(batches.len());
        for (_, _, batch) in batches {
            grouped.push(batch);
        }
        Ok(grouped)
    }

    /// Fetches and decodes whole chunks of one shape, and caches their elements.
    fn read_batch(
        &self,
        plan: &PartPlan,
        requests: Vec<ByteRequest>,
    ) -> Result<LocalFuture<'static, DecodedBatch>> {
        let order = &self.cache_policy.native_order;
        let (mut ids, mut converted) = (Vec::new(), Vec::new());
        for request in &requests {
            ids.push(request.id);
            converted.push(self.converted(request));
        }
        let along = order.first().copied().unwrap_or(0);
        let mut shape =
            requests.first().map_or(Ok(Vec::new()), |request| Ok(plan.leaf(request.id)?.shape.clone()))?;
        if let Some(extent) = shape.get_mut(along) {
            *extent *= requests.len() as u64;
        }
        let mut context = self.fetcher.context.clone();
        // The batch may serve several reads, so no single one may abort it.
        context.signal = None;
        let batch = BatchReader {
            // The elements are cached, so the encoded bytes are not.
            fetcher: ChunkFetcher { fills_cache: false, context, ..self.fetcher.clone() },
            decoder: self.decoder.clone(),
            header: PartHeader::new(&shape, order, &self.layout.conversion)?.to_words(),
            plan: plan.batch(&ids, along)?,
            slot_bytes: shape.iter().product::<u64>() / (requests.len() as u64).max(1)
                * self.layout.element_size as u64,
            requests: converted,
        };
        Ok(Box::pin(batch.read()))
    }

    /// Takes an answer: a shard index goes to the plan, chunks go to the decoder or to the result.
    fn take(&self, state: &mut PartState, event: Event) -> std::result::Result<(), Interrupted> {
        match event {
            Event::Arrived(Arrival::Index { request, index }) => {
                if let Some(index) = index {
                    let array = &self.fetcher.array;
                    let supplied = state.plan.supply_index(request.id, &index.index);
                    supplied.map_err(|error| error.at_key(array.chunk_key(&request.chunk).as_str()))?;
                }
            }
            Event::Arrived(Arrival::Merged(requests)) => state.merged.extend(requests),
            Event::Arrived(Arrival::Chunks(chunks)) => self.take_chunks(state, chunks)?,
            Event::Whole(chunks) => self.take_whole(state, chunks)?,
        }
        Ok(())
    }

    fn take_whole(&self, state: &mut PartState, chunks: Vec<(ByteRequest, WholeChunk)>) -> Result<()> {
        let arrived = chunks.iter().filter(|(request, _)| request.rows.is_none()).count();
        count(state, arrived, chunks.iter().map(|(_, chunk)| chunk.fetched).sum());
        for (request, chunk) in chunks {
            let (Some(elements), Some(projection)) = (chunk.elements, state.plan.projection_box(request.id))
            else {
                continue;
            };
            let level = state.plan.leaf(request.id)?;
            let strides = packed_strides(&level.shape, &self.cache_policy.native_order)?;
            state.chunks.push(PlacedChunk { elements, strides, projection });
        }
        Ok(())
    }

    fn take_chunks(&self, state: &mut PartState, chunks: Vec<(ByteRequest, Option<Value>)>) -> Result<()> {
        // A chunk that is read by rows counts as arrived when the part is finished.
        let arrived = chunks.iter().filter(|(request, _)| request.rows.is_none()).count();
        let mut bytes = 0;
        for (request, value) in chunks {
            let Some(value) = value else { continue };
            bytes += value.len();
            match self.plain(&state.plan, &request, &value)? {
                Some(plain) => state.chunks.push(plain),
                None => state.encoded.push((request, value)),
            }
        }
        count(state, arrived, bytes);
        Ok(())
    }

    /// Passes the chunks that have arrived to the decoder.
    fn supply(&self, state: &mut PartState, part: &Part) -> Result<()> {
        let encoded = std::mem::take(&mut state.encoded);
        let header =
            || Ok(PartHeader::new(&part.shape, &self.layout.order, &self.layout.conversion)?.to_words());
        let input = DecoderInput { fetcher: &self.fetcher, decoder: &*self.decoder, plan: &state.plan };
        input.supply(&mut state.decoding, encoded, header)
    }

    /// The chunk as it is copied into the result, if its bytes are its elements.
    fn plain(&self, plan: &PartPlan, request: &ByteRequest, value: &Value) -> Result<Option<PlacedChunk>> {
        let level = plan.leaf(request.id)?;
        let plain = level.pipeline.plain_strides().filter(|_| self.is_plain(level));
        let Some(strides) = plain else { return Ok(None) };
        let Some(projection) = plan.projection_box(request.id).filter(|projection| self.has_rows(projection))
        else {
            return Ok(None);
        };
        let strides = in_array_order(&strides, &level.axes);
        let expected = level.pipeline.encoded_len().unwrap_or(0);
        if value.len() != expected {
            let error = wrong_length(expected, value.len());
            return Err(error.at_key(self.fetcher.array.chunk_key(&request.chunk).as_str()));
        }
        Ok(Some(PlacedChunk { elements: value.clone(), strides, projection }))
    }
}

/// The requests to examine in this turn.
fn some_of(needed: &mut VecDeque<ByteRequest>) -> Vec<ByteRequest> {
    let whole = needed.iter().take(LOOKED_AT).take_while(|request| request.range == ByteRange::Whole).count();
    let some = if whole > 0 { whole } else { needed.len() };
    needed.drain(..some).collect()
}

fn arrival_event(arrival: PendingArrival) -> PendingEvent {
    Box::pin(arrival.map(|arrival| arrival.map(Event::Arrived)))
}

fn count(state: &PartState, chunks: usize, bytes: u64) {
    let PartCounts { chunks: all_chunks, bytes: all_bytes } = &*state.counts;
    all_chunks.set(all_chunks.get() + chunks as u64);
    all_bytes.set(all_bytes.get() + bytes);
}

/// Waits for a batch that another read started. If the batch fails, decodes the chunk alone:
/// another chunk of the batch may be the broken one.
fn joined(
    batch: SharedFuture<DecodedBatch>,
    slot: usize,
    request: ByteRequest,
    own: LocalFuture<'static, DecodedBatch>,
) -> PendingEvent {
    Box::pin(async move {
        let (decoded, slot) = match batch.await {
            Ok(decoded) => (decoded, slot),
            Err(_) => (own.await?, 0),
        };
        let chunk = decoded.get(slot).cloned();
        Ok(Event::Whole(chunk.map(|chunk| (request, chunk)).into_iter().collect()))
    })
}

/// Whether the chunks cover the part. No two of them cover the same element, so counting is enough.
fn covers(chunks: &[PlacedChunk], part: &Part) -> bool {
    let placed: u64 =
        chunks.iter().map(|chunk| chunk.projection.iter().map(ProjectedAxis::count).product::<u64>()).sum();
    placed == part.shape.iter().product::<u64>()
}
