//! Node paths and store keys: the names of nodes in a hierarchy and of values in a store.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#node-names>, v2 "Logical storage
//! paths".
//!
//! Only this file knows the rules of each Zarr format. Every path is joined to a key by
//! [`StoreKey`], so that no unchecked `..` of a document or a user reaches a store. There are no
//! URLs here: a store joins a key to its own base.

use std::borrow::Cow;
use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::error::{Error, Result};
use crate::format::metadata::{Draft, ZarrFormat};
use crate::quoted::quoted;
use crate::sorted::Key;

/// The path of a node in its hierarchy: names joined by `/`, without a slash at either end. The
/// root's path is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodePath(String);

impl NodePath {
    /// The root.
    pub fn root() -> Self {
        Self::default()
    }

    /// Parses a path by v2's rules: `\` means `/`, repeated slashes and slashes at the ends are
    /// dropped, `.` and `..` are errors. The rules ask for ASCII names; other names are accepted,
    /// as stores have them.
    ///
    /// # Errors
    /// `Argument`, with the segment.
    pub fn parse_v2(path: &str) -> Result<Self> {
        Self::parse_any(&path.replace('\\', "/"))
    }

    /// Parses the path of a new node by v3's rules for names. A slash at either end is dropped.
    ///
    /// # Errors
    /// `Argument`, with the segment and the rule.
    pub fn parse_v3(path: &str) -> Result<Self> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let path = path.strip_suffix('/').unwrap_or(path);
        if !path.is_empty() {
            path.split('/').try_for_each(|segment| check_v3_name(segment, path))?;
        }
        Ok(Self(path.to_owned()))
    }

    /// Parses the path of a new node by a draft's rules. Names have letters, digits, `-`, `_` and
    /// `.`, but not only dots; in the draft of 2020 at most 255 characters. A slash at either end
    /// is dropped.
    ///
    /// # Errors
    /// `Argument`, with the segment and the rule.
    pub fn parse_draft(path: &str, draft: Draft) -> Result<Self> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let path = path.strip_suffix('/').unwrap_or(path);
        if !path.is_empty() {
            path.split('/').try_for_each(|segment| check_draft_name(segment, path, draft))?;
        }
        Ok(Self(path.to_owned()))
    }

    /// Parses the path of a new node by the rules of a Zarr format.
    ///
    /// # Errors
    /// `Argument`, with the segment and the rule.
    pub fn parse(path: &str, format: ZarrFormat) -> Result<Self> {
        match format {
            ZarrFormat::V2 => Self::parse_v2(path),
            ZarrFormat::V3 => Self::parse_v3(path),
            ZarrFormat::Draft(draft) => Self::parse_draft(path, draft),
        }
    }

    /// Parses a path to open, where the Zarr format is not known yet. Repeated slashes and slashes
    /// at the ends are dropped, `.` and `..` are errors. All other names are accepted.
    ///
    /// # Errors
    /// `Argument`, with the segment.
    pub fn parse_any(path: &str) -> Result<Self> {
        let mut joined = String::with_capacity(path.len());
        for segment in path.split('/').filter(|segment| !segment.is_empty()) {
            if segment == "." || segment == ".." {
                return Err(invalid(path, segment, "`.` and `..` are not node names"));
            }
            push_segment(&mut joined, segment);
        }
        Ok(Self(joined))
    }

    /// Takes a path that is in normal form, as documents have it. `None` for any other.
    pub fn from_normal(path: &str) -> Option<Self> {
        let is_normal = path.is_empty() || path.split('/').all(|segment| !matches!(segment, "" | "." | ".."));
        is_normal.then(|| Self(path.to_owned()))
    }

    /// The prefix of the chunks of an array, or of all arrays below a group.
    #[must_use]
    pub fn of_data(node: &Self, format: ZarrFormat) -> Self {
        match format {
            ZarrFormat::V2 | ZarrFormat::V3 => node.clone(),
            ZarrFormat::Draft(draft) => Self(draft_tree("data", node, draft)),
        }
    }

    /// The prefix of the documents below a draft's group.
    #[must_use]
    pub fn of_draft_documents(group: &Self, draft: Draft) -> Self {
        Self(draft_tree("meta", group, draft))
    }

    /// The path of the node that `relative` names from this node.
    #[must_use]
    pub fn join(&self, relative: &Self) -> Self {
        let mut joined = self.0.clone();
        if !relative.is_root() {
            push_segment(&mut joined, &relative.0);
        }
        Self(joined)
    }

    /// This path relative to `prefix`. `None` for a path that is not below it.
    pub fn below(&self, prefix: &Self) -> Option<&str> {
        match prefix.is_root() {
            true => (!self.is_root()).then_some(&self.0),
            false => self.0.strip_prefix(prefix.as_str())?.strip_prefix('/'),
        }
    }

    /// Whether this path is `prefix` or below it.
    pub fn is_below_or_equal(&self, prefix: &Self) -> bool {
        self == prefix || self.below(prefix).is_some()
    }

    /// The last name. `None` for the root.
    pub fn name(&self) -> Option<&str> {
        if self.is_root() { None } else { self.0.rsplit('/').next() }
    }

    /// The path of the group that contains the node. `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        Some(self.0.rsplit_once('/').map_or_else(Self::root, |(parent, _)| Self(parent.to_owned())))
    }

    /// This path and those of the groups above it, up to the root.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self.clone()), Self::parent)
    }

    /// Whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The names joined by `/`, without a slash at either end.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn push_segment(joined: &mut String, segment: &str) {
    if !joined.is_empty() {
        joined.push('/');
    }
    joined.push_str(segment);
}

