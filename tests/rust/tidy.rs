//! The rules that keep the tree readable and that cargo and the compiler do not hold: layers within
//! a crate, import cycles, file headers, file lengths, which builds have serde and which have other
//! formats, that what is below the engine does not know who runs it, and that every codec's file is
//! in the registry.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "tidy/comments.rs"]
mod comments;

/// Which other rooms of the core and the engine a room may use. Between crates, cargo holds the
/// rule.
const LAYERS: &[(&str, &[&str])] = &[
    ("core/format", &[]),
    ("core/access", &["format"]),
    ("core/sans_io", &["access", "format"]),
    ("engine/rust/store", &["format"]),
    ("engine/rust/read", &["access", "store", "format"]),
    ("engine/rust/write", &["read", "access", "store", "format"]),
    ("engine/rust/hierarchy", &["read", "write", "access", "store", "format"]),
    ("engine/rust/js", &["hierarchy", "read", "write", "access", "store", "format"]),
];

/// Folders whose files import each other: what they describe contains itself, as chains of codecs
/// and types of structs do, or a file has a type that the files of its folder make and take.
const CIRCLES: &[&str] = &["conventions/pyramid", "core/access/chunk_update", "core/format"];

const LONGEST_FILE: usize = 600;

/// Written by a generator, so that its length is that of what it is made of.
const GENERATED: &str = "src/contract/contract.ts";

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![Path::new(env!("PROJECT_FOLDER")).join(folder)];
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
    path.strip_prefix(env!("PROJECT_FOLDER")).unwrap_or(path).display().to_string()
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", name(path)))
}

/// The lines before the file's own tests: a module in the file, not one that is in another.
fn without_tests(text: &str) -> &str {
    let is_attribute = |line: &str| line.starts_with("#[");
    let is_module = |line: &str| line.contains("mod ") && line.ends_with('{');
    let starts = text.match_indices("\n#[cfg(").map(|(at, _)| at + 1);
    let mut tests = starts.filter(|at| {
        let rest = &text[*at..];
        let of_tests = rest.starts_with("#[cfg(test)]") || rest.starts_with("#[cfg(all(test");
        of_tests && rest.lines().find(|line| !is_attribute(line)).is_some_and(is_module)
    });
    tests.next().map_or(text, |at| &text[..at])
}

fn none(found: Vec<String>, rule: &str) {
    assert!(found.is_empty(), "{rule}:\n{}", found.join("\n"));
}

/// What a line names in `crate::…`: the first word.
fn named_rooms(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    code.split("crate::")
        .skip(1)
        .filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next())
}

#[test]
fn rooms_use_only_the_rooms_below() {
    let is_room = |named: &str| LAYERS.iter().any(|(room, _)| room.ends_with(&format!("/{named}")));
    let mut broken = Vec::new();
    for (room, allowed) in LAYERS {
        let of_room = files("src", ".rs").into_iter().filter(|path| {
            let name = name(path);
            name.starts_with(&format!("src/{room}/")) || name == format!("src/{room}.rs")
        });
        for path in of_room {
            for (number, line) in without_tests(&text(&path)).lines().enumerate() {
                let used =
                    named_rooms(line).filter(|used| is_room(used) && !room.ends_with(&format!("/{used}")));
                let above = used.filter(|used| !allowed.contains(used));
                broken
                    .extend(above.map(|used| format!("{}:{}: {room} uses {used}", name(&path), number + 1)));
            }
        }
    }
    none(broken, "the layer rule of src/engine/rust/lib.rs");
}

/// The modules of the crates, each with its file: `["engine", "read", "drive"]`.
fn modules() -> BTreeMap<Vec<String>, PathBuf> {
    let own = files("src", ".rs").into_iter().filter(|path| !name(path).contains("/tests"));
    let named = own.map(|path| {
        let module = name(&path).replacen("/rust/", "/", 1);
        let module = module.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
        (module.split('/').map(str::to_owned).collect(), path)
    });
    named.collect()
}

