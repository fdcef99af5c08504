//! `src/contract/contract.ts` is made from the contract, and from lists in the source. The texts of
//! builds that the entries import, and the list of builds of the scripts, are made from the
//! contract. This test compares them. `npm run contract` writes them.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use zarr_wasm::format::codec::kind::CodecKind;
use zarr_wasm::format::codec::registry::{CodecEntry, ENTRIES, FAST};
use zarr_wasm::format::data_type::{Float, Integer};
use zarr_wasm_contract::{build_tables, typescript};
use zarr_wasm_conventions::known_conventions::{KNOWN, Known};
use zarr_wasm_kernel::number::NumberType;

/// The prefix that zarr-python gives numcodecs' codecs in v3 metadata.
const PREFIX: &str = "numcodecs.";

/// All names of some codecs.
fn names(wanted: impl Fn(&CodecEntry) -> bool) -> BTreeSet<&'static str> {
    let entries = ENTRIES.iter().filter(|entry| wanted(entry));
    let all = entries.map(|entry| [&[entry.name][..], entry.aliases, entry.v2_ids].concat());
    all.flatten().collect()
}

/// A constant with names by kind, in one text each.
fn by_kind(name: &str, docs: &str, names_of: impl Fn(CodecKind) -> BTreeSet<&'static str>) -> String {
    let mut text = format!("/** {docs} */\nexport const {name} = {{\n");
    for kind in [CodecKind::ArrayToArray, CodecKind::ArrayToBytes, CodecKind::BytesToBytes] {
        let names: Vec<&str> = names_of(kind).into_iter().collect();
        writeln!(text, "  {}: \"{}\",", kind.name(), names.join(" ")).unwrap();
    }
    text + "};\n\n"
}

/// The ids of numcodecs' codecs. An id that is the v3 name of a codec of another kind is none.
fn numcodecs(kind: CodecKind) -> BTreeSet<&'static str> {
    let of_kind = ENTRIES.iter().filter(|entry| entry.kind == kind);
    let ids = of_kind.flat_map(|entry| entry.v2_ids).copied();
    ids.filter(|id| !id.starts_with("imagecodecs_"))
        .filter(|id| !ENTRIES.iter().any(|entry| entry.name == *id && entry.kind != kind))
        .collect()
}

/// The bits of the number types, by name.
fn number_bits() -> String {
    let integers = |is_signed| {
        let all = Integer::ALL.into_iter().filter(move |integer| integer.is_signed() == is_signed);
        all.map(|integer| (integer.name(), integer.bits())).collect::<Vec<_>>()
    };
    let floats = Float::ALL.into_iter().map(|float| (float.name(), float.bits())).collect();
    let mut text = "{\n".to_owned();
    for (kind, types) in [("signed", integers(true)), ("unsigned", integers(false)), ("float", floats)] {
        let types: Vec<String> = types.iter().map(|(name, bits)| format!("{name}: {bits}")).collect();
        writeln!(text, "  {kind}: {{ {} }},", types.join(", ")).unwrap();
    }
    text + "}"
}

/// The lists that the source has elsewhere.
fn lists() -> String {
    let others = |kind| {
        let all = names(|entry| entry.kind == kind);
        let known = numcodecs(kind);
        let v3_names: Vec<&str> =
            ENTRIES.iter().filter(|entry| entry.kind != kind).map(|entry| entry.name).collect();
        let is_listed = |name: &str| known.contains(name.trim_start_matches(PREFIX));
        all.into_iter().filter(|name| !is_listed(name) && !v3_names.contains(name)).collect()
    };
    let numbers: Vec<String> =
        NumberType::ALL.iter().map(|number| format!("\"{}\"", number.name())).collect();
    let fast: Vec<&str> = names(|entry| FAST.contains(&entry.name)).into_iter().collect();
    let conventions = |wanted: fn(&Known) -> bool| {
        let ids = KNOWN.iter().filter(|known| wanted(known)).map(|known| format!("\"{}\"", known.id));
        format!("[{}] as const", ids.collect::<Vec<_>>().join(", "))
    };
    let listed = |name, docs, list: &str| format!("/** {docs} */\nexport const {name} = {list};\n\n");
    [
        listed(
            "NUMBER_TYPES",
            "The types of numbers. Requests have their indices.",
            &format!("[{}] as const", numbers.join(", ")),
        ),
        listed(
            "NUMBER_BITS",
            "The significant bits of integers with a sign and without one, and of floats, by name.",
            &number_bits(),
        ),
        by_kind(
            "NUMCODECS",
            "The ids of numcodecs' codecs, which are also known with the prefix `numcodecs.`.",
            numcodecs,
        ),
        by_kind("OTHER_CODECS", "The names of all other codecs.", others),
        listed("KNOWN_CONVENTIONS", "The conventions that this package implements.", &conventions(|_| true)),
        listed(
            "DECLARABLE_CONVENTIONS",
            "Those of them that a node can declare.",
            &conventions(|known| !known.uuid.is_empty()),
        ),
        listed(
            "FAST_CODECS",
            "The names of codecs that take about as long as copying.",
            &format!("\"{}\"", fast.join(" ")),
        ),
    ]
    .concat()
    .trim_end()
    .to_owned()
        + "\n"
}

#[test]
fn the_committed_files_are_what_the_contract_says() {
    for (file, made) in [
        ("src/contract/contract.ts", typescript::contract(&lists())),
        ("src/package/entry/source/lazy_texts.ts", build_tables::lazy_texts()),
        ("src/package/entry/source/whole_texts.ts", build_tables::whole_texts()),
        ("scripts/builds.json", build_tables::builds_for_scripts()),
    ] {
        let path = Path::new(env!("PROJECT_FOLDER")).join(file);
        if std::env::var_os("WRITE_CONTRACT").is_some() {
            fs::write(&path, &made).unwrap();
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == made, "{file} is old: run `npm run contract`");
    }
}
