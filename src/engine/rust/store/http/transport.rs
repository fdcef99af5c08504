//! The interface to the network: sends a request and returns the status, some headers and the body.
//!
//! An implementation adds the user's headers and hooks. [`policy`](super::policy) decides what an
//! answer means and whether to retry.

use std::rc::Rc;

use crate::error::{Error, Opaque};
use crate::store::{LocalFuture, Value};

/// The result of a request.
pub type TransportResult = Result<HttpResponse, TransportError>;

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

/// HTTP methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Returns headers and body.
    Get,
    /// Returns only the headers.
    Head,
    /// Replaces the value with the request's body.
    Put,
    /// Removes the value.
    Delete,
    /// Asks whether there is an answer, which a page of another origin may not read: HEAD without
    /// credentials and without CORS. Where all answers can be read, it fails at once, with
    /// [`TransportError::Failed`].
    Probe,
}

impl Method {
    /// The name of the method in HTTP.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head | Self::Probe => "HEAD",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
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

/// An answer, of any status.
#[derive(Clone, Debug)]
pub struct HttpResponse {
    /// The HTTP status.
    pub status: u16,
    /// The final URL after redirects.
    pub url: String,
    /// Whether there were redirects.
    pub redirected: bool,
    /// The visible headers among [`READ_HEADERS`].
    pub headers: Headers,
    /// The decompressed body; empty for HEAD.
    pub body: Value,
}

/// The headers that the policy reads. On another origin, browsers hide most of them.
pub const READ_HEADERS: [&str; 8] = [
    "cache-control",
    "content-length",
    "content-range",
    "content-encoding",
    "content-type",
    "etag",
    "last-modified",
    "retry-after",
];

/// A `max-age` below this number of seconds counts as a demand for revalidation.
const SOON_SECONDS: u64 = 60;

/// Headers by name.
#[derive(Clone, Debug, Default)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// Adds a header.
    pub fn add(&mut self, name: &str, value: &str) {
        self.0.push((name.to_owned(), value.to_owned()));
    }

    /// The value of a header. The case of the name does not matter.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(candidate, _)| candidate.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Whether `Cache-Control` demands that the server is asked again, always or soon, before a
    /// body is used again.
    ///
    /// `no-store` demands that no cache of the network keeps the body, so that there is nothing to
    /// ask about. What the page holds in its memory for its own reads is no such cache.
    pub fn demand_revalidation(&self) -> bool {
        let directives = self.get("cache-control").unwrap_or_default().to_ascii_lowercase();
        let mut demands = false;
        for directive in directives.split(',') {
            if directive.trim() == "no-store" {
                return false;
            }
            demands |= demands_revalidation(directive.trim());
        }
        demands
    }
}

fn demands_revalidation(directive: &str) -> bool {
    match directive.split_once('=') {
        Some(("max-age", seconds)) => {
            seconds.trim_matches('"').parse::<u64>().is_ok_and(|seconds| seconds < SOON_SECONDS)
        }
        _ => directive == "no-cache",
    }
}

/// A body that broke off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutBody {
    /// Number of bytes that came.
    pub received: u64,
    /// The announced number of bytes, if there was one.
    pub announced: Option<u64>,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum TransportError {
    /// No response could be read. Browsers do not tell apart a lost network and a refused
    /// cross-origin request.
    Unreachable {
        /// The host's message.
        message: String,
        /// The value that the host threw.
        cause: Option<Opaque>,
        /// Set if the headers came, and then the body broke off.
        cut: Option<CutBody>,
    },
    /// The body exceeds the request's limit.
    TooLarge {
        /// The announced size in bytes; `None` if more came than was announced.
        announced: Option<u64>,
        /// The limit in bytes.
        limit: u64,
    },
    /// An error that a retry does not fix, such as an exception in a hook of the user.
    Failed(Error),
}
