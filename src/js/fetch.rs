//! The HTTP transport: `fetch` of wherever this runs (page, worker, Node), or the user's own.
//!
//! A user's `fetch` is called with one `Request`, as zarrita calls it; `overrides` is a `RequestInit` that every request
//! begins with. What an answer means is decided in `store::http`.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{ArrayBuffer, Function, Object, Reflect, Symbol, TypeError, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{AbortController, Request, RequestInit};

use super::bytes::{our_value, to_js};
use super::error::{describe, report_to_js, store_failed};
use super::host;
use crate::error::Error;
use crate::store::http::transport::{
    Answer, CacheMode, Headers, HttpRequest, HttpResponse, Method, READ_HEADERS, Transport, TransportError,
};
use crate::store::{LocalFuture, Value};

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

    async fn exchange(&self, request: HttpRequest) -> Answer {
        let abort = AbortOnDrop::new().map_err(threw)?;
        let message = self.message(&request, &abort).map_err(threw)?;
        let counted = Counted::begin();
        let answer = self.answered(&message, &request).await;
        abort.is_done.set(true);
        counted.end(&answer);
        answer
    }

    async fn answered(&self, message: &Request, request: &HttpRequest) -> Answer {
        let response = host::settled(self.call(message)?).await.map_err(|thrown| self.rejected(thrown))?;
        answer(&response, request).await
    }

    fn message(&self, request: &HttpRequest, abort: &AbortOnDrop) -> Result<Request, JsValue> {
        let init = Object::new();
        if let Some(overrides) = &self.options.overrides {
            Object::assign(&init, overrides);
        }
        let headers = headers_of(&init)?;
        if let Some(range) = &request.range {
            headers.set("Range", range)?;
        }
        let init: RequestInit = init.unchecked_into();
        init.set_method(request.method.name());
        init.set_headers(&headers);
        init.set_signal(Some(&abort.controller.signal()));
        if let Some(body) = &request.body {
            init.set_body(&to_js(body, 1).map_err(|error| report_to_js(&error))?.bytes);
        }
        if request.cache != CacheMode::Default {
            init.set_cache(match request.cache {
                CacheMode::NoStore => web_sys::RequestCache::NoStore,
                CacheMode::Reload | CacheMode::Default => web_sys::RequestCache::Reload,
            });
        }
        if request.background {
            // Browsers that know no priorities pass over it.
            Reflect::set(&init, &"priority".into(), &"low".into())?;
        }
        let message = Request::new_with_str_and_init(&request.url, &init)?;
        if request.reload {
            Reflect::set(&message, &Symbol::for_("zarr-wasm.reload"), &JsValue::TRUE)?;
        }
        Ok(message)
    }

    fn call(&self, message: &Request) -> Result<JsValue, TransportError> {
        let (this, fetch) = match &self.options.fetch {
            Some(fetch) => (JsValue::UNDEFINED, Some(fetch.clone())),
            None => (js_sys::global().into(), host::method(&js_sys::global(), "fetch")),
        };
        let Some(fetch) = fetch else {
            return Err(TransportError::Failed(Error::unsupported("there is no `fetch` here")));
        };
        fetch.call1(&this, message).map_err(|thrown| self.rejected(thrown))
    }

    /// What a rejected `fetch` means. The global one throws a `TypeError` for everything; what else a user's own throws is
    /// the user's business.
    fn rejected(&self, thrown: JsValue) -> TransportError {
        let is_network = thrown.is_instance_of::<TypeError>() || self.options.fetch.is_none();
        if is_network {
            let message = describe(&thrown);
            return TransportError::Unreachable { message, cause: Some(Rc::new(thrown)) };
        }
        TransportError::Failed(store_failed("the given `fetch` failed", thrown))
    }
}

impl Transport for FetchTransport {
    fn send(&self, request: HttpRequest) -> LocalFuture<'_, Answer> {
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
    fn end(&self, answer: &Answer) {
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
    controller: AbortController,
    is_done: Cell<bool>,
}

impl AbortOnDrop {
    fn new() -> Result<Self, JsValue> {
        Ok(Self { controller: AbortController::new()?, is_done: Cell::new(false) })
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        if !self.is_done.get() {
            self.controller.abort();
        }
    }
}

/// The headers that a `RequestInit` has, in whatever of its forms.
fn headers_of(init: &Object) -> Result<web_sys::Headers, JsValue> {
    let given = Reflect::get(init, &"headers".into())?;
    match given.is_object() {
        true => web_sys::Headers::new_with_record_from_str_to_str(given.unchecked_ref()),
        false => web_sys::Headers::new(),
    }
}

async fn answer(response: &JsValue, request: &HttpRequest) -> Answer {
    let head = Head::of(response)?;
    let announced = head.headers.get("content-length").and_then(|len| len.trim().parse().ok());
    if let Some(announced) = announced.filter(|announced| *announced > request.body_limit) {
        return Err(TransportError::TooLarge { announced });
    }
    let body = match request.method {
        Method::Head => Value::from(Vec::new()),
        Method::Get | Method::Put | Method::Delete => body(response).await?,
    };
    Ok(HttpResponse {
        status: head.status,
        // What only looks like a response does not say where it came from.
        url: if head.url.is_empty() { request.url.clone() } else { head.url },
        redirected: head.redirected,
        headers: head.headers,
        body,
    })
}

async fn body(response: &JsValue) -> Result<Value, TransportError> {
    let read = host::method(response, "arrayBuffer").ok_or_else(no_response)?;
    let buffer = match read.call0(response) {
        Ok(promise) => host::settled(promise).await,
        Err(thrown) => Err(thrown),
    };
    let buffer = buffer.map_err(|thrown| TransportError::Unreachable {
        message: describe(&thrown),
        cause: Some(Rc::new(thrown)),
    })?;
    if !buffer.is_instance_of::<ArrayBuffer>() && !ArrayBuffer::is_view(&buffer) {
        return Err(no_response());
    }
    Ok(our_value(Uint8Array::new(&buffer)))
}

/// What is read of a response before its body. A user's `fetch` may return something that only looks like one.
struct Head {
    status: u16,
    url: String,
    redirected: bool,
    headers: Headers,
}

impl Head {
    fn of(response: &JsValue) -> Result<Self, TransportError> {
        let member = |name: &str| Reflect::get(response, &name.into()).unwrap_or(JsValue::UNDEFINED);
        let status = member("status").as_f64().ok_or_else(no_response)?;
        let headers = member("headers");
        let get = host::method(&headers, "get").ok_or_else(no_response)?;
        let header = |name: &&str| {
            let value = get.call1(&headers, &(*name).into()).ok()?.as_string()?;
            Some(((*name).to_owned(), value))
        };
        Ok(Self {
            // An HTTP status has three digits; anything else is refused as an unknown one.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            status: status as u16,
            url: member("url").as_string().unwrap_or_default(),
            redirected: member("redirected").is_truthy(),
            headers: READ_HEADERS.iter().filter_map(header).collect(),
        })
    }
}

fn no_response() -> TransportError {
    TransportError::Failed(Error::store("`fetch` returned something that is no Response"))
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
