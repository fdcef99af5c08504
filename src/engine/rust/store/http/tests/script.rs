//! The scripted transport, and a store over it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use futures_executor::block_on;
use zarr_wasm_http::{LikelySize, Subject, Value, WarningSink};

use crate::error::Result;
use crate::format::path::StoreKey;
use crate::store::http::origin::Origin;
use crate::store::http::transport::{
    CacheMode, Headers, HttpRequest, HttpResponse, Transport, TransportError, TransportResult,
};
use crate::store::http::url::RootUrl;
use crate::store::http::{HttpOptions, HttpStore};
use crate::store::{ByteRange, Fetched, LocalFuture, Measured, RequestContext, Store};

pub const ROOT: &str = "https://host/data.zarr?sig=secret";

/// A root without a signature.
pub const OPEN_ROOT: &str = "https://host/data.zarr";

/// A request in one line, such as `GET c/0 bytes=0-3 no-store`.
pub fn line(request: &HttpRequest) -> String {
    let (_, below) = request.url.split_once("host/").expect("on the host");
    // The signature, if the root has one. A request to the host itself has a `?` only.
    let (path, query) = below.split_once("?sig=secret").unwrap_or((below, ""));
    assert!(!path.contains('?'), "the signature on every request");
    // Listings add parameters to the root's query. They are part of the line, and so is a request
    // to the host itself.
    let key = match (path.strip_prefix("data.zarr"), path) {
        (Some(key), _) => key.strip_prefix('/').unwrap_or(key).to_owned(),
        (None, "") => return format!("HOST ?{} no-store", query.trim_start_matches('&')),
        (None, other) => panic!("{other} is not below the root"),
    };
    let key = match query.strip_prefix('&') {
        Some(parameters) => format!("{key}?{parameters}"),
        None => key,
    };
    let body = request.body.as_ref().map(|body| format!(" [{} bytes]", body.len())).unwrap_or_default();
    let range = request.range.as_ref().map(|range| format!(" {range}")).unwrap_or_default();
    let cache = match request.cache {
        CacheMode::Default => "",
        CacheMode::NoStore => " no-store",
        CacheMode::Reload => " reload",
        CacheMode::Revalidate => " no-cache",
    };
    format!("{} {key}{range}{cache}{body}", request.method.name())
}

/// A response with a status, a body, and headers in the form `name: value`.
pub fn respond(status: u16, body: &[u8], headers: &[&str]) -> TransportResult {
    let mut sent = Headers::default();
    for header in headers {
        let (name, value) = header.split_once(": ").expect("name: value");
        sent.add(name, value);
    }
    Ok(HttpResponse {
        status,
        url: "https://host/somewhere?sig=secret".to_owned(),
        redirected: false,
        headers: sent,
        body: Value::from(body.to_vec()),
    })
}

/// How browsers report a lost network, a missing CORS header and a refused preflight.
pub fn unreachable() -> TransportResult {
    Err(TransportError::Unreachable { message: "Failed to fetch".to_owned(), cause: None, cut: None })
}

/// A transport that plays a script.
#[derive(Default)]
pub struct Script {
    steps: RefCell<VecDeque<(String, TransportResult)>>,
    pub slept: RefCell<Vec<u32>>,
}

impl Transport for Script {
    fn send(&self, request: HttpRequest) -> LocalFuture<'_, TransportResult> {
        let line = line(&request);
        let (expected, answer) =
            self.steps.borrow_mut().pop_front().unwrap_or_else(|| panic!("unexpected request {line:?}"));
        assert_eq!(line, expected);
        Box::pin(std::future::ready(answer))
    }

    fn sleep(&self, ms: u32) -> LocalFuture<'_, ()> {
        self.slept.borrow_mut().push(ms);
        Box::pin(std::future::ready(()))
    }

    fn random(&self) -> f64 {
        0.5
    }

    fn serialises_ranges(&self) -> bool {
        true
    }
}

/// A store with a scripted transport, and its warnings.
pub struct Scene {
    pub script: Rc<Script>,
    pub store: Rc<HttpStore<Rc<Script>>>,
    pub warnings: Rc<RefCell<Vec<String>>>,
    pub on_console: Rc<RefCell<Vec<String>>>,
}

