//! Reads and writes the metadata documents of nodes, and updates consolidated metadata that has
//! copies of them.
//!
//! Callers that change a node hold its [`lock`], so that no other change comes between reading and
//! writing. Locks are taken from a node towards the root only, which excludes deadlocks.

use std::rc::Rc;

use crate::error::{Result, Stage};
use crate::format::metadata::document::{NodeDocument, ZARR_JSON};
use crate::format::metadata::write::consolidated::{self, Changes, DRAFT_ZMETADATA, ZMETADATA};
use crate::format::metadata::{Draft, ZarrFormat};
use crate::format::path::{NodePath, StoreKey};
use crate::hierarchy::fetch;
use crate::hierarchy::open::{OpenOptions, open};
use crate::hierarchy::types::OpenedNode;
use crate::store::writers;
use crate::store::{RequestContext, Store, Subject};

/// The metadata documents of a store, for a call that changes some of them.
#[derive(Clone, Copy)]
pub(super) struct Documents<'a> {
    pub store: &'a Rc<dyn Store>,
    pub context: &'a RequestContext,
}

impl Documents<'_> {
    /// Waits until no other call in this process changes the documents of the node.
    ///
    /// # Errors
    /// `Aborted` if the caller has aborted while it waited.
    pub async fn lock(self, path: &NodePath) -> Result<writers::KeyLock> {
        // The key only names the lock. All Zarr formats share it.
        writers::lock_unless_aborted(self.store, &StoreKey::new(path, ZARR_JSON), self.context).await
    }

    /// Opens the node from the store, past all caches.
    pub async fn reopen(self, path: &NodePath, format: Option<ZarrFormat>) -> Result<OpenedNode> {
        let options = OpenOptions { format, ..OpenOptions::default() };
        open(self.store, path.as_str(), &options, &reloading(self.context)).await
    }

    /// Reads a document from the store, past all caches. `None` where it does not exist.
    pub async fn text(self, key: &StoreKey) -> Result<Option<Vec<u8>>> {
        fetch::text(self.store, key, &reloading(self.context)).await
    }

    /// Updates the consolidated metadata of all groups above `node`, and in v2 of the node itself.
    /// The caller holds the lock of the changed node.
    pub async fn record(
        self,
        node: &NodePath,
        format: ZarrFormat,
        changed: &ChangedNodes,
        held: &writers::KeyLock,
    ) -> Result<()> {
        let lowest = match format {
            ZarrFormat::V2 => Some(node.clone()),
            ZarrFormat::V3 => node.parent(),
            // zarr-python writes one for the whole hierarchy.
            ZarrFormat::Draft(_) => Some(NodePath::root()),
        };
        for group in lowest.iter().flat_map(NodePath::ancestors) {
            self.record_at(&group, format, changed, held).await?;
        }
        Ok(())
    }

    async fn record_at(
        self,
        group: &NodePath,
        format: ZarrFormat,
        changed: &ChangedNodes,
        held: &writers::KeyLock,
    ) -> Result<()> {
        let suffix = match format {
            ZarrFormat::V2 => ZMETADATA,
            ZarrFormat::V3 => ZARR_JSON,
            ZarrFormat::Draft(Draft::October2020) => DRAFT_ZMETADATA,
            ZarrFormat::Draft(Draft::May2022) => return Ok(()),
        };
        let key = StoreKey::new(group, suffix);
        let _held = writers::lock_above(self.store, &key, held).await;
        let Some(bytes) = self.text(&key).await? else { return Ok(()) };
        let set = changed.set.iter().filter_map(|(path, it)| Some((relative(path, group)?, it.clone())));
        let removed = changed.removed.iter().filter_map(|path| relative(path, group));
        let changes = Changes { removed: removed.collect(), set: set.collect() };
        let changed = consolidated::changed(&String::from_utf8_lossy(&bytes), format, &changes);
        match changed.map_err(|error| error.at_key(key.as_str()).in_stage(Stage::Metadata))? {
            Some(text) => put(self.store, &key, text).await,
            None => Ok(()),
        }
    }
}

/// A context for reading documents that will be changed: no cache may answer.
pub(super) fn reloading(context: &RequestContext) -> RequestContext {
    RequestContext { subject: Subject::Metadata, reload: true, ..context.clone() }
}

/// Writes a node's documents.
pub(super) async fn save(store: &Rc<dyn Store>, path: &NodePath, document: &NodeDocument) -> Result<()> {
    // The document that makes it a node is written last: an interruption leaves no node without
    // attributes.
    for (suffix, text) in document.texts.iter().rev() {
        // A draft's entry point belongs to the hierarchy and exists already.
        if matches!(document.format, ZarrFormat::Draft(_)) && suffix == ZARR_JSON {
            continue;
        }
        put(store, &StoreKey::of_document(path, document.format, suffix), text.clone()).await?;
    }
    Ok(())
}

/// Writes a document.
pub(super) async fn put(store: &Rc<dyn Store>, key: &StoreKey, text: String) -> Result<()> {
    let _touched = writers::touch(store, std::slice::from_ref(key));
    let set = store.set(key, text.into_bytes().into()).await;
    set.map_err(|error| error.at_key(key.as_str()).in_stage(Stage::Metadata))
}

/// Changed nodes, by their paths from the root. Consolidated metadata drops the `removed` ones,
/// with everything below them, before it takes those of `set`.
#[derive(Debug, Default)]
pub(super) struct ChangedNodes {
    pub removed: Vec<NodePath>,
    pub set: Vec<(NodePath, NodeDocument)>,
}

impl ChangedNodes {
    /// One node that was changed.
    pub fn set(path: &NodePath, document: &NodeDocument) -> Self {
        Self { removed: Vec::new(), set: vec![(path.clone(), document.clone())] }
    }

    /// One node that was removed.
    pub fn removed(path: &NodePath) -> Self {
        Self { removed: vec![path.clone()], set: Vec::new() }
    }
}

/// A path relative to a group. `None` where it is not at or below the group.
pub(super) fn relative(path: &NodePath, group: &NodePath) -> Option<NodePath> {
    if path == group { Some(NodePath::root()) } else { NodePath::from_normal(path.below(group)?) }
}
