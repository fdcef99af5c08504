//! Writing: sequences of writes, resizes and appends against a naive array in memory, over formats,
//! orders, shards and grids; then the operations on nodes one by one.
//!
//! The model knows nothing of chunks: it is a list of elements, changed one at a time. What was
//! written is read back by `read`, which the fixtures of other libraries hold to account.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod chunks;
mod cut_off;
mod encoder_parameters;
mod faults;
mod model;
mod nodes;
mod sequences;
mod stores;
mod transformers;

use std::rc::Rc;

use futures_executor::block_on;
use support::ReadElements;
use zarr_wasm::access::selection::Selection;
use zarr_wasm::error::Result;
use zarr_wasm::format::metadata::ZarrFormat;
use zarr_wasm::format::metadata::write::options::ArrayOptions;
use zarr_wasm::format::path::StoreKey;
use zarr_wasm_engine::internals::hierarchy::create::{NewNode, create};
use zarr_wasm_engine::internals::hierarchy::open::{OpenOptions, open};
use zarr_wasm_engine::internals::read::array::Array;
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::store::{ByteRange, RequestContext, Store};
use zarr_wasm_engine::internals::write::inline_encoder::InlineEncoder;
use zarr_wasm_engine::internals::write::{WriteProgress, WriteRequest, WriteSource, write};

fn context() -> RequestContext {
    RequestContext::default()
}

fn memory() -> (Rc<MemoryStore>, Rc<dyn Store>) {
    let memory = Rc::new(MemoryStore::new());
    (memory.clone(), memory)
}

fn create_array(store: &Rc<dyn Store>, path: &str, options: &str) -> Result<Rc<Array>> {
    let node = NewNode::Array(Box::new(ArrayOptions::from_json(options)?));
    let opened = block_on(create(store, path, &node, false, &context()))?;
    Array::new(store.clone(), opened.path, opened.document)
}

fn create_group(store: &Rc<dyn Store>, path: &str, format: ZarrFormat) -> Result<()> {
    let node = NewNode::Group { format, attributes: "{}".to_owned() };
    block_on(create(store, path, &node, false, &context())).map(drop)
}

/// All elements, packed.
fn read_all(array: &Rc<Array>) -> Result<Vec<u8>> {
    match support::read_all(array)? {
        ReadElements::Packed(elements) => Ok(elements),
        ReadElements::Variable(_) => panic!("elements have lengths of their own"),
    }
}

fn put(array: &Rc<Array>, selection: Selection, source: WriteSource) -> Result<WriteProgress> {
    let request = WriteRequest { selection, elements: source.into() };
    block_on(write(array, &request, &InlineEncoder, &|_| {}, &context()))
}

fn reopen(store: &Rc<dyn Store>, path: &str) -> Rc<Array> {
    let opened = block_on(open(store, path, &OpenOptions::default(), &context())).unwrap();
    Array::new(store.clone(), opened.path, opened.document).unwrap()
}

fn stored(store: &MemoryStore, key: &str) -> Option<Vec<u8>> {
    let key = StoreKey::parse(key).unwrap();
    let fetched = block_on(store.get(&key, ByteRange::Whole, &context())).unwrap();
    fetched.map(|fetched| fetched.value.to_vec(1 << 30, "test").unwrap())
}

fn json(store: &MemoryStore, key: &str) -> serde_json::Value {
    serde_json::from_slice(&stored(store, key).unwrap()).unwrap()
}

fn elements(range: std::ops::Range<u8>) -> WriteSource {
    WriteSource::Elements(range.collect::<Vec<u8>>().into())
}

const SMALL: &str = r#"{"shape":[6],"chunk_shape":[2],"data_type":"uint8","codecs":[]}"#;
