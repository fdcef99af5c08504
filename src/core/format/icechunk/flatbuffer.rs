//! Reads flatbuffers without generated code: a field of a table by its number.
//! <https://flatbuffers.dev/internals/>
//!
//! Every offset is checked where it is followed, so that no bytes make it read beyond the buffer.
//! Nothing recurses, and a list is never longer than the bytes that it would need.

/// The name of what is wrong in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged(pub &'static str);

pub type Checked<T> = Result<T, Damaged>;

const IDENTIFIER: &[u8; 4] = b"Ichk";
/// Sizes in bytes of an offset, and of a length.
const WORD: usize = 4;

/// `N` bytes from `at` on.
fn bytes<const N: usize>(buffer: &[u8], at: usize) -> Checked<&[u8; N]> {
    buffer.get(at..).and_then(<[u8]>::first_chunk).ok_or(Damaged("an offset"))
}

fn word(buffer: &[u8], at: usize) -> Checked<usize> {
    Ok(u32::from_le_bytes(*bytes(buffer, at)?) as usize)
}

/// Where the offset at a place leads.
fn follow(buffer: &[u8], at: usize) -> Checked<usize> {
    word(buffer, at)?.checked_add(at).ok_or(Damaged("an offset"))
}

/// A table. A field that it does not have has its default value.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    buffer: &'a [u8],
    at: usize,
    /// The bytes of its own fields.
    size: usize,
    /// The offset of each field in the table, as 16-bit numbers.
    fields: &'a [u8],
}

impl<'a> Table<'a> {
    /// The root of a buffer of Icechunk.
    pub fn root(buffer: &'a [u8]) -> Checked<Self> {
        if bytes(buffer, WORD)? != IDENTIFIER {
            return Err(Damaged("the identifier"));
        }
        Self::at(buffer, follow(buffer, 0)?)
    }

    fn at(buffer: &'a [u8], at: usize) -> Checked<Self> {
        let back = i32::from_le_bytes(*bytes(buffer, at)?);
        let list = usize::try_from((at as i64).checked_sub(back.into()).unwrap_or(-1));
        let list = list.map_err(|_| Damaged("an offset"))?;
        let [len, size] = [list, list.saturating_add(2)]
            .map(|place| bytes(buffer, place).map(|number| usize::from(u16::from_le_bytes(*number))));
        let (len, size) = (len?, size?);
        let fields = buffer.get(list..).and_then(|list| list.get(WORD..len)).ok_or(Damaged("a table"))?;
        let end = at.checked_add(size).filter(|end| *end <= buffer.len() && size >= WORD);
        end.map(|_| Self { buffer, at, size, fields }).ok_or(Damaged("a table"))
    }

    /// Where a field of `width` bytes is.
    fn place(&self, field: usize, width: usize) -> Checked<Option<usize>> {
        let entry = self.fields.get(field.saturating_mul(2)..).and_then(<[u8]>::first_chunk);
        match entry.map_or(0, |entry| usize::from(u16::from_le_bytes(*entry))) {
            0 => Ok(None),
            offset if offset >= WORD && offset.saturating_add(width) <= self.size => {
                Ok(self.at.checked_add(offset))
            }
            _ => Err(Damaged("a field")),
        }
    }

    /// The bytes of a struct or a number, if the table has the field.
    pub fn fixed<const N: usize>(&self, field: usize) -> Checked<Option<&'a [u8; N]>> {
        self.place(field, N)?.map(|at| bytes(self.buffer, at)).transpose()
    }

    /// A number of eight bits; 0 if it is absent.
    pub fn u8(&self, field: usize) -> Checked<u8> {
        Ok(self.fixed(field)?.map_or(0, |[byte]| *byte))
    }

    /// A number of 32 bits; 0 if it is absent.
    pub fn u32(&self, field: usize) -> Checked<u32> {
        Ok(self.fixed(field)?.map_or(0, |number| u32::from_le_bytes(*number)))
    }

    /// A number of 64 bits; 0 if it is absent.
    pub fn u64(&self, field: usize) -> Checked<u64> {
        Ok(self.fixed(field)?.map_or(0, |number| u64::from_le_bytes(*number)))
    }

    /// The table that a field leads to.
    pub fn table(&self, field: usize) -> Checked<Option<Self>> {
        let place = self.place(field, WORD)?;
        place.map(|at| Self::at(self.buffer, follow(self.buffer, at)?)).transpose()
    }

    /// A list of elements of `width` bytes. Elements that are tables or texts are offsets.
    pub fn list(&self, field: usize, width: usize) -> Checked<Option<List<'a>>> {
        let place = self.place(field, WORD)?;
        place.map(|at| List::at(self.buffer, follow(self.buffer, at)?, width)).transpose()
    }

    /// A list of tables that is empty if it is absent.
    pub fn tables(&self, field: usize) -> Checked<List<'a>> {
        Ok(self.list(field, WORD)?.unwrap_or_default())
    }

    /// A list of bytes.
    pub fn bytes(&self, field: usize) -> Checked<Option<&'a [u8]>> {
        Ok(self.list(field, 1)?.map(|list| list.elements))
    }

    /// A text.
    pub fn text(&self, field: usize) -> Checked<Option<&'a str>> {
        let text = self.bytes(field)?.map(std::str::from_utf8).transpose();
        text.map_err(|_| Damaged("a text"))
    }
}

/// A list.
#[derive(Clone, Copy, Debug, Default)]
pub struct List<'a> {
    buffer: &'a [u8],
    /// The place of the first element.
    start: usize,
    width: usize,
    elements: &'a [u8],
}

impl<'a> List<'a> {
    fn at(buffer: &'a [u8], at: usize, width: usize) -> Checked<Self> {
        let start = at.saturating_add(WORD);
        let len = word(buffer, at)?.checked_mul(width);
        let elements = len.and_then(|len| buffer.get(start..)?.get(..len)).ok_or(Damaged("a list"))?;
        Ok(Self { buffer, start, width, elements })
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.elements.len().checked_div(self.width).unwrap_or(0)
    }

    /// Where an element begins.
    fn place(&self, index: usize) -> Checked<usize> {
        let offset = index.checked_mul(self.width).filter(|offset| *offset < self.elements.len());
        offset.and_then(|offset| offset.checked_add(self.start)).ok_or(Damaged("an index"))
    }

    /// An element that is a table.
    pub fn table(&self, index: usize) -> Checked<Table<'a>> {
        Table::at(self.buffer, follow(self.buffer, self.place(index)?)?)
    }

    /// The elements, if they are structs or numbers of `N` bytes.
    pub fn fixed<const N: usize>(&self) -> &'a [[u8; N]] {
        self.elements.as_chunks().0
    }

    /// All elements, which are tables.
    pub fn iter(self) -> impl Iterator<Item = Checked<Table<'a>>> {
        (0..self.len()).map(move |index| self.table(index))
    }

    /// The first element that is not less, in a sorted list of tables. `order` compares an element
    /// with what is looked for.
    pub fn partition_point(&self, is_less: impl Fn(Table<'a>) -> Checked<bool>) -> Checked<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match is_less(self.table(middle)?)? {
                true => low = middle.saturating_add(1),
                false => high = middle,
            }
        }
        Ok(low)
    }
}
