//! One read over HTTP as a state machine: it names a request, takes the answer, and names the next.
//!
//! It neither waits nor sends, so that tests can play any server. [`State`] is what was sent, and
//! [`Learned`] chooses what is sent next.

use std::ops::Range;

use super::answer::{HttpResponse, Method, TransportError, TransportResult};
use super::exchange::{ExchangeContext, Goal, NextRequest, Outcome, Step};
use super::fault::{self, Lost, RequestLabel, Seen};
use super::learned::Learned;
use super::request_kind::RequestKind;
use super::response::{self, BodyCheck, ContentRange, Mismatch};
use super::retry::Retries;
use super::server::{ServerKnowledge, SuffixRanges};
use super::web_page::{self, WebPage};
use crate::error::Error;
use crate::fetched::{Fetched, Measured};
use crate::format::byte_range::{ByteRange, len_of};
use crate::limits;
use crate::subject::Subject;
use crate::value::Value;

/// Where an exchange stands, and so what the next answer means.
enum State {
    /// A request for the object was sent.
    Asked(RequestKind),
    /// It was not answered, and the server is asked whether it is there.
    Probing { unanswered: RequestKind, lost: Lost },
}

/// One read over HTTP. See the module.
pub struct Exchange<'a> {
    context: ExchangeContext<'a>,
    goal: Goal,
    state: State,
    learned: Learned,
    retries: Retries,
}

impl<'a> Exchange<'a> {
    /// The machine and its first request.
    pub fn start(goal: Goal, context: ExchangeContext<'a>) -> (Self, Step) {
        let learned = Learned::before(&context);
        let state = State::Asked(learned.next_kind(goal, &context));
        let exchange = Self { context, goal, state, learned, retries: Retries::default() };
        let step = exchange.ask(0);
        (exchange, step)
    }

    /// Takes an answer. `random` is a number in 0..1 for the jitter of retries.
    pub fn answer(&mut self, answer: TransportResult, random: f64) -> Step {
        match &self.state {
            State::Asked(_) => self.answered(answer, random),
            State::Probing { .. } => self.probed(&answer),
        }
    }

    fn answered(&mut self, answer: TransportResult, random: f64) -> Step {
        match answer {
            Ok(response) => self.judge(&response, random),
            Err(TransportError::Unreachable { cut: None, .. }) if self.is_untried_suffix() => {
                self.without_suffix()
            }
            Err(TransportError::Unreachable { message, cause, cut }) => {
                let most = match self.context.subject {
                    // If a server's 404 has no CORS header, the probe of an absent key looks like
                    // this.
                    Subject::Metadata => self.context.options.retries.min(1),
                    Subject::Chunk | Subject::Update => self.context.options.retries,
                };
                let lost = Lost { message, cause, cut };
                match self.again(most, None, random, |label, _tries| label.unreachable(&lost, Seen::Nothing))
                {
                    Step::Done(_) => self.probe(lost),
                    step => step,
                }
            }
            Err(TransportError::TooLarge { announced, limit }) => self.too_large(announced, limit),
            Err(TransportError::Failed(error)) => Step::Done(Err(error)),
        }
    }

    /// Asks whether the server is there, because browsers do not tell a lost network from an answer
    /// that this page may not read. Credentials are never sent for that.
    fn probe(&mut self, lost: Lost) -> Step {
        let ServerKnowledge { seen, answered, .. } = self.context.knowledge;
        // Of an answer that was cut off, this page saw the beginning.
        if lost.cut.is_some() || !self.context.may_probe {
            return self.fail(|label| label.unreachable(&lost, Seen::Nothing));
        }
        if let (hidden @ Seen::Hidden { .. }, false) = (seen.get(), answered.get()) {
            return self.fail(|label| label.unreachable(&lost, hidden));
        }
        self.state = State::Probing { unanswered: self.kind().clone(), lost };
        let (method, limit) = (Method::Probe, web_page::BEGINNING_BYTES);
        let (range, fresh, after_ms) = (None, false, 0);
        Step::Send(NextRequest { method, range, fresh, after_ms, body_limit: limit, part_limit: limit })
    }

    fn probed(&mut self, answer: &TransportResult) -> Step {
        let ServerKnowledge { seen, answered, .. } = self.context.knowledge;
        seen.set(match answer {
            Ok(_) => Seen::Hidden { answered: answered.get() },
            Err(TransportError::Failed(_)) => Seen::All,
            Err(_) => Seen::Silent,
        });
        self.settle(seen.get())
    }

    /// Fails for want of a readable answer, if the server is being asked whether it is there.
    pub fn settle(&self, seen: Seen) -> Step {
        let nothing = Lost::default();
        let lost = match &self.state {
            State::Asked(_) => &nothing,
            State::Probing { lost, .. } => lost,
        };
        self.fail(|label| label.unreachable(lost, seen))
    }

