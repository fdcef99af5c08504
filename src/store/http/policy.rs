//! One read over HTTP as a pure machine: it names a request, is given the answer, and names the next or the outcome.
//!
//! It neither awaits nor sends, so each oddity of servers is a test without a network. A suffix is read in up to four ways,
//! the next being taken when one proves useless: `bytes=a-b` around where the end is likely to be, which tells the size too; the size by
//! HEAD and then `bytes=a-b`; `bytes=-N`; everything.

use std::cell::Cell;
use std::ops::Range;

use super::HttpOptions;
use super::fault::{self, Asked};
use super::origin::{Origin, SuffixRanges};
use super::response::{self, ContentRange, Doubt, Reading};
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
    Send(Ask),
    Done(Result<Outcome>),
}

/// A request that is to be sent after a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ask {
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
pub(super) struct Knowledge {
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
pub(super) struct Setting<'a> {
    /// The URL without its query.
    pub url: &'a str,
    /// Neither the URL nor anything that is sent with it says who asks.
    pub is_anonymous: bool,
    pub subject: Subject,
    pub likely_size: Option<LikelySize>,
    pub options: &'a HttpOptions,
    pub origin: &'a Origin,
    pub knowledge: &'a Knowledge,
}

/// What is asked at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stage {
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

impl Stage {
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
    setting: Setting<'a>,
    goal: Goal,
    stage: Stage,
    /// Size of the object, once learned on the way.
    size: Option<u64>,
    head_failed: bool,
    suffix_failed: bool,
    tail_failed: bool,
    retries: Retries,
    /// Length of the body that was doubted.
    doubted: Option<u64>,
}

