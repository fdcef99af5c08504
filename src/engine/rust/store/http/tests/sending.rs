//! Sending requests: cache modes, concurrency, limits, and dropped reads.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Waker};

use futures_util::FutureExt;
use futures_util::future::{join_all, select_all};
use zarr_wasm_http::Subject;

use super::script::{ROOT, line};
use crate::error::Result;
use crate::format::path::StoreKey;
use crate::limits;
use crate::store::http::origin::Origin;
use crate::store::http::transport::{HttpRequest, Transport, TransportResult};
use crate::store::http::url::RootUrl;
use crate::store::http::{HttpOptions, HttpStore};
use crate::store::{ByteRange, Fetched, LocalFuture, RequestContext, Store};

/// A transport that never answers. It records its requests and which of them were aborted.
#[derive(Default)]
struct Silent {
    serialises: bool,
    sent: RefCell<Vec<String>>,
    limits: RefCell<Vec<u64>>,
    aborted: Cell<u32>,
}

struct Aborted<'a>(&'a Cell<u32>);

impl Drop for Aborted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

impl Transport for Silent {
    fn send(&self, request: HttpRequest) -> LocalFuture<'_, TransportResult> {
        self.sent.borrow_mut().push(line(&request));
        self.limits.borrow_mut().push(request.body_limit);
        let aborted = Aborted(&self.aborted);
        Box::pin(std::future::pending().inspect(move |_: &TransportResult| drop(aborted)))
    }

    fn sleep(&self, _ms: u32) -> LocalFuture<'_, ()> {
        Box::pin(std::future::pending())
    }

    fn random(&self) -> f64 {
        0.0
    }

    fn serialises_ranges(&self) -> bool {
        self.serialises
    }
}

struct SilentScene {
    transport: Rc<Silent>,
    store: Rc<HttpStore<Rc<Silent>>>,
}

const WINDOWS: [(&str, ByteRange); 4] = [
    ("c/0", ByteRange::At { offset: 0, len: 2 }),
    ("c/0", ByteRange::At { offset: 4, len: 2 }),
    ("c/1", ByteRange::At { offset: 0, len: 2 }),
    ("c/0", ByteRange::Whole),
];

impl SilentScene {
    fn new(serialises: bool, options: HttpOptions, concurrent: usize) -> Self {
        let transport = Rc::new(Silent { serialises, ..Silent::default() });
        let origin = Rc::new(Origin::new(concurrent));
        origin.knowledge.sends_parts.set(true);
        let store = HttpStore::new(transport.clone(), RootUrl::parse(ROOT).unwrap(), options, origin);
        Self { transport, store }
    }

    /// Starts reads and drops them.
    fn begin(&self, reads: &[(&str, ByteRange)], context: &RequestContext) -> Vec<String> {
        let keys: Vec<_> = reads.iter().map(|(key, _)| StoreKey::parse(key).unwrap()).collect();
        let reads = keys.iter().zip(reads).map(|(key, (_, range))| self.store.get(key, *range, context));
        let pending = join_all(reads).now_or_never();
        assert!(pending.is_none());
        self.transport.sent.take()
    }
}

fn chunk() -> RequestContext {
    RequestContext { subject: Subject::Chunk, ..RequestContext::default() }
}

#[test]
fn only_concurrent_ranges_of_one_url_bypass_the_cache_and_only_in_chromium() {
    let sent = SilentScene::new(true, HttpOptions::default(), 8).begin(&WINDOWS, &chunk());
    let expected = ["GET c/0 bytes=0-1", "GET c/0 bytes=4-5 no-store", "GET c/1 bytes=0-1", "GET c/0"];
    assert_eq!(sent, expected);

    let plain = ["GET c/0 bytes=0-1", "GET c/0 bytes=4-5", "GET c/1 bytes=0-1", "GET c/0"];
    assert_eq!(SilentScene::new(false, HttpOptions::default(), 8).begin(&WINDOWS, &chunk()), plain);
    let off = HttpOptions { no_store_concurrent_ranges: false, ..HttpOptions::default() };
    assert_eq!(SilentScene::new(true, off, 8).begin(&WINDOWS, &chunk()), plain);
}

#[test]
fn ranges_that_have_ended_are_not_concurrent() {
    let scene = SilentScene::new(true, HttpOptions::default(), 8);
    for _ in 0..2 {
        assert_eq!(scene.begin(&WINDOWS[..1], &chunk()), ["GET c/0 bytes=0-1"]);
    }
}

#[test]
fn a_reload_bypasses_the_http_cache() {
    let scene = SilentScene::new(true, HttpOptions::default(), 8);
    let reload = RequestContext { reload: true, ..RequestContext::default() };
    assert_eq!(scene.begin(&[("zarr.json", ByteRange::Whole)], &reload), ["GET zarr.json reload"]);
    let sent = scene.begin(&WINDOWS[..2], &reload);
    assert_eq!(sent, ["GET c/0 bytes=0-1 reload", "GET c/0 bytes=4-5 no-store"]);
}

#[test]
fn a_watch_revalidates_the_http_cache() {
    let scene = SilentScene::new(true, HttpOptions::default(), 8);
    let watch = RequestContext { reload: true, revalidates: true, ..RequestContext::default() };
    assert_eq!(scene.begin(&[("zarr.json", ByteRange::Whole)], &watch), ["GET zarr.json no-cache"]);
}

#[test]
fn body_lengths_are_limited_before_reading() {
    let scene = SilentScene::new(true, HttpOptions::default(), 8);
    scene.begin(&WINDOWS[..1], &chunk());
    scene.begin(&WINDOWS[..1], &RequestContext::default());
    // HEAD announces the size of a shard, which may well be above what fits one body.
    scene.begin(&[("c/0", ByteRange::Last(8))], &chunk());
    let expected = [limits::RESULT_BYTES, limits::METADATA_BYTES, u64::MAX];
    assert_eq!(*scene.transport.limits.borrow(), expected);
}

#[test]
fn dropping_a_read_aborts_its_request_and_frees_its_permit() {
    let scene = SilentScene::new(true, HttpOptions::default(), 1);
    let keys = ["c/0", "c/1", "c/2"].map(|key| StoreKey::parse(key).unwrap());
    let context = chunk();
    let mut reads: Vec<LocalFuture<'_, Result<Option<Fetched>>>> =
        keys.iter().map(|key| scene.store.get(key, ByteRange::Whole, &context)).collect();
    let poll = |reads: &mut Vec<_>| {
        let mut any = select_all(reads.drain(..));
        assert!(any.poll_unpin(&mut Context::from_waker(Waker::noop())).is_pending());
        reads.extend(any.into_inner());
    };
    poll(&mut reads);
    assert_eq!(*scene.transport.sent.borrow(), ["GET c/0"]);
    drop(reads.remove(0));
    assert_eq!(scene.transport.aborted.get(), 1);
    drop(reads.remove(0));
    poll(&mut reads);
    assert_eq!(*scene.transport.sent.borrow(), ["GET c/0", "GET c/2"]);
}
