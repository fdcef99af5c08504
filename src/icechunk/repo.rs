//! `repo`: the one file of a repository that changes. It has the branches, the tags, the history,
//! and the configuration. Only repositories of version 2 have it.

use zarr_wasm::error::Result;

use crate::budget::{Budget, SNAPSHOT_METADATA};
use crate::container::Containers;
use crate::envelope::FileKind;
use crate::file::File;
use crate::flatbuffer::{Table, damaged};
use crate::object_id::ObjectId;

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
    /// Parses the file, with its envelope. Takes time in its length, and keeps its content
    /// decompressed; all else is read when it is asked for.
    ///
    /// # Errors
    /// `Format` for a damaged file, `Unsupported` for one of a newer version.
    pub fn parse(file: &[u8]) -> Result<Self> {
        let repo = Self(File::open(FileKind::Repo, file)?);
        // There is always a branch.
        repo.0.root()?.tables(BRANCHES)?.table(0)?;
        Ok(repo)
    }

    /// The snapshot of a name; `None` where there is no such name. Takes time in the number of
    /// names, and allocates nothing.
    ///
    /// # Errors
    /// `Format` for a damaged file.
    pub fn find(&self, kind: RefKind, name: &str) -> Result<Option<ObjectId>> {
        let root = self.0.root()?;
        let references = root.tables(kind.field())?;
        for at in 0..references.len {
            let reference = references.table(at)?;
            // Many references may have one long name, which is compared without being read as text.
            if reference.bytes(0)? == Some(name.as_bytes()) {
                return target(root, reference).map(Some);
            }
        }
        Ok(None)
    }

    /// The names of a kind, with their snapshots, in the order of the file.
    ///
    /// # Errors
    /// `Format` for a damaged file; `Limit` for one whose names share their texts too often.
    pub fn names(&self, kind: RefKind) -> Result<Vec<(String, ObjectId)>> {
        let root = self.0.root()?;
        let references = root.tables(kind.field())?;
        let (mut names, mut budget) = (Vec::new(), self.0.budget());
        for at in 0..references.len {
            let reference = references.table(at)?;
            let name = reference.name(0)?;
            budget.take(name.len())?;
            names.push((name.to_owned(), target(root, reference)?));
        }
        Ok(names)
    }

    /// A snapshot and those before it, the newest first; empty where the file lacks it. Takes time
    /// in the number of snapshots, and copies their texts.
    ///
    /// # Errors
    /// `Format` for a damaged file, or where the snapshots come back to one of them; `Limit` for a
    /// file whose snapshots share their texts too often.
    pub fn history(&self, newest: ObjectId) -> Result<Vec<SnapshotInfo>> {
        let snapshots = self.0.root()?.tables(SNAPSHOTS)?;
        let is_newest = |at: &usize| snapshots.table(*at).and_then(id_of).is_ok_and(|id| id == newest);
        let (mut found, mut next) = (Vec::new(), (0..snapshots.len).find(is_newest));
        let (mut is_known, mut budget) = (vec![false; snapshots.len], self.0.budget());
        while let Some(at) = next {
            match is_known.get_mut(at) {
                Some(is_known) if !*is_known => *is_known = true,
                _ => return Err(damaged("the history")),
            }
            let table = snapshots.table(at)?;
            next = parent_of(table)?;
            let parent = next.map(|at| snapshots.table(at).and_then(id_of)).transpose()?;
            found.push(info(table, parent, &mut budget)?);
        }
        Ok(found)
    }

    /// The memory that it takes, in bytes.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// Where virtual chunks are: the containers of the configuration. It is read at each call.
    ///
    /// # Errors
    /// `Format` for a damaged file.
    pub fn containers(&self) -> Result<Containers> {
        match self.0.root()?.bytes(CONFIG)? {
            Some(config) if !config.is_empty() => Containers::read(config),
            _ => Ok(Containers::default()),
        }
    }
}

impl RefKind {
    /// The field of the names.
    fn field(self) -> usize {
        if self == Self::Tag { TAGS } else { BRANCHES }
    }
}

/// The snapshot of a reference.
fn target(root: Table<'_>, reference: Table<'_>) -> Result<ObjectId> {
    id_of(root.tables(SNAPSHOTS)?.table(reference.u32(1)? as usize)?)
}

/// The id of what a table describes.
pub fn id_of(table: Table<'_>) -> Result<ObjectId> {
    table.id(0)?.map(ObjectId).ok_or_else(|| damaged("a missing id"))
}

/// The index of the snapshot before one; none for the first.
fn parent_of(snapshot: Table<'_>) -> Result<Option<usize>> {
    let index = snapshot.u32(1)?.cast_signed();
    if index == -1 {
        return Ok(None);
    }
    usize::try_from(index).map(Some).map_err(|_| damaged("the parent of a snapshot"))
}

fn info(table: Table<'_>, parent: Option<ObjectId>, budget: &mut Budget) -> Result<SnapshotInfo> {
    let (id, flushed_at) = (id_of(table)?, table.number(2, 8)?);
    let (message, metadata) = (message(table, 3, budget)?, metadata(table, 4, budget)?);
    Ok(SnapshotInfo { id, parent, message, flushed_at, metadata })
}

/// The message of a snapshot, which is in a field.
pub fn message(table: Table<'_>, field: usize, budget: &mut Budget) -> Result<String> {
    let message = table.name(field)?;
    budget.take(message.len())?;
    Ok(message.to_owned())
}

/// The metadata of a snapshot, which are in a field.
pub fn metadata(table: Table<'_>, field: usize, budget: &mut Budget) -> Result<Vec<(String, Vec<u8>)>> {
    let (items, mut found) = (table.tables(field)?, Vec::new());
    for at in 0..items.len.min(SNAPSHOT_METADATA) {
        let item = items.table(at)?;
        let (name, value) = (item.name(0)?, item.bytes(1)?.ok_or_else(|| damaged("a metadata item"))?);
        budget.take(name.len().saturating_add(value.len()))?;
        found.push((name.to_owned(), value.to_vec()));
    }
    Ok(found)
}

/// The JSON text of a metadata value of `repo`.
///
/// # Errors
/// `Format` for a damaged value.
pub fn metadata_json(value: &[u8]) -> Result<String> {
    crate::flexbuffer::to_json(value)
}