fn check_v3_name(name: &str, path: &str) -> Result<()> {
    let broken = if name.is_empty() {
        "a node name must not be empty"
    } else if name.bytes().all(|byte| byte == b'.') {
        "a node name must not consist of dots only"
    } else if name.starts_with("__") {
        "node names that begin with `__` are reserved"
    } else if name == "zarr.json" {
        "`zarr.json` is the key of a metadata document"
    } else {
        return Ok(());
    };
    Err(invalid(path, name, broken))
}

fn check_draft_name(name: &str, path: &str, draft: Draft) -> Result<()> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let broken = if name.is_empty() {
        "a node name must not be empty"
    } else if !name.bytes().all(is_plain) {
        "a node name has only the characters a-z, A-Z, 0-9, `-`, `_` and `.`"
    } else if name.bytes().all(|byte| byte == b'.') {
        "a node name must not consist of dots only"
    } else if draft == Draft::October2020 && name.len() > 255 {
        "a node name must be at most 255 characters long"
    } else {
        return Ok(());
    };
    Err(invalid(path, name, broken))
}

fn invalid(path: &str, segment: &str, rule: &str) -> Error {
    Error::argument(format!("invalid path {}: {rule}", quoted(path))).actual(quoted(segment))
}

/// The node's prefix in the tree of documents (`meta`) or of chunks (`data`). October 2020 has
/// `root` below both.
fn draft_tree(tree: &str, node: &NodePath, draft: Draft) -> String {
    let top = match draft {
        Draft::October2020 => format!("{tree}/root"),
        Draft::May2022 => tree.to_owned(),
    };
    if node.is_root() { top } else { format!("{top}/{node}") }
}

/// The key of a value in a store: a path without a slash at either end.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StoreKey(String);

/// The characters that are escaped in a URL's path: all but RFC 3986's `pchar` and the slash.
/// Servers that compare paths literally (S3, nginx) expect the sub-delimiters unescaped.
const ESCAPED_IN_URLS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@')
    .remove(b'/');

impl Key for NodePath {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.as_str().put(bytes);
    }
}

impl Key for StoreKey {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.0.put(bytes);
    }
}

impl StoreKey {
    /// The key of a value that belongs to a node: `zarr.json`, `.zattrs`, a chunk key.
    pub fn new(node: &NodePath, suffix: &str) -> Self {
        let mut key = String::with_capacity(node.0.len().saturating_add(1).saturating_add(suffix.len()));
        key.push_str(&node.0);
        push_segment(&mut key, suffix);
        Self(key)
    }

    /// The key of a node's document. v2 and v3 store it below the node, the drafts in a separate
    /// tree. The drafts' suffixes are `.array.json` and `.group.json`; their entry point
    /// `zarr.json` is at the root of the store.
    pub fn of_document(node: &NodePath, format: ZarrFormat, suffix: &str) -> Self {
        match format {
            ZarrFormat::Draft(_) if !suffix.starts_with('.') => Self(suffix.to_owned()),
            ZarrFormat::Draft(Draft::May2022) if node.is_root() => {
                Self(format!("meta/{}", suffix.trim_start_matches('.')))
            }
            ZarrFormat::Draft(draft) => Self(format!("{}{suffix}", draft_tree("meta", node, draft))),
            ZarrFormat::V2 | ZarrFormat::V3 => Self::new(node, suffix),
        }
    }

    /// The key of a chunk. `chunk` is its key relative to the array.
    pub fn of_chunk(array: &NodePath, format: ZarrFormat, chunk: &str) -> Self {
        Self::new(&NodePath::of_data(array, format), chunk)
    }

