//! Writes stores for other libraries to read: `cargo run --example conformance_writer -- <folder>`.
//!
//! Each case is a folder with a `store/` and an `expected.json` as `tests/fixtures/README.md` has them. What is expected comes from a
//! naive array in memory, never from our reader. [`corpus`] says what is written, this file writes it.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::single_range_in_vec_init)]

mod corpus;
mod elements;
#[path = "../../rust/writing/model.rs"]
#[allow(dead_code)]
mod model;

use std::fs;
use std::path::Path;
use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use corpus::{Change, Sample};
use elements::Numbers;
use futures_executor::block_on;
use model::{Model, positions};
use serde_json::{Value as Json, json};
use zarr_wasm::access::selection::{DimensionSelection, Selection, SliceSelection};
use zarr_wasm::error::Result;
use zarr_wasm::format::codec::array_bytes::VariableBytes;
use zarr_wasm::format::data_type::DataType;
use zarr_wasm::format::metadata::write::options::ArrayOptions;
use zarr_wasm::format::path::{NodePath, StoreKey};
use zarr_wasm_engine::internals::hierarchy::consolidate::consolidate;
use zarr_wasm_engine::internals::hierarchy::create::{NewNode, create};
use zarr_wasm_engine::internals::hierarchy::resize::{Appended, append, resize};
use zarr_wasm_engine::internals::read::array::Array;
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::store::{ByteRange, RequestContext, Store};
use zarr_wasm_engine::internals::write::inline_encoder::InlineEncoder;
use zarr_wasm_engine::internals::write::{WriteRequest, WriteSource, write};

fn main() {
    let folder = std::env::args().nth(1).unwrap_or_else(|| panic!("which folder to write to?"));
    let mut total = 0;
    for (case, samples) in corpus::cases() {
        let folder = Path::new(&folder).join(case);
        let _ = fs::remove_dir_all(&folder);
        let memory = Rc::new(MemoryStore::new());
        let store: Rc<dyn Store> = memory.clone();
        let mut nodes = Vec::new();
        for (number, sample) in samples.iter().enumerate() {
            let node = put(&store, sample, number as u64);
            nodes.push(node.unwrap_or_else(|error| panic!("{case}/{}: {error:?}", sample.path)));
        }
        block_on(consolidate(&store, &NodePath::root(), &RequestContext::default())).unwrap();
        dump(&memory, &folder.join("store"));
        let lines: Vec<String> = nodes.iter().map(Json::to_string).collect();
        fs::write(folder.join("expected.json"), format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
        total += nodes.len();
    }
    println!("{total} arrays");
}

/// Writes one array, and says what a reader must find.
fn put(store: &Rc<dyn Store>, sample: &Sample, seed: u64) -> Result<Json> {
    let context = RequestContext::default();
    let options = ArrayOptions::from_json(&sample.options.to_string())?;
    let opened = block_on(create(store, &sample.path, &NewNode::Array(Box::new(options)), false, &context))?;
    let mut array = Array::new(store.clone(), opened.path, opened.document)?;
    let metadata = array.binding().metadata().clone();
    let mut model = Model::new(&metadata.shape, &metadata.fill_value.0);
    let mut numbers = Numbers(seed);
    for change in &sample.changes {
        array = make(&array, &mut model, change, &mut numbers)?;
    }
    let names = sample.options.get("dimension_names").cloned().unwrap_or(Json::Null);
    let is_v2 = sample.options["zarr_format"] == 2;
    let data_type =
        metadata.data_type.to_json_v3().map_or(json!("struct"), |text| serde_json::from_str(&text).unwrap());
    let mut node = json!({
        "path": sample.path, "kind": "array", "zarr_format": if is_v2 { 2 } else { 3 }, "shape": model.shape,
        "data_type": data_type, "chunk_shape": array.binding().chunk_shape()?,
        "dimension_names": if is_v2 { Json::Null } else { names },
        "attributes": serde_json::from_str::<Json>(&metadata.attributes).unwrap(),
    });
    if metadata.data_type.size().is_some() {
        node["fill_value_bytes"] = json!(STANDARD.encode(&model.fill));
        node["values"] = json!(STANDARD.encode(model.bytes()));
    } else {
        node["fill_value_json"] = json_element(&metadata.data_type, &model.fill);
        node["values_json"] =
            model.elements.iter().map(|element| json_element(&metadata.data_type, element)).collect();
    }
    Ok(node)
}

fn json_element(data_type: &DataType, element: &[u8]) -> Json {
    match data_type {
        DataType::String => json!(String::from_utf8(element.to_vec()).unwrap()),
        _ => json!(STANDARD.encode(element)),
    }
}

fn make(array: &Rc<Array>, model: &mut Model, change: &Change, numbers: &mut Numbers) -> Result<Rc<Array>> {
    let context = RequestContext::default();
    match change {
        Change::Write(ranges) => {
            let slice = |range: &std::ops::Range<u64>| {
                DimensionSelection::Slice(SliceSelection {
                    start: Some(range.start.cast_signed()),
                    stop: Some(range.end.cast_signed()),
                    step: None,
                })
            };
            let selection = Selection::Orthogonal(ranges.iter().map(slice).collect());
            let places = model.selected(&selection);
            let source = new_elements(array, model, &places, numbers)?;
            let request = WriteRequest { selection, elements: source.into() };
            block_on(write(array, &request, &InlineEncoder, &|_| {}, &context))?;
            Ok(array.clone())
        }
        Change::Resize(shape) => {
            *model = model.resized(shape);
            block_on(resize(array, shape, &InlineEncoder, &context))
        }
        Change::Append { axis, len } => {
            let mut shape = model.shape.clone();
            let start = shape[*axis];
            shape[*axis] += len;
            *model = model.resized(&shape);
            let places: Vec<_> =
                positions(&shape).into_iter().filter(|place| place[*axis] >= start).collect();
            let source = new_elements(array, model, &places, numbers)?;
            let appended = Appended { axis: *axis, len: *len, elements: source.into() };
            block_on(append(array, &appended, &InlineEncoder, &|_| {}, &context))
        }
    }
}

/// Elements for these places, which the model takes as well.
fn new_elements(
    array: &Array,
    model: &mut Model,
    places: &[Vec<u64>],
    numbers: &mut Numbers,
) -> Result<WriteSource> {
    let data_type = &array.binding().metadata().data_type;
    let mut elements = Vec::new();
    for place in places {
        let element = elements::element(data_type, numbers);
        let at = model.at(place);
        model.elements[at] = element.clone();
        elements.push(element);
    }
    if data_type.size().is_some() {
        return Ok(WriteSource::Elements(elements.concat().into()));
    }
    let mut variable = VariableBytes::new();
    elements.iter().try_for_each(|element| variable.push(element))?;
    Ok(WriteSource::Variable(Rc::new(variable)))
}

fn dump(memory: &MemoryStore, folder: &Path) {
    for key in memory.keys() {
        let file = folder.join(&key);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let key = StoreKey::parse(&key).unwrap();
        let fetched =
            block_on(memory.get(&key, ByteRange::Whole, &RequestContext::default())).unwrap().unwrap();
        fs::write(file, fetched.value.to_vec(1 << 30, "file").unwrap()).unwrap();
    }
}
