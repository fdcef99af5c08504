//! Opens a node: which Zarr format does it have, and is it an array or a group? The document of v3
//! is requested first. Where its answer takes long, those of v2 are requested beside it. So data of
//! either format costs one round trip on a slow line, and v3 data on a fast line no failed request.
//!
//! v3 wins where a node has both v2 and v3 documents, as data has during a migration. When one
//! request fails and another succeeds, the node still opens. On some servers a browser cannot
//! distinguish a missing key from a CORS refusal.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::{Either, join3, select};

pub use super::types::{LargeDocument, LeftAttributes, OpenedNode};
use zarr_wasm_contract::DataTypeFallback;

use crate::error::{Error, ErrorKind, Result, Stage};
use crate::format::metadata::document::{self, NodeDocument, ZARR_JSON, ZARRAY, ZATTRS, ZGROUP};
use crate::format::metadata::draft::EntryPoint;
use crate::format::metadata::sketch::Sketch;
use crate::format::metadata::{NodeKind, NodeMetadata, ZarrFormat, v3};
use crate::format::path::{NodePath, StoreKey};
use crate::hierarchy::draft::hierarchy::Hierarchy;
use crate::hierarchy::fetch::{self, copied};
use crate::hierarchy::large_document::{self, LARGE_BYTES, left_attributes};
use crate::quoted::quoted;
use crate::store::turn::delay;
use crate::store::{RequestContext, Store, Value};

/// What the caller knows about the node or requires of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// Fail with `NotFound` for a node of another kind.
    pub kind: Option<NodeKind>,
    /// Look for this format only.
    pub format: Option<ZarrFormat>,
    /// The nodes of this store have been v3 so far: request v2 documents only where there is no v3
    /// document.
    pub v3_first: bool,
    /// What to do where a draft's data type is unknown and the metadata names a fallback type.
    pub fallback: DataTypeFallback,
    /// Leave large attributes and the large document of a group where they are: see
    /// [`OpenedNode::large`]. Both may have megabytes.
    pub leaves_large: bool,
    /// Do not request v2's `.zattrs`. A v2 node then has no attributes and no dimension names.
    pub without_attributes: bool,
}

/// How long v3's document is waited for before v2's are requested too. A nearby server answers
/// sooner.
const HEAD_START_MS: u32 = 60;

/// A node that cannot be opened.
#[derive(Clone, Debug)]
pub struct Unreadable {
    /// The node's path.
    pub path: String,
    /// What can be read of its documents.
    pub sketch: Sketch,
    /// Why it cannot be opened.
    pub error: Error,
}

/// Opens the node at `path`.
///
/// # Errors
/// `NotFound` when there is no node, or a node of another kind than the caller requires; `Format`
/// and `Unsupported` as parsing the metadata; `Store` where the store fails. All errors name the
/// node.
pub async fn open(
    store: &Rc<dyn Store>,
    path: &str,
    options: &OpenOptions,
    context: &RequestContext,
) -> Result<OpenedNode> {
    open_or_sketch(store, path, options, context).await.map_err(|unreadable| unreadable.error)
}

/// As [`open`]. For a node that cannot be opened, it also returns what is known of the node.
pub async fn open_or_sketch(
    store: &Rc<dyn Store>,
    path: &str,
    options: &OpenOptions,
    context: &RequestContext,
) -> std::result::Result<OpenedNode, Box<Unreadable>> {
    let probe = Probe { store, options, context, sketch: RefCell::default() };
    let opened = match options.format {
        // A store that holds v3 is no draft's.
        Some(ZarrFormat::V3) if options.v3_first => probe.v3(path).await,
        Some(ZarrFormat::V3) => probe.v3_or_draft(path).await,
        Some(ZarrFormat::V2) => probe.v2(path).await,
        Some(ZarrFormat::Draft(_)) => probe.draft(path).await,
        None => probe.any(path).await,
    };
    let opened = opened.and_then(|found| found.ok_or_else(|| probe.nothing(path)));
    let opened = opened.and_then(|opened| probe.check_kind(opened));
    let opened = opened.and_then(|opened| probe.check_fallback(opened));
    opened.map_err(|error| {
        let (path, error) = (path.to_owned(), error.at_node(path));
        Box::new(Unreadable { path, sketch: probe.sketch.take(), error })
    })
}

/// One call of [`open`].
struct Probe<'a> {
    store: &'a Rc<dyn Store>,
    options: &'a OpenOptions,
    context: &'a RequestContext,
    /// What can be read of documents that do not parse.
    sketch: RefCell<Sketch>,
}

/// The node, or `None` where there is no document of the format.
type Found = Result<Option<OpenedNode>>;

