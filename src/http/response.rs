//! Checks answers to reads, because servers ignore ranges, misunderstand them, and lose bytes.
//!
//! The functions are pure. [`policy`](super::policy) decides what to do about a suspicious answer.
//! On another origin, `Content-Range`, `Content-Encoding` and `ETag` are hidden unless the server
//! exposes them; `Content-Length`, `Content-Type` and `Last-Modified` are visible.

use std::ops::Range;

use super::answer::HttpResponse;
use crate::fetched::Fetched;
use crate::format::byte_range::len_of;
use crate::value::Value;

/// A URL without query and fragment.
fn path(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// A `Content-Range` header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentRange {
    /// The bytes in the body; `None` in an answer to an unsatisfiable range.
    pub held: Option<Range<u64>>,
    /// Size of the whole object; `None` if the server sends `*`.
    pub total: Option<u64>,
}

impl ContentRange {
    /// Parses `bytes a-b/total`, where `total` may be `*`, or `bytes */total`.
    fn parse(text: &str) -> Option<Self> {
        let (held, total) = text.trim().strip_prefix("bytes")?.trim_start().split_once('/')?;
        let total = if total == "*" { None } else { Some(total.parse().ok()?) };
        if held == "*" {
            return Some(Self { held: None, total });
        }
        let (first, last) = held.split_once('-')?;
        let held = first.parse().ok()?..last.parse::<u64>().ok()?.checked_add(1)?;
        (held.start < held.end).then_some(Self { held: Some(held), total })
    }
}

/// The result of comparing an answer with its request.
#[derive(Debug)]
pub enum BodyCheck {
    /// The requested bytes.
    Valid(Fetched),
    /// Other bytes than requested. A request without caches may help.
    Suspicious(Mismatch),
    /// The server does not support the request.
    Misunderstood,
}

/// The difference between an answer and its request.
#[derive(Debug)]
pub struct Mismatch {
    pub expected: String,
    pub actual: String,
    /// Length of the body. A second body of the same length confirms the first.
    pub len: u64,
    /// What to believe if the body is confirmed; `None` if the answer contradicts itself.
    pub plausible: Option<Fetched>,
}

impl HttpResponse {
    /// The length of the body, if it is visible and not that of a compressed transfer.
    pub fn content_length(&self) -> Option<u64> {
        if self.headers.get("content-encoding").is_some_and(|coding| coding.trim() != "identity") {
            return None;
        }
        self.headers.get("content-length")?.trim().parse().ok()
    }

    /// `Content-Range`; empty if it is hidden or invalid.
    pub fn content_range(&self) -> ContentRange {
        self.headers.get("content-range").and_then(ContentRange::parse).unwrap_or_default()
    }

    /// Seconds to wait before a retry. The header's other form, a date, needs a clock that agrees
    /// with the server's.
    pub fn retry_after(&self) -> Option<u32> {
        self.headers.get("retry-after")?.trim().parse().ok()
    }

    /// The version tag of the object. Weak and strong tags of one object differ only in the prefix.
    fn version(&self) -> Option<String> {
        let tag = self.headers.get("etag").map(|tag| tag.strip_prefix("W/").unwrap_or(tag));
        tag.or_else(|| self.headers.get("last-modified")).map(str::to_owned)
    }

    /// Whether the server redirected to a directory of the requested name.
    pub fn is_directory(&self, requested: &str) -> bool {
        let folder = path(&self.url).strip_suffix('/');
        self.redirected && folder.is_some_and(|folder| last_name(folder) == last_name(path(requested)))
    }

    /// The first bytes of the body.
    pub fn beginning(&self, most: u64) -> Vec<u8> {
        let part = self.body.slice(0..self.body.len().min(most));
        part.and_then(|part| part.to_vec(most, "the beginning of a body")).unwrap_or_default()
    }

    /// When the object was changed, as the server writes it.
    pub fn modified(&self) -> Option<String> {
        self.headers.get("last-modified").map(str::to_owned)
    }

    /// A value with the size and version of its object.
    pub fn fetched(&self, value: Value, size: Option<u64>) -> Fetched {
        Fetched { value, size, version: self.version(), modified: self.modified() }
    }

    fn suspicious(&self, expected: String, actual: String, plausible: Option<Fetched>) -> BodyCheck {
        BodyCheck::Suspicious(Mismatch { expected, actual, len: self.body.len(), plausible })
    }

    fn wrong_length(&self, expected: u64, plausible: Option<Fetched>) -> BodyCheck {
        self.suspicious(format!("{expected} bytes"), format!("{} bytes", self.body.len()), plausible)
    }

    /// A part of the body. The caller has compared the lengths.
    fn part(&self, part: Range<u64>, size: Option<u64>) -> BodyCheck {
        match self.body.slice(part.clone()) {
            Ok(value) => BodyCheck::Valid(self.fetched(value, size)),
            Err(_) => self.wrong_length(part.end, None),
        }
    }

