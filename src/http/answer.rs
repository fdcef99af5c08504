//! What a program that sends requests gives back: an answer of any status, or why there is none.

use crate::error::{Error, Opaque};
use crate::value::Value;

/// The result of a request.
pub type TransportResult = Result<HttpResponse, TransportError>;

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
    /// A HEAD request without credentials, to find out whether the server answers at all. A page
    /// may be unable to read the answer. Where no answer is ever hidden, the transport sends
    /// nothing and returns [`TransportError::Failed`].
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
