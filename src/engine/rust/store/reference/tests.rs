//! References to a server with one file.

use futures_executor::block_on;

use super::*;
use crate::error::ErrorKind;
use crate::store::http::transport::{Headers, HttpRequest, HttpResponse, TransportResult};

const DOCUMENT: &str = r#"{".zgroup": "{}", "v/0": ["data.nc", 2, 3], "v/1": ["../data.nc"], "v/2": ["https://evil.org/x", 0, 1],
    "v/3": ["data.nc", 8, 5], "v/4": [null, 0, 2], "v/5": ["gone.nc", 0, 1], "v/6": ["data.nc", 1, 0],
    "v/7": ["data.nc", 6, 2], "v/8": ["http://evil.org\\@host/x"]}"#;

/// Serves ten bytes as `data.nc`, and the document; notes what it is asked.
#[derive(Default)]
struct Server(RefCell<Vec<String>>);

impl Transport for Server {
    fn send(&self, request: HttpRequest) -> LocalFuture<'_, TransportResult> {
        let range = request.range.clone().unwrap_or_default();
        self.0.borrow_mut().push(format!("{} {range}", request.url).trim().to_owned());
        let body: Option<&[u8]> = match request.url.as_str() {
            "https://host/a/refs.json?sig=1" => Some(DOCUMENT.as_bytes()),
            "https://host/a/data.nc" | "https://host/data.nc" => Some(b"0123456789"),
            _ => None,
        };
        let mut headers = Headers::default();
        let (status, body) =
            match (body, range.strip_prefix("bytes=").and_then(|range| range.split_once('-'))) {
                (None, _) => (404, Vec::new()),
                (Some(body), None) => (200, body.to_vec()),
                (Some(body), Some((first, last))) => {
                    let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
                    let last = last.min(body.len() - 1);
                    headers.add("content-range", &format!("bytes {first}-{last}/{}", body.len()));
                    (206, body[first..=last].to_vec())
                }
            };
        let response =
            HttpResponse { status, url: request.url, redirected: false, headers, body: Value::from(body) };
        Box::pin(std::future::ready(Ok(response)))
    }

    fn sleep(&self, _ms: u32) -> LocalFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn random(&self) -> f64 {
        0.5
    }

    fn serialises_ranges(&self) -> bool {
        false
    }
}

fn open(source: Source, options: ReferenceOptions) -> ReferenceStore<Server> {
    ReferenceStore::new(source, options, Rc::default(), Rc::default())
}

fn at_url() -> ReferenceStore<Server> {
    let url = RootUrl::parse("https://host/a/refs.json?sig=1").unwrap();
    open(Source::Url(url), ReferenceOptions::default())
}

fn read(store: &ReferenceStore<Server>, key: &str, range: ByteRange) -> Result<Option<Vec<u8>>> {
    let fetched = block_on(store.get(&StoreKey::parse(key).unwrap(), range, &RequestContext::default()))?;
    Ok(fetched.map(|fetched| fetched.value.to_vec(100, "test").unwrap()))
}

#[test]
fn ranges_of_references_read_ranges_of_files() {
    let store = at_url();
    assert_eq!(read(&store, ".zgroup", ByteRange::Whole).unwrap().unwrap(), b"{}");
    assert_eq!(read(&store, "v/0", ByteRange::Whole).unwrap().unwrap(), b"234");
    assert_eq!(read(&store, "v/0", ByteRange::Last(2)).unwrap().unwrap(), b"34");
    let end = ByteRange::At { offset: 1, len: 9 };
    assert_eq!(read(&store, "v/0", end).unwrap().unwrap(), b"34");
    let past = ByteRange::At { offset: 3, len: 1 };
    assert_eq!(read(&store, "v/0", past).unwrap_err().kind(), ErrorKind::Format);
    assert_eq!(read(&store, "v/1", ByteRange::Whole).unwrap().unwrap(), b"0123456789");
    assert_eq!(read(&store, "v/6", ByteRange::Whole).unwrap().unwrap(), b"");
    assert_eq!(read(&store, "v/9", ByteRange::Whole).unwrap(), None);
    assert_eq!(store.transport.0.borrow().len(), 5);
    let size =
        |key: &str| block_on(store.size(&StoreKey::parse(key).unwrap(), &RequestContext::default())).unwrap();
    assert_eq!((size(".zgroup"), size("v/0"), size("x")), (Some(2), Some(3), None));
    assert_eq!(block_on(store.list_dir(&NodePath::parse_any("v").unwrap())).unwrap().keys.len(), 9);
}

