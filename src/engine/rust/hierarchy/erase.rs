//! Erases a node and everything below it. In stores that cannot list, only single arrays can be
//! erased: their keys are known.

use std::rc::Rc;

pub use super::types::EraseOptions;
use crate::error::{Result, at_node};
use crate::format::metadata::document::{ZARR_JSON, ZARRAY, ZATTRS, ZGROUP};
use crate::format::metadata::write::consolidated::ZMETADATA;
use crate::format::metadata::{NodeMetadata, ZarrFormat};
use crate::format::path::{NodePath, StoreKey};
use crate::hierarchy::documents::{self, ChangedNodes, Documents};
use crate::hierarchy::draft;
use crate::hierarchy::draft::hierarchy::Hierarchy;
use crate::hierarchy::erase_keys::{all_chunks, erase_keys};
use crate::store::writers;
use crate::store::{RequestContext, Store};

/// Erases the node at `path`, explicit or implicit, and everything below it. Returns whether there
/// was anything.
///
/// # Errors
/// `Unsupported` for a group in a store that cannot list, `Store` where the store fails.
pub async fn erase(
    store: &Rc<dyn Store>,
    path: &str,
    options: EraseOptions,
    context: &RequestContext,
) -> Result<bool> {
    let node = NodePath::parse_any(path)?;
    at_node(path, async {
        match Hierarchy::find(store, &documents::reloading(context)).await? {
            Some(hierarchy) => draft::erase::erase(&hierarchy, &node, options, context).await,
            None => of_v2_or_v3(Documents { store, context }, &node).await,
        }
    })
    .await
}

async fn of_v2_or_v3(documents: Documents<'_>, path: &NodePath) -> Result<bool> {
    let held = documents.lock(path).await?;
    let found = super::exists::exists(documents.store, path.as_str(), documents.context).await;
    // What cannot be read can still be erased.
    if matches!(found, Ok(None)) {
        return Ok(false);
    }
    everything(documents, path).await?;
    let changed = ChangedNodes::removed(path);
    if let Some(parent) = path.parent() {
        documents.record(&parent, ZarrFormat::V2, &changed, &held).await?;
        documents.record(path, ZarrFormat::V3, &changed, &held).await?;
    }
    Ok(true)
}

/// Erases all keys below a path.
pub(super) async fn everything(documents: Documents<'_>, path: &NodePath) -> Result<()> {
    let store = documents.store;
    if store.can_list().await? {
        let keys = store.list_prefix(path).await?;
        let _touched = writers::touch(store, &keys);
        return store.erase_prefix(path).await;
    }
    let found = documents.reopen(path, None).await?;
    let NodeMetadata::Array(array) = &found.metadata else {
        return Err(store.lacks("list, and so cannot erase a group"));
    };
    erase_keys(store, all_chunks(array)?.map(|chunk| StoreKey::new(path, &chunk))).await?;
    // The caller holds the lock of these documents.
    for suffix in [ZMETADATA, ZATTRS, ZGROUP, ZARRAY, ZARR_JSON] {
        let key = StoreKey::new(path, suffix);
        let _touched = writers::touch(store, std::slice::from_ref(&key));
        store.erase(&key).await.map_err(|error| error.at_key(key.as_str()))?;
    }
    Ok(())
}
