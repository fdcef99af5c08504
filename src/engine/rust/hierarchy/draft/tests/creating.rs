//! Hierarchies, "Create a group", "Create an array", "Node names".

use super::*;

// Entry point, and hierarchies.

#[test]
fn the_entry_point_metadata_document_is_stored_under_the_key_zarr_json() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["foo/"]);
        made.assert_keys(&["meta/root/foo.group.json", "zarr.json"]);
        assert_eq!(made.hierarchy().entry().draft, draft);
    });
}

#[test]
fn a_hierarchy_is_created_once_with_its_suffix_and_its_extensions() {
    each(|draft| {
        let made = TestHierarchy::empty(draft);
        let context = RequestContext::default();
        let foo = r#"[{"extension":"http://example.org/foo","must_understand":false}]"#;
        let new = NewHierarchy { metadata_key_suffix: Some(".x".into()), extensions: Some(foo.into()) };
        block_on(create_hierarchy(&made.store, draft, &new, &context)).unwrap();
        made.array("a/b").unwrap();
        made.assert_keys(&["meta/root/a/b.array.x", "zarr.json"]);
        assert_eq!(made.exists("a/b"), Some(NodeKind::Array));
        assert!(made.open("a/b").is_ok());
        // Creating it again with the same options, and with others.
        assert!(block_on(create_hierarchy(&made.store, draft, &new, &context)).is_ok());
        let other = NewHierarchy { metadata_key_suffix: Some(".json".into()), extensions: None };
        let error = block_on(create_hierarchy(&made.store, draft, &other, &context)).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Argument);
        let other = if draft == Draft::May2022 { Draft::October2020 } else { Draft::May2022 };
        let error = block_on(create_hierarchy(&made.store, other, &new, &context)).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Argument);
    });
}

#[test]
fn stores_of_another_format_get_no_entry_point() {
    each(|draft| {
        for (key, text) in [
            ("zarr.json", r#"{"zarr_format":3,"node_type":"group"}"#),
            (".zgroup", r#"{"zarr_format":2}"#),
            (".zarray", "{}"),
        ] {
            let made = TestHierarchy::empty(draft);
            made.recording.memory.insert(&StoreKey::parse(key).unwrap(), text.as_bytes().to_vec());
            assert_eq!(made.group("a").unwrap_err().kind(), ErrorKind::Argument, "{key}");
            assert_eq!(made.keys(), [key]);
        }
        let made = TestHierarchy::with(draft, &["g/"]);
        for format in [ZarrFormat::V2, ZarrFormat::V3] {
            let node = NewNode::Group { format, attributes: "{}".into() };
            let error = made.create("g/h", &node, false).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Argument, "{error:?}");
        }
    });
}

// Create a group, create an array.

#[test]
fn to_create_a_group_set_its_document() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["x/"]);
        made.group("foo/bar").unwrap();
        made.assert_keys(&["meta/root/foo/bar.group.json", "meta/root/x.group.json", "zarr.json"]);
        let sets: Vec<String> =
            made.recording.calls().into_iter().filter(|it| it.starts_with("set")).collect();
        assert_eq!(sets, [made.key("set meta/root/foo/bar.group.json")]);
    });
}

#[test]
fn to_create_an_array_set_its_document() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["x/"]);
        made.array("foo/baz").unwrap();
        made.assert_keys(&["meta/root/foo/baz.array.json", "meta/root/x.group.json", "zarr.json"]);
    });
}

#[test]
fn the_root_may_be_a_group_or_an_array() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["/"]);
        made.assert_keys(&["meta/root.group.json", "zarr.json"]);
        assert_eq!(made.exists(""), Some(NodeKind::Group));
        let made = TestHierarchy::with(draft, &[""]);
        made.assert_keys(&["meta/root.array.json", "zarr.json"]);
        assert_eq!(made.exists(""), Some(NodeKind::Array));
    });
}