/// The paths that a `use` names: `a::{b, c::d}` are `a::b` and `a::c::d`.
fn named_paths(tree: &str) -> Vec<String> {
    let Some((before, rest)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let inside = rest.rsplit_once('}').map_or(rest, |(inside, _)| inside);
    let (mut depth, mut branches) = (0, vec![String::new()]);
    for letter in inside.chars() {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        match branches.last_mut() {
            Some(branch) if letter != ',' || depth > 0 => branch.push(letter),
            _ => branches.push(String::new()),
        }
    }
    let named =
        branches.iter().filter(|branch| !branch.trim().is_empty()).flat_map(|branch| named_paths(branch));
    named.map(|path| format!("{}{path}", before.trim())).collect()
}

/// What a file names of its crate, as paths that begin with the crate: `crate::…`, `super::…`, and
/// what a `use` names of the modules below.
fn paths_from_the_root(text: &str, module: &[String]) -> Vec<Vec<String>> {
    let code: String = without_tests(text).lines().filter_map(|line| line.split("//").next()).collect();
    let (own, inside) = module.split_first().unwrap();
    let code = (1..=inside.len()).rev().fold(code, |code, up| {
        let above: String = inside[..inside.len() - up].iter().map(|part| format!("{part}::")).collect();
        code.replace(&"super::".repeat(up), &format!("crate::{above}"))
    });
    let end = |rest: &str| rest.find([';', ' ', ')', '>', ',', '(', '<']).unwrap_or(rest.len());
    let after = |start: &'static str| code.match_indices(start).map(move |(at, _)| at + start.len());
    let anywhere = after("crate::").flat_map(|at| {
        let rest = &code[at..];
        match rest.find('{') {
            Some(brace) if brace < end(rest) => named_paths(rest.split(';').next().unwrap_or(rest)),
            _ => vec![rest[..end(rest)].to_owned()],
        }
    });
    let below =
        after("use ").map(|at| format!("{}::{}", inside.join("::"), &code[at..at + end(&code[at..])]));
    let paths = anywhere.chain(below).map(|path| {
        let parts = path.split("::").map(|part| part.trim().to_owned());
        std::iter::once(own.clone()).chain(parts).collect()
    });
    paths.collect()
}

/// Which files of the crate each file imports.
fn imports() -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    let modules = modules();
    let longest_known = |path: Vec<String>| {
        let mut known = (1..=path.len()).rev().map(|len| path[..len].to_vec());
        known.find(|path| modules.contains_key(path))
    };
    let of_file = |(module, path): (&Vec<String>, &PathBuf)| {
        let paths = paths_from_the_root(&text(path), module);
        let imported = paths.into_iter().filter_map(longest_known).filter(|other| other != module);
        (module.clone(), imported.collect())
    };
    modules.iter().map(of_file).collect()
}

/// All that a file imports, be it by way of others.
fn reached(from: &[String], imports: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>) -> BTreeSet<Vec<String>> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from.to_vec()]);
    while let Some(module) = open.pop() {
        for next in imports.get(&module).into_iter().flatten() {
            if found.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    found
}

#[test]
fn no_two_files_import_each_other() {
    let imports = imports();
    assert!(imports.values().map(BTreeSet::len).sum::<usize>() > 500, "imports are found");
    let in_cycles = imports.keys().filter(|module| {
        let is_held = !CIRCLES.iter().any(|folder| module.join("/").starts_with(folder));
        is_held && reached(module, &imports).contains(*module)
    });
    none(in_cycles.map(|module| module.join("/")).collect(), "files import each other");
}

/// The folder that a module is in, no deeper than the second of its crate.
fn folder(path: &Path) -> String {
    let dirs = path.parent().map(name).unwrap_or_default().replacen("/rust", "", 1);
    dirs.split('/').take(4).collect::<Vec<_>>().join("/")
}

#[test]
fn no_circle_of_imports_leaves_its_folder() {
    let (imports, modules) = (imports(), modules());
    let all: BTreeMap<_, _> = imports.keys().map(|module| (module, reached(module, &imports))).collect();
    let folder_of = |module: &Vec<String>| modules.get(module).map(|path| folder(path));
    let circles = all.iter().flat_map(|(one, reached)| {
        let back =
            reached.iter().filter(|other| all.get(other).is_some_and(|reached| reached.contains(*one)));
        let elsewhere = back.filter(|other| folder_of(other) != folder_of(one));
        elsewhere.map(|other| format!("{} and {}", one.join("/"), other.join("/")))
    });
    none(circles.collect(), "files of different folders import each other");
}

#[test]
fn every_file_says_what_it_is() {
    let rust = files("src", ".rs")
        .into_iter()
        .chain(files("xtask", ".rs"))
        .filter(|path| !text(path).starts_with("//!"));
    let rust = rust.filter(|path| !name(path).contains("/target/"));
    let typescript = files("src", ".ts").into_iter().chain(files("www", ".ts"));
    let typescript =
        typescript.filter(|path| !text(path).trim_start_matches("#!/usr/bin/env node\n").starts_with("/**"));
    none(rust.chain(typescript).map(|path| name(&path)).collect(), "a file has no header");
}

#[test]
fn files_stay_short() {
    let all = files("src", ".rs").into_iter().chain(files("src", ".ts")).chain(files("www", ".ts"));
    let long = all.filter_map(|path| {
        let lines = text(&path).lines().count();
        (lines > LONGEST_FILE && name(&path) != GENERATED).then(|| format!("{}: {lines} lines", name(&path)))
    });
    none(long.collect(), "a file holds more than one thing");
}

/// `cargo test` would leave out the tests of a crate that only one list has.
#[test]
fn cargo_tests_every_crate_but_xtask() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--offline", "--no-deps", "--format-version", "1"]);
    let output = cargo.current_dir(env!("PROJECT_FOLDER")).output().unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let crates = |list: &str| -> BTreeSet<String> {
        let ids = metadata[list].as_array().unwrap().iter();
        ids.map(|id| id.as_str().unwrap().to_owned()).collect()
    };
    let (members, tested) = (crates("workspace_members"), crates("workspace_default_members"));
    let left_out: Vec<_> = members.difference(&tested).collect();
    assert!(left_out.len() == 1 && left_out[0].contains("/xtask#"), "left out: {left_out:?}");
}

