//! What the integration tests share: a store of a folder's files, and a sink that puts a read's parts together element by element.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ::base64::Engine as _;
use zarr_wasm::access::part::Part;
use zarr_wasm::access::selection::Selection;
use zarr_wasm::error::Result;
use zarr_wasm::format::path::StoreKey;
use zarr_wasm::hierarchy::array::Array;
use zarr_wasm::hierarchy::decoder::Inline;
use zarr_wasm::hierarchy::read::{OutputLayout, PartData, PartSink, ReadRequest, read};
use zarr_wasm::store::memory::MemoryStore;
use zarr_wasm::store::{LocalFuture, RequestContext, Store};

/// The folders in a folder, by name.
pub fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// All files below a folder, under their relative paths.
pub fn memory_store(root: &Path) -> Rc<dyn Store> {
    let store = MemoryStore::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let key = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            store.insert(&StoreKey::parse(&key).unwrap_or_else(|error| panic!("{error:?}")), bytes);
        }
    }
    Rc::new(store)
}

/// Decodes base64 of a fixture.
pub fn base64(text: &str) -> Vec<u8> {
    ::base64::engine::general_purpose::STANDARD.decode(text).unwrap_or_else(|error| panic!("{error}"))
}

/// All elements, packed, C order.
pub fn read_all(array: &Rc<Array>) -> Result<Vec<u8>> {
    read_selection(array, Selection::all(), None)
}

/// A selection's elements, packed in the given order of dimensions.
pub fn read_selection(array: &Rc<Array>, selection: Selection, order: Option<Vec<usize>>) -> Result<Vec<u8>> {
    let sink = Gather::default();
    let request = ReadRequest { selection, order, streamed: false };
    futures_executor::block_on(read(array, &request, &Inline::default(), &sink, &RequestContext::default()))?;
    Ok(sink.output.into_inner())
}

#[derive(Default)]
struct Gather {
    layout: RefCell<Option<OutputLayout>>,
    output: RefCell<Vec<u8>>,
}

impl PartSink for Gather {
    fn begin(&self, layout: &OutputLayout) -> Result<()> {
        let elements = layout.shape.iter().product::<u64>();
        *self.output.borrow_mut() = layout.fill_value.repeat(usize::try_from(elements).unwrap_or(usize::MAX));
        *self.layout.borrow_mut() = Some(layout.clone());
        Ok(())
    }

    fn part(&self, part: &Part, data: PartData) -> LocalFuture<'_, Result<()>> {
        if let (PartData::Bytes(value), Some(layout)) = (data, &*self.layout.borrow()) {
            let bytes = value.as_slice().unwrap_or_default();
            place(part, bytes, layout, &mut self.output.borrow_mut());
        }
        Box::pin(async { Ok(()) })
    }
}

/// One element at a time: slow, and plainly right.
fn place(part: &Part, bytes: &[u8], layout: &OutputLayout, output: &mut [u8]) {
    let size = layout.element_size;
    for (number, element) in bytes.chunks(size).enumerate() {
        let (mut rest, mut at, mut step) = (number as u64, 0, 1);
        for dimension in layout.order.iter().rev() {
            let index = part.start[*dimension] + rest % part.shape[*dimension];
            rest /= part.shape[*dimension];
            at += index * step;
            step *= layout.shape[*dimension];
        }
        let at = usize::try_from(at).unwrap_or(usize::MAX) * size;
        output[at..at + size].copy_from_slice(element);
    }
}
