//! Servers without ranges: parts that are asked for together, or one after the other, share one
//! answer.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_executor::block_on;
use futures_util::FutureExt;
use futures_util::future::join_all;
use zarr_wasm_http::Subject;

use super::script::{ROOT, line, respond};
use crate::error::ErrorKind;
use crate::format::path::StoreKey;
use crate::store::http::origin::Origin;
use crate::store::http::transport::{HttpRequest, Transport, TransportResult};
use crate::store::http::url::RootUrl;
use crate::store::http::{HttpOptions, HttpStore};
use crate::store::turn::let_others_run;
use crate::store::{ByteRange, FetchResult, LocalFuture, Reader, RequestContext, Store};

const OBJECT: &[u8] = b"0123456789";

/// A server whose answers take a while.
#[derive(Default)]
struct Server {
    has_ranges: Cell<bool>,
    is_broken: Cell<bool>,
    headers: RefCell<Vec<&'static str>>,
    asked: RefCell<Vec<String>>,
}

impl Server {
    fn answer(&self, range: Option<&str>) -> TransportResult {
        let headers = self.headers.borrow();
        let asked = range.and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
        match asked {
            _ if self.is_broken.get() => respond(401, b"", &[]),
            Some((first, last)) if self.has_ranges.get() => {
                let (first, last) = (first.parse::<usize>().unwrap(), last.parse::<usize>().unwrap());
                respond(206, &OBJECT[first..=last], &headers)
            }
            _ => respond(200, OBJECT, &headers),
        }
    }
}

impl Transport for Server {
    fn send(&self, request: HttpRequest) -> LocalFuture<'_, TransportResult> {
        self.asked.borrow_mut().push(line(&request));
        Box::pin(async move {
            let_others_run().await;
            self.answer(request.range.as_deref())
        })
    }

    fn sleep(&self, _ms: u32) -> LocalFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn random(&self) -> f64 {
        0.0
    }

    fn serialises_ranges(&self) -> bool {
        false
    }
}

struct Scene {
    server: Rc<Server>,
    store: Rc<HttpStore<Rc<Server>>>,
}

