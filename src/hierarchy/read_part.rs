//! Reading one part: its needs are fetched as the plan raises them, each answer goes to the decoder at once.
//!
//! A chunk whose bytes are its elements needs no decoder. One that has to be decoded whole but is wanted in part is decoded whole
//! indeed, once for all who want some of it ([`shared_chunks`](super::shared_chunks)), and kept ([`chunk_cache`](super::chunk_cache));
//! the sink takes from it what is wanted.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use futures_util::future::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};

use crate::access::binding::Level;
use crate::access::part::Part;
use crate::access::piece::{Header, MovedAxis};
use crate::access::plan::{Need, PartPlan};
use crate::error::{Error, Result, Stage};
use crate::hierarchy::chunk_cache::Kind;
use crate::hierarchy::decoder::{Decoder, PartDecoder};
use crate::hierarchy::decoding::{supply, with_full_key};
use crate::hierarchy::fetching::{Arrival, Fetching, wrong_length};
use crate::hierarchy::read::{Base, Keeping, OutputLayout, PartData, PartSink, PlacedChunk, Progress};
use crate::hierarchy::shared_chunks::{Decoded, Stack, StackReader, WholeChunk};
use crate::store::turn::next_turn;
use crate::store::writers::{self, Moment};
use crate::store::{LocalFuture, RequestContext, Subject, Value};

/// How often a part is begun again because a shard changed under it.
const RESTARTS: usize = 2;

/// Chunks that are decoded whole go to a decoder together, up to about so many bytes.
const STACK_BYTES: u64 = 1 << 20;

/// So many requests of a part are started, or answers taken, before others have their turn: a part may have thousands of tiny chunks.
const AT_A_TIME: usize = 64;

/// A box of a chunk is taken element by element, on the caller's thread, up to so many elements.
const SINGLE_ELEMENTS: u64 = 1 << 14;

fn is_lost_worker(error: &Error) -> bool {
    error.context().stage == Some(Stage::Worker)
}

/// What the parts of one read share.
pub(super) struct PartReader<'a> {
    fetching: Fetching,
    decoder: Rc<dyn Decoder>,
    sink: &'a dyn PartSink,
    layout: &'a OutputLayout,
    keeping: Keeping,
    progress: Cell<Progress>,
}

/// Why a part was not read.
#[derive(Clone)]
pub(super) enum Interrupted {
    /// The version of a stored chunk is not that of its index.
    Changed(Rc<[u64]>),
    Failed(Error),
}

impl From<Error> for Interrupted {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// What a part waits for.
enum Event {
    Arrived(Arrival),
    Whole(Vec<(Need, WholeChunk)>),
}

type Waiting = LocalFuture<'static, std::result::Result<Event, Interrupted>>;

/// A part on its way: its plan, what needs no decoder any more, and whoever decodes the rest once there is something to decode.
struct InFlight<'b> {
    plan: PartPlan,
    /// Chunks that have arrived, or are known to be absent.
    arrived: &'b Cell<u64>,
    decoding: Option<Box<dyn PartDecoder>>,
    /// What has arrived and goes to the decoder together.
    encoded: Vec<(Need, Value)>,
    chunks: Vec<PlacedChunk>,
}

impl<'a> PartReader<'a> {
    pub(super) fn new(
        fetching: Fetching,
        decoder: &Rc<dyn Decoder>,
        sink: &'a dyn PartSink,
        layout: &'a OutputLayout,
        keeping: Keeping,
        chunks_total: u64,
    ) -> Self {
        let context = RequestContext { subject: Subject::Chunk, ..fetching.context.clone() };
        let fetching = Fetching { context, ..fetching };
        let progress = Cell::new(Progress { parts_total: layout.parts, chunks_total, ..Progress::default() });
        Self { fetching, decoder: decoder.clone(), sink, layout, keeping, progress }
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
        let mut has_lost_worker = false;
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
                    self.fetching.forget(&chunk);
                    self.advance(|progress| progress.chunks -= arrived.get());
                }
                // What it had been given went with it, and is fetched again. A second one has been lost over these very chunks.
                Err(Interrupted::Failed(error)) if is_lost_worker(&error) && !has_lost_worker => {
                    has_lost_worker = true;
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
        let mut in_flight =
            InFlight { plan, arrived, decoding: None, encoded: Vec::new(), chunks: Vec::new() };
        let mut waiting: FuturesUnordered<Waiting> = FuturesUnordered::new();
        let (mut to_start, mut taken) = (VecDeque::new(), 0_usize);
        loop {
            let needs = in_flight.plan.take_needs();
            to_start.extend(self.begin(&mut in_flight, needs, begun)?);
            let event = if to_start.is_empty() {
                waiting.next().await
            } else {
                waiting.extend(to_start.drain(..to_start.len().min(AT_A_TIME)));
                // Starts them; what is there already is taken.
                waiting.next().now_or_never().flatten()
            };
            match event {
                Some(event) => {
                    self.take(&mut in_flight, event?)?;
                    // With all that has arrived meanwhile: what goes to a decoder goes there together.
                    for _ in 1..AT_A_TIME {
                        let Some(event) = waiting.next().now_or_never().flatten() else { break };
                        self.take(&mut in_flight, event?)?;
                        taken += 1;
                    }
                    self.supply(&mut in_flight, part)?;
                }
                None if to_start.is_empty() && waiting.is_empty() => break,
                None => {}
            }
            taken += 1;
            if !to_start.is_empty() || taken >= AT_A_TIME {
                taken = 0;
                next_turn().await;
            }
        }
        drop(waiting);
        let base = match in_flight.decoding {
            Some(decoding) => {
                let decoded = decoding.finish_at(part).await;
                let decoded = decoded.map_err(|error| with_full_key(&self.fetching, error))?;
                decoded.map_or(Base::Covered, Base::Bytes)
            }
            None if covers(&in_flight.chunks, part) => Base::Covered,
            None => Base::Fill,
        };
        Ok(PartData { base, chunks: in_flight.chunks })
    }

