//! The elements of a chunk as they pass between codecs: packed in C order, little-endian.
//!
//! They have no shape and no data type here: see
//! [`ChunkRepresentation`](super::ChunkRepresentation).

use crate::error::{Error, Result};
use crate::limits;

/// Elements, in C order. A clone copies them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArrayBytes {
    /// Elements of one size, packed.
    Fixed(Vec<u8>),
    /// Elements of variable length.
    Variable(VariableBytes),
}

/// Elements of variable length: element `i` is `bytes[offsets[i]..offsets[i + 1]]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VariableBytes {
    /// Ascending offsets from 0 to the length of `bytes`: one more than there are elements.
    pub offsets: Vec<u32>,
    /// The bytes of all elements, without gaps.
    pub bytes: Vec<u8>,
}

impl VariableBytes {
    /// Makes an empty list.
    pub fn new() -> Self {
        Self { offsets: vec![0], bytes: Vec::new() }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Element `idx`, or `None` past the end. Two look-ups; it copies nothing.
    pub fn get(&self, idx: usize) -> Option<&[u8]> {
        let [start, end] = self.offsets.get(idx..)?.first_chunk()?;
        self.bytes.get(*start as usize..*end as usize)
    }

    /// Packs `n + 1` offsets (32-bit, little-endian) and then the bytes. In this form elements go
    /// to another WebAssembly instance. One copy, one allocation.
    pub fn to_packed(&self) -> Vec<u8> {
        let mut packed =
            Vec::with_capacity(self.offsets.len().saturating_mul(4).saturating_add(self.bytes.len()));
        for offset in &self.offsets {
            packed.extend(offset.to_le_bytes());
        }
        packed.extend(&self.bytes);
        packed
    }

    /// Unpacks `count` elements that [`to_packed`](Self::to_packed) packed; `None` for other bytes.
    /// Checks all offsets, and copies once.
    pub fn from_packed(packed: &[u8], count: usize) -> Option<Self> {
        let (offsets, bytes) = packed.split_at_checked(count.checked_add(1)?.checked_mul(4)?)?;
        let words = offsets.as_chunks::<4>().0;
        let mut offsets = Vec::with_capacity(words.len());
        for word in words {
            offsets.push(u32::from_le_bytes(*word));
        }
        let end = offsets.last().map(|end| *end as usize);
        let fits = offsets.first() == Some(&0) && offsets.is_sorted() && end == Some(bytes.len());
        fits.then(|| Self { offsets, bytes: bytes.to_vec() })
    }

    /// Appends an element: a copy, and at times a larger buffer.
    ///
    /// # Errors
    /// `Limit` when the elements of one chunk take more than 1 GiB. A long fill value may
    /// be repeated many times.
    pub fn push(&mut self, element: &[u8]) -> Result<()> {
        let len = (self.bytes.len() as u64).saturating_add(element.len() as u64);
        limits::within(len, limits::CHUNK_BYTES, "the elements of a chunk")?;
        let end = u32::try_from(len).unwrap_or(u32::MAX);
        let has_room = self.bytes.try_reserve(element.len());
        has_room.map_err(|_| Error::limit("no memory for the elements of a chunk"))?;
        self.bytes.extend_from_slice(element);
        self.offsets.push(end);
        Ok(())
    }
}

impl ArrayBytes {
    /// The packed elements, without a copy; of variable length as [`VariableBytes::to_packed`].
    pub fn into_packed(self) -> Vec<u8> {
        match self {
            Self::Fixed(bytes) => bytes,
            Self::Variable(elements) => elements.to_packed(),
        }
    }

    /// The packed elements of a type of fixed size.
    ///
    /// # Errors
    /// `Unsupported` for elements of variable length.
    pub fn into_fixed(self) -> Result<Vec<u8>> {
        match self {
            Self::Fixed(bytes) => Ok(bytes),
            Self::Variable(_) => Err(Self::not_fixed()),
        }
    }

    /// The packed elements of a type of fixed size.
    ///
    /// # Errors
    /// `Unsupported` for elements of variable length.
    pub fn fixed(&self) -> Result<&[u8]> {
        match self {
            Self::Fixed(bytes) => Ok(bytes),
            Self::Variable(_) => Err(Self::not_fixed()),
        }
    }

    /// The elements of a type of variable length.
    ///
    /// # Errors
    /// `Unsupported` for packed elements.
    pub fn variable(&self) -> Result<&VariableBytes> {
        match self {
            Self::Variable(elements) => Ok(elements),
            Self::Fixed(_) => Err(Error::unsupported("this codec takes only elements of variable length")),
        }
    }

    fn not_fixed() -> Error {
        Error::unsupported("this codec takes only elements of one size")
    }
}
