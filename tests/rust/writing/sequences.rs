//! Sequences of changes, and changes at a time, over all kinds of layouts.

use std::rc::Rc;

use futures_executor::block_on;
use futures_util::future::join_all;
use proptest::prelude::*;
use zarr_wasm::access::selection::{DimensionSelection, Selection, SliceSelection};
use zarr_wasm::error::Result;
use zarr_wasm_engine::internals::hierarchy::resize::{Appended, append, resize};
use zarr_wasm_engine::internals::read::array::Array;
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::write::inline_encoder::InlineEncoder;
use zarr_wasm_engine::internals::write::{WriteRequest, WriteSource, write};

use crate::model::{Model, positions};
use crate::stores::{Numbers, slow};
use crate::{context, create_array, json, memory, put, read_all, reopen};

#[derive(Clone, Debug)]
struct Layout {
    options: serde_json::Value,
    shape: Vec<u64>,
    fill: Vec<u8>,
}

const TYPES: [(&str, &str, usize); 5] = [
    ("uint8", "|u1", 1),
    ("int16", "<i2", 2),
    ("int16", ">i2", 2),
    ("float32", ">f4", 4),
    ("uint64", "<u8", 8),
];

fn layout() -> impl Strategy<Value = Layout> {
    let rank = prop_oneof![1 => Just(0_usize), 6 => Just(1), 8 => Just(2), 4 => Just(3)];
    let dims = rank.prop_flat_map(|rank| {
        let dims = prop::collection::vec(
            (prop_oneof![1 => Just(0_u64), 12 => 1_u64..9], 1_u64..4, 1_u64..3, 1_u64..3),
            rank,
        );
        (dims, Just((0..rank).collect::<Vec<usize>>()).prop_shuffle())
    });
    (dims, 0..TYPES.len(), 0_u8..12, 0_u8..9, any::<bool>(), 0_u8..3, 0_u8..2).prop_map(
        |((dims, permutation), data_type, chain, format, slash, compressor, fill)| {
            let (name, typestr, size) = TYPES[data_type];
            let shape: Vec<u64> = dims.iter().map(|dim| dim.0).collect();
            let inner: Vec<u64> = dims.iter().map(|dim| dim.1).collect();
            let middle: Vec<u64> = dims.iter().map(|dim| dim.1 * dim.2).collect();
            let outer: Vec<u64> = dims.iter().map(|dim| dim.1 * dim.2 * dim.3).collect();
            let endian = if typestr.starts_with('>') { "big" } else { "little" };
            let mut value = serde_json::json!({
                "zarr_format": 3, "shape": shape, "data_type": typestr,
                "separator": if slash { "/" } else { "." }, "fill_value": fill * 7,
            });
            let compressor = ["zstd", "gzip", "blosc"][usize::from(compressor)];
            if format < 3 {
                let draft = if format == 0 { "v3-draft-2020-10" } else { "v3-draft-2022-05" };
                value["zarr_format"] = draft.into();
                value["chunk_shape"] = serde_json::json!(inner);
                value["order"] = if chain % 2 == 0 { "F".into() } else { "C".into() };
                value["codecs"] = match chain % 3 {
                    0 => serde_json::json!([]),
                    _ => serde_json::json!([{ "id": compressor }]),
                };
                if format > 0 && chain > 3 {
                    // Shards, and shards of shards.
                    value["shard_shape"] = serde_json::json!(middle);
                }
                if format > 0 && chain > 7 {
                    value["storage_transformers"] = serde_json::json!([{
                        "extension": "https://purl.org/zarr/spec/extensions/storage-transformers/sharding/1.0", "type": "indexed",
                        "configuration": { "chunks_per_shard": dims.iter().map(|dim| dim.3).collect::<Vec<_>>() },
                    }]);
                }
            } else if format < 6 {
                value["zarr_format"] = 2.into();
                value["chunk_shape"] = serde_json::json!(inner);
                value["order"] = if chain % 2 == 0 { "F".into() } else { "C".into() };
                value["codecs"] = match chain / 4 {
                    0 => serde_json::json!([]),
                    1 => serde_json::json!([compressor]),
                    _ => serde_json::json!([{"id": "crc32c"}, compressor]),
                };
            } else {
                value["data_type"] = name.into();
                let bytes = serde_json::json!({"name": "bytes", "configuration": {"endian": endian}});
                let transpose =
                    serde_json::json!({"name": "transpose", "configuration": {"order": permutation}});
                let permuted =
                    |shape: &[u64]| permutation.iter().map(|axis| shape[*axis]).collect::<Vec<u64>>();
                let shard = |chunk_shape: &[u64], codecs: serde_json::Value, location: &str| {
                    serde_json::json!({"name": "sharding_indexed", "configuration": {
                        "chunk_shape": chunk_shape, "codecs": codecs, "index_location": location}})
                };
                let (chunk, codecs) = match chain {
                    0 => (&inner, serde_json::json!([bytes])),
                    1 | 2 => (&inner, serde_json::json!([bytes, compressor])),
                    3 => (&inner, serde_json::json!([transpose, bytes, compressor, "crc32c"])),
                    4 => (&inner, serde_json::json!([transpose, transpose, bytes])),
                    5 => (
                        &middle,
                        serde_json::json!([shard(&inner, serde_json::json!([bytes, compressor]), "end")]),
                    ),
                    6 => (
                        &middle,
                        serde_json::json!([shard(&inner, serde_json::json!([transpose, bytes]), "start")]),
                    ),
                    7 => {
                        let shard = shard(&permuted(&inner), serde_json::json!([bytes, compressor]), "end");
                        (&middle, serde_json::json!([transpose, shard]))
                    }
                    8 => (
                        &middle,
                        serde_json::json!([shard(&inner, serde_json::json!([bytes]), "start"), "gzip"]),
                    ),
                    9 | 10 => {
                        let nested = shard(&inner, serde_json::json!([bytes, compressor]), "start");
                        (&outer, serde_json::json!([shard(&middle, serde_json::json!([nested]), "end")]))
                    }
                    _ => {
                        let nested = shard(&permuted(&inner), serde_json::json!([transpose, bytes]), "end");
                        let within = shard(&middle, serde_json::json!([transpose, nested]), "start");
                        (&outer, serde_json::json!([within]))
                    }
                };
                value["chunk_shape"] = serde_json::json!(chunk);
                value["codecs"] = codecs;
            }
            let fill = match name {
                "float32" => (f32::from(fill) * 7.0).to_le_bytes().to_vec(),
                _ => [fill * 7, 0, 0, 0, 0, 0, 0, 0][..size].to_vec(),
            };
            Layout { options: value, shape, fill }
        },
    )
}

