//! One read over HTTP as a pure machine: it names a request, is given the answer, and names the next or the outcome.
//!
//! It neither awaits nor sends, so each oddity of servers is a test without a network. A suffix is read in up to four ways,
//! the next being taken when one proves useless: `bytes=a-b` around where the end is likely to be, which tells the size too; the size by
//! HEAD and then `bytes=a-b`; `bytes=-N`; everything.

use std::cell::Cell;
use std::ops::Range;

use super::HttpOptions;
use super::fault::{self, RequestLabel};
use super::origin::{Origin, SuffixRanges};
use super::response::{self, BodyCheck, ContentRange, Mismatch};
use super::retry::Retries;
use super::transport::{HttpResponse, Method, TransportError, TransportResult};
use crate::error::{Error, Result};
use crate::limits;
use crate::store::{ByteRange, Fetched, LikelySize, Subject, Value};

/// What a read is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    Read(ByteRange),
    Size,
}

/// What the machine wants next.
#[derive(Debug)]
pub(super) enum Step {
    Send(NextRequest),
    Done(Result<Outcome>),
}

/// A request that is to be sent after a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NextRequest {
    pub method: Method,
    pub range: Option<String>,
    /// Whether to bypass all caches, because the last answer made no sense.
    pub fresh: bool,
    pub after_ms: u32,
    pub body_limit: u64,
}

/// What came of it.
#[derive(Debug)]
pub(super) enum Outcome {
    Absent,
    Found(Fetched),
    Size(u64),
}

impl Outcome {
    pub(super) fn fetched(self) -> Option<Fetched> {
        match self {
            Self::Found(fetched) => Some(fetched),
            Self::Absent | Self::Size(_) => None,
        }
    }

    pub(super) fn size(self) -> Option<u64> {
        match self {
            Self::Size(size) => Some(size),
            Self::Absent | Self::Found(_) => None,
        }
    }
}

/// What one store has learned about its server.
#[derive(Debug, Default)]
pub(super) struct ServerKnowledge {
    /// Something was read, so access as such is allowed.
    pub answered: Cell<bool>,
    /// A range was answered with everything.
    pub ranges_ignored: Cell<bool>,
    /// HEAD was refused, or does not tell the size.
    pub head_useless: Cell<bool>,
    /// A range around the likely end did not tell the size.
    pub tails_useless: Cell<bool>,
    /// The last chunk came with a `Cache-Control` that wants it to be asked for again.
    pub forbids_caching: Cell<bool>,
    /// A 403 was taken for an absent chunk.
    pub took_refusal_for_absence: Cell<bool>,
}

/// What a machine looks up and adds to.
#[derive(Clone, Copy)]
pub(super) struct ExchangeContext<'a> {
    /// The URL without its query.
    pub url: &'a str,
    /// Neither the URL nor anything that is sent with it says who asks.
    pub is_anonymous: bool,
    pub subject: Subject,
    pub likely_size: Option<LikelySize>,
    pub options: &'a HttpOptions,
    pub origin: &'a Origin,
    pub knowledge: &'a ServerKnowledge,
}

/// What is asked at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
enum RequestKind {
    Whole,
    Window(Range<u64>),
    Suffix(u64),
    /// These bytes, among which the end is likely to be.
    Tail(Range<u64>),
    /// The size, by HEAD.
    Head,
    /// The size, by the `Content-Range` of the first byte.
    FirstByte,
}

impl RequestKind {
    fn method(&self) -> Method {
        if *self == Self::Head { Method::Head } else { Method::Get }
    }

    fn range(&self) -> Option<String> {
        match self {
            Self::Whole | Self::Head => None,
            // Up to the end: some servers refuse a last byte that no file has.
            Self::Window(range) if range.end == u64::MAX => Some(format!("bytes={}-", range.start)),
            Self::Window(range) => Some(format!("bytes={}-{}", range.start, range.end.saturating_sub(1))),
            Self::Tail(range) => Some(format!("bytes={}-{}", range.start, range.end.saturating_sub(1))),
            Self::Suffix(len) => Some(format!("bytes=-{len}")),
            Self::FirstByte => Some("bytes=0-0".to_owned()),
        }
    }
}

/// How much more than what is wanted is read to learn where the end is.
const TAIL_BYTES: u64 = 128 << 10;

