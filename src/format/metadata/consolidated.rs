//! Consolidated metadata: the documents of a whole hierarchy in one. v2's `.zmetadata`, and `consolidated_metadata` in a v3
//! group's `zarr.json`.
//!
//! Indexed, not parsed: a node's path leads to the span of its text, and a node is parsed when it is opened. It is a cache
//! that others wrote: it may be stale, and its paths are checked like any input. Paths are relative to the group.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use super::document::{self, NodeDocument, ZARR_JSON, ZARRAY, ZATTRS, ZGROUP};
use super::json::{Document, Json};
use super::split::Split;
use super::{Draft, GroupMetadata, NodeKind, NodeMetadata, ZarrFormat, attributes, draft, v3};
use crate::error::{Error, Result, Stage};
use crate::format::path::NodePath;
use crate::kernel::json;

const V2_SUFFIXES: [&str; 3] = [ZARRAY, ZGROUP, ZATTRS];
const V3_SUFFIXES: [&str; 1] = [ZARR_JSON];
/// What zarr-python 2 wrote into the layout of 2020; the entry point counts as a document of the root.
const DRAFT_SUFFIXES: [&str; 3] = [".array.json", ".group.json", ZARR_JSON];

/// Where the documents of a hierarchy stand in one text.
#[derive(Clone, Debug)]
pub struct Consolidated {
    format: ZarrFormat,
    text: String,
    non_finite: bool,
    /// By path, segment for segment, so that whatever a group holds directly follows it.
    nodes: Vec<Node>,
    warnings: Vec<String>,
}

#[derive(Clone, Debug)]
struct Node {
    path: NodePath,
    /// Place in the document.
    order: usize,
    /// Where the text of each of the format's suffixes stands.
    spans: [Option<Range<usize>>; V2_SUFFIXES.len()],
}

/// A document that the text holds, before those of one node are brought together.
struct Found {
    path: NodePath,
    suffix: usize,
    span: Range<usize>,
}

impl Consolidated {
    /// Finds the documents in a `.zmetadata` (v2) or in a group's `zarr.json` (v3); `None` where a v3 group has none.
    ///
    /// # Errors
    /// `Format` for what is no consolidated metadata.
    pub fn index(text: &[u8], format: ZarrFormat) -> Result<Option<Self>> {
        Self::try_index(text, format).map_err(|error| error.in_stage(Stage::Metadata))
    }

    fn try_index(text: &[u8], format: ZarrFormat) -> Result<Option<Self>> {
        let document = Document::scan(text, metadata_path(format))?;
        let (mut invalid, mut found) = (Vec::new(), Vec::new());
        {
            let root = document.split(metadata_path(format))?;
            let Some(documents) = documents(&root, format)? else { return Ok(None) };
            found.reserve(documents.len());
            for (key, value) in documents {
                let Split::Whole(json) = value else { continue };
                match locate(key, format) {
                    Place::Node(path, suffix) => {
                        found.push(Found { path, suffix, span: document.span(*json) })
                    }
                    Place::Invalid => invalid.push(key.to_string()),
                    Place::Other => {}
                }
            }
        }
        let nodes = gather(found);
        let non_finite = document.has_non_finite();
        let warnings = invalid.first().map(|first| {
            format!(
                "consolidated metadata has invalid paths, which are skipped: {} such as {first:?}",
                invalid.len()
            )
        });
        Ok(Some(Self {
            format,
            text: document.into_text(),
            non_finite,
            nodes,
            warnings: warnings.into_iter().collect(),
        }))
    }

    /// Which dialect it describes.
    pub fn format(&self) -> ZarrFormat {
        self.format
    }

    /// What was skipped.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The node at a path, groups that are only implied too; `None` where there is none.
    pub fn node(&self, path: &NodePath) -> Option<Result<NodeMetadata>> {
        match self.kind(path)? {
            // Without the copy that a document is: this one holds all others.
            _ if self.is_own_group(path) => {
                Some(v3::node(self.json(0..self.text.len())).map_err(|error| error.in_stage(Stage::Metadata)))
            }
            NodeKind::ImplicitGroup => Some(Ok(NodeMetadata::Group(GroupMetadata {
                format: self.format,
                attributes: attributes::NONE.to_owned(),
                warnings: Vec::new(),
            }))),
            NodeKind::Array | NodeKind::Group => {
                let parsed = document::parse(&self.document(path)?);
                Some(parsed.map_err(|error| error.at_node(path.as_str())))
            }
        }
    }

