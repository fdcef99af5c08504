//! What a store answers: a value or a byte range of one, and requests that bring several ranges.

use super::local_future::{LocalFuture, SharedFuture};
use super::value::Value;
use crate::error::Result;
use crate::format::byte_range::ByteRange;

/// A value or byte range that a store found.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The bytes of the requested range.
    pub value: Value,
    /// Size of the whole value in bytes, if the store reported it.
    pub size: Option<u64>,
    /// A version tag that changes when the value changes, such as an ETag, if the store reported
    /// one.
    pub version: Option<String>,
    /// When the value was changed, as an HTTP date, if the store reported it.
    pub modified: Option<String>,
}

/// What a store tells of a value without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Size of the value in bytes.
    pub size: u64,
    /// When the value was changed, as an HTTP date, if the store reported it.
    pub modified: Option<String>,
}

/// The result of a request to a store.
pub type FetchResult = Result<Option<Fetched>>;

/// A request to a store: the value that it finds.
pub type GetFuture<'a> = LocalFuture<'a, FetchResult>;

/// The size of a value in bytes; `None` if it is absent.
pub type SizeFuture<'a> = LocalFuture<'a, Result<Option<u64>>>;

/// What is known of a value; `None` if it is absent.
#[cfg(feature = "reading")]
pub type MeasuredFuture<'a> = LocalFuture<'a, Result<Option<Measured>>>;

/// A request, and which of a caller's ranges it contains.
#[derive(Clone)]
pub struct Gathered {
    /// The positions of these ranges in the caller's list.
    pub members: Vec<usize>,
    /// Where the bytes of the request start in the value.
    pub start: u64,
    /// The bytes. The request starts when this is polled.
    pub answer: SharedFuture<FetchResult>,
}

impl Fetched {
    /// Whether these are all bytes of the value.
    pub fn is_whole(&self) -> bool {
        self.size == Some(self.value.len())
    }

    /// Cuts a range from a whole value.
    ///
    /// # Errors
    /// `Format` if the range begins at or past the end.
    pub fn part_of(whole: &Value, range: ByteRange) -> Result<Self> {
        let size = whole.len();
        let part = range.of(size).ok_or_else(|| range.past_end(Some(size)))?;
        Ok(Self { value: whole.slice(part)?, size: Some(size), version: None, modified: None })
    }

    /// Cuts a range from a whole value, with its version.
    ///
    /// # Errors
    /// `Format` if the range begins at or past the end.
    pub fn part(&self, range: ByteRange) -> Result<Self> {
        let Self { value, size, .. } = Self::part_of(&self.value, range)?;
        Ok(Self { value, size, ..self.clone() })
    }
}
