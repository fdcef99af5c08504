//! The rules of the TypeScript rooms, held by an ordinary test: which room may use which, what the
//! engine's worker must not hold, and that the files which `ARCHITECTURE.md` names exist. Biome
//! forbids import cycles (`biome.json`).

use std::fs;
use std::path::{Component, Path, PathBuf};

const ROOT: &str = env!("PROJECT_FOLDER");

/// The rooms of `src/ts`, and the rooms that each may use:
/// `entry → {adapter, compat} → {convention, api} → port ← engine`.
const LAYERS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("elements", &["model"]),
    ("codec", &["elements", "model"]),
    ("files", &["model"]),
    ("port", &["model"]),
    ("engine", &["port", "codec", "elements", "files", "model"]),
    ("store", &["port", "files", "model"]),
    ("api", &["store", "port", "codec", "elements", "model"]),
    ("convention", &["api", "port", "elements", "model"]),
    ("compat", &["api", "store", "port", "elements", "model"]),
    ("adapter", &["convention", "api", "elements", "model"]),
    ("entry", &["adapter", "compat", "convention", "api", "store", "port", "engine", "elements", "model"]),
];

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "ts") {
            found.push(path);
        }
    }
    found
}

/// The relative imports of a file, as paths below `src/ts`.
fn imports(path: &Path, root: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let folder = path.strip_prefix(root).unwrap_or(path).parent().unwrap_or(Path::new(""));
    let quoted = text.split('"').skip(1).step_by(2);
    quoted
        .filter(|name| (name.starts_with("./") || name.starts_with("../")) && name.ends_with(".ts"))
        .map(|name| normal(&folder.join(name)))
        .collect()
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

/// The room of a file; none for the files beside the rooms.
fn room(path: &Path) -> Option<String> {
    let mut parts = path.components();
    let first = parts.next()?.as_os_str().to_str()?.to_owned();
    parts.next().map(|_| first)
}

#[test]
fn typescript_rooms_use_only_the_rooms_that_they_may() {
    let root = Path::new(ROOT).join("src/ts");
    let all = files(&root);
    assert!(all.len() > 100, "{} files are too few: is src/ts elsewhere?", all.len());
    let mut broken = Vec::new();
    for path in all {
        let own = path.strip_prefix(&root).unwrap_or(&path);
        let Some(from) = room(own) else { continue };
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == from) else {
            broken.push(format!("{}: room {from} is in no layer", own.display()));
            continue;
        };
        for used in imports(&path, &root) {
            let Some(to) = room(&used) else { continue };
            if to != from && !allowed.contains(&to.as_str()) {
                broken.push(format!("{}: {from} uses {to} ({})", own.display(), used.display()));
            }
            if !root.join(&used).exists() {
                broken.push(format!("{}: there is no {}", own.display(), used.display()));
            }
        }
    }
    assert!(broken.is_empty(), "the layer rule of ARCHITECTURE.md:\n{}", broken.join("\n"));
}

#[test]
fn only_the_engine_names_the_wasm_glue() {
    let root = Path::new(ROOT).join("src/ts");
    let named = files(&root).into_iter().filter(|path| {
        let own = path.strip_prefix(&root).unwrap_or(path);
        let text = fs::read_to_string(path).unwrap_or_default();
        room(own).as_deref() != Some("engine")
            && (text.contains("\"#glue\"") || text.contains("\"#full-glue\""))
    });
    let named: Vec<_> = named.map(|path| path.display().to_string()).collect();
    assert!(named.is_empty(), "the page holds no wasm:\n{}", named.join("\n"));
}

/// The paths of files and folders that `ARCHITECTURE.md` names.
fn named_by_the_architecture() -> Vec<String> {
    let text = fs::read_to_string(Path::new(ROOT).join("ARCHITECTURE.md")).unwrap_or_default();
    let quoted = text.split('`').skip(1).step_by(2);
    let is_path = |name: &&str| ["src/", "tests/", "benches/"].iter().any(|folder| name.starts_with(folder));
    quoted.filter(is_path).map(str::to_owned).collect()
}

#[test]
fn the_architecture_names_files_that_exist() {
    let named = named_by_the_architecture();
    assert!(named.len() > 20, "ARCHITECTURE.md names {} files", named.len());
    let missing: Vec<_> = named.into_iter().filter(|name| !Path::new(ROOT).join(name).exists()).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names what is not there: {}", missing.join(", "));
}

/// Whether there is a file in a folder: git keeps none of those that are empty.
fn holds_files(folder: &Path) -> bool {
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.any(|path| path.is_file() || holds_files(&path))
}

#[test]
fn the_architecture_names_every_room() {
    let named = named_by_the_architecture();
    let rooms = ["src", "src/ts"].into_iter().flat_map(|folder| {
        let entries = fs::read_dir(Path::new(ROOT).join(folder)).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.path().is_dir() && holds_files(&entry.path()));
        folders.map(move |entry| format!("{folder}/{}", entry.file_name().to_string_lossy()))
    });
    let missing: Vec<_> = rooms.filter(|room| room != "src/ts" && !named.contains(room)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md has no line for {}", missing.join(", "));
}
