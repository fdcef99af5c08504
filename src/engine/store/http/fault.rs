//! The errors of HTTP. They say what was requested, what was answered, and what the user may do.
//!
//! URLs are shown without their query, also the final URL of a redirect, because signatures must
//! not appear in messages and logs.

use super::response::Mismatch;
use super::transport::{HttpResponse, Method};
use super::url::redact;
use crate::error::{Error, Opaque};
use crate::limits;

/// Number of bytes of an error's body that are searched.
const EXPLANATION_BYTES: u64 = 4096;

/// Texts of S3, Google Cloud Storage and Azure that mean a rejected signature.
const SIGNATURE_FAULTS: [&str; 4] =
    ["ExpiredToken", "Request has expired", "AuthenticationFailed", "SignatureDoesNotMatch"];

/// A request, as error messages show it.
#[derive(Clone, Copy)]
pub(super) struct RequestLabel<'a> {
    /// The URL without its query.
    pub url: &'a str,
    pub method: Method,
    pub range: Option<&'a str>,
}

impl RequestLabel<'_> {
    fn described(self) -> String {
        let range = self.range.map(|range| format!(" ({range})")).unwrap_or_default();
        format!("{} {}{range}", self.method.name(), self.url)
    }

    /// The error for a status that means failure.
    pub(super) fn refused(self, response: &HttpResponse) -> Error {
        let status = response.status;
        let hint = match status {
            _ if signature_fault(response) => ": the signature of the URL has expired or is wrong",
            400 => ": the server rejected the request; a signature may be missing or malformed",
            401 => ": credentials are missing or no longer valid",
            403 => {
                ": access is not allowed, or the key does not exist (S3 answers so without permission to list)"
            }
            _ => "",
        };
        let via = if response.redirected { format!(" by {}", redact(&response.url)) } else { String::new() };
        Error::store(format!("{} was answered with status {status}{via}{hint}", self.described()))
    }

    /// The error for a temporary status that did not pass.
    pub(super) fn kept_failing(self, status: u16, tries: u32, wait: Option<u32>) -> Error {
        let wait = wait.map(|seconds| format!("; the server asks to wait {seconds} s")).unwrap_or_default();
        let times = if tries == 1 { "once".to_owned() } else { format!("{tries} times") };
        Error::store(format!("{} was answered with status {status} {times}{wait}", self.described()))
    }

    /// The error for a missing or unreadable answer.
    pub(super) fn unreachable(self, message: &str, cause: Option<Opaque>) -> Error {
        let needed = match self.range {
            Some(range) if range.starts_with("bytes=-") => {
                "Access-Control-Allow-Origin, and Access-Control-Allow-Headers: Range on OPTIONS"
            }
            _ => "Access-Control-Allow-Origin, also on its errors",
        };
        let error = Error::store(format!(
            "network or CORS: {} got no readable answer ({message}); a server of another origin must send {needed}",
            self.described()
        ));
        match cause {
            Some(cause) => error.caused_by(cause),
            None => error,
        }
    }

    /// The error for a body that exceeds the limit.
    pub(super) fn too_large(self, announced: Option<u64>, limit: u64) -> Error {
        let what = match self.range {
            Some(_) => format!("the body with which the server ignored the range of {}", self.described()),
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
    pub(super) fn longer_part(self, announced: Option<u64>, limit: u64) -> Error {
        let actual = announced.map_or("more".to_owned(), |announced| format!("{announced} bytes"));
        Error::store(format!("{} was answered with more than the range", self.described()))
            .expected(format!("at most {limit} bytes"))
            .actual(actual)
    }

    /// The error for two suspicious answers.
    pub(super) fn wrong_bytes(self, mismatch: Mismatch) -> Error {
        Error::store(format!("{} was answered with the wrong bytes", self.described()))
            .expected(mismatch.expected)
            .actual(mismatch.actual)
    }

    /// The error for a web page that may not mean an absent object.
    pub(super) fn web_page(self, why: &str) -> Error {
        Error::store(format!("{} was answered with a web page: {why}", self.described()))
            .expected("the object, or status 404")
            .actual("HTML")
    }

    /// The error for a size that no visible header tells.
    pub(super) fn unknown_size(self) -> Error {
        Error::store(format!(
            "the size of {} cannot be learned: neither Content-Length nor Content-Range is visible",
            self.url
        ))
    }
}

/// Whether the server rejected the signature. Such an answer says nothing about the key.
pub(super) fn signature_fault(response: &HttpResponse) -> bool {
    let explanation = response.beginning(EXPLANATION_BYTES);
    SIGNATURE_FAULTS.iter().any(|fault| explanation.windows(fault.len()).any(|part| part == fault.as_bytes()))
}
