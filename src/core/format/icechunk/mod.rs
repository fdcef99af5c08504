//! The files of Icechunk repositories: what the bytes of `repo`, of snapshots and of manifests
//! mean. <https://icechunk.io/en/latest/reference/spec/>
//!
//! A file is an [`envelope`] around a flatbuffer. Of each table only what a reader needs is read,
//! by number of its field ([`flatbuffer`]). All that a file says is checked: a file that is damaged
//! gives a `Format` error, or the values that it still has, because the format has no checksums.
//!
//! Files of version 2 may be beside those of version 1, so each goes by what it has. Reading files
//! is the engine's (`src/engine/store/icechunk`); transaction logs and old copies of `repo` are not
//! read at all.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::string_slice))]

mod config_yaml;
pub mod container;
mod envelope;
mod flatbuffer;
mod flexbuffer;
pub mod manifest;
pub mod object_id;
pub mod repo;
pub mod snapshot;

use crate::error::Result;
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
struct File(Vec<u8>);

impl File {
    fn open(kind: FileKind, file: &[u8]) -> Result<Self> {
        envelope::open(kind, file).map(Self)
    }

    fn root(&self) -> Result<Table<'_>> {
        Table::root(&self.0)
    }
}
