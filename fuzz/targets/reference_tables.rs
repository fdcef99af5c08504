//! kerchunk's Parquet: a table of references, or the `.zmetadata` beside it, is read or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zarr_wasm_engine::internals::store::reference::document::References;
use zarr_wasm_engine::internals::store::reference::record::{Record, Row};
use zarr_wasm_fuzz::{check_blames_data, seeds};

fuzz_target!(
    init: seeds::write_if_asked(|| {
        seeds::fixture_files(&[".parq", ".zmetadata"]).into_iter().map(|(_, bytes)| bytes)
    }),
    |input: &[u8]| {
        if input.starts_with(b"{") {
            match References::parse_metadata(input.to_vec()) {
                Ok((references, _)) => references.table().iter().for_each(|(key, _)| assert!(!key.is_empty())),
                Err(error) => check_blames_data(&error),
            }
            return;
        }
        match Record::parse(input) {
            Ok(record) => check(&record),
            Err(error) => check_blames_data(&error),
        }
    }
);

fn check(record: &Record) {
    for row in 0..64 {
        match record.row(row) {
            Ok(Row::Part { offset, len, .. }) => assert!(offset.checked_add(len).is_some()),
            Ok(_) => {}
            // Past the end, and for an invalid range or path.
            Err(error) => check_blames_data(&error),
        }
    }
}