/// One read. See the module.
pub(super) struct Exchange<'a> {
    context: ExchangeContext<'a>,
    goal: Goal,
    kind: RequestKind,
    /// Size of the object, once learned on the way.
    size: Option<u64>,
    head_failed: bool,
    suffix_failed: bool,
    tail_failed: bool,
    retries: Retries,
    /// Length of the body that was doubted.
    suspected_len: Option<u64>,
}

impl<'a> Exchange<'a> {
    /// The machine and its first request.
    pub fn start(goal: Goal, context: ExchangeContext<'a>) -> (Self, Step) {
        let mut exchange = Self {
            context,
            goal,
            kind: RequestKind::Whole,
            size: None,
            head_failed: context.knowledge.head_useless.get(),
            suffix_failed: context.origin.suffix_ranges.get() == SuffixRanges::Fail,
            tail_failed: context.knowledge.tails_useless.get(),
            retries: Retries::default(),
            suspected_len: None,
        };
        let step = exchange.restart();
        (exchange, step)
    }

    /// What follows from an answer; `random` is from 0 up to 1.
    pub fn answer(&mut self, answer: TransportResult, random: f64) -> Step {
        match answer {
            Ok(response) => self.judge(&response, random),
            Err(TransportError::Unreachable { .. }) if self.is_untried_suffix() => self.without_suffix(),
            Err(TransportError::Unreachable { message, cause }) => {
                let most = match self.context.subject {
                    // A probe of a key that is absent looks like this where the 404 lacks the CORS header.
                    Subject::Metadata => self.context.options.retries.min(1),
                    Subject::Chunk | Subject::Update => self.context.options.retries,
                };
                self.again(most, None, random, |label, _tries| label.unreachable(&message, cause))
            }
            Err(TransportError::TooLarge { announced }) => {
                self.fail(|label| label.too_large(announced, self.body_limit()))
            }
            Err(TransportError::Failed(error)) => Step::Done(Err(error)),
        }
    }

    /// Chooses the way by what is known by now, and asks.
    fn restart(&mut self) -> Step {
        self.kind = match self.goal {
            Goal::Read(ByteRange::Whole) => RequestKind::Whole,
            // Sent also where ranges were ignored: that may have been one object, or a cache that was still empty.
            Goal::Read(ByteRange::FromStart { offset, len }) => {
                RequestKind::Window(offset..offset.saturating_add(len))
            }
            Goal::Read(ByteRange::Suffix(len)) => self.way_to_suffix(len),
            Goal::Size if self.head_failed => RequestKind::FirstByte,
            Goal::Size => RequestKind::Head,
        };
        self.ask(0)
    }

    fn way_to_suffix(&self, len: u64) -> RequestKind {
        let at_once = self.context.options.use_suffix_request
            || self.context.origin.suffix_ranges.get() == SuffixRanges::Work;
        if self.context.knowledge.ranges_ignored.get() {
            RequestKind::Whole
        } else if !self.suffix_failed && (at_once || self.head_failed) {
            RequestKind::Suffix(len)
        } else if let Some(tail) = self.likely_tail(len) {
            RequestKind::Tail(tail)
        } else if self.head_failed {
            RequestKind::Whole
        } else {
            RequestKind::Head
        }
    }

    /// Where the last bytes are likely to be, and one more: an answer that has no bytes there tells the size, also where its headers do
    /// not. `None` where that is not known well enough.
    fn likely_tail(&self, len: u64) -> Option<Range<u64>> {
        let LikelySize { low, high } = self.context.likely_size.filter(|_| !self.tail_failed)?;
        let is_worth = high.checked_sub(low)? <= TAIL_BYTES;
        is_worth.then(|| low.saturating_sub(len)..high.saturating_add(1))
    }

    fn ask(&self, after_ms: u32) -> Step {
        Step::Send(NextRequest {
            method: self.kind.method(),
            range: self.kind.range(),
            fresh: self.suspected_len.is_some(),
            after_ms,
            body_limit: self.body_limit(),
        })
    }

    fn body_limit(&self) -> u64 {
        match self.context.subject {
            // What HEAD announces is the size of an object of which only a part will be read.
            _ if self.kind == RequestKind::Head => u64::MAX,
            Subject::Metadata => limits::METADATA_BYTES,
            Subject::Chunk | Subject::Update => limits::RESULT_BYTES,
        }
    }

