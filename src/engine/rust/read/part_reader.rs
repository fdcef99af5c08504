//! Reads the parts of one read: starts each part or joins another read of the same part, reports
//! progress, starts again if a shard changed meanwhile, and hands the part to the sink.

use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use futures_util::future::FutureExt;

use crate::access::level::Level;
use crate::access::part::Part;
use crate::access::plan::PartPlan;
use crate::error::{Error, Result};
use crate::read::fetching::ChunkFetcher;
use crate::read::part_work::{LOOKED_AT, PartTask, ReadContext};
use crate::read::shared_parts::{InFlightPart, Sharing, join_or_begin};
use crate::read::types::{Interrupted, OutputLayout, PartCounts, PartData, PartResult, PartSink, Progress};
use crate::store::merged_ranges::MERGED_BYTES;
use crate::store::turn::next_turn;
use crate::store::{RequestContext, Subject};

/// How often a part is started again because a shard changed.
const RESTARTS: usize = 4;

/// Reads the parts of one read.
pub(super) struct PartReader<'a> {
    work: Rc<ReadContext>,
    sink: &'a dyn PartSink,
    sharing: Sharing,
    /// Number of chunks in the parts that were planned since the last turn ended.
    planned: Cell<u64>,
    progress: Cell<Progress>,
}

/// Chunks and bytes of a part that were already reported as progress.
type Reported = Cell<(u64, u64)>;

type Attempt = std::result::Result<PartData, Interrupted>;

impl<'a> PartReader<'a> {
    /// `decodes` tells whether the decoder decodes: see [`ReadRequest`](crate::read::ReadRequest).
    pub(super) fn new(work: ReadContext, sink: &'a dyn PartSink, chunks_total: u64, decodes: bool) -> Self {
        let fetcher = work.fetcher;
        let is_shared = decodes && fetcher.array.chunks().is_cacheable() && !is_plain(&fetcher, &work.layout);
        let sharing = match () {
            () if !is_shared => Sharing::Off,
            () if fetcher.uses_cache => Sharing::JoinOrBegin,
            () => Sharing::BeginOnly,
        };
        let mut context = RequestContext { subject: Subject::Chunk, ..fetcher.context.clone() };
        if is_shared {
            context.signal = None; // Several reads may wait, so none of them may abort it.
        }
        let fetcher = ChunkFetcher { context, ..fetcher };
        let parts_total = work.layout.parts;
        let progress = Cell::new(Progress { parts_total, chunks_total, ..Progress::default() });
        Self {
            work: Rc::new(ReadContext { fetcher, ..work }),
            sink,
            sharing,
            planned: Cell::default(),
            progress,
        }
    }

    /// The progress of the read.
    pub(super) fn progress(&self) -> Progress {
        self.progress.get()
    }

    /// Reads a part and hands it to the sink. `chunks` is the number of chunks in the part.
    ///
    /// # Errors
    /// `Store` if a shard keeps changing; errors of the store, the decoder and the sink.
    pub(super) async fn read(
        &self,
        part: &Part,
        chunks: u64,
        plan: &dyn Fn() -> Result<PartPlan>,
    ) -> Result<()> {
        let mut has_lost_worker = false;
        for _ in 0..=RESTARTS {
            let reported = Reported::default();
            if chunks > LOOKED_AT as u64 {
                // Many parts may be ready to be planned, and planning takes time for each chunk.
                next_turn().await;
            }
            match self.attempt(part, plan, &reported).await {
                Ok(data) => {
                    self.sink.part(part, data).await?;
                    // Chunks that the index of their shard does not list were never requested.
                    let absent = chunks.saturating_sub(reported.get().0);
                    self.advance(|progress| {
                        progress.parts += 1;
                        progress.chunks += absent;
                    });
                    return Ok(());
                }
                Err(Interrupted::Changed(chunk)) => {
                    self.work.fetcher.forget(&chunk);
                    self.take_back(&reported);
                }
                // The chunks were lost with the decode worker, so they are fetched again. If a
                // second worker is lost, these chunks are probably the cause.
                Err(Interrupted::WorkerLost(_)) if !has_lost_worker => {
                    has_lost_worker = true;
                    self.take_back(&reported);
                }
                Err(Interrupted::WorkerLost(reason)) => return Err(Error::unsupported(reason)),
                Err(Interrupted::Failed(error)) => return Err(error),
            }
        }
        Err(Error::store(
            "a shard changed during every attempt to read it; read it again when it is no longer written",
        ))
    }

    /// Waits until so many parts are finished. It is polled again after each part.
    pub(super) async fn finished(&self, parts: usize) {
        let is_finished = || self.progress.get().parts >= parts as u64;
        poll_fn(|_| if is_finished() { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    /// Says that the parts which begin now are the last ones.
    pub(super) fn shorten_requests(&self) {
        if let Some(bulk) = &self.work.fetcher.bulk {
            bulk.shorten(MERGED_BYTES);
        }
    }

    /// Ends the turn before a part is planned if many chunks were planned since the last turn.
    pub(super) async fn take_turn(&self, chunks: u64) {
        let planned = self.planned.get().saturating_add(chunks);
        if planned < LOOKED_AT as u64 {
            self.planned.set(planned);
            return;
        }
        self.planned.set(0);
        next_turn().await;
    }

    async fn attempt(
        &self,
        part: &Part,
        plan: &dyn Fn() -> Result<PartPlan>,
        reported: &Reported,
    ) -> Attempt {
        let mut sharing = self.sharing;
        loop {
            let (part, plan, counts) = (part.clone(), plan()?, Rc::default());
            let task = PartTask { part, plan, counts, is_wanted: Rc::default() };
            let InFlightPart { running, counts, is_joined } = join_or_begin(&self.work, task, sharing);
            let done = self.watch(running, &counts, reported).await?;
            if !(is_joined && done.is_placed) {
                return Ok(Rc::try_unwrap(done).map_or_else(|done| done.data.clone(), |done| done.data));
            }
            // The decoder wrote the elements into the result of the other read, so this read starts
            // its own.
            sharing = Sharing::BeginOnly;
            self.take_back(reported);
        }
    }

    /// Waits for a part and reports its progress.
    async fn watch(
        &self,
        mut running: impl Future<Output = PartResult> + Unpin,
        counts: &PartCounts,
        reported: &Reported,
    ) -> PartResult {
        poll_fn(|context| {
            let polled = running.poll_unpin(context);
            let (chunks, bytes) = (counts.chunks.get(), counts.bytes.get());
            let before = reported.replace((chunks, bytes));
            if before != (chunks, bytes) {
                self.advance(|progress| {
                    progress.chunks += chunks - before.0;
                    progress.bytes += bytes - before.1;
                });
            }
            polled
        })
        .await
    }

    /// Removes the chunks of a part from the progress, because the part starts again.
    fn take_back(&self, reported: &Reported) {
        let (chunks, _) = reported.take();
        self.advance(|progress| progress.chunks -= chunks);
    }

    fn advance(&self, change: impl FnOnce(&mut Progress)) {
        let mut progress = self.progress.get();
        change(&mut progress);
        self.progress.set(progress);
        self.sink.progress(&progress);
    }
}

/// Whether the stored bytes of this array are its elements, so that nothing must be decoded.
fn is_plain(fetcher: &ChunkFetcher, layout: &OutputLayout) -> bool {
    let chain = fetcher.array.binding().first_chain();
    let plain = |leaf: &Level| leaf.pipeline.plain_strides().is_some();
    layout.conversion.is_empty() && chain.is_ok_and(|chain| chain.leaf().is_ok_and(plain))
}