impl Probe<'_> {
    /// Looks for both formats, v3 first. A v3 node ends the search. Otherwise the answer of v2
    /// counts, or else the first failure. If nothing is found, looks for the drafts, whose
    /// hierarchies have an entry point at the root of the store.
    async fn any(&self, path: &str) -> Found {
        let found =
            if self.options.v3_first { self.v3_before_v2(path).await } else { self.v3_and_v2(path).await };
        match found {
            Ok(None) if !path.is_empty() => self.draft(path).await,
            // A draft may allow a name that final v3 does not.
            Err(error) if error.kind() == ErrorKind::Argument => {
                self.draft(path).await?.ok_or(error).map(Some)
            }
            found => found,
        }
    }

    /// Looks for v3 and then for a draft. At the root, the same document tells which of them it is.
    async fn v3_or_draft(&self, path: &str) -> Found {
        match self.v3(path).await {
            Ok(None) if !path.is_empty() => self.draft(path).await,
            found => found,
        }
    }

    async fn draft(&self, path: &str) -> Found {
        let Some(hierarchy) = Hierarchy::find(self.store, self.context).await? else { return Ok(None) };
        if self.options.format.is_some_and(|format| format != ZarrFormat::V3 && format != hierarchy.format())
        {
            return Ok(None);
        }
        hierarchy.open(&NodePath::parse_any(path)?, self.context).await
    }

    /// Needs one request where the node is v3.
    async fn v3_before_v2(&self, path: &str) -> Found {
        match self.v3(path).await {
            Ok(None) => self.v2(path).await,
            Ok(found) => Ok(found),
            Err(error) if is_final(&error) => Err(error),
            Err(_) => self.v3_and_v2(path).await,
        }
    }

    async fn v3_and_v2(&self, path: &str) -> Found {
        let (v3, v2) = match select(Box::pin(self.v3(path)), Box::pin(delay(HEAD_START_MS))).await {
            Either::Left((Ok(Some(v3)), _)) => return Ok(Some(v3)),
            Either::Left((v3, _)) => (v3, self.v2(path).await),
            Either::Right((_, v3)) => match select(v3, Box::pin(self.v2(path))).await {
                Either::Left((Ok(Some(v3)), _)) => return Ok(Some(v3)),
                Either::Left((v3, v2)) => (v3, v2.await),
                Either::Right((v2, v3)) => (v3.await, v2),
            },
        };
        match (v3, v2) {
            (Err(error), _) if is_final(&error) => Err(error),
            (Ok(Some(node)), _) | (_, Ok(Some(node))) => Ok(Some(node)),
            (Err(error), Ok(None)) | (_, Err(error)) => Err(error),
            (Ok(None), Ok(None)) => Ok(None),
        }
    }

    async fn v3(&self, path: &str) -> Found {
        let path = NodePath::parse_v3(path)?;
        if path.is_root()
            && let Some(known) = self.store.known_group(self.context)
        {
            let (value, metadata) =
                known.map_err(|error| with_stage_and_key(error, Some(&document_key(&path))))?;
            return self.group(path, large_zarr_json(value, None), metadata).map(Some);
        }
        let Some(value) = self.value(&path, ZARR_JSON).await? else { return Ok(None) };
        if value.len() >= LARGE_BYTES {
            return self.large_v3(path, value).await;
        }
        let text = copied(&document_key(&path), &value)?;
        if path.is_root()
            && let Some(hierarchy) = Hierarchy::of(self.store, text.clone())?
        {
            return hierarchy.open(&path, self.context).await;
        }
        self.parsed(path, ZarrFormat::V3, &[(ZARR_JSON, &text)], None).map(Some)
    }

    /// Opens a node with a large `zarr.json`. Consolidated metadata in it is skipped, not parsed,
    /// and so are large attributes.
    async fn large_v3(&self, path: NodePath, value: Value) -> Found {
        let blamed = |error| with_stage_and_key(error, Some(&document_key(&path)));
        let text = large_document::read(&value).await.map_err(blamed)?;
        let scanned = large_document::scan(text, ZarrFormat::V3).await.map_err(blamed)?;
        let left = if self.options.leaves_large { left_attributes(&scanned).await } else { None };
        let (attributes, rest) = left.unzip();
        let own = rest.or_else(|| scanned.own_text());
        let text = scanned.into_text();
        let own = own.as_deref().unwrap_or(&text);
        if path.is_root() && EntryPoint::parse(own.as_bytes())?.is_some() {
            let hierarchy = Hierarchy::of(self.store, text.into_bytes())?;
            return match hierarchy {
                Some(hierarchy) => hierarchy.open(&path, self.context).await,
                None => Ok(None),
            };
        }
        let large = large_zarr_json(value, attributes);
        let metadata = v3::parse_node(own.as_bytes()).map_err(|error| {
            let sketch = Sketch::of(ZarrFormat::V3, &[(ZARR_JSON, own.as_bytes())]);
            self.sketch.replace(large.sketch_with_attributes(sketch));
            blamed(error)
        })?;
        if metadata.kind() == NodeKind::Group {
            return self.group(path, large, metadata).map(Some);
        }
        let large = if large.attributes.is_some() { Some(large) } else { None };
        let text = if large.is_some() { own.to_owned() } else { text };
        let texts = vec![(ZARR_JSON.to_owned(), text)];
        let document = NodeDocument { format: ZarrFormat::V3, texts, is_partial: large.is_some() };
        Ok(Some(OpenedNode { path, document, metadata, large }))
    }

    /// Makes the opened group, with or without the text of its document.
    fn group(&self, path: NodePath, large: LargeDocument, metadata: NodeMetadata) -> Result<OpenedNode> {
        let mut document = NodeDocument::of(ZarrFormat::V3, Vec::new());
        if self.options.leaves_large && large.bytes.len() >= LARGE_BYTES {
            return Ok(OpenedNode { path, document, metadata, large: Some(large) });
        }
        let text = copied(&document_key(&path), &large.bytes)?;
        document = NodeDocument::read(ZarrFormat::V3, &[(ZARR_JSON, &text)])
            .map_err(|error| with_stage_and_key(error, Some(&document_key(&path))))?;
        Ok(OpenedNode { path, document, metadata, large: None })
    }

    async fn v2(&self, path: &str) -> Found {
        let path = NodePath::parse_v2(path)?;
        let attributes = async {
            if self.options.without_attributes { Ok(None) } else { self.value(&path, ZATTRS).await }
        };
        let (array, group) = (self.wanted(&path, NodeKind::Array), self.wanted(&path, NodeKind::Group));
        let (array, group, attributes) = join3(array, group, attributes).await;
        let node = match (array, group) {
            (Ok(Some(array)), _) => (ZARRAY, array),
            (array, Ok(Some(group))) => {
                // An array whose request failed must not open as a group.
                array?;
                (ZGROUP, group)
            }
            (Err(error), _) | (_, Err(error)) => return Err(error),
            (Ok(None), Ok(None)) => return self.other_kind(&path).await,
        };
        let (attributes, large) = match attributes? {
            Some(value) => self.attributes(&path, value).await.map(|(text, large)| (Some(text), large))?,
            None => (None, None),
        };
        let mut texts = vec![(node.0, node.1.as_slice())];
        texts.extend(attributes.as_deref().map(|text| (ZATTRS, text)));
        self.parsed(path, ZarrFormat::V2, &texts, large).map(Some)
    }

    /// The text of v2's attributes. Where large ones are left, it has only those that are read
    /// here.
    async fn attributes(&self, path: &NodePath, value: Value) -> Result<(Vec<u8>, Option<LargeDocument>)> {
        let key = StoreKey::new(path, ZATTRS);
        if !self.options.leaves_large || value.len() < LARGE_BYTES {
            return Ok((copied(&key, &value)?, None));
        }
        let blamed = |error| with_stage_and_key(error, Some(&key));
        let text = large_document::read(&value).await.map_err(blamed)?;
        let scanned = large_document::scan_attributes(text).await.map_err(blamed)?;
        let Some((attributes, rest)) = left_attributes(&scanned).await else {
            return Ok((scanned.into_text().into_bytes(), None));
        };
        let large = LargeDocument { suffix: ZATTRS, bytes: value, attributes: Some(attributes) };
        Ok((rest.into_bytes(), Some(large)))
    }

    /// The document that makes a node of v2 one of this kind, unless the other kind alone is
    /// wanted.
    async fn wanted(&self, path: &NodePath, kind: NodeKind) -> Result<Option<Vec<u8>>> {
        match self.options.kind {
            Some(wanted) if wanted != kind => Ok(None),
            _ => self.text(path, document_of(kind)).await,
        }
    }

    /// Where the node is not of the kind that is wanted, it may be of the other one, which is
    /// another error.
    async fn other_kind(&self, path: &NodePath) -> Found {
        let Some(wanted) = self.options.kind else { return Ok(None) };
        let other = if wanted == NodeKind::Array { NodeKind::Group } else { NodeKind::Array };
        let text = self.text(path, document_of(other)).await?;
        let Some(text) = text else { return Ok(None) };
        self.parsed(path.clone(), ZarrFormat::V2, &[(document_of(other), &text)], None).map(Some)
    }

    /// Parses the texts of a node. They may lack attributes that are in `large`.
    fn parsed(
        &self,
        path: NodePath,
        format: ZarrFormat,
        texts: &[(&str, &[u8])],
        large: Option<LargeDocument>,
    ) -> Result<OpenedNode> {
        let key = texts.first().map(|(suffix, _)| StoreKey::new(&path, suffix));
        let node = || {
            let mut document = NodeDocument::read(format, texts)?;
            document.is_partial = large.is_some();
            let metadata = document::parse(&document)?;
            Ok((document, metadata))
        };
        match node() {
            Ok((document, metadata)) => Ok(OpenedNode { path, document, metadata, large }),
            Err(error) => {
                let sketch = Sketch::of(format, texts);
                self.sketch.replace(match large {
                    Some(large) => large.sketch_with_attributes(sketch),
                    None => sketch,
                });
                Err(with_stage_and_key(error, key.as_ref()))
            }
        }
    }

    async fn text(&self, path: &NodePath, suffix: &str) -> Result<Option<Vec<u8>>> {
        fetch::text(self.store, &StoreKey::new(path, suffix), self.context).await
    }

    async fn value(&self, path: &NodePath, suffix: &str) -> Result<Option<Value>> {
        fetch::value(self.store, &StoreKey::new(path, suffix), self.context).await
    }

    fn check_kind(&self, opened: OpenedNode) -> Result<OpenedNode> {
        match self.options.kind {
            Some(wanted) if wanted != opened.metadata.kind() => {
                Err(Error::not_found("the node has another kind")
                    .expected(wanted.name())
                    .actual(opened.metadata.kind().name()))
            }
            _ => Ok(opened),
        }
    }

    fn check_fallback(&self, mut opened: OpenedNode) -> Result<OpenedNode> {
        if let NodeMetadata::Array(array) = &mut opened.metadata
            && let Some(fallback) = &array.fallback
        {
            match self.options.fallback {
                DataTypeFallback::Warn => {}
                DataTypeFallback::Allow => array.warnings.retain(|warning| *warning != fallback.warning()),
                DataTypeFallback::Refuse => {
                    return Err(Error::unsupported(fallback.description()).in_field("data_type"));
                }
            }
        }
        Ok(opened)
    }

    fn nothing(&self, path: &str) -> Error {
        let expected = match self.options.format {
            Some(ZarrFormat::V3) => ZARR_JSON.to_owned(),
            Some(ZarrFormat::V2) => format!("{ZARRAY} or {ZGROUP}"),
            Some(ZarrFormat::Draft(_)) => format!("the {ZARR_JSON} of a draft, and a document below `meta`"),
            None => format!("{ZARR_JSON}, {ZARRAY} or {ZGROUP}"),
        };
        let node = if path.is_empty() { "the root".to_owned() } else { quoted(path) };
        let elsewhere = elsewhere(&self.store.roots());
        let location = format!("{node} of {}{elsewhere}", self.store.describe());
        Error::not_found(format!("no Zarr node at {location}")).expected(expected)
    }
}