    fn judge(&mut self, response: &HttpResponse, random: f64) -> Step {
        match response.status {
            200 | 206 if self.is_not_the_object(response) => Step::Done(Ok(Outcome::Absent)),
            200 | 206 => self.succeed(response),
            404 | 410 => Step::Done(Ok(Outcome::Absent)),
            416 => self.unsatisfiable(response),
            408 | 429 | 500 | 502 | 503 | 504 => {
                let wait = response.retry_after();
                self.again(self.context.options.retries, wait, random, |label, tries| {
                    label.kept_failing(response.status, tries, wait)
                })
            }
            // Answers to HEAD have no body that would explain them, and a signature may be good for GET alone.
            status if self.kind == RequestKind::Head && status != 401 => self.without_head(),
            400 | 405 | 501 if matches!(self.kind, RequestKind::Suffix(_)) => self.without_suffix(),
            400 | 405 | 501 if matches!(self.kind, RequestKind::Tail(_)) => self.without_tail(),
            403 => self.forbidden(response),
            _ => self.fail(|label| label.refused(response)),
        }
    }

    /// Whether a server answered with a page about the key in place of what is under it: the listing of a directory, or the
    /// start page that servers of single-page applications give for every unknown path.
    fn is_not_the_object(&self, response: &HttpResponse) -> bool {
        if response.is_directory() {
            return true;
        }
        let beginning = response.beginning(64).to_ascii_lowercase();
        let beginning = beginning.trim_ascii_start();
        match self.context.subject {
            Subject::Metadata => beginning.starts_with(b"<"),
            Subject::Chunk | Subject::Update => {
                let html =
                    response.headers.get("content-type").is_some_and(|kind| kind.starts_with("text/html"));
                html && (beginning.starts_with(b"<!doctype html") || beginning.starts_with(b"<html"))
            }
        }
    }

    fn succeed(&mut self, response: &HttpResponse) -> Step {
        match (&self.kind, response.status) {
            (RequestKind::Head, _) => self.learn_size(response.content_length()),
            (RequestKind::FirstByte, 206) => match response.content_range().total {
                Some(size) => self.found_size(size),
                None => self.fail(|label| label.unknown_size()),
            },
            (RequestKind::FirstByte, _) => self.found_size(response.body.len()),
            (RequestKind::Whole, 206) => self.read(response, response::whole_of_partial(response)),
            (RequestKind::Window(want), 206) => {
                let check = response::window(response, want, self.size);
                self.context.knowledge.ranges_ignored.set(false);
                self.read(response, check)
            }
            (RequestKind::Tail(asked), 206) => self.take_tail(response, asked.clone()),
            (RequestKind::Suffix(len), 206) => {
                let check = response::suffix(response, *len);
                self.read(response, check)
            }
            (
                RequestKind::Whole | RequestKind::Window(_) | RequestKind::Suffix(_) | RequestKind::Tail(_),
                _,
            ) => self.everything(response),
        }
    }

    /// A `200`: everything, whether it was asked for or not.
    fn everything(&mut self, response: &HttpResponse) -> Step {
        // Not for metadata: the smallest documents are longer when compressed, which other origins' headers do not show, and
        // a document that lost its end does not parse.
        if self.context.subject != Subject::Metadata
            && let Some(mismatch) = response::lost_bytes(response)
        {
            return self.suspect(mismatch);
        }
        let Goal::Read(range) = self.goal else { return self.found_size(response.body.len()) };
        let asked = match &self.kind {
            RequestKind::Window(want) | RequestKind::Tail(want) => Some(want.end - want.start),
            RequestKind::Suffix(len) => Some(*len),
            _ => None,
        };
        if asked.is_some_and(|asked| asked < response.body.len()) {
            self.learn_that_ranges_are_ignored();
        }
        match Fetched::part_of(&response.body, range) {
            Ok(part) => self.found(response.fetched(part.value, part.size)),
            Err(error) => Step::Done(Err(error)),
        }
    }

    fn learn_that_ranges_are_ignored(&mut self) {
        self.suffix_failed |= matches!(self.kind, RequestKind::Suffix(_));
        if !self.context.knowledge.ranges_ignored.replace(true) {
            self.context.options.warn(&format!(
                "the server of {} ignores byte ranges and sends whole objects; check parts of them costs as much as check all",
                self.context.url
            ));
        }
    }

