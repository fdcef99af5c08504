//! The footer of a Parquet file: the columns, and where their chunks are in each row group.
//! <https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>

use std::ops::Range;

use zarr_wasm::error::Result;
use zarr_wasm::limits;

use crate::MAX_ROWS;
use crate::error::{corrupt, unsupported};
use crate::thrift::Thrift;

const MAGIC: &[u8] = b"PAR1";

/// The largest footer (bytes). Its tree takes some hundred times its size while it grows.
/// kerchunk's have some kilobytes.
const FOOTER_BYTES: u64 = 1 << 18;

/// A footer.
#[derive(Debug)]
pub struct Footer {
    pub rows: usize,
    names: Vec<String>,
    /// The chunks of each row group, in the order of the columns.
    pub groups: Vec<Vec<ColumnChunk>>,
}

/// A column in a row group.
#[derive(Debug)]
pub struct ColumnChunk {
    pub kind: Kind,
    /// Whether values may be null. Then there are definition levels.
    pub is_optional: bool,
    pub compression: Compression,
    /// Number of values, null ones included.
    pub values: usize,
    /// The range of the pages in the file.
    pub range: Range<usize>,
}

/// A physical type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Int32,
    Int64,
    Bytes,
    Other,
}

/// The compressor of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    None,
    Snappy,
    Zstd,
}

/// A leaf of the schema.
struct Leaf {
    name: String,
    is_optional: bool,
}

impl Footer {
    /// Parses the footer at the end of a file.
    pub fn parse(file: &[u8]) -> Result<Self> {
        let not_parquet = || corrupt("it has no footer");
        let (rest, magic) = file.split_last_chunk::<4>().ok_or_else(not_parquet)?;
        if magic == b"PARE" {
            return Err(unsupported("an encrypted footer"));
        }
        let (rest, len) = rest.split_last_chunk::<4>().ok_or_else(not_parquet)?;
        if magic != MAGIC || !file.starts_with(MAGIC) {
            return Err(not_parquet());
        }
        let len = u32::from_le_bytes(*len);
        let start = rest.len().checked_sub(len as usize).ok_or_else(not_parquet)?;
        limits::within(len.into(), FOOTER_BYTES, "the footer of a Parquet file")?;
        let (pages, mut footer) = rest.split_at_checked(start).ok_or_else(not_parquet)?;
        Self::of(&Thrift::read(&mut footer)?, pages.len())
    }

    fn of(footer: &Thrift<'_>, end: usize) -> Result<Self> {
        let leaves = leaves(footer.list(2))?;
        let rows = footer.count(3).ok_or_else(|| corrupt("it has no number of rows"))?;
        let rows = limits::within(rows, MAX_ROWS, "the number of rows of a Parquet file")?;
        let chunks = |group: &Thrift<'_>| {
            let chunks = group.list(1).iter().zip(&leaves);
            chunks.map(|(chunk, leaf)| ColumnChunk::of(chunk, leaf, end)).collect()
        };
        let groups = footer.list(4).iter().map(chunks).collect::<Result<_>>()?;
        Ok(Self { rows, names: leaves.into_iter().map(|leaf| leaf.name).collect(), groups })
    }

    /// The number of the column of this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }
}

/// The columns. The first element of a schema is its root.
fn leaves(schema: &[Thrift<'_>]) -> Result<Vec<Leaf>> {
    let columns = schema.get(1..).ok_or_else(|| corrupt("it has no schema"))?;
    let leaf = |element: &Thrift<'_>| {
        if element.count(5).is_some_and(|children| children > 0) {
            return Err(unsupported("nested columns"));
        }
        let name = element.bytes(4).ok_or_else(|| corrupt("a column has no name"))?;
        let is_optional = match element.count(3) {
            Some(0) => false,
            Some(1) => true,
            _ => return Err(unsupported("repeated columns")),
        };
        Ok(Leaf { name: String::from_utf8_lossy(name).into_owned(), is_optional })
    };
    columns.iter().map(leaf).collect()
}

impl ColumnChunk {
    fn of(chunk: &Thrift<'_>, leaf: &Leaf, end: usize) -> Result<Self> {
        if chunk.bytes(1).is_some_and(|path| !path.is_empty()) {
            return Err(unsupported("columns in other files"));
        }
        let lacks = || corrupt("a column has no range");
        let column = chunk.get(3).ok_or_else(lacks)?;
        let kind = match column.count(1) {
            Some(1) => Kind::Int32,
            Some(2) => Kind::Int64,
            Some(6) => Kind::Bytes,
            _ => Kind::Other,
        };
        let compression = match column.count(4) {
            Some(0) => Compression::None,
            Some(1) => Compression::Snappy,
            Some(6) => Compression::Zstd,
            other => return Err(unsupported(&format!("the compressor {}", other.unwrap_or_default()))),
        };
        let values = column.count(5).ok_or_else(lacks)?;
        let values = limits::within(values, MAX_ROWS, "a column of a Parquet file")?;
        let pages = column.count(9).ok_or_else(lacks)?;
        // Some writers have 0 for a dictionary that is not there.
        let start = column.count(11).filter(|offset| *offset > 0).map_or(pages, |offset| offset.min(pages));
        let stop = start.checked_add(column.count(7).ok_or_else(lacks)?);
        let stop =
            stop.filter(|stop| *stop <= end as u64).ok_or_else(|| corrupt("a column ends past its end"))?;
        let range = limits::to_usize(start, "a Parquet file")?..limits::to_usize(stop, "a Parquet file")?;
        Ok(Self { kind, is_optional: leaf.is_optional, compression, values, range })
    }
}