    /// The texts of the node at a path; `None` where there is none, or only an implied group.
    pub fn document(&self, path: &NodePath) -> Option<NodeDocument> {
        if self.is_own_group(path) {
            let texts =
                vec![(ZARR_JSON.to_owned(), self.json(0..self.text.len()).original_text().into_owned())];
            return Some(NodeDocument { format: self.format, texts });
        }
        let node = &self.nodes[self.position(path).ok()?];
        let text = |(suffix, span): (&&str, &Option<Range<usize>>)| {
            Some(((*suffix).to_owned(), self.json(span.clone()?).original_text().into_owned()))
        };
        let mut texts: Vec<_> = suffixes(self.format).iter().zip(&node.spans).filter_map(text).collect();
        if let (ZarrFormat::Draft(_), Ok(root)) = (self.format, self.position(&NodePath::root())) {
            texts.retain(|(suffix, _)| suffix != ZARR_JSON);
            let entry = text((&ZARR_JSON, &self.nodes[root].spans[2]));
            texts = entry.into_iter().chain(texts).collect();
        }
        Some(NodeDocument { format: self.format, texts })
    }

    /// The text under a key of the store, of a draft's hierarchy, whose documents stand in a tree of their own.
    pub fn draft_text(&self, key: &str) -> Option<String> {
        let ZarrFormat::Draft(draft) = self.format else { return None };
        let Place::Node(path, suffix) = locate_draft(key, draft) else { return None };
        let span = self.nodes[self.position(&path).ok()?].spans[suffix].clone()?;
        Some(self.json(span).original_text().into_owned())
    }

    /// What stands at a path. A document that does not say what it is counts as a group: opening it tells the error.
    pub fn kind(&self, path: &NodePath) -> Option<NodeKind> {
        if self.is_own_group(path) {
            return Some(NodeKind::Group);
        }
        let (idx, own) = match self.position(path) {
            Ok(idx) => (idx + 1, self.own_kind(&self.nodes[idx])),
            Err(idx) => (idx, None),
        };
        let holds_something = || self.nodes.get(idx).is_some_and(|node| is_within(&node.path, path));
        own.or_else(|| holds_something().then_some(NodeKind::ImplicitGroup))
    }

    /// All nodes that have documents, in document order; the group itself is the first in v3.
    pub fn contents(&self) -> Vec<(NodePath, NodeKind)> {
        let mut nodes: Vec<_> = self
            .nodes
            .iter()
            .filter_map(|node| Some((node.order, (node.path.clone(), self.own_kind(node)?))))
            .collect();
        nodes.sort_by_key(|(order, _)| *order);
        let own = self.is_own_group(&NodePath::root()).then(|| (NodePath::root(), NodeKind::Group));
        own.into_iter().chain(nodes.into_iter().map(|(_, node)| node)).collect()
    }

    /// What a group holds directly, implied groups too, by name.
    pub fn children(&self, group: &NodePath) -> Vec<(NodePath, NodeKind)> {
        let mut children = Vec::new();
        let mut idx = match self.position(group) {
            Ok(idx) => idx + 1,
            Err(idx) => idx,
        };
        while let Some(child) = self.nodes.get(idx).and_then(|node| child_towards(group, &node.path)) {
            idx +=
                self.nodes[idx..].partition_point(|node| node.path == child || is_within(&node.path, &child));
            if let Some(kind) = self.kind(&child) {
                children.push((child, kind));
            }
        }
        children
    }

    /// Whether a path means the v3 group whose `zarr.json` this is.
    fn is_own_group(&self, path: &NodePath) -> bool {
        self.format == ZarrFormat::V3 && path.is_root()
    }