    /// An answer to HEAD. An absent length is not zero, and servers that make up their headers say 0.
    fn learn_size(&mut self, size: Option<u64>) -> Step {
        match (size.filter(|size| *size > 0), self.goal) {
            (None, _) => self.without_head(),
            (Some(size), Goal::Size) => self.found_size(size),
            (Some(size), Goal::Read(range)) => match range.of(size) {
                Some(window) => self.read_window(window, size),
                None => Step::Done(Err(range.past_end(Some(size)))),
            },
        }
    }

    /// An answer to where the end was likely to be: the last bytes are in it, or its size tells where they are.
    fn take_tail(&mut self, response: &HttpResponse, asked: Range<u64>) -> Step {
        let ContentRange { held, total } = response.content_range();
        let body = response.body.len();
        let held = held.unwrap_or(asked.start..asked.start.saturating_add(body));
        let is_short = held.end < asked.end && response.length_confirmed();
        let size = total.or(is_short.then_some(held.end));
        let (Some(size), Goal::Read(range)) = (size, self.goal) else { return self.without_tail() };
        if held.start != asked.start || held.end - held.start != body || held.end > size {
            return self.without_tail();
        }
        match range.of(size) {
            Some(window) if held.start <= window.start && held.end == size => {
                match response.body.slice(window.start - held.start..window.end - held.start) {
                    Ok(value) => self.found(response.fetched(value, Some(size))),
                    Err(error) => Step::Done(Err(error)),
                }
            }
            Some(window) => self.read_window(window, size),
            None => Step::Done(Err(range.past_end(Some(size)))),
        }
    }

    fn without_tail(&mut self) -> Step {
        self.tail_failed = true;
        self.context.knowledge.tails_useless.set(true);
        self.restart()
    }

    fn read_window(&mut self, window: Range<u64>, size: u64) -> Step {
        self.size = Some(size);
        self.kind = RequestKind::Window(window);
        self.ask(0)
    }

    /// A suffix range takes a preflight, which many servers refuse; once it was allowed, other reasons are likelier.
    fn is_untried_suffix(&self) -> bool {
        matches!(self.kind, RequestKind::Suffix(_))
            && self.context.origin.suffix_ranges.get() != SuffixRanges::Work
    }

    fn without_head(&mut self) -> Step {
        self.head_failed = true;
        self.restart()
    }

    fn without_suffix(&mut self) -> Step {
        self.suffix_failed = true;
        self.restart()
    }

    /// A `416`. The reason may also be an end past the end, or a form that the server does not know.
    fn unsatisfiable(&mut self, response: &HttpResponse) -> Step {
        let total = response.content_range().total;
        match (&self.kind, self.goal, total) {
            (RequestKind::Head, ..) => self.without_head(),
            (RequestKind::FirstByte, ..) => self.found_size(total.unwrap_or(0)),
            // It is smaller than was likely.
            (RequestKind::Tail(_), _, Some(size)) if size > 0 => self.learn_size(Some(size)),
            (RequestKind::Tail(_), ..) => self.without_tail(),
            (RequestKind::Suffix(_), _, Some(0)) => {
                self.found(response.fetched(Value::from(Vec::new()), Some(0)))
            }
            (RequestKind::Suffix(len), _, Some(size)) => {
                let window = size.saturating_sub(*len)..size;
                self.suffix_failed = true;
                self.read_window(window, size)
            }
            (RequestKind::Suffix(_), _, None) => self.without_suffix(),
            (RequestKind::Window(want), Goal::Read(ByteRange::FromStart { .. }), Some(size))
                if want.start < size && size < want.end =>
            {
                self.read_window(want.start..size, size)
            }
            (RequestKind::Window(_), Goal::Read(range @ ByteRange::FromStart { .. }), _) => {
                Step::Done(Err(range.past_end(total)))
            }
            (RequestKind::Window(want), ..) => {
                let expected = format!("an object of {} bytes", want.end);
                let actual = total.map_or("a shorter one".to_owned(), |size| format!("one of {size}"));
                self.suspect(Mismatch { expected, actual, len: 0, plausible: None })
            }
            (RequestKind::Whole, ..) => self.fail(|label| label.refused(response)),
        }
    }

