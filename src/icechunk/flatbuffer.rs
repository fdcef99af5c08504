//! Reads flatbuffers without generated code: a field of a table by its number.
//! <https://flatbuffers.dev/internals/>
//!
//! Every offset is checked where it is followed, so that no bytes make it read beyond the buffer.
//! Nothing recurses, and a list is never longer than the bytes that it would need. What several
//! offsets lead to counts for each of them: see [`Budget`](crate::budget::Budget).

use zarr_wasm::error::{Error, Result};

/// The error for a file that breaks its format.
#[cold]
#[inline(never)]
pub fn damaged(what: &str) -> Error {
    Error::format("a file of Icechunk is damaged").actual(what)
}

const IDENTIFIER: &[u8; 4] = b"Ichk";
/// Sizes in bytes of an offset, and of a length.
const WORD: usize = 4;

/// The bytes at an offset.
fn bytes(buffer: &[u8], at: usize, len: usize) -> Result<&[u8]> {
    match buffer.get(at..).and_then(|rest| rest.get(..len)) {
        Some(bytes) => Ok(bytes),
        None => Err(damaged("an offset beyond its end")),
    }
}

fn word(buffer: &[u8], at: usize) -> Result<usize> {
    Ok(small(bytes(buffer, at, WORD)?) as usize)
}

/// A little-endian number of at most eight bytes.
pub fn number(bytes: &[u8]) -> u64 {
    let mut number = 0;
    for byte in bytes.iter().rev() {
        number = number << 8 | u64::from(*byte);
    }
    number
}

/// A little-endian number of at most four bytes.
pub fn small(bytes: &[u8]) -> u32 {
    let mut number = 0;
    for byte in bytes.iter().rev() {
        number = number << 8 | u32::from(*byte);
    }
    number
}

/// Where the offset that is stored at `at` leads.
fn follow(buffer: &[u8], at: usize) -> Result<usize> {
    Ok(at.saturating_add(word(buffer, at)?))
}

/// A table. A field that it does not have has its default value.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    buffer: &'a [u8],
    /// The bytes from the table on.
    at: usize,
    /// The bytes of its own fields.
    size: usize,
    /// The offset of each field in the table, as 16-bit numbers.
    fields: &'a [u8],
}

impl<'a> Table<'a> {
    /// The root of a buffer of Icechunk.
    pub fn root(buffer: &'a [u8]) -> Result<Self> {
        if bytes(buffer, WORD, WORD)? != IDENTIFIER {
            return Err(damaged("the identifier"));
        }
        Self::at(buffer, follow(buffer, 0)?)
    }

    #[inline(never)]
    fn at(buffer: &'a [u8], at: usize) -> Result<Self> {
        // The list of fields may be before the table or after it: the sum wraps as it is meant.
        let back = small(bytes(buffer, at, WORD)?);
        let list = u32::try_from(at).unwrap_or(u32::MAX).wrapping_sub(back) as usize;
        let sizes = bytes(buffer, list, WORD)?;
        let (len, size) = sizes.split_at(2);
        let (len, size) = (small(len) as usize, small(size) as usize);
        bytes(buffer, at, size)?;
        if len < WORD || size < WORD {
            return Err(damaged("a table"));
        }
        let fields = bytes(buffer, list.saturating_add(WORD), len.saturating_sub(WORD))?;
        Ok(Self { buffer, at, size, fields })
    }

    /// Where a field of `width` bytes is.
    #[inline(never)]
    fn offset(&self, field: usize, width: usize) -> Result<Option<usize>> {
        let entry = self.fields.get(field.saturating_mul(2)..).and_then(|rest| rest.get(..2));
        let offset = small(entry.unwrap_or_default()) as usize;
        if offset == 0 {
            return Ok(None);
        }
        if offset < WORD || offset.saturating_add(width) > self.size {
            return Err(damaged("a field"));
        }
        Ok(Some(self.at.saturating_add(offset)))
    }

    /// The bytes of a struct or a number, if the table has the field.
    #[inline(never)]
    pub fn fixed(&self, field: usize, width: usize) -> Result<Option<&'a [u8]>> {
        match self.offset(field, width)? {
            Some(at) => bytes(self.buffer, at, width).map(Some),
            None => Ok(None),
        }
    }

    /// A number of `width` bytes; 0 if it is absent.
    pub fn number(&self, field: usize, width: usize) -> Result<u64> {
        Ok(number(self.fixed(field, width)?.unwrap_or_default()))
    }

    /// A number of 32 bits; 0 if it is absent.
    pub fn u32(&self, field: usize) -> Result<u32> {
        Ok(small(self.fixed(field, 4)?.unwrap_or_default()))
    }

    /// The bytes of an id, if the table has one.
    pub fn id<const N: usize>(&self, field: usize) -> Result<Option<[u8; N]>> {
        Ok(self.fixed(field, N)?.and_then(|bytes| bytes.first_chunk().copied()))
    }

    /// The table that a field leads to.
    pub fn table(&self, field: usize) -> Result<Self> {
        match self.offset(field, WORD)? {
            Some(at) => Self::at(self.buffer, follow(self.buffer, at)?),
            None => Err(damaged("a missing table")),
        }
    }

    /// A list of elements of `width` bytes. Elements that are tables or texts are offsets.
    #[inline(never)]
    pub fn list(&self, field: usize, width: usize) -> Result<Option<List<'a>>> {
        let Some(at) = self.offset(field, WORD)? else { return Ok(None) };
        let at = follow(self.buffer, at)?;
        let (len, start) = (word(self.buffer, at)?, at.saturating_add(WORD));
        let elements = bytes(self.buffer, start, len.saturating_mul(width))?;
        Ok(Some(List { buffer: self.buffer, start, len, elements }))
    }

    /// A list of tables that is empty if it is absent.
    pub fn tables(&self, field: usize) -> Result<List<'a>> {
        Ok(self.list(field, WORD)?.unwrap_or_default())
    }

    /// A list of bytes.
    pub fn bytes(&self, field: usize) -> Result<Option<&'a [u8]>> {
        Ok(self.list(field, 1)?.map(|list| list.elements))
    }

    /// A text.
    #[inline(never)]
    pub fn text(&self, field: usize) -> Result<Option<&'a str>> {
        let Some(bytes) = self.bytes(field)? else { return Ok(None) };
        std::str::from_utf8(bytes).map(Some).map_err(|_| damaged("a text"))
    }

    /// A text that every table of this kind has.
    pub fn name(&self, field: usize) -> Result<&'a str> {
        self.text(field)?.ok_or_else(|| damaged("a missing text"))
    }
}

/// A list.
#[derive(Clone, Copy, Debug, Default)]
pub struct List<'a> {
    buffer: &'a [u8],
    /// The offset of the first element.
    start: usize,
    /// The number of elements.
    pub len: usize,
    /// The bytes of all elements.
    pub elements: &'a [u8],
}

impl<'a> List<'a> {
    /// The range of the elements of `width` bytes in the file.
    pub fn range(&self, width: usize) -> std::ops::Range<usize> {
        self.start..self.start.saturating_add(self.len.saturating_mul(width))
    }

    /// An element of a list of tables.
    #[inline(never)]
    pub fn table(&self, index: usize) -> Result<Table<'a>> {
        if index >= self.len {
            return Err(damaged("an index"));
        }
        let at = self.start.saturating_add(index.saturating_mul(WORD));
        Table::at(self.buffer, follow(self.buffer, at)?)
    }
}
