//! A file without its envelope, and parts of it that outlive the reader.

use std::ops::Range;
use std::rc::Rc;

use zarr_wasm::error::Result;

use crate::budget::Budget;
use crate::envelope::{self, FileKind};
use crate::flatbuffer::Table;

/// A file without its envelope: a flatbuffer.
#[derive(Debug)]
pub struct File(Rc<Vec<u8>>);

/// A part of a file, which shares the file's memory: many objects may be at one offset. Cloning it
/// copies no bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The file, decompressed.
    pub file: Rc<Vec<u8>>,
    /// The part, as byte offsets in the file. It is within the file.
    pub range: Range<usize>,
}

impl File {
    /// Opens the envelope of a file of this kind.
    pub fn open(kind: FileKind, file: &[u8]) -> Result<Self> {
        Ok(Self(Rc::new(envelope::open(kind, file)?)))
    }

    /// The number of bytes, decompressed.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// What may be taken from it.
    pub fn budget(&self) -> Budget {
        Budget::of(self.len())
    }

    /// A part of it.
    pub fn span(&self, range: Range<usize>) -> Span {
        Span { file: self.0.clone(), range }
    }

    /// Its root table.
    pub fn root(&self) -> Result<Table<'_>> {
        Table::root(&self.0)
    }
}
