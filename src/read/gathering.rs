//! Requests of one read that are made at the same time: neighbouring ranges of one key are fetched together, whoever they are for.
//!
//! What a part decodes itself, what it shares with others and what the next part needs are asked for one by one; they meet here. A range
//! waits until all who are ready have asked. Deliberately not between reads: whoever gives up his read ends his requests.

use std::cell::{OnceCell, RefCell};
use std::future::poll_fn;
use std::ops::Range;
use std::rc::Rc;
use std::task::Poll;

use futures_util::future::{FutureExt, WeakShared};

use crate::error::Result;
use crate::format::path::StoreKey;
use crate::sorted::Map;
use crate::store::wrap::{GAP_BYTES, MERGED_BYTES, merge};
use crate::store::{ByteRange, Fetched, LocalFuture, RequestContext, Store};

type Answer = Result<Option<Fetched>>;

/// The ranges of a read that wait, by key.
#[derive(Default)]
pub(super) struct Gathering {
    turns: RefCell<Map<String, Rc<Turn>>>,
}

/// The ranges of one key that were asked for in one turn of the executor, and what became of them.
#[derive(Default)]
struct Turn {
    ranges: RefCell<Vec<Range<u64>>>,
    groups: OnceCell<Groups>,
}

#[derive(Default)]
struct Groups {
    groups: Vec<Group>,
    /// In which of them each range is.
    of_range: Vec<usize>,
}

/// Ranges that are one request.
struct Group {
    span: Range<u64>,
    /// How many ranges it has.
    ranges: usize,
    /// Under way, on behalf of whoever is left.
    fetch: RefCell<Option<WeakShared<LocalFuture<'static, Answer>>>>,
}

impl Gathering {
    /// Bytes of a key, from a store that merges ranges.
    ///
    /// # Errors
    /// As the store.
    pub async fn get(
        &self,
        store: &Rc<dyn Store>,
        key: &StoreKey,
        range: Range<u64>,
        context: &RequestContext,
    ) -> Answer {
        let turn = self.turns.borrow_mut().get_or_insert_with(key.as_str().to_owned(), Rc::default).clone();
        let place = turn.ranges.borrow().len();
        turn.ranges.borrow_mut().push(range.clone());
        all_have_asked().await;
        let groups = turn.groups.get_or_init(|| {
            self.turns.borrow_mut().remove(key.as_str());
            Groups::of(&turn.ranges.borrow())
        });
        match groups.group_of(place) {
            Some(group) if group.ranges > 1 => {
                let answer = group.shared(store, key, context).await?;
                answer.map(|fetched| cut(fetched, &group.span, &range)).transpose()
            }
            _ => store.get(key, bytes_of(&range), context).await,
        }
    }
}

impl Group {
    /// The group's bytes: one request for all who want some of them.
    async fn shared(&self, store: &Rc<dyn Store>, key: &StoreKey, context: &RequestContext) -> Answer {
        let under_way = self.fetch.borrow().as_ref().and_then(WeakShared::upgrade);
        let fetch = under_way.unwrap_or_else(|| {
            // All who wait are of one read, and have its signal.
            let (store, key, context) = (store.clone(), key.clone(), context.clone());
            let bytes = bytes_of(&self.span);
            let fetch: LocalFuture<'static, Answer> =
                Box::pin(async move { store.get(&key, bytes, &context).await });
            let fetch = fetch.shared();
            *self.fetch.borrow_mut() = fetch.downgrade();
            fetch
        });
        fetch.await
    }
}

impl Groups {
    fn of(ranges: &[Range<u64>]) -> Self {
        let mut all = Self { of_range: vec![0; ranges.len()], ..Self::default() };
        for (at, group) in merge(ranges, GAP_BYTES, MERGED_BYTES).into_iter().enumerate() {
            for member in &group.members {
                if let Some(of_range) = all.of_range.get_mut(*member) {
                    *of_range = at;
                }
            }
            let ranges = group.members.len();
            all.groups.push(Group { span: group.span, ranges, fetch: RefCell::default() });
        }
        all
    }

    fn group_of(&self, range: usize) -> Option<&Group> {
        self.groups.get(*self.of_range.get(range)?)
    }
}

fn bytes_of(range: &Range<u64>) -> ByteRange {
    ByteRange::FromStart { offset: range.start, len: range.end - range.start }
}

/// What of a group's answer one of its members asked for.
fn cut(fetched: Fetched, span: &Range<u64>, range: &Range<u64>) -> Result<Fetched> {
    let value = fetched.value.slice(range.start - span.start..range.end - span.start)?;
    Ok(Fetched { value, ..fetched })
}

/// Lets all who are ready go first. Those who poll a set of futures poll one again that has woken itself, but only twice before they
/// let their own callers go on; two sets stand in each other here.
pub(super) async fn all_have_asked() {
    let mut turns = 0..2 * 2;
    poll_fn(|context| match turns.next() {
        None => Poll::Ready(()),
        Some(_) => {
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await;
}
