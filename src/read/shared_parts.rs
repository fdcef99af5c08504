//! PartsInFlight under way, for all who read the same elements in the same form: they are fetched and decoded once.
//!
//! Deliberately only for the very same part: one that merely overlaps would have to be read to its end for whoever wants a corner of it.
//! Single chunks are shared in [`shared_chunks`](super::shared_chunks).

use std::rc::Rc;

use crate::access::instruction::PartHeader;
use crate::access::plan::PartProjection;
use crate::read::part_work::{PartTask, ReadContext};
use crate::read::types::{PartCounts, PartNote, PartResult, PartsInFlight};
use crate::store::LocalFuture;
use crate::store::in_flight::{Begun, SharedFuture};
use crate::store::writers::{self, Moment};

/// Whether a part is read for all who want it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    On,
    /// For those who come later.
    Begun,
    /// Nothing of it is worth it, or somebody may see it.
    Off,
}

/// A part that is on its way.
pub(super) struct InFlightPart {
    pub running: SharedFuture<PartResult>,
    pub counts: Rc<PartCounts>,
    /// Somebody else has begun it.
    pub is_joined: bool,
}

/// Joins the part, or begins it.
pub(super) fn join_or_begin(read: &Rc<ReadContext>, run: PartTask, sharing: Sharing) -> InFlightPart {
    let (parts, counts) = (&read.fetcher.array.cache().parts, run.counts.clone());
    let projection = run.plan.projection().filter(|_| sharing != Sharing::Off);
    let identity = projection.and_then(|projection| Some((identity(read, &run, &projection)?, projection)));
    let Some((identity, projection)) = identity else {
        let running: LocalFuture<'static, PartResult> = Box::pin(read.clone().run(run));
        return InFlightPart { running: futures_util::FutureExt::shared(running), counts, is_joined: false };
    };
    if sharing == Sharing::On
        && let Some(joined) = join(read, parts, &identity, &run)
    {
        return joined;
    }
    let begun = Begun { moment: writers::now(), urgency: read.fetcher.context.urgency.clone() };
    let note = PartNote {
        read: read.token.clone(),
        projection,
        conversion: read.layout.conversion.clone(),
        counts: counts.clone(),
        is_wanted: run.is_wanted.clone(),
    };
    let running = parts.begin(identity, begun, note, Box::pin(read.clone().run(run)));
    InFlightPart { running, counts, is_joined: false }
}

/// Not what is less urgent: it waits in queues that would let somebody pass. Nor what was written to since it was begun.
fn join(
    read: &ReadContext,
    parts: &PartsInFlight,
    identity: &Rc<[u32]>,
    run: &PartTask,
) -> Option<InFlightPart> {
    let urgency = read.fetcher.context.urgency.value();
    let (running, note) = parts
        .join(identity, |begun, _| begun.urgency.value() >= urgency && is_current(read, run, begun.moment))?;
    note.is_wanted.set(true);
    Some(InFlightPart { running, counts: note.counts, is_joined: true })
}

/// Whether nothing was written to the chunks of a part since a moment.
fn is_current(read: &ReadContext, run: &PartTask, since: Moment) -> bool {
    let array = &read.fetcher.array;
    let is_current =
        |chunk: &Rc<[u64]>| writers::unchanged_since_of(array.chunks(), || array.chunk_key(chunk), since);
    run.plan.touched().all(is_current)
}

/// What two parts have in common that are one: what they take, and the form of it.
fn identity(read: &ReadContext, run: &PartTask, projection: &PartProjection) -> Option<Rc<[u32]>> {
    let header = PartHeader::new(&run.part.shape, &read.layout.order, &read.layout.conversion).ok()?;
    let mut words = header.to_words();
    words.extend(projection.to_words().ok()?);
    Some(words.into())
}
