//! Reading one part: its needs are fetched as the plan raises them, each answer goes to the decoder at once.
//!
//! Neighbouring ranges of one key are fetched together. A shard whose version changes between its index and its chunks is
//! read again from its index.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use futures_util::stream::{FuturesUnordered, StreamExt};

use crate::access::part::Part;
use crate::access::piece::Header;
use crate::access::plan::{Need, NeededRange, PartPlan};
use crate::error::{Error, Result};
use crate::hierarchy::array::Array;
use crate::hierarchy::decoder::{Decoder, PartDecoder, Supply};
use crate::hierarchy::read::{OutputLayout, PartData, PartSink, Progress};
use crate::hierarchy::shard_indexes::IndexRequest;
use crate::store::wrap::{self, GAP_BYTES, MERGED_BYTES};
use crate::store::writers::{self, Moment};
use crate::store::{ByteRange, LocalFuture, RequestContext, Subject, Value};

/// How often a part is begun again because a shard changed under it.
const RESTARTS: usize = 2;

/// What the parts of one read share.
pub(super) struct PartReader<'a> {
    array: &'a Rc<Array>,
    decoder: &'a dyn Decoder,
    sink: &'a dyn PartSink,
    context: RequestContext,
    order: &'a [usize],
    conversion: &'a [u32],
    progress: Cell<Progress>,
}

/// Why a part was not read.
enum Interrupted {
    /// The version of a stored chunk is not that of its index.
    Changed(Rc<[u64]>),
    Failed(Error),
}

impl From<Error> for Interrupted {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Something that has arrived.
enum Arrival {
    Index { need: Need, index: super::shard_indexes::Answer },
    Chunks(Vec<(Need, Option<Value>)>),
}

/// A part on its way: its plan, and whoever decodes it once there is something to decode.
struct InFlight {
    plan: PartPlan,
    part: Option<Box<dyn PartDecoder>>,
}

impl<'a> PartReader<'a> {
    pub(super) fn new(
        array: &'a Rc<Array>,
        decoder: &'a dyn Decoder,
        sink: &'a dyn PartSink,
        context: &RequestContext,
        layout: &'a OutputLayout,
        chunks_total: u64,
    ) -> Self {
        let context = RequestContext { subject: Subject::Chunk, ..context.clone() };
        let progress = Cell::new(Progress { parts_total: layout.parts, chunks_total, ..Progress::default() });
        let OutputLayout { order, conversion, .. } = layout;
        Self { array, decoder, sink, context, order, conversion, progress }
    }

    /// How far the read is.
    pub(super) fn progress(&self) -> Progress {
        self.progress.get()
    }

    /// Reads a part and hands it to the sink; `chunks` are those that it touches.
    pub(super) async fn read(
        &self,
        part: &Part,
        chunks: u64,
        plan: &dyn Fn() -> Result<PartPlan>,
    ) -> Result<()> {
        for _ in 0..=RESTARTS {
            let arrived = Cell::new(0);
            match self.attempt(part, plan()?, &arrived).await {
                Ok(data) => {
                    self.sink.part(part, data).await?;
                    // Those that a shard's index does not have were never asked for.
                    let absent = chunks.saturating_sub(arrived.get());
                    self.advance(|progress| {
                        progress.parts += 1;
                        progress.chunks += absent;
                    });
                    return Ok(());
                }
                Err(Interrupted::Changed(chunk)) => {
                    self.array.indexes().forget(&chunk);
                    self.advance(|progress| progress.chunks -= arrived.get());
                }
                Err(Interrupted::Failed(error)) => return Err(error),
            }
        }
        Err(Error::store("a shard kept changing while it was read"))
    }

    async fn attempt(
        &self,
        part: &Part,
        plan: PartPlan,
        arrived: &Cell<u64>,
    ) -> std::result::Result<PartData, Interrupted> {
        let begun = writers::now();
        let mut in_flight = InFlight { plan, part: None };
        let mut arriving = FuturesUnordered::new();
        loop {
            let needs = in_flight.plan.take_needs();
            arriving.extend(self.requests(&in_flight.plan, needs, begun)?);
            match arriving.next().await {
                Some(arrival) => {
                    let arrival = arrival?;
                    if let Arrival::Chunks(chunks) = &arrival {
                        arrived.set(arrived.get() + chunks.len() as u64);
                    }
                    self.take(&mut in_flight, arrival, part)?;
                }
                None => break,
            }
        }
        drop(arriving);
        let Some(decoding) = in_flight.part else { return Ok(PartData::Fill) };
        let decoded = decoding.finish().await.map_err(|error| self.with_full_key(error))?;
        Ok(PartData::Bytes(decoded))
    }

