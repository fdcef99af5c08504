//! Finds a draft's hierarchy, and the nodes in it.

use std::rc::Rc;

use futures_util::future::join;

use crate::error::{Error, Result, Stage};
use crate::format::metadata::document::{self, NodeDocument, ZARR_JSON};
use crate::format::metadata::draft::{self, EntryPoint};
use crate::format::metadata::{NodeKind, ZarrFormat};
use crate::format::path::{NodePath, StoreKey};
use crate::hierarchy::fetch;
use crate::hierarchy::types::OpenedNode;
use crate::sorted::Map;
use crate::store::{LocalFuture, RequestContext, Store, in_full};

/// A draft's hierarchy: the store whose root it is, and its entry point.
pub struct Hierarchy {
    pub(super) store: Rc<dyn Store>,
    pub(super) entry: EntryPoint,
    pub(super) entry_text: Vec<u8>,
}

impl Hierarchy {
    /// The hierarchy at the root of a store. `None` where there is no hierarchy of a draft.
    ///
    /// # Errors
    /// As [`EntryPoint::parse`], and `Store` where the store fails.
    pub async fn find(store: &Rc<dyn Store>, context: &RequestContext) -> Result<Option<Self>> {
        let key = StoreKey::new(&NodePath::root(), ZARR_JSON);
        let Some(text) = fetch::text(store, &key, context).await? else { return Ok(None) };
        Self::of(store, text)
    }

    /// As [`find`](Self::find), for the text of the store's `zarr.json`.
    pub(in crate::hierarchy) fn of(store: &Rc<dyn Store>, entry_text: Vec<u8>) -> Result<Option<Self>> {
        let entry = EntryPoint::parse(&entry_text).map_err(|error| error.at_key(ZARR_JSON))?;
        Ok(entry.map(|entry| Self { store: store.clone(), entry, entry_text }))
    }

