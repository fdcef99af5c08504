//! What a request brought: a value, or a byte range of one, or only its size.

use crate::error::Result;
use crate::format::byte_range::ByteRange;
use crate::value::Value;

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

/// What a store reports about a value, without the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Size of the value in bytes.
    pub size: u64,
    /// When the value was changed, as an HTTP date, if the store reported it.
    pub modified: Option<String>,
}

/// The result of a request to a store.
pub type FetchResult = Result<Option<Fetched>>;

impl Fetched {
    /// Whether these are all bytes of the value.
    pub fn is_whole(&self) -> bool {
        self.size == Some(self.value.len())
    }

    /// Returns a range of a whole value. Neither its version nor its date is known.
    ///
    /// # Errors
    /// `Format` if the range begins at or past the end.
    pub fn part_of(whole: &Value, range: ByteRange) -> Result<Self> {
        let size = whole.len();
        let part = range.of(size).ok_or_else(|| range.past_end(Some(size)))?;
        Ok(Self { value: whole.slice(part)?, size: Some(size), version: None, modified: None })
    }

    /// Returns a range of this value, which must be whole, with the version and the date.
    ///
    /// # Errors
    /// `Format` if the range begins at or past the end.
    pub fn part(&self, range: ByteRange) -> Result<Self> {
        let Self { value, size, .. } = Self::part_of(&self.value, range)?;
        Ok(Self { value, size, ..self.clone() })
    }
}
