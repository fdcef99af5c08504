//! Manifests of Icechunk: arrays and references that share their parts, and chunks at one offset.

use futures_executor::block_on;
use futures_util::future::join_all;
use support::Files;
use zarr_wasm::format::path::StoreKey;
use zarr_wasm_engine::internals::store::{ByteRange, RequestContext, Store};
use zarr_wasm_icechunk::ObjectId;

use crate::flatbuffer::{Flatbuffer, Layout, OFFSET};
use crate::icechunk::{ARRAY, ID, Tables, get, list, snapshot, store_of};
use crate::measure::check;

const MANIFEST: u8 = 2;

/// The tables of a manifest.
struct Parts {
    root: Layout,
    array: Layout,
    chunk: Layout,
}

impl Parts {
    fn of(buffer: &mut Flatbuffer) -> Self {
        Self {
            root: buffer.layout(&[12, OFFSET]),
            array: buffer.layout(&[8, OFFSET]),
            // An index, inline bytes, offset, length, id of a file, location.
            chunk: buffer.layout(&[OFFSET, OFFSET, 8, 8, 0, OFFSET]),
        }
    }

    /// A root with a list of arrays: both offsets.
    fn start(&self, buffer: &mut Flatbuffer, arrays: usize) -> (usize, usize) {
        let root = buffer.table(&self.root);
        let list = buffer.offsets(arrays);
        buffer.point(Flatbuffer::field(root, &self.root, 1), list);
        (root, list)
    }

    fn array(&self, buffer: &mut Flatbuffer, list: usize, index: usize, id: u64) -> usize {
        let array = buffer.table(&self.array);
        buffer.point(Flatbuffer::element(list, index), array);
        buffer.set(array, &self.array, 0, &id.to_be_bytes());
        array
    }

    /// The references of the chunks from 0 on. `field` of each leads to what is returned later.
    fn chunks(&self, buffer: &mut Flatbuffer, count: usize) -> (usize, Vec<usize>) {
        let references = buffer.offsets(count);
        let mut all = Vec::new();
        for index in 0..count {
            let layout = buffer.layout(&[OFFSET, OFFSET, 8, 8, 0, OFFSET]);
            let chunk = buffer.table(&layout);
            buffer.point(Flatbuffer::element(references, index), chunk);
            let offset = buffer.list(1, &u32::try_from(index).unwrap().to_le_bytes());
            buffer.point(Flatbuffer::field(chunk, &layout, 0), offset);
            all.push(chunk);
        }
        (references, all)
    }
}

/// A reference of inline bytes, or of a location.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Inline,
    Location,
}

/// References whose bytes or locations are at one offset, or at offsets in one text.
fn one_offset(len: usize, kind: Kind, step: usize) -> Files {
    let mut buffer = Flatbuffer::new();
    let parts = Parts::of(&mut buffer);
    let (root, arrays) = parts.start(&mut buffer, 1);
    let array = parts.array(&mut buffer, arrays, 0, 0);
    let count = len / 128;
    let references = buffer.offsets(count);
    buffer.point(Flatbuffer::field(array, &parts.array, 1), references);
    let widths = if kind == Kind::Inline { [4, 4, 8, 8, 0, 0] } else { [4, 0, 8, 8, 0, 4] };
    let layout = buffer.layout(&widths);
    let mut all = Vec::new();
    for index in 0..count {
        let chunk = buffer.table(&layout);
        buffer.point(Flatbuffer::element(references, index), chunk);
        let offset = buffer.list(1, &u32::try_from(index).unwrap().to_le_bytes());
        buffer.point(Flatbuffer::field(chunk, &layout, 0), offset);
        buffer.set(chunk, &layout, 3, &16_u64.to_le_bytes());
        all.push(chunk);
    }
    let field = if kind == Kind::Inline { 1 } else { 5 };
    let length = u32::try_from(len / 4).unwrap();
    let text = match (kind, step) {
        (Kind::Location, 0) => buffer.text(format!("s3://bucket/{}", "a".repeat(len / 2)).as_bytes()),
        (Kind::Location, _) => buffer.text(format!("s3://bucket/{}", "a".repeat(4000)).as_bytes()),
        _ => buffer.text(&length.to_le_bytes().repeat(len / 8)),
    };
    for (index, chunk) in all.iter().enumerate() {
        let inside = if kind == Kind::Inline { step * (index % (len / 64)) } else { 0 };
        buffer.point(Flatbuffer::field(*chunk, &layout, field), text + inside);
    }
    of_one_array(count, buffer.file(MANIFEST, root))
}

/// A repository of an array whose chunks are in one manifest.
fn of_one_array(chunks: usize, manifest: Vec<u8>) -> Files {
    repository(1, chunks, b"", manifest)
}

fn repository(arrays: usize, chunks: usize, path: &[u8], manifest: Vec<u8>) -> Files {
    let mut buffer = Flatbuffer::new();
    let tables = Tables::of(&mut buffer);
    let (root, list) = tables.start(&mut buffer, arrays);
    let mut all = Vec::new();
    for index in 0..arrays {
        let node = tables.node(&mut buffer, list, index, ARRAY);
        let text = buffer.text(&[format!("/{index}").as_bytes(), path].concat());
        tables.lead(&mut buffer, node, 1, text);
        all.push(node);
    }
    let data = tables.data(&mut buffer, 1, [0, u32::try_from(chunks).unwrap()]);
    let document = buffer.text(b"{}");
    for node in all {
        tables.lead(&mut buffer, node, 2, document);
        tables.lead(&mut buffer, node, 4, data);
    }
    let mut files = snapshot(buffer, root);
    files.insert(format!("manifests/{}", ObjectId(ID)), manifest);
    files
}