    /// The entry point.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn entry(&self) -> &EntryPoint {
        &self.entry
    }

    /// The format of the nodes.
    pub fn format(&self) -> ZarrFormat {
        self.entry.format()
    }

    /// The key of the document of an array at this path.
    pub(super) fn array_meta_key(&self, path: &NodePath) -> StoreKey {
        StoreKey::of_document(path, self.format(), &self.suffix(draft::ARRAY))
    }

    /// The key of the document of a group at this path.
    pub(super) fn group_meta_key(&self, path: &NodePath) -> StoreKey {
        StoreKey::of_document(path, self.format(), &self.suffix(draft::GROUP))
    }

    pub(super) fn suffix(&self, kind: &str) -> String {
        format!("{kind}{}", self.entry.metadata_key_suffix)
    }

    /// The prefix of the documents below a group.
    pub(super) fn meta_prefix(&self, path: &NodePath) -> NodePath {
        NodePath::of_draft_documents(path, self.entry.draft)
    }

    /// The node at `path`. `None` where there is none.
    ///
    /// Both documents that it may have are requested at once. The root is a group at least, as
    /// there is a hierarchy. Implicit groups are only found in stores that can list.
    ///
    /// # Errors
    /// `Format` and `Unsupported` as the document, `Store` where the store fails.
    pub fn open<'a>(
        &'a self,
        path: &'a NodePath,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<OpenedNode>>> {
        in_full("a draft of v3", || Box::pin(self.node(path, context)))
    }

    async fn node(&self, path: &NodePath, context: &RequestContext) -> Result<Option<OpenedNode>> {
        let (array, group) = (self.array_meta_key(path), self.group_meta_key(path));
        let (array_text, group_text) =
            join(fetch::text(&self.store, &array, context), fetch::text(&self.store, &group, context)).await;
        let own = match (array_text, group_text) {
            (Ok(Some(text)), _) => Some((draft::ARRAY, array, text)),
            (array, Ok(Some(text))) => {
                // An array whose request failed must not open as a group.
                array?;
                Some((draft::GROUP, group, text))
            }
            (Err(error), _) | (_, Err(error)) => return Err(error),
            (Ok(None), Ok(None)) if path.is_root() || self.is_implied(path).await? => None,
            (Ok(None), Ok(None)) => return Ok(None),
        };
        self.opened(path, own).map(Some)
    }

    pub(super) fn opened(
        &self,
        path: &NodePath,
        own: Option<(&str, StoreKey, Vec<u8>)>,
    ) -> Result<OpenedNode> {
        let key = own.as_ref().map(|(_, key, _)| key.as_str().to_owned());
        let node = || {
            let suffix = own.as_ref().map(|(kind, ..)| self.suffix(kind)).unwrap_or_default();
            let mut texts = vec![(ZARR_JSON, self.entry_text.as_slice())];
            texts.extend(own.as_ref().map(|(_, _, text)| (suffix.as_str(), text.as_slice())));
            let document = NodeDocument::read(self.format(), &texts)?;
            let metadata = document::parse(&document)?;
            Ok(OpenedNode { path: path.clone(), document, metadata, large: None })
        };
        node().map_err(|error: Error| {
            let error = error.in_stage(Stage::Metadata);
            match &key {
                Some(key) => error.at_key(key.as_str()),
                None => error,
            }
        })
    }

    /// "To determine if a node exists at path `P`, try in the following order."
    ///
    /// # Errors
    /// `Store` where the store fails.
    pub async fn exists(&self, path: &NodePath, context: &RequestContext) -> Result<Option<NodeKind>> {
        if fetch::value(&self.store, &self.array_meta_key(path), context).await?.is_some() {
            return Ok(Some(NodeKind::Array));
        }
        if fetch::value(&self.store, &self.group_meta_key(path), context).await?.is_some() {
            return Ok(Some(NodeKind::Group));
        }
        Ok(self.is_implied(path).await?.then_some(NodeKind::ImplicitGroup))
    }

    /// Whether there are documents below the path, which make it an implicit group.
    async fn is_implied(&self, path: &NodePath) -> Result<bool> {
        if !self.store.can_list().await? {
            return Ok(false);
        }
        let listing = self.store.list_dir(&self.meta_prefix(path)).await?;
        let entry = &self.entry;
        let is_node = |key: &StoreKey| {
            let found = draft::node_of_key(key.as_str(), entry.draft, &entry.metadata_key_suffix);
            found.is_some_and(|(node, _)| node != *path)
        };
        Ok(!listing.prefixes.is_empty() || listing.keys.iter().any(is_node))
    }

    /// "To discover the children of a group": the nodes directly below it, by path.
    ///
    /// # Errors
    /// `Unsupported` for a store that cannot list, `Store` where the store fails.
    pub fn children<'a>(&'a self, path: &'a NodePath) -> LocalFuture<'a, Result<Vec<(NodePath, NodeKind)>>> {
        in_full("a draft of v3", || Box::pin(self.directly_below(path)))
    }

    async fn directly_below(&self, path: &NodePath) -> Result<Vec<(NodePath, NodeKind)>> {
        if !self.store.can_list().await? {
            return Err(self.store.lacks("list: open nodes by their paths"));
        }
        let prefix = self.meta_prefix(path);
        let listing = self.store.list_dir(&prefix).await?;
        let implied = listing.prefixes.iter().filter_map(|found| {
            let name = NodePath::from_normal(found.name()?)?;
            Some((path.join(&name), NodeKind::ImplicitGroup))
        });
        // A prefix and a document of the same name are one child. Its document says which kind it
        // is.
        let mut children = Map::new();
        for (node, kind) in implied {
            insert(&mut children, node, kind);
        }
        for (node, kind) in self.nodes_of(&listing.keys).filter(|(node, _)| node != path) {
            insert(&mut children, node, kind);
        }
        Ok(children.into_entries().collect())
    }

    /// "To discover all nodes in a hierarchy": the nodes that have documents, and the groups above
    /// them, sorted by path.
    ///
    /// # Errors
    /// As [`children`](Self::children).
    #[cfg(not(target_arch = "wasm32"))]
    pub async fn nodes(&self, context: &RequestContext) -> Result<Vec<(NodePath, NodeKind)>> {
        if !self.store.can_list().await? {
            return Err(self.store.lacks("list: open nodes by their paths"));
        }
        let root = NodePath::root();
        let keys = self.store.list_prefix(&self.meta_prefix(&root)).await?;
        let mut nodes = Map::new();
        // In the draft of 2020 the documents of the root are outside the prefix of all other
        // documents.
        let of_root = self.exists(&root, context).await?;
        let of_root = of_root.filter(|kind| *kind != NodeKind::ImplicitGroup).map(|kind| (root, kind));
        for (node, kind) in of_root.into_iter().chain(self.nodes_of(&keys)) {
            for group in node.ancestors().skip(1) {
                insert(&mut nodes, group, NodeKind::ImplicitGroup);
            }
            insert(&mut nodes, node, kind);
        }
        Ok(nodes.into_entries().collect())
    }

    /// The nodes whose documents have these keys. Other keys are skipped.
    pub(super) fn nodes_of<'a>(
        &'a self,
        keys: &'a [StoreKey],
    ) -> impl Iterator<Item = (NodePath, NodeKind)> + 'a {
        let entry = &self.entry;
        keys.iter()
            .filter_map(|key| draft::node_of_key(key.as_str(), entry.draft, &entry.metadata_key_suffix))
    }
}

/// Adds a node. Where two nodes have the same path, an array wins over a group, and a group with a
/// document over one without.
fn insert(nodes: &mut Map<NodePath, NodeKind>, node: NodePath, kind: NodeKind) {
    let rank = |kind: NodeKind| match kind {
        NodeKind::Array => 2,
        NodeKind::Group => 1,
        NodeKind::ImplicitGroup => 0,
    };
    let known = nodes.get_or_insert_with(node, || kind);
    if rank(kind) > rank(*known) {
        *known = kind;
    }
}
