//! Random sequences of all operations, against a map from key to bytes.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use zarr_wasm_engine::internals::store::ByteRange;

use super::Outcome;
use super::stores::{Made, Subject};

/// Chunks within the array and at its edge, one whose shard is past it, and others.
const KEYS: &[&str] = &[
    "zarr.json",
    "meta/a.array.json",
    "data/a/c0/0",
    "data/a/c0/1",
    "data/a/c1/0",
    "data/a/c2/1",
    "data/a/c3/2",
    "data/a/c4/3",
    "data/a/c6/4",
    "data/a/c6/3",
    "data/a/c12/1",
    "data/a/c0.1",
    "data/a/c6.4",
    "data/a/other",
    "data/a/c00/0",
    "data/b/c0/0",
];

const PREFIXES: &[&str] = &[
    "",
    "meta",
    "data",
    "data/a",
    "data/a/c0",
    "data/a/c1",
    "data/a/c2",
    "data/a/c6",
    "data/a/c0/0",
    "data/b",
];

#[derive(Clone, Debug)]
enum Operation {
    Set(usize, Vec<u8>),
    Get(usize, ByteRange),
    Erase(usize),
    ErasePrefix(usize),
    List(usize),
}

type Model = BTreeMap<String, Vec<u8>>;

fn operation() -> impl Strategy<Value = Operation> {
    let key = 0..KEYS.len();
    let bytes = prop::collection::vec(any::<u8>(), 0..24);
    let range = prop_oneof![
        Just(ByteRange::Whole),
        (0_u64..24, 1_u64..24).prop_map(|(offset, len)| ByteRange::At { offset, len }),
        (1_u64..30).prop_map(ByteRange::Last),
        (0_u64..24).prop_map(ByteRange::from_offset),
    ];
    prop_oneof![
        4 => (key.clone(), bytes).prop_map(|(key, bytes)| Operation::Set(key, bytes)),
        3 => (key.clone(), range).prop_map(|(key, range)| Operation::Get(key, range)),
        2 => key.prop_map(Operation::Erase),
        1 => (0..PREFIXES.len()).prop_map(Operation::ErasePrefix),
        2 => (0..PREFIXES.len()).prop_map(Operation::List),
    ]
}

/// Runs sequences on stores made anew.
pub fn run(made: &Made) -> Outcome {
    let config = Config { cases: 60, failure_persistence: None, ..Config::default() };
    let sequences = prop::collection::vec(operation(), 1..30);
    let result = TestRunner::new(config).run(&sequences, |operations| {
        let (subject, mut model) = (made.subject(), Model::new());
        for operation in &operations {
            apply(&subject, &mut model, operation).map_err(TestCaseError::fail)?;
        }
        check_all(&subject, &model).map_err(TestCaseError::fail)
    });
    result.map_err(|error| error.to_string())
}

fn apply(subject: &Subject, model: &mut Model, operation: &Operation) -> Outcome {
    let text = |error: zarr_wasm::error::Error| format!("{operation:?}: {error:?}");
    match operation {
        Operation::Set(key, bytes) => {
            subject.set(KEYS[*key], bytes).map_err(text)?;
            model.insert(KEYS[*key].to_owned(), bytes.clone());
        }
        Operation::Get(key, range) => return get(subject, model, KEYS[*key], *range),
        Operation::Erase(key) => {
            subject.erase(KEYS[*key]).map_err(text)?;
            model.remove(KEYS[*key]);
        }
        Operation::ErasePrefix(prefix) => {
            subject.erase_prefix(PREFIXES[*prefix]).map_err(text)?;
            model.retain(|name, _| !is_below(name, PREFIXES[*prefix]));
        }
        Operation::List(prefix) => return list(subject, model, PREFIXES[*prefix]),
    }
    Ok(())
}

fn is_below(name: &str, prefix: &str) -> bool {
    prefix.is_empty() || name.starts_with(&format!("{prefix}/"))
}

fn get(subject: &Subject, model: &Model, name: &str, range: ByteRange) -> Outcome {
    let expected = match model.get(name) {
        None => Some(None),
        Some(value) => cut(value, range).map(Some),
    };
    match (subject.get(name, range), expected) {
        (Ok(found), Some(expected)) if found == expected => Ok(()),
        (Err(_), None) => Ok(()),
        (found, expected) => Err(format!("get {name} {range:?}: found {found:?}, expected {expected:?}")),
    }
}

/// A part of a value; nothing where it begins past the end.
fn cut(value: &[u8], range: ByteRange) -> Option<Vec<u8>> {
    let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    match range {
        ByteRange::Whole => Some(value.to_vec()),
        ByteRange::Last(len) => Some(value[value.len().saturating_sub(at(len))..].to_vec()),
        ByteRange::At { offset, .. } if at(offset) >= value.len() => None,
        ByteRange::At { offset, len } => Some(value[at(offset)..].iter().copied().take(at(len)).collect()),
    }
}

fn list(subject: &Subject, model: &Model, prefix: &str) -> Outcome {
    let below: Vec<String> = model.keys().filter(|name| is_below(name, prefix)).cloned().collect();
    let found = subject.list_prefix(prefix).map_err(|error| format!("{error:?}"))?;
    if found != below {
        return Err(format!("list_prefix {prefix}: found {found:?}, expected {below:?}"));
    }
    let start = if prefix.is_empty() { 0 } else { prefix.len() + 1 };
    let (mut keys, mut prefixes) = (Vec::new(), BTreeSet::new());
    for name in &below {
        match name[start..].split_once('/') {
            None => keys.push(name.clone()),
            Some((child, _)) => {
                prefixes.insert(format!("{}{child}", &name[..start]));
            }
        }
    }
    let (found_keys, found_prefixes) = subject.list_dir(prefix).map_err(|error| format!("{error:?}"))?;
    let found_prefixes: BTreeSet<String> = found_prefixes.into_iter().collect();
    if found_keys != keys || found_prefixes != prefixes {
        return Err(format!(
            "list_dir {prefix}: found {found_keys:?} {found_prefixes:?}, expected {keys:?} {prefixes:?}"
        ));
    }
    Ok(())
}

fn check_all(subject: &Subject, model: &Model) -> Outcome {
    for name in KEYS {
        get(subject, model, name, ByteRange::Whole)?;
        let size = subject.size(name).map_err(|error| format!("{error:?}"))?;
        if size != model.get(*name).map(|value| value.len() as u64) {
            return Err(format!("size of {name}: {size:?}"));
        }
    }
    PREFIXES.iter().try_for_each(|prefix| list(subject, model, prefix))
}