    /// One request an index, and one a run of neighbouring ranges of a key.
    fn requests<'b>(
        &'b self,
        plan: &PartPlan,
        needs: Vec<Need>,
        begun: Moment,
    ) -> Result<Vec<LocalFuture<'b, std::result::Result<Arrival, Interrupted>>>> {
        let mut requests: Vec<LocalFuture<'b, _>> = Vec::new();
        let mut chunks: Vec<Need> = Vec::new();
        for need in needs {
            if need.is_index {
                let format = plan.sharding(need.id)?.index().clone();
                requests.push(Box::pin(self.index(need, IndexRequest { format })));
            } else {
                match chunks.first() {
                    Some(first) if first.chunk != need.chunk => {
                        requests.extend(self.chunk_requests(std::mem::take(&mut chunks), begun));
                    }
                    _ => {}
                }
                chunks.push(need);
            }
        }
        requests.extend(self.chunk_requests(chunks, begun));
        Ok(requests)
    }

    async fn index(&self, need: Need, request: IndexRequest) -> std::result::Result<Arrival, Interrupted> {
        let index = self.array.indexes().get(self.array, &need, request, &self.context).await?;
        Ok(Arrival::Index { need, index })
    }

    /// The needs of one key, merged into few requests.
    fn chunk_requests<'b>(
        &'b self,
        needs: Vec<Need>,
        begun: Moment,
    ) -> Vec<LocalFuture<'b, std::result::Result<Arrival, Interrupted>>> {
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
                .map(|need| -> LocalFuture<'b, _> { Box::pin(self.whole(need)) })
                .collect();
        };
        let (gap, cap) = if self.array.chunks().merges_ranges() { (GAP_BYTES, MERGED_BYTES) } else { (0, 0) };
        wrap::merge(&ranges, gap, cap)
            .into_iter()
            .map(|group| -> LocalFuture<'b, _> {
                let members = group.members.iter();
                let members =
                    members.filter_map(|at| Some((needs.get(*at)?.clone(), ranges.get(*at)?.clone())));
                Box::pin(self.merged(group.span.clone(), members.collect(), begun))
            })
            .collect()
    }

    async fn whole(&self, need: Need) -> std::result::Result<Arrival, Interrupted> {
        let key = self.array.chunk_key(&need.chunk);
        let fetched = self.array.chunks().get(&key, ByteRange::Whole, &self.context).await;
        let fetched = fetched.map_err(|error| error.at_key(key.as_str()))?;
        Ok(Arrival::Chunks(vec![(need, fetched.map(|fetched| fetched.value))]))
    }

    /// One range of a shard, and the inner chunks in it.
    async fn merged(
        &self,
        range: Range<u64>,
        members: Vec<(Need, Range<u64>)>,
        begun: Moment,
    ) -> std::result::Result<Arrival, Interrupted> {
        let Some((first, _)) = members.first() else { return Ok(Arrival::Chunks(Vec::new())) };
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
        Ok(Arrival::Chunks(members.into_iter().map(cut).collect::<Result<_>>()?))
    }

    /// Answers the plan, and hands chunks on to the decoder.
    fn take(&self, in_flight: &mut InFlight, arrival: Arrival, part: &Part) -> Result<()> {
        match arrival {
            Arrival::Index { need, index } => {
                if let Some(index) = index {
                    let supplied = in_flight.plan.supply_index(need.id, &index.index, index.shard_len);
                    supplied.map_err(|error| error.at_key(self.array.chunk_key(&need.chunk).as_str()))?;
                }
                Ok(())
            }
            Arrival::Chunks(chunks) => self.decode(in_flight, chunks, part),
        }
    }

    fn decode(
        &self,
        in_flight: &mut InFlight,
        chunks: Vec<(Need, Option<Value>)>,
        part: &Part,
    ) -> Result<()> {
        let arrived = chunks.len() as u64;
        let chunks: Vec<(Need, Value)> =
            chunks.into_iter().filter_map(|(need, value)| Some((need, value?))).collect();
        let bytes: u64 = chunks.iter().map(|(_, value)| value.len()).sum();
        self.advance(|progress| {
            progress.chunks += arrived;
            progress.bytes += bytes;
        });
        let (table, values) = pieces(&in_flight.plan, chunks)?;
        if values.is_empty() {
            return Ok(());
        }
        let decoding = match &mut in_flight.part {
            Some(decoding) => decoding,
            none => {
                let header = Header::new(&part.shape, self.order, self.conversion)?.to_words();
                none.insert(self.decoder.begin(self.array, header)?)
            }
        };
        decoding.supply(Supply { table, values }).map_err(|error| self.with_full_key(error))
    }

    fn advance(&self, change: impl FnOnce(&mut Progress)) {
        let mut progress = self.progress.get();
        change(&mut progress);
        self.progress.set(progress);
        self.sink.progress(&progress);
    }

    /// Decoders know chunk keys relative to the array.
    fn with_full_key(&self, error: Error) -> Error {
        match error.context().key.clone() {
            Some(relative) => error.replace_key(self.array.key(&relative).as_str()),
            None => error,
        }
    }
}

/// The table of what has arrived, and its buffers. What was cut out of one answer goes as one buffer again: a shard's answer
/// holds a thousand inner chunks, and each buffer costs a copy and a hand-over of its own.
fn pieces(plan: &PartPlan, chunks: Vec<(Need, Value)>) -> Result<(Vec<u32>, Vec<Value>)> {
    let mut values: Vec<Value> = Vec::new();
    let mut places = Vec::with_capacity(chunks.len());
    for (need, value) in chunks {
        let place = value.offset()..value.offset() + value.len();
        match values.last_mut().and_then(|last| Some((last.joined(&value, GAP_BYTES)?, last))) {
            Some((joined, last)) => *last = joined,
            None => values.push(value),
        }
        places.push((need.id, values.len() - 1, place));
    }
    let mut table = Vec::new();
    for (need, buffer, place) in places {
        let start = values.get(buffer).map_or(0, Value::offset);
        let bytes = place.start - start..place.end - start;
        plan.write_piece(need, crate::access::piece::word(buffer as u64)?, bytes, &mut table)?;
    }
    Ok((table, values))
}