/// Reads many chunks at once, and holds them all.
fn read_together(files: &Files, chunks: usize) {
    let store = store_of(files);
    let keys: Vec<_> = (0..chunks).map(|at| StoreKey::parse(&format!("0/c/{at}")).unwrap()).collect();
    let context = RequestContext::default();
    let reads = keys.iter().map(|key| store.get(key, ByteRange::Whole, &context));
    drop(block_on(join_all(reads)));
}

fn chunks_in(files: &Files) -> usize {
    (files[&format!("manifests/{}", ObjectId(ID))].len() / 160).min(4096)
}

#[test]
fn chunks_of_one_offset() {
    for (what, kind, step) in [
        ("inline chunks at one offset", Kind::Inline, 0),
        ("inline chunks that overlap", Kind::Inline, 4),
        ("chunks of one long location", Kind::Location, 0),
        ("chunks of one location", Kind::Location, 1),
    ] {
        check(what, |len| one_offset(len, kind, step), |files| read_together(files, chunks_in(files)));
    }
}

#[test]
fn an_array_behind_many() {
    for is_one in [true, false] {
        let make = |len: usize| {
            let mut buffer = Flatbuffer::new();
            let parts = Parts::of(&mut buffer);
            let count = if is_one { len / 8 } else { len / 24 };
            let (root, list) = parts.start(&mut buffer, count);
            let last = parts.array(&mut buffer, list, count - 1, 0);
            let other = parts.array(&mut buffer, list, 0, 1);
            for index in 1..count - 1 {
                if is_one {
                    buffer.point(Flatbuffer::element(list, index), other);
                } else {
                    parts.array(&mut buffer, list, index, index as u64);
                }
            }
            let (references, all) = parts.chunks(&mut buffer, 64);
            let inline = buffer.text(b"inline");
            // The layout of each reference is its own: its second field is behind the first.
            for chunk in all {
                buffer.point(chunk + 8, inline);
            }
            let array = if is_one { vec![last, other] } else { vec![last] };
            for array in array {
                buffer.point(Flatbuffer::field(array, &parts.array, 1), references);
            }
            of_one_array(64, buffer.file(MANIFEST, root))
        };
        check("an array behind many", make, |files| {
            let store = store_of(files);
            for at in 0..chunks_in(files) {
                get(&store, &format!("0/c/{}", at % 64));
            }
        });
    }
}

/// Arrays of one list of references, in one manifest.
#[test]
fn arrays_of_the_same_references() {
    let make = |len: usize| {
        let mut buffer = Flatbuffer::new();
        let parts = Parts::of(&mut buffer);
        let count = len / 64;
        let (root, list) = parts.start(&mut buffer, count);
        let mut all = Vec::new();
        for index in 0..count {
            all.push(parts.array(&mut buffer, list, index, index as u64));
        }
        let (references, _) = parts.chunks(&mut buffer, len / 128);
        for array in all {
            buffer.point(Flatbuffer::field(array, &parts.array, 1), references);
        }
        repository(count, len / 128, b"", buffer.file(MANIFEST, root))
    };
    check("arrays of the same references", make, |files| {
        let store = store_of(files);
        list(&store);
        for at in 0..chunks_in(files) {
            get(&store, &format!("{at}/c/0"));
        }
    });
}

/// The keys of all chunks of an array begin with its path.
#[test]
fn keys_of_a_long_path() {
    let make = |len: usize| {
        let mut buffer = Flatbuffer::new();
        let parts = Parts::of(&mut buffer);
        let (root, arrays) = parts.start(&mut buffer, 1);
        let array = parts.array(&mut buffer, arrays, 0, 0);
        let (references, _) = parts.chunks(&mut buffer, len / 128);
        buffer.point(Flatbuffer::field(array, &parts.array, 1), references);
        repository(1, len / 128, &vec![b'a'; len / 2], buffer.file(MANIFEST, root))
    };
    check("keys of a long path", make, |files| list(&store_of(files)));
}

/// References that are one, and whose index is long.
#[test]
fn indexes_of_many_numbers() {
    let make = |len: usize| {
        let mut buffer = Flatbuffer::new();
        let parts = Parts::of(&mut buffer);
        let (root, arrays) = parts.start(&mut buffer, 1);
        let array = parts.array(&mut buffer, arrays, 0, 0);
        let references = buffer.offsets(len / 8);
        buffer.point(Flatbuffer::field(array, &parts.array, 1), references);
        let chunk = buffer.table(&parts.chunk);
        buffer.point_all(references, len / 8, chunk);
        let index = buffer.list(len / 8, &vec![0; len / 2]);
        buffer.point(Flatbuffer::field(chunk, &parts.chunk, 0), index);
        of_one_array(64, buffer.file(MANIFEST, root))
    };
    check("indexes of many numbers", make, |files| {
        let store = store_of(files);
        for at in 0..chunks_in(files) {
            get(&store, &format!("0/c/{}", at % 64));
        }
    });
}
