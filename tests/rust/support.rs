//! What the integration tests share: stores of the fixtures, and a sink that puts the parts of a
//! read together, element by element.
//!
//! `tests/fixtures` has an archive for each store. Rust tests read archives into memory, so they
//! need neither the tree that the Node tests unpack nor Node.

#![allow(missing_docs)]

#[path = "support/watched.rs"]
pub mod watched;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ::base64::Engine as _;
use flate2::read::GzDecoder;
use zarr_wasm::access::part::Part;
use zarr_wasm::access::selection::{DimensionSelection, Selection, SliceSelection};
use zarr_wasm::error::Result;
use zarr_wasm::format::path::StoreKey;
use zarr_wasm_engine::internals::hierarchy::open::{OpenOptions, open};
use zarr_wasm_engine::internals::read::array::Array;
use zarr_wasm_engine::internals::read::decoder::Decoder;
use zarr_wasm_engine::internals::read::inline_decoder::InlineDecoder;
use zarr_wasm_engine::internals::read::{
    Base, OutputLayout, PartData, PartSink, PlacedChunk, ReadRequest, read,
};
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::store::{LocalFuture, RequestContext, Store};

/// Files under their paths, which have `/` between names.
pub type Files = BTreeMap<String, Vec<u8>>;

/// `tests/fixtures`.
pub fn fixtures() -> PathBuf {
    Path::new(env!("PROJECT_FOLDER")).join("tests/fixtures")
}

/// What is in a folder, by name. A folder that is missing is a failure.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>());
    let mut entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.sort();
    entries
}

/// The folders in a folder, by name.
pub fn folders(path: &Path) -> Vec<PathBuf> {
    entries(path).into_iter().filter(|path| path.is_dir()).collect()
}

/// The files of an archive (`.tar.gz`), of which there must be one at least.
pub fn archive_files(path: &Path) -> Files {
    let files = read_archive(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(!files.is_empty(), "{} has no files", path.display());
    files
}

fn read_archive(path: &Path) -> io::Result<Files> {
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(path)?));
    let mut files = Files::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry.header().entry_type().is_file() {
            let name = entry.path()?.to_string_lossy().trim_start_matches("./").to_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            files.insert(name, bytes);
        }
    }
    Ok(files)
}

/// The files below a folder.
fn folder_files(root: &Path) -> Files {
    let mut files = Files::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            files.insert(name, bytes);
        }
    }
    files
}

/// The files of a case's store. The conformance lane has other libraries write cases that are not
/// packed.
pub fn case_files(case: &Path) -> Files {
    let archive = case.join("store.tar.gz");
    if archive.exists() { archive_files(&archive) } else { folder_files(&case.join("store")) }
}

/// A store in memory with these files.
pub fn memory_store(files: &Files) -> MemoryStore {
    let store = MemoryStore::new();
    for (name, bytes) in files {
        store.insert(&StoreKey::parse(name).unwrap_or_else(|error| panic!("{error:?}")), bytes.clone());
    }
    store
}

/// A store in memory with a case's files.
pub fn case_store(case: &Path) -> MemoryStore {
    memory_store(&case_files(case))
}

