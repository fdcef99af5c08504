//! Consolidated metadata: the documents of a whole hierarchy in one. v2's `.zmetadata`, and `consolidated_metadata` in a v3
//! group's `zarr.json`.
//!
//! Indexed, not parsed: a node's path leads to the span of its text, and a node is parsed when it is opened. It is a cache
//! that others wrote: it may be stale, and its paths are checked like any input. Paths are relative to the group.

pub mod checking;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use super::document::{self, NodeDocument, ZARR_JSON, ZARRAY, ZATTRS, ZGROUP};
use super::json::{Document, Json};
use super::large::{DocumentScan, OTHERS};
use super::split::Split;
use super::write::text::ObjectText;
use super::{Draft, GroupMetadata, NodeKind, NodeMetadata, ZarrFormat, attributes, draft, v3};
use crate::error::{Error, IS_FULL, Result, Stage};
use crate::format::path::NodePath;
use crate::format::tolerated::Form;
use crate::kernel::json;

/// The `node_type` of an array, as JSON has it.
const ARRAY: &str = "\"array\"";

const V2_SUFFIXES: [&str; 3] = [ZARRAY, ZGROUP, ZATTRS];
const V3_SUFFIXES: [&str; 1] = [ZARR_JSON];
/// What zarr-python 2 wrote into the layout of 2020; the entry point counts as a document of the root.
const DRAFT_SUFFIXES: [&str; 3] = [".array.json", ".group.json", ZARR_JSON];

/// Where the documents of a hierarchy stand in one text.
#[derive(Clone)]
pub struct Consolidated {
    format: ZarrFormat,
    text: Text,
    /// Of the v3 group whose `zarr.json` the text is: that without the documents of other nodes.
    own: String,
    /// By path, segment for segment, so that whatever a group holds directly follows it.
    nodes: Vec<Node>,
    warnings: Vec<String>,
}

/// Reads a span of a text that is kept elsewhere.
pub type ReadText = Rc<dyn Fn(Range<usize>) -> Option<String>>;

/// Where the documents stand.
#[derive(Clone)]
enum Text {
    /// At hand, as it was written unless bare tokens had to be quoted.
    Here {
        text: String,
        non_finite: bool,
        is_original: bool,
    },
    Elsewhere(ReadText),
}

impl Text {
    /// A part of what is at hand.
    fn get(&self, span: Range<usize>) -> Option<&str> {
        match self {
            Self::Here { text, .. } => text.get(span),
            Self::Elsewhere(_) => None,
        }
    }
}

#[derive(Clone, Debug)]
struct Node {
    path: NodePath,
    /// Place in the document.
    order: usize,
    /// Where the text of each of the format's suffixes stands.
    spans: [Option<Range<usize>>; V2_SUFFIXES.len()],
    /// Of v3, where the scan has seen it: whether it is an array.
    is_array: Option<bool>,
}

/// Consolidated metadata whose documents are found; which node each is of is told in steps.
pub struct Indexing {
    consolidated: Consolidated,
    entries: std::vec::IntoIter<Entry>,
    found: Vec<Found>,
    invalid: Vec<String>,
}

/// A member of the object that maps keys to documents.
struct Entry {
    key: Key,
    span: Range<usize>,
    is_array: Option<bool>,
}

/// A key: where it stands in the text, or what it is without its escapes.
enum Key {
    At(Range<usize>),
    Unescaped(String),
}

impl Indexing {
    /// Goes on for so many documents; whether there are more.
    pub fn step(&mut self, documents: usize) -> bool {
        let (format, text) = (self.consolidated.format, &self.consolidated.text);
        for Entry { key, span, is_array } in self.entries.by_ref().take(documents) {
            let key = match &key {
                Key::At(place) => text.get(place.clone()).unwrap_or_default(),
                Key::Unescaped(key) => key,
            };
            match locate(key, format) {
                Place::Node(path, suffix) => self.found.push(Found { path, suffix, span, is_array }),
                Place::Invalid => self.invalid.push(key.to_owned()),
                Place::Other => {}
            }
        }
        self.entries.len() > 0
    }

    /// Goes on to the end, and sorts them by node.
    pub fn end(mut self) -> Consolidated {
        self.step(usize::MAX);
        let warnings = self.invalid.first().map(|first| {
            Form::ConsolidatedPath.warning(format!("{} keys such as {first:?}", self.invalid.len()))
        });
        let (nodes, warnings) = (gather(self.found), warnings.into_iter().collect());
        Consolidated { nodes, warnings, ..self.consolidated }
    }
}

/// A document that the text holds, before those of one node are brought together.
struct Found {
    path: NodePath,
    suffix: usize,
    span: Range<usize>,
    is_array: Option<bool>,
}

impl fmt::Debug for Consolidated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Consolidated({} nodes)", self.nodes.len())
    }
}

impl Consolidated {
    /// Finds the documents in a `.zmetadata` (v2) or in a group's `zarr.json` (v3); `None` where a v3 group has none.
    ///
    /// # Errors
    /// `Format` for what is no consolidated metadata.
    pub fn index(text: &[u8], format: ZarrFormat) -> Result<Option<Self>> {
        let mut scanning = DocumentScan::new(text.to_vec(), format)?;
        while scanning.step(usize::MAX) {}
        Ok(Self::begin(scanning)?.map(Indexing::end))
    }