impl Scene {
    fn new(headers: &[&'static str]) -> Self {
        let server = Rc::new(Server { headers: RefCell::new(headers.to_vec()), ..Server::default() });
        let (root, origin) = (RootUrl::parse(ROOT).unwrap(), Rc::new(Origin::new(8)));
        let store = HttpStore::new(server.clone(), root, HttpOptions::default(), origin);
        Self { server, store }
    }

    async fn part(&self, key: &str, offset: u64, context: &RequestContext) -> FetchResult {
        let key = StoreKey::parse(key).unwrap();
        self.store.get(&key, ByteRange::At { offset, len: 2 }, context).await
    }

    /// Reads parts of an object at the same time.
    fn parts(&self, key: &str, offsets: &[u64], context: &RequestContext) {
        let parts = offsets.iter().map(|offset| self.part(key, *offset, context));
        for (answer, offset) in block_on(join_all(parts)).into_iter().zip(offsets) {
            let at = usize::try_from(*offset).unwrap();
            let fetched = answer.unwrap().unwrap();
            assert_eq!(fetched.value.as_slice().unwrap(), &OBJECT[at..at + 2]);
        }
    }

    fn asked(&self) -> Vec<String> {
        self.server.asked.take()
    }
}

fn chunk() -> RequestContext {
    RequestContext { subject: Subject::Chunk, ..RequestContext::default() }
}

fn reading() -> RequestContext {
    RequestContext { reader: Some(Rc::new(Reader::begin())), ..chunk() }
}

#[test]
fn parallel_parts_of_one_object_are_one_request() {
    let scene = Scene::new(&[]);
    scene.parts("c/0", &[0, 4, 8], &chunk());
    assert_eq!(scene.asked(), ["GET c/0 bytes=0-1"]);
    // The server is known to send whole objects, so they are asked for.
    scene.parts("c/1", &[2, 6], &chunk());
    scene.parts("c/0", &[6], &chunk());
    assert_eq!(scene.asked(), ["GET c/1"]);
    let size = block_on(scene.store.size(&StoreKey::parse("c/1").unwrap(), &chunk()));
    assert_eq!(size.unwrap(), Some(10));
    assert!(scene.asked().is_empty());
}

#[test]
fn parts_of_a_server_with_ranges_wait_for_its_first_answer_alone() {
    let scene = Scene::new(&[]);
    scene.server.has_ranges.set(true);
    scene.parts("c/0", &[0, 4, 8], &chunk());
    scene.parts("c/0", &[2, 6], &chunk());
    let asked = [
        "GET c/0 bytes=0-1",
        "GET c/0 bytes=4-5",
        "GET c/0 bytes=8-9",
        "GET c/0 bytes=2-3",
        "GET c/0 bytes=6-7",
    ];
    assert_eq!(scene.asked(), asked);
    // What was learned holds: a whole object concerns one object alone.
    scene.server.has_ranges.set(false);
    scene.parts("c/1", &[0], &chunk());
    scene.parts("c/2", &[0, 4], &chunk());
    assert_eq!(scene.asked(), ["GET c/1 bytes=0-1", "GET c/2 bytes=0-1"]);
}

#[test]
fn a_request_goes_on_for_those_who_wait_when_the_first_caller_leaves() {
    let scene = Scene::new(&[]);
    let context = chunk();
    let mut first = Box::pin(scene.part("c/0", 0, &context));
    let mut second = Box::pin(scene.part("c/0", 4, &context));
    assert!(first.as_mut().now_or_never().is_none());
    assert!(second.as_mut().now_or_never().is_none());
    drop(first);
    assert_eq!(block_on(second).unwrap().unwrap().value.as_slice().unwrap(), b"45");
    assert_eq!(scene.asked(), ["GET c/0 bytes=0-1"]);
}

#[test]
fn an_object_that_must_be_asked_for_again_comes_once_for_each_read() {
    for header in ["Cache-Control: private, no-cache", "Cache-Control: max-age=5"] {
        let scene = Scene::new(&[header]);
        let (first, second) = (reading(), reading());
        scene.parts("c/0", &[0, 4], &first);
        scene.parts("c/0", &[2], &first);
        // It began before the object arrived.
        scene.parts("c/0", &[8], &second);
        assert_eq!(scene.asked(), ["GET c/0 bytes=0-1"]);
        scene.parts("c/0", &[2, 6], &reading());
        scene.parts("c/0", &[2], &chunk());
        assert_eq!(scene.asked(), ["GET c/0", "GET c/0"]);
    }
}

#[test]
fn what_no_cache_of_the_network_may_keep_comes_once_for_all_reads() {
    for header in ["Cache-Control: no-store", "Cache-Control: No-Cache, No-Store, max-age=0"] {
        let scene = Scene::new(&[header]);
        scene.parts("c/0", &[0, 4], &reading());
        scene.parts("c/0", &[2, 6], &reading());
        scene.parts("c/0", &[2], &chunk());
        assert_eq!(scene.asked(), ["GET c/0 bytes=0-1"]);
        scene.parts("c/0", &[2], &RequestContext { reload: true, ..reading() });
        assert_eq!(scene.asked(), ["GET c/0 reload"]);
    }
}

#[test]
fn a_reload_comes_once_for_each_read() {
    let scene = Scene::new(&[]);
    scene.parts("c/0", &[0], &chunk());
    let reload = RequestContext { reload: true, ..reading() };
    scene.parts("c/0", &[2, 6], &reload);
    scene.parts("c/0", &[0], &reload);
    assert_eq!(scene.asked(), ["GET c/0 bytes=0-1", "GET c/0 reload"]);
}

#[test]
fn all_parts_of_an_object_are_of_its_last_version() {
    let scene = Scene::new(&["ETag: \"v1\""]);
    let version =
        |context: &RequestContext| block_on(scene.part("c/0", 4, context)).unwrap().unwrap().version;
    let read = reading();
    assert_eq!(version(&read).as_deref(), Some("\"v1\""));
    *scene.server.headers.borrow_mut() = vec!["ETag: \"v2\""];
    assert_eq!(version(&read).as_deref(), Some("\"v1\""));
    let reload = RequestContext { reload: true, ..reading() };
    for context in [&reload, &read, &chunk()] {
        assert_eq!(version(context).as_deref(), Some("\"v2\""));
    }
}

#[test]
fn an_error_of_an_object_is_shared_and_that_of_a_range_is_not() {
    let scene = Scene::new(&[]);
    let outcomes = |key: &'static str, offsets: [u64; 2]| {
        let context = chunk();
        let parts = offsets.map(|offset| scene.part(key, offset, &context));
        block_on(join_all(parts))
            .into_iter()
            .map(|part| part.err().map(|error| error.kind()))
            .collect::<Vec<_>>()
    };
    assert_eq!(outcomes("c/0", [12, 2]), [Some(ErrorKind::Format), None]);
    assert_eq!(scene.asked().len(), 1);
    scene.server.is_broken.set(true);
    assert_eq!(outcomes("c/1", [0, 2]), [Some(ErrorKind::Store); 2]);
    assert_eq!(scene.asked(), ["GET c/1"]);
}
