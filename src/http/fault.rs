//! The errors of HTTP. They say what was requested, what was answered, and what the user may do.
//!
//! URLs are shown without their query, also the final URL of a redirect, because signatures must
//! not appear in messages and logs.

use super::answer::{CutBody, HttpResponse, Method};
use super::landing;
use super::response::Mismatch;
use super::url::redact;
use crate::error::{Error, Opaque};
use crate::limits;

/// Number of bytes of an error's body that are searched.
const EXPLANATION_BYTES: u64 = 4096;

/// Texts of S3, Google Cloud Storage and Azure that mean a rejected signature.
const SIGNATURE_FAULTS: [&str; 4] =
    ["ExpiredToken", "Request has expired", "AuthenticationFailed", "SignatureDoesNotMatch"];

/// Texts of Google Cloud Storage and S3 that mean a bucket whose readers pay.
const PAYER_FAULTS: [&str; 3] = ["UserProjectMissing", "equester pays", "x-amz-request-payer"];

/// Why there was no readable answer.
#[derive(Clone, Debug, Default)]
pub struct Lost {
    /// The host's message.
    pub message: String,
    /// The value that the host threw.
    pub cause: Option<Opaque>,
    /// Set if the headers came, and then the body broke off.
    pub cut: Option<CutBody>,
}

impl Lost {
    /// How much of the body came.
    fn cut_text(&self) -> Option<String> {
        let CutBody { received, announced } = self.cut?;
        let of = announced.filter(|announced| *announced > received);
        Some(format!("{received}{} bytes", of.map(|bytes| format!(" of {bytes}")).unwrap_or_default()))
    }
}

/// What is known of the server of a request without a readable answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seen {
    /// Nothing: it was not asked.
    #[default]
    Nothing,
    /// All answers of the server can be read, so there was none.
    All,
    /// It does not answer requests without CORS, either.
    Silent,
    /// It answers, and hides that from this page.
    Hidden {
        /// It showed other answers.
        answered: bool,
    },
}

/// A request, as error messages show it.
#[derive(Clone, Copy)]
pub struct RequestLabel<'a> {
    /// The URL without its query.
    pub url: &'a str,
    /// The method.
    pub method: Method,
    /// The value of the `Range` header.
    pub range: Option<&'a str>,
}