    /// The same in steps, of a text that has been scanned for this format.
    ///
    /// # Errors
    /// As there.
    pub fn begin(scanning: DocumentScan) -> Result<Option<Indexing>> {
        let (format, own) = (scanning.format(), scanning.own_text());
        let found = scanning.finish().and_then(|document| Self::try_index(document, format, own));
        found.map_err(|error| error.in_stage(Stage::Metadata))
    }

    fn try_index(
        document: Document<'static>,
        format: ZarrFormat,
        own: Option<String>,
    ) -> Result<Option<Indexing>> {
        let mut entries = Vec::new();
        {
            let root = document.split(metadata_path(format))?;
            let Some(documents) = documents(&root, format)? else { return Ok(None) };
            entries.reserve(documents.len());
            for (key, value) in documents {
                let Split::Whole(json) = value else { continue };
                let span = document.span(json.text());
                let key = match key {
                    Cow::Borrowed(key) => Key::At(document.span(key)),
                    Cow::Owned(key) => Key::Unescaped(key.clone()),
                };
                let is_array = is_array(&document, &span);
                entries.push(Entry { key, span, is_array });
            }
        }
        let own = match own {
            Some(own) => own,
            None if format != ZarrFormat::V3 => String::new(),
            None => ObjectText::of(document.root())?.without(OTHERS).compact(),
        };
        let (non_finite, is_original) = (document.has_non_finite(), document.members().is_some());
        let consolidated = Self {
            format,
            own,
            text: Text::Here { text: document.into_text(), non_finite, is_original },
            nodes: Vec::new(),
            warnings: Vec::new(),
        };
        let (entries, found) = (entries.into_iter(), Vec::new());
        Ok(Some(Indexing { consolidated, entries, found, invalid: Vec::new() }))
    }

    /// Lets go of the text, whose spans whoever keeps it reads from now on; what had to be changed to be read stays here.
    pub fn leave_text_to(&mut self, reader: ReadText) {
        if let Text::Here { is_original: true, .. } = self.text {
            self.text = Text::Elsewhere(reader);
        }
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
            _ if self.is_own_group(path) => Some(v3::parse_node(self.own.as_bytes())),
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

    /// What the v3 group says of itself whose `zarr.json` this is.
    pub fn own_group(&self) -> Option<Result<NodeMetadata>> {
        self.is_own_group(&NodePath::root()).then(|| v3::parse_node(self.own.as_bytes()))
    }

    /// The texts of the node at a path; `None` where there is none, or only an implied group, and for the v3 group whose `zarr.json`
    /// this is: whoever made it has that.
    pub fn document(&self, path: &NodePath) -> Option<NodeDocument> {
        if self.is_own_group(path) {
            return None;
        }
        let node = &self.nodes[self.position(path).ok()?];
        let text = |(suffix, span): (&&str, &Option<Range<usize>>)| {
            Some(((*suffix).to_owned(), self.original(span.clone()?)?))
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
        if !IS_FULL {
            return None;
        }
        let Place::Node(path, suffix) = locate_draft(key, draft) else { return None };
        let span = self.nodes[self.position(&path).ok()?].spans[suffix].clone()?;
        self.original(span)
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
                let told = || self.node_type(span.clone()).as_deref() == Some(ARRAY);
                Some(if node.is_array.unwrap_or_else(told) { NodeKind::Array } else { NodeKind::Group })
            }
            _ => None,
        }
    }

    /// What a document says that it is, as text.
    fn node_type(&self, span: Range<usize>) -> Option<String> {
        let text = self.original(span)?;
        if let Some(found) = json::last_member(text.as_bytes(), "node_type") {
            return text.get(found?).map(str::to_owned);
        }
        let document = Document::parse(text.as_bytes()).ok()?;
        let members = document.root().object().ok()?;
        members.get("node_type").map(|json| json.text().to_owned())
    }

    /// A part of the text as it was written.
    fn original(&self, span: Range<usize>) -> Option<String> {
        match &self.text {
            Text::Here { text, non_finite, .. } => {
                Some(Json::from_checked(text.get(span)?, *non_finite).original_text().into_owned())
            }
            Text::Elsewhere(read) => read(span),
        }
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
pub(super) fn metadata_path(format: ZarrFormat) -> &'static [&'static str] {
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

/// What the scan has seen of a document that stands there.
fn is_array(document: &Document<'_>, span: &Range<usize>) -> Option<bool> {
    let node_type = document.watched(span.start)?;
    Some(document.whole_text().get(node_type)? == ARRAY)
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
        ZarrFormat::Draft(draft) if IS_FULL => return locate_draft(key, draft),
        ZarrFormat::Draft(_) => return Place::Other,
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
    for (order, Found { path, suffix, span, is_array }) in found.into_iter().enumerate() {
        let mut spans = [None, None, None];
        spans[suffix] = Some(span);
        nodes.push(Node { path, order, spans, is_array });
    }
    nodes.sort_by(|a, b| by_segments(&a.path, &b.path));
    nodes.dedup_by(|later, first| {
        if later.path != first.path {
            return false;
        }
        first.is_array = later.is_array;
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
mod tests;
