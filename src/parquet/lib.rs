//! Tables of [Apache Parquet](https://parquet.apache.org/docs/file-format/), as far as references
//! of kerchunk need them: flat columns of bytes and integers, with the encodings and compressors
//! that fastparquet and pyarrow write.
//!
//! ```no_run
//! use zarr_wasm_parquet::ParquetFile;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bytes = std::fs::read("refs.0.parq")?;
//! let file = ParquetFile::parse(&bytes)?;
//! let (paths, offsets) = (file.strings("path")?, file.integers("offset")?);
//! if let (Some(paths), Some(offsets)) = (paths, offsets) {
//!     for (row, offset) in offsets.iter().enumerate() {
//!         println!("{offset} in {:?}", paths.get(row).map(String::from_utf8_lossy));
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! It is not a general reader: nested columns, other encodings and compressors, and encryption are
//! `Unsupported`. Statistics, indexes and other types than the file's physical ones are ignored. A
//! file has at most [`MAX_ROWS`] rows, and a column [`MAX_BYTES`] bytes: what a small file may
//! unpack to is bounded. It does no I/O: the caller has the whole file.
//!
//! It uses the errors, the budgets and two decompressors of the core (`zarr-wasm`), whose checks of
//! the decompressed length it needs as they are. With errors of its own it would repeat them.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::string_slice))]

mod bytes_column;
mod column;
mod error;
mod footer;
mod hybrid;
mod page;
mod thrift;

pub use bytes_column::BytesColumn;
use error::corrupt;
use footer::{ColumnChunk, Footer};
use zarr_wasm::error::{Error, Result};
use zarr_wasm::limits;

/// The most rows of one file. kerchunk writes 10 000 or 100 000.
pub const MAX_ROWS: u64 = if cfg!(fuzzing) { 1 << 14 } else { 1 << 20 };

/// The most different strings of one column.
pub const MAX_STRINGS: u64 = 2 * MAX_ROWS;

/// The most bytes of one column, and of all its pages, decompressed.
pub const MAX_BYTES: u64 = if cfg!(fuzzing) { 1 << 20 } else { 1 << 26 };

/// A file whose footer is parsed.
#[derive(Debug)]
pub struct ParquetFile<'a> {
    bytes: &'a [u8],
    footer: Footer,
}

impl<'a> ParquetFile<'a> {
    /// Parses the footer of a file, which takes time in the number of row groups and columns. Pages
    /// are read when a column is asked for.
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

    /// A column of byte strings, with one row for each of the table. `None` if there is no such
    /// column. One without any value may have another type. Takes time in the column's pages, and
    /// memory as [`BytesColumn::bytes`] tells, and that of one page.
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

    /// A column of integers of 32 or 64 bits that are not negative; 0 for null. `None` if there is
    /// no such column. Takes time in the column's pages, and eight bytes a row.
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
                bytes = bytes.saturating_add(chunk.range.len());
                if bytes > self.bytes.len() {
                    return Err(corrupt("row groups share their bytes"));
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

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests;