    /// The kind of the current request for the object.
    fn kind(&self) -> &RequestKind {
        match &self.state {
            State::Asked(kind) | State::Probing { unanswered: kind, .. } => kind,
        }
    }

    /// Sends a request of another kind.
    fn turn_to(&mut self, kind: RequestKind) -> Step {
        self.state = State::Asked(kind);
        self.ask(0)
    }

    /// Chooses the next kind of request from what is known, and requests it.
    fn restart(&mut self) -> Step {
        self.turn_to(self.learned.next_kind(self.goal, &self.context))
    }

    fn ask(&self, after_ms: u32) -> Step {
        Step::Send(NextRequest {
            method: self.kind().method(),
            range: self.kind().range(),
            fresh: self.learned.is_doubtful(),
            after_ms,
            body_limit: self.body_limit(),
            part_limit: self.part_limit(),
        })
    }

    fn body_limit(&self) -> u64 {
        // HEAD announces the size of the object, of which only a part will be read.
        if *self.kind() == RequestKind::Head { u64::MAX } else { self.context.body_limit }
    }

    fn part_limit(&self) -> u64 {
        let asked = match self.kind() {
            RequestKind::Head | RequestKind::Whole => return self.body_limit(),
            RequestKind::Beginning => web_page::BEGINNING_BYTES,
            RequestKind::FirstByte => 1,
            kind => kind.asked_bytes().unwrap_or(0),
        };
        asked.saturating_add(limits::BODY_SLACK).min(limits::RESULT_BYTES)
    }

    fn judge(&mut self, response: &HttpResponse, random: f64) -> Step {
        let is_success = matches!(response.status, 200 | 206);
        if is_success && response.is_directory(self.context.url) {
            return Step::Done(Ok(Outcome::Absent));
        }
        if is_success && let Some(page) = WebPage::of(response, self.context.subject) {
            return self.page(page, response);
        }
        match response.status {
            _ if self.may_be_part_of_a_page(response) => self.turn_to(RequestKind::Beginning),
            200 | 206 => self.succeed(response),
            404 | 410 => Step::Done(Ok(Outcome::Absent)),
            416 => self.unsatisfiable(response),
            408 | 429 | 500 | 502 | 503 | 504 => {
                let wait = response.retry_after();
                self.again(self.context.options.retries, wait, random, |label, tries| {
                    label.kept_failing(response.status, tries, wait)
                })
            }
            // An error to HEAD has no body that explains it, and a signature may be valid for GET
            // only.
            status if *self.kind() == RequestKind::Head && status != 401 => self.without_head(),
            400 | 405 | 501 if matches!(self.kind(), RequestKind::Suffix(_)) => self.without_suffix(),
            400 | 405 | 501 if matches!(self.kind(), RequestKind::Tail(_)) => self.without_tail(),
            403 => self.forbidden(response),
            _ => self.fail(|label| label.refused(response)),
        }
    }

    /// Takes a web page. The first is not believed: the server, or a cache, may have failed once.
    fn page(&mut self, page: WebPage, response: &HttpResponse) -> Step {
        let pages = &self.context.knowledge.web_pages;
        let is_update = self.context.subject == Subject::Update;
        let is_metadata = self.context.subject == Subject::Metadata;
        if !is_update && pages.is_absence_page(&page) || is_metadata && !pages.can_be_checked() {
            pages.warn_once(self.context.url, self.context.subject, self.context.options);
            if is_metadata && !pages.can_be_checked() {
                pages.note_instead_of_metadata(response);
            }
            return Step::Done(Ok(Outcome::Absent));
        }
        if self.learned.suspected_page {
            return Step::Done(Ok(Outcome::Page(page)));
        }
        self.learned.suspected_page = true;
        self.restart()
    }

    /// Whether the answer is labelled as HTML and does not show the beginning of the body.
    fn may_be_part_of_a_page(&self, response: &HttpResponse) -> bool {
        matches!(response.status, 200 | 206 | 416)
            && self.context.subject != Subject::Metadata
            && !matches!(self.kind(), RequestKind::Whole | RequestKind::Beginning)
            && (response.status != 200 || *self.kind() == RequestKind::Head)
            && !self.context.knowledge.labels_objects_as_html.get()
            && web_page::is_labelled(response)
    }

    fn not_a_page(&mut self) -> Step {
        self.context.knowledge.labels_objects_as_html.set(true);
        self.restart()
    }

