//! Byte ranges of values. Offsets are 64-bit, because shards may exceed 4 GiB while wasm's `usize`
//! has 32 bits.

use std::ops::Range;

use crate::error::{Error, Result};

/// A part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ByteRange {
    /// All bytes.
    Whole,
    /// `len` bytes from `offset` on.
    At {
        /// Offset of the first byte.
        offset: u64,
        /// Number of bytes, at least 1.
        len: u64,
    },
    /// The last bytes, at least 1; the whole value if it is shorter.
    Last(u64),
}

impl From<Range<u64>> for ByteRange {
    fn from(bytes: Range<u64>) -> Self {
        Self::At { offset: bytes.start, len: len_of(&bytes) }
    }
}

/// The number of bytes of a range. A range that ends before its start has none.
pub fn len_of(range: &Range<u64>) -> u64 {
    range.end.saturating_sub(range.start)
}

impl ByteRange {
    /// All bytes from `offset` on: the specification's range without a length.
    pub fn from_offset(offset: u64) -> Self {
        match offset {
            0 => Self::Whole,
            offset => Self::At { offset, len: u64::MAX.saturating_sub(offset) },
        }
    }

    /// Whether the range extends to the end of the value, wherever that is.
    pub fn is_open(self) -> bool {
        matches!(self, Self::At { offset, len } if offset.saturating_add(len) == u64::MAX)
    }

    /// The bytes of a value of `size` bytes, cut at its end. `None` if the range begins at or past
    /// the end.
    pub fn of(self, size: u64) -> Option<Range<u64>> {
        match self {
            Self::Whole => Some(0..size),
            Self::At { offset, .. } if offset >= size => None,
            Self::At { offset, len } => Some(offset..offset.saturating_add(len).min(size)),
            Self::Last(len) => Some(size.saturating_sub(len)..size),
        }
    }

    /// The `Format` error for a range that begins at or past the end of its value.
    pub fn past_end(self, size: Option<u64>) -> Error {
        let error = Error::format("a byte range begins past the end of its value");
        let error = match self {
            Self::At { offset, len } => {
                error.at_range(offset, len).expected(format!("more than {offset} bytes"))
            }
            Self::Whole | Self::Last(_) => error,
        };
        match size {
            Some(size) => error.actual(format!("{size} bytes")),
            None => error.actual("fewer"),
        }
    }

    /// Rejects empty ranges, which HTTP cannot express.
    ///
    /// # Errors
    /// `Argument` for an empty range.
    pub fn check(self) -> Result<Self> {
        match self {
            Self::At { len: 0, .. } | Self::Last(0) => {
                Err(Error::argument("a byte range must contain at least one byte"))
            }
            _ => Ok(self),
        }
    }
}
