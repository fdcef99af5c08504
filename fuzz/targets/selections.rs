//! Selections and plans against a list of numbers: the elements that a selection names, read from
//! chunks or shards of which some are absent. Both readers answer: the one without I/O, and the
//! read engine, which works in parts.
#![no_main]

use std::rc::Rc;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use zarr_wasm::format::path::{NodePath, StoreKey};
use zarr_wasm_engine::internals::read::array::Array as StoredArray;
use zarr_wasm_engine::internals::store::Store;
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm::metadata::{NodeDocument, ZARR_JSON, ZarrFormat};
use zarr_wasm::{ArrayBytes, DimensionSelection, Selection, SliceSelection};
use zarr_wasm_fuzz::model::{Model, positions};
use zarr_wasm_fuzz::sharded::shard;
use zarr_wasm_fuzz::support::{ReadElements, read_selection};
use zarr_wasm_fuzz::{Chunks, array, read};

#[derive(Arbitrary, Debug)]
struct Input {
    /// For each dimension the length, the chunk's, and chunks in a shard.
    dimensions: Vec<(u8, u8, u8)>,
    is_sharded: bool,
    is_reversed: bool,
    /// A bit for each chunk that is absent.
    absent: u64,
    selection: Wanted,
}

#[derive(Arbitrary, Debug)]
enum Wanted {
    Orthogonal(Vec<Axis>),
    Points(Vec<Vec<u8>>),
}

#[derive(Arbitrary, Debug)]
enum Axis {
    All,
    Index(u8, bool),
    Slice { start: u8, count: u8, step: i8 },
    List(Vec<(u8, bool)>),
}

const FILL: u16 = 0xfefe;

fuzz_target!(|input: Input| {
    if let Some(layout) = Layout::of(&input) {
        check(&layout, &input);
    }
});

struct Layout {
    shape: Vec<u64>,
    chunk: Vec<u64>,
    /// The shape of a stored chunk: of a shard, where there are shards.
    stored: Vec<u64>,
}

impl Layout {
    fn of(input: &Input) -> Option<Self> {
        let dimensions = input.dimensions.get(..input.dimensions.len().min(3))?;
        let shape: Vec<u64> = dimensions.iter().map(|(len, ..)| u64::from(len % 14)).collect();
        let chunk: Vec<u64> = dimensions.iter().map(|(_, len, _)| u64::from(len % 5) + 1).collect();
        let factor = |count: u8| if input.is_sharded { u64::from(count % 3) + 1 } else { 1 };
        let stored = dimensions.iter().zip(&chunk).map(|((_, _, count), len)| len * factor(*count)).collect();
        Some(Self { shape, chunk, stored })
    }

