//! The HTTP transport: `fetch` of wherever this runs (page, worker, Node), or the user's own.
//!
//! A user's `fetch` is called with one `Request`, as zarrita calls it; `overrides` is a `RequestInit` that every request
//! begins with. What an answer means is decided in `store::http`.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, Float64Array, Function, JsString, Object, Promise, Reflect, TypeError, Uint8Array};
use wasm_bindgen::prelude::*;

use super::bytes::{our_value, to_js};
use super::error::{describe, report_to_js, store_failed};
use super::host;
use crate::error::Error;
use crate::store::http::transport::{
    CacheMode, HttpRequest, HttpResponse, READ_HEADERS, Transport, TransportError, TransportResult,
};
use crate::store::{LocalFuture, Value};

#[wasm_bindgen(module = "/src/js/exchange.js")]
extern "C" {
    /// A request that was sent.
    type Exchange;

    /// `how` is method, cache mode, whether in the background, whether past all caches, and the longest body that is of use.
    fn exchange(
        send: Option<&Function>,
        overrides: Option<&Object>,
        how: &Float64Array,
        url: &str,
        range: Option<&str>,
        body: Option<Uint8Array>,
        names: &Array,
    ) -> Exchange;

    /// Resolves to a list: what came of it, and what that has. Rejects where no such request can be made.
    #[wasm_bindgen(method, getter)]
    fn answer(this: &Exchange) -> Promise;

    #[wasm_bindgen(method)]
    fn abort(this: &Exchange);
}

thread_local! {
    /// The names of the headers that are read.
    static NAMES: Array = READ_HEADERS.iter().map(|name| JsString::from(*name)).collect();
}

/// What a user may set.
#[derive(Clone, Default)]
pub struct FetchOptions {
    /// Called instead of the global `fetch`.
    pub fetch: Option<Function>,
    /// A `RequestInit`.
    pub overrides: Option<Object>,
}

/// `fetch`, with a user's options.
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

    // The longest body is far below 2^53 bytes, or any.
    #[allow(clippy::cast_precision_loss)]
    fn begin(&self, request: &HttpRequest) -> Result<Exchange, TransportError> {
        let cache = match request.cache {
            CacheMode::Default => 0,
            CacheMode::NoStore => 1,
            CacheMode::Reload => 2,
        };
        let flags = [request.method as u8, cache, u8::from(request.background), u8::from(request.reload)];
        let [method, cache, background, reload] = flags.map(f64::from);
        let how = [method, cache, background, reload, request.body_limit as f64];
        let body = request.body.as_ref().map(|body| to_js(body, 1).map(|view| view.bytes)).transpose();
        let body = body.map_err(|error| threw(report_to_js(&error)))?;
        let (send, overrides) = (self.options.fetch.as_ref(), self.options.overrides.as_ref());
        let (how, range) = (Float64Array::from(how.as_slice()), request.range.as_deref());
        Ok(NAMES.with(|names| exchange(send, overrides, &how, &request.url, range, body, names)))
    }

    /// What came of an exchange.
    fn answer(&self, parts: &Array, request: &HttpRequest) -> TransportResult {
        // The order is that of `exchange.js`.
        match parts.get(0).as_f64() {
            Some(0.0) => Ok(answered(parts, request)),
            Some(1.0) => Err(self.rejected(parts.get(1))),
            Some(2.0) => Err(unreachable(parts.get(1))),
            Some(3.0) => Err(TransportError::TooLarge { announced: number(&parts.get(1)) }),
            _ => Err(TransportError::Failed(Error::store("`fetch` returned something that is no Response"))),
        }
    }

    /// What a rejected `fetch` means. The global one throws a `TypeError` for everything; what else a user's own throws is
    /// the user's business.
    fn rejected(&self, thrown: JsValue) -> TransportError {
        let is_network = thrown.is_instance_of::<TypeError>() || self.options.fetch.is_none();
        if is_network {
            return unreachable(thrown);
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

/// A request under way, for `info()`.
struct Counted {
    is_over: Cell<bool>,
}

impl Counted {
    fn begin() -> Self {
        host::count_wire(1, 0.0, 0, 0);
        Self { is_over: Cell::new(false) }
    }

    // Bodies are far below 2^53 bytes.
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

/// Aborts the request when it is dropped before the body has come.
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
    let headers = READ_HEADERS.iter().zip(values.lines()).filter(|(_, value)| !value.is_empty());
    HttpResponse {
        // An HTTP status has three digits; anything else is refused as an unknown one.
        status: u16::try_from(number(&parts.get(1))).unwrap_or(0),
        // What only looks like a response does not say where it came from.
        url: if url.is_empty() { request.url.clone() } else { url },
        redirected: parts.get(3).is_truthy(),
        headers: headers.map(|(name, value)| ((*name).to_owned(), value.to_owned())).collect(),
        body: match parts.get(5).dyn_into::<Uint8Array>() {
            Ok(bytes) => our_value(bytes),
            Err(_) => Value::from(Vec::new()),
        },
    }
}

// What is no number of bytes or status is none that anything is made of.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn number(value: &JsValue) -> u64 {
    value.as_f64().unwrap_or_default() as u64
}

fn unreachable(thrown: JsValue) -> TransportError {
    TransportError::Unreachable { message: describe(&thrown), cause: Some(Rc::new(thrown)) }
}

fn threw(thrown: JsValue) -> TransportError {
    TransportError::Failed(store_failed("the request could not be made", thrown))
}

/// Chromium holds back concurrent ranges of one URL for the sake of its cache; nothing but its name tells it apart.
fn runs_in_chromium() -> bool {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).unwrap_or(JsValue::UNDEFINED);
    let agent = navigator.is_object().then(|| Reflect::get(&navigator, &"userAgent".into()).ok()).flatten();
    agent.and_then(|agent| agent.as_string()).is_some_and(|agent| agent.contains("Chrome/"))
}