    /// Begins what answers these needs.
    fn begin(&self, in_flight: &mut InFlight<'_>, needs: Vec<Need>, begun: Moment) -> Result<Vec<Waiting>> {
        let mut events: Vec<Waiting> = Vec::new();
        let (mut others, mut to_stack) = (Vec::new(), Vec::new());
        let urgency = self.fetching.context.urgency.value();
        let mut needs = VecDeque::from(needs);
        while let Some(need) = needs.pop_front() {
            if self.reads_rows(&need) && in_flight.plan.divide_into_rows(need.id)? {
                needs.extend(in_flight.plan.take_needs());
                continue;
            }
            if need.is_index || !self.is_shared(&in_flight.plan, &need) {
                others.push(need);
            } else if let Some(elements) = self.fetching.kept(Kind::Decoded, &self.converted(&need)) {
                let whole = WholeChunk { elements, fetched: 0 };
                self.take_whole(in_flight, vec![(need, whole)])?;
            } else if !self.decodes_whole(&in_flight.plan, &need) {
                others.push(need);
            } else {
                let is_current = |moment| self.fetching.is_current(&need, moment);
                match self.fetching.array.cache().flights.join(&self.converted(&need), urgency, is_current) {
                    Some((stack, slot)) if self.fetching.uses_kept => {
                        let own = self.stack_of(&in_flight.plan, vec![need.clone()])?;
                        events.push(joined(stack, slot, need, own));
                    }
                    _ => to_stack.push(need),
                }
            }
        }
        for needs in self.stacks(&in_flight.plan, to_stack)? {
            let decoding = self.stack_of(&in_flight.plan, needs.clone())?;
            let converted: Vec<Need> = needs.iter().map(|need| self.converted(need)).collect();
            let stack = self.fetching.array.cache().flights.start(&converted, (begun, urgency), decoding);
            events.push(Box::pin(async move {
                let decoded = stack.await?;
                Ok(Event::Whole(needs.into_iter().zip(decoded.iter().cloned()).collect()))
            }));
        }
        let requests = self.fetching.requests(&in_flight.plan, others, begun)?;
        events.extend(
            requests
                .into_iter()
                .map(|request| -> Waiting { Box::pin(request.map(|arrival| arrival.map(Event::Arrived))) }),
        );
        Ok(events)
    }

    /// Whether rows of a chunk may be fetched instead of all of it, if its bytes are its elements: not where it is at hand, nor of a
    /// store that is asked for what its owner expects.
    fn reads_rows(&self, need: &Need) -> bool {
        let array = &self.fetching.array;
        let is_kept = self.fetching.uses_kept && array.cache().has(Kind::Encoded, need);
        !need.is_index && need.rows.is_none() && array.chunks().reads_rows() && !is_kept
    }

    /// Whether a chunk is wanted in part, in a way that is well taken from a whole one.
    fn is_shared(&self, plan: &PartPlan, need: &Need) -> bool {
        let Ok(level) = plan.leaf(need.id) else { return false };
        if !self.keeping.decoded || self.layout.element_size == 0 || self.is_plain(level) {
            return false;
        }
        let Some(moved) = plan.moved_box(need.id) else { return false };
        let shape = &self.fetching.array.binding().metadata().shape;
        let is_all = moved.iter().zip(&level.shape).zip(shape.iter().zip(need.origin.iter())).all(
            |((axis, extent), (end, origin))| axis.count() == (*extent).min(end.saturating_sub(*origin)),
        );
        !is_all && self.has_rows(&moved)
    }

