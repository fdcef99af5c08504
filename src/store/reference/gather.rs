//! Neighbouring ranges of one file, asked for under different keys at about the same time, in one request: the chunks of a file that
//! was made for other readers stand side by side there.
//!
//! Each who asks waits one turn, in which others join; whoever's is over first begins, and the ranges are merged as those of one call are
//! ([`Coalescing`](crate::store::wrap::Coalescing)). Each waits for its own request only, which is dropped with its last waiter.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::ops::Range;
use std::rc::{Rc, Weak};
use std::task::Poll;

use futures_util::future::{FutureExt, LocalBoxFuture, Shared};

use crate::error::{Error, Result};
use crate::store::wrap::{GAP_BYTES, MERGED_BYTES, merge};
use crate::store::{ByteRange, Fetched};

/// A request for a span of a file.
pub(super) type Fetch = LocalBoxFuture<'static, Result<Option<Fetched>>>;
type Waiting = Shared<Fetch>;

/// Those who wait for the same request, or for several.
#[derive(Default)]
struct Batch {
    ranges: RefCell<Vec<Range<u64>>>,
    /// By member: its request, and where that begins; empty before the turn.
    requests: RefCell<Vec<Option<(Waiting, u64)>>>,
}

/// The batches that can still be joined, by URL and whether caches are passed by.
#[derive(Default)]
pub(super) struct Gatherer {
    open: RefCell<BTreeMap<(String, bool), Weak<Batch>>>,
}

impl Gatherer {
    /// A range of the file of this name; `fetch` asks for a span of it.
    pub async fn get(
        &self,
        file: (String, bool),
        range: Range<u64>,
        fetch: &dyn Fn(ByteRange) -> Fetch,
    ) -> Result<Option<Fetched>> {
        let (batch, member) = self.join(file.clone(), range.clone());
        one_turn().await;
        if batch.requests.borrow().is_empty() {
            self.open.borrow_mut().remove(&file);
            batch.begin(fetch);
        }
        let request = batch.requests.borrow_mut().get_mut(member).and_then(Option::take);
        drop(batch);
        let (waiting, start) = request.ok_or_else(|| Error::store("a request was lost"))?;
        let Some(answer) = waiting.await? else { return Ok(None) };
        // A file that ends early is the caller's to judge.
        let end = (range.end - start).min(answer.value.len());
        let value = answer.value.slice((range.start - start).min(end)..end)?;
        Ok(Some(Fetched { value, ..answer }))
    }

    fn join(&self, file: (String, bool), range: Range<u64>) -> (Rc<Batch>, usize) {
        let mut open = self.open.borrow_mut();
        let known = open.get(&file).and_then(Weak::upgrade);
        let batch = known.unwrap_or_else(|| {
            open.retain(|_, batch| batch.strong_count() > 0);
            Rc::default()
        });
        open.insert(file, Rc::downgrade(&batch));
        let mut ranges = batch.ranges.borrow_mut();
        ranges.push(range);
        let member = ranges.len() - 1;
        drop(ranges);
        (batch, member)
    }
}

impl Batch {
    fn begin(&self, fetch: &dyn Fn(ByteRange) -> Fetch) {
        let ranges = self.ranges.borrow();
        let mut requests: Vec<Option<(Waiting, u64)>> = vec![None; ranges.len()];
        for group in merge(&ranges, GAP_BYTES, MERGED_BYTES) {
            let span =
                ByteRange::FromStart { offset: group.span.start, len: group.span.end - group.span.start };
            let waiting = FutureExt::shared(fetch(span));
            for member in group.members {
                if let Some(request) = requests.get_mut(member) {
                    *request = Some((waiting.clone(), group.span.start));
                }
            }
        }
        *self.requests.borrow_mut() = requests;
    }
}

/// Is ready when it is polled again: others that were to be polled have been by then.
async fn one_turn() {
    let mut is_over = false;
    poll_fn(|context| {
        if std::mem::replace(&mut is_over, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
