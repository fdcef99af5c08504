//! The HTTP transport: the global `fetch` of a page, worker or Node, or the user's own.
//!
//! A user's `fetch` receives one `Request`, as in zarrita. `overrides` is a `RequestInit` on which
//! every request is based. `store::http` decides what an answer means.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, Float64Array, Function, JsString, Object, Promise, Reflect, TypeError, Uint8Array};
use wasm_bindgen::prelude::*;

use super::bytes::{handed_over, our_value, to_js};
use super::error::{describe, store_failed};
use super::host;
use crate::error::Error;
use crate::store::http::transport::{
    CacheMode, CutBody, Headers, HttpRequest, HttpResponse, READ_HEADERS, Transport, TransportError,
    TransportResult,
};
use crate::store::{LocalFuture, Value};

#[wasm_bindgen(module = "/js/exchange.js")]
extern "C" {
    /// A request that was sent.
    type Exchange;

    /// `how` contains the method, the cache mode, whether the request is in the background, whether
    /// it bypasses all caches, and the maximum lengths of a body and of the body of a part.
    fn exchange(
        send: Option<&Function>,
        overrides: Option<&Object>,
        how: &Float64Array,
        url: &str,
        range: Option<&str>,
        body: Option<Uint8Array>,
        names: &Array,
    ) -> Exchange;

    /// Resolves to a list: the kind of outcome, and its data. Rejects if the request is invalid.
    #[wasm_bindgen(method, getter)]
    fn answer(this: &Exchange) -> Promise;

    #[wasm_bindgen(method)]
    fn abort(this: &Exchange);
}

thread_local! {
    /// Names of the headers to read.
    static NAMES: Array = READ_HEADERS.iter().map(|name| JsString::from(*name)).collect();
}

/// Options of the user.
#[derive(Clone, Default)]
pub struct FetchOptions {
    /// The function to call instead of the global `fetch`.
    pub fetch: Option<Function>,
    /// A `RequestInit`.
    pub overrides: Option<Object>,
}

/// `fetch` with the user's options.
pub struct FetchTransport {
    options: FetchOptions,
    serialises_ranges: bool,
}

impl FetchTransport {
    pub fn new(options: FetchOptions) -> Self {
        Self { options, serialises_ranges: runs_in_chromium() }
    }

    async fn exchange(&self, request: HttpRequest) -> TransportResult {
        let under_way = AbortOnDrop { exchange: self.begin(&request)?, is_done: Cell::new(false) };
        let counted = Counted::begin();
        let settled = host::promised(&under_way.exchange.answer()).await;
        under_way.is_done.set(true);
        let answer = settled.map_err(threw).and_then(|parts| self.answer(&parts.unchecked_into(), &request));
        counted.end(&answer);
        answer
    }

    // Body lengths are far below 2^53, or unlimited.
    #[allow(clippy::cast_precision_loss)]
    fn begin(&self, request: &HttpRequest) -> Result<Exchange, TransportError> {
        let cache = match request.cache {
            CacheMode::Default => 0,
            CacheMode::NoStore => 1,
            CacheMode::Reload => 2,
            CacheMode::Revalidate => 3,
        };
        let flags = [request.method as u8, cache, u8::from(request.background), u8::from(request.reload)];
        let [method, cache, background, reload] = flags.map(f64::from);
        let limits = [request.body_limit, request.part_limit].map(|limit| limit as f64);
        let how = [method, cache, background, reload, limits[0], limits[1]];
        let body = request.body.as_ref().map(|body| to_js(body, 1).map(|view| view.bytes)).transpose();
        let body = body.map_err(|error| threw(error.to_string().into()))?;
        let (send, overrides) = (self.options.fetch.as_ref(), self.options.overrides.as_ref());
        let (how, range) = (Float64Array::from(how.as_slice()), request.range.as_deref());
        Ok(NAMES.with(|names| exchange(send, overrides, &how, &request.url, range, body, names)))
    }

    /// Converts the outcome of an exchange.
    fn answer(&self, parts: &Array, request: &HttpRequest) -> TransportResult {
        // The numbers are those of `exchange.js`.
        match parts.get(0).as_f64() {
            Some(0.0) => Ok(answered(parts, request)),
            Some(1.0) => Err(self.rejected(parts.get(1))),
            Some(2.0) => Err(unreachable(parts.get(1), cut_body(parts))),
            Some(3.0) => Err(TransportError::TooLarge {
                announced: Some(number(&parts.get(1))).filter(|announced| *announced > 0),
                limit: number(&parts.get(2)),
            }),
            _ => Err(TransportError::Failed(Error::store("`fetch` returned a value that is not a Response"))),
        }
    }

