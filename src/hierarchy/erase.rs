//! Erasing a node and everything below it. Stores that cannot list can only lose single arrays, whose keys can be told.

use std::rc::Rc;

use futures_util::stream::{self, StreamExt, TryStreamExt};

use crate::error::{Error, Result};
use crate::format::metadata::document::{ZARR_JSON, ZARRAY, ZATTRS, ZGROUP};
use crate::format::metadata::write::consolidated::ZMETADATA;
use crate::format::metadata::{NodeMetadata, ZarrFormat};
use crate::format::path::{NodePath, StoreKey};
use crate::hierarchy::documents::{self, ChangedNodes};
use crate::hierarchy::draft::{self, Hierarchy};
use crate::limits;
use crate::store::writers;
use crate::store::{RequestContext, Store};

/// So many keys are erased without knowing whether they are there.
pub(super) const BLIND_KEYS: u64 = 1 << 20;

/// Erases under way at a time.
pub(super) const IN_FLIGHT: usize = 16;

/// How to erase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EraseOptions {
    /// Give a draft's group above a document when it would vanish: it was only implied by what is erased. The groups of v2 and v3 have
    /// documents of their own.
    pub reify: bool,
}

/// Erases the node at `path`, explicit or implicit, and everything below it; whether there was anything.
///
/// # Errors
/// `Unsupported` for a group in a store that cannot list, `Store` as the store.
pub async fn erase(
    store: &Rc<dyn Store>,
    path: &str,
    options: EraseOptions,
    context: &RequestContext,
) -> Result<bool> {
    let node = NodePath::parse_any(path)?;
    let erased = match Hierarchy::find(store, &documents::anew(context)).await {
        Ok(Some(hierarchy)) => draft::erase(&hierarchy, &node, options, context).await,
        Ok(None) => try_erase(store, &node, context).await,
        Err(error) => Err(error),
    };
    erased.map_err(|error| error.at_node(path))
}

async fn try_erase(store: &Rc<dyn Store>, path: &NodePath, context: &RequestContext) -> Result<bool> {
    let _held = documents::lock(store, path).await;
    let found = super::exists::exists(store, path.as_str(), context).await;
    // What cannot be read can still be erased.
    if matches!(found, Ok(None)) {
        return Ok(false);
    }
    everything(store, path, context).await?;
    let changed = ChangedNodes { removed: vec![path.clone()], set: Vec::new() };
    if let Some(parent) = path.parent() {
        documents::record(store, &parent, ZarrFormat::V2, &changed, context).await?;
        documents::record(store, path, ZarrFormat::V3, &changed, context).await?;
    }
    Ok(true)
}

/// Erases all keys below a path.
pub(super) async fn everything(
    store: &Rc<dyn Store>,
    path: &NodePath,
    context: &RequestContext,
) -> Result<()> {
    if store.can_list().await? {
        let keys = store.list_prefix(path).await?;
        store.erase_prefix(path).await?;
        keys.iter().for_each(|key| writers::note(store, key));
        return Ok(());
    }
    let found = documents::reopen(store, path, None, context).await?;
    let NodeMetadata::Array(array) = &found.metadata else {
        return Err(store.lacks("list, and so cannot erase a group"));
    };
    let grid = array.chunk_grid.grid_shape(&array.shape);
    let count = limits::product(grid.iter().copied(), "number of chunks")?;
    limits::within(count, BLIND_KEYS, "number of chunks to erase in a store that cannot list")?;
    let chunk =
        |linear| array.chunk_key_encoding.encode(&crate::format::codec::sharding::unravel(linear, &grid));
    let keys = (0..count).map(|linear| StoreKey::new(path, &chunk(linear)));
    erase_keys(store, keys).await?;
    // The lock of the documents is held already.
    for suffix in [ZMETADATA, ZATTRS, ZGROUP, ZARRAY, ZARR_JSON] {
        let key = StoreKey::new(path, suffix);
        store.erase(&key).await.map_err(|error| error.at_key(key.as_str()))?;
    }
    Ok(())
}

/// Erases keys, several at a time.
pub(super) async fn erase_keys(
    store: &Rc<dyn Store>,
    keys: impl IntoIterator<Item = StoreKey>,
) -> Result<()> {
    let erase = |key: StoreKey| async move {
        let _held = writers::lock(store, &key).await;
        let erased = store.erase(&key).await;
        writers::note(store, &key);
        erased.map_err(|error: Error| error.at_key(key.as_str()))
    };
    stream::iter(keys).map(erase).buffer_unordered(IN_FLIGHT).try_collect::<()>().await
}