    fn document(&self, input: &Input) -> String {
        let bytes = r#"{"name":"bytes","configuration":{"endian":"little"}}"#;
        let order: Vec<usize> = (0..self.shape.len()).rev().collect();
        let transpose = format!(r#"{{"name":"transpose","configuration":{{"order":{order:?}}}}}"#);
        let inner = if input.is_reversed { format!("{transpose},{bytes}") } else { bytes.to_owned() };
        let codecs = match input.is_sharded {
            true => format!(
                r#"{{"name":"sharding_indexed","configuration":{{"chunk_shape":{:?},"codecs":[{inner}],"index_codecs":[{bytes}]}}}}"#,
                self.chunk
            ),
            false => inner,
        };
        format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":{:?},"data_type":"uint16","fill_value":{FILL},
            "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":{:?}}}}},
            "chunk_key_encoding":{{"name":"default"}},"codecs":[{codecs}]}}"#,
            self.shape, self.stored
        )
    }

    /// The stored values, and the elements that they hold.
    fn contents(&self, input: &Input) -> (Chunks, Model) {
        let mut model = Model::new(&self.shape, &FILL.to_le_bytes());
        let (mut chunks, mut number) = (Chunks::new(), 0_u32);
        let per_shard = ratio(&self.stored, &self.chunk);
        for stored in positions(&ceil_ratio(&self.shape, &self.stored)) {
            let mut inner_chunks = Vec::new();
            for inner in positions(&per_shard) {
                let origin = added(&multiplied(&stored, &self.stored), &multiplied(&inner, &self.chunk));
                let is_absent = input.absent >> (number % 64) & 1 == 1;
                number += 1;
                inner_chunks.push((!is_absent).then(|| self.chunk(&origin, input.is_reversed, &mut model)));
            }
            let value = if input.is_sharded { Some(shard(&inner_chunks)) } else { inner_chunks.remove(0) };
            let key: String = stored.iter().map(|index| format!("/{index}")).collect();
            chunks.extend(value.map(|value| (format!("c{key}"), value)));
        }
        (chunks, model)
    }

    /// The bytes of a chunk. Its elements are their own numbers in the array, also outside of it.
    fn chunk(&self, origin: &[u64], is_reversed: bool, model: &mut Model) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut walked = self.chunk.clone();
        if is_reversed {
            walked.reverse();
        }
        for mut within in positions(&walked) {
            if is_reversed {
                within.reverse();
            }
            let position = added(origin, &within);
            let element =
                position.iter().fold(0_u16, |number, index| number * 31 + *index as u16 + 1).to_le_bytes();
            if position.iter().zip(&self.shape).all(|(index, len)| index < len) {
                let at = model.at(&position);
                model.elements[at] = element.to_vec();
            }
            bytes.extend(element);
        }
        bytes
    }

    fn selection(&self, wanted: &Wanted) -> Option<Selection> {
        let signed = |index: u64, len: u64, is_negative: bool| {
            if is_negative { index.cast_signed() - len.cast_signed() } else { index.cast_signed() }
        };
        let index =
            |at: u8, len: u64, is_negative| (len > 0).then(|| signed(u64::from(at) % len, len, is_negative));
        let axis = |(axis, len): (&Axis, &u64)| {
            Some(match axis {
                Axis::All => DimensionSelection::All,
                Axis::Index(at, is_negative) => DimensionSelection::Index(index(*at, *len, *is_negative)?),
                Axis::List(list) => DimensionSelection::List(
                    list.iter()
                        .take(20)
                        .map(|(at, is_negative)| index(*at, *len, *is_negative))
                        .collect::<Option<_>>()?,
                ),
                Axis::Slice { step: 0, .. } => return None,
                Axis::Slice { start, count, step } => {
                    slice(u64::from(*start) % (len + 1), *len, *count, *step)
                }
            })
        };
        match wanted {
            Wanted::Orthogonal(axes) => {
                axes.iter().zip(&self.shape).map(axis).collect::<Option<_>>().map(Selection::Orthogonal)
            }
            Wanted::Points(lists) => {
                let count = lists.iter().map(Vec::len).min().unwrap_or(0).min(30);
                if lists.len() < self.shape.len() || self.shape.is_empty() {
                    return None;
                }
                let of_dimension = |(list, len): (&Vec<u8>, &u64)| {
                    list.iter().take(count).map(|at| index(*at, *len, false)).collect::<Option<Vec<i64>>>()
                };
                lists.iter().zip(&self.shape).map(of_dimension).collect::<Option<_>>().map(Selection::Points)
            }
        }
    }
}

/// A slice whose ends lie inside the array, so that negative numbers need no rule.
fn slice(start: u64, len: u64, count: u8, step: i8) -> DimensionSelection {
    let step = i64::from(step);
    let start = start.cast_signed();
    let (start, stop) = match step > 0 {
        true => (start, (start + i64::from(count % 16)).min(len.cast_signed())),
        false if len == 0 => (0, 0),
        false => {
            let start = start.min(len.cast_signed() - 1);
            (start, (start - i64::from(count % 16)).max(0))
        }
    };
    DimensionSelection::Slice(SliceSelection { start: Some(start), stop: Some(stop), step: Some(step) })
}

fn check(layout: &Layout, input: &Input) {
    let Some(selection) = layout.selection(&input.selection) else { return };
    let (chunks, model) = layout.contents(input);
    let expected: Vec<u8> = model
        .selected(&selection)
        .iter()
        .flat_map(|position| model.elements[model.at(position)].clone())
        .collect();
    let document = layout.document(input);
    let without_io = read(&array(&document).unwrap(), &selection, &chunks).unwrap();
    assert_eq!(without_io, ArrayBytes::Fixed(expected.clone()), "{document} {selection:?}");
    let memory = MemoryStore::new();
    chunks.into_iter().for_each(|(key, value)| memory.insert(&StoreKey::parse(&key).unwrap(), value));
    let store: Rc<dyn Store> = Rc::new(memory);
    let document = NodeDocument::read(ZarrFormat::V3, &[(ZARR_JSON, document.as_bytes())]).unwrap();
    let stored = StoredArray::new(store, NodePath::root(), document).unwrap();
    let in_parts = read_selection(&stored, selection, None).unwrap();
    assert_eq!(in_parts, ReadElements::Packed(expected));
}

fn ratio(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a / b).collect()
}

fn ceil_ratio(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a.div_ceil(*b)).collect()
}

fn multiplied(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

fn added(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}
