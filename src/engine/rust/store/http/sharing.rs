//! Requests for parts of one object that share one answer.
//!
//! A server that ignores byte ranges sends the whole object for each part. So until a server has
//! sent a part, or since it has sent a whole object, only one request for an object is in flight.
//! The others wait for it. If the whole object comes, all take their parts of it; if a part comes,
//! they ask for theirs.

use zarr_wasm_http::{Goal, Outcome};

use super::transport::Transport;
use super::whole_objects::{Arrival, ObjectName, WholeObjects};
use super::{ByteRange, HttpStore, RequestContext, Subject};
use crate::error::{Error, Result};
use crate::store::in_flight::Begun;
use crate::store::{Changeable, FetchResult, Fetched, Measured, Priority, SharedFuture, writers};

impl<T: Transport + 'static> HttpStore<T> {
    /// Reads an object or a part of it.
    pub(super) async fn read(&self, url: &str, range: ByteRange, context: &RequestContext) -> FetchResult {
        if let Some(object) = self.kept(url, context) {
            return object.part(range).map(Some);
        }
        if !self.waits_for_others(range, context) {
            return self.exchange(url, Goal::Read(range), context).await?.part(range);
        }
        let (answer, is_own) = self.join_or_begin(url, range, context);
        match answer.await {
            Ok(Some(object)) if object.is_whole() => {
                // Notes that this read uses the object, too.
                drop(self.kept(url, context));
                object.part(range).map(Some)
            }
            // The error is that of the object, not of a range of it.
            Err(error) if is_own || self.asks_for_whole_objects() => Err(error),
            Ok(Some(_)) | Err(_) if !is_own => {
                self.exchange(url, Goal::Read(range), context).await?.part(range)
            }
            answer => answer,
        }
    }

    /// The size of an object, and when it was changed.
    pub(super) async fn measured(&self, url: &str, context: &RequestContext) -> Result<Option<Measured>> {
        let outcome = match self.kept(url, context) {
            Some(object) => Outcome::Whole(object),
            None => self.exchange(url, Goal::Size, context).await?,
        };
        Ok(outcome.measured())
    }

    /// Keeps an object that came for a part of it, or from a server that sends no parts.
    pub(super) fn keep(&self, url: &str, goal: Goal, object: &Fetched, context: &RequestContext) {
        let is_surplus = goal != Goal::Read(ByteRange::Whole) || self.asks_for_whole_objects();
        if context.subject != Subject::Chunk || !is_surplus {
            return;
        }
        let arrival = Arrival { is_cacheable: self.is_cacheable(), is_reloaded: context.reload };
        let name = ObjectName { store: self.number, url: url.to_owned() };
        WholeObjects::keep(&self.origin.whole_objects, name, object.clone(), arrival, context);
    }

    /// An object that came whole before.
    fn kept(&self, url: &str, context: &RequestContext) -> Option<Fetched> {
        if context.subject != Subject::Chunk {
            return None;
        }
        WholeObjects::get(&self.origin.whole_objects, self.number, url, context)
    }

    fn asks_for_whole_objects(&self) -> bool {
        self.knowledge.asks_for_whole_objects(&self.origin.knowledge)
    }

    fn waits_for_others(&self, range: ByteRange, context: &RequestContext) -> bool {
        context.subject == Subject::Chunk
            && match range {
                ByteRange::Whole => self.asks_for_whole_objects(),
                ByteRange::At { .. } | ByteRange::Last(_) => {
                    self.knowledge.may_send_whole_objects(&self.origin.knowledge)
                }
            }
    }

    /// The answer to the request that is in flight for an object, or else to a new one for a part
    /// of it. And whether it is new.
    fn join_or_begin(
        &self,
        url: &str,
        range: ByteRange,
        context: &RequestContext,
    ) -> (SharedFuture<FetchResult>, bool) {
        let key = (u8::from(context.reload), url.to_owned());
        let joined = self.asked.join(&key, |begun, ()| {
            begun.priority.raise(context.priority.value());
            true
        });
        if let Some((answer, ())) = joined {
            return (answer, false);
        }
        let priority = Priority::new(context.priority.value());
        let own = RequestContext { signal: None, priority: priority.clone(), ..context.clone() };
        let (store, url) = (self.this.clone(), url.to_owned());
        let begun = Begun { moment: writers::now(), priority };
        let answer = self.asked.begin(
            key,
            begun,
            (),
            Box::pin(async move {
                let closed = || Error::store("internal error: the store was closed");
                let store = store.upgrade().ok_or_else(closed)?;
                Ok(store.exchange(&url, Goal::Read(range), &own).await?.found())
            }),
        );
        (answer, true)
    }
}