    /// The meaning of a rejected `fetch`. The global `fetch` throws a `TypeError` for every
    /// failure. Other errors of a user's `fetch` are passed on.
    fn rejected(&self, thrown: JsValue) -> TransportError {
        let is_network = thrown.is_instance_of::<TypeError>() || self.options.fetch.is_none();
        if is_network {
            return unreachable(thrown, None);
        }
        TransportError::Failed(store_failed("the given `fetch` failed", thrown))
    }
}

impl Transport for FetchTransport {
    fn send(&self, request: HttpRequest) -> LocalFuture<'_, TransportResult> {
        Box::pin(self.exchange(request))
    }

    fn sleep(&self, ms: u32) -> LocalFuture<'_, ()> {
        Box::pin(host::sleep(ms))
    }

    fn random(&self) -> f64 {
        js_sys::Math::random()
    }

    fn serialises_ranges(&self) -> bool {
        self.serialises_ranges
    }
}

/// Counts a request in flight for `info()`.
struct Counted {
    is_over: Cell<bool>,
}

impl Counted {
    fn begin() -> Self {
        host::count_wire(1, 0.0, 0, 0);
        Self { is_over: Cell::new(false) }
    }

    // Body lengths are far below 2^53.
    #[allow(clippy::cast_precision_loss)]
    fn end(&self, answer: &TransportResult) {
        self.is_over.set(true);
        match answer {
            Ok(response) => host::count_wire(0, response.body.len() as f64, 0, 0),
            Err(_) => host::count_wire(0, 0.0, 1, 0),
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if !self.is_over.get() {
            host::count_wire(0, 0.0, 0, 1);
        }
    }
}

/// Aborts the request if it is dropped before the body has arrived.
struct AbortOnDrop {
    exchange: Exchange,
    is_done: Cell<bool>,
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        if !self.is_done.get() {
            self.exchange.abort();
        }
    }
}

fn answered(parts: &Array, request: &HttpRequest) -> HttpResponse {
    let text = |at: u32| parts.get(at).as_string().unwrap_or_default();
    let (url, values) = (text(2), text(4));
    let mut headers = Headers::default();
    for (name, value) in READ_HEADERS.iter().zip(values.lines()) {
        if !value.is_empty() {
            headers.add(name, value);
        }
    }
    HttpResponse {
        // An HTTP status has three digits. Others are treated as unknown.
        status: u16::try_from(number(&parts.get(1))).unwrap_or(0),
        // An object that only looks like a response may have no URL.
        url: if url.is_empty() { request.url.clone() } else { url },
        redirected: parts.get(3).is_truthy(),
        headers,
        body: handed_over(&parts.get(5)).map_or_else(|| Value::from(Vec::new()), our_value),
    }
}

// Values that are not a number of bytes or a status become 0.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn number(value: &JsValue) -> u64 {
    value.as_f64().unwrap_or_default() as u64
}

fn unreachable(thrown: JsValue, cut: Option<CutBody>) -> TransportError {
    TransportError::Unreachable { message: describe(&thrown), cause: Some(Rc::new(thrown)), cut }
}

/// How much came of a body that broke off, if that is known.
fn cut_body(parts: &Array) -> Option<CutBody> {
    let announced = Some(number(&parts.get(3))).filter(|announced| *announced > 0);
    parts.get(2).as_f64().map(|_| CutBody { received: number(&parts.get(2)), announced })
}

fn threw(thrown: JsValue) -> TransportError {
    TransportError::Failed(store_failed("the request could not be made", thrown))
}

/// Whether this is the name of Chromium with its version.
fn is_chromium(product: &str) -> bool {
    product.split('/').next().is_some_and(|name| name.ends_with("Chrome"))
}

/// Whether this is Chromium, which serialises concurrent ranges of one URL because of its cache.
/// Only the user agent string tells; without a screen it says `HeadlessChrome`.
fn runs_in_chromium() -> bool {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).unwrap_or(JsValue::UNDEFINED);
    let agent = navigator.is_object().then(|| Reflect::get(&navigator, &"userAgent".into()).ok()).flatten();
    agent.and_then(|agent| agent.as_string()).is_some_and(|agent| agent.split(' ').any(is_chromium))
}
