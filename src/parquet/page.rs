//! The pages of a column: a dictionary, if there is one, and the data, each behind a header.
//! <https://parquet.apache.org/docs/file-format/data-pages/>

use std::borrow::Cow;

use zarr_wasm::error::Result;
use zarr_wasm::format::codec::bytes_to_bytes::{snappy, zstd};
use zarr_wasm::limits;

use crate::error::{corrupt, unsupported};
use crate::footer::{ColumnChunk, Compression};
use crate::hybrid;
use crate::thrift::{Thrift, byte, take};
use crate::{MAX_BYTES, MAX_ROWS};

/// The longest header of a page (bytes). It may have statistics.
const HEADER_BYTES: usize = 1 << 16;

/// A page of data or a dictionary.
pub enum Page<'a> {
    /// The values of a dictionary, of this number.
    Dictionary(Cow<'a, [u8]>, usize),
    Data(DataPage<'a>),
}

/// A page of data.
pub struct DataPage<'a> {
    /// Whether each value is there. Empty where all are.
    pub present: Vec<bool>,
    /// Number of values, null ones included.
    pub values: usize,
    /// Whether the values are indices into the dictionary.
    pub is_dictionary: bool,
    pub bytes: Cow<'a, [u8]>,
}

impl DataPage<'_> {
    /// Number of values that are not null.
    pub fn stored(&self) -> usize {
        if self.present.is_empty() {
            return self.values;
        }
        self.present.iter().filter(|is_present| **is_present).count()
    }

    /// The values that are not null, by their indices into a dictionary.
    pub fn of_dictionary<T: Copy>(&self, dictionary: &[T]) -> Result<Vec<T>> {
        let mut bytes: &[u8] = &self.bytes;
        let width = byte(&mut bytes).ok_or_else(|| corrupt("a page ends early"))?;
        let mut values = Vec::new();
        hybrid::read(bytes, width.into(), self.stored(), |index| {
            let value = dictionary.get(index as usize);
            values.push(*value.ok_or_else(|| corrupt("an index is not in its dictionary"))?);
            Ok(())
        })?;
        Ok(values)
    }
}

/// A page's header and bytes.
struct Raw<'a> {
    header: Thrift<'a>,
    bytes: &'a [u8],
    compression: Compression,
}

/// Calls `each` with the pages of a column.
pub fn each<'a>(
    chunk: &ColumnChunk,
    file: &'a [u8],
    mut each: impl FnMut(Page<'a>) -> Result<()>,
) -> Result<()> {
    let mut bytes = file.get(chunk.range.clone()).ok_or_else(|| corrupt("a column is not in it"))?;
    let (mut left, mut decoded, mut has_dictionary) = (chunk.values, 0_u64, false);
    while left > 0 {
        let header = header(&mut bytes)?;
        decoded = decoded.saturating_add(header.count(2).unwrap_or_default());
        limits::within(decoded, MAX_BYTES, "the pages of a column of a Parquet file")?;
        let len = header.count(3).and_then(|len| usize::try_from(len).ok());
        let stored = len.and_then(|len| take(&mut bytes, len)).ok_or_else(|| corrupt("a page ends early"))?;
        let raw = Raw { header, bytes: stored, compression: chunk.compression };
        let page = match raw.header.count(1) {
            Some(0) => Some(Page::Data(raw.data(chunk.is_optional)?)),
            Some(2) if has_dictionary => return Err(corrupt("a column has two dictionaries")),
            Some(2) => Some(raw.dictionary()?),
            Some(3) => Some(Page::Data(raw.data_v2(chunk.is_optional)?)),
            // An index, or what is not known yet.
            _ => None,
        };
        has_dictionary |= matches!(page, Some(Page::Dictionary(..)));
        if let Some(Page::Data(data)) = &page {
            let more = corrupt("a column has too many values");
            left = left.checked_sub(data.values).ok_or(more)?;
        }
        page.map_or(Ok(()), &mut each)?;
    }
    Ok(())
}

/// Reads the header of a page, and moves `bytes` to what follows it. The tree of a header takes
/// much more than its bytes.
fn header<'a>(bytes: &mut &'a [u8]) -> Result<Thrift<'a>> {
    let whole = *bytes;
    let mut start = whole.get(..HEADER_BYTES).unwrap_or(whole);
    let before = start.len();
    let header = Thrift::read(&mut start)?;
    *bytes = whole.get(before.saturating_sub(start.len())..).unwrap_or_default();
    Ok(header)
}

