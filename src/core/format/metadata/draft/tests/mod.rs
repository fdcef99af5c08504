//! Tests of the keys and the documents of drafts.

mod may_2022;
mod october_2020;

use super::*;
use crate::format::path::StoreKey;

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
