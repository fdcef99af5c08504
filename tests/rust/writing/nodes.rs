//! Operations on nodes: create, exists, erase, attributes, consolidate.

use std::rc::Rc;

use futures_executor::block_on;
use zarr_wasm::access::selection::Selection;
use zarr_wasm::error::ErrorKind;
use zarr_wasm::format::metadata::consolidated::Consolidated;
use zarr_wasm::format::metadata::write::edit::AttributeUpdate;
use zarr_wasm::format::metadata::{NodeKind, NodeMetadata, ZarrFormat};
use zarr_wasm::format::path::{NodePath, StoreKey};
use zarr_wasm_engine::internals::hierarchy::attributes::update_attributes;
use zarr_wasm_engine::internals::hierarchy::consolidate::consolidate;
use zarr_wasm_engine::internals::hierarchy::create::{NewNode, create};
use zarr_wasm_engine::internals::hierarchy::erase::{EraseOptions, erase};
use zarr_wasm_engine::internals::hierarchy::exists::exists;
use zarr_wasm_engine::internals::hierarchy::open::{OpenOptions, open};
use zarr_wasm_engine::internals::hierarchy::resize::resize;
use zarr_wasm_engine::internals::store::Store;
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::write::inline_encoder::InlineEncoder;

use crate::stores::{Unlisted, slow};
use crate::{SMALL, context, create_array, create_group, elements, json, memory, put, stored};
use support::watched::Watched;

