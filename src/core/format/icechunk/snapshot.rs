//! Snapshots: all nodes of a hierarchy at one time, with their metadata documents, and where the
//! manifests of each array are.

use super::flatbuffer::{Checked, Damaged, Table};
use super::object_id::ObjectId;
use super::repo::{SnapshotInfo, metadata};
use super::{File, FileKind};
use crate::error::Result;
use crate::limits;
use crate::sorted;

/// Fields of the root table.
const NODES: usize = 2;
/// The type of a node's data.
const ARRAY: u8 = 1;
const GROUP: u8 = 2;

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
    chunk.len() == extents.len()
        && chunk.iter().zip(extents).all(|(index, [first, end])| (first..end).contains(&index))
}

impl Snapshot {
    /// Parses the file.
    ///
    /// # Errors
    /// `Format` for a damaged file, `Unsupported` for one of a newer version.
    pub fn parse(file: &[u8]) -> Result<Self> {
        let file = File::open(FileKind::Snapshot, file)?;
        let order = file.read(order)?;
        Ok(Self { file, order })
    }

    /// The number of nodes.
    #[allow(clippy::len_without_is_empty, reason = "nothing asks whether it is empty")]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// A node by its place in the order of paths.
    fn at(&self, index: usize) -> Result<Node<'_>> {
        let place = self.order.get(index).copied().unwrap_or(usize::MAX);
        self.file.read(|root| node(root.tables(NODES)?.table(place)?))
    }

    /// The place of the first node whose path is not before a text.
    fn first_from(&self, path: &str) -> Result<usize> {
        self.file.read(|root| {
            let nodes = root.tables(NODES)?;
            let (mut low, mut high) = (0, self.order.len());
            while low < high {
                let middle = low.midpoint(high);
                let place = self.order.get(middle).copied().unwrap_or(usize::MAX);
                match path_of(nodes.table(place)?)? < path {
                    true => low = middle.saturating_add(1),
                    false => high = middle,
                }
            }
            Ok(low)
        })
    }

    /// The node at a path: `/`, or a slash before each name.
    ///
    /// # Errors
    /// `Format` for a damaged node.
    pub fn node(&self, path: &str) -> Result<Option<Node<'_>>> {
        let index = self.first_from(path)?;
        if index == self.order.len() {
            return Ok(None);
        }
        Ok(Some(self.at(index)?).filter(|node| node.path == path))
    }

    /// The nodes whose paths begin with a text, in the order of their paths.
    ///
    /// # Errors
    /// `Format` for damaged nodes.
    pub fn below<'a>(&'a self, prefix: &'a str) -> Result<impl Iterator<Item = Result<Node<'a>>>> {
        let nodes = (self.first_from(prefix)?..self.order.len()).map(|index| self.at(index));
        Ok(nodes.take_while(move |node| node.as_ref().map_or(true, |node| node.path.starts_with(prefix))))
    }

    /// What the snapshot says of itself. Only one of version 1 knows its parent.
    ///
    /// # Errors
    /// `Format` for a damaged file.
    pub fn info(&self) -> Result<SnapshotInfo> {
        self.file.read(|root| {
            let id = |field| Ok(root.fixed(field)?.copied().map(ObjectId));
            Ok(SnapshotInfo {
                id: id(0)?.ok_or(Damaged("an id"))?,
                parent: id(1)?,
                message: root.text(4)?.ok_or(Damaged("a message"))?.to_owned(),
                flushed_at: root.u64(3)?,
                metadata: metadata(root, 5)?,
            })
        })
    }
}

/// The places of all nodes in the order of their paths. Two nodes of one path are damage.
fn order(root: Table<'_>) -> Checked<Vec<usize>> {
    let nodes = root.tables(NODES)?;
    let paths = nodes.iter().map(|node| path_of(node?)).collect::<Checked<Vec<&str>>>()?;
    let mut order: Vec<usize> = (0..paths.len()).collect();
    let path_at = |place: &usize| paths.get(*place).copied().unwrap_or_default();
    if !paths.is_sorted() {
        sorted::sort_by(&mut order, |one, other| path_at(one).cmp(path_at(other)));
    }
    let is_unique = order.is_sorted_by(|one, other| path_at(one) < path_at(other));
    if is_unique { Ok(order) } else { Err(Damaged("the path of a node")) }
}

fn path_of(node: Table<'_>) -> Checked<&str> {
    let path = node.text(1)?.filter(|path| path.starts_with('/'));
    path.ok_or(Damaged("the path of a node"))
}

fn node(table: Table<'_>) -> Checked<Node<'_>> {
    let array = match table.u8(3)? {
        ARRAY => Some(array_node(table)?),
        GROUP => None,
        _ => return Err(Damaged("the type of a node")),
    };
    let document = table.bytes(2)?.ok_or(Damaged("the document of a node"))?;
    Ok(Node { path: path_of(table)?, document, array })
}

fn array_node(node: Table<'_>) -> Checked<ArrayNode> {
    let id = *node.fixed(0)?.ok_or(Damaged("the id of a node"))?;
    let data = node.table(4)?.ok_or(Damaged("the data of an array"))?;
    // Version 1 has structs of two numbers, version 2 has tables.
    let rank = match data.list(3, 4)? {
        Some(shape) => shape.len(),
        None => data.list(0, 16)?.ok_or(Damaged("the shape of an array"))?.len(),
    };
    let manifests = data.tables(2)?.iter().map(|manifest| manifest_ref(manifest?, rank));
    Ok(ArrayNode { id, rank, manifests: manifests.collect::<Checked<_>>()? })
}

fn manifest_ref(table: Table<'_>, rank: usize) -> Checked<ManifestRef> {
    let id = table.fixed(0)?.copied().map(ObjectId).ok_or(Damaged("the id of a manifest"))?;
    let extents = table.list(1, 8)?.filter(|extents| extents.len() == rank && rank <= limits::DIMENSIONS);
    let extents = extents.ok_or(Damaged("the extents of a manifest"))?;
    let pair = |[a, b, c, d, e, f, g, h]: &[u8; 8]| {
        [u32::from_le_bytes([*a, *b, *c, *d]), u32::from_le_bytes([*e, *f, *g, *h])]
    };
    Ok(ManifestRef { id, extents: extents.fixed().iter().map(pair).collect() })
}
