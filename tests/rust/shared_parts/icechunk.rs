//! Snapshots of Icechunk: nodes that share their paths, documents and manifests. And what the tests
//! of all files of repositories share.

use std::rc::Rc;

use futures_executor::block_on;
use support::{Files, memory_store};
use zarr_wasm::ErrorKind;
use zarr_wasm::format::path::{NodePath, StoreKey};
use zarr_wasm_engine::internals::store::icechunk::session::Version;
use zarr_wasm_engine::internals::store::icechunk::{IcechunkStore, OpenFile, Permission, VirtualChunks};
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::store::{ByteRange, Fetched, Listable, RequestContext, Store};
use zarr_wasm_icechunk::ObjectId;

use crate::flatbuffer::{Flatbuffer, Layout, OFFSET};
use crate::measure::check;

pub const SNAPSHOT: u8 = 1;

/// The id of the snapshot that all tests read.
pub const ID: [u8; 12] = [7; 12];

/// The key of a snapshot.
pub fn snapshot_key(id: [u8; 12]) -> String {
    format!("snapshots/{}", ObjectId(id))
}

/// A store of a repository's snapshot. Virtual chunks are in one file.
pub fn store_of(files: &Files) -> IcechunkStore {
    store_over(Rc::new(memory_store(files)))
}

/// The same, of the files in a store.
pub fn store_over(inner: Rc<dyn Store>) -> IcechunkStore {
    let open: OpenFile = Rc::new(|_| {
        let file = MemoryStore::new();
        file.insert(&StoreKey::parse("file").unwrap(), vec![7; 16]);
        Rc::new(file)
    });
    let permission = Permission { prefixes: Vec::new(), allow: Rc::new(|_| ()), verifies: false };
    let version = Version::Snapshot(ObjectId(ID));
    IcechunkStore::new(inner, version, VirtualChunks::new(open, permission))
}

/// What is refused is refused as data.
pub fn blames_data<T>(read: Result<T, zarr_wasm::Error>) -> Option<T> {
    let kinds = [ErrorKind::Format, ErrorKind::Limit, ErrorKind::Unsupported, ErrorKind::Store];
    read.map_err(|error| assert!(kinds.contains(&error.kind()), "{error:?}")).ok()
}

pub fn get(store: &IcechunkStore, key: &str) -> Option<Fetched> {
    let key = StoreKey::parse(key).unwrap();
    blames_data(block_on(store.get(&key, ByteRange::Whole, &RequestContext::default()))).flatten()
}

pub fn list(store: &IcechunkStore) {
    blames_data(block_on(store.list_prefix(&NodePath::root())));
}

/// The tables of a snapshot.
pub struct Tables {
    pub root: Layout,
    pub node: Layout,
    pub data: Layout,
    pub manifest: Layout,
    /// A field of a manifest's id, and its extents.
    pub dimension: Layout,
}

/// The type of a node of an array, and of one of a group.
pub const ARRAY: [u8; 1] = [1];
const GROUP: [u8; 1] = [2];

impl Tables {
    pub fn of(buffer: &mut Flatbuffer) -> Self {
        Self {
            root: buffer.layout(&[12, 12, OFFSET, 8, OFFSET, OFFSET]),
            node: buffer.layout(&[8, OFFSET, OFFSET, 1, OFFSET]),
            data: buffer.layout(&[0, 0, OFFSET, OFFSET]),
            manifest: buffer.layout(&[12, OFFSET]),
            dimension: buffer.layout(&[8, 4]),
        }
    }

    /// A snapshot's root with a list of nodes: its offset and that of the list.
    pub fn start(&self, buffer: &mut Flatbuffer, nodes: usize) -> (usize, usize) {
        let root = buffer.table(&self.root);
        buffer.set(root, &self.root, 0, &ID);
        let list = buffer.offsets(nodes);
        buffer.point(Flatbuffer::field(root, &self.root, 2), list);
        for field in [4, 5] {
            let empty = buffer.text(b"");
            buffer.point(Flatbuffer::field(root, &self.root, field), empty);
        }
        (root, list)
    }