    fn own_kind(&self, node: &Node) -> Option<NodeKind> {
        match (self.format, &node.spans) {
            (ZarrFormat::V2 | ZarrFormat::Draft(_), [Some(_), ..]) => Some(NodeKind::Array),
            (ZarrFormat::V2 | ZarrFormat::Draft(_), [None, Some(_), _]) => Some(NodeKind::Group),
            (ZarrFormat::V3, [Some(span), ..]) => {
                let is_array = self.node_type(span.clone()).as_deref() == Some("\"array\"");
                Some(if is_array { NodeKind::Array } else { NodeKind::Group })
            }
            _ => None,
        }
    }

    /// What a document says that it is, as text.
    fn node_type(&self, span: Range<usize>) -> Option<Cow<'_, str>> {
        let text = self.text.get(span.clone())?;
        if let Some(found) = json::last_member(text.as_bytes(), "node_type") {
            return found.and_then(|value| text.get(value)).map(Cow::Borrowed);
        }
        let members = self.json(span).members().unwrap_or_default();
        let found = members.iter().rfind(|(key, _)| key == "node_type");
        found.map(|(_, json)| Cow::Owned(json.text().to_owned()))
    }

    fn json(&self, span: Range<usize>) -> Json<'_> {
        Json::from_checked(&self.text[span], self.non_finite)
    }

    fn position(&self, path: &NodePath) -> std::result::Result<usize, usize> {
        self.nodes.binary_search_by(|node| by_segments(&node.path, path))
    }
}

fn suffixes(format: ZarrFormat) -> &'static [&'static str] {
    match format {
        ZarrFormat::V2 => &V2_SUFFIXES,
        ZarrFormat::V3 => &V3_SUFFIXES,
        ZarrFormat::Draft(_) => &DRAFT_SUFFIXES,
    }
}

/// Where the object stands that maps keys to documents.
fn metadata_path(format: ZarrFormat) -> &'static [&'static str] {
    match format {
        ZarrFormat::V2 | ZarrFormat::Draft(_) => &["metadata"],
        ZarrFormat::V3 => &["consolidated_metadata", "metadata"],
    }
}

/// Keys and documents.
type Members<'a> = [(Cow<'a, str>, Split<'a>)];

/// The members of that object; `None` where a v3 group has no consolidated metadata.
fn documents<'s, 'a>(root: &'s Split<'a>, format: ZarrFormat) -> Result<Option<&'s Members<'a>>> {
    let (holder, place) = match format {
        ZarrFormat::V2 | ZarrFormat::Draft(_) => (root, "metadata"),
        ZarrFormat::V3 => match root.get("consolidated_metadata") {
            None | Some(Split::Null) if matches!(root, Split::Members(_)) => return Ok(None),
            Some(holder) => (holder, "consolidated_metadata.metadata"),
            None => (root, "consolidated_metadata"),
        },
    };
    if let (ZarrFormat::V3, Some(Split::Whole(kind))) = (format, holder.get("kind"))
        && kind.text() != "\"inline\""
    {
        return Err(kind.unexpected("\"inline\"").in_field("consolidated_metadata.kind"));
    }
    match holder.get("metadata") {
        Some(Split::Members(documents)) => Ok(Some(documents)),
        _ => Err(Error::format("the consolidated metadata holds no documents")
            .in_field(place)
            .expected("an object")),
    }
}

/// What a key of the object means.
enum Place {
    /// The document with this suffix (by its place in [`suffixes`]) of a node.
    Node(NodePath, usize),
    /// A path that no node has.
    Invalid,
    /// No document of ours.
    Other,
}

fn locate(key: &str, format: ZarrFormat) -> Place {
    let (path, suffix) = match format {
        ZarrFormat::V2 => key.rsplit_once('/').unwrap_or(("", key)),
        ZarrFormat::V3 => (key, ZARR_JSON),
        ZarrFormat::Draft(draft) => return locate_draft(key, draft),
    };
    let Some(suffix) = suffixes(format).iter().position(|known| *known == suffix) else {
        return Place::Other;
    };
    // `/.zarray` and the empty key split into an empty path like that of `.zarray`.
    let path = NodePath::from_normal(path).filter(|_| !key.starts_with('/') && !key.is_empty());
    path.map_or(Place::Invalid, |path| Place::Node(path, suffix))
}

