//! Tables of Apache Parquet, as far as references need them: flat columns of bytes and integers,
//! with the encodings and compressors that fastparquet and pyarrow write.
//! <https://parquet.apache.org/docs/file-format/>
//!
//! It is not a general reader: nested columns, other encodings and encryption are `Unsupported`.
//! Statistics, indexes and other types than the file's physical ones are ignored.

mod column;
mod footer;
mod hybrid;
mod page;
mod thrift;

use footer::{ColumnChunk, Footer};

use crate::error::{Error, Result};
use crate::limits;

/// A file whose footer is parsed.
#[derive(Debug)]
pub struct ParquetFile<'a> {
    bytes: &'a [u8],
    footer: Footer,
}

/// A column of byte strings. Equal strings of a dictionary are stored once.
#[derive(Debug, Default)]
pub struct BytesColumn {
    /// For each row the number of its string, counted from 1; 0 for null.
    rows: Vec<u32>,
    /// The end of each string.
    ends: Vec<u32>,
    strings: Vec<u8>,
}

impl BytesColumn {
    /// The string of a row. `None` for null, and past the end.
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

    fn push(&mut self, string: &[u8]) -> Result<u32> {
        // Each row group has a dictionary, whose strings may be empty.
        limits::within(self.ends.len() as u64, limits::PARQUET_STRINGS, "the strings of a Parquet file")?;
        let end = self.strings.len().saturating_add(string.len());
        limits::within(end as u64, limits::PARQUET_BYTES, "a column of a Parquet file")?;
        self.strings.extend_from_slice(string);
        // At most `PARQUET_BYTES` and `PARQUET_STRINGS`.
        self.ends.push(u32::try_from(end).unwrap_or(u32::MAX));
        Ok(u32::try_from(self.ends.len()).unwrap_or(u32::MAX))
    }
}

impl<'a> ParquetFile<'a> {
    /// Parses the footer of a file.
    ///
    /// # Errors
    /// `Format` for bytes that are no Parquet file; `Unsupported` for forms that are not read;
    /// `Limit` for too many rows.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        Ok(Self { bytes, footer: Footer::parse(bytes)? })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.footer.rows
    }

    /// A column of byte strings. `None` if there is no such column. One without any value may have
    /// another type.
    ///
    /// # Errors
    /// `Format` for corrupt pages and for values of another type; `Unsupported` as
    /// [`parse`](Self::parse); `Limit`.
    pub fn strings(&self, name: &str) -> Result<Option<BytesColumn>> {
        let mut column = BytesColumn::default();
        self.read(name, |chunk| {
            limits::reserve(&mut column.rows, chunk.values, "a column of a Parquet file")?;
            column::read_strings(chunk, self.bytes, &mut column)?;
            Ok(column.rows.len())
        })
        .map(|found| found.then_some(column))
    }

    /// A column of integers that are not negative; 0 for null. `None` if there is no such column.
    ///
    /// # Errors
    /// As [`strings`](Self::strings).
    pub fn integers(&self, name: &str) -> Result<Option<Vec<u64>>> {
        let mut column = Vec::new();
        self.read(name, |chunk| {
            limits::reserve(&mut column, chunk.values, "a column of a Parquet file")?;
            column::read_integers(chunk, self.bytes, &mut column)?;
            Ok(column.len())
        })
        .map(|found| found.then_some(column))
    }

    /// Reads the chunk of a column in each row group. `read` returns the rows so far. The result
    /// tells whether there is such a column. Row groups have no bytes in common: each would have
    /// the rows of these bytes again.
    fn read(&self, name: &str, mut read: impl FnMut(&ColumnChunk) -> Result<usize>) -> Result<bool> {
        let Some(number) = self.footer.column(name) else { return Ok(false) };
        let mut all = || {
            let (mut rows, mut bytes) = (0_usize, 0_usize);
            for group in &self.footer.groups {
                let chunk = group.get(number).ok_or_else(|| corrupt("a row group lacks a column"))?;
                bytes = bytes.saturating_add(chunk.place.len());
                if bytes > self.bytes.len() {
                    return Err(corrupt("row groups are at one place"));
                }
                if rows.saturating_add(chunk.values) > self.footer.rows {
                    return Err(corrupt("its row groups have more rows than the table"));
                }
                rows = read(chunk)?;
            }
            Ok(rows)
        };
        match all().map_err(|error: Error| error.in_field(name))? {
            rows if rows == self.footer.rows => Ok(true),
            rows => Err(corrupt("a column has another length than the table")
                .in_field(name)
                .expected(self.footer.rows.to_string())
                .actual(rows.to_string())),
        }
    }
}

/// The error of a file that breaks the specification.
fn corrupt(what: &str) -> Error {
    Error::format(format!("the Parquet file is corrupt: {what}"))
}

/// The error of a valid file in a form that is not read.
fn unsupported(what: &str) -> Error {
    Error::unsupported(format!("the Parquet file has {what}"))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests;
