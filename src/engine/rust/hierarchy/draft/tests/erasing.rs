//! "Erase a group or array".

use super::*;

// Erase a group or array.

#[test]
fn to_erase_an_array_erase_its_document_and_its_chunks() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["g/a", "g/ab"]);
        for key in ["data/root/g/a/c0/0", "data/root/g/a/c0/1", "data/root/g/ab/c0/0"] {
            made.put(key);
        }
        assert!(made.erase("g/a", false));
        made.assert_keys(&["meta/root/g/ab.array.json", "data/root/g/ab/c0/0", "zarr.json"]);
        let calls = made.recording.calls();
        for call in ["erase meta/root/g/a.array.json", "erase_prefix data/root/g/a/"] {
            assert!(calls.contains(&made.key(call)), "{call}: {calls:?}");
        }
    });
}

#[test]
fn to_erase_an_implicit_group_erase_all_nodes_under_it() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["g/h/a", "g/h/b/", "i"]);
        made.put("data/root/g/h/a/c0/0");
        assert!(made.erase("g", false));
        made.assert_keys(&["meta/root/i.array.json", "zarr.json"]);
        let calls = made.recording.calls();
        for call in ["erase_prefix meta/root/g/", "erase_prefix data/root/g/"] {
            assert!(calls.contains(&made.key(call)), "{call}: {calls:?}");
        }
    });
}

#[test]
fn to_erase_an_explicit_group_erase_its_document_and_all_nodes_under_it() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["g/", "g/h/a", "gh/"]);
        made.put("data/root/g/h/a/c0/0");
        assert!(made.erase("g", false));
        made.assert_keys(&["meta/root/gh.group.json", "zarr.json"]);
    });
}

#[test]
fn a_group_metadata_file_is_attempted_also_for_an_implicit_group() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["g/a"]);
        made.erase("g", false);
        let calls = made.recording.calls();
        assert!(calls.contains(&made.key("erase meta/root/g.group.json")), "{calls:?}");
    });
}

#[test]
fn a_parent_that_would_vanish_is_kept_by_reify() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["g/h/a"]);
        assert!(made.erase("g/h/a", false));
        assert_eq!(made.exists("g/h"), None);
        let made = TestHierarchy::with(draft, &["g/h/a"]);
        assert!(made.erase("g/h/a", true));
        made.assert_keys(&["meta/root/g/h.group.json", "zarr.json"]);
        assert_eq!(made.exists("g/h"), Some(NodeKind::Group));
        // A parent that stays needs no document.
        let made = TestHierarchy::with(draft, &["g/a", "g/b"]);
        assert!(made.erase("g/a", true));
        made.assert_keys(&["meta/root/g/b.array.json", "zarr.json"]);
    });
}

#[test]
fn erasing_the_root_leaves_an_empty_hierarchy() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["/", "g/a"]);
        made.put("data/root/g/a/c0/0");
        assert!(made.erase("", false));
        made.assert_keys(&["zarr.json"]);
        assert_eq!(made.exists(""), None);
        assert!(!made.erase("", false));
    });
}

#[test]
fn missing_nodes_are_not_erased() {
    each(|draft| {
        let made = TestHierarchy::with(draft, &["g/a"]);
        assert!(!made.erase("h", false));
        assert!(!made.erase("g/b", true));
        made.assert_keys(&["meta/root/g/a.array.json", "zarr.json"]);
    });
}