/// Decodes base64 of a fixture.
pub fn base64(text: &str) -> Vec<u8> {
    ::base64::engine::general_purpose::STANDARD.decode(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Opens an array.
pub fn open_array(store: &Rc<dyn Store>, path: &str) -> Rc<Array> {
    let opened =
        futures_executor::block_on(open(store, path, &OpenOptions::default(), &RequestContext::default()));
    let opened = opened.unwrap_or_else(|error| panic!("{error:?}"));
    Array::new(store.clone(), opened.path, opened.document).unwrap_or_else(|error| panic!("{error:?}"))
}

/// A box of an array.
pub fn window(ranges: &[Range<u64>]) -> Selection {
    let slice = |range: &Range<u64>| {
        DimensionSelection::Slice(SliceSelection {
            start: Some(range.start.cast_signed()),
            stop: Some(range.end.cast_signed()),
            step: None,
        })
    };
    Selection::Orthogonal(ranges.iter().map(slice).collect())
}

/// What a read gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadElements {
    /// Of one size, packed.
    Packed(Vec<u8>),
    /// With lengths of their own.
    Variable(Vec<Vec<u8>>),
}

/// All elements, in C order.
pub fn read_all(array: &Rc<Array>) -> Result<ReadElements> {
    read_selection(array, Selection::all(), None)
}

/// A selection's elements, in the given order of dimensions.
pub fn read_selection(
    array: &Rc<Array>,
    selection: Selection,
    order: Option<Vec<usize>>,
) -> Result<ReadElements> {
    futures_executor::block_on(read_async(array, selection, order))
}

/// As [`read_selection`], for several at a time.
pub async fn read_async(
    array: &Rc<Array>,
    selection: Selection,
    order: Option<Vec<usize>>,
) -> Result<ReadElements> {
    read_with(array, selection, order, Rc::new(InlineDecoder::default())).await
}

/// As [`read_async`], with a decoder of the test's.
pub async fn read_with(
    array: &Rc<Array>,
    selection: Selection,
    order: Option<Vec<usize>>,
    decoder: Rc<dyn Decoder>,
) -> Result<ReadElements> {
    let sink = Gather::default();
    let request = ReadRequest {
        selection,
        order,
        padded: false,
        growth: None,
        spreads: false,
        streamed: false,
        nearest: None,
        conversion: None,
        decodes: true,
    };
    read(array, &request, &decoder, &sink, &RequestContext::default()).await?;
    let elements = sink.elements.into_inner();
    Ok(match array.binding().metadata().data_type.size() {
        Some(_) => ReadElements::Packed(elements.concat()),
        None => ReadElements::Variable(elements),
    })
}

/// Takes the parts of a read and keeps nothing.
pub struct Discard;

impl PartSink for Discard {
    fn begin(&self, _layout: &OutputLayout) -> Result<()> {
        Ok(())
    }

    fn part(&self, _part: &Part, _data: PartData) -> LocalFuture<'_, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}

#[derive(Default)]
struct Gather {
    layout: RefCell<Option<OutputLayout>>,
    elements: RefCell<Vec<Vec<u8>>>,
}

impl PartSink for Gather {
    fn begin(&self, layout: &OutputLayout) -> Result<()> {
        let elements = usize::try_from(layout.shape.iter().product::<u64>()).unwrap_or(usize::MAX);
        *self.elements.borrow_mut() = vec![layout.fill_value.clone(); elements];
        *self.layout.borrow_mut() = Some(layout.clone());
        Ok(())
    }

    fn part(&self, part: &Part, data: PartData) -> LocalFuture<'_, Result<()>> {
        if let Some(layout) = &*self.layout.borrow() {
            let mut elements = self.elements.borrow_mut();
            if let Base::Bytes(value) = &data.base {
                copy_part(part, value.as_slice().unwrap_or_default(), layout, &mut elements);
            }
            data.chunks.iter().for_each(|chunk| copy_chunk(part, chunk, layout, &mut elements));
        }
        Box::pin(async { Ok(()) })
    }
}

/// One element at a time: slow, and plainly right.
fn copy_part(part: &Part, bytes: &[u8], layout: &OutputLayout, output: &mut [Vec<u8>]) {
    for number in 0..usize::try_from(part.shape.iter().product::<u64>()).unwrap_or(usize::MAX) {
        let (mut rest, mut at, mut step) = (number as u64, 0, 1);
        for dimension in layout.order.iter().rev() {
            let index = part.start[*dimension] + rest % part.shape[*dimension];
            rest /= part.shape[*dimension];
            at += index * step;
            step *= layout.shape[*dimension];
        }
        output[usize::try_from(at).unwrap_or(usize::MAX)] = element(part, bytes, layout, number).to_vec();
    }
}

/// What a part takes from a chunk, one element at a time.
fn copy_chunk(part: &Part, chunk: &PlacedChunk, layout: &OutputLayout, output: &mut [Vec<u8>]) {
    let bytes = chunk.elements.as_slice().unwrap_or_default();
    let projection: Vec<Vec<_>> = chunk.projection.iter().map(|axis| axis.pairs().collect()).collect();
    for number in 0..projection.iter().map(Vec::len).product() {
        let (mut rest, mut from, mut at) = (number, 0, vec![0; projection.len()]);
        for (dimension, pairs) in projection.iter().enumerate().rev() {
            let (index, place) = pairs[rest % pairs.len()];
            rest /= pairs.len();
            from += index as usize * chunk.strides[dimension];
            at[dimension] = part.start[dimension] + u64::from(place);
        }
        let (mut to, mut step) = (0, 1);
        for dimension in layout.order.iter().rev() {
            to += at[*dimension] * step;
            step *= layout.shape[*dimension];
        }
        let size = layout.element_size;
        output[usize::try_from(to).unwrap_or(usize::MAX)] = bytes[from * size..][..size].to_vec();
    }
}

/// Element `number` of a part: packed, or between two of the offsets that stand before the bytes.
fn element<'a>(part: &Part, bytes: &'a [u8], layout: &OutputLayout, number: usize) -> &'a [u8] {
    let size = layout.element_size;
    if size > 0 {
        return &bytes[number * size..][..size];
    }
    let count = usize::try_from(part.shape.iter().product::<u64>()).unwrap_or(usize::MAX);
    let (offsets, bytes) = bytes.split_at((count + 1) * 4);
    let offset = |i: usize| {
        let word = &offsets[i * 4..][..4];
        u32::from_le_bytes([word[0], word[1], word[2], word[3]]) as usize
    };
    &bytes[offset(number)..offset(number + 1)]
}
