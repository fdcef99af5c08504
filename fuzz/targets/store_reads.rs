//! Whole arrays against zarrs, a reader by other people. zarrs writes an array, the input damages
//! stored chunks, and both read it. Without damage both give what was written. With damage they may
//! refuse it, but what both read is the same.
#![no_main]

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use zarr_wasm::{ArrayBytes, Selection};
use zarr_wasm_fuzz::{Chunks, array, check_blames_data, read};
use zarrs::storage::store::MemoryStore;
use zarrs::storage::{ListableStorageTraits, ReadableStorageTraits, StoreKey, WritableStorageTraits};

#[derive(Arbitrary, Debug)]
struct Input {
    data_type: u8,
    codecs: u8,
    is_sharded: bool,
    index_at_start: bool,
    values: Vec<u8>,
    damage: Vec<Damage>,
}

#[derive(Arbitrary, Debug)]
enum Damage {
    Change { chunk: u8, at: u16, by: u8 },
    Cut { chunk: u8, len: u16 },
    Append { chunk: u8, bytes: Vec<u8> },
    Remove { chunk: u8 },
}

const TYPES: [(&str, usize); 5] =
    [("uint8", 1), ("int16", 2), ("float32", 4), ("uint64", 8), ("complex64", 8)];

/// The codecs after `bytes`.
const CODECS: [&str; 6] = [
    "",
    r#",{"name":"gzip","configuration":{"level":1}}"#,
    r#",{"name":"zstd","configuration":{"level":1,"checksum":false}}"#,
    r#",{"name":"zstd","configuration":{"level":1,"checksum":true}}"#,
    r#",{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0}}"#,
    r#",{"name":"crc32c"}"#,
];

const SHAPE: [u64; 2] = [7, 10];

fn document(input: &Input) -> String {
    let bytes = r#"{"name":"bytes","configuration":{"endian":"big"}}"#;
    let inner = format!("{bytes}{}", CODECS[usize::from(input.codecs) % CODECS.len()]);
    let location = if input.index_at_start { "start" } else { "end" };
    let codecs = match input.is_sharded {
        true => format!(
            r#"{{"name":"sharding_indexed","configuration":{{"chunk_shape":[2,5],"codecs":[{inner}],
            "index_codecs":[{bytes},{{"name":"crc32c"}}],"index_location":"{location}"}}}}"#
        ),
        false => inner,
    };
    let (data_type, _) = TYPES[usize::from(input.data_type) % TYPES.len()];
    let fill = if data_type == "complex64" { "[0.0,0.0]" } else { "0" };
    format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":[7,10],"data_type":"{data_type}","fill_value":{fill},
        "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[4,5]}}}},
        "chunk_key_encoding":{{"name":"default"}},"codecs":[{codecs}],"attributes":{{}}}}"#
    )
}

fuzz_target!(|input: Input| {
    let document = document(&input);
    let (_, size) = TYPES[usize::from(input.data_type) % TYPES.len()];
    let len = usize::try_from(SHAPE[0] * SHAPE[1]).unwrap() * size;
    let values: Vec<u8> = input.values.iter().copied().chain(std::iter::repeat(3)).take(len).collect();
    let store = Arc::new(MemoryStore::new());
    write(&store, &document, &values);
    let is_damaged = damage(&store, &input.damage);

    let chunks = store.list().unwrap().into_iter().map(|key| {
        let bytes = store.get(&key).unwrap().unwrap_or_default().to_vec();
        (key.as_str().to_owned(), bytes)
    });
    let chunks: Chunks = chunks.collect();
    let ours = read(&array(&document).unwrap(), &Selection::Orthogonal(vec![]), &chunks);
    if let Err(error) = &ours {
        check_blames_data(error);
    }
    // zarrs allocates what the header of a Blosc buffer declares.
    let theirs = if is_damaged && document.contains("blosc") { None } else { zarrs_read(&store, &document) };
    if !is_damaged {
        assert_eq!(ours.as_ref().ok(), Some(&ArrayBytes::Fixed(values.clone())), "{document} {ours:?}");
        assert_eq!(theirs, Some(values), "{document}");
    } else if let (Ok(ArrayBytes::Fixed(ours)), Some(theirs)) = (ours, theirs) {
        assert_eq!(ours, theirs, "{document} {:?}", input.damage);
    }
});

type ZarrsArray = zarrs::array::Array<MemoryStore>;

fn opened(store: &Arc<MemoryStore>, document: &str) -> ZarrsArray {
    let metadata = serde_json::from_str(document).unwrap();
    ZarrsArray::new_with_metadata(store.clone(), "/", metadata).unwrap()
}

fn write(store: &Arc<MemoryStore>, document: &str, values: &[u8]) {
    let array = opened(store, document);
    let bytes = zarrs::array::ArrayBytes::new_flen(values.to_vec());
    array.store_array_subset(&array.subset_all(), bytes).unwrap();
}

/// The elements as zarrs reads them. It panics for some damage, which counts as a refusal.
fn zarrs_read(store: &Arc<MemoryStore>, document: &str) -> Option<Vec<u8>> {
    // libFuzzer's own hook ends the process.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let read = panic::catch_unwind(AssertUnwindSafe(|| {
        let array = opened(store, document);
        let bytes: zarrs::array::ArrayBytes = array.retrieve_array_subset(&array.subset_all()).ok()?;
        bytes.into_fixed().ok().map(|bytes| bytes.to_vec())
    }));
    panic::set_hook(hook);
    read.ok().flatten()
}

/// Damages the stored chunks. Returns whether anything changed.
fn damage(store: &Arc<MemoryStore>, damage: &[Damage]) -> bool {
    let mut keys = store.list().unwrap();
    keys.retain(|key| key.as_str() != "zarr.json");
    keys.sort();
    let key = |chunk: u8| -> Option<StoreKey> {
        (!keys.is_empty()).then(|| keys[usize::from(chunk) % keys.len()].clone())
    };
    let mut is_damaged = false;
    for damage in damage.iter().take(4) {
        let (Damage::Change { chunk, .. }
        | Damage::Cut { chunk, .. }
        | Damage::Append { chunk, .. }
        | Damage::Remove { chunk }) = damage;
        let Some(key) = key(*chunk) else { continue };
        let Some(value) = store.get(&key).unwrap() else { continue };
        let mut bytes = value.to_vec();
        match damage {
            Damage::Change { at, by, .. } => {
                let at = usize::from(*at) % bytes.len().max(1);
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= by;
                }
            }
            Damage::Cut { len, .. } => bytes.truncate(usize::from(*len) % (bytes.len() + 1)),
            Damage::Append { bytes: more, .. } => bytes.extend(more.iter().take(100)),
            Damage::Remove { .. } => {
                store.erase(&key).unwrap();
                is_damaged = true;
                continue;
            }
        }
        is_damaged |= bytes != value;
        store.set(&key, bytes.into()).unwrap();
    }
    is_damaged
}
