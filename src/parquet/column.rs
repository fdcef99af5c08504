//! The values of a column: plain, or by a dictionary.

use zarr_wasm::error::Result;

use crate::bytes_column::BytesColumn;
use crate::error::corrupt;
use crate::footer::{ColumnChunk, Kind};
use crate::page::{self, DataPage, Page};
use crate::thrift::take;

/// Reads byte strings.
pub fn read_strings(chunk: &ColumnChunk, file: &[u8], column: &mut BytesColumn) -> Result<()> {
    let mut dictionary = Vec::new();
    page::each(chunk, file, |page| match page {
        // A column of nulls has no type of its own; its dictionary is empty.
        Page::Dictionary(_, 0) => Ok(()),
        Page::Dictionary(bytes, len) => {
            dictionary = strings(chunk.kind, &bytes, len, column)?;
            Ok(())
        }
        Page::Data(page) => {
            let numbers = match page.stored() {
                0 => Vec::new(),
                _ if page.is_dictionary => page.of_dictionary(&dictionary)?,
                stored => strings(chunk.kind, &page.bytes, stored, column)?,
            };
            append(&page, numbers, &mut column.rows)
        }
    })
}

/// Adds plain strings to a column, and returns their numbers.
fn strings(kind: Kind, mut bytes: &[u8], len: usize, column: &mut BytesColumn) -> Result<Vec<u32>> {
    if kind != Kind::Bytes {
        return Err(corrupt("a column has another type than bytes"));
    }
    let read = |_| {
        let len = take(&mut bytes, 4).and_then(|len| len.first_chunk().copied()).map(u32::from_le_bytes);
        let text = len.and_then(|len| take(&mut bytes, len as usize));
        column.push(text.ok_or_else(|| corrupt("a page ends early"))?)
    };
    (0..len).map(read).collect()
}

/// Reads integers, and adds them to `rows`.
pub fn read_integers(chunk: &ColumnChunk, file: &[u8], rows: &mut Vec<u64>) -> Result<()> {
    let mut dictionary = Vec::new();
    page::each(chunk, file, |page| match page {
        Page::Dictionary(_, 0) => Ok(()),
        Page::Dictionary(bytes, len) => {
            dictionary = integers(chunk.kind, &bytes, len)?;
            Ok(())
        }
        Page::Data(page) => {
            let numbers = match page.stored() {
                0 => Vec::new(),
                _ if page.is_dictionary => page.of_dictionary(&dictionary)?,
                stored => integers(chunk.kind, &page.bytes, stored)?,
            };
            append(&page, numbers, rows)
        }
    })
}

fn integers(kind: Kind, mut bytes: &[u8], len: usize) -> Result<Vec<u64>> {
    let size = match kind {
        Kind::Int32 => 4,
        Kind::Int64 => 8,
        Kind::Bytes | Kind::Other => return Err(corrupt("a column has another type than integers")),
    };
    let read = |_| {
        let taken = take(&mut bytes, size).ok_or_else(|| corrupt("a page ends early"))?;
        let signed = match *taken {
            [a, b, c, d] => i64::from(i32::from_le_bytes([a, b, c, d])),
            _ => taken.first_chunk().copied().map(i64::from_le_bytes).unwrap_or_default(),
        };
        u64::try_from(signed)
            .map_err(|_| corrupt("an offset or a length is negative").actual(signed.to_string()))
    };
    (0..len).map(read).collect()
}

/// Appends one value for each row of a page. A row without a value gets the default.
fn append<T: Copy + Default>(page: &DataPage<'_>, values: Vec<T>, rows: &mut Vec<T>) -> Result<()> {
    if page.present.is_empty() {
        rows.extend(values);
        return Ok(());
    }
    let mut values = values.into_iter();
    for is_present in &page.present {
        let value = if *is_present { values.next() } else { Some(T::default()) };
        rows.push(value.ok_or_else(|| corrupt("a page ends early"))?);
    }
    Ok(())
}
