//! The files of Icechunk repositories: what the bytes of `repo`, of snapshots and of manifests
//! mean. <https://icechunk.io/en/latest/reference/spec/>
//!
//! A file is an [`envelope`] around a flatbuffer. Of each table only what a reader needs is read,
//! by number of its field ([`flatbuffer`]). All that a file says is checked: a file that is damaged
//! gives a `Format` error, or the values that it still has, because the format has no checksums.
//!
//! Files of version 2 may be beside those of version 1, so each goes by what it has. Reading files
//! is the engine's (`src/engine/rust/store/icechunk`); transaction logs and old copies of `repo`
//! are not read at all.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::string_slice))]

mod budget;
mod config_yaml;
pub mod container;
mod envelope;
mod flatbuffer;
mod flexbuffer;
pub mod manifest;
pub mod object_id;
mod regions;
pub mod repo;
pub mod snapshot;

use std::ops::Range;
use std::rc::Rc;

use crate::error::Result;
use budget::Budget;
use flatbuffer::Table;

/// A kind of file, by its number in the envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileKind {
    Snapshot = 1,
    Manifest = 2,
    Repo = 6,
}

/// A file without its envelope: a flatbuffer.
#[derive(Debug)]
struct File(Rc<Vec<u8>>);

/// A part of a file, which shares the file's memory: many objects may be at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The file.
    pub file: Rc<Vec<u8>>,
    /// The part.
    pub range: Range<usize>,
}

impl File {
    fn open(kind: FileKind, file: &[u8]) -> Result<Self> {
        Ok(Self(Rc::new(envelope::open(kind, file)?)))
    }

    /// What may be taken from it.
    fn budget(&self) -> Budget {
        Budget::of(self.0.len())
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span { file: self.0.clone(), range }
    }

    fn root(&self) -> Result<Table<'_>> {
        Table::root(&self.0)
    }
}
