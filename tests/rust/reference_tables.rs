//! Files of references that other libraries wrote (`make/kerchunk_parquet.py`): each row is what
//! fsspec finds, and damage is an error or another table, never a panic.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::arithmetic_side_effects, clippy::indexing_slicing)]

use serde_json::Value;
use support::{Files, archive_files, base64, fixtures};
use zarr_wasm::ErrorKind;
use zarr_wasm_engine::internals::store::reference::record::{Record, Row};

const RECORD_SIZE: usize = 16;

fn expected() -> Value {
    let text = std::fs::read(fixtures().join("kerchunk/expected.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn files(case: &str) -> Files {
    archive_files(&fixtures().join(format!("kerchunk/{case}.tar.gz")))
}

/// The file under a name. Archives may have a folder around all files.
fn file<'a>(files: &'a Files, name: &str) -> Option<&'a [u8]> {
    let is_it =
        |found: &str| found == name || found.strip_suffix(name).is_some_and(|start| start.ends_with('/'));
    files.iter().find(|(found, _)| is_it(found)).map(|(_, bytes)| bytes.as_slice())
}

/// A row as fsspec gives it.
fn shown(row: Row<'_>) -> Value {
    match row {
        Row::Missing => Value::Null,
        Row::Inline(raw) => Value::from(raw.to_vec()),
        Row::File(path) => serde_json::json!([path]),
        Row::Part { path, offset, len } => serde_json::json!([path, offset, len]),
    }
}

/// fsspec's answer. Inline ones are base64.
fn of_fsspec(found: &Value) -> Value {
    match found.as_str().and_then(|text| text.strip_prefix("base64:")) {
        Some(text) => Value::from(base64(text)),
        None => found.clone(),
    }
}

#[test]
fn each_row_is_what_fsspec_finds() {
    for (case, expected) in expected().as_object().unwrap() {
        let files = files(case);
        for path in expected["arrays"].as_object().unwrap().keys() {
            // The keys are in C order.
            let prefix = format!("{path}/");
            let keys = expected["references"].as_object().unwrap();
            let mut keys: Vec<_> = keys.iter().filter(|(key, _)| key.starts_with(&prefix)).collect();
            let indices = |key: &str| -> Vec<u64> {
                key[prefix.len()..].split('.').map(|index| index.parse().unwrap()).collect()
            };
            keys.sort_by_key(|(key, _)| indices(key));
            for (number, (key, found)) in keys.into_iter().enumerate() {
                let name = format!("{path}/refs.{}.parq", number / RECORD_SIZE);
                let record = file(&files, &name).map(|bytes| Record::parse(bytes).unwrap());
                let row = record.as_ref().map(|record| shown(record.row(number % RECORD_SIZE).unwrap()));
                assert_eq!(row.unwrap_or_default(), of_fsspec(found), "{case}: {key}");
            }
        }
    }
}

#[test]
fn a_file_has_no_rows_past_its_end() {
    let files = files("pyarrow");
    let record = Record::parse(file(&files, "plane/refs.2.parq").unwrap()).unwrap();
    assert!(record.row(RECORD_SIZE - 1).is_ok());
    assert_eq!(record.row(RECORD_SIZE).unwrap_err().kind(), ErrorKind::Format);
}

#[test]
fn damage_is_an_error_or_another_table() {
    for case in expected().as_object().unwrap().keys() {
        let files = files(case);
        let (_, whole) = files.iter().find(|(name, _)| name.ends_with("refs.0.parq")).unwrap();
        for end in 0..whole.len() {
            let error = Record::parse(&whole[..end]).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Format | ErrorKind::Limit), "{case} {end}: {error}");
        }
        for bit in (0..8 * whole.len()).step_by(7) {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let Err(error) = Record::parse(&damaged) else { continue };
            let is_typed =
                matches!(error.kind(), ErrorKind::Format | ErrorKind::Limit | ErrorKind::Unsupported);
            assert!(is_typed, "{case} {bit}: {error}");
        }
    }
}
