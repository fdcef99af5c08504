//! Tests of indexing, listing and parsing consolidated metadata.

use super::super::document;
use super::*;
use crate::error::ErrorKind;

const V2_ARRAY: &str = r#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<i2","compressor":null,"fill_value":1,"order":"C","filters":null}"#;
const V3_ARRAY: &str = r#"{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int16","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"chunk_key_encoding":"default","fill_value":1,"codecs":["bytes"]}"#;
const V3_GROUP: &str = r#"{"zarr_format":3,"node_type":"group","attributes":{"a":NaN}}"#;

fn path(path: &str) -> NodePath {
    NodePath::parse_any(path).unwrap()
}

/// The node of a document, or the group that holds all documents.
fn node(consolidated: &Consolidated, at: &str) -> Result<NodeMetadata> {
    match consolidated.document(&path(at)) {
        Some(document) => document::parse(&document),
        None => consolidated.own_group().unwrap(),
    }
}

fn v2(documents: &[(&str, &str)]) -> Consolidated {
    let members: Vec<_> = documents.iter().map(|(key, text)| format!("{key:?}:{text}")).collect();
    let text = format!(r#"{{"zarr_consolidated_format":1,"metadata":{{{}}}}}"#, members.join(","));
    Consolidated::index(text.as_bytes(), ZarrFormat::V2).unwrap().unwrap()
}

fn v3(documents: &[(&str, &str)]) -> Consolidated {
    let members: Vec<_> = documents.iter().map(|(key, text)| format!("{key:?}:{text}")).collect();
    let text = format!(
        r#"{{"zarr_format":3,"node_type":"group","attributes":{{"b":1}},"consolidated_metadata":{{"kind":"inline","must_understand":false,"metadata":{{{}}}}}}}"#,
        members.join(",")
    );
    Consolidated::index(text.as_bytes(), ZarrFormat::V3).unwrap().unwrap()
}

fn named(nodes: Vec<(NodePath, NodeKind)>) -> Vec<(String, NodeKind)> {
    nodes.into_iter().map(|(path, kind)| (path.to_string(), kind)).collect()
}

#[test]
fn v2_documents_are_grouped_by_node() {
    let consolidated = v2(&[
        (".zattrs", r#"{"title":"t"}"#),
        (".zgroup", r#"{"zarr_format":2}"#),
        ("b/.zarray", V2_ARRAY),
        ("b/.zattrs", r#"{"_ARRAY_DIMENSIONS":["x"],"n":NaN}"#),
        ("a/c/.zarray", V2_ARRAY),
    ]);
    let Ok(NodeMetadata::Array(array)) = node(&consolidated, "b") else { panic!("no array") };
    assert_eq!(array.dimension_names, Some(vec![Some("x".into())]));
    assert_eq!(array.attributes, r#"{"_ARRAY_DIMENSIONS":["x"],"n":NaN}"#);
    let Ok(NodeMetadata::Group(group)) = node(&consolidated, "") else { panic!("no group") };
    assert_eq!(group.attributes, r#"{"title":"t"}"#);
    let document = consolidated.document(&path("a/c")).unwrap();
    assert_eq!(document.texts, [(".zarray".to_owned(), V2_ARRAY.to_owned())]);
    let contents = [("", NodeKind::Group), ("b", NodeKind::Array), ("a/c", NodeKind::Array)];
    assert_eq!(named(consolidated.contents()), contents.map(|(path, kind)| (path.to_owned(), kind)));
}

#[test]
fn v3_documents_are_found_without_that_of_the_group() {
    let consolidated = v3(&[("z", V3_GROUP), ("z/a", V3_ARRAY)]);
    assert!(matches!(node(&consolidated, "z/a"), Ok(NodeMetadata::Array(_))));
    let Ok(NodeMetadata::Group(group)) = node(&consolidated, "z") else { panic!("no group") };
    assert_eq!(group.attributes, r#"{"a":NaN}"#);
    let Ok(NodeMetadata::Group(root)) = node(&consolidated, "") else { panic!("no group") };
    assert_eq!(root.attributes, r#"{"b":1}"#);
    let contents = [("", NodeKind::Group), ("z", NodeKind::Group), ("z/a", NodeKind::Array)];
    assert_eq!(named(consolidated.contents()), contents.map(|(path, kind)| (path.to_owned(), kind)));
    assert_eq!(
        consolidated.document(&path("z")).unwrap().texts,
        [("zarr.json".to_owned(), V3_GROUP.to_owned())]
    );
}

#[test]
fn documents_of_a_draft_have_keys_of_the_store() {
    let array = r#"{"shape":[4],"data_type":"<i2","chunk_grid":{"type":"regular","chunk_shape":[2]},"chunk_memory_layout":"C","fill_value":1,"extensions":[],"attributes":{}}"#;
    let entry = r#"{"zarr_format":"https://purl.org/zarr/spec/protocol/core/3.0"}"#;
    let text = format!(
        r#"{{"zarr_consolidated_format":1,"metadata":{{"zarr.json":{entry},"meta/root/a/b.array.json":{array},"meta/root.group.json":{{"attributes":{{"x":1}}}},"meta/root/../c.array.json":{array},"data/root/c0":{{}}}}}}"#
    );
    let format = ZarrFormat::Draft(Draft::October2020);
    let consolidated = Consolidated::index(text.as_bytes(), format).unwrap().unwrap();
    let contents = [("a/b", NodeKind::Array), ("", NodeKind::Group)];
    let mut named = named(consolidated.contents());
    named.reverse();
    assert_eq!(named, contents.map(|(path, kind)| (path.to_owned(), kind)));
    assert!(matches!(node(&consolidated, "a/b"), Ok(NodeMetadata::Array(_))));
    assert_eq!(consolidated.kind(&path("a")), Some(NodeKind::ImplicitGroup));
    let document = consolidated.document(&path("a/b")).unwrap();
    let texts = [(ZARR_JSON.to_owned(), entry.to_owned()), (".array.json".to_owned(), array.to_owned())];
    assert_eq!(document.texts, texts);
    assert_eq!(consolidated.draft_text("meta/root/a/b.array.json").as_deref(), Some(array));
    assert_eq!(consolidated.draft_text("meta/root/a.array.json"), None);
}

#[test]
fn groups_are_implied_by_nodes_below_them() {
    let consolidated = v3(&[("a/b/c", V3_ARRAY)]);
    for implied in ["a", "a/b"] {
        assert_eq!(consolidated.kind(&path(implied)), Some(NodeKind::ImplicitGroup));
        assert!(consolidated.document(&path(implied)).is_none());
    }
    for absent in ["b", "a/b/c/d", "a/bc", "a/b/cc"] {
        assert_eq!(consolidated.kind(&path(absent)), None, "{absent}");
        assert!(consolidated.document(&path(absent)).is_none());
    }
}

#[test]
fn children_are_direct_and_listed_once() {
    // `-` sorts before `/`: string order would separate `a/b` from the nodes below it.
    let consolidated = v3(&[
        ("a/b", V3_GROUP),
        ("a/b-x", V3_ARRAY),
        ("a/b/c", V3_ARRAY),
        ("a/d/e/f", V3_ARRAY),
        ("a", V3_GROUP),
        ("ab", V3_ARRAY),
    ]);
    let a = [("a/b", NodeKind::Group), ("a/b-x", NodeKind::Array), ("a/d", NodeKind::ImplicitGroup)];
    assert_eq!(named(consolidated.children(&path("a"))), a.map(|(path, kind)| (path.to_owned(), kind)));
    let root = [("a", NodeKind::Group), ("ab", NodeKind::Array)];
    assert_eq!(
        named(consolidated.children(&NodePath::root())),
        root.map(|(path, kind)| (path.to_owned(), kind))
    );
    assert!(consolidated.children(&path("ab")).is_empty());
    assert!(consolidated.children(&path("nowhere")).is_empty());
}

#[test]
fn attributes_alone_are_not_a_node() {
    let consolidated = v2(&[(".zgroup", r#"{"zarr_format":2}"#), ("a/.zattrs", "{}"), (".zmetadata", "{}")]);
    assert_eq!(consolidated.kind(&path("a")), None);
    assert!(consolidated.children(&NodePath::root()).is_empty());
    assert!(consolidated.warnings().is_empty());
}

#[test]
fn invalid_paths_are_skipped_with_a_warning() {
    let keys =
        ["../.zarray", "a/../b/.zarray", "/.zarray", "/a/.zarray", "a//.zarray", "a//b/.zarray", "./.zarray"];
    for key in keys {
        let consolidated = v2(&[(key, V2_ARRAY)]);
        assert!(consolidated.contents().is_empty(), "{key}");
        assert!(consolidated.warnings()[0].contains(key), "{key}");
    }
    for key in ["", "/a", "a/", "a/../b", ".."] {
        let consolidated = v3(&[(key, V3_ARRAY)]);
        assert_eq!(consolidated.contents().len(), 1, "{key}");
        assert_eq!(consolidated.warnings().len(), 1, "{key}");
    }
}

#[test]
fn an_invalid_node_fails_alone() {
    let consolidated = v3(&[("good", V3_ARRAY), ("bad", "{}"), ("worse", "7")]);
    assert!(node(&consolidated, "good").is_ok());
    for bad in ["bad", "worse"] {
        assert_eq!(node(&consolidated, bad).unwrap_err().kind(), ErrorKind::Format);
    }
}

#[test]
fn the_last_of_repeated_keys_counts() {
    let consolidated = v3(&[("a", V3_ARRAY), ("a", V3_GROUP)]);
    assert_eq!(consolidated.kind(&path("a")), Some(NodeKind::Group));
    assert_eq!(consolidated.contents().len(), 2);
}

#[test]
fn other_documents_are_refused() {
    let v2 = [
        "{}",
        "[]",
        r#"{"metadata":{}}"#,
        r#"{"metadata":[],"zarr_consolidated_format":1}"#,
        r#"{"metadata":{},"zarr_consolidated_format":2}"#,
    ];
    for text in v2 {
        assert_eq!(
            Consolidated::index(text.as_bytes(), ZarrFormat::V2).unwrap_err().kind(),
            ErrorKind::Format
        );
    }
    for text in [V3_GROUP, r#"{"consolidated_metadata":null}"#] {
        assert!(Consolidated::index(text.as_bytes(), ZarrFormat::V3).unwrap().is_none());
    }
    for text in ["[]", r#"{"consolidated_metadata":7}"#, "{", "{} {}"] {
        assert_eq!(
            Consolidated::index(text.as_bytes(), ZarrFormat::V3).unwrap_err().kind(),
            ErrorKind::Format
        );
    }
    for (text, field) in [
        (r#"{"consolidated_metadata":{"kind":"remote","metadata":{}}}"#, "consolidated_metadata.kind"),
        (r#"{"consolidated_metadata":{"kind":"inline"}}"#, "consolidated_metadata.metadata"),
    ] {
        let error = Consolidated::index(text.as_bytes(), ZarrFormat::V3).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format);
        assert_eq!(error.context().field.as_deref(), Some(field));
    }
}

#[test]
fn metadata_of_kerchunk_parquet_is_not_consolidated_metadata() {
    let text = format!(
        r#"{{"metadata":{{".zgroup":{{"zarr_format":2}},"a/.zarray":{V2_ARRAY}}},"record_size":16}}"#
    );
    let error = Consolidated::index(text.as_bytes(), ZarrFormat::V2).unwrap_err();
    assert_eq!((error.kind(), error.context().stage), (ErrorKind::Unsupported, Some(Stage::Metadata)));
    for named in ["kerchunk", "Parquet", "ReferenceStore"] {
        assert!(error.message().contains(named), "{error}");
    }
}

#[test]
fn texts_stored_elsewhere_are_read_in_parts() {
    let text = format!(
        r#"{{"zarr_format":3,"node_type":"group","attributes":{{"x":NaN}},"consolidated_metadata":{{"metadata":{{"a":{V3_ARRAY},"b":{V3_GROUP}}},"kind":"inline"}}}}"#
    );
    let mut consolidated = Consolidated::index(text.as_bytes(), ZarrFormat::V3).unwrap().unwrap();
    let before = named(consolidated.contents());
    let read = Rc::new(std::cell::RefCell::new(Vec::new()));
    let (kept, noted) = (text.clone(), read.clone());
    consolidated.leave_text_to(Rc::new(move |span| {
        noted.borrow_mut().push(span.clone());
        kept.get(span).map(str::to_owned)
    }));
    assert_eq!(named(consolidated.contents()), before);
    assert_eq!(read.borrow().len(), 0, "the scan has seen what kinds they are");
    assert!(matches!(node(&consolidated, "a"), Ok(NodeMetadata::Array(_))));
    assert_eq!(consolidated.document(&path("b")).unwrap().text(ZARR_JSON), Some(V3_GROUP));
    assert_eq!(read.borrow().len(), 2);
    let Some(Ok(NodeMetadata::Group(own))) = consolidated.own_group() else { panic!("no group") };
    assert_eq!(own.attributes, r#"{"x":NaN}"#);
}
