//! Metadata with random changes: every document of the fixtures, changed at random, is
//! read and bound, or refused with an error that says who must act; without a panic, and with no
//! more memory than a chunk's worth of bookkeeping.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod counting;

use std::path::{Path, PathBuf};

use counting::peak;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use support::{archive_files, entries, fixtures};
use zarr_wasm::access::binding::Binding;
use zarr_wasm::error::{Error, ErrorKind};
use zarr_wasm::format::metadata::NodeMetadata;
use zarr_wasm::format::metadata::ZarrFormat;
use zarr_wasm::format::metadata::document::{NodeDocument, ZARR_JSON, ZARRAY, ZATTRS, ZGROUP, parse};

/// Beside the text itself, whatever it claims.
const MAX_MEMORY_BYTES: usize = 48 << 20;

/// The archives below a folder.
fn archives(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in entries(folder) {
        if path.is_dir() {
            found.extend(archives(&path));
        } else if path.to_string_lossy().ends_with(".tar.gz") {
            found.push(path);
        }
    }
    found
}

/// Key suffix and text of every document in the fixtures, once each.
fn documents() -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for (name, bytes) in archives(&fixtures()).iter().flat_map(|path| archive_files(path)) {
        let name = name.rsplit('/').next().unwrap_or_default();
        if let Some(suffix) = [ZARR_JSON, ZARRAY, ZATTRS, ZGROUP].into_iter().find(|known| *known == name) {
            found.extend(String::from_utf8(bytes).ok().map(|text| (suffix, text)));
        }
    }
    found.retain(|(_, text)| text.len() < 20_000);
    found.sort();
    found.dedup();
    found
}

/// Everything that opening an array does with its metadata before a chunk is asked for.
fn open(suffix: &str, text: &str) -> Result<(), Error> {
    let texts: Vec<(&str, &[u8])> = match suffix {
        ZATTRS => vec![(ZGROUP, br#"{"zarr_format":2}"#), (ZATTRS, text.as_bytes())],
        _ => vec![(suffix, text.as_bytes())],
    };
    let format = if suffix == ZARR_JSON { ZarrFormat::V3 } else { ZarrFormat::V2 };
    let NodeMetadata::Array(array) = parse(&NodeDocument::read(format, &texts)?)? else { return Ok(()) };
    let grid = array.chunk_grid.grid_shape(&array.shape);
    let last: Vec<u64> = grid.iter().map(|count| count.saturating_sub(1)).collect();
    array.chunk_key_encoding.encode(&last);
    array.chunk_grid.chunk_shape(&last);
    let binding = Binding::of(*array)?;
    binding.chain_of(&last)?;
    binding.leaf_grid()?;
    binding.native_order()?;
    Ok(())
}

fn check(suffix: &str, text: &str) -> Result<(), TestCaseError> {
    let (result, bytes) = peak(|| open(suffix, text));
    if let Err(error) = &result {
        let kinds = [ErrorKind::Format, ErrorKind::Limit, ErrorKind::Unsupported, ErrorKind::NotFound];
        prop_assert!(kinds.contains(&error.kind()), "{error:?} of {text}");
    }
    prop_assert!(bytes <= MAX_MEMORY_BYTES + 64 * text.len(), "{bytes} bytes, {result:?} of {text}");
    Ok(())
}

/// The value that replaces another one.
fn value() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1),
        json!(7),
        json!(1.5),
        json!(1e300),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1_u64 << 31),
        json!(1_u64 << 62),
        json!(""),
        json!("x"),
        json!("NaN"),
        json!("<f8"),
        json!("|O"),
        json!("r8"),
        json!("default"),
        json!("bytes"),
        json!("sharding_indexed"),
        json!([]),
        json!([0]),
        json!([u64::MAX, u64::MAX]),
        json!([[1, 1_000_000_000_u64], 3]),
        json!({}),
        json!({"name": "bytes"}),
        json!({"name": "gzip", "configuration": {"level": 1}}),
        json!({"id": "zlib", "level": 1}),
        json!({"must_understand": false}),
    ])
}

/// How a value in a document is changed.
#[derive(Clone, Debug)]
enum Change {
    Replace(Value),
    Remove,
    Repeat,
    Add(String, Value),
}

fn change() -> impl Strategy<Value = Change> {
    let keys =
        ["name", "configuration", "must_understand", "endian", "order", "codecs", "level", "unit", "fields"];
    prop_oneof![
        4 => value().prop_map(Change::Replace),
        2 => Just(Change::Remove),
        1 => Just(Change::Repeat),
        1 => (prop::sample::select(keys.to_vec()), value()).prop_map(|(key, value)| Change::Add(key.into(), value)),
    ]
}

/// The paths to every value of a document.
fn pointers(value: &Value, path: &mut Vec<String>, all: &mut Vec<String>) {
    all.push(path.concat());
    let entries: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(list) => list.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (key, inner) in entries {
        path.push(format!("/{}", key.replace('~', "~0").replace('/', "~1")));
        pointers(inner, path, all);
        path.pop();
    }
}

fn apply(document: &mut Value, chosen: Index, change: &Change) {
    let mut all = Vec::new();
    pointers(document, &mut Vec::new(), &mut all);
    let pointer = chosen.get(&all).clone();
    let Some((parent, key)) = pointer.rsplit_once('/') else { return };
    let key = key.replace("~1", "/").replace("~0", "~");
    match (change, document.pointer_mut(parent)) {
        (Change::Replace(value), _) => *document.pointer_mut(&pointer).unwrap() = value.clone(),
        (Change::Remove, Some(Value::Object(members))) => drop(members.remove(&key)),
        (Change::Remove, Some(Value::Array(list))) => drop(list.remove(key.parse().unwrap())),
        (Change::Repeat, Some(Value::Array(list))) => {
            let again = list[key.parse::<usize>().unwrap()].clone();
            list.extend(std::iter::repeat_n(again, 70));
        }
        (Change::Add(name, value), Some(Value::Object(members))) => {
            members.insert(name.clone(), value.clone());
        }
        _ => {}
    }
}

#[test]
fn most_documents_open_as_they_are() {
    let documents = documents();
    let opened = documents.iter().filter(|(suffix, text)| open(suffix, text).is_ok()).count();
    assert!(opened > 700 && opened > documents.len() / 2, "{opened} of {}", documents.len());
}

thread_local!(static DOCUMENTS: Vec<(&'static str, String)> = documents());

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_that_change_are_read_or_refused(
        which in any::<Index>(),
        changes in prop::collection::vec((any::<Index>(), change()), 1..4),
    ) {
        DOCUMENTS.with(|documents| {
            let (suffix, text) = which.get(documents);
            let Ok(mut document) = serde_json::from_str::<Value>(text) else { return Ok(()) };
            for (chosen, change) in &changes {
                apply(&mut document, *chosen, change);
            }
            check(suffix, &document.to_string())
        })?;
    }

    #[test]
    fn characters_that_change_are_read_or_refused(
        which in any::<Index>(),
        damages in prop::collection::vec((any::<Index>(), "[\\x20-\\x7e]{0,3}"), 1..4),
    ) {
        DOCUMENTS.with(|documents| {
            let (suffix, text) = which.get(documents);
            let mut characters: Vec<char> = text.chars().collect();
            for (chosen, other) in &damages {
                if characters.is_empty() {
                    break;
                }
                let at = chosen.index(characters.len());
                characters.splice(at..=at, other.chars());
            }
            check(suffix, &characters.into_iter().collect::<String>())
        })?;
    }
}
