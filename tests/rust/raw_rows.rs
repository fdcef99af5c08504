//! Large chunks that are stored as they are: of one of which little is wanted, only its rows are
//! fetched. Arrays are made here, and what is expected follows from an element's indices.

use std::rc::Rc;

use support::{ReadElements, open_array, read_selection};
use zarr_wasm::access::selection::{DimensionSelection, Selection, SliceSelection};
use zarr_wasm::error::{ErrorKind, Result};
use zarr_wasm::format::path::StoreKey;
use zarr_wasm_engine::internals::read::array::Array;
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::store::wrap::Counting;
use zarr_wasm_engine::internals::store::{ByteRange, Store};

const SHAPE: [u64; 3] = [50, 130, 101];
/// They divide neither the array nor, at 16 KiB, into whole rows of the slowest dimension.
const CHUNK: [u64; 3] = [40, 100, 101];
const CHUNK_BYTES: u64 = 40 * 100 * 101 * 4;

/// The element at these indices.
fn value(indices: [u64; 3]) -> u32 {
    let [i, j, k] = indices.map(|index| u32::try_from(index).unwrap_or(0));
    i * 1_000_000 + j * 1000 + k + 1
}

/// How the elements of a chunk stand in it.
#[derive(Clone, Copy)]
struct Stored {
    is_big: bool,
    /// Dimensions, slowest first.
    order: [usize; 3],
}

impl Stored {
    fn codecs(self) -> String {
        let endian = if self.is_big { "big" } else { "little" };
        let bytes = format!(r#"{{"name":"bytes","configuration":{{"endian":"{endian}"}}}}"#);
        match self.order {
            [0, 1, 2] => bytes,
            order => format!(r#"{{"name":"transpose","configuration":{{"order":{order:?}}}}},{bytes}"#),
        }
    }

    /// The bytes of the chunk that starts at an element. Bytes past the array's end are never read.
    fn chunk(self, origin: [u64; 3]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let extents = self.order.map(|dimension| CHUNK[dimension]);
        for a in 0..extents[0] {
            for b in 0..extents[1] {
                for c in 0..extents[2] {
                    let mut indices = origin;
                    for (dimension, index) in self.order.into_iter().zip([a, b, c]) {
                        indices[dimension] += index;
                    }
                    let value = value(indices);
                    bytes.extend(if self.is_big { value.to_be_bytes() } else { value.to_le_bytes() });
                }
            }
        }
        bytes
    }
}

fn document(grid: [u64; 3], codecs: &str) -> String {
    format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":{SHAPE:?},"data_type":"uint32","fill_value":7,
        "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":{grid:?}}}}},
        "chunk_key_encoding":{{"name":"default"}},"codecs":[{codecs}]}}"#
    )
}

fn opened(store: MemoryStore, document: &str) -> (Rc<Counting>, Rc<Array>) {
    store.insert(&key("zarr.json"), document.as_bytes().to_vec());
    let store = Rc::new(Counting::with_log(Rc::new(store)));
    let shared: Rc<dyn Store> = store.clone();
    let array = open_array(&shared, "");
    (store, array)
}

fn key(key: &str) -> StoreKey {
    StoreKey::parse(key).unwrap_or_else(|error| panic!("{error:?}"))
}

/// Chunks of their own; the last, at the array's far corner, is absent.
fn chunked(stored: Stored) -> (Rc<Counting>, Rc<Array>) {
    let store = MemoryStore::new();
    for (i, j) in [(0, 0), (0, 1), (1, 0)] {
        store.insert(&key(&format!("c/{i}/{j}/0")), stored.chunk([i * CHUNK[0], j * CHUNK[1], 0]));
    }
    opened(store, &document(CHUNK, &stored.codecs()))
}

/// The same chunks in one shard, behind one another, with the index at the end; a fourth is absent.
fn sharded(stored: Stored) -> (Rc<Counting>, Rc<Array>) {
    let mut shard = Vec::new();
    let mut index = Vec::new();
    for (i, j) in [(0, 0), (0, 1), (1, 0)] {
        index.extend((shard.len() as u64).to_le_bytes());
        index.extend(CHUNK_BYTES.to_le_bytes());
        shard.extend(stored.chunk([i * CHUNK[0], j * CHUNK[1], 0]));
    }
    index.extend([0xff; 16]);
    shard.extend(index);
    let store = MemoryStore::new();
    store.insert(&key("c/0/0/0"), shard);
    let codecs = format!(
        r#"{{"name":"sharding_indexed","configuration":{{"chunk_shape":{CHUNK:?},"codecs":[{}],
        "index_codecs":[{{"name":"bytes","configuration":{{"endian":"little"}}}}]}}}}"#,
        stored.codecs()
    );
    opened(store, &document([CHUNK[0] * 2, CHUNK[1] * 2, CHUNK[2]], &codecs))
}

/// A dimension's selection and the indices that it means.
fn slice(start: i64, stop: i64, step: i64) -> (DimensionSelection, Vec<u64>) {
    let indices =
        (0..).map(|at| start + at * step).take_while(|at| if step > 0 { *at < stop } else { *at > stop });
    let indices = indices.map(i64::unsigned_abs).collect();
    let stop = (stop >= 0).then_some(stop);
    (DimensionSelection::Slice(SliceSelection { start: Some(start), stop, step: Some(step) }), indices)
}

fn list(indices: &[i64]) -> (DimensionSelection, Vec<u64>) {
    (DimensionSelection::List(indices.to_vec()), indices.iter().map(|index| index.unsigned_abs()).collect())
}

type Axes = [(DimensionSelection, Vec<u64>); 3];