#[derive(Clone, Debug)]
enum Step {
    /// Seeds of a selection, of values, and whether one element is written to all of it.
    Write {
        kind: u8,
        seed: u64,
        broadcast: bool,
    },
    Resize(Vec<u64>),
    Append {
        axis: usize,
        len: u64,
        seed: u64,
    },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0_u8..6, any::<u64>(), prop::bool::weighted(0.3)).prop_map(|(kind, seed, broadcast)| Step::Write { kind, seed, broadcast }),
        2 => prop::collection::vec(0_u64..9, 3).prop_map(Step::Resize),
        1 => (0_usize..3, 0_u64..5, any::<u64>()).prop_map(|(axis, len, seed)| Step::Append { axis, len, seed }),
    ]
}

/// What a seed makes of a layout.
trait Choices {
    fn signed(&mut self, below: u64) -> i64;
    fn selection(&mut self, kind: u8, shape: &[u64]) -> Selection;
    fn entry(&mut self, len: u64) -> DimensionSelection;
    fn element(&mut self, fill: &[u8]) -> Vec<u8>;
}

impl Choices for Numbers {
    fn signed(&mut self, below: u64) -> i64 {
        self.next(below).cast_signed()
    }

    fn selection(&mut self, kind: u8, shape: &[u64]) -> Selection {
        let empty = shape.contains(&0);
        match kind {
            0 => Selection::all(),
            1 if !empty => {
                let count = self.next(7);
                let list = |numbers: &mut Self, len: u64| {
                    (0..count).map(|_| numbers.signed(2 * len) - len.cast_signed()).collect()
                };
                Selection::Points(shape.iter().map(|len| list(self, *len)).collect())
            }
            _ => Selection::Orthogonal(shape.iter().map(|len| self.entry(*len)).collect()),
        }
    }

    fn entry(&mut self, len: u64) -> DimensionSelection {
        match self.next(5) {
            0 | 1 => DimensionSelection::All,
            2 if len > 0 => DimensionSelection::Index(self.signed(2 * len) - len.cast_signed()),
            3 if len > 0 => {
                let count = self.next(5);
                DimensionSelection::List((0..count).map(|_| self.signed(len)).collect())
            }
            _ => {
                let step = [1, 1, 2, 3, -1, -2][usize::try_from(self.next(6)).unwrap()];
                let start = (len > 0).then(|| self.signed(len));
                let stop = self.next(2).eq(&0).then(|| self.signed(len + 1));
                DimensionSelection::Slice(SliceSelection { start, stop, step: Some(step) })
            }
        }
    }

    /// Mostly small values, so that chunks become all fill now and then.
    fn element(&mut self, fill: &[u8]) -> Vec<u8> {
        match self.next(3) {
            0 => fill.to_vec(),
            _ => (0..fill.len()).map(|_| u8::try_from(self.next(64)).unwrap()).collect(),
        }
    }
}

