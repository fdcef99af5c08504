//! Which bytes of a value are asked for. Offsets are 64-bit everywhere: shards pass 4 GiB, wasm's `usize` does not.

use std::ops::Range;

use crate::error::{Error, Result};

/// A part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ByteRange {
    /// All of it.
    Whole,
    /// `len` bytes from `offset` on.
    FromStart {
        /// First byte.
        offset: u64,
        /// How many; at least 1.
        len: u64,
    },
    /// The last bytes, or all where there are fewer; at least 1.
    Suffix(u64),
}

impl ByteRange {
    /// Everything from `offset` on: the text's range of length none.
    pub fn from_offset(offset: u64) -> Self {
        match offset {
            0 => Self::Whole,
            offset => Self::FromStart { offset, len: u64::MAX - offset },
        }
    }

    /// Whether it is asked for up to the end, however far that is.
    pub fn is_open(self) -> bool {
        matches!(self, Self::FromStart { offset, len } if offset.saturating_add(len) == u64::MAX)
    }

    /// Which bytes that is of a value of `size`; cut at its end, `None` when it begins at or past the end.
    pub fn of(self, size: u64) -> Option<Range<u64>> {
        match self {
            Self::Whole => Some(0..size),
            Self::FromStart { offset, .. } if offset >= size => None,
            Self::FromStart { offset, len } => Some(offset..offset.saturating_add(len).min(size)),
            Self::Suffix(len) => Some(size.saturating_sub(len)..size),
        }
    }

    /// The `Format` error of a range that begins at or past the end of its value.
    pub fn past_end(self, size: Option<u64>) -> Error {
        let error = Error::format("a byte range begins past the end of its value");
        let error = match self {
            Self::FromStart { offset, len } => {
                error.at_range(offset, len).expected(format!("more than {offset} bytes"))
            }
            Self::Whole | Self::Suffix(_) => error,
        };
        match size {
            Some(size) => error.actual(format!("{size} bytes")),
            None => error.actual("fewer"),
        }
    }

    /// The error of a range that asks for nothing; HTTP cannot express one.
    ///
    /// # Errors
    /// `Argument` when no byte is asked for.
    pub fn check(self) -> Result<Self> {
        match self {
            Self::FromStart { len: 0, .. } | Self::Suffix(0) => {
                Err(Error::argument("a byte range must hold at least one byte"))
            }
            _ => Ok(self),
        }
    }
}
