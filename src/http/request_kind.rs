//! The kinds of requests that a read may consist of. [`policy`](super::policy) chooses among them.

use std::ops::Range;

use super::answer::Method;
use super::web_page;
use crate::format::byte_range::len_of;

/// The kind of the current request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestKind {
    Whole,
    Window(Range<u64>),
    Suffix(u64),
    /// A range that probably contains the end.
    Tail(Range<u64>),
    /// HEAD, for the size.
    Head,
    /// The first byte, whose `Content-Range` tells the size.
    FirstByte,
    /// The first bytes, which tell a web page from an object.
    Beginning,
}

impl RequestKind {
    /// The number of bytes of a window, a tail or a suffix.
    pub fn asked_bytes(&self) -> Option<u64> {
        match self {
            Self::Window(range) | Self::Tail(range) => Some(len_of(range)),
            Self::Suffix(len) => Some(*len),
            Self::Head | Self::Whole | Self::FirstByte | Self::Beginning => None,
        }
    }

    pub fn method(&self) -> Method {
        if *self == Self::Head { Method::Head } else { Method::Get }
    }

    pub fn range(&self) -> Option<String> {
        match self {
            Self::Whole | Self::Head => None,
            // An open range for the end of the value, because some servers reject a last byte that
            // is far behind it.
            Self::Window(range) if range.end == u64::MAX => Some(format!("bytes={}-", range.start)),
            Self::Window(range) => Some(format!("bytes={}-{}", range.start, range.end.saturating_sub(1))),
            Self::Tail(range) => Some(format!("bytes={}-{}", range.start, range.end.saturating_sub(1))),
            Self::Suffix(len) => Some(format!("bytes=-{len}")),
            Self::FirstByte => Some("bytes=0-0".to_owned()),
            Self::Beginning => Some(format!("bytes=0-{}", web_page::BEGINNING_BYTES - 1)),
        }
    }
}