    /// Whether the bytes of a chunk are elements of the result.
    fn is_plain(&self, level: &Level) -> bool {
        self.layout.conversion.is_empty() && level.pipeline.plain_strides().is_some()
    }

    /// A chunk as those know it who keep and share its elements: converted to something else, it is another one.
    fn converted(&self, need: &Need) -> Need {
        if self.layout.conversion.is_empty() {
            return need.clone();
        }
        let words = self.layout.conversion.iter().map(|word| u64::from(*word));
        Need { origin: need.origin.iter().copied().chain(words).collect(), ..need.clone() }
    }

    /// Whether what is taken from a chunk is taken by rows, or is little.
    fn has_rows(&self, moved: &[MovedAxis]) -> bool {
        let elements: u64 = moved.iter().map(MovedAxis::count).product();
        if elements <= SINGLE_ELEMENTS {
            return true;
        }
        let fastest = self.layout.order.iter().rev().filter_map(|axis| moved.get(*axis));
        let row = fastest.into_iter().find(|axis| axis.count() > 1);
        let is_row = matches!(row, Some(MovedAxis::Range { step: 1, .. }));
        is_row && self.layout.order == self.keeping.native_order
    }

    /// Whether a chunk is decoded whole for a part of it: it must be, or is asked for again.
    fn decodes_whole(&self, plan: &PartPlan, need: &Need) -> bool {
        let partial = plan.leaf(need.id).is_ok_and(|level| level.pipeline.decodes_partially());
        !partial || self.fetching.array.cache().has(Kind::Encoded, need)
    }

    /// Sorts chunks into stacks: of one shape, and not too large.
    fn stacks(&self, plan: &PartPlan, needs: Vec<Need>) -> Result<Vec<Vec<Need>>> {
        let element_size = self.layout.element_size.max(1) as u64;
        let mut stacks: Vec<(&[u64], u64, Vec<Need>)> = Vec::new();
        for need in needs {
            let shape = plan.leaf(need.id)?.shape.as_slice();
            let bytes = shape.iter().fold(element_size, |bytes, extent| bytes.saturating_mul(*extent));
            match stacks.last_mut() {
                Some((of, size, stack)) if *of == shape && *size + bytes <= STACK_BYTES => {
                    *size += bytes;
                    stack.push(need);
                }
                _ => stacks.push((shape, bytes, vec![need])),
            }
        }
        Ok(stacks.into_iter().map(|(_, _, stack)| stack).collect())
    }