#[test]
fn invalid_references_are_errors() {
    let store = at_url();
    let kind = |key: &str| read(&store, key, ByteRange::Whole).unwrap_err().kind();
    // There is nothing; which servers are allowed is not decided here.
    assert_eq!(kind("v/2"), ErrorKind::Store);
    assert_eq!(kind("v/3"), ErrorKind::Store);
    assert_eq!(kind("v/4"), ErrorKind::Argument);
    assert_eq!(kind("v/5"), ErrorKind::Store);
    let asked = store.transport.0.borrow().len();
    assert_eq!(kind("v/8"), ErrorKind::Format);
    assert_eq!(store.transport.0.borrow().len(), asked);
    let nowhere =
        open(Source::Url(RootUrl::parse("https://host/none").unwrap()), ReferenceOptions::default());
    assert_eq!(read(&nowhere, ".zgroup", ByteRange::Whole).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn an_inline_document_needs_a_base_and_a_target() {
    let text = || Source::Text(Value::from(DOCUMENT.as_bytes().to_vec()));
    let bare = open(text(), ReferenceOptions::default());
    assert_eq!(read(&bare, ".zgroup", ByteRange::Whole).unwrap().unwrap(), b"{}");
    assert_eq!(read(&bare, "v/0", ByteRange::Whole).unwrap_err().kind(), ErrorKind::Argument);
    let options = ReferenceOptions {
        base: Some(RootUrl::parse("https://host/a/").unwrap()),
        target: Some(RootUrl::parse("https://host/a/data.nc").unwrap()),
        ..ReferenceOptions::default()
    };
    let store = open(text(), options);
    assert_eq!(read(&store, "v/4", ByteRange::Whole).unwrap().unwrap(), b"01");
}

/// What is read at about the same time.
fn read_together(store: &ReferenceStore<Server>, keys: &[&str]) -> Vec<Result<Option<Vec<u8>>>> {
    let keys: Vec<StoreKey> = keys.iter().map(|key| StoreKey::parse(key).unwrap()).collect();
    let context = RequestContext::default();
    let reads = keys.iter().map(|key| store.get(key, ByteRange::Whole, &context));
    let fetched = block_on(futures_util::future::join_all(reads)).into_iter();
    fetched.map(|read| Ok(read?.map(|fetched| fetched.value.to_vec(100, "test").unwrap()))).collect()
}

#[test]
fn neighbouring_parts_of_a_file_are_one_request() {
    let store = at_url();
    block_on(store.loaded()).unwrap();
    store.transport.0.take();
    let read = read_together(&store, &["v/0", "v/1", "v/7", "v/0"]);
    let found: Vec<_> = read.into_iter().map(|read| read.unwrap().unwrap()).collect();
    assert_eq!(found, [b"234".to_vec(), b"0123456789".to_vec(), b"67".to_vec(), b"234".to_vec()]);
    let mut asked = store.transport.0.take();
    asked.sort();
    assert_eq!(asked, ["https://host/a/data.nc bytes=2-7", "https://host/data.nc"]);
    // One that is read later is asked for then.
    assert_eq!(read_together(&store, &["v/7"])[0].as_ref().unwrap().as_deref(), Some(&b"67"[..]));
    assert_eq!(store.transport.0.take(), ["https://host/a/data.nc bytes=6-7"]);
}

#[test]
fn a_missing_part_fails_only_its_own_reader() {
    let store = at_url();
    let read = read_together(&store, &["v/0", "v/3"]);
    assert_eq!(read[0].as_ref().unwrap().as_deref(), Some(&b"234"[..]));
    assert_eq!(read[1].as_ref().unwrap_err().kind(), ErrorKind::Store);
}

#[test]
fn a_read_dropped_before_the_turn_ends_does_not_block_others() {
    let store = at_url();
    block_on(store.loaded()).unwrap();
    let (first, second) = (StoreKey::parse("v/0").unwrap(), StoreKey::parse("v/7").unwrap());
    let context = RequestContext::default();
    let mut left = store.get(&first, ByteRange::Whole, &context);
    let stays = store.get(&second, ByteRange::Whole, &context);
    let mut task = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(left.as_mut().poll(&mut task).is_pending());
    drop(left);
    assert_eq!(block_on(stays).unwrap().unwrap().value.to_vec(9, "test").unwrap(), b"67");
}
