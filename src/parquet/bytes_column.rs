//! A column of byte strings in memory.

use zarr_wasm::error::Result;
use zarr_wasm::limits;

use crate::{MAX_BYTES, MAX_STRINGS};

/// A column of byte strings. Equal strings of a dictionary are stored once, so a row takes four
/// bytes, and a string its bytes and four.
#[derive(Debug, Default)]
pub struct BytesColumn {
    /// For each row the number of its string, counted from 1; 0 for null.
    pub(crate) rows: Vec<u32>,
    /// The end of each string.
    ends: Vec<u32>,
    strings: Vec<u8>,
}

impl BytesColumn {
    /// The string of a row. `None` for null, and past the end. Two look-ups; it copies nothing.
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        let at = (*self.rows.get(row)? as usize).checked_sub(1)?;
        let start = match at.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.strings.get(start as usize..*self.ends.get(at)? as usize)
    }

    /// Approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        let words = self.rows.capacity().saturating_add(self.ends.capacity());
        words.saturating_mul(size_of::<u32>()).saturating_add(self.strings.capacity())
    }

    /// Adds a string, and returns its number.
    pub(crate) fn push(&mut self, string: &[u8]) -> Result<u32> {
        // Each row group has a dictionary, whose strings may be empty.
        limits::within(self.ends.len() as u64, MAX_STRINGS, "the strings of a Parquet file")?;
        let end = self.strings.len().saturating_add(string.len());
        limits::within(end as u64, MAX_BYTES, "a column of a Parquet file")?;
        self.strings.extend_from_slice(string);
        // At most `MAX_BYTES` and `MAX_STRINGS`.
        self.ends.push(u32::try_from(end).unwrap_or(u32::MAX));
        Ok(u32::try_from(self.ends.len()).unwrap_or(u32::MAX))
    }
}