#[test]
fn creating_a_group_implies_the_existence_of_groups_at_all_ancestor_paths() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["a/b/c/"]);
        made.assert_keys(&["meta/root/a/b/c.group.json", "zarr.json"]);
        for implied in ["", "a", "a/b"] {
            assert_eq!(made.exists(implied), Some(NodeKind::ImplicitGroup), "{implied}");
            let opened = made.open(implied).unwrap();
            assert!(matches!(opened.metadata, NodeMetadata::Group(group) if group.attributes == "{}"));
        }
    });
}

#[test]
fn creating_an_array_implies_the_existence_of_groups_at_all_ancestor_paths() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["a/b/c"]);
        made.assert_keys(&["meta/root/a/b/c.array.json", "zarr.json"]);
        for implied in ["", "a", "a/b"] {
            assert_eq!(made.exists(implied), Some(NodeKind::ImplicitGroup), "{implied}");
        }
    });
}

#[test]
fn group_nodes_may_have_children_but_array_nodes_may_not() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["a/b"]);
        for path in ["a/b/c", "a/b/c/d"] {
            assert_eq!(made.array(path).unwrap_err().kind(), ErrorKind::Argument);
            assert_eq!(made.group(path).unwrap_err().kind(), ErrorKind::Argument);
        }
        // An implicit group with nodes below it cannot become an array.
        assert_eq!(made.array("a").unwrap_err().kind(), ErrorKind::Argument);
        let made = TestHierarchy::with(draft, &[""]);
        assert_eq!(made.array("a").unwrap_err().kind(), ErrorKind::Argument);
    });
}

#[test]
fn two_sibling_nodes_cannot_have_the_same_name() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["a", "g/"]);
        for path in ["a", "g"] {
            assert_eq!(made.array(path).unwrap_err().kind(), ErrorKind::Argument);
            assert_eq!(made.group(path).unwrap_err().kind(), ErrorKind::Argument);
        }
        // Names are case sensitive.
        assert!(made.array("A").is_ok());
    });
}

#[test]
fn overwriting_erases_the_old_node_first() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["a", "g/", "g/b"]);
        made.put("data/root/a/c0/0");
        made.create("a", &made.new_group(), true).unwrap();
        made.create("g", &made.new_array(), true).unwrap();
        made.assert_keys(&["meta/root/a.group.json", "meta/root/g.array.json", "zarr.json"]);
    });
}

#[test]
fn an_implicit_group_may_become_an_explicit_one() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["a/b"]);
        made.group("a").unwrap();
        made.assert_keys(&["meta/root/a.group.json", "meta/root/a/b.array.json", "zarr.json"]);
        assert_eq!(made.exists("a"), Some(NodeKind::Group));
    });
}

#[test]
fn attributes_of_an_implicit_group_give_it_a_document() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["a/b"]);
        let path = NodePath::parse_any("a").unwrap();
        let context = RequestContext::default();
        for (text, how) in [(r#"{"x":1}"#, AttributeUpdate::Merge), (r#"{"y":2}"#, AttributeUpdate::Merge)] {
            block_on(update_attributes(&made.store, &path, text, how, &context)).unwrap();
        }
        made.assert_keys(&["meta/root/a.group.json", "meta/root/a/b.array.json", "zarr.json"]);
        let NodeMetadata::Group(group) = made.open("a").unwrap().metadata else { panic!("an array") };
        assert_eq!(group.attributes, r#"{"x":1,"y":2}"#);
    });
}

// Node names.

#[test]
fn a_name_must_follow_the_rules_for_names() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &[]);
        for path in ["a//b", "..", ".", "...", "a b", "größe"] {
            assert_eq!(made.group(path).unwrap_err().kind(), ErrorKind::Argument, "{path}");
        }
        let long = "x".repeat(256);
        assert_eq!(made.group(&long).is_ok(), draft == Draft::May2022);
        assert!(made.group(&long[..255]).is_ok());
    });
}