    /// The last bytes of the body, which ends where its object ends.
    fn last(&self, len: u64, size: Option<u64>) -> BodyCheck {
        let held = self.body.len();
        self.part(held.saturating_sub(len)..held, size)
    }

    /// Whether the headers confirm the length of the body.
    pub fn length_confirmed(&self) -> bool {
        self.content_length() == Some(self.body.len())
    }
}

/// Checks a `206` to `bytes=a-b`. `known` is the size of the object, if it is known.
pub fn window(response: &HttpResponse, want: &Range<u64>, known: Option<u64>) -> BodyCheck {
    let ContentRange { held, total } = response.content_range();
    if let (Some(known), Some(total)) = (known, total)
        && known != total
    {
        return response.suspicious(format!("an object of {known} bytes"), format!("one of {total}"), None);
    }
    let total = total.or(known);
    let end = total.map_or(want.end, |total| want.end.min(total));
    match held {
        Some(held) => visible_window(response, &(want.start..end), &held, total),
        None => hidden_window(response, &(want.start..end), total),
    }
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "the wanted bytes are inside of those that the answer holds"
)]
fn visible_window(
    response: &HttpResponse,
    want: &Range<u64>,
    held: &Range<u64>,
    total: Option<u64>,
) -> BodyCheck {
    if response.body.len() != len_of(held) {
        return response.wrong_length(len_of(held), None);
    }
    if held.start <= want.start && want.start < want.end && want.end <= held.end {
        return response.part(want.start - held.start..want.end - held.start, total);
    }
    // The body is too short, but the size of the object is unknown, so the object may end there.
    let cut = held.start == want.start && held.end < want.end && total.is_none();
    let plausible = cut.then(|| response.fetched(response.body.clone(), None));
    response.suspicious(format!("bytes {want:?}"), format!("bytes {held:?}"), plausible)
}

fn hidden_window(response: &HttpResponse, want: &Range<u64>, total: Option<u64>) -> BodyCheck {
    let expected = want.end.saturating_sub(want.start);
    if response.body.len() == expected && expected > 0 {
        return response.part(0..expected, total);
    }
    let cut = response.body.len() < expected && total.is_none() && response.length_confirmed();
    let plausible = cut.then(|| response.fetched(response.body.clone(), None));
    response.wrong_length(expected, plausible)
}

/// Checks a `206` to `bytes=-len`.
///
/// sirv (which Vite uses) and s3rver take `-8` for `0-8` and answer with the first nine bytes. So a
/// body that is longer than requested, or does not end where the object ends, is not the suffix.
pub fn suffix(response: &HttpResponse, len: u64) -> BodyCheck {
    let body = response.body.len();
    let ContentRange { held, total } = response.content_range();
    let Some(held) = held else {
        return match body {
            _ if body == len => response.last(len, total),
            _ if body > len => BodyCheck::Misunderstood,
            // Either the whole of a smaller object, or a part of what was sent.
            _ => {
                let whole = response.length_confirmed();
                response.wrong_length(len, whole.then(|| response.fetched(response.body.clone(), Some(body))))
            }
        };
    };
    if body != len_of(&held) {
        return response.wrong_length(len_of(&held), None);
    }
    match total {
        Some(total) if held.end == total && body >= len.min(total) => response.last(len, Some(total)),
        None if body == len => response.last(len, None),
        _ => BodyCheck::Misunderstood,
    }
}

/// Checks a `206` to a request without a range. It is valid if it contains the whole object.
pub fn whole_of_partial(response: &HttpResponse) -> BodyCheck {
    let ContentRange { held, total } = response.content_range();
    match (held, total) {
        (Some(held), Some(total)) if held == (0..total) && response.body.len() == total => {
            BodyCheck::Valid(response.fetched(response.body.clone(), Some(total)))
        }
        (held, _) => {
            response.suspicious("the whole object".to_owned(), format!("a part of it, bytes {held:?}"), None)
        }
    }
}

/// Whether a `200` lost bytes. Browsers check this themselves, except for answers from a faulty
/// cache. A custom `fetch` may not check it.
pub fn lost_bytes(response: &HttpResponse) -> Option<Mismatch> {
    let announced = response.content_length()?;
    let len = response.body.len();
    (len < announced).then(|| Mismatch {
        expected: format!("{announced} bytes"),
        actual: format!("{len} bytes"),
        len,
        plausible: None,
    })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn invalid_content_ranges_are_ignored() {
        let parsed = |text: &str| ContentRange::parse(text);
        assert_eq!(parsed("bytes 5-9/20"), Some(ContentRange { held: Some(5..10), total: Some(20) }));
        assert_eq!(parsed("bytes 5-9/*"), Some(ContentRange { held: Some(5..10), total: None }));
        assert_eq!(parsed("bytes */20"), Some(ContentRange { held: None, total: Some(20) }));
        for text in
            ["", "bytes", "bytes 5-4/20", "bytes -8/20", "bytes 0-18446744073709551615/*", "items 0-1/2"]
        {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
