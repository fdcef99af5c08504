//! Shards, also nested ones, with the input as the stored bytes: a read gives as many elements as it
//! asks for, or an error that blames the data. The first byte selects the array.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zarr_wasm::{ArrayBytes, DimensionSelection, Selection, SliceSelection};
use zarr_wasm_fuzz::sharded::shard;
use zarr_wasm_fuzz::{Chunks, array, check_blames_data, read, seeds};

/// Codecs of arrays of 8 × 6 numbers of 16 bits in one shard.
const CODECS: [&str; 6] = [
    r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"codecs":["bytes"],"index_codecs":["bytes"],"index_location":"end"}}]"#,
    r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"codecs":["bytes"],"index_codecs":["bytes","crc32c"],"index_location":"end"}}]"#,
    r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"codecs":["bytes"],"index_codecs":["bytes"],"index_location":"start"}}]"#,
    r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"codecs":["bytes",{"name":"gzip","configuration":{"level":1}}],"index_codecs":["bytes"],"index_location":"end"}}]"#,
    r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[4,3],"index_codecs":["bytes"],"index_location":"end","codecs":[
        {"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"codecs":["bytes"],"index_codecs":["bytes"],"index_location":"end"}}]}}]"#,
    r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[4,3],"index_codecs":["bytes"],"index_location":"start","codecs":[
        {"name":"sharding_indexed","configuration":{"chunk_shape":[2,1],"codecs":["bytes"],"index_codecs":["bytes"],"index_location":"end"}}]}},
        {"name":"gzip","configuration":{"level":1}}]"#,
];

fn document(codecs: &str) -> String {
    let text = format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":[8,6],"data_type":"uint16","fill_value":7,
        "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[8,6]}}}},
        "chunk_key_encoding":{{"name":"default"}},"codecs":{codecs}}}"#
    );
    text.replace(r#""bytes""#, r#"{"name":"bytes","configuration":{"endian":"little"}}"#)
}

fn slice(start: i64, stop: i64) -> DimensionSelection {
    DimensionSelection::Slice(SliceSelection { start: Some(start), stop: Some(stop), step: None })
}

fuzz_target!(
    init: seeds::write_if_asked(seeds),
    |input: &[u8]| {
        let Some((which, bytes)) = input.split_first() else { return };
        let array = array(&document(CODECS[usize::from(*which) % CODECS.len()])).unwrap();
        let chunks = Chunks::from([("c/0/0".to_owned(), bytes.to_vec())]);
        let selections = [Selection::Orthogonal(vec![]), Selection::Orthogonal(vec![slice(1, 3), slice(2, 5)])];
        for (selection, count) in selections.iter().zip([48, 6]) {
            match read(&array, selection, &chunks) {
                Ok(ArrayBytes::Fixed(elements)) => assert_eq!(elements.len(), count * 2),
                Ok(ArrayBytes::Variable(_)) => panic!("numbers have one size"),
                Err(error) => check_blames_data(&error),
            }
        }
    }
);

/// Valid shards for the arrays without compression.
fn seeds() -> Vec<Vec<u8>> {
    let chunk = |number: u8, len| Some((0..len).map(|at| number * 12 + at).collect::<Vec<u8>>());
    let flat: Vec<_> = (0..8).map(|number| chunk(number, 12)).collect();
    let with_gap = [&flat[..3], &[None], &flat[4..]].concat();
    let nested: Vec<_> = (0..4).map(|number| Some(shard(&flat[number * 2..number * 2 + 2]))).collect();
    let index_first = |chunks: &[Option<Vec<u8>>]| {
        let bytes = shard(chunks);
        let (chunks, index) = bytes.split_at(8 * 12);
        let mut index: Vec<[u8; 8]> = index.as_chunks().0.to_vec();
        for start in index.iter_mut().step_by(2) {
            *start = (u64::from_le_bytes(*start) + 128).to_le_bytes();
        }
        [&index.concat(), chunks].concat()
    };
    let seed = |which: u8, bytes: Vec<u8>| [vec![which], bytes].concat();
    vec![
        seed(0, shard(&flat)),
        seed(0, shard(&with_gap)),
        seed(2, index_first(&flat)),
        seed(4, shard(&nested)),
    ]
}