fn expected(axes: &Axes) -> Vec<u8> {
    let mut bytes = Vec::new();
    for i in &axes[0].1 {
        for j in &axes[1].1 {
            for k in &axes[2].1 {
                let is_absent = *i >= CHUNK[0] && *j >= CHUNK[1];
                let value = if is_absent { 7 } else { value([*i, *j, *k]) };
                bytes.extend(value.to_le_bytes());
            }
        }
    }
    bytes
}

fn read(array: &Rc<Array>, axes: &Axes) -> Result<Vec<u8>> {
    let selection = Selection::Orthogonal(axes.iter().map(|(selection, _)| selection.clone()).collect());
    match read_selection(array, selection, None)? {
        ReadElements::Packed(bytes) => Ok(bytes),
        ReadElements::Variable(_) => panic!("numbers have one size"),
    }
}

fn selections() -> Vec<Axes> {
    vec![
        [slice(3, 4, 1), slice(0, 130, 1), slice(0, 101, 1)],
        [slice(39, 41, 1), slice(98, 104, 1), slice(7, 20, 1)],
        [slice(49, -1, -16), slice(129, 60, -7), slice(100, -1, -1)],
        [list(&[45, 2, 2, 39]), list(&[129, 0, 99]), slice(0, 101, 50)],
        [slice(12, 13, 1), slice(55, 56, 1), slice(0, 1, 1)],
        [slice(0, 50, 1), slice(0, 1, 1), slice(0, 1, 1)],
        // More than half: chunks are fetched whole.
        [slice(0, 50, 1), slice(0, 130, 2), slice(0, 101, 1)],
    ]
}

#[test]
fn whatever_is_selected_is_what_stands_there() {
    for is_big in [false, true] {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let stored = Stored { is_big, order };
            for (_, array) in [chunked(stored), sharded(stored)] {
                for axes in selections() {
                    let read = read(&array, &axes).unwrap_or_else(|error| panic!("{error:?}"));
                    assert!(read == expected(&axes), "big: {is_big}, order {order:?}: {axes:?}");
                }
                points(&array);
            }
        }
    }
}

/// Points in all four chunks, out of order and twice.
fn points(array: &Rc<Array>) {
    let points = [[49, 3, 2], [0, 0, 0], [44, 129, 100], [3, 101, 9], [39, 99, 100], [0, 0, 0]];
    let along = |dimension: usize| points.iter().map(|point| point[dimension]).collect::<Vec<i64>>();
    let found = read_selection(array, Selection::Points(vec![along(0), along(1), along(2)]), None);
    let expected: Vec<u8> = points
        .iter()
        .flat_map(|point| {
            let point = point.map(i64::unsigned_abs);
            let value = if point[0] >= CHUNK[0] && point[1] >= CHUNK[1] { 7 } else { value(point) };
            value.to_le_bytes()
        })
        .collect();
    assert_eq!(found.unwrap_or_else(|error| panic!("{error:?}")), ReadElements::Packed(expected));
}

fn asked(store: &Counting, since: usize) -> Vec<(String, ByteRange)> {
    store.log().split_off(since)
}

#[test]
fn a_plane_of_a_chunk_costs_its_own_bytes() {
    let (store, array) = chunked(Stored { is_big: false, order: [0, 1, 2] });
    let (before, log) = (store.counters().bytes, store.log().len());
    // One plane of 100 × 101 elements: 40 400 bytes from byte 3 × 40 400 on.
    let axes = [slice(3, 4, 1), slice(0, 100, 1), slice(0, 101, 1)];
    read(&array, &axes).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(asked(&store, log), [("c/0/0/0".to_owned(), ByteRange::At { offset: 121_200, len: 40_400 })]);
    assert_eq!(store.counters().bytes - before, 40_400);
}

#[test]
fn a_plane_of_an_inner_chunk_costs_its_own_bytes() {
    let (store, array) = sharded(Stored { is_big: true, order: [2, 1, 0] });
    let log = store.log().len();
    // The fastest dimension of what is stored is the array's first: a plane along the last stands
    // together.
    let axes = [slice(0, 40, 1), slice(0, 100, 1), slice(9, 10, 1)];
    read(&array, &axes).unwrap_or_else(|error| panic!("{error:?}"));
    let plane = 40 * 100 * 4;
    let range = ByteRange::At { offset: 9 * plane, len: plane };
    assert_eq!(asked(&store, log)[1..], [("c/0/0/0".to_owned(), range)]);
}

#[test]
fn what_is_wanted_for_the_most_part_or_small_is_fetched_whole() {
    let (store, array) = chunked(Stored { is_big: false, order: [0, 1, 2] });
    let log = store.log().len();
    let axes = [slice(0, 21, 1), slice(0, 100, 1), slice(0, 101, 1)];
    read(&array, &axes).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(asked(&store, log), [("c/0/0/0".to_owned(), ByteRange::Whole)]);
}

#[test]
fn a_chunk_of_another_length_is_an_error_in_part_too() {
    let stored = Stored { is_big: false, order: [0, 1, 2] };
    let store = MemoryStore::new();
    let mut long = stored.chunk([0, 0, 0]);
    long.push(0);
    store.insert(&key("c/0/0/0"), long);
    store.insert(&key("c/1/0/0"), vec![0; 100_000]);
    let (_, array) = opened(store, &document(CHUNK, &stored.codecs()));
    for at in [0, 40] {
        let axes = [slice(at, at + 1, 1), slice(0, 5, 1), slice(0, 101, 1)];
        let error = read(&array, &axes).err().unwrap_or_else(|| panic!("plane {at} was read"));
        assert_eq!(error.kind(), ErrorKind::Format);
        assert_eq!(error.context().key.as_deref(), Some(if at == 0 { "c/0/0/0" } else { "c/1/0/0" }));
    }
}