impl RequestLabel<'_> {
    fn described(self) -> String {
        let range = self.range.map(|range| format!(" ({range})")).unwrap_or_default();
        format!("{} {}{range}", self.method.name(), self.url)
    }

    /// The error for a status that means failure.
    pub fn refused(self, response: &HttpResponse) -> Error {
        let status = response.status;
        let pays = says(response, &PAYER_FAULTS);
        let hint = match status {
            _ if says(response, &SIGNATURE_FAULTS) => ": the signature of the URL has expired or is wrong",
            _ if pays => {
                ": the bucket is requester pays, so it sends nothing to readers without an account: use a public copy, or sign the requests with the option `fetch` (S3 wants x-amz-request-payer: requester, Google Cloud userProject=PROJECT in the URL and a token)"
            }
            400 => ": the server rejected the request; a signature may be missing or malformed",
            401 => ": credentials are missing or no longer valid",
            403 if says(response, &["AccessDenied"]) => {
                ": access is not allowed, or the key does not exist (S3 answers so without permission to list), or the bucket is requester pays (then sign the requests with the option `fetch`, with x-amz-request-payer: requester)"
            }
            403 => {
                ": access is not allowed, or the key does not exist (S3 answers so without permission to list)"
            }
            _ => "",
        };
        let via = if response.redirected { format!(" by {}", redact(&response.url)) } else { String::new() };
        let error =
            Error::store(format!("{} was answered with status {status}{via}{hint}", self.described()))
                .actual(format!("status {status}"));
        if pays { error.expected("a request whose sender pays") } else { error }
    }

    /// The error for a temporary status that did not pass.
    pub fn kept_failing(self, status: u16, tries: u32, wait: Option<u32>) -> Error {
        let wait = wait.map(|seconds| format!("; the server asks to wait {seconds} s")).unwrap_or_default();
        let times = if tries == 1 { "once".to_owned() } else { format!("{tries} times") };
        Error::store(format!("{} was answered with status {status} {times}{wait}", self.described()))
    }

    /// The error for a missing or unreadable answer.
    #[cold]
    pub fn unreachable(self, lost: &Lost, seen: Seen) -> Error {
        let (described, message) = (self.described(), &lost.message);
        let error = match (lost.cut_text(), seen) {
            (Some(bytes), _) => Error::store(format!(
                "network: the answer to {described} was cut off after {bytes} ({message}); the server or the network broke off"
            )),
            (None, seen) => self.unseen(message, seen),
        };
        match lost.cause.clone() {
            Some(cause) => error.caused_by(cause),
            None => error,
        }
    }

    /// The error for an answer of which nothing was seen.
    fn unseen(self, message: &str, seen: Seen) -> Error {
        let described = self.described();
        match seen {
            Seen::Hidden { answered } => self.hidden(message, answered),
            Seen::All => Error::store(format!("network: {described} got no answer ({message})")),
            Seen::Silent => Error::store(format!(
                "network: {described} got no answer ({message}): there is no such server, it is silent, or this page may not ask it (http from https, a policy, a blocker)"
            )),
            Seen::Nothing => Error::store(format!(
                "network or CORS: {described} got no readable answer ({message}); a server of another origin must send {}",
                self.needed()
            )),
        }
    }

    /// The headers that an answer needs, so that pages of other origins may read it.
    fn needed(self) -> &'static str {
        match self.range {
            Some(range) if range.starts_with("bytes=-") => {
                "Access-Control-Allow-Origin, and Access-Control-Allow-Headers: Range on OPTIONS"
            }
            _ => "Access-Control-Allow-Origin, also on its errors",
        }
    }

    /// The error for an answer that this page may not read.
    fn hidden(self, message: &str, answered: bool) -> Error {
        let (described, server) = (self.described(), landing::server(self.url));
        let lacks = if answered {
            "sends no Access-Control-Allow-Origin with this answer, which may be an error such as 404"
        } else {
            "sends no Access-Control-Allow-Origin"
        };
        let advice = landing::advice(self.url);
        let join = if advice.is_empty() { "" } else { "; " };
        Error::store(format!(
            "CORS: the answer to {described} is hidden from pages of other sites ({message}): {server} {lacks}; ask its owner to send {}, use a mirror or a proxy that does, or read outside of a browser{join}{advice}",
            self.needed()
        ))
        .expected("Access-Control-Allow-Origin")
        .actual("an answer without it")
    }

    /// The error for a body that exceeds the limit.
    pub fn too_large(self, announced: Option<u64>, limit: u64) -> Error {
        let what = match self.range {
            Some(_) => format!(
                "the body with which the server ignored the range of {}, where a server that answers Range is needed,",
                self.described()
            ),
            None => format!("the body of {}", self.described()),
        };
        match announced {
            Some(announced) => limits::exceeded(&what, announced, limit),
            None => Error::limit(format!("{what} is too large"))
                .expected(format!("at most {limit}"))
                .actual("more"),
        }
    }

    /// The error for a 206 with much more than the range.
    pub fn longer_part(self, announced: Option<u64>, limit: u64) -> Error {
        let actual = announced.map_or("more".to_owned(), |announced| format!("{announced} bytes"));
        Error::store(format!("{} was answered with more than the range", self.described()))
            .expected(format!("at most {limit} bytes"))
            .actual(actual)
    }

    /// The error for two suspicious answers.
    pub fn wrong_bytes(self, mismatch: Mismatch) -> Error {
        Error::store(format!("{} was answered with the wrong bytes", self.described()))
            .expected(mismatch.expected)
            .actual(mismatch.actual)
    }

    /// The error for a web page that may not mean an absent object.
    pub fn web_page(self, why: &str) -> Error {
        Error::store(format!("{} was answered with a web page: {why}", self.described()))
            .expected("the object, or status 404")
            .actual("HTML")
    }

    /// The error for a size that no visible header tells.
    pub fn unknown_size(self) -> Error {
        Error::store(format!(
            "the size of {} cannot be learned: neither Content-Length nor Content-Range is visible",
            self.url
        ))
    }
}

/// Whether the server rejected who asks. Such an answer says nothing about the key.
pub fn is_about_the_request(response: &HttpResponse) -> bool {
    says(response, &SIGNATURE_FAULTS) || says(response, &PAYER_FAULTS)
}

/// Whether the body of an error has one of these texts.
fn says(response: &HttpResponse, texts: &[&str]) -> bool {
    let explanation = response.beginning(EXPLANATION_BYTES);
    texts.iter().any(|text| explanation.windows(text.len()).any(|part| part == text.as_bytes()))
}
