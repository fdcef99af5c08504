//! Every convention's documents, against the verdict of its own library
//! (`tests/fixtures/conventions/documents`): an invalid document has a finding against a "must", a
//! valid one has none. Where we differ on purpose, `DELIBERATE` says why.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{ask, errors};

/// Where our verdict is another on purpose: files whose names begin so, what we say, changes that
/// are such, and why.
struct Difference {
    files: &'static str,
    valid: bool,
    applies: fn(&str, &Value) -> bool,
    #[allow(dead_code)] // for the reader
    why: &'static str,
}

const DELIBERATE: &[Difference] = &[
    Difference {
        files: "geozarr-toolkit",
        valid: false,
        applies: |_, _| true,
        why: "it takes booleans for numbers and null for absent, and checks neither paths, nor lengths, nor dimension names",
    },
    Difference {
        files: "ome-",
        valid: false,
        applies: |at, _| ["/axes", "/scale", "/translation"].iter().any(|part| at.contains(part)),
        why: "the text wants names and units that are texts, and a number an axis; the schema cannot say so",
    },
    Difference {
        files: "ome-0.6",
        valid: false,
        applies: |at, _| at.ends_with("/type") || at.ends_with("/coordinateSystems"),
        why: "the text wants a type, and every name once",
    },
    Difference {
        files: "ome-",
        valid: true,
        applies: |at, set| at.ends_with("/version") && set.is_string(),
        why: "a version that is not known is a warning: readers may try",
    },
    Difference {
        files: "ome-",
        valid: true,
        applies: |at, set| is_model(at) && set.is_null(),
        why: "without its object a document is none of this kind",
    },
    Difference {
        files: "ome-",
        valid: false,
        applies: |at, set| is_model(at) && set.is_null(),
        why: "likewise, where the schema asks for nothing",
    },
    Difference {
        files: "zarr-cm-proj",
        valid: true,
        applies: |_, set| set.is_null(),
        why: "the text lets null stand for none; a warning",
    },
    Difference {
        files: "zarr-cm-proj",
        valid: false,
        applies: |at, _| at.starts_with("/proj:projjson"),
        why: "PROJJSON has a type",
    },
    Difference {
        files: "zarr-cm-declarations",
        valid: false,
        applies: |at, set| set.is_string() || at == "/zarr_conventions",
        why: "identifiers are UUIDs and URLs, and null is no list",
    },
    Difference {
        files: "zarr-cm-spatial-array",
        valid: false,
        applies: |at, _| at.starts_with("/spatial:dimensions"),
        why: "the names must be among the array's dimension names",
    },
];

fn is_model(at: &str) -> bool {
    let at = at.strip_prefix("/ome").unwrap_or(at);
    ["/multiscales", "/plate", "/well", "/image-label"].contains(&at)
}

/// The committed documents, or those of a folder of the same form.
fn documents() -> Vec<PathBuf> {
    let own = Path::new(env!("PROJECT_FOLDER")).join("tests/fixtures/conventions/documents");
    let folder = std::env::var_os("ZARR_CONVENTION_DOCUMENTS").map_or(own, PathBuf::from);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    assert!(!files.is_empty(), "no documents");
    files
}

fn change(attributes: &mut Value, case: &Value) {
    let (parent, last) = case["at"].as_str().unwrap().rsplit_once('/').unwrap();
    let last = last.replace("~1", "/").replace("~0", "~");
    let removes = case.get("set").is_none() && case.get("twice").is_none();
    let slot = match attributes.pointer_mut(parent).unwrap() {
        Value::Array(items) if removes => return drop(items.remove(last.parse().unwrap())),
        Value::Object(members) if removes => return drop(members.remove(&last)),
        Value::Array(items) => &mut items[last.parse::<usize>().unwrap()],
        Value::Object(members) => members.get_mut(&last).unwrap(),
        other => panic!("nothing to change in {other}"),
    };
    if let Some(value) = case.get("set") {
        *slot = value.clone();
    } else {
        let first = slot[0].clone();
        slot.as_array_mut().unwrap().push(first);
    }
}

/// A document that lost what it is recognised by is none of the convention.
fn is_valid(node: &Value, convention: &str) -> (bool, Vec<String>) {
    let answer = ask(&json!({ "operation": "examine", "node": node }));
    let has = answer["conventions"].as_array().unwrap().iter().any(|one| one["known"] == convention);
    let errors = errors(node, convention);
    (errors.is_empty() && (has || convention == "zarr_conventions"), errors)
}

#[test]
fn the_verdict_is_that_of_the_library() {
    let (mut count, mut differing) = (0, Vec::new());
    for file in documents() {
        let document: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let convention = document["convention"].as_str().unwrap();
        assert_eq!(errors(&document["node"], convention), Vec::<String>::new(), "{name}");
        for case in document["cases"].as_array().unwrap() {
            count += 1;
            let mut node = document["node"].clone();
            change(&mut node["attributes"], case);
            let (valid, errors) = is_valid(&node, convention);
            let (at, set) = (case["at"].as_str().unwrap(), case.get("set").unwrap_or(&Value::Null));
            let deliberate = DELIBERATE.iter().any(|difference| {
                name.starts_with(difference.files)
                    && difference.valid == valid
                    && (difference.applies)(at, set)
            });
            if valid != case["valid"].as_bool().unwrap() && !deliberate {
                differing.push(format!("{name} {case}: {errors:?}"));
            }
        }
    }
    let most = differing.iter().take(100).cloned().collect::<Vec<_>>().join("\n");
    assert!(differing.is_empty(), "{} of {count} verdicts differ:\n{most}", differing.len());
    assert!(count > 1000, "only {count} documents");
}
