//! A store over HTTP.
//!
//! `zarr_wasm_http` decides what to request and what an answer means; it is pure. [`transport`] is
//! the interface that sends requests. This file connects them. `write` writes, and `listing` lists.
//! Wrappers merge requests ([`super::wrap`]); this store shares those that bring whole objects in
//! place of parts (`sharing`).

mod listing;
pub mod origin;
mod sharing;
#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
pub mod transport;
pub mod whole_objects;
mod write;
mod written_urls;

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use futures_util::lock::Mutex;
use origin::Origin;
use transport::{CacheMode, HttpRequest, Method, Transport, TransportResult};
use url::RootUrl;
use written_urls::WrittenUrls;
use zarr_wasm_http::{
    BEGINNING_BYTES, Exchange, ExchangeContext, Goal, NextRequest, Outcome, RequestLabel, ServerKnowledge,
    Step, Subject, Value, WebPage, landing,
};
pub use zarr_wasm_http::{HttpOptions, url};

use super::{
    ByteRange, Changeable, FetchResult, Fetched, GetFuture, Listable, Listing, LocalFuture, Measured,
    RequestContext, SizeFuture, Store, Writable, at_key,
};
use crate::error::{Error, IS_FULL, IS_READING, Result};
use crate::format::path::{NodePath, StoreKey};
use crate::sorted::Map;
#[cfg(feature = "reading")]
use crate::store::MeasuredFuture;
use crate::store::in_flight::InFlight;

/// A store below a URL.
pub struct HttpStore<T> {
    transport: T,
    root: RootUrl,
    options: HttpOptions,
    origin: Rc<Origin>,
    knowledge: ServerKnowledge,
    lister: RefCell<Option<listing::Lister>>,
    open_ranges: RefCell<Map<String, u32>>,
    /// The number of this store among those of its origin.
    number: u64,
    /// The requests that others wait for, by URL.
    asked: InFlight<(u8, String), FetchResult>,
    this: Weak<Self>,
    written: RefCell<WrittenUrls>,
    probing: Mutex<()>,
}