    /// Fetches and decodes whole chunks of one shape; they are kept when they are there.
    fn stack_of(&self, plan: &PartPlan, needs: Vec<Need>) -> Result<LocalFuture<'static, Decoded>> {
        let order = &self.keeping.native_order;
        let ids: Vec<usize> = needs.iter().map(|need| need.id).collect();
        let along = order.first().copied().unwrap_or(0);
        let mut shape = needs.first().map_or(Ok(Vec::new()), |need| Ok(plan.leaf(need.id)?.shape.clone()))?;
        if let Some(extent) = shape.get_mut(along) {
            *extent *= needs.len() as u64;
        }
        let mut context = self.fetching.context.clone();
        context.signal = None; // Nobody who waits owns it.
        let stack = StackReader {
            // Their elements are kept instead.
            fetching: Fetching { keeps: false, context, ..self.fetching.clone() },
            decoder: self.decoder.clone(),
            header: Header::new(&shape, order, &self.layout.conversion)?.to_words(),
            plan: plan.stacked(&ids, along)?,
            slot_bytes: shape.iter().product::<u64>() / (needs.len() as u64).max(1)
                * self.layout.element_size as u64,
            needs: needs.iter().map(|need| self.converted(need)).collect(),
        };
        Ok(Box::pin(stack.read()))
    }

    /// Answers the plan, and hands chunks on to the decoder.
    fn take(&self, in_flight: &mut InFlight<'_>, event: Event) -> std::result::Result<(), Interrupted> {
        match event {
            Event::Arrived(Arrival::Index { need, index }) => {
                if let Some(index) = index {
                    let array = &self.fetching.array;
                    let supplied = in_flight.plan.supply_index(need.id, &index.index, index.shard_len);
                    supplied.map_err(|error| error.at_key(array.chunk_key(&need.chunk).as_str()))?;
                }
            }
            Event::Arrived(Arrival::Chunks(chunks)) => self.take_chunks(in_flight, chunks)?,
            Event::Whole(chunks) => self.take_whole(in_flight, chunks)?,
        }
        Ok(())
    }

    fn take_whole(&self, in_flight: &mut InFlight<'_>, chunks: Vec<(Need, WholeChunk)>) -> Result<()> {
        let arrived = chunks.iter().filter(|(need, _)| need.rows.is_none()).count();
        self.count(in_flight, arrived, chunks.iter().map(|(_, chunk)| chunk.fetched).sum());
        for (need, chunk) in chunks {
            let (Some(elements), Some(moved)) = (chunk.elements, in_flight.plan.moved_box(need.id)) else {
                continue;
            };
            let level = in_flight.plan.leaf(need.id)?;
            let strides = packed_strides(&level.shape, &self.keeping.native_order);
            in_flight.chunks.push(PlacedChunk { elements, strides, moved });
        }
        Ok(())
    }

    fn take_chunks(&self, in_flight: &mut InFlight<'_>, chunks: Vec<(Need, Option<Value>)>) -> Result<()> {
        // Chunks that are read by rows count when the part is done.
        let arrived = chunks.iter().filter(|(need, _)| need.rows.is_none()).count();
        let mut bytes = 0;
        for (need, value) in chunks.into_iter().filter_map(|(need, value)| Some((need, value?))) {
            bytes += value.len();
            match self.plain(&in_flight.plan, &need, &value)? {
                Some(plain) => in_flight.chunks.push(plain),
                None => in_flight.encoded.push((need, value)),
            }
        }
        self.count(in_flight, arrived, bytes);
        Ok(())
    }

    /// Hands what has arrived on to the decoder.
    fn supply(&self, in_flight: &mut InFlight<'_>, part: &Part) -> Result<()> {
        let encoded = std::mem::take(&mut in_flight.encoded);
        let header = || Ok(Header::new(&part.shape, &self.layout.order, &self.layout.conversion)?.to_words());
        supply(&self.fetching, &*self.decoder, &in_flight.plan, &mut in_flight.decoding, encoded, header)
    }

    /// A chunk whose bytes are its elements, if it is one.
    fn plain(&self, plan: &PartPlan, need: &Need, value: &Value) -> Result<Option<PlacedChunk>> {
        let level = plan.leaf(need.id)?;
        let plain = level.pipeline.plain_strides().filter(|_| self.is_plain(level));
        let Some(strides) = plain else { return Ok(None) };
        let Some(moved) = plan.moved_box(need.id).filter(|moved| self.has_rows(moved)) else {
            return Ok(None);
        };
        let strides = in_array_order(&strides, &level.axes);
        let expected = level.pipeline.encoded_len().unwrap_or(0);
        if value.len() != expected {
            let error = wrong_length(expected, value.len());
            return Err(error.at_key(self.fetching.array.chunk_key(&need.chunk).as_str()));
        }
        Ok(Some(PlacedChunk { elements: value.clone(), strides, moved }))
    }

    fn count(&self, in_flight: &InFlight<'_>, chunks: usize, bytes: u64) {
        in_flight.arrived.set(in_flight.arrived.get() + chunks as u64);
        self.advance(|progress| {
            progress.chunks += chunks as u64;
            progress.bytes += bytes;
        });
    }

    fn advance(&self, change: impl FnOnce(&mut Progress)) {
        let mut progress = self.progress.get();
        change(&mut progress);
        self.progress.set(progress);
        self.sink.progress(&progress);
    }
}

/// Waits for a chunk that somebody else has decoded, and decodes it alone if they could not.
fn joined(stack: Stack, slot: usize, need: Need, own: LocalFuture<'static, Decoded>) -> Waiting {
    Box::pin(async move {
        let (decoded, slot) = match stack.await {
            Ok(decoded) => (decoded, slot),
            Err(_) => (own.await?, 0),
        };
        let chunk = decoded.get(slot).cloned();
        Ok(Event::Whole(chunk.map(|chunk| (need, chunk)).into_iter().collect()))
    })
}

/// Whether chunks fill a part: no two of them have a place in common.
fn covers(chunks: &[PlacedChunk], part: &Part) -> bool {
    let placed: u64 =
        chunks.iter().map(|chunk| chunk.moved.iter().map(MovedAxis::count).product::<u64>()).sum();
    placed == part.shape.iter().product::<u64>()
}

/// Elements from one index to the next along each dimension of a packed box, whose dimensions stand in this order, slowest first.
fn packed_strides(shape: &[u64], order: &[usize]) -> Vec<usize> {
    let mut strides = vec![0; shape.len()];
    let mut step = 1_usize;
    for axis in order.iter().rev() {
        if let (Some(stride), Some(extent)) = (strides.get_mut(*axis), shape.get(*axis)) {
            *stride = step;
            step = step.saturating_mul(usize::try_from(*extent).unwrap_or(usize::MAX));
        }
    }
    strides
}

/// A level's strides in the array's order of dimensions.
fn in_array_order(strides: &[usize], axes: &[usize]) -> Vec<usize> {
    let mut ordered = vec![0; strides.len()];
    for (axis, stride) in axes.iter().zip(strides) {
        if let Some(place) = ordered.get_mut(*axis) {
            *place = *stride;
        }
    }
    ordered
}