#[test]
fn creating_makes_the_groups_above() {
    for (format, document, array) in
        [(ZarrFormat::V3, "zarr.json", "zarr.json"), (ZarrFormat::V2, ".zgroup", ".zarray")]
    {
        let (memory, store) = memory();
        let options = format!(r#"{{"zarr_format":{},"shape":[1],"data_type":"int8"}}"#, format.version());
        create_array(&store, "/g/h/a", &options).unwrap();
        assert_eq!(
            memory.keys(),
            sorted(&[
                document,
                &format!("g/{document}"),
                &format!("g/h/{document}"),
                &format!("g/h/a/{array}")
            ])
        );
        // There is one of that name already, arrays hold no nodes, and dialects do not mix.
        for (path, format) in
            [("g/h/a", format.version()), ("g/h/a/b", format.version()), ("g/x", 5 - format.version())]
        {
            let options = format!(r#"{{"zarr_format":{format},"shape":[1],"data_type":"int8"}}"#);
            let error = create_array(&store, path, &options).map(drop).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Argument, "{path}: {error}");
        }
        assert_eq!(memory.keys().len(), 4);
    }
}

fn sorted(keys: &[&str]) -> Vec<String> {
    let mut keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
    keys.sort();
    keys
}

#[test]
fn overwriting_erases_first() {
    let (memory, store) = memory();
    let array = create_array(&store, "a", SMALL).unwrap();
    put(&array, Selection::all(), elements(1..7)).unwrap();
    let node = NewNode::Group { format: ZarrFormat::V2, attributes: r#"{"x":1}"#.to_owned() };
    let error = block_on(create(&store, "a", &node, true, &context())).unwrap_err();
    assert!(error.message().contains("another Zarr format"), "{error}");
    let node = NewNode::Group { format: ZarrFormat::V3, attributes: r#"{"x":1}"#.to_owned() };
    block_on(create(&store, "a", &node, true, &context())).unwrap();
    assert_eq!(memory.keys(), ["a/zarr.json", "zarr.json"]);
    assert_eq!(json(&memory, "a/zarr.json")["attributes"]["x"], 1);
    // What an interrupted erase has left would be taken for chunks.
    memory.insert(&StoreKey::parse("b/c/0").unwrap(), vec![1]);
    let error = create_array(&store, "b", SMALL).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument);
}

#[test]
fn bad_codecs_and_names_are_refused_before_anything_is_written() {
    let (memory, store) = memory();
    for (path, options, kind) in [
        ("a", r#"{"shape":[4],"data_type":"int8","codecs":["middle-out"]}"#, ErrorKind::Unsupported),
        ("a", r#"{"shape":[4],"data_type":"int8","codecs":["zstd","transpose"]}"#, ErrorKind::Argument),
        ("a", r#"{"shape":[4],"data_type":"int8","chunk_shape":[3],"shard_shape":[4]}"#, ErrorKind::Argument),
        ("__a", r#"{"shape":[4],"data_type":"int8"}"#, ErrorKind::Argument),
        ("a/..", r#"{"shape":[4],"data_type":"int8"}"#, ErrorKind::Argument),
    ] {
        let error = create_array(&store, path, options).map(drop).unwrap_err();
        assert_eq!(error.kind(), kind, "{options}: {error:?}");
    }
    assert!(memory.keys().is_empty());
}

#[test]
fn existence_and_erasing() {
    let (memory, store) = memory();
    let array = create_array(&store, "g/a", SMALL).unwrap();
    put(&array, Selection::all(), elements(1..7)).unwrap();
    memory.insert(&StoreKey::parse("i/x/zarr.json").unwrap(), stored(&memory, "zarr.json").unwrap());
    let kind = |path: &str| block_on(exists(&store, path, &context())).unwrap();
    for (path, expected) in [
        ("g/a", Some(NodeKind::Array)),
        ("g", Some(NodeKind::Group)),
        ("", Some(NodeKind::Group)),
        ("i", Some(NodeKind::ImplicitGroup)),
        ("g/a/c", None),
        ("ga", None),
    ] {
        assert_eq!(kind(path), expected, "{path}");
    }
    assert!(block_on(erase(&store, "i", EraseOptions::default(), &context())).unwrap());
    assert!(!block_on(erase(&store, "i", EraseOptions::default(), &context())).unwrap());
    assert!(block_on(erase(&store, "g", EraseOptions::default(), &context())).unwrap());
    assert_eq!(memory.keys(), ["zarr.json"]);
    assert!(block_on(erase(&store, "", EraseOptions::default(), &context())).unwrap());
    assert!(memory.keys().is_empty());
}

#[test]
fn arrays_can_be_erased_where_nothing_can_be_listed() {
    let (memory, inner) = memory();
    let array = create_array(&inner, "a", SMALL).unwrap();
    put(&array, Selection::all(), elements(1..7)).unwrap();
    let store: Rc<dyn Store> = Watched::over(memory.clone(), Unlisted);
    assert!(block_on(erase(&store, "a", EraseOptions::default(), &context())).unwrap());
    assert_eq!(memory.keys(), ["zarr.json"]);
    assert_eq!(
        block_on(erase(&store, "", EraseOptions::default(), &context())).unwrap_err().kind(),
        ErrorKind::Unsupported
    );
}

#[test]
fn two_attribute_updates_at_a_time_both_survive() {
    for format in [ZarrFormat::V3, ZarrFormat::V2] {
        let store = slow(3);
        create_group(&store, "g", format).unwrap();
        let (path, context) = (NodePath::parse_any("g").unwrap(), context());
        let update =
            |text: &'static str| update_attributes(&store, &path, text, AttributeUpdate::Merge, &context);
        let both = block_on(futures_util::future::join(
            update(r#"{"a":1.0}"#),
            update(r#"{"b":18446744073709551615}"#),
        ));
        both.0.unwrap();
        both.1.unwrap();
        let opened = block_on(open(&store, "g", &OpenOptions::default(), &context)).unwrap();
        let NodeMetadata::Group(group) = opened.metadata else { panic!("an array") };
        let text: String = group.attributes.split_whitespace().collect();
        assert!(
            text == r#"{"a":1.0,"b":18446744073709551615}"#
                || text == r#"{"b":18446744073709551615,"a":1.0}"#,
            "{text}"
        );
    }
}

#[test]
fn consolidated_metadata_never_contradicts() {
    for format in [ZarrFormat::V3, ZarrFormat::V2] {
        let (memory, store) = memory();
        let options = format!(
            r#"{{"zarr_format":{},"shape":[4],"chunk_shape":[2],"data_type":"int8","attributes":{{"a":1}}}}"#,
            format.version()
        );
        create_array(&store, "g/a", &options).unwrap();
        create_array(&store, "b", &options).unwrap();
        let count = |path: &str| {
            block_on(consolidate(&store, &NodePath::parse_any(path).unwrap(), &context())).unwrap()
        };
        assert_eq!((count("g"), count("")), (1, 3));
        check_consolidated(&memory, &store, format, &["b", "g", "g/a"]);
        // Each of these changes documents below both groups.
        let array = create_array(&store, "g/h/c", &options).unwrap();
        check_consolidated(&memory, &store, format, &["b", "g", "g/a", "g/h", "g/h/c"]);
        block_on(resize(&array, &[9], &InlineEncoder, &context())).unwrap();
        check_consolidated(&memory, &store, format, &["b", "g", "g/a", "g/h", "g/h/c"]);
        for (path, text, update) in [
            ("g/a", r#"{"b":2}"#, AttributeUpdate::Merge),
            ("g", "{}", AttributeUpdate::Replace),
            ("", r#"{"r":0}"#, AttributeUpdate::Merge),
        ] {
            let path = NodePath::parse_any(path).unwrap();
            block_on(update_attributes(&store, &path, text, update, &context())).unwrap();
            check_consolidated(&memory, &store, format, &["b", "g", "g/a", "g/h", "g/h/c"]);
        }
        block_on(erase(&store, "g/h", EraseOptions::default(), &context())).unwrap();
        check_consolidated(&memory, &store, format, &["b", "g", "g/a"]);
        let node = NewNode::Group { format, attributes: "{}".to_owned() };
        block_on(create(&store, "g/a", &node, true, &context())).unwrap();
        check_consolidated(&memory, &store, format, &["b", "g", "g/a"]);
    }
}

/// The consolidated metadata at the root and at `g` is what the documents say, and names these
/// nodes.
fn check_consolidated(memory: &MemoryStore, store: &Rc<dyn Store>, format: ZarrFormat, nodes: &[&str]) {
    let key = if format == ZarrFormat::V2 { ".zmetadata" } else { "zarr.json" };
    for group in ["", "g/"] {
        let text = stored(memory, &format!("{group}{key}")).unwrap();
        let _: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let index = Consolidated::index(&text, format).unwrap().unwrap();
        let mut paths: Vec<String> =
            index.contents().iter().map(|(path, _)| path.as_str().to_owned()).collect();
        paths.retain(|path| !path.is_empty());
        paths.sort();
        let expected: Vec<&str> = nodes.iter().filter_map(|node| node.strip_prefix(group)).collect();
        assert_eq!(paths, expected, "below {group:?}");
        for path in expected {
            let found = index.document(&NodePath::parse_any(path).unwrap()).unwrap();
            let opened =
                block_on(open(store, &format!("{group}{path}"), &OpenOptions::default(), &context()))
                    .unwrap();
            for (suffix, text) in &opened.document.texts {
                let mut written: serde_json::Value = serde_json::from_str(text).unwrap();
                if let Some(members) = written.as_object_mut() {
                    members.remove("consolidated_metadata");
                }
                let found: serde_json::Value = serde_json::from_str(found.text(suffix).unwrap()).unwrap();
                assert_eq!(found, written, "{group}{path}/{suffix}");
            }
            assert_eq!(found.texts.len(), opened.document.texts.len(), "{group}{path}");
        }
    }
}