impl<T: Transport + 'static> HttpStore<T> {
    /// A store below `root`. `origin` is the shared state of its server, from [`origin::Origins`].
    pub fn new(transport: T, root: RootUrl, options: HttpOptions, origin: Rc<Origin>) -> Rc<Self> {
        let written = RefCell::new(WrittenUrls::new(options.passes_caches));
        let number = origin.whole_objects.borrow_mut().new_store();
        Rc::new_cyclic(|this| Self {
            transport,
            root,
            options,
            origin,
            knowledge: ServerKnowledge::default(),
            lister: RefCell::default(),
            open_ranges: RefCell::default(),
            number,
            asked: InFlight::default(),
            this: this.clone(),
            written,
            probing: Mutex::new(()),
        })
    }

    /// Reads a file of this server at any URL, with what this store has learned about the server.
    ///
    /// # Errors
    /// Errors of [`Store::get`].
    pub async fn get_at(
        &self,
        url: &RootUrl,
        range: ByteRange,
        context: &RequestContext,
    ) -> Result<Option<Fetched>> {
        self.read(&url.object(), range.check()?, context).await
    }

    /// The size of a file of this server at any URL, and when it was changed.
    ///
    /// # Errors
    /// Errors of [`Store::size`].
    pub async fn measure_at(&self, url: &RootUrl, context: &RequestContext) -> Result<Option<Measured>> {
        self.measured(&url.object(), context).await
    }

    /// Notes that the host has read a metadata document of this server at a URL.
    pub fn note_document(&self, url: &str) {
        self.knowledge.answered.set(true);
        self.knowledge.web_pages.note_object(url, Subject::Metadata);
    }

    fn url_of(&self, key: &StoreKey) -> String {
        self.root.join(&key.percent_encoded())
    }

    async fn exchange(&self, url: &str, goal: Goal, context: &RequestContext) -> Result<Outcome> {
        match self.exchange_once(url, goal, context).await? {
            Outcome::Page(page) => self.judge_page(url, page, context).await,
            outcome @ (Outcome::Found(_) | Outcome::Whole(_)) => {
                if let Outcome::Whole(object) = &outcome {
                    self.keep(url, goal, object, context);
                }
                self.knowledge.web_pages.note_object(url, context.subject);
                Ok(outcome)
            }
            outcome => Ok(outcome),
        }
    }

    /// Like [`exchange`](Self::exchange), without an opinion on web pages.
    async fn exchange_once(&self, url: &str, goal: Goal, context: &RequestContext) -> Result<Outcome> {
        let shown = url::redact(url);
        let exchange_context = ExchangeContext {
            url: &shown,
            // Signatures and passwords are credentials; `redact` removes both.
            is_anonymous: self.options.is_anonymous && shown == url,
            may_probe: self.options.may_probe && shown == url,
            subject: context.subject,
            likely_size: context.likely_size,
            body_limit: context.body_limit(),
            options: &self.options,
            origin: &self.origin.knowledge,
            knowledge: &self.knowledge,
        };
        let (mut exchange, mut step) = Exchange::start(goal, exchange_context);
        loop {
            match step {
                Step::Done(outcome) => return outcome,
                Step::Send(next) if next.method == Method::Probe => {
                    step = self.probe(&mut exchange, url, next, context).await;
                }
                Step::Send(next) => {
                    if next.after_ms > 0 {
                        self.transport.sleep(next.after_ms).await;
                    }
                    let answer = self.send(url, next, context).await;
                    step = exchange.answer(answer, self.transport.random());
                }
            }
        }
    }

    /// Asks whether the server is there. Who wants to know meanwhile waits for the same answer.
    async fn probe(
        &self,
        exchange: &mut Exchange<'_>,
        url: &str,
        next: NextRequest,
        context: &RequestContext,
    ) -> Step {
        let Some(_turn) = self.probing.try_lock() else {
            drop(self.probing.lock().await);
            return exchange.settle(self.knowledge.seen.get());
        };
        let answer = self.send(url, next, context).await;
        exchange.answer(answer, 0.0)
    }

    /// Decides whether a page means that the object is absent.
    async fn judge_page(&self, url: &str, page: WebPage, context: &RequestContext) -> Result<Outcome> {
        let pages = &self.knowledge.web_pages;
        let known = pages.known_object().filter(|_| context.subject != Subject::Update);
        let Some(known) = known else {
            return Err(page_error(url, "nothing shows that the object is absent"));
        };
        let range = match known.subject {
            Subject::Metadata => ByteRange::Whole,
            Subject::Chunk | Subject::Update => ByteRange::At { offset: 0, len: BEGINNING_BYTES },
        };
        let again = RequestContext {
            subject: known.subject,
            reload: true,
            priority: context.priority.clone(),
            ..RequestContext::default()
        };
        match self.exchange_once(&known.url, Goal::Read(range), &again).await? {
            Outcome::Found(_) | Outcome::Whole(_) | Outcome::Size(_) => {
                pages.note_absence_page(page);
                pages.warn_once(&url::redact(url), context.subject, &self.options);
                Ok(Outcome::Absent)
            }
            Outcome::Page(_) => Err(page_error(
                url,
                "the server answers with a page for objects that it sent before, so a login may be needed",
            )),
            Outcome::Absent => {
                pages.forget_object(&known.url);
                Err(page_error(url, "nothing shows that the object is absent"))
            }
        }
    }

    async fn send(&self, url: &str, next: NextRequest, context: &RequestContext) -> TransportResult {
        let _permit = self.origin.permit(&context.priority).await;
        let reload = context.reload || self.written.borrow().contains(url);
        let open_range = next.range.as_ref().map(|_| OpenRange::new(&self.open_ranges, url));
        let concurrent = open_range.as_ref().is_some_and(|range| range.others > 0);
        let bypass =
            concurrent && self.options.no_store_concurrent_ranges && self.transport.serialises_ranges();
        let cache = match () {
            () if bypass || next.fresh => CacheMode::NoStore,
            () if context.revalidates => CacheMode::Revalidate,
            () if reload => CacheMode::Reload,
            () => CacheMode::Default,
        };
        let request = HttpRequest {
            method: next.method,
            url: url.to_owned(),
            range: next.range,
            cache,
            body: None,
            body_limit: next.body_limit,
            part_limit: next.part_limit,
            reload: next.fresh || reload,
            background: context.priority.is_background(),
        };
        let answer = self.transport.send(request).await;
        if let Ok(response) = &answer
            && context.subject != Subject::Metadata
            && next.method != Method::Probe
        {
            self.knowledge.demands_revalidation.set(response.headers.demand_revalidation());
        }
        answer
    }
}

