//! Which bytes of a value are asked for. Offsets are 64-bit everywhere: shards pass 4 GiB, wasm's `usize` does not.

use std::ops::Range;

/// A part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// The last bytes, or all where there are fewer.
    Suffix(u64),
}

impl ByteRange {
    /// Which bytes that is of a value of `size`; cut at its end, `None` when it begins at or past the end.
    pub fn of(self, size: u64) -> Option<Range<u64>> {
        match self {
            Self::Whole => Some(0..size),
            Self::FromStart { offset, .. } if offset >= size => None,
            Self::FromStart { offset, len } => Some(offset..offset.saturating_add(len).min(size)),
            Self::Suffix(len) => Some(size.saturating_sub(len)..size),
        }
    }
}