impl Scene {
    pub fn new() -> Self {
        Self::with(HttpOptions::default())
    }

    pub fn with(options: HttpOptions) -> Self {
        Self::at(ROOT, options)
    }

    pub fn at(root: &str, options: HttpOptions) -> Self {
        let script = Rc::<Script>::default();
        let (warnings, on_console) = (Rc::<RefCell<Vec<String>>>::default(), Rc::default());
        let sink = |written: &Rc<RefCell<Vec<String>>>| -> Option<WarningSink> {
            let written = written.clone();
            Some(Rc::new(move |warning| written.borrow_mut().push(warning.to_owned())))
        };
        let (to_listener, to_console) = (sink(&warnings), sink(&on_console));
        let options = HttpOptions { on_warning: to_listener, on_console: to_console, ..options };
        let root = RootUrl::parse(root).unwrap();
        let store = HttpStore::new(script.clone(), root, options, Rc::new(Origin::new(8)));
        Self { script, store, warnings, on_console }
    }

    /// Adds a step to the script.
    pub fn then(&self, line: &str, answer: TransportResult) -> &Self {
        self.script.steps.borrow_mut().push_back((line.to_owned(), answer));
        self
    }

    pub fn finish<T>(&self, outcome: Result<T>) -> Result<T> {
        assert!(self.script.steps.borrow().is_empty(), "not asked: {:?}", self.script.steps.borrow());
        if let Err(error) = &outcome {
            assert!(!error.to_string().contains("secret"), "{error}");
        }
        outcome
    }

    /// Reads, and checks that the script is complete.
    pub fn fetch(&self, key: &str, range: ByteRange, subject: Subject) -> Result<Option<Fetched>> {
        let context = RequestContext { subject, ..RequestContext::default() };
        self.finish(block_on(self.store.get(&StoreKey::parse(key).unwrap(), range, &context)))
    }

    fn bytes(&self, key: &str, range: ByteRange, subject: Subject) -> Result<Option<Vec<u8>>> {
        let fetched = self.fetch(key, range, subject)?;
        Ok(fetched.map(|fetched| fetched.value.to_vec(1000, "test").unwrap()))
    }

    pub fn metadata(&self) -> Result<Option<Vec<u8>>> {
        self.bytes("zarr.json", ByteRange::Whole, Subject::Metadata)
    }

    pub fn chunk(&self, range: ByteRange) -> Result<Option<Vec<u8>>> {
        self.bytes("c/0", range, Subject::Chunk)
    }

    /// Like [`chunk`](Self::chunk), for an update.
    pub fn chunk_to_change(&self) -> Result<Option<Vec<u8>>> {
        self.bytes("c/0", ByteRange::Whole, Subject::Update)
    }

    pub fn window(&self, offset: u64, len: u64) -> Result<Option<Vec<u8>>> {
        self.chunk(ByteRange::At { offset, len })
    }

    pub fn suffix(&self, len: u64) -> Result<Option<Vec<u8>>> {
        self.chunk(ByteRange::Last(len))
    }

    /// Like [`suffix`](Self::suffix), with an estimate of the object's size.
    pub fn likely_suffix(&self, len: u64, low: u64, high: u64) -> Result<Option<Vec<u8>>> {
        let likely_size = Some(LikelySize { low, high });
        let context = RequestContext { subject: Subject::Chunk, likely_size, ..RequestContext::default() };
        let key = StoreKey::parse("c/0").unwrap();
        let fetched = self.finish(block_on(self.store.get(&key, ByteRange::Last(len), &context)))?;
        Ok(fetched.map(|fetched| fetched.value.to_vec(1000, "test").unwrap()))
    }

    pub fn size(&self) -> Result<Option<u64>> {
        let context = RequestContext { subject: Subject::Chunk, ..RequestContext::default() };
        self.finish(block_on(self.store.size(&StoreKey::parse("c/0").unwrap(), &context)))
    }

    pub fn measure(&self) -> Result<Option<Measured>> {
        let context = RequestContext { subject: Subject::Chunk, ..RequestContext::default() };
        self.finish(block_on(self.store.measure(&StoreKey::parse("c/0").unwrap(), &context)))
    }
}