    fn succeed(&mut self, response: &HttpResponse) -> Step {
        match (self.kind(), response.status) {
            (RequestKind::Head, _) => self.learn_size(response, response.content_length()),
            (RequestKind::Beginning, _) => self.not_a_page(),
            (RequestKind::FirstByte, 206) => match response.content_range().total {
                Some(size) => self.found_size(response, size),
                None => self.fail(|label| label.unknown_size()),
            },
            (RequestKind::Whole, 206) => self.read(response, response::whole_of_partial(response)),
            (RequestKind::Window(want), 206) => {
                let check = response::window(response, want, self.learned.size);
                self.context.knowledge.ranges_ignored.set(false);
                self.learn_from_part(response);
                self.read(response, check)
            }
            (RequestKind::Tail(asked), 206) => self.take_tail(response, asked.clone()),
            (RequestKind::Suffix(len), 206) => {
                let check = response::suffix(response, *len);
                self.learn_from_part(response);
                self.read(response, check)
            }
            _ => self.everything(response),
        }
    }

    /// Takes a body above its limit. With status 206 it may be the whole object.
    fn too_large(&mut self, announced: Option<u64>, limit: u64) -> Step {
        let is_part = limit < self.body_limit();
        match self.kind() {
            RequestKind::Window(_) if is_part => {
                self.learn_that_ranges_are_ignored();
                self.turn_to(RequestKind::Whole)
            }
            RequestKind::Suffix(_) if is_part => self.without_suffix(),
            RequestKind::Tail(_) if is_part => self.without_tail(),
            _ if is_part => self.fail(|label| label.longer_part(announced, limit)),
            _ => self.fail(|label| label.too_large(announced, limit)),
        }
    }

    /// Takes a `200`: the whole object, even if a range was requested.
    fn everything(&mut self, response: &HttpResponse) -> Step {
        // Not for metadata. The smallest documents grow when they are compressed, which hidden
        // headers may not show. And a document that lost its end cannot be parsed.
        if self.context.subject != Subject::Metadata
            && let Some(mismatch) = response::lost_bytes(response)
        {
            return self.suspect(mismatch);
        }
        if self.kind().asked_bytes().is_some_and(|asked| asked < response.body.len()) {
            self.learn_that_ranges_are_ignored();
        }
        self.found_whole(response.fetched(response.body.clone(), Some(response.body.len())))
    }

    /// Takes a `206` whose body is no longer than what was asked for.
    fn learn_from_part(&self, response: &HttpResponse) {
        if self.kind().asked_bytes().is_some_and(|asked| response.body.len() <= asked) {
            self.context.origin.sends_parts.set(true);
        }
    }

    fn learn_that_ranges_are_ignored(&mut self) {
        self.learned.suffix_failed |= matches!(self.kind(), RequestKind::Suffix(_));
        if !self.context.knowledge.ranges_ignored.replace(true) {
            self.context.options.warn(&format!(
                "the server of {} ignores byte ranges and sends whole objects; reading a part of one costs as much as reading all of it: use a server or a mirror that answers Range",
                self.context.url
            ));
        }
    }

    /// Takes an answer to HEAD. A missing length does not mean 0, and some servers send 0 for
    /// unknown.
    fn learn_size(&mut self, response: &HttpResponse, size: Option<u64>) -> Step {
        match (size.filter(|size| *size > 0), self.goal) {
            (None, _) => self.without_head(),
            (Some(size), Goal::Size) => self.found_size(response, size),
            (Some(size), Goal::Read(range)) => match range.of(size) {
                Some(window) => self.read_window(window, size),
                None => Step::Done(Err(range.past_end(Some(size)))),
            },
        }
    }

