//! Tests of the keys and the documents of drafts.

mod may_2022;
mod october_2020;

use serde_json::{Value, json};

use super::*;
use crate::error::ErrorKind;
use crate::format::metadata::{ArrayMetadata, document};
use crate::format::path::StoreKey;

/// The array of both drafts' own example.
fn example(draft: Draft) -> Value {
    let mut document = json!({
        "shape": [10000, 1000],
        "data_type": "<f8",
        "chunk_grid": { "type": "regular", "chunk_shape": [1000, 100], "separator": "/" },
        "chunk_memory_layout": "C",
        "fill_value": "NaN",
        "extensions": [],
        "attributes": { "foo": 42, "bar": "apples", "baz": [1, 2, 3, 4] },
    });
    let (base, level) = ("https://purl.org/zarr/spec", json!({ "level": 1 }));
    match draft {
        Draft::October2020 => {
            document["compressor"] =
                json!({ "codec": format!("{base}/codec/gzip/1.0"), "configuration": level });
        }
        Draft::May2022 => {
            document["codecs"] =
                json!([{ "type": format!("{base}/codecs/gzip/1.0"), "configuration": level }]);
        }
    }
    document
}

/// The example without this field.
fn without(draft: Draft, field: &str) -> Value {
    let mut document = example(draft);
    document.as_object_mut().unwrap().remove(field);
    document
}

fn parse_array(draft: Draft, document: &Value) -> Result<ArrayMetadata> {
    match parse_text(draft, ".array.json", &document.to_string())? {
        NodeMetadata::Array(array) => Ok(*array),
        NodeMetadata::Group(_) => panic!("a group"),
    }
}

fn parse_text(draft: Draft, suffix: &str, text: &str) -> Result<NodeMetadata> {
    let texts = vec![(suffix.to_owned(), text.to_owned())];
    document::parse(&NodeDocument::of(ZarrFormat::Draft(draft), texts))
}

#[test]
fn errors_name_missing_fields() {
    for draft in [Draft::October2020, Draft::May2022] {
        for field in [
            "shape",
            "data_type",
            "chunk_grid",
            "chunk_memory_layout",
            "fill_value",
            "extensions",
            "attributes",
        ] {
            let error = parse_array(draft, &without(draft, field)).unwrap_err();
            assert_eq!((error.kind(), error.context().field.as_deref()), (ErrorKind::Format, Some(field)));
        }
    }
}

#[test]
fn keys_name_their_nodes() {
    for draft in [Draft::October2020, Draft::May2022] {
        for (path, suffix, kind) in [
            ("", ".array", NodeKind::Array),
            ("", ".group", NodeKind::Group),
            ("foo", ".group", NodeKind::Group),
            ("foo/bar.array", ".array", NodeKind::Array),
            ("array", ".group", NodeKind::Group),
            ("root", ".array", NodeKind::Array),
        ] {
            let node = NodePath::parse_any(path).unwrap();
            for ending in [".json", "", ".x"] {
                let suffix = format!("{suffix}{ending}");
                let key = StoreKey::of_document(&node, ZarrFormat::Draft(draft), &suffix);
                let found = node_of_key(key.as_str(), draft, ending);
                assert_eq!(found, Some((node.clone(), kind)), "{key}");
            }
        }
        for key in [
            "zarr.json",
            "meta/root/.array.json",
            "meta/foo.json",
            "data/root/a.array.json",
            "meta/root/a//b.array.json",
            "meta/root/../b.array.json",
        ] {
            let found = node_of_key(key, draft, ".json").filter(|(path, _)| path.as_str() != "root/");
            assert!(
                found.is_none() || draft == Draft::May2022 && key.starts_with("meta/root/.array"),
                "{key}: {found:?}"
            );
        }
    }
}
