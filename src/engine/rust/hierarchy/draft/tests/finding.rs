//! "Discover children of a group", "Discover all nodes in a hierarchy", "Determine if a node
//! exists", and opening.

use super::*;

// Discover children of a group.

#[test]
fn the_drafts_example_of_children() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["foo/bar/", "foo/baz/qux"]);
        made.assert_keys(&["meta/root/foo/bar.group.json", "meta/root/foo/baz/qux.array.json", "zarr.json"]);
        let hierarchy = made.hierarchy();
        made.recording.calls();
        let children = block_on(hierarchy.children(&NodePath::parse_any("foo").unwrap())).unwrap();
        made.assert_calls(&["list_dir meta/root/foo/"]);
        let names: Vec<_> = children.iter().map(|(path, kind)| (path.as_str(), *kind)).collect();
        assert_eq!(names, [("foo/bar", NodeKind::Group), ("foo/baz", NodeKind::ImplicitGroup)]);
        let root = block_on(hierarchy.children(&NodePath::root())).unwrap();
        assert_eq!(root, [(NodePath::parse_any("foo").unwrap(), NodeKind::ImplicitGroup)]);
    });
}

#[test]
fn any_returned_key_ending_in_array_indicates_an_array_and_in_group_a_group() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["a", "g/"]);
        assert_eq!(made.children(""), [("a".into(), NodeKind::Array), ("g".into(), NodeKind::Group)]);
        assert!(made.children("g").is_empty());
    });
}

#[test]
fn a_key_and_a_prefix_of_the_same_name_are_one_child() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["g/", "g/a", "g/h/b"]);
        assert_eq!(made.children(""), [("g".into(), NodeKind::Group)]);
        assert_eq!(
            made.children("g"),
            [("g/a".into(), NodeKind::Array), ("g/h".into(), NodeKind::ImplicitGroup)]
        );
    });
}

#[test]
fn the_root_is_not_a_child_and_other_keys_are_not_nodes() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["/", "a"]);
        made.put("meta/root/readme.txt");
        made.put("data/root/a/c0/0");
        assert_eq!(made.children(""), [("a".into(), NodeKind::Array)]);
    });
}

#[test]
fn a_store_that_cannot_list_opens_nodes_by_path() {
    each(|draft| {
        let full = TestHierarchy::with(draft, &["g/a", "h/"]);
        let memory = full.recording.memory.clone();
        let made = TestHierarchy::over(draft, Recording::unlisted(memory));
        let hierarchy = made.hierarchy();
        let error = block_on(hierarchy.children(&NodePath::root())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains("open nodes by their paths"));
        assert!(block_on(hierarchy.nodes(&RequestContext::default())).is_err());
        assert_eq!(made.open("g/a").unwrap().metadata.kind(), NodeKind::Array);
        assert_eq!(made.open("h").unwrap().metadata.kind(), NodeKind::Group);
        assert_eq!(made.open("").unwrap().metadata.kind(), NodeKind::Group);
        assert_eq!(made.open("g").unwrap_err().kind(), ErrorKind::NotFound);
        // The keys of an array's chunks are known; those of the nodes below a group are not.
        made.put("data/root/g/a/c0/0");
        assert!(made.erase("g/a", false));
        made.assert_keys(&["meta/root/h.group.json", "zarr.json"]);
        let h = NodePath::parse_any("h").unwrap();
        let error = block_on(erase(&hierarchy, &h, EraseOptions::default(), &RequestContext::default()));
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Unsupported);
    });
}

// Discover all nodes in a hierarchy.

#[test]
fn all_keys_are_explicit_nodes_and_all_intermediate_prefixes_implicit_groups() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["a/b/c", "a/d/", "e"]);
        made.put("data/root/a/b/c/c0/0");
        let nodes = block_on(made.hierarchy().nodes(&RequestContext::default())).unwrap();
        let nodes: Vec<_> = nodes.iter().map(|(path, kind)| (path.as_str(), *kind)).collect();
        let expected = [
            ("", NodeKind::ImplicitGroup),
            ("a", NodeKind::ImplicitGroup),
            ("a/b", NodeKind::ImplicitGroup),
            ("a/b/c", NodeKind::Array),
            ("a/d", NodeKind::Group),
            ("e", NodeKind::Array),
        ];
        assert_eq!(nodes, expected);
        let calls = made.recording.calls();
        assert!(calls.contains(&made.key("list_prefix meta/root/")), "{calls:?}");
        made.group("").unwrap();
        let nodes = block_on(made.hierarchy().nodes(&RequestContext::default())).unwrap();
        assert_eq!(nodes[0].1, NodeKind::Group);
    });
}