    /// Takes an answer to a tail request. Either it contains the last bytes, or its size tells
    /// where they are.
    #[allow(clippy::arithmetic_side_effects, reason = "the window is inside of what the answer holds")]
    fn take_tail(&mut self, response: &HttpResponse, asked: Range<u64>) -> Step {
        self.learn_from_part(response);
        let ContentRange { held, total } = response.content_range();
        let body = response.body.len();
        let held = held.unwrap_or(asked.start..asked.start.saturating_add(body));
        let is_short = held.end < asked.end && response.length_confirmed();
        let size = total.or(is_short.then_some(held.end));
        let (Some(size), Goal::Read(range)) = (size, self.goal) else { return self.without_tail() };
        if held.start != asked.start || len_of(&held) != body || held.end > size {
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
        self.learned.tail_failed = true;
        self.context.knowledge.tails_useless.set(true);
        self.restart()
    }

    fn read_window(&mut self, window: Range<u64>, size: u64) -> Step {
        self.learned.size = Some(size);
        self.turn_to(RequestKind::Window(window))
    }

    /// Whether the current request may have failed because of its preflight. Once a suffix request
    /// has worked, other causes are more likely.
    fn is_untried_suffix(&self) -> bool {
        matches!(self.kind(), RequestKind::Suffix(_))
            && self.context.origin.suffix_ranges.get() != SuffixRanges::Work
    }

    fn without_head(&mut self) -> Step {
        self.learned.head_failed = true;
        self.restart()
    }

    fn without_suffix(&mut self) -> Step {
        self.learned.suffix_failed = true;
        self.restart()
    }

    /// Takes a `416`. It may also mean an end past the end of the object, or an unsupported kind of
    /// range.
    fn unsatisfiable(&mut self, response: &HttpResponse) -> Step {
        let total = response.content_range().total;
        match (self.kind(), self.goal, total) {
            (RequestKind::Head, ..) => self.without_head(),
            (RequestKind::Beginning, ..) => self.not_a_page(),
            (RequestKind::FirstByte, ..) => self.found_size(response, total.unwrap_or(0)),
            // The object is smaller than estimated.
            (RequestKind::Tail(_), _, Some(size)) if size > 0 => self.learn_size(response, Some(size)),
            (RequestKind::Tail(_), ..) => self.without_tail(),
            (RequestKind::Suffix(_), _, Some(0)) => {
                self.found(response.fetched(Value::from(Vec::new()), Some(0)))
            }
            (RequestKind::Suffix(len), _, Some(size)) => {
                let window = size.saturating_sub(*len)..size;
                self.learned.suffix_failed = true;
                self.read_window(window, size)
            }
            (RequestKind::Suffix(_), _, None) => self.without_suffix(),
            (RequestKind::Window(want), Goal::Read(ByteRange::At { .. }), Some(size))
                if want.start < size && size < want.end =>
            {
                self.read_window(want.start..size, size)
            }
            (RequestKind::Window(_), Goal::Read(range @ ByteRange::At { .. }), _) => {
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

    /// Takes a `403`. S3 also sends it for an absent key if listing is not permitted. If requests
    /// carry credentials, they may have expired.
    fn forbidden(&mut self, response: &HttpResponse) -> Step {
        let ExchangeContext { options, knowledge, url, .. } = self.context;
        if !self.refusal_may_be_absence() || fault::is_about_the_request(response) {
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
            // A chunk that is wrongly taken for absent would be overwritten.
            Subject::Update => options.missing_on_403,
        }
    }

    fn read(&mut self, response: &HttpResponse, check: BodyCheck) -> Step {
        match check {
            BodyCheck::Valid(fetched) => {
                if matches!(self.kind(), RequestKind::Suffix(_)) {
                    self.context.origin.suffix_ranges.set(SuffixRanges::Work);
                }
                if *self.kind() == RequestKind::Whole {
                    self.found_whole(fetched)
                } else {
                    self.found(fetched)
                }
            }
            BodyCheck::Suspicious(mismatch) => self.suspect(mismatch),
            BodyCheck::Misunderstood if matches!(self.kind(), RequestKind::Suffix(_)) => {
                self.without_suffix()
            }
            BodyCheck::Misunderstood => self.fail(|label| label.refused(response)),
        }
    }

    /// Requests once more, without caches. A second body of the same length is believed if it does
    /// not contradict itself.
    fn suspect(&mut self, mismatch: Mismatch) -> Step {
        match (self.learned.suspected_len.replace(mismatch.len), mismatch.plausible) {
            (None, _) => {
                self.learned.size = None;
                self.learned.tail_failed = true;
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
            None if *self.kind() == RequestKind::Head => {
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
        let range = self.kind().range();
        let label =
            RequestLabel { url: self.context.url, method: self.kind().method(), range: range.as_deref() };
        Step::Done(Err(error(label)))
    }

    fn found(&self, fetched: Fetched) -> Step {
        // An object that was read as a whole proves nothing: some servers reject only suffixes that
        // are longer than the object.
        self.learn_from_success(!fetched.is_whole());
        Step::Done(Ok(Outcome::Found(fetched)))
    }

    fn found_whole(&self, object: Fetched) -> Step {
        let size = object.value.len();
        self.learn_from_success(match self.goal {
            Goal::Read(range) => range.of(size).is_some_and(|part| len_of(&part) != size),
            Goal::Size => size > 0,
        });
        Step::Done(Ok(Outcome::Whole(Fetched { size: Some(size), ..object })))
    }

    fn found_size(&self, response: &HttpResponse, size: u64) -> Step {
        self.learn_from_success(size > 0);
        Step::Done(Ok(Outcome::Size(Measured { size, modified: response.modified() })))
    }

    /// If another kind of request worked, the kinds that failed before do not work on this server.
    fn learn_from_success(&self, usual: bool) {
        let ExchangeContext { knowledge, origin, .. } = self.context;
        knowledge.answered.set(true);
        if self.learned.head_failed && usual {
            knowledge.head_useless.set(true);
        }
        if self.learned.suffix_failed && usual {
            origin.suffix_ranges.set(SuffixRanges::Fail);
        }
    }
}
