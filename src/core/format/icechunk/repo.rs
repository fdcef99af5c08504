//! `repo`: the one file of a repository that changes. It has the branches, the tags, the history,
//! and the configuration. Only repositories of version 2 have it.

use super::container::Containers;
use super::flatbuffer::{Checked, Damaged, Table};
use super::object_id::ObjectId;
use super::{File, FileKind, flexbuffer};
use crate::error::Result;
use crate::limits;

/// Fields of the root table.
const TAGS: usize = 1;
const BRANCHES: usize = 2;
const SNAPSHOTS: usize = 4;
const CONFIG: usize = 9;

/// A kind of name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefKind {
    /// A name that commits move.
    Branch,
    /// A name that never moves.
    Tag,
}

/// What is known of a snapshot without its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotInfo {
    /// The id.
    pub id: ObjectId,
    /// The snapshot before it.
    pub parent: Option<ObjectId>,
    /// The message of the commit.
    pub message: String,
    /// When it was written, in microseconds since 1970.
    pub flushed_at: u64,
    /// The names of its metadata, and their values as the file has them.
    pub metadata: Vec<(String, Vec<u8>)>,
}

/// A parsed `repo`.
#[derive(Debug)]
pub struct Repo(File);

impl Repo {
    /// Parses the file.
    ///
    /// # Errors
    /// `Format` for a damaged file, `Unsupported` for one of a newer version.
    pub fn parse(file: &[u8]) -> Result<Self> {
        let repo = Self(File::open(FileKind::Repo, file)?);
        // There is always a branch.
        repo.0.read(|root| root.tables(BRANCHES)?.table(0).map(drop))?;
        Ok(repo)
    }

    /// The names of a kind, with their snapshots.
    ///
    /// # Errors
    /// `Format` for a damaged file.
    pub fn names(&self, kind: RefKind) -> Result<Vec<(String, ObjectId)>> {
        self.0.read(|root| {
            let field = if kind == RefKind::Tag { TAGS } else { BRANCHES };
            root.tables(field)?.iter().map(|name| named(root, name?)).collect()
        })
    }

    /// The snapshot of a name.
    ///
    /// # Errors
    /// `Format` for a damaged file.
    pub fn find(&self, kind: RefKind, name: &str) -> Result<Option<ObjectId>> {
        let found = self.names(kind)?.into_iter().find(|(known, _)| known == name);
        Ok(found.map(|(_, id)| id))
    }

    /// A snapshot and those before it.
    ///
    /// # Errors
    /// `Format` for a damaged file, or where the snapshots come back to one of them.
    pub fn history(&self, newest: ObjectId) -> Result<Vec<SnapshotInfo>> {
        self.0.read(|root| {
            let snapshots = root.tables(SNAPSHOTS)?;
            let start = snapshots.iter().position(|each| each.and_then(id_of).is_ok_and(|id| id == newest));
            let (mut found, mut next) = (Vec::new(), start);
            while let Some(at) = next {
                if found.len() == snapshots.len() {
                    return Err(Damaged("the history"));
                }
                let table = snapshots.table(at)?;
                next = parent_of(table)?;
                let parent = next.map(|at| snapshots.table(at).and_then(id_of)).transpose()?;
                found.push(info(table, parent)?);
            }
            Ok(found)
        })
    }

    /// Where virtual chunks are.
    ///
    /// # Errors
    /// `Format` for a damaged file.
    pub fn containers(&self) -> Result<Containers> {
        match self.0.read(|root| root.bytes(CONFIG))? {
            Some(config) if !config.is_empty() => Containers::parse(&flexbuffer::to_json(config)?),
            _ => Ok(Containers::default()),
        }
    }
}

/// The name of a reference, and its snapshot.
fn named(root: Table<'_>, reference: Table<'_>) -> Checked<(String, ObjectId)> {
    let name = reference.text(0)?.ok_or(Damaged("a name"))?;
    let id = root.tables(SNAPSHOTS)?.table(reference.u32(1)? as usize).and_then(id_of)?;
    Ok((name.to_owned(), id))
}

fn id_of(table: Table<'_>) -> Checked<ObjectId> {
    table.fixed(0)?.copied().map(ObjectId).ok_or(Damaged("an id"))
}

/// The place of the snapshot before one; none for the first.
fn parent_of(snapshot: Table<'_>) -> Checked<Option<usize>> {
    let place = snapshot.u32(1)?.cast_signed();
    if place == -1 {
        return Ok(None);
    }
    usize::try_from(place).map(Some).map_err(|_| Damaged("the parent of a snapshot"))
}

fn info(table: Table<'_>, parent: Option<ObjectId>) -> Checked<SnapshotInfo> {
    let message = table.text(3)?.ok_or(Damaged("a message"))?.to_owned();
    let (id, flushed_at) = (id_of(table)?, table.u64(2)?);
    Ok(SnapshotInfo { id, parent, message, flushed_at, metadata: metadata(table, 4)? })
}

/// The metadata of a snapshot, which are in a field.
pub(super) fn metadata(table: Table<'_>, field: usize) -> Checked<Vec<(String, Vec<u8>)>> {
    let items = table.tables(field)?.iter().take(limits::SNAPSHOT_METADATA);
    items
        .map(|item| {
            let item = item?;
            let (name, value) = item.text(0)?.zip(item.bytes(1)?).ok_or(Damaged("a metadata item"))?;
            Ok((name.to_owned(), value.to_vec()))
        })
        .collect()
}

/// The JSON text of a metadata value of `repo`.
///
/// # Errors
/// `Format` for a damaged value.
pub fn metadata_json(value: &[u8]) -> Result<String> {
    flexbuffer::to_json(value)
}
