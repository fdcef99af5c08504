//! What an exchange over HTTP gets and gives: its goal and circumstances, the next request, and the
//! outcome. The state machine between them is in [`super::policy`].

use std::cell::Cell;

use super::fault::Seen;
use super::options::HttpOptions;
use super::origin::Origin;
use super::transport::Method;
use super::web_page::{WebPage, WebPages};
use crate::error::Result;
use crate::store::{ByteRange, FetchResult, Fetched, LikelySize, Measured, Subject};

/// The purpose of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    Read(ByteRange),
    Size,
}

/// What the machine needs next, or its result.
#[derive(Debug)]
pub(super) enum Step {
    Send(NextRequest),
    Done(Result<Outcome>),
}

/// The next request to send, after a pause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NextRequest {
    pub method: Method,
    pub range: Option<String>,
    /// Whether to bypass all caches, because the last answer was wrong.
    pub fresh: bool,
    pub after_ms: u32,
    pub body_limit: u64,
    pub part_limit: u64,
}

/// The outcome of a successful exchange.
#[derive(Debug)]
pub(super) enum Outcome {
    Absent,
    /// What was asked for.
    Found(Fetched),
    /// All of the object, although a part or the size may have been asked for.
    Whole(Fetched),
    Size(Measured),
    /// A web page, twice. [`WebPages`] decides whether the object is absent.
    Page(WebPage),
}

impl ServerKnowledge {
    /// Whether whole objects are asked for instead of parts: as far as is known, this server sends
    /// no parts. A request without a range is one that caches can answer later.
    pub(super) fn asks_for_whole_objects(&self, origin: &Origin) -> bool {
        self.ranges_ignored.get() && !origin.sends_parts.get()
    }

    /// Whether several requests for one object may bring it several times.
    pub(super) fn may_send_whole_objects(&self, origin: &Origin) -> bool {
        self.ranges_ignored.get() || !origin.sends_parts.get()
    }
}

impl Outcome {
    /// The bytes that were asked for.
    ///
    /// # Errors
    /// `Format` if the range begins at or past the end of the object.
    pub(super) fn part(self, range: ByteRange) -> FetchResult {
        match self {
            Self::Whole(object) => object.part(range).map(Some),
            outcome => Ok(outcome.found()),
        }
    }

    /// The bytes that came: those that were asked for, or all of the object.
    pub(super) fn found(self) -> Option<Fetched> {
        match self {
            Self::Found(fetched) | Self::Whole(fetched) => Some(fetched),
            Self::Absent | Self::Size(_) | Self::Page(_) => None,
        }
    }

    pub(super) fn measured(self) -> Option<Measured> {
        match self {
            Self::Size(measured) => Some(measured),
            Self::Whole(object) => Some(Measured { size: object.value.len(), modified: object.modified }),
            Self::Absent | Self::Found(_) | Self::Page(_) => None,
        }
    }
}

/// What a store has learned about its server.
#[derive(Debug, Default)]
pub(super) struct ServerKnowledge {
    /// A read succeeded, so access is allowed in general.
    pub answered: Cell<bool>,
    /// The server answered the last range request with the whole object.
    pub ranges_ignored: Cell<bool>,
    /// The server refused HEAD, or its answer did not tell the size.
    pub head_useless: Cell<bool>,
    /// A range around the likely end did not tell the size.
    pub tails_useless: Cell<bool>,
    /// The `Cache-Control` header of the last chunk demands revalidation.
    pub demands_revalidation: Cell<bool>,
    /// A 403 was taken for an absent chunk.
    pub took_refusal_for_absence: Cell<bool>,
    /// The server labels objects as HTML too, so the label says nothing.
    pub labels_objects_as_html: Cell<bool>,
    /// What was seen of the server when it was last asked whether it is there.
    pub seen: Cell<Seen>,
    pub web_pages: WebPages,
}

/// The circumstances of an exchange.
#[derive(Clone, Copy)]
pub(super) struct ExchangeContext<'a> {
    /// The URL without its query.
    pub url: &'a str,
    /// Whether neither the URL nor the request carries credentials.
    pub is_anonymous: bool,
    /// Whether a request without CORS may test that the server is there: the URL carries no
    /// credentials.
    pub may_probe: bool,
    pub subject: Subject,
    pub likely_size: Option<LikelySize>,
    /// The most bytes of the whole object that are read.
    pub body_limit: u64,
    pub options: &'a HttpOptions,
    pub origin: &'a Origin,
    pub knowledge: &'a ServerKnowledge,
}