impl<'a> Raw<'a> {
    /// A struct of the header.
    fn part(&self, number: i16) -> Result<&Thrift<'a>> {
        self.header.get(number).ok_or_else(|| corrupt("a page has no header"))
    }

    fn decompressed(&self) -> Result<Cow<'a, [u8]>> {
        self.decompress(self.bytes, self.compression, 0)
    }

    /// Decompresses bytes. `before` bytes of the page are not compressed and not among them.
    fn decompress(&self, bytes: &'a [u8], compression: Compression, before: usize) -> Result<Cow<'a, [u8]>> {
        let len = self.header.count(2).and_then(|len| len.checked_sub(before as u64));
        let len = len.ok_or_else(|| corrupt("a page has no length"))?;
        limits::within(len, MAX_BYTES, "a page of a Parquet file")?;
        match compression {
            Compression::None => Ok(Cow::Borrowed(bytes)),
            Compression::Snappy => snappy::decode(bytes, len).map(Cow::Owned),
            Compression::Zstd => zstd::decode(bytes, len).map(Cow::Owned),
        }
    }

    fn dictionary(&self) -> Result<Page<'a>> {
        let header = self.part(7)?;
        if !matches!(header.count(2), Some(0 | 2)) {
            return Err(unsupported("a dictionary in an encoding that is not known"));
        }
        Ok(Page::Dictionary(self.decompressed()?, number_of_values(header)?))
    }

    fn data(&self, is_optional: bool) -> Result<DataPage<'a>> {
        let header = self.part(5)?;
        let (values, is_dictionary) = (number_of_values(header)?, is_dictionary(header.count(2))?);
        let mut bytes = self.decompressed()?;
        let mut present = Vec::new();
        if is_optional {
            if header.count(3) != Some(3) {
                return Err(unsupported("definition levels in an encoding that is not known"));
            }
            let mut rest: &[u8] = &bytes;
            let short = || corrupt("a page ends early");
            let len = take(&mut rest, 4).and_then(|len| len.first_chunk().copied()).map(u32::from_le_bytes);
            let levels = len.and_then(|len| take(&mut rest, len as usize)).ok_or_else(short)?;
            present = levels_of(levels, values)?;
            let start = bytes.len().saturating_sub(rest.len());
            bytes = match bytes {
                Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(start..).unwrap_or_default()),
                Cow::Owned(mut bytes) => {
                    bytes.drain(..start);
                    Cow::Owned(bytes)
                }
            };
        }
        Ok(DataPage { present, values, is_dictionary, bytes })
    }

    /// In the second form, levels are before the compressed values.
    fn data_v2(&self, is_optional: bool) -> Result<DataPage<'a>> {
        let header = self.part(8)?;
        let (values, is_dictionary) = (number_of_values(header)?, is_dictionary(header.count(4))?);
        let mut bytes = self.bytes;
        let mut level = |number| {
            let len = header.count(number).and_then(|len| usize::try_from(len).ok());
            len.and_then(|len| take(&mut bytes, len)).ok_or_else(|| corrupt("a page ends early"))
        };
        let (repeated, defined) = (level(6)?, level(5)?);
        let before = repeated.len().saturating_add(defined.len());
        let compression = match header.get(7) {
            Some(Thrift::Flag(false)) => Compression::None,
            _ => self.compression,
        };
        let present = if is_optional { levels_of(defined, values)? } else { Vec::new() };
        Ok(DataPage { present, values, is_dictionary, bytes: self.decompress(bytes, compression, before)? })
    }
}

fn number_of_values(header: &Thrift<'_>) -> Result<usize> {
    let values = header.count(1).ok_or_else(|| corrupt("a page has no number of values"))?;
    limits::within(values, MAX_ROWS, "a page of a Parquet file")
}

fn is_dictionary(encoding: Option<u64>) -> Result<bool> {
    match encoding {
        Some(0) => Ok(false),
        Some(2 | 8) => Ok(true),
        other => Err(unsupported(&format!("values in the encoding {}", other.unwrap_or_default()))),
    }
}

fn levels_of(bytes: &[u8], values: usize) -> Result<Vec<bool>> {
    let mut present = Vec::new();
    limits::reserve(&mut present, values, "a page of a Parquet file")?;
    hybrid::read(bytes, 1, values, |level| {
        present.push(level == 1);
        Ok(())
    })?;
    Ok(present)
}