impl<'a> Exchange<'a> {
    /// The machine and its first request.
    pub fn start(goal: Goal, setting: Setting<'a>) -> (Self, Step) {
        let mut exchange = Self {
            setting,
            goal,
            stage: Stage::Whole,
            size: None,
            head_failed: setting.knowledge.head_useless.get(),
            suffix_failed: setting.origin.suffix_ranges.get() == SuffixRanges::Fail,
            tail_failed: setting.knowledge.tails_useless.get(),
            retries: Retries::default(),
            doubted: None,
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
                let most = match self.setting.subject {
                    // A probe of a key that is absent looks like this where the 404 lacks the CORS header.
                    Subject::Metadata => self.setting.options.retries.min(1),
                    Subject::Chunk | Subject::Update => self.setting.options.retries,
                };
                self.again(most, None, random, |asked, _tries| asked.unreachable(&message, cause))
            }
            Err(TransportError::TooLarge { announced }) => {
                self.fail(|asked| asked.too_large(announced, self.body_limit()))
            }
            Err(TransportError::Failed(error)) => Step::Done(Err(error)),
        }
    }

    /// Chooses the way by what is known by now, and asks.
    fn restart(&mut self) -> Step {
        self.stage = match self.goal {
            Goal::Read(ByteRange::Whole) => Stage::Whole,
            // Sent also where ranges were ignored: that may have been one object, or a cache that was still empty.
            Goal::Read(ByteRange::FromStart { offset, len }) => {
                Stage::Window(offset..offset.saturating_add(len))
            }
            Goal::Read(ByteRange::Suffix(len)) => self.way_to_suffix(len),
            Goal::Size if self.head_failed => Stage::FirstByte,
            Goal::Size => Stage::Head,
        };
        self.ask(0)
    }

    fn way_to_suffix(&self, len: u64) -> Stage {
        let at_once = self.setting.options.use_suffix_request
            || self.setting.origin.suffix_ranges.get() == SuffixRanges::Work;
        if self.setting.knowledge.ranges_ignored.get() {
            Stage::Whole
        } else if !self.suffix_failed && (at_once || self.head_failed) {
            Stage::Suffix(len)
        } else if let Some(tail) = self.likely_tail(len) {
            Stage::Tail(tail)
        } else if self.head_failed {
            Stage::Whole
        } else {
            Stage::Head
        }
    }

    /// Where the last bytes are likely to be, and one more: an answer that has no bytes there tells the size, also where its headers do
    /// not. `None` where that is not known well enough.
    fn likely_tail(&self, len: u64) -> Option<Range<u64>> {
        let LikelySize { low, high } = self.setting.likely_size.filter(|_| !self.tail_failed)?;
        let is_worth = high.checked_sub(low)? <= TAIL_BYTES;
        is_worth.then(|| low.saturating_sub(len)..high.saturating_add(1))
    }

    fn ask(&self, after_ms: u32) -> Step {
        Step::Send(Ask {
            method: self.stage.method(),
            range: self.stage.range(),
            fresh: self.doubted.is_some(),
            after_ms,
            body_limit: self.body_limit(),
        })
    }

    fn body_limit(&self) -> u64 {
        match self.setting.subject {
            // What HEAD announces is the size of an object of which only a part will be read.
            _ if self.stage == Stage::Head => u64::MAX,
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
                self.again(self.setting.options.retries, wait, random, |asked, tries| {
                    asked.kept_failing(response.status, tries, wait)
                })
            }
            // Answers to HEAD have no body that would explain them, and a signature may be good for GET alone.
            status if self.stage == Stage::Head && status != 401 => self.without_head(),
            400 | 405 | 501 if matches!(self.stage, Stage::Suffix(_)) => self.without_suffix(),
            400 | 405 | 501 if matches!(self.stage, Stage::Tail(_)) => self.without_tail(),
            403 => self.forbidden(response),
            _ => self.fail(|asked| asked.refused(response)),
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
        match self.setting.subject {
            Subject::Metadata => beginning.starts_with(b"<"),
            Subject::Chunk | Subject::Update => {
                let html =
                    response.headers.get("content-type").is_some_and(|kind| kind.starts_with("text/html"));
                html && (beginning.starts_with(b"<!doctype html") || beginning.starts_with(b"<html"))
            }
        }
    }

    fn succeed(&mut self, response: &HttpResponse) -> Step {
        match (&self.stage, response.status) {
            (Stage::Head, _) => self.learn_size(response.content_length()),
            (Stage::FirstByte, 206) => match response.content_range().total {
                Some(size) => self.found_size(size),
                None => self.fail(|asked| asked.unknown_size()),
            },
            (Stage::FirstByte, _) => self.found_size(response.body.len()),
            (Stage::Whole, 206) => self.read(response, response::whole_of_partial(response)),
            (Stage::Window(want), 206) => {
                let reading = response::window(response, want, self.size);
                self.setting.knowledge.ranges_ignored.set(false);
                self.read(response, reading)
            }
            (Stage::Tail(asked), 206) => self.take_tail(response, asked.clone()),
            (Stage::Suffix(len), 206) => {
                let reading = response::suffix(response, *len);
                self.read(response, reading)
            }
            (Stage::Whole | Stage::Window(_) | Stage::Suffix(_) | Stage::Tail(_), _) => {
                self.everything(response)
            }
        }
    }

    /// A `200`: everything, whether it was asked for or not.
    fn everything(&mut self, response: &HttpResponse) -> Step {
        // Not for metadata: the smallest documents are longer when compressed, which other origins' headers do not show, and
        // a document that lost its end does not parse.
        if self.setting.subject != Subject::Metadata
            && let Some(doubt) = response::lost_bytes(response)
        {
            return self.doubt(doubt);
        }
        let Goal::Read(range) = self.goal else { return self.found_size(response.body.len()) };
        let asked = match &self.stage {
            Stage::Window(want) | Stage::Tail(want) => Some(want.end - want.start),
            Stage::Suffix(len) => Some(*len),
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
        self.suffix_failed |= matches!(self.stage, Stage::Suffix(_));
        if !self.setting.knowledge.ranges_ignored.replace(true) {
            self.setting.options.warn(&format!(
                "the server of {} ignores byte ranges and sends whole objects; reading parts of them costs as much as reading all",
                self.setting.url
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
        self.setting.knowledge.tails_useless.set(true);
        self.restart()
    }

    fn read_window(&mut self, window: Range<u64>, size: u64) -> Step {
        self.size = Some(size);
        self.stage = Stage::Window(window);
        self.ask(0)
    }

    /// A suffix range takes a preflight, which many servers refuse; once it was allowed, other reasons are likelier.
    fn is_untried_suffix(&self) -> bool {
        matches!(self.stage, Stage::Suffix(_))
            && self.setting.origin.suffix_ranges.get() != SuffixRanges::Work
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
        match (&self.stage, self.goal, total) {
            (Stage::Head, ..) => self.without_head(),
            (Stage::FirstByte, ..) => self.found_size(total.unwrap_or(0)),
            // It is smaller than was likely.
            (Stage::Tail(_), _, Some(size)) if size > 0 => self.learn_size(Some(size)),
            (Stage::Tail(_), ..) => self.without_tail(),
            (Stage::Suffix(_), _, Some(0)) => self.found(response.fetched(Value::from(Vec::new()), Some(0))),
            (Stage::Suffix(len), _, Some(size)) => {
                let window = size.saturating_sub(*len)..size;
                self.suffix_failed = true;
                self.read_window(window, size)
            }
            (Stage::Suffix(_), _, None) => self.without_suffix(),
            (Stage::Window(want), Goal::Read(ByteRange::FromStart { .. }), Some(size))
                if want.start < size && size < want.end =>
            {
                self.read_window(want.start..size, size)
            }
            (Stage::Window(_), Goal::Read(range @ ByteRange::FromStart { .. }), _) => {
                Step::Done(Err(range.past_end(total)))
            }
            (Stage::Window(want), ..) => {
                let expected = format!("an object of {} bytes", want.end);
                let actual = total.map_or("a shorter one".to_owned(), |size| format!("one of {size}"));
                self.doubt(Doubt { expected, actual, len: 0, plausible: None })
            }
            (Stage::Whole, ..) => self.fail(|asked| asked.refused(response)),
        }
    }

    /// A `403`: for S3 without permission to list, also the answer to an absent key. Where requests carry credentials, these may have
    /// expired.
    fn forbidden(&mut self, response: &HttpResponse) -> Step {
        let Setting { options, knowledge, url, .. } = self.setting;
        if !self.refusal_may_be_absence() || fault::signature_fault(response) {
            return self.fail(|asked| asked.refused(response));
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
        let Setting { subject, options, knowledge, is_anonymous, .. } = self.setting;
        match subject {
            Subject::Metadata => false,
            Subject::Chunk => options.missing_on_403 || (is_anonymous && knowledge.answered.get()),
            // What was wrongly taken for absent would be overwritten.
            Subject::Update => options.missing_on_403,
        }
    }

    fn read(&mut self, response: &HttpResponse, reading: Reading) -> Step {
        match reading {
            Reading::Sound(fetched) => {
                if matches!(self.stage, Stage::Suffix(_)) {
                    self.setting.origin.suffix_ranges.set(SuffixRanges::Work);
                }
                self.found(fetched)
            }
            Reading::Doubtful(doubt) => self.doubt(doubt),
            Reading::Misread if matches!(self.stage, Stage::Suffix(_)) => self.without_suffix(),
            Reading::Misread => self.fail(|asked| asked.refused(response)),
        }
    }

    /// Asks once more, from the beginning and past all caches. Two answers of one length that contradict nothing are believed.
    fn doubt(&mut self, doubt: Doubt) -> Step {
        match (self.doubted.replace(doubt.len), doubt.plausible) {
            (None, _) => {
                self.size = None;
                self.tail_failed = true;
                self.restart()
            }
            (Some(before), Some(plausible)) if before == doubt.len => self.found(plausible),
            (Some(_), _) => {
                let doubt = Doubt { plausible: None, ..doubt };
                self.fail(|asked| asked.wrong_bytes(doubt))
            }
        }
    }

    fn again(
        &mut self,
        most: u32,
        told: Option<u32>,
        random: f64,
        error: impl FnOnce(Asked<'_>, u32) -> Error,
    ) -> Step {
        match self.retries.next(most, told, random) {
            Some(after_ms) => self.ask(after_ms),
            None if self.stage == Stage::Head => {
                self.retries = Retries::default();
                self.without_head()
            }
            None => {
                let tries = self.retries.tries();
                self.fail(|asked| error(asked, tries))
            }
        }
    }

    fn fail(&self, error: impl FnOnce(Asked<'_>) -> Error) -> Step {
        let range = self.stage.range();
        let asked = Asked { url: self.setting.url, method: self.stage.method(), range: range.as_deref() };
        Step::Done(Err(error(asked)))
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
        let Setting { knowledge, origin, .. } = self.setting;
        knowledge.answered.set(true);
        if self.head_failed && usual {
            knowledge.head_useless.set(true);
        }
        if self.suffix_failed && usual {
            origin.suffix_ranges.set(SuffixRanges::Fail);
        }
    }
}