    /// A node, whose fields but its type lead nowhere yet.
    pub fn node(&self, buffer: &mut Flatbuffer, list: usize, index: usize, kind: [u8; 1]) -> usize {
        let node = buffer.table(&self.node);
        buffer.point(Flatbuffer::element(list, index), node);
        buffer.set(node, &self.node, 0, &(index as u64).to_be_bytes());
        buffer.set(node, &self.node, 3, &kind);
        node
    }

    /// Makes a field of a node lead to a target.
    pub fn lead(&self, buffer: &mut Flatbuffer, node: usize, field: usize, target: usize) {
        buffer.point(Flatbuffer::field(node, &self.node, field), target);
    }

    /// The data of an array of one dimension, with `manifests` references to one manifest, of the
    /// chunks of `extents`.
    pub fn data(&self, buffer: &mut Flatbuffer, manifests: usize, extents: [u32; 2]) -> usize {
        let data = buffer.table(&self.data);
        let shape = buffer.offsets(1);
        let list = buffer.offsets(manifests);
        let (dimension, manifest) = (buffer.table(&self.dimension), buffer.table(&self.manifest));
        let pairs = buffer.list(1, &[extents[0].to_le_bytes(), extents[1].to_le_bytes()].concat());
        buffer.point(Flatbuffer::field(data, &self.data, 3), shape);
        buffer.point(Flatbuffer::element(shape, 0), dimension);
        buffer.point(Flatbuffer::field(data, &self.data, 2), list);
        buffer.point_all(list, manifests, manifest);
        buffer.set(manifest, &self.manifest, 0, &ID);
        buffer.point(Flatbuffer::field(manifest, &self.manifest, 1), pairs);
        data
    }
}

/// A repository of one snapshot.
pub fn snapshot(buffer: Flatbuffer, root: usize) -> Files {
    Files::from([(snapshot_key(ID), buffer.file(SNAPSHOT, root))])
}

/// Nodes of other paths, which `each` completes.
fn nodes(count: usize, kind: [u8; 1], after: impl Fn(&mut Flatbuffer, &Tables, &[usize])) -> Files {
    let mut buffer = Flatbuffer::new();
    let tables = Tables::of(&mut buffer);
    let (root, list) = tables.start(&mut buffer, count);
    let mut all = Vec::new();
    for index in 0..count {
        let node = tables.node(&mut buffer, list, index, kind);
        let path = buffer.text(format!("/{index}").as_bytes());
        tables.lead(&mut buffer, node, 1, path);
        all.push(node);
    }
    after(&mut buffer, &tables, &all);
    snapshot(buffer, root)
}

#[test]
fn nodes_that_are_one() {
    let make = |len: usize| {
        let mut buffer = Flatbuffer::new();
        let tables = Tables::of(&mut buffer);
        let count = len / 8;
        let (root, list) = tables.start(&mut buffer, count);
        let node = tables.node(&mut buffer, list, 0, GROUP);
        buffer.point_all(list, count, node);
        let path = buffer.text(&[b"/".as_slice(), &vec![b'a'; len / 2]].concat());
        tables.lead(&mut buffer, node, 1, path);
        tables.lead(&mut buffer, node, 2, path);
        snapshot(buffer, root)
    };
    check("nodes that are one", make, |files| list(&store_of(files)));
}

#[test]
fn nodes_of_one_document() {
    let make = |len: usize| {
        nodes(len / 64, GROUP, |buffer, tables, all| {
            let document = buffer.text(&vec![b' '; len / 4]);
            for node in all {
                tables.lead(buffer, *node, 2, document);
            }
        })
    };
    check("nodes of one document", make, |files| {
        let store = store_of(files);
        let all: Vec<_> = (0..2048).map(|at| get(&store, &format!("{at}/zarr.json"))).collect();
        assert!(all.len() == 2048);
    });
}

