//! The message to a decode worker: words that are no header or no table of instructions are refused
//! and write nothing outside of the part. The first byte selects the array, the second the number
//! of words.
#![no_main]

use std::rc::Rc;

use libfuzzer_sys::fuzz_target;
use zarr_wasm::access::assemble::Assembly;
use zarr_wasm::access::binding::Binding;
use zarr_wasm::access::instruction::{ChunkInstruction, PartHeader};
use zarr_wasm::format::codec::pipeline::Scratch;
use zarr_wasm::metadata::{NodeDocument, ZARR_JSON, ZarrFormat};
use zarr_wasm_fuzz::seeds;

const CODECS: [&str; 4] = [
    r#"[{"name":"bytes","configuration":{"endian":"little"}}]"#,
    r#"[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}}]"#,
    r#"[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":1}}]"#,
    r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],
        "index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]"#,
];

fn binding(codecs: &str) -> Rc<Binding> {
    let text = format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":[8,6],"data_type":"uint16","fill_value":7,
        "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[4,6]}}}},
        "chunk_key_encoding":{{"name":"default"}},"codecs":{codecs}}}"#
    );
    let document = NodeDocument::read(ZarrFormat::V3, &[(ZARR_JSON, text.as_bytes())]).unwrap();
    Rc::new(Binding::new(&document).unwrap())
}

fuzz_target!(
    init: seeds::write_if_asked(seeds),
    |input: &[u8]| {
        let Some(([which, count], rest)) = input.split_first_chunk() else { return };
        let words: Vec<u32> = rest.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let (header, table) = words.split_at(usize::from(*count).min(words.len()));
        // The planner makes parts of a few MiB. Larger ones would only exhaust this process.
        if PartHeader::from_words(header).is_ok_and(|header| too_large(&header.shape)) {
            return;
        }
        let _ = supply(&binding(CODECS[usize::from(*which) % CODECS.len()]), header, table);
    }
);

fn too_large(shape: &[u32]) -> bool {
    shape.iter().try_fold(1_u32, |product, len| product.checked_mul(*len)).is_none_or(|count| count > 1 << 16)
}

fn supply(binding: &Rc<Binding>, header: &[u32], table: &[u32]) -> zarr_wasm::Result<()> {
    let part = PartHeader::from_words(header)?;
    assert_eq!(part.to_words(), header);
    let len = part.shape.iter().map(|len| *len as usize).product::<usize>() * 2;
    let is_converted = !part.conversion.is_empty();
    let mut assembly = Assembly::begin(binding, header, Vec::new())?;
    let buffer: Vec<u8> = (0..=255).collect();
    assembly.supply(table, &[&buffer, &[]], &mut Scratch::default())?;
    let mut again = Vec::new();
    ChunkInstruction::read_all(table)?.iter().try_for_each(|instruction| instruction.write(&mut again))?;
    assert_eq!(again, table);
    assert!(is_converted || assembly.finish()?.len() == len);
    Ok(())
}

/// A part of 4 × 6 elements, filled by one chunk.
fn seeds() -> Vec<Vec<u8>> {
    let header = [2, 4, 6, 0, 1];
    let table = [[0, 0, 0, 0, 48, 0, 2].as_slice(), &[0, 0, 0, 0], &[0, 2, 0, 0, 1, 4, 0, 0, 0, 1, 6, 0]];
    let words = [&header, table.concat().as_slice()].concat();
    let bytes: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    (0..4).map(|which| [&[which, 5], &bytes[..]].concat()).collect()
}