    /// Parses a key from outside: from a call of a user on a store, or from a reference document. A
    /// leading slash, which zarrita's keys have, is dropped.
    ///
    /// # Errors
    /// `Argument` for an empty key and for empty, `.` and `..` segments.
    pub fn parse(key: &str) -> Result<Self> {
        Self::check(key).map(|key| Self(key.to_owned()))
    }

    /// The key without a leading slash, for callers that store it themselves.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn check(key: &str) -> Result<&str> {
        let key = key.strip_prefix('/').unwrap_or(key);
        match key.split('/').find(|segment| matches!(*segment, "" | "." | "..")) {
            None => Ok(key),
            Some(segment) => {
                let key = quoted(key);
                let message = format!("invalid store key {key}: a segment must not be empty, `.` or `..`");
                Err(Error::argument(message).actual(quoted(segment)))
            }
        }
    }

    /// The key without a leading slash.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// This key relative to `prefix`. `None` for a key that is not below it.
    pub fn below(&self, prefix: &NodePath) -> Option<&str> {
        if prefix.is_root() {
            return Some(&self.0);
        }
        self.0.strip_prefix(prefix.as_str())?.strip_prefix('/')
    }

    /// The key as part of a URL's path.
    pub fn percent_encoded(&self) -> Cow<'_, str> {
        utf8_percent_encode(&self.0, ESCAPED_IN_URLS).into()
    }
}