#[test]
fn paths_that_overlap() {
    // Every eighth byte of a text is the length of another one.
    let make = |len: usize| {
        let mut buffer = Flatbuffer::new();
        let tables = Tables::of(&mut buffer);
        let count = len / 24;
        let (root, list) = tables.start(&mut buffer, count);
        let mut all = Vec::new();
        for index in 0..count {
            all.push(tables.node(&mut buffer, list, index, GROUP));
        }
        let long = u32::try_from(len / 4).unwrap();
        let piece = [long.to_le_bytes().as_slice(), b"/aaa"].concat();
        let text = buffer.text(&piece.repeat(len / 16)) + 4;
        for (index, node) in all.iter().enumerate() {
            tables.lead(&mut buffer, *node, 1, text + 8 * (index % (len / 64)));
            tables.lead(&mut buffer, *node, 2, text);
        }
        snapshot(buffer, root)
    };
    check("paths that overlap", make, |files| list(&store_of(files)));
}

/// Arrays that share the list of their manifests.
#[test]
fn arrays_of_the_same_manifests() {
    let make = |len: usize| {
        nodes(len / 96, ARRAY, |buffer, tables, all| {
            let data = tables.data(buffer, len / 8, [1, 2]);
            let document = buffer.text(b"{}");
            for node in all {
                tables.lead(buffer, *node, 2, document);
                tables.lead(buffer, *node, 4, data);
            }
        })
    };
    check("arrays of the same manifests", make, |files| {
        let store = store_of(files);
        for at in 0..100 {
            get(&store, &format!("{at}/c/0"));
        }
        list(&store);
    });
}

#[test]
fn many_manifests_of_one_array() {
    let make = |len: usize| {
        nodes(1, ARRAY, |buffer, tables, all| {
            let data = tables.data(buffer, len / 8, [1_000_000, 1_000_001]);
            let document = buffer.text(b"{}");
            tables.lead(buffer, all[0], 2, document);
            tables.lead(buffer, all[0], 4, data);
        })
    };
    check("manifests of one array", make, |files| {
        let (store, len) = (store_of(files), files[&snapshot_key(ID)].len());
        for at in 0..len / 64 {
            get(&store, &format!("0/c/{at}"));
        }
    });
}

/// Manifests of their own regions: a row of chunks each, of a square of chunks.
#[test]
fn many_regions_of_one_array() {
    let make = |len: usize| {
        nodes(1, ARRAY, |buffer, tables, all| {
            let count = len / 48;
            let data = buffer.table(&tables.data);
            let (shape, list) = (buffer.offsets(1), buffer.offsets(count));
            buffer.point(Flatbuffer::field(data, &tables.data, 3), shape);
            buffer.point(Flatbuffer::field(data, &tables.data, 2), list);
            let dimension = buffer.table(&tables.dimension);
            buffer.point(Flatbuffer::element(shape, 0), dimension);
            for index in 0..count {
                let manifest = buffer.table(&tables.manifest);
                buffer.point(Flatbuffer::element(list, index), manifest);
                let first = u32::try_from(index * 2).unwrap();
                let pair = [first.to_le_bytes(), (first + 1).to_le_bytes()].concat();
                let extents = buffer.list(1, &pair);
                buffer.point(Flatbuffer::field(manifest, &tables.manifest, 1), extents);
            }
            let document = buffer.text(b"{}");
            tables.lead(buffer, all[0], 2, document);
            tables.lead(buffer, all[0], 4, data);
        })
    };
    // Between the regions there are no chunks, so that no manifest is asked for.
    check("regions of one array", make, |files| {
        let (store, len) = (store_of(files), files[&snapshot_key(ID)].len());
        for at in 0..len / 64 {
            get(&store, &format!("0/c/{}", at * 2 + 1));
        }
    });
}

/// A group at each level: a listing of each is of what is below it.
#[test]
fn listings_of_all_groups() {
    let make = |len: usize| {
        nodes(len / 96, GROUP, |buffer, tables, all| {
            let document = buffer.text(b"{}");
            for node in all {
                tables.lead(buffer, *node, 2, document);
            }
        })
    };
    check("listings of all groups", make, |files| {
        let (store, len) = (store_of(files), files[&snapshot_key(ID)].len());
        for at in 0..len / 256 {
            blames_data(block_on(store.list_dir(&NodePath::parse_any(&at.to_string()).unwrap())));
        }
    });
}
