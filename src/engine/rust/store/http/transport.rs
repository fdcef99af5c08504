//! The interface to the network: sends a request and returns the status, some headers and the body.
//!
//! An implementation adds the user's headers and hooks. `zarr_wasm_http` decides what
//! an answer means and whether to retry.

use std::rc::Rc;

use zarr_wasm_http::Value;
pub use zarr_wasm_http::{
    CutBody, Headers, HttpResponse, Method, READ_HEADERS, TransportError, TransportResult,
};

use crate::store::LocalFuture;

/// Sends requests. Dropping the future of [`send`](Self::send) aborts the request.
pub trait Transport {
    /// Sends a request and waits for the whole body.
    fn send(&self, request: HttpRequest) -> LocalFuture<'_, TransportResult>;

    /// Waits.
    fn sleep(&self, ms: u32) -> LocalFuture<'_, ()>;

    /// A random number in 0..1, for the jitter of retries.
    fn random(&self) -> f64;

    /// Whether concurrent range requests of one URL wait for each other unless they bypass the HTTP
    /// cache, as in Chromium.
    fn serialises_ranges(&self) -> bool;
}

impl<T: Transport + ?Sized> Transport for Rc<T> {
    fn send(&self, request: HttpRequest) -> LocalFuture<'_, TransportResult> {
        (**self).send(request)
    }

    fn sleep(&self, ms: u32) -> LocalFuture<'_, ()> {
        (**self).sleep(ms)
    }

    fn random(&self) -> f64 {
        (**self).random()
    }

    fn serialises_ranges(&self) -> bool {
        (**self).serialises_ranges()
    }
}

/// How the HTTP cache is used. The names are those of `fetch`'s `cache` option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMode {
    /// `default`.
    Default,
    /// `no-store`: neither read nor written.
    NoStore,
    /// `reload`: written, not read.
    Reload,
    /// `no-cache`: read if the server confirms it.
    Revalidate,
}

/// A request. The transport adds all headers except `Range`.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    /// The method.
    pub method: Method,
    /// The whole URL with its query.
    pub url: String,
    /// Value of the `Range` header.
    pub range: Option<String>,
    /// How the HTTP cache is used.
    pub cache: CacheMode,
    /// The body of a PUT.
    pub body: Option<Value>,
    /// Maximum size of the body. The transport reads no more of it, whatever `Content-Length`
    /// announces. Unlimited for HEAD, which announces a length but has no body. Of the body of an
    /// error it reads a few kilobytes.
    pub body_limit: u64,
    /// The same for an answer with status 206.
    pub part_limit: u64,
    /// Whether to bypass caches of the transport too, whatever the cache mode.
    pub reload: bool,
    /// Whether other requests go first, also in a queue of the transport.
    pub background: bool,
}
