//! Snapshots: all nodes of a hierarchy at one time, with their metadata documents, and where the
//! manifests of each array are.

use super::flatbuffer::{Table, damaged, small};
use super::object_id::ObjectId;
use super::repo::id_of;
use super::repo::{SnapshotInfo, metadata};
use super::{File, FileKind};
use crate::error::Result;
use crate::limits;
use crate::sorted;

/// Fields of the root table.
const NODES: usize = 2;
/// The type of a node's data.
const ARRAY: u64 = 1;
const GROUP: u64 = 2;

/// A parsed snapshot.
#[derive(Debug)]
pub struct Snapshot {
    file: File,
    /// The nodes by their paths, as places in the file. Older writers sorted in another way.
    order: Vec<usize>,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    /// Its absolute path; `/` for the root.
    pub path: &'a str,
    /// Its document `zarr.json`.
    pub document: &'a [u8],
    /// What only arrays have.
    pub array: Option<ArrayNode>,
}

/// Where the references to an array's chunks are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayNode {
    /// The id of the array in manifests.
    pub id: [u8; 8],
    /// The number of dimensions.
    pub rank: usize,
    /// The manifests. A chunk that is in none of them was not written.
    pub manifests: Vec<ManifestRef>,
}

/// A manifest, and which chunks it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestRef {
    /// The id of the manifest.
    pub id: ObjectId,
    /// For each dimension, the first chunk and the one after the last.
    pub extents: Vec<[u32; 2]>,
}

impl ManifestRef {
    /// Whether a chunk is within the extents.
    pub fn contains(&self, chunk: &[u32]) -> bool {
        is_within(chunk, &self.extents)
    }
}

/// Whether a chunk is within extents of the same rank.
pub(super) fn is_within(chunk: &[u32], extents: &[[u32; 2]]) -> bool {
    let mut is_within = chunk.len() == extents.len();
    for (index, [first, end]) in chunk.iter().zip(extents) {
        is_within &= first <= index && index < end;
    }
    is_within
}

impl Snapshot {
    /// Parses the file. Two nodes with the same path are an error.
    ///
    /// # Errors
    /// `Format` for a damaged file, `Unsupported` for one of a newer version.
    pub fn parse(file: &[u8]) -> Result<Self> {
        let file = File::open(FileKind::Snapshot, file)?;
        let nodes = file.root()?.tables(NODES)?;
        let mut paths = Vec::new();
        for place in 0..nodes.len {
            paths.push((path_of(nodes.table(place)?)?, place));
        }
        // Older writers sorted in another way.
        sorted::sort(&mut paths);
        for pair in paths.windows(2) {
            if let [(one, _), (other, _)] = pair
                && one == other
            {
                return Err(damaged("two nodes of one path"));
            }
        }
        let order = paths.iter().map(|(_, place)| *place).collect();
        Ok(Self { file, order })
    }

    /// The table of a node by its place in the order of paths.
    fn table(&self, index: usize) -> Result<Option<Table<'_>>> {
        match self.order.get(index) {
            Some(place) => self.file.root()?.tables(NODES)?.table(*place).map(Some),
            None => Ok(None),
        }
    }

    /// The place of the first node whose path is not before a text.
    fn first_from(&self, path: &str) -> Result<usize> {
        let (mut low, mut high) = (0, self.order.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.table(middle)? {
                Some(node) if path_of(node)? < path => low = middle.saturating_add(1),
                _ => high = middle,
            }
        }
        Ok(low)
    }

    /// The node at a path: `/`, or a slash before each name.
    ///
    /// # Errors
    /// `Format` for a damaged node.
    pub fn node(&self, path: &str) -> Result<Option<Node<'_>>> {
        match self.table(self.first_from(path)?)? {
            Some(table) if path_of(table)? == path => node(table).map(Some),
            _ => Ok(None),
        }
    }

    /// All nodes in the order of their paths.
    pub fn nodes(&self) -> impl Iterator<Item = Result<Node<'_>>> {
        (0..self.order.len())
            .filter_map(|index| self.table(index).and_then(|table| table.map(node).transpose()).transpose())
    }

    /// The paths directly below a node, also of groups that have no node of their own.
    ///
    /// # Errors
    /// `Format` for damaged nodes.
    pub fn children(&self, path: &str) -> Result<Vec<&str>> {
        let below = path.trim_end_matches('/').len();
        let mut found: Vec<&str> = Vec::new();
        for index in 0..self.order.len() {
            let Some(table) = self.table(index)? else { break };
            let child = path_of(table)?;
            let rest = child.strip_prefix(path.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
            let name = rest.map_or("", |rest| rest.split('/').next().unwrap_or_default());
            let end = below.saturating_add(1).saturating_add(name.len());
            if !name.is_empty() {
                found.extend(child.get(..end));
            }
        }
        sorted::sort(&mut found);
        found.dedup();
        Ok(found)
    }

    /// What the snapshot says of itself. Only one of version 1 knows its parent.
    ///
    /// # Errors
    /// `Format` for a damaged file.
    pub fn info(&self) -> Result<SnapshotInfo> {
        let root = self.file.root()?;
        Ok(SnapshotInfo {
            id: id_of(root)?,
            parent: root.id(1)?.map(ObjectId),
            message: root.name(4)?.to_owned(),
            flushed_at: root.number(3, 8)?,
            metadata: metadata(root, 5)?,
        })
    }
}

fn path_of(node: Table<'_>) -> Result<&str> {
    let path = node.name(1)?;
    if path.starts_with('/') { Ok(path) } else { Err(damaged("the path of a node")) }
}

fn node(table: Table<'_>) -> Result<Node<'_>> {
    let array = match table.number(3, 1)? {
        ARRAY => Some(array_node(table)?),
        GROUP => None,
        _ => return Err(damaged("the type of a node")),
    };
    let document = table.bytes(2)?.ok_or_else(|| damaged("a node without its document"))?;
    Ok(Node { path: path_of(table)?, document, array })
}

fn array_node(node: Table<'_>) -> Result<ArrayNode> {
    let id = node.id(0)?.ok_or_else(|| damaged("a node without its id"))?;
    let data = node.table(4)?;
    // Version 1 has structs of two numbers, version 2 has tables.
    let shape = match data.list(3, 4)? {
        None => data.list(0, 16)?,
        shape => shape,
    };
    let rank = shape.map_or(usize::MAX, |shape| shape.len);
    limits::within(rank as u64, limits::DIMENSIONS as u64, "the rank of an array")?;
    let (list, mut manifests) = (data.tables(2)?, Vec::new());
    for at in 0..list.len {
        let manifest = list.table(at)?;
        let extents = manifest.list(1, 8)?.unwrap_or_default();
        if extents.len != rank {
            return Err(damaged("extents of another rank"));
        }
        let mut pairs = Vec::with_capacity(rank);
        for pair in extents.elements.as_chunks::<8>().0 {
            let (first, end) = pair.split_at(4);
            pairs.push([small(first), small(end)]);
        }
        manifests.push(ManifestRef { id: id_of(manifest)?, extents: pairs });
    }
    Ok(ArrayNode { id, rank, manifests })
}