impl fmt::Display for StoreKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn v2_paths_are_normalised() {
        for (path, normal) in
            [("", ""), ("/", ""), ("\\foo\\\\bar/", "foo/bar"), ("//a///b//", "a/b"), ("a/...", "a/...")]
        {
            assert_eq!(NodePath::parse_v2(path).unwrap().as_str(), normal, "{path:?}");
        }
        for path in [".", "a/..", "a\\..\\b", "../a", "a/./b"] {
            assert_eq!(NodePath::parse_v2(path).unwrap_err().kind(), ErrorKind::Argument, "{path:?}");
        }
    }

    #[test]
    fn v3_names_follow_the_rules() {
        for (path, normal) in
            [("/", ""), ("/a/b/", "a/b"), ("a\\b", "a\\b"), ("_a/.b/ö", "_a/.b/ö"), ("a b", "a b")]
        {
            assert_eq!(NodePath::parse_v3(path).unwrap().as_str(), normal, "{path:?}");
        }
        for path in ["a//b", "a/...", "..", "__a", "a/__b/c", "a/zarr.json", "//a"] {
            assert_eq!(NodePath::parse_v3(path).unwrap_err().kind(), ErrorKind::Argument, "{path:?}");
        }
    }

    #[test]
    fn keys_of_the_drafts_own_tables() {
        let (october, may) = (Draft::October2020, Draft::May2022);
        for (draft, node, suffix, key) in [
            (october, "", "zarr.json", "zarr.json"),
            (october, "", ".array.json", "meta/root.array.json"),
            (october, "", ".group.json", "meta/root.group.json"),
            (october, "foo", ".group.json", "meta/root/foo.group.json"),
            (october, "foo", ".array.json", "meta/root/foo.array.json"),
            (october, "foo/bar", ".group.json", "meta/root/foo/bar.group.json"),
            (october, "foo/baz", ".array.json", "meta/root/foo/baz.array.json"),
            (may, "", "zarr.json", "zarr.json"),
            (may, "", ".array.json", "meta/array.json"),
            (may, "", ".group.json", "meta/group.json"),
            (may, "foo", ".group.json", "meta/foo.group.json"),
            (may, "foo", ".array.json", "meta/foo.array.json"),
            (may, "foo/bar", ".group.json", "meta/foo/bar.group.json"),
            (may, "foo/baz", ".array.json", "meta/foo/baz.array.json"),
        ] {
            let node = NodePath::parse_draft(node, draft).unwrap();
            assert_eq!(StoreKey::of_document(&node, ZarrFormat::Draft(draft), suffix).as_str(), key);
        }
        for (draft, node, chunk, key) in [
            (october, "foo/baz", "c0/0", "data/root/foo/baz/c0/0"),
            (october, "", "c", "data/root/c"),
            (may, "foo/baz", "c1/0", "data/foo/baz/c1/0"),
            (may, "", "c", "data/c"),
        ] {
            let node = NodePath::parse_draft(node, draft).unwrap();
            assert_eq!(StoreKey::of_chunk(&node, ZarrFormat::Draft(draft), chunk).as_str(), key);
        }
    }

    #[test]
    fn the_drafts_names_follow_their_rules() {
        let long = "x".repeat(256);
        for draft in [Draft::October2020, Draft::May2022] {
            for path in ["", "/", "foo/bar", "/FOO/a-b_c.d/", "..a", "zarr.json", "__x"] {
                assert!(NodePath::parse_draft(path, draft).is_ok(), "{path}");
            }
            for path in ["a//b", ".", "a/..", "...", "a b", "ö", "a\\b", "a+b"] {
                let error = NodePath::parse_draft(path, draft).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Argument, "{path}");
            }
            assert!(NodePath::parse_draft(&long[..255], draft).is_ok());
            assert_eq!(NodePath::parse_draft(&long, draft).is_ok(), draft == Draft::May2022);
        }
    }

    #[test]
    fn errors_name_the_segment() {
        let error = NodePath::parse_any("a/../b").unwrap_err();
        assert_eq!(error.context().actual.as_deref(), Some("\"..\""));
        assert!(error.message().contains("a/../b"));
    }

    #[test]
    fn paths_have_names_and_parents() {
        let path = NodePath::parse_any("a/b/c").unwrap();
        assert_eq!(path.name(), Some("c"));
        assert_eq!(path.parent().unwrap().as_str(), "a/b");
        assert_eq!(NodePath::parse_any("a").unwrap().parent(), Some(NodePath::root()));
        assert_eq!(NodePath::root().parent(), None);
        let ancestors: Vec<NodePath> = path.ancestors().collect();
        assert_eq!(ancestors.iter().map(NodePath::as_str).collect::<Vec<_>>(), ["a/b/c", "a/b", "a", ""]);
        assert_eq!(NodePath::root().name(), None);
    }

    #[test]
    fn only_normal_paths_are_taken() {
        for path in ["/", "/a", "a/", "a//b", ".", "a/..", "../a"] {
            assert_eq!(NodePath::from_normal(path), None, "{path:?}");
        }
        assert_eq!(NodePath::from_normal(""), Some(NodePath::root()));
    }

    #[test]
    fn joining_with_the_root_changes_nothing() {
        let (root, path) = (NodePath::root(), NodePath::parse_any("a/b").unwrap());
        assert_eq!(root.join(&path), path);
        assert_eq!(path.join(&root), path);
        assert_eq!(path.join(&path).as_str(), "a/b/a/b");
    }

    #[test]
    fn keys_are_relative() {
        let node = NodePath::parse_any("/a/b").unwrap();
        assert_eq!(StoreKey::new(&node, "zarr.json").as_str(), "a/b/zarr.json");
        assert_eq!(StoreKey::new(&NodePath::root(), "c/0/1").as_str(), "c/0/1");
    }

    #[test]
    fn keys_are_made_relative_to_prefixes() {
        let key = StoreKey::parse("a/b/c").unwrap();
        for (prefix, rest) in
            [("", Some("a/b/c")), ("a", Some("b/c")), ("a/b", Some("c")), ("a/b/c", None), ("b", None)]
        {
            assert_eq!(key.below(&NodePath::parse_any(prefix).unwrap()), rest, "{prefix}");
        }
        assert_eq!(StoreKey::parse("ab/c").unwrap().below(&NodePath::parse_any("a").unwrap()), None);
    }

    #[test]
    fn keys_from_outside_are_checked() {
        assert_eq!(StoreKey::parse("/a/.zarray").unwrap().as_str(), "a/.zarray");
        for key in ["", "/", "a//b", "a/", "a/../b", "./a", "//a"] {
            assert_eq!(StoreKey::parse(key).unwrap_err().kind(), ErrorKind::Argument, "{key:?}");
        }
    }

    #[test]
    fn keys_are_escaped_for_urls() {
        let key = StoreKey::parse("a b/100%/x#y?z/ö/[\\]^`{|}\"<>/-._~!$&'()*+,;=:@").unwrap();
        let encoded = "a%20b/100%25/x%23y%3Fz/%C3%B6/%5B%5C%5D%5E%60%7B%7C%7D%22%3C%3E/-._~!$&'()*+,;=:@";
        assert_eq!(key.percent_encoded(), encoded);
    }

    proptest! {
        #[test]
        fn parsing_is_idempotent_and_safe(path in "[a.\\\\/ _é]{0,12}") {
            for parse in [NodePath::parse_v2, NodePath::parse_v3, NodePath::parse_any] {
                let Ok(parsed) = parse(&path) else { continue };
                prop_assert_eq!(&parse(parsed.as_str()).unwrap(), &parsed);
                prop_assert!(!parsed.as_str().split('/').any(|name| name == "." || name == ".."));
                prop_assert_eq!(NodePath::from_normal(parsed.as_str()), Some(parsed.clone()));
                prop_assert!(StoreKey::parse(StoreKey::new(&parsed, "zarr.json").as_str()).is_ok());
            }
        }
    }
}