fn take_step(array: &Rc<Array>, model: &mut Model, step: &Step) -> Result<Rc<Array>> {
    match step {
        Step::Write { kind, seed, broadcast } => {
            let mut numbers = Numbers(*seed);
            let selection = numbers.selection(*kind, &model.shape);
            let one = numbers.element(&model.fill);
            let mut written = Vec::new();
            for position in model.selected(&selection) {
                let element = if *broadcast { one.clone() } else { numbers.element(&model.fill) };
                let at = model.at(&position);
                model.elements[at] = element.clone();
                written.extend(element);
            }
            let source =
                if *broadcast { WriteSource::Element(one) } else { WriteSource::Elements(written.into()) };
            put(array, selection, source)?;
            Ok(array.clone())
        }
        Step::Resize(shape) => {
            let shape = &shape[..model.shape.len()];
            *model = model.resized(shape);
            block_on(resize(array, shape, &InlineEncoder, &context()))
        }
        Step::Append { axis, len, seed } if *axis < model.shape.len() => {
            let (mut numbers, mut shape) = (Numbers(*seed), model.shape.clone());
            let start = shape[*axis];
            shape[*axis] += len;
            *model = model.resized(&shape);
            let mut written = Vec::new();
            for position in positions(&shape).into_iter().filter(|position| position[*axis] >= start) {
                let element = numbers.element(&model.fill);
                let at = model.at(&position);
                model.elements[at] = element.clone();
                written.extend(element);
            }
            let source = WriteSource::Elements(written.into());
            let appended = Appended { axis: *axis, len: *len, elements: source.into() };
            block_on(append(array, &appended, &InlineEncoder, &|_| {}, &context()))
        }
        Step::Append { .. } => Ok(array.clone()),
    }
}

/// Every key is a strict JSON document or a chunk inside the grid.
fn check_store(memory: &MemoryStore, array: &Array) {
    let metadata = array.binding().metadata();
    let grid = metadata.chunk_grid.grid_shape(&metadata.shape);
    let prefix = format!("{}/", array.chunk_prefix());
    for key in memory.keys() {
        let name = key.strip_prefix(&prefix);
        if let Some(chunk) = name.and_then(|name| metadata.chunk_key_encoding.decode(name, grid.len())) {
            assert!(chunk.iter().zip(&grid).all(|(at, count)| at < count), "{key} lies outside {grid:?}");
            continue;
        }
        let document = json(memory, &key);
        assert!(document.is_object(), "{key}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(layout in layout(), steps in prop::collection::vec(step(), 1..7)) {
        let (memory, store) = memory();
        let mut array = create_array(&store, "g/a", &layout.options.to_string()).unwrap();
        let mut model = Model::new(&layout.shape, &layout.fill);
        for step in &steps {
            array = take_step(&array, &mut model, step).unwrap();
            prop_assert_eq!(&read_all(&array).unwrap(), &model.bytes(), "after {:?}", step);
            // A reader that knows nothing of this one's caches.
            prop_assert_eq!(&read_all(&reopen(&store, "g/a")).unwrap(), &model.bytes(), "anew after {:?}", step);
            check_store(&memory, &array);
        }
        // All fill value: nothing is stored any more.
        put(&array, Selection::all(), WriteSource::Element(layout.fill.clone())).unwrap();
        let documents = ["zarr.json", ".zarray", ".zgroup", ".zattrs", ".array.json"];
        prop_assert!(memory.keys().iter().all(|key| documents.iter().any(|name| key.ends_with(name))));
    }

    #[test]
    fn writes_at_a_time_all_survive(layout in layout(), seeds in prop::collection::vec(any::<u64>(), 2..6)) {
        let store = slow(1);
        let mut model = Model::new(&layout.shape, &layout.fill);
        let array = create_array(&store, "a", &layout.options.to_string()).unwrap();
        // Every element belongs to one of the writes.
        let all = positions(&layout.shape);
        let mut requests = Vec::new();
        for (number, seed) in seeds.iter().enumerate() {
            let mut numbers = Numbers(*seed);
            let mine: Vec<_> = all.iter().enumerate().filter(|(at, _)| at % seeds.len() == number).collect();
            let mut written = Vec::new();
            for (at, _) in &mine {
                model.elements[*at] = numbers.element(&layout.fill);
                written.extend(model.elements[*at].clone());
            }
            if layout.shape.is_empty() && number > 0 {
                continue;
            }
            let lists = (0..layout.shape.len()).map(|d| mine.iter().map(|(_, at)| at[d].cast_signed()).collect());
            let selection = Selection::Points(lists.collect());
            requests.push(WriteRequest { selection, elements: WriteSource::Elements(written.into()).into() });
        }
        let context = context();
        let writes = requests.iter().map(|request| write(&array, request, &InlineEncoder, &|_| {}, &context));
        let done = block_on(join_all(writes));
        prop_assert!(done.iter().all(Result::is_ok), "{:?}", done);
        prop_assert_eq!(read_all(&array).unwrap(), model.bytes());
    }
}
