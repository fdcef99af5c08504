//! Snapshots: all nodes of a hierarchy at one time, with their metadata documents, and where the
//! manifests of each array are.

use std::cell::RefCell;
use std::rc::Rc;

use zarr_wasm::error::Result;
use zarr_wasm::limits;
use zarr_wasm::sorted::{self, Map};

use crate::budget::Budget;
use crate::envelope::FileKind;
use crate::extents::ManifestRef;
use crate::file::{File, Span};
use crate::flatbuffer::{Table, damaged, small};
use crate::object_id::ObjectId;
use crate::regions::Regions;
use crate::repo::{SnapshotInfo, id_of, message, metadata};

/// Fields of the root table.
const NODES: usize = 2;
/// Fields of a node.
const PATH: usize = 1;
const DOCUMENT: usize = 2;
/// The type of a node's data.
const ARRAY: u64 = 1;
const GROUP: u64 = 2;

/// A parsed snapshot.
#[derive(Debug)]
pub struct Snapshot {
    file: File,
    /// The nodes by their paths, as indices in the file. Older writers sorted in another way.
    order: Vec<usize>,
    arrays: RefCell<Arrays>,
}

/// The arrays that were asked for, by the indices of their nodes. They are kept: an array may have
/// many manifests, and it is asked for with each of its chunks.
#[derive(Debug)]
struct Arrays {
    known: Map<usize, Rc<ArrayNode>>,
    budget: Budget,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    /// Its absolute path; `/` for the root.
    pub path: &'a str,
    /// Its document `zarr.json`.
    pub document: Span,
    /// Whether it is an array.
    pub is_array: bool,
    /// Its index in the file.
    index: usize,
}

/// Where the references to an array's chunks are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayNode {
    /// The id of the array in manifests.
    pub id: [u8; 8],
    /// The number of dimensions.
    pub rank: usize,
    /// The manifests.
    pub manifests: Vec<ManifestRef>,
    regions: Regions,
}

impl ArrayNode {
    /// The manifest of a chunk, by its index in each dimension. A chunk that is in none was not
    /// written. Takes about log m steps for m manifests whose boxes do not overlap, and m at most.
    pub fn manifest_of(&self, chunk: &[u32]) -> Option<&ManifestRef> {
        self.regions.find(&self.manifests, chunk)
    }
}

impl Snapshot {
    /// Parses the file, with its envelope, and sorts its nodes: n log n for n nodes. It keeps the
    /// content decompressed, and a word for each node. Two nodes with the same path are an error.
    ///
    /// # Errors
    /// `Format` for a damaged file, `Unsupported` for one of a newer version, `Limit` for one whose
    /// nodes share their paths or documents too often.
    pub fn parse(file: &[u8]) -> Result<Self> {
        let file = File::open(FileKind::Snapshot, file)?;
        let nodes = file.root()?.tables(NODES)?;
        let (mut paths, mut budget) = (Vec::new(), file.budget());
        for index in 0..nodes.len {
            let node = nodes.table(index)?;
            let path = path_of(node)?;
            // A node that is damaged is an error when it is read.
            let document = node.bytes(DOCUMENT).ok().flatten().unwrap_or_default();
            budget.take(path.len().saturating_add(document.len()))?;
            paths.push((path, index));
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
        let order = paths.iter().map(|(_, index)| *index).collect();
        let arrays = Arrays { known: Map::new(), budget: file.budget() };
        Ok(Self { file, order, arrays: RefCell::new(arrays) })
    }

    /// The memory of the file's content, in bytes.
    pub fn size(&self) -> usize {
        self.file.len()
    }

    /// The table of a node by its index in the file.
    fn at(&self, index: usize) -> Result<Table<'_>> {
        self.file.root()?.tables(NODES)?.table(index)
    }