/// Keys are those of the whole store. What is none of a document's is none of ours.
fn locate_draft(key: &str, draft: Draft) -> Place {
    if key == ZARR_JSON {
        return Place::Node(NodePath::root(), 2);
    }
    match draft::node_of_key(key, draft, draft::entry_point::DEFAULT_SUFFIX) {
        Some((path, NodeKind::Array)) => Place::Node(path, 0),
        Some((path, _)) => Place::Node(path, 1),
        None => Place::Other,
    }
}

/// Brings the documents of each node together; of a repeated key the last counts.
fn gather(found: Vec<Found>) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::with_capacity(found.len());
    for (order, Found { path, suffix, span }) in found.into_iter().enumerate() {
        let mut spans = [None, None, None];
        spans[suffix] = Some(span);
        nodes.push(Node { path, order, spans });
    }
    nodes.sort_by(|a, b| by_segments(&a.path, &b.path));
    nodes.dedup_by(|later, first| {
        if later.path != first.path {
            return false;
        }
        for (span, later) in first.spans.iter_mut().zip(&mut later.spans) {
            *span = later.take().or_else(|| span.take());
        }
        true
    });
    nodes
}

fn by_segments(a: &NodePath, b: &NodePath) -> Ordering {
    let (a, b) = (a.as_str(), b.as_str());
    match a.bytes().zip(b.bytes()).find(|(a, b)| a != b) {
        None => a.len().cmp(&b.len()),
        // A segment that ends comes before one that goes on.
        Some((b'/', _)) => Ordering::Less,
        Some((_, b'/')) => Ordering::Greater,
        Some((a, b)) => a.cmp(&b),
    }
}

/// Whether `group` holds `path`, at any depth.
fn is_within(path: &NodePath, group: &NodePath) -> bool {
    match path.as_str().strip_prefix(group.as_str()) {
        Some(rest) => group.is_root() && !path.is_root() || rest.starts_with('/'),
        None => false,
    }
}

