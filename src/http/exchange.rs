//! What an exchange over HTTP gets and gives: its goal and circumstances, the next request, and the
//! outcome. The state machine between them is in [`super::policy`].

use super::answer::Method;
use super::options::HttpOptions;
use super::server::{OriginKnowledge, ServerKnowledge};
use super::web_page::WebPage;
use crate::error::Result;
use crate::fetched::{FetchResult, Fetched, Measured};
use crate::format::byte_range::ByteRange;
use crate::subject::{LikelySize, Subject};

/// The purpose of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The bytes of a range.
    Read(ByteRange),
    /// The size of the object.
    Size,
}

/// What the machine needs next, or its result.
#[derive(Debug)]
pub enum Step {
    /// Send this request, and give the answer to the exchange.
    Send(NextRequest),
    /// The exchange has ended.
    Done(Result<Outcome>),
}

/// The next request to send, after a pause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextRequest {
    /// The method.
    pub method: Method,
    /// The value of the `Range` header.
    pub range: Option<String>,
    /// Whether to bypass all caches, because the last answer was wrong.
    pub fresh: bool,
    /// The pause before the request, in milliseconds.
    pub after_ms: u32,
    /// The most bytes of a body that are read. Unlimited for HEAD, which only announces a length.
    pub body_limit: u64,
    /// The same for an answer with status 206.
    pub part_limit: u64,
}

/// The outcome of a successful exchange.
#[derive(Debug)]
pub enum Outcome {
    /// There is no such object.
    Absent,
    /// What was asked for.
    Found(Fetched),
    /// All of the object, although a part or the size may have been asked for.
    Whole(Fetched),
    /// The size, where that was asked for.
    Size(Measured),
    /// A web page, twice. [`WebPages`](super::WebPages) decides whether the object is absent.
    Page(WebPage),
}

impl Outcome {
    /// The bytes that were asked for.
    ///
    /// # Errors
    /// `Format` if the range begins at or past the end of the object.
    pub fn part(self, range: ByteRange) -> FetchResult {
        match self {
            Self::Whole(object) => object.part(range).map(Some),
            outcome => Ok(outcome.found()),
        }
    }

    /// The bytes that came: those that were asked for, or all of the object.
    pub fn found(self) -> Option<Fetched> {
        match self {
            Self::Found(fetched) | Self::Whole(fetched) => Some(fetched),
            Self::Absent | Self::Size(_) | Self::Page(_) => None,
        }
    }

    /// The size of the object.
    pub fn measured(self) -> Option<Measured> {
        match self {
            Self::Size(measured) => Some(measured),
            Self::Whole(object) => Some(Measured { size: object.value.len(), modified: object.modified }),
            Self::Absent | Self::Found(_) | Self::Page(_) => None,
        }
    }
}

/// The circumstances of an exchange.
#[derive(Clone, Copy)]
pub struct ExchangeContext<'a> {
    /// The URL without its query.
    pub url: &'a str,
    /// Whether neither the URL nor the request carries credentials.
    pub is_anonymous: bool,
    /// Whether a request without CORS may test that the server is there: the URL carries no
    /// credentials.
    pub may_probe: bool,
    /// What the object is.
    pub subject: Subject,
    /// The likely size of the object, for requests for its end.
    pub likely_size: Option<LikelySize>,
    /// The most bytes of the whole object that are read.
    pub body_limit: u64,
    /// What the user has set.
    pub options: &'a HttpOptions,
    /// What all reads from this server have learned about it.
    pub origin: &'a OriginKnowledge,
    /// What the reads of one store have learned about it.
    pub knowledge: &'a ServerKnowledge,
}
