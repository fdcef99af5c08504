//! Consolidated metadata: the documents of many nodes in one text. That is v2's `.zmetadata`, and
//! `consolidated_metadata` in the `zarr.json` of a v3 group.
//!
//! The text is indexed, not parsed: a node's path leads to the range of its text, and the node is
//! parsed when it is opened. The text is a copy that others wrote: it may be outdated, and its
//! paths are checked like any input. Paths are relative to the group.

pub mod checking;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use super::document::{NodeDocument, ZARR_JSON, ZARRAY, ZATTRS, ZGROUP};
use super::document_kind::DocumentKind;
use super::large::{DocumentScan, OTHERS, metadata_path};
use super::split::Split;
use super::{Draft, NodeKind, NodeMetadata, ZarrFormat, draft, v3};
use crate::error::{Error, IS_FULL, Result, Stage};
use crate::format::json::text::ObjectText;
use crate::format::json::{Document, Json};
use crate::format::path::NodePath;
use crate::format::tolerated::Form;
use crate::kernel::json;
use crate::quoted::quoted;
use crate::sorted;

/// The `node_type` of an array as JSON.
const ARRAY: &str = "\"array\"";

const V2_SUFFIXES: [&str; 3] = [ZARRAY, ZGROUP, ZATTRS];
const V3_SUFFIXES: [&str; 1] = [ZARR_JSON];
/// The suffixes of zarr-python 2 for the draft of 2020. The entry point counts as a document of the
/// root.
const DRAFT_SUFFIXES: [&str; 3] = [".array.json", ".group.json", ZARR_JSON];

/// The index of the documents in one text.
#[derive(Clone)]
pub struct Consolidated {
    format: ZarrFormat,
    text: Text,
    /// For a v3 group's `zarr.json`, its text without the documents of other nodes.
    own: String,
    /// The nodes, sorted by path segments, so that all nodes below a group directly follow it.
    nodes: Vec<Node>,
    warnings: Vec<String>,
}

/// Reads a range of bytes of a text that is stored elsewhere.
pub type ReadText = Rc<dyn Fn(Range<usize>) -> Option<String>>;

/// The text that has the documents.
#[derive(Clone)]
enum Text {
    /// The text itself. It is as written, unless bare tokens had to be quoted.
    Here {
        text: String,
        non_finite: bool,
        is_original: bool,
    },
    Elsewhere(ReadText),
}

impl Text {
    /// A part of the text, where it is here.
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
    /// The number of the node in the order of the text.
    order: usize,
    /// For each key suffix of the Zarr format, the range of the document.
    spans: [Option<Range<usize>>; V2_SUFFIXES.len()],
    /// For v3, whether the node is an array, where the scan has seen it.
    is_array: Option<bool>,
}

/// Consolidated metadata that is being indexed. The documents are found; their keys are parsed in
/// steps.
pub struct Indexing {
    consolidated: Consolidated,
    entries: std::vec::IntoIter<DocumentEntry>,
    found: Vec<FoundDocument>,
    invalid: Vec<String>,
}

/// A member of the object that maps keys to documents.
struct DocumentEntry {
    key: Key,
    span: Range<usize>,
    is_array: Option<bool>,
}

/// A key: its range in the text, or the key without its escapes.
enum Key {
    At(Range<usize>),
    Unescaped(String),
}

impl Indexing {
    /// Indexes this many more documents. Returns whether there are more.
    pub fn step(&mut self, documents: usize) -> bool {
        let (format, text) = (self.consolidated.format, &self.consolidated.text);
        for DocumentEntry { key, span, is_array } in self.entries.by_ref().take(documents) {
            let key = match &key {
                Key::At(range) => text.get(range.clone()).unwrap_or_default(),
                Key::Unescaped(key) => key,
            };
            match locate(key, format) {
                KeyMeaning::Node(path, suffix) => {
                    self.found.push(FoundDocument { path, suffix, span, is_array })
                }
                KeyMeaning::Invalid => self.invalid.push(key.to_owned()),
                KeyMeaning::Other => {}
            }
        }
        self.entries.len() > 0
    }

