//! The one door to the network: a request goes in, a status, a few headers and a body come out.
//!
//! Whoever implements it adds the user's headers and hooks. It deliberately decides nothing: what an answer means, and
//! whether to ask again, is [`policy`](super::policy)'s matter.

use std::rc::Rc;

use crate::error::{Error, Opaque};
use crate::store::{LocalFuture, Value};

/// What comes back.
pub type TransportResult = Result<HttpResponse, TransportError>;

/// A way to the network. Dropping a future of [`send`](Self::send) aborts the request.
pub trait Transport {
    /// Sends a request and waits for the whole body.
    fn send(&self, request: HttpRequest) -> LocalFuture<'_, TransportResult>;

    /// Waits.
    fn sleep(&self, ms: u32) -> LocalFuture<'_, ()>;

    /// A number from 0 up to 1, for the jitter of retries.
    fn random(&self) -> f64;

    /// Whether concurrent range requests of one URL wait for each other unless they bypass the HTTP cache, as in Chromium.
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

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The body.
    Get,
    /// The headers alone.
    Head,
    /// Puts the request's body in place of whatever is there.
    Put,
    /// Removes what is there.
    Delete,
}

impl Method {
    /// As it stands in a request.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

/// How the HTTP cache takes part; the names are those of `fetch`'s `cache` option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMode {
    /// `default`.
    Default,
    /// `no-store`: neither read nor written.
    NoStore,
    /// `reload`: written, not read.
    Reload,
}

/// A request. Headers other than `Range` are the transport's.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    /// What is asked.
    pub method: Method,
    /// The whole URL, signature included.
    pub url: String,
    /// Value of the `Range` header.
    pub range: Option<String>,
    /// How the HTTP cache takes part.
    pub cache: CacheMode,
    /// What is to be put.
    pub body: Option<Value>,
    /// The largest body that is of use: the transport refuses one whose `Content-Length` is above it, before reading it,
    /// and aborts the request. Without bound for HEAD, which announces a length but has no body.
    pub body_limit: u64,
    /// Whether no cache of the transport's own may answer, whatever the cache mode.
    pub reload: bool,
    /// Whether it makes way for others, also where the transport has a queue of its own.
    pub background: bool,
}

/// An answer of whatever status.
#[derive(Clone, Debug)]
pub struct HttpResponse {
    /// HTTP status.
    pub status: u16,
    /// The URL that answered, after redirects.
    pub url: String,
    /// Whether there were redirects.
    pub redirected: bool,
    /// Those of [`READ_HEADERS`] that are visible.
    pub headers: Headers,
    /// The body, its content encodings undone; empty for HEAD.
    pub body: Value,
}

/// The headers that are looked at; a transport need not hand over others. Cross-origin, browsers hide most of them.
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

/// What is to be asked for again after fewer seconds is not kept.
const SOON_SECONDS: u64 = 60;

/// Headers by name.
#[derive(Clone, Debug, Default)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// The value of a header, in whatever case its name came.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(candidate, _)| candidate.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Whether who has the body now is to ask again next time: soon enough to be taken for always.
    pub fn forbid_caching(&self) -> bool {
        let directives = self.get("cache-control").unwrap_or_default().split(',');
        let mut directives = directives.map(|directive| directive.trim().to_ascii_lowercase());
        directives.any(|directive| match directive.split_once('=') {
            Some(("max-age", seconds)) => {
                seconds.trim_matches('"').parse::<u64>().is_ok_and(|seconds| seconds < SOON_SECONDS)
            }
            _ => directive == "no-store" || directive == "no-cache",
        })
    }
}

impl FromIterator<(String, String)> for Headers {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(headers: I) -> Self {
        Self(headers.into_iter().collect())
    }
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum TransportError {
    /// Nothing readable came back. Browsers tell neither a lost network from a refused cross-origin request, nor either
    /// from a body that broke off.
    Unreachable {
        /// What the host said.
        message: String,
        /// What the host threw.
        cause: Option<Opaque>,
    },
    /// The announced body is above the request's limit.
    TooLarge {
        /// The announced size.
        announced: u64,
    },
    /// Something that asking again will not mend, such as a throwing hook of the user; handed on as it is.
    Failed(Error),
}