fn page_error(url: &str, why: &str) -> Error {
    let shown = url::redact(url);
    RequestLabel { url: &shown, method: Method::Get, range: None }.web_page(why)
}

impl<T> Drop for HttpStore<T> {
    fn drop(&mut self) {
        self.origin.whole_objects.borrow_mut().forget_all(self.number);
    }
}

impl<T: Transport + 'static> Store for HttpStore<T> {
    fn describe(&self) -> String {
        let shown = self.root.shown();
        let remark = self.knowledge.web_pages.remark(landing::advice(&shown));
        shown + &remark
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        Box::pin(at_key(key, async move { self.read(&self.url_of(key), range.check()?, context).await }))
    }

    fn size<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> SizeFuture<'a> {
        Box::pin(at_key(key, async move {
            Ok(self.measured(&self.url_of(key), context).await?.map(|found| found.size))
        }))
    }

    #[cfg(feature = "reading")]
    fn measure<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> MeasuredFuture<'a> {
        Box::pin(at_key(key, async move { self.measured(&self.url_of(key), context).await }))
    }

    fn reads_parts(&self) -> bool {
        !self.knowledge.ranges_ignored.get()
    }

    fn as_listable(&self) -> Option<&dyn Listable> {
        if IS_READING { Some(self) } else { None }
    }

    fn as_writable(&self) -> Option<&dyn Writable> {
        if IS_FULL { Some(self) } else { None }
    }

    fn as_changeable(&self) -> Option<&dyn Changeable> {
        Some(self)
    }
}

impl<T: Transport + 'static> Listable for HttpStore<T> {
    fn is_known_to_list(&self) -> bool {
        self.has_lister()
    }

    fn can_list(&self) -> LocalFuture<'_, Result<bool>> {
        Box::pin(async move { Ok(self.lister().await?.is_some()) })
    }

    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        Box::pin(self.list_below(prefix))
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        Box::pin(self.list_all_below(prefix))
    }
}

impl<T: Transport + 'static> Writable for HttpStore<T> {
    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        Box::pin(at_key(key, async move { self.put(&self.url_of(key), value).await }))
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        Box::pin(at_key(key, async move { self.delete(&self.url_of(key)).await }))
    }
}

impl<T: Transport + 'static> Changeable for HttpStore<T> {
    fn is_cacheable(&self) -> bool {
        !self.knowledge.demands_revalidation.get()
    }

    fn absence_is_cacheable(&self) -> bool {
        !self.knowledge.took_refusal_for_absence.get()
    }

    fn forget_kept(&self) {
        self.origin.whole_objects.borrow_mut().forget_all(self.number);
        self.asked.forget_all();
    }

    fn note_changed(&self, key: &StoreKey) {
        self.forget_kept();
        self.written.borrow_mut().add(&self.url_of(key));
    }

    fn lock_name<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Option<String>> {
        Box::pin(std::future::ready(Some(url::redact(&self.url_of(key)))))
    }
}

/// A range request in flight.
struct OpenRange<'a> {
    all: &'a RefCell<Map<String, u32>>,
    url: String,
    /// Number of other range requests for this URL when it started.
    others: u32,
}

impl<'a> OpenRange<'a> {
    fn new(all: &'a RefCell<Map<String, u32>>, url: &str) -> Self {
        let mut open = all.borrow_mut();
        let count = open.get_or_insert_with(url.to_owned(), || 0);
        let others = *count;
        *count = count.saturating_add(1);
        Self { all, url: url.to_owned(), others }
    }
}

impl Drop for OpenRange<'_> {
    fn drop(&mut self) {
        let mut open = self.all.borrow_mut();
        if let Some(count) = open.get_mut(&self.url) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                open.remove(&self.url);
            }
        }
    }
}