    /// Indexes the rest, and groups the documents by node.
    pub fn end(mut self) -> Consolidated {
        self.step(usize::MAX);
        let warnings = self.invalid.first().map(|first| {
            Form::ConsolidatedPath.warning(format!("{} keys such as {}", self.invalid.len(), quoted(first)))
        });
        let (nodes, warnings) = (gather(self.found), warnings.into_iter().collect());
        Consolidated { nodes, warnings, ..self.consolidated }
    }
}

/// A document in the text, before the documents of a node are grouped.
struct FoundDocument {
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
    /// Indexes a `.zmetadata` (v2) or a group's `zarr.json` (v3). `None` where a v3 group has no
    /// consolidated metadata.
    ///
    /// # Errors
    /// `Format` for text that is not consolidated metadata.
    pub fn index(text: &[u8], format: ZarrFormat) -> Result<Option<Self>> {
        let mut scanning = DocumentScan::new(text.to_vec(), format)?;
        while scanning.step(usize::MAX) {}
        Ok(Self::begin(scanning)?.map(Indexing::end))
    }

    /// Starts indexing a scanned text in steps.
    ///
    /// # Errors
    /// As [`index`](Self::index).
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
            let (kind, text) = (DocumentKind::of_others(format), document.whole_text().as_bytes());
            let blame = |error| kind.blame(error, text);
            let root = document.split(metadata_path(format)).map_err(blame)?;
            let Some(documents) = documents(&root, format).map_err(blame)? else { return Ok(None) };
            entries.reserve(documents.len());
            for (key, value) in documents {
                let Split::Whole(json) = value else { continue };
                let span = document.span(json.text());
                let key = match key {
                    Cow::Borrowed(key) => Key::At(document.span(key)),
                    Cow::Owned(key) => Key::Unescaped(key.clone()),
                };
                let is_array = is_array(&document, &span);
                entries.push(DocumentEntry { key, span, is_array });
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

    /// Drops the text. From now on `reader` reads parts of it. A text that had to be changed for
    /// reading stays here.
    pub fn leave_text_to(&mut self, reader: ReadText) {
        if let Text::Here { is_original: true, .. } = self.text {
            self.text = Text::Elsewhere(reader);
        }
    }

    /// The Zarr format of the nodes.
    pub fn format(&self) -> ZarrFormat {
        self.format
    }

    /// Warnings about documents that were skipped.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Parses the v3 group whose `zarr.json` this is. `None` for other texts.
    pub fn own_group(&self) -> Option<Result<NodeMetadata>> {
        self.is_own_group(&NodePath::root()).then(|| v3::parse_node(self.own.as_bytes()))
    }

    /// The texts of the node at a path. `None` where there is no node or an implicit group, and for
    /// the v3 group whose `zarr.json` this is: the caller has its text.
    pub fn document(&self, path: &NodePath) -> Option<NodeDocument> {
        if self.is_own_group(path) {
            return None;
        }
        let node = self.nodes.get(self.position(path).ok()?)?;
        let mut texts = Vec::new();
        for (suffix, span) in suffixes(self.format).iter().zip(&node.spans) {
            if let Some(text) = span.clone().and_then(|span| self.original(span)) {
                texts.push(((*suffix).to_owned(), text));
            }
        }
        if let (ZarrFormat::Draft(_), Ok(root)) = (self.format, self.position(&NodePath::root())) {
            texts.retain(|(suffix, _)| suffix != ZARR_JSON);
            let span = self.nodes.get(root).and_then(|root| root.spans.get(2)).cloned().flatten();
            if let Some(entry) = span.and_then(|span| self.original(span)) {
                texts.insert(0, (ZARR_JSON.to_owned(), entry));
            }
        }
        Some(NodeDocument::of(self.format, texts))
    }

    /// The text of a document by its key in the store, for a draft's hierarchy.
    pub fn draft_text(&self, key: &str) -> Option<String> {
        let ZarrFormat::Draft(draft) = self.format else { return None };
        if !IS_FULL {
            return None;
        }
        let KeyMeaning::Node(path, suffix) = locate_draft(key, draft) else { return None };
        let span = self.nodes.get(self.position(&path).ok()?)?.spans.get(suffix)?.clone()?;
        self.original(span)
    }

    /// The kind of the node at a path. A document without a kind counts as a group: opening it
    /// gives the error.
    pub fn kind(&self, path: &NodePath) -> Option<NodeKind> {
        if self.is_own_group(path) {
            return Some(NodeKind::Group);
        }
        let (idx, own) = match self.position(path) {
            Ok(idx) => (idx.saturating_add(1), self.nodes.get(idx).and_then(|node| self.own_kind(node))),
            Err(idx) => (idx, None),
        };
        let holds_something = || self.nodes.get(idx).is_some_and(|node| is_within(&node.path, path));
        own.or_else(|| holds_something().then_some(NodeKind::ImplicitGroup))
    }

    /// All nodes that have documents, in the order of the text. In v3 the group itself is the
    /// first.
    pub fn contents(&self) -> Vec<(NodePath, NodeKind)> {
        let mut order: Vec<&Node> = Vec::with_capacity(self.nodes.len());
        order.extend(&self.nodes);
        sorted::sort_by_key(&mut order, |node| node.order);
        let mut contents = Vec::with_capacity(order.len().saturating_add(1));
        if self.is_own_group(&NodePath::root()) {
            contents.push((NodePath::root(), NodeKind::Group));
        }
        for node in order {
            if let Some(kind) = self.own_kind(node) {
                contents.push((node.path.clone(), kind));
            }
        }
        contents
    }

    /// The nodes directly below a group, including implicit groups, sorted by name.
    pub fn children(&self, group: &NodePath) -> Vec<(NodePath, NodeKind)> {
        let mut children = Vec::new();
        let mut idx = match self.position(group) {
            Ok(idx) => idx.saturating_add(1),
            Err(idx) => idx,
        };
        while let Some(child) = self.nodes.get(idx).and_then(|node| child_towards(group, &node.path)) {
            let rest = self.nodes.get(idx..).unwrap_or_default();
            let below = rest.partition_point(|node| node.path == child || is_within(&node.path, &child));
            idx = idx.saturating_add(below);
            if let Some(kind) = self.kind(&child) {
                children.push((child, kind));
            }
        }
        children
    }

    /// Whether the path is that of the v3 group whose `zarr.json` this is.
    fn is_own_group(&self, path: &NodePath) -> bool {
        self.format == ZarrFormat::V3 && path.is_root()
    }

    fn own_kind(&self, node: &Node) -> Option<NodeKind> {
        match (self.format, &node.spans) {
            (ZarrFormat::V2 | ZarrFormat::Draft(_), [Some(_), ..]) => Some(NodeKind::Array),
            (ZarrFormat::V2 | ZarrFormat::Draft(_), [None, Some(_), _]) => Some(NodeKind::Group),
            (ZarrFormat::V3, [Some(span), ..]) => {
                let is_stated = || self.node_type(span.clone()).as_deref() == Some(ARRAY);
                Some(if node.is_array.unwrap_or_else(is_stated) { NodeKind::Array } else { NodeKind::Group })
            }
            _ => None,
        }
    }

    /// The text of a document's `node_type`.
    fn node_type(&self, span: Range<usize>) -> Option<String> {
        let text = self.original(span)?;
        if let Some(found) = json::last_member(text.as_bytes(), "node_type") {
            return text.get(found?).map(str::to_owned);
        }
        let document = Document::parse(text.as_bytes()).ok()?;
        let members = document.root().object().ok()?;
        members.get("node_type").map(|json| json.text().to_owned())
    }

    /// A part of the text as written.
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

/// The keys and the documents.
type Members<'a> = [(Cow<'a, str>, Split<'a>)];

/// The members of the object that maps keys to documents. `None` where a v3 group has no
/// consolidated metadata.
fn documents<'s, 'a>(root: &'s Split<'a>, format: ZarrFormat) -> Result<Option<&'s Members<'a>>> {
    let (holder, field) = match format {
        ZarrFormat::V2 | ZarrFormat::Draft(_) => {
            check_version(root)?;
            (root, "metadata")
        }
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
        _ => Err(Error::format("the consolidated metadata has no documents")
            .in_field(field)
            .expected("an object")),
    }
}

/// Checks that a document is the `.zmetadata` of Zarr. Kerchunk's Parquet has a document of this
/// name, too: its chunks are not keys of the store.
fn check_version(root: &Split<'_>) -> Result<()> {
    let version = "zarr_consolidated_format";
    match (root.get(version), root.get("record_size")) {
        (Some(Split::Whole(json)), None) if json.text() == "1" => Ok(()),
        (Some(Split::Whole(json)), None) => Err(json.unexpected("1").in_field(version)),
        _ => Err(Error::format("the document is not consolidated metadata of Zarr v2").in_field(version)),
    }
}

/// Whether the document in this range is an array, where the scan has seen it.
fn is_array(document: &Document<'_>, span: &Range<usize>) -> Option<bool> {
    let node_type = document.watched(span.start)?;
    Some(document.whole_text().get(node_type)? == ARRAY)
}

/// The meaning of a key.
enum KeyMeaning {
    /// The document of a node. The number is that of its suffix in [`suffixes`].
    Node(NodePath, usize),
    /// A path that no node can have.
    Invalid,
    /// Not a key of a metadata document.
    Other,
}

fn locate(key: &str, format: ZarrFormat) -> KeyMeaning {
    let (path, suffix) = match format {
        ZarrFormat::V2 => key.rsplit_once('/').unwrap_or(("", key)),
        ZarrFormat::V3 => (key, ZARR_JSON),
        ZarrFormat::Draft(draft) if IS_FULL => return locate_draft(key, draft),
        ZarrFormat::Draft(_) => return KeyMeaning::Other,
    };
    let Some(suffix) = suffixes(format).iter().position(|known| *known == suffix) else {
        return KeyMeaning::Other;
    };
    // `/.zarray` and the empty key split into an empty path like that of `.zarray`.
    let path = NodePath::from_normal(path).filter(|_| !key.starts_with('/') && !key.is_empty());
    path.map_or(KeyMeaning::Invalid, |path| KeyMeaning::Node(path, suffix))
}

/// Parses a draft's key, which is a key of the store. Other keys are skipped.
fn locate_draft(key: &str, draft: Draft) -> KeyMeaning {
    if key == ZARR_JSON {
        return KeyMeaning::Node(NodePath::root(), 2);
    }
    match draft::node_of_key(key, draft, draft::entry_point::DEFAULT_SUFFIX) {
        Some((path, NodeKind::Array)) => KeyMeaning::Node(path, 0),
        Some((path, _)) => KeyMeaning::Node(path, 1),
        None => KeyMeaning::Other,
    }
}

/// Groups the documents by node. Where a key repeats, the last document counts.
fn gather(found: Vec<FoundDocument>) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::with_capacity(found.len());
    for (order, FoundDocument { path, suffix, span, is_array }) in found.into_iter().enumerate() {
        let mut spans = [None, None, None];
        if let Some(slot) = spans.get_mut(suffix) {
            *slot = Some(span);
        }
        nodes.push(Node { path, order, spans, is_array });
    }
    sorted::sort_by(&mut nodes, |a, b| by_segments(&a.path, &b.path));
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
        // A segment comes before longer segments that start with it.
        Some((b'/', _)) => Ordering::Less,
        Some((_, b'/')) => Ordering::Greater,
        Some((a, b)) => a.cmp(&b),
    }
}

/// Whether `path` is below `group`, at any depth.
fn is_within(path: &NodePath, group: &NodePath) -> bool {
    match path.as_str().strip_prefix(group.as_str()) {
        Some(rest) => group.is_root() && !path.is_root() || rest.starts_with('/'),
        None => false,
    }
}

/// The child of `group` on the way to `path`.
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