    /// A `403`: for S3 without permission to list, also the answer to an absent key. Where requests carry credentials, these may have
    /// expired.
    fn forbidden(&mut self, response: &HttpResponse) -> Step {
        let ExchangeContext { options, knowledge, url, .. } = self.context;
        if !self.refusal_may_be_absence() || fault::signature_fault(response) {
            return self.fail(|label| label.refused(response));
        }
        if !knowledge.took_refusal_for_absence.replace(true) && !options.missing_on_403 {
            options.warn_on_console(&format!(
                "status 403 for {url} is taken for an absent chunk, which reads as the fill value: this store has answered other reads, \
                 and requests carry no credentials that could have expired. With `missingOn403: true` there is no warning"
            ));
        }
        Step::Done(Ok(Outcome::Absent))
    }

    fn refusal_may_be_absence(&self) -> bool {
        let ExchangeContext { subject, options, knowledge, is_anonymous, .. } = self.context;
        match subject {
            Subject::Metadata => false,
            Subject::Chunk => options.missing_on_403 || (is_anonymous && knowledge.answered.get()),
            // What was wrongly taken for absent would be overwritten.
            Subject::Update => options.missing_on_403,
        }
    }

    fn read(&mut self, response: &HttpResponse, check: BodyCheck) -> Step {
        match check {
            BodyCheck::Valid(fetched) => {
                if matches!(self.kind, RequestKind::Suffix(_)) {
                    self.context.origin.suffix_ranges.set(SuffixRanges::Work);
                }
                self.found(fetched)
            }
            BodyCheck::Suspicious(mismatch) => self.suspect(mismatch),
            BodyCheck::Misunderstood if matches!(self.kind, RequestKind::Suffix(_)) => self.without_suffix(),
            BodyCheck::Misunderstood => self.fail(|label| label.refused(response)),
        }
    }

    /// Asks once more, from the beginning and past all caches. Two answers of one length that contradict nothing are believed.
    fn suspect(&mut self, mismatch: Mismatch) -> Step {
        match (self.suspected_len.replace(mismatch.len), mismatch.plausible) {
            (None, _) => {
                self.size = None;
                self.tail_failed = true;
                self.restart()
            }
            (Some(before), Some(plausible)) if before == mismatch.len => self.found(plausible),
            (Some(_), _) => {
                let mismatch = Mismatch { plausible: None, ..mismatch };
                self.fail(|label| label.wrong_bytes(mismatch))
            }
        }
    }

    fn again(
        &mut self,
        most: u32,
        told: Option<u32>,
        random: f64,
        error: impl FnOnce(RequestLabel<'_>, u32) -> Error,
    ) -> Step {
        match self.retries.next(most, told, random) {
            Some(after_ms) => self.ask(after_ms),
            None if self.kind == RequestKind::Head => {
                self.retries = Retries::default();
                self.without_head()
            }
            None => {
                let tries = self.retries.tries();
                self.fail(|label| error(label, tries))
            }
        }
    }

    fn fail(&self, error: impl FnOnce(RequestLabel<'_>) -> Error) -> Step {
        let range = self.kind.range();
        let label =
            RequestLabel { url: self.context.url, method: self.kind.method(), range: range.as_deref() };
        Step::Done(Err(error(label)))
    }

    fn found(&self, fetched: Fetched) -> Step {
        // An object that was read as a whole says nothing: some servers refuse suffixes longer than it, or of nothing.
        self.learn_from_success(fetched.size != Some(fetched.value.len()));
        Step::Done(Ok(Outcome::Found(fetched)))
    }

    fn found_size(&self, size: u64) -> Step {
        self.learn_from_success(size > 0);
        Step::Done(Ok(Outcome::Size(size)))
    }

    /// What failed on the way failed by its nature, when something else worked and the object is a usual one.
    fn learn_from_success(&self, usual: bool) {
        let ExchangeContext { knowledge, origin, .. } = self.context;
        knowledge.answered.set(true);
        if self.head_failed && usual {
            knowledge.head_useless.set(true);
        }
        if self.suffix_failed && usual {
            origin.suffix_ranges.set(SuffixRanges::Fail);
        }
    }
}
