//! Erases a draft's nodes. See "Erase a group or array" in both drafts.

use std::rc::Rc;

use super::hierarchy::Hierarchy;
use crate::access::binding::Binding;
use crate::error::Result;
use crate::format::metadata::{NodeKind, NodeMetadata};
use crate::format::path::{NodePath, StoreKey};
use crate::hierarchy::documents::{self, ChangedNodes, Documents};
use crate::hierarchy::erase_keys::{all_chunks, erase_keys};
use crate::hierarchy::types::EraseOptions;
use crate::store::writers;
use crate::store::{RequestContext, Store};

/// Erases the node at `path` and everything below it. Returns whether there was anything. The
/// hierarchy stays, even when its root is erased.
///
/// # Errors
/// `Unsupported` for a group in a store that cannot list, `Store` where the store fails.
pub async fn erase(
    hierarchy: &Hierarchy,
    path: &NodePath,
    options: EraseOptions,
    context: &RequestContext,
) -> Result<bool> {
    let context = &documents::reloading(context);
    let documents = Documents { store: &hierarchy.store, context };
    let held = documents.lock(path).await?;
    if hierarchy.exists(path, context).await?.is_none() {
        return Ok(false);
    }
    everything(hierarchy, path, context).await?;
    documents.record(path, hierarchy.format(), &ChangedNodes::removed(path), &held).await?;
    if let Some(parent) = path.parent().filter(|_| options.reify)
        && hierarchy.exists(&parent, context).await?.is_none()
    {
        hierarchy.reify(&parent).await?;
    }
    Ok(true)
}

/// Erases documents first and then chunks: an interruption leaves no node without its chunks. The
/// document of a group is erased even where the group seems implicit, as the drafts say.
pub(super) async fn everything(
    hierarchy: &Hierarchy,
    path: &NodePath,
    context: &RequestContext,
) -> Result<()> {
    let store = &hierarchy.store;
    let own = [hierarchy.array_meta_key(path), hierarchy.group_meta_key(path)];
    if store.can_list().await? {
        erase_keys(store, own).await?;
        erase_below(store, &hierarchy.meta_prefix(path)).await?;
        return erase_below(store, &NodePath::of_data(path, hierarchy.format())).await;
    }
    let chunks = chunks(hierarchy, path, context).await?;
    erase_keys(store, own).await?;
    erase_keys(store, chunks).await
}

/// Erases the keys below a prefix, and notifies their readers.
async fn erase_below(store: &Rc<dyn Store>, prefix: &NodePath) -> Result<()> {
    let keys = store.list_prefix(prefix).await?;
    let _touched = writers::touch(store, &keys);
    store.erase_prefix(prefix).await
}

/// The keys of all chunks of an array, for a store that cannot list those that exist.
async fn chunks(hierarchy: &Hierarchy, path: &NodePath, context: &RequestContext) -> Result<Vec<StoreKey>> {
    let found = hierarchy.open(path, context).await?;
    let Some(NodeMetadata::Array(array)) = found.map(|found| found.metadata) else {
        let kind = NodeKind::Group.name();
        return Err(hierarchy.store.lacks(&format!("list, and so cannot erase a {kind}")));
    };
    let binding = Binding::of(*array)?;
    let array = binding.metadata();
    if !array.storage_transformers.is_empty() {
        return Err(hierarchy.store.lacks("list, and so cannot erase what storage transformers keep"));
    }
    let key = |chunk: String| StoreKey::of_chunk(path, hierarchy.format(), &chunk);
    Ok(all_chunks(array)?.map(key).collect())
}
