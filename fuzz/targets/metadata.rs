//! Metadata of all dialects: a document opens, or is refused with an error that blames the data. The
//! first byte of an input selects the document, the rest is its text. Attributes that are left in a
//! large document are those that the parser reads.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zarr_wasm::Result;
use zarr_wasm::access::binding::Binding;
use zarr_wasm::format::metadata::large::DocumentScan;
use zarr_wasm::format::metadata::{Draft, NodeMetadata};
use zarr_wasm::metadata::{NodeDocument, ZARR_JSON, ZARRAY, ZATTRS, ZGROUP, ZarrFormat, parse};
use zarr_wasm_fuzz::{check_blames_data, seeds};

/// The entry point that both drafts' documents need.
const ENTRY_2020: &str = r#"{"zarr_format":"https://purl.org/zarr/spec/protocol/core/3.0","metadata_encoding":"https://purl.org/zarr/spec/protocol/core/3.0","metadata_key_suffix":".json","extensions":[]}"#;
const ENTRY_2022: &str = r#"{"zarr_format":"https://purl.org/zarr/spec/core/3.0","metadata_encoding":"https://purl.org/zarr/spec/core/3.0","metadata_key_suffix":".json","extensions":[]}"#;

/// White space around JSON.
const JSON_SPACE: [char; 4] = [' ', '\n', '\r', '\t'];

type Dialect = (ZarrFormat, &'static [(&'static str, &'static str)], &'static str);

/// Format, fixed documents, and the key suffix of the document that the input is.
const DIALECTS: [Dialect; 9] = [
    (ZarrFormat::V3, &[], ZARR_JSON),
    (ZarrFormat::V2, &[], ZARRAY),
    (ZarrFormat::V2, &[], ZGROUP),
    (ZarrFormat::V2, &[(ZGROUP, r#"{"zarr_format":2}"#)], ZATTRS),
    (
        ZarrFormat::V2,
        &[(
            ZARRAY,
            r#"{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"<i4","compressor":null,"fill_value":0,"order":"C","filters":null}"#,
        )],
        ZATTRS,
    ),
    (ZarrFormat::Draft(Draft::October2020), &[(ZARR_JSON, ENTRY_2020)], ".array.json"),
    (ZarrFormat::Draft(Draft::October2020), &[(ZARR_JSON, ENTRY_2020)], ".group.json"),
    (ZarrFormat::Draft(Draft::May2022), &[(ZARR_JSON, ENTRY_2022)], ".array.json"),
    (ZarrFormat::Draft(Draft::May2022), &[], ZARR_JSON),
];

fuzz_target!(
    init: seeds::write_if_asked(seeds),
    |input: &[u8]| {
        let Some((dialect, text)) = input.split_first() else { return };
        let (format, fixed, suffix) = DIALECTS[usize::from(*dialect) % DIALECTS.len()];
        let mut texts: Vec<_> = fixed.iter().map(|(suffix, text)| (*suffix, text.as_bytes())).collect();
        texts.push((suffix, text));
        if let Err(error) = open(format, &texts) {
            check_blames_data(&error);
        }
        check_as_large(format, texts);
    }
);

/// Reads the last document as if it were large: scanned in steps, and without its attributes.
fn check_as_large(format: ZarrFormat, mut texts: Vec<(&str, &[u8])>) {
    let Some((suffix, text)) = texts.pop() else { return };
    let scan = match (format, suffix) {
        (ZarrFormat::V3, _) => DocumentScan::new(text.to_vec(), format),
        (_, ZATTRS) => DocumentScan::of_attributes(text.to_vec()),
        _ => return,
    };
    let Ok(mut scan) = scan else { return };
    while scan.step(1 + text.len() % 64) {}
    let Some(left) = scan.without_attributes() else { return };
    assert_eq!(&text[left.range.clone()], left.attributes.as_bytes());
    let rest = left.rest.clone();
    let opened = |text| {
        let texts: Vec<_> = texts.iter().copied().chain([(suffix, text)]).collect();
        parse(&NodeDocument::read(format, &texts)?)
    };
    match (opened(text), opened(rest.as_bytes())) {
        (Ok(whole), Ok(_)) => assert_eq!(attributes_of(&whole), left.attributes.trim_matches(JSON_SPACE)),
        (Err(_), Err(_)) => {}
        (whole, rest) => panic!("{whole:?} {rest:?}"),
    }
}

fn attributes_of(node: &NodeMetadata) -> &str {
    match node {
        NodeMetadata::Array(array) => &array.attributes,
        NodeMetadata::Group(group) => &group.attributes,
    }
}

/// Everything that opening does before a chunk is requested. The message to workers keeps all.
fn open(format: ZarrFormat, texts: &[(&str, &[u8])]) -> Result<()> {
    let document = NodeDocument::read(format, texts)?;
    assert_eq!(NodeDocument::from_json(&document.to_json()).ok().as_ref(), Some(&document));
    let NodeMetadata::Array(array) = parse(&document)? else { return Ok(()) };
    let grid = array.chunk_grid.grid_shape(&array.shape);
    let last: Vec<u64> = grid.iter().map(|count| count.saturating_sub(1)).collect();
    let key = array.chunk_key_encoding.encode(&last);
    assert!(!key.contains(".."), "{key}");
    array.chunk_grid.chunk_shape(&last);
    let binding = Binding::of(*array)?;
    binding.chain_of(&last)?;
    binding.leaf_grid()?;
    binding.native_order()?;
    Ok(())
}

fn seeds() -> Vec<Vec<u8>> {
    let suffixes = [ZARR_JSON, ZARRAY, ZGROUP, ZATTRS, ".array.json", ".group.json"];
    let files = seeds::fixture_files(&suffixes);
    let with_dialect = |(name, text): &(String, Vec<u8>)| {
        let fits = (0..).zip(&DIALECTS).filter(|(_, (_, _, suffix))| name.ends_with(suffix));
        fits.map(|(number, _)| [&[number], &text[..]].concat()).collect::<Vec<_>>()
    };
    files.iter().flat_map(with_dialect).collect()
}