/// The packages in the wasm of a crate with these features.
fn packages(package: &str, features: &str) -> Vec<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--package", package, "--edges", "normal", "--prefix", "none"]);
    cargo.args(["--target", "wasm32-unknown-unknown", "--no-default-features", "--features", features]);
    let output = cargo.current_dir(env!("PROJECT_FOLDER")).output().unwrap();
    assert!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn serde_is_in_no_module_that_every_reader_downloads() {
    for (features, has_serde) in
        [("", false), ("images", false), ("grib", false), ("reading", true), ("full", true)]
    {
        let found = packages("zarr-wasm-engine", features);
        assert!(found.iter().any(|package| package == "wasm-bindgen"), "packages are found");
        for package in ["serde", "serde_core", "serde_json", "serde-wasm-bindgen"] {
            let is_there = found.iter().any(|name| name == package);
            assert!(has_serde || !is_there, "{package} is in the build with features {features:?}");
        }
        assert_eq!(found.iter().any(|name| name == "serde_json"), has_serde, "features {features:?}");
    }
}

#[test]
fn other_formats_are_in_the_builds_that_read_them_alone() {
    let formats = ["grib", "icechunk", "jpeg2000", "parquet"];
    for (features, expected) in [
        ("", &[][..]),
        ("images", &["jpeg2000"]),
        ("grib", &["grib", "jpeg2000"]),
        ("reading", &["icechunk", "parquet"]),
        ("full", &["icechunk", "parquet"]),
    ] {
        let found = packages("zarr-wasm-engine", features);
        let has = |format: &&&str| found.iter().any(|package| *package == format!("zarr-wasm-{format}"));
        let there: Vec<_> = formats.iter().filter(has).copied().collect();
        assert_eq!(there, expected, "formats in the build with features {features:?}");
    }
}

/// The crates that do not know who runs them.
const HOSTLESS: &[&str] = &["core", "grib", "http", "icechunk", "jpeg2000", "kernel", "parquet"];

#[test]
fn what_is_below_the_engine_names_no_language_of_its_host() {
    let is_named = |line: &str| {
        let line = line.to_lowercase();
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        line.contains("javascript") || line.contains("typescript") || words.any(|word| word == "js")
    };
    let of_crates = HOSTLESS.iter().flat_map(|name| files(&format!("src/{name}"), ""));
    let named = of_crates.flat_map(|path| {
        let text = text(&path);
        let lines = text.lines().enumerate().filter(|(_, line)| is_named(line));
        lines.map(|(number, _)| format!("{}:{}", name(&path), number + 1)).collect::<Vec<_>>()
    });
    none(named.collect(), "say \"the host\", or tell it in src/engine or src/contract");
}

#[test]
fn every_codec_is_in_the_registry() {
    let root = "src/core/format/codec/";
    let registry = text(&Path::new(env!("PROJECT_FOLDER")).join(root).join("registry.rs"));
    let missing = ["array_to_array", "array_to_bytes", "bytes_to_bytes"].into_iter().flat_map(|kind| {
        let folder = format!("{root}{kind}");
        let module = text(&Path::new(env!("PROJECT_FOLDER")).join(&folder).join("mod.rs"));
        let modules = module.lines().filter_map(|line| {
            let name = line.trim().strip_prefix("pub mod ").or(line.trim().strip_prefix("mod "))?;
            name.strip_suffix(';').map(str::to_owned)
        });
        let used = |name: &String| registry.contains(&format!("{kind}::{name}::bind"));
        let binds = |name: &String| {
            let file = Path::new(env!("PROJECT_FOLDER")).join(&folder).join(name);
            [file.with_extension("rs"), file.join("mod.rs")]
                .iter()
                .any(|file| fs::read_to_string(file).is_ok_and(|text| text.contains("pub fn bind(")))
        };
        modules
            .filter(binds)
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