/// The child of `group` that leads to `path`.
fn child_towards(group: &NodePath, path: &NodePath) -> Option<NodePath> {
    if !is_within(path, group) {
        return None;
    }
    let rest = path.as_str().get(group.as_str().len()..)?.trim_start_matches('/');
    let name = rest.split('/').next()?;
    NodePath::parse_any(name).ok().map(|name| group.join(&name))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    const V2_ARRAY: &str = r#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<i2","compressor":null,"fill_value":1,"order":"C","filters":null}"#;
    const V3_ARRAY: &str = r#"{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int16","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"chunk_key_encoding":"default","fill_value":1,"codecs":["bytes"]}"#;
    const V3_GROUP: &str = r#"{"zarr_format":3,"node_type":"group","attributes":{"a":NaN}}"#;

    fn path(path: &str) -> NodePath {
        NodePath::parse_any(path).unwrap()
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
    fn v2_documents_of_a_node_are_brought_together() {
        let consolidated = v2(&[
            (".zattrs", r#"{"title":"t"}"#),
            (".zgroup", r#"{"zarr_format":2}"#),
            ("b/.zarray", V2_ARRAY),
            ("b/.zattrs", r#"{"_ARRAY_DIMENSIONS":["x"],"n":NaN}"#),
            ("a/c/.zarray", V2_ARRAY),
        ]);
        let Some(Ok(NodeMetadata::Array(array))) = consolidated.node(&path("b")) else { panic!("no array") };
        assert_eq!(array.dimension_names, Some(vec![Some("x".into())]));
        assert_eq!(array.attributes, r#"{"_ARRAY_DIMENSIONS":["x"],"n":NaN}"#);
        let Some(Ok(NodeMetadata::Group(group))) = consolidated.node(&NodePath::root()) else {
            panic!("no group")
        };
        assert_eq!(group.attributes, r#"{"title":"t"}"#);
        let document = consolidated.document(&path("a/c")).unwrap();
        assert_eq!(document.texts, [(".zarray".to_owned(), V2_ARRAY.to_owned())]);
        let contents = [("", NodeKind::Group), ("b", NodeKind::Array), ("a/c", NodeKind::Array)];
        assert_eq!(named(consolidated.contents()), contents.map(|(path, kind)| (path.to_owned(), kind)));
    }

    #[test]
    fn v3_documents_are_found_and_the_group_is_its_own() {
        let consolidated = v3(&[("z", V3_GROUP), ("z/a", V3_ARRAY)]);
        assert!(matches!(consolidated.node(&path("z/a")), Some(Ok(NodeMetadata::Array(_)))));
        let Some(Ok(NodeMetadata::Group(group))) = consolidated.node(&path("z")) else { panic!("no group") };
        assert_eq!(group.attributes, r#"{"a":NaN}"#);
        let Some(Ok(NodeMetadata::Group(root))) = consolidated.node(&NodePath::root()) else {
            panic!("no group")
        };
        assert_eq!(root.attributes, r#"{"b":1}"#);
        let contents = [("", NodeKind::Group), ("z", NodeKind::Group), ("z/a", NodeKind::Array)];
        assert_eq!(named(consolidated.contents()), contents.map(|(path, kind)| (path.to_owned(), kind)));
        assert_eq!(
            consolidated.document(&path("z")).unwrap().texts,
            [("zarr.json".to_owned(), V3_GROUP.to_owned())]
        );
    }

    #[test]
    fn a_drafts_documents_stand_under_the_keys_of_the_store() {
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
        assert!(matches!(consolidated.node(&path("a/b")), Some(Ok(NodeMetadata::Array(_)))));
        assert_eq!(consolidated.kind(&path("a")), Some(NodeKind::ImplicitGroup));
        let document = consolidated.document(&path("a/b")).unwrap();
        let texts = [(ZARR_JSON.to_owned(), entry.to_owned()), (".array.json".to_owned(), array.to_owned())];
        assert_eq!(document.texts, texts);
        assert_eq!(consolidated.draft_text("meta/root/a/b.array.json").as_deref(), Some(array));
        assert_eq!(consolidated.draft_text("meta/root/a.array.json"), None);
    }

    #[test]
    fn groups_are_implied_by_what_they_hold() {
        let consolidated = v3(&[("a/b/c", V3_ARRAY)]);
        for implied in ["a", "a/b"] {
            assert_eq!(consolidated.kind(&path(implied)), Some(NodeKind::ImplicitGroup));
            assert!(matches!(consolidated.node(&path(implied)), Some(Ok(NodeMetadata::Group(_)))));
            assert!(consolidated.document(&path(implied)).is_none());
        }
        for absent in ["b", "a/b/c/d", "a/bc", "a/b/cc"] {
            assert_eq!(consolidated.kind(&path(absent)), None, "{absent}");
            assert!(consolidated.node(&path(absent)).is_none());
        }
    }

    #[test]
    fn children_are_direct_and_known_once() {
        // `-` sorts before `/`: plain string order would tear `a/b` from what it holds.
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
    fn attributes_alone_make_no_node() {
        let consolidated =
            v2(&[(".zgroup", r#"{"zarr_format":2}"#), ("a/.zattrs", "{}"), (".zmetadata", "{}")]);
        assert_eq!(consolidated.kind(&path("a")), None);
        assert!(consolidated.children(&NodePath::root()).is_empty());
        assert!(consolidated.warnings().is_empty());
    }

    #[test]
    fn invalid_paths_are_skipped_with_a_warning() {
        let keys = [
            "../.zarray",
            "a/../b/.zarray",
            "/.zarray",
            "/a/.zarray",
            "a//.zarray",
            "a//b/.zarray",
            "./.zarray",
        ];
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
    fn a_broken_node_fails_alone_and_by_name() {
        let consolidated = v3(&[("good", V3_ARRAY), ("bad", "{}"), ("worse", "7")]);
        assert!(consolidated.node(&path("good")).unwrap().is_ok());
        for bad in ["bad", "worse"] {
            let error = consolidated.node(&path(bad)).unwrap().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format);
            assert_eq!(error.context().node.as_deref(), Some(bad));
        }
    }

    #[test]
    fn of_repeated_keys_the_last_counts() {
        let consolidated = v3(&[("a", V3_ARRAY), ("a", V3_GROUP)]);
        assert_eq!(consolidated.kind(&path("a")), Some(NodeKind::Group));
        assert_eq!(consolidated.contents().len(), 2);
    }

    #[test]
    fn what_is_no_consolidated_metadata() {
        for text in ["{}", r#"{"metadata":[]}"#, "[]"] {
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
}