// Determine if a node exists.

#[test]
fn existence_is_tested_in_the_drafts_order() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["g/a", "h/"]);
        let hierarchy = made.hierarchy();
        let look = |path: &str| {
            made.recording.calls();
            let path = NodePath::parse_any(path).unwrap();
            block_on(hierarchy.exists(&path, &RequestContext::default())).unwrap()
        };
        assert_eq!(look("g/a"), Some(NodeKind::Array));
        made.assert_calls(&["get meta/root/g/a.array.json"]);
        assert_eq!(look("h"), Some(NodeKind::Group));
        made.assert_calls(&["get meta/root/h.array.json", "get meta/root/h.group.json"]);
        assert_eq!(look("g"), Some(NodeKind::ImplicitGroup));
        let calls = ["get meta/root/g.array.json", "get meta/root/g.group.json", "list_dir meta/root/g/"];
        made.assert_calls(&calls);
        assert_eq!(look("x"), None);
        let calls = ["get meta/root/x.array.json", "get meta/root/x.group.json", "list_dir meta/root/x/"];
        made.assert_calls(&calls);
    });
}

#[test]
fn chunks_alone_are_not_a_node() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["g/a"]);
        made.put("data/root/left/over/c0/0");
        for path in ["left", "left/over", "meta", "data", "data/root"] {
            assert_eq!(made.exists(path), None, "{path}");
            assert_eq!(made.open(path).unwrap_err().kind(), ErrorKind::NotFound, "{path}");
        }
    });
}

// Opening.

#[test]
fn a_hierarchy_must_be_opened_at_its_root() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["g/a"]);
        let above = MemoryStore::new();
        for key in made.keys() {
            let bytes = made.recording.memory.bytes(&StoreKey::parse(&key).unwrap()).unwrap();
            above.insert(&StoreKey::parse(&format!("below/{key}")).unwrap(), bytes);
        }
        let store: Rc<dyn Store> = Rc::new(above);
        let error =
            block_on(open(&store, "below", &OpenOptions::default(), &RequestContext::default())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains("open the store at this root"), "{error}");
    });
}

#[test]
fn names_that_v3_reserves_are_valid_in_drafts() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["__a/zarr.json"]);
        assert_eq!(made.open("__a/zarr.json").unwrap().metadata.kind(), NodeKind::Array);
        assert_eq!(made.open("__a").unwrap().metadata.kind(), NodeKind::Group);
        assert_eq!(made.open("__b").unwrap_err().kind(), ErrorKind::Argument);
    });
}

#[test]
fn errors_name_the_key_of_an_invalid_document() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["g/"]);
        made.put("meta/root/g/a.array.json");
        let error = made.open("g/a").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format);
        assert_eq!(error.context().key.as_deref(), Some(made.key("meta/root/g/a.array.json").as_str()));
        assert_eq!(error.context().node.as_deref(), Some("g/a"));
    });
}

#[test]
fn the_drafts_have_no_consolidated_metadata() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["g/"]);
        let error = block_on(consolidate(&made.store, &NodePath::root(), &RequestContext::default()));
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Unsupported);
    });
}

#[test]
fn consolidated_metadata_of_zarr_python_is_updated() {
    let made = TestHierarchy::with(Draft::October2020, &["g/"]);
    let key = StoreKey::parse("meta/root/consolidated/.zmetadata").unwrap();
    let text = r#"{"zarr_consolidated_format":1,"metadata":{"zarr.json":{},"meta/root/g.group.json":{"attributes":{}}}}"#;
    made.recording.memory.insert(&key, text.as_bytes().to_vec());
    made.array("g/a").unwrap();
    let read = || {
        let text = made.recording.memory.bytes(&key).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
        json["metadata"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    let mut keys = read();
    keys.sort();
    assert_eq!(keys, ["meta/root/g.group.json", "meta/root/g/a.array.json", "zarr.json"]);
    made.erase("g", false);
    assert_eq!(read(), ["zarr.json"]);
}