    /// The table of a node by its position in the order of paths.
    fn table(&self, position: usize) -> Result<Option<Table<'_>>> {
        self.order.get(position).map(|index| self.at(*index)).transpose()
    }

    /// The position of the first node whose path is not before a text.
    fn first_from(&self, path: &str) -> Result<usize> {
        let (mut low, mut high) = (0, self.order.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.table(middle)? {
                // The bytes of texts have the order of the texts. Reading a long one takes longer.
                Some(node) if node.bytes(PATH)?.unwrap_or_default() < path.as_bytes() => {
                    low = middle.saturating_add(1);
                }
                _ => high = middle,
            }
        }
        Ok(low)
    }

    /// The node at a path: `/`, or a slash before each name. Takes log n steps for n nodes.
    ///
    /// # Errors
    /// `Format` for a damaged node.
    pub fn node(&self, path: &str) -> Result<Option<Node<'_>>> {
        let position = self.first_from(path)?;
        match self.table(position)? {
            Some(table) if table.bytes(PATH)? == Some(path.as_bytes()) => self.described(position).map(Some),
            _ => Ok(None),
        }
    }

    /// A node by its position in the order of paths.
    fn described(&self, position: usize) -> Result<Node<'_>> {
        let index = self.order.get(position).copied().unwrap_or(usize::MAX);
        let table = self.at(index)?;
        let is_array = match table.number(3, 1)? {
            ARRAY => true,
            GROUP => false,
            _ => return Err(damaged("the type of a node")),
        };
        let document = table.list(DOCUMENT, 1)?.ok_or_else(|| damaged("a node without its document"))?;
        let document = self.file.span(document.range(1));
        Ok(Node { path: path_of(table)?, document, is_array, index })
    }

    /// What only an array has; `None` for a group. The first call for an array reads its list of
    /// manifests and sorts it; the snapshot keeps that for later calls.
    ///
    /// # Errors
    /// `Format` for a damaged node; `Limit` if the arrays share their manifests too often.
    pub fn array(&self, node: &Node<'_>) -> Result<Option<Rc<ArrayNode>>> {
        if !node.is_array {
            return Ok(None);
        }
        let mut arrays = self.arrays.borrow_mut();
        if let Some(known) = arrays.known.get(&node.index) {
            return Ok(Some(known.clone()));
        }
        let array = Rc::new(array_node(self.at(node.index)?, &mut arrays.budget)?);
        arrays.known.insert(node.index, array.clone());
        Ok(Some(array))
    }

    /// All nodes in the order of their paths. Allocates nothing.
    pub fn nodes(&self) -> impl Iterator<Item = Result<Node<'_>>> {
        (0..self.order.len()).map(|position| self.described(position))
    }

    /// The paths directly below a node, also of groups that have no node of their own. Takes time
    /// in the number of all nodes below it.
    ///
    /// # Errors
    /// `Format` for damaged nodes.
    pub fn children(&self, path: &str) -> Result<Vec<&str>> {
        let folder = format!("{}/", path.trim_end_matches('/'));
        let mut found: Vec<&str> = Vec::new();
        // All that is below comes together in the order of paths.
        for index in self.first_from(&folder)?..self.order.len() {
            let Some(table) = self.table(index)? else { break };
            let child = path_of(table)?;
            let Some(rest) = child.strip_prefix(&folder) else { break };
            let name = rest.split('/').next().unwrap_or_default();
            let child = child.get(..folder.len().saturating_add(name.len())).unwrap_or_default();
            if !name.is_empty() && found.last() != Some(&child) {
                found.push(child);
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
        let (root, mut budget) = (self.file.root()?, self.file.budget());
        Ok(SnapshotInfo {
            id: id_of(root)?,
            parent: root.id(1)?.map(ObjectId),
            message: message(root, 4, &mut budget)?,
            flushed_at: root.number(3, 8)?,
            metadata: metadata(root, 5, &mut budget)?,
        })
    }
}

fn path_of(node: Table<'_>) -> Result<&str> {
    let path = node.name(PATH)?;
    if path.starts_with('/') { Ok(path) } else { Err(damaged("the path of a node")) }
}

fn array_node(node: Table<'_>, budget: &mut Budget) -> Result<ArrayNode> {
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
        budget.take(extents.elements.len())?;
        let mut pairs = Vec::with_capacity(rank);
        for pair in extents.elements.as_chunks::<8>().0 {
            let (first, end) = pair.split_at(4);
            pairs.push([small(first), small(end)]);
        }
        manifests.push(ManifestRef { id: id_of(manifest)?, extents: pairs });
    }
    let regions = Regions::of(&manifests, rank);
    Ok(ArrayNode { id, rank, manifests, regions })
}
