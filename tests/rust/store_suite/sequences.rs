//! Random sequences of all operations, against a map from key to bytes.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use zarr_wasm::internals::store::ByteRange;

use super::Outcome;
use super::stores::{Made, Subject};

/// Chunks within the array and at its edge, one whose shard is past it, and others. A chunk past the
/// edge in a shard that is not goes with those that are within, as the text has it.
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
    SetPartial(Vec<(usize, u64, Vec<u8>)>),
    Get(Vec<(usize, ByteRange)>),
    Erase(usize),
    EraseValues(Vec<usize>),
    ErasePrefix(usize),
    List(usize),
}

type Model = BTreeMap<String, Vec<u8>>;

fn operation() -> impl Strategy<Value = Operation> {
    let key = 0..KEYS.len();
    let bytes = || prop::collection::vec(any::<u8>(), 0..24);
    let range = prop_oneof![
        Just(ByteRange::Whole),
        (0_u64..24, 1_u64..24).prop_map(|(offset, len)| ByteRange::FromStart { offset, len }),
        (1_u64..30).prop_map(ByteRange::Suffix),
        (0_u64..24).prop_map(ByteRange::from_offset),
    ];
    prop_oneof![
        4 => (key.clone(), bytes()).prop_map(|(key, bytes)| Operation::Set(key, bytes)),
        3 => prop::collection::vec((key.clone(), 0_u64..30, bytes()), 0..5).prop_map(Operation::SetPartial),
        3 => prop::collection::vec((key.clone(), range), 0..6).prop_map(Operation::Get),
        2 => key.clone().prop_map(Operation::Erase),
        2 => prop::collection::vec(key, 0..6).prop_map(Operation::EraseValues),
        1 => (0..PREFIXES.len()).prop_map(Operation::ErasePrefix),
        2 => (0..PREFIXES.len()).prop_map(Operation::List),
    ]
}

/// Runs sequences on stores made anew.
pub fn run(made: &Made) -> Outcome {
    let config = Config { cases: 60, failure_persistence: None, ..Config::default() };
    let sequences = prop::collection::vec(operation(), 1..30);
    let result = TestRunner::new(config).run(&sequences, |operations| {
        let (subject, mut model) = ((made.make)(), Model::new());
        for operation in &operations {
            apply(&subject, &mut model, operation).map_err(TestCaseError::fail)?;
        }
        check_all(&subject, &model).map_err(TestCaseError::fail)
    });
    result.map_err(|error| error.to_string())
}

fn apply(subject: &Subject, model: &mut Model, operation: &Operation) -> Outcome {
    let text = |error: zarr_wasm::internals::error::Error| format!("{operation:?}: {error:?}");
    match operation {
        Operation::Set(key, bytes) => {
            subject.set(KEYS[*key], bytes).map_err(text)?;
            model.insert(KEYS[*key].to_owned(), bytes.clone());
        }
        Operation::SetPartial(values) => return set_partial(subject, model, values),
        Operation::Get(asked) => return get(subject, model, asked),
        Operation::Erase(key) => {
            subject.erase(KEYS[*key]).map_err(text)?;
            model.remove(KEYS[*key]);
        }
        Operation::EraseValues(keys) => {
            let names: Vec<&str> = keys.iter().map(|key| KEYS[*key]).collect();
            subject.erase_values(&names).map_err(text)?;
            model.retain(|name, _| !names.contains(&name.as_str()));
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

fn set_partial(subject: &Subject, model: &mut Model, values: &[(usize, u64, Vec<u8>)]) -> Outcome {
    let overlap = values.iter().enumerate().any(|(i, (key, start, bytes))| {
        values[..i].iter().any(|(other, from, others)| {
            let is_apart = start + bytes.len() as u64 <= *from || from + others.len() as u64 <= *start;
            key == other && !is_apart && !bytes.is_empty() && !others.is_empty()
        })
    });
    let named: Vec<(&str, u64, &[u8])> =
        values.iter().map(|(key, start, bytes)| (KEYS[*key], *start, bytes.as_slice())).collect();
    match (subject.set_partial_values(&named), overlap) {
        (Err(_), true) => return Ok(()),
        (Ok(()), false) => {}
        (result, _) => return Err(format!("set_partial_values {values:?}: {result:?}")),
    }
    for (name, start, bytes) in named {
        let value = model.entry(name.to_owned()).or_default();
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        value.resize(value.len().max(start + bytes.len()), 0);
        value[start..start + bytes.len()].copy_from_slice(bytes);
    }
    Ok(())
}

fn get(subject: &Subject, model: &Model, asked: &[(usize, ByteRange)]) -> Outcome {
    let named: Vec<(&str, ByteRange)> = asked.iter().map(|(key, range)| (KEYS[*key], *range)).collect();
    let expected: Option<Vec<Option<Vec<u8>>>> = named
        .iter()
        .map(|(name, range)| match model.get(*name) {
            None => Some(None),
            Some(value) => cut(value, *range).map(Some),
        })
        .collect();
    match (subject.get_partial_values(&named), expected) {
        (Ok(found), Some(expected)) if found == expected => Ok(()),
        (Err(_), None) => Ok(()),
        (found, expected) => Err(format!("get {named:?}: found {found:?}, expected {expected:?}")),
    }
}

/// A part of a value; nothing where it begins past the end.
fn cut(value: &[u8], range: ByteRange) -> Option<Vec<u8>> {
    let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    match range {
        ByteRange::Whole => Some(value.to_vec()),
        ByteRange::Suffix(len) => Some(value[value.len().saturating_sub(at(len))..].to_vec()),
        ByteRange::FromStart { offset, .. } if at(offset) >= value.len() => None,
        ByteRange::FromStart { offset, len } => {
            Some(value[at(offset)..].iter().copied().take(at(len)).collect())
        }
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
    let are_prefixes = match subject.names_empty_prefixes {
        true => found_prefixes.is_superset(&prefixes),
        false => found_prefixes == prefixes,
    };
    if found_keys != keys || !are_prefixes {
        return Err(format!(
            "list_dir {prefix}: found {found_keys:?} {found_prefixes:?}, expected {keys:?} {prefixes:?}"
        ));
    }
    Ok(())
}

fn check_all(subject: &Subject, model: &Model) -> Outcome {
    for (i, name) in KEYS.iter().enumerate() {
        get(subject, model, &[(i, ByteRange::Whole)])?;
        let size = subject.size(name).map_err(|error| format!("{error:?}"))?;
        if size != model.get(*name).map(|value| value.len() as u64) {
            return Err(format!("size of {name}: {size:?}"));
        }
    }
    PREFIXES.iter().try_for_each(|prefix| list(subject, model, prefix))?;
    let listed = subject.list().map_err(|error| format!("{error:?}"))?;
    let expected: Vec<String> = model.keys().cloned().collect();
    if listed == expected { Ok(()) } else { Err(format!("list: found {listed:?}, expected {expected:?}")) }
}
