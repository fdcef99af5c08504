//! Parts in flight. Reads of the same elements in the same form share one: it is fetched and
//! decoded once.
//!
//! Only reads of exactly the same part share it. A part that merely overlaps would have to be read
//! to its end for a read that needs only a corner of it. [`shared_chunks`](super::shared_chunks)
//! shares single chunks.

use std::rc::Rc;

use crate::access::instruction::PartHeader;
use crate::access::plan::PartProjection;
use crate::read::part_work::{PartTask, ReadContext};
use crate::read::types::{PartCounts, PartNote, PartResult, PartsInFlight};
use crate::store::in_flight::Begun;
use crate::store::writers::{self, Moment};
use crate::store::{LocalFuture, SharedFuture};

/// Whether reads share a part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    /// Join a part in flight, or start one that others may join.
    JoinOrBegin,
    /// Start a part that others may join.
    BeginOnly,
    /// Do not share.
    Off,
}

/// A part in flight.
pub(super) struct InFlightPart {
    pub running: SharedFuture<PartResult>,
    pub counts: Rc<PartCounts>,
    /// Another read started it.
    pub is_joined: bool,
}

/// Joins the part if it is in flight, or starts it.
pub(super) fn join_or_begin(read: &Rc<ReadContext>, task: PartTask, sharing: Sharing) -> InFlightPart {
    let (parts, counts) = (&read.fetcher.array.cache().parts, task.counts.clone());
    let projection = task.plan.projection().filter(|_| sharing != Sharing::Off);
    let identity = projection.and_then(|projection| Some((identity(read, &task, &projection)?, projection)));
    let Some((identity, projection)) = identity else {
        let running: LocalFuture<'static, PartResult> = Box::pin(read.clone().run(task));
        return InFlightPart { running: futures_util::FutureExt::shared(running), counts, is_joined: false };
    };
    if sharing == Sharing::JoinOrBegin
        && let Some(joined) = join(read, parts, &identity, &task)
    {
        return joined;
    }
    let begun = Begun { moment: writers::now(), priority: read.fetcher.context.priority.clone() };
    let note = PartNote {
        read: read.token.clone(),
        projection,
        conversion: read.layout.conversion.clone(),
        counts: counts.clone(),
        is_wanted: task.is_wanted.clone(),
    };
    let running = parts.begin(identity, begun, note, Box::pin(read.clone().run(task)));
    InFlightPart { running, counts, is_joined: false }
}

/// Joins a part in flight. Not a part of lower priority, because other requests would overtake it
/// in the queues. Not a part whose chunks were written since it started.
fn join(
    read: &ReadContext,
    parts: &PartsInFlight,
    identity: &Rc<[u32]>,
    task: &PartTask,
) -> Option<InFlightPart> {
    let priority = read.fetcher.context.priority.value();
    let (running, note) = parts.join(identity, |begun, _| {
        begun.priority.value() >= priority && is_current(read, task, begun.moment)
    })?;
    note.is_wanted.set(true);
    Some(InFlightPart { running, counts: note.counts, is_joined: true })
}

/// Whether this process has not written to the chunks of a part since `since`.
fn is_current(read: &ReadContext, task: &PartTask, since: Moment) -> bool {
    let array = &read.fetcher.array;
    let is_current =
        |chunk: &Rc<[u64]>| writers::unchanged_since_of(array.chunks(), || array.chunk_key(chunk), since);
    task.plan.touched().all(is_current)
}

/// The key of a part: the elements that it takes, and their output form.
fn identity(read: &ReadContext, task: &PartTask, projection: &PartProjection) -> Option<Rc<[u32]>> {
    let header = PartHeader::new(&task.part.shape, &read.layout.order, &read.layout.conversion).ok()?;
    let mut words = header.to_words();
    words.extend(projection.to_words().ok()?);
    Some(words.into())
}
