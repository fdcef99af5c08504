//! The rules that keep the tree readable, held by an ordinary test: the layer rule, file headers, file lengths, where `unsafe` may
//! stand, and that every codec's file is in the registry.

use std::fs;
use std::path::{Path, PathBuf};

/// Which rooms a room may use; a room may always use itself, `error`, `limits` and `sorted`.
const LAYERS: &[(&str, &[&str])] = &[
    ("kernel", &[]),
    ("format", &["kernel"]),
    ("access", &["format", "kernel"]),
    ("store", &["format"]),
    ("convention", &["format"]),
    ("hierarchy", &["access", "store", "format"]),
    ("js", &["hierarchy", "access", "store", "format", "convention"]),
];

const LONGEST_FILE: usize = 600;

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no {ending} files in {folder}");
    found
}

fn name(path: &Path) -> String {
    path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(path).display().to_string()
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", name(path)))
}

/// The lines before the file's own tests.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\n").next().unwrap_or_default().split("#[cfg(all(test").next().unwrap_or_default()
}

fn none(found: Vec<String>, rule: &str) {
    assert!(found.is_empty(), "{rule}:\n{}", found.join("\n"));
}

#[test]
fn rooms_use_only_the_rooms_below() {
    let mut broken = Vec::new();
    for (room, allowed) in LAYERS {
        for path in files("src", ".rs") {
            if !name(&path).starts_with(&format!("src/{room}/")) {
                continue;
            }
            let text = text(&path);
            for (number, line) in without_tests(&text).lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                for used in code.split("crate::").skip(1) {
                    let used =
                        used.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
                    let known = LAYERS.iter().any(|(layer, _)| *layer == used);
                    if known && used != *room && !allowed.contains(&used) {
                        broken.push(format!("{}:{}: {room} uses {used}", name(&path), number + 1));
                    }
                }
            }
        }
    }
    none(broken, "the layer rule of src/lib.rs");
}

#[test]
fn every_file_says_what_it_is() {
    let rust = files("src", ".rs")
        .into_iter()
        .chain(files("xtask", ".rs"))
        .filter(|path| !text(path).starts_with("//!"));
    let rust = rust.filter(|path| !name(path).contains("/target/"));
    let typescript = files("src/ts", ".ts").into_iter().chain(files("www", ".ts"));
    let typescript = typescript.filter(|path| !text(path).starts_with("/**"));
    none(rust.chain(typescript).map(|path| name(&path)).collect(), "a file has no header");
}

#[test]
fn files_stay_short() {
    let all = files("src", ".rs").into_iter().chain(files("src/ts", ".ts")).chain(files("www", ".ts"));
    let long = all.filter_map(|path| {
        let lines = text(&path).lines().count();
        (lines > LONGEST_FILE).then(|| format!("{}: {lines} lines", name(&path)))
    });
    none(long.collect(), "a file holds more than one thing");
}

#[test]
fn unsafe_stands_in_kernel_and_js_alone() {
    let elsewhere = files("src", ".rs").into_iter().filter(|path| {
        let name = name(path);
        let allowed = name.starts_with("src/kernel/") || name.starts_with("src/js/");
        let code = text(path);
        !allowed && code.lines().any(|line| line.split("//").next().unwrap_or_default().contains("unsafe {"))
    });
    none(elsewhere.map(|path| name(&path)).collect(), "unsafe stands where it may not");
}

#[test]
fn every_codec_is_in_the_registry() {
    let root = "src/format/codec/";
    let registry = text(&Path::new(env!("CARGO_MANIFEST_DIR")).join(root).join("registry.rs"));
    let missing = ["array_to_array", "array_to_bytes", "bytes_to_bytes"].into_iter().flat_map(|kind| {
        let folder = format!("{root}{kind}");
        let module = text(&Path::new(env!("CARGO_MANIFEST_DIR")).join(&folder).join("mod.rs"));
        let modules = module.lines().filter_map(|line| {
            let name = line.trim().strip_prefix("pub mod ").or(line.trim().strip_prefix("mod "))?;
            name.strip_suffix(';').map(str::to_owned)
        });
        let used = |name: &String| registry.contains(&format!("{kind}::{name}::parse"));
        let parses = |name: &String| {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(&folder).join(name);
            [file.with_extension("rs"), file.join("mod.rs")]
                .iter()
                .any(|file| fs::read_to_string(file).is_ok_and(|text| text.contains("pub fn parse(")))
        };
        modules
            .filter(parses)
            .filter(|name| !used(name))
            .map(|name| format!("{kind}::{name}"))
            .collect::<Vec<_>>()
    });
    none(missing.collect(), "a codec is in no line of the registry");
}

#[test]
fn there_are_no_drawers() {
    let drawers = ["util", "utils", "helper", "helpers", "common", "misc"];
    let all = files("src", "").into_iter().chain(files("www", ""));
    let named =
        all.filter(|path| path.file_stem().is_some_and(|stem| drawers.iter().any(|drawer| stem == *drawer)));
    none(named.map(|path| name(&path)).collect(), "a file is named for nothing");
}
