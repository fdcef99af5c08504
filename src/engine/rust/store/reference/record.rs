//! A file of references: kerchunk's Parquet has one for each `record_size` chunks of an array. Each
//! row is the reference of a chunk, with the columns `path`, `offset`, `size` and `raw`.

use zarr_wasm_parquet::{BytesColumn, ParquetFile};

use crate::error::{Error, Result};

/// The references of a file.
#[derive(Debug)]
pub struct Record {
    rows: usize,
    paths: BytesColumn,
    offsets: Vec<u64>,
    sizes: Vec<u64>,
    raw: BytesColumn,
}

/// The reference of a row.
#[derive(Debug, PartialEq, Eq)]
pub enum Row<'a> {
    /// There is no such chunk.
    Missing,
    /// The value itself.
    Inline(&'a [u8]),
    /// A whole file.
    File(&'a str),
    /// A part of a file.
    Part {
        /// The file.
        path: &'a str,
        /// Offset of the first byte.
        offset: u64,
        /// Number of bytes.
        len: u64,
    },
}

impl Record {
    /// Reads a file. Columns that it lacks are null.
    ///
    /// # Errors
    /// Those of [`ParquetFile`].
    pub fn parse(file: &[u8]) -> Result<Self> {
        let file = ParquetFile::parse(file)?;
        Ok(Self {
            rows: file.rows(),
            paths: file.strings("path")?.unwrap_or_default(),
            offsets: file.integers("offset")?.unwrap_or_default(),
            sizes: file.integers("size")?.unwrap_or_default(),
            raw: file.strings("raw")?.unwrap_or_default(),
        })
    }

    /// The reference of a row. One without a range is a whole file.
    ///
    /// # Errors
    /// `Format` for a row past the end: files are padded with null. `Format` for an invalid range,
    /// and for a path that is not UTF-8.
    pub fn row(&self, row: usize) -> Result<Row<'_>> {
        if row >= self.rows {
            return Err(Error::format("a file of references has too few rows")
                .expected(format!("more than {row}"))
                .actual(self.rows.to_string()));
        }
        if let Some(raw) = self.raw.get(row) {
            return Ok(Row::Inline(raw));
        }
        let Some(path) = self.paths.get(row) else { return Ok(Row::Missing) };
        let path = std::str::from_utf8(path).map_err(|error| {
            Error::format("the path of a reference is not UTF-8").actual(error.to_string())
        })?;
        let number = |column: &[u64]| column.get(row).copied().unwrap_or_default();
        match (number(&self.offsets), number(&self.sizes)) {
            (0, 0) => Ok(Row::File(path)),
            (offset, len) if offset.checked_add(len).is_some() => Ok(Row::Part { path, offset, len }),
            (offset, len) => Err(Error::format("a reference ends beyond 2^64").at_range(offset, len)),
        }
    }

    /// Approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        let numbers = self.offsets.capacity().saturating_add(self.sizes.capacity());
        let numbers = numbers.saturating_mul(size_of::<u64>());
        numbers.saturating_add(self.paths.bytes()).saturating_add(self.raw.bytes())
    }
}