/// The most hierarchy roots that an error names.
const MAX_NAMED_ROOTS: usize = 3;

/// Names the roots of the store's hierarchies for an error. Empty where the store's root is one of
/// them.
fn elsewhere(roots: &[NodePath]) -> String {
    if roots.is_empty() || roots.iter().any(NodePath::is_root) {
        return String::new();
    }
    let named: Vec<String> = roots.iter().take(MAX_NAMED_ROOTS).map(|root| quoted(root.as_str())).collect();
    let more = if roots.len() > MAX_NAMED_ROOTS {
        format!(" and {} more", roots.len() - MAX_NAMED_ROOTS)
    } else {
        String::new()
    };
    format!("; there is one at {}{more}", named.join(" and at "))
}

/// Whether the search ends with this error: a document exists, and it is invalid or only another
/// build can read it.
fn is_final(error: &Error) -> bool {
    error.context().stage == Some(Stage::Metadata) || error.is_of_build()
}

/// The document that makes a node of v2 one of this kind.
fn document_of(kind: NodeKind) -> &'static str {
    if kind == NodeKind::Array { ZARRAY } else { ZGROUP }
}

fn large_zarr_json(bytes: Value, attributes: Option<LeftAttributes>) -> LargeDocument {
    LargeDocument { suffix: ZARR_JSON, bytes, attributes }
}

fn document_key(path: &NodePath) -> StoreKey {
    StoreKey::new(path, ZARR_JSON)
}

fn with_stage_and_key(error: Error, key: Option<&StoreKey>) -> Error {
    let error = if error.kind() == ErrorKind::Aborted { error } else { error.in_stage(Stage::Metadata) };
    match key {
        Some(key) => error.at_key(key.as_str()),
        None => error,
    }
}
