//! Tells what is at a path: an array, a group, an implicit group (only known by the nodes below
//! it), or nothing.

use std::rc::Rc;

use crate::error::{ErrorKind, Result};
use crate::format::metadata::NodeKind;
use crate::format::path::NodePath;
use crate::hierarchy::documents::{self, Documents};
use crate::hierarchy::draft::hierarchy::Hierarchy;
use crate::store::{RequestContext, Store};

/// The kind of node at `path`. `None` for nothing. Implicit groups are only found in stores that
/// can list.
///
/// # Errors
/// As opening the node, but for `NotFound`.
pub async fn exists(store: &Rc<dyn Store>, path: &str, context: &RequestContext) -> Result<Option<NodeKind>> {
    let path = NodePath::parse_any(path)?;
    let reloading = &documents::reloading(context);
    if let Some(hierarchy) = Hierarchy::find(store, reloading).await? {
        return hierarchy.exists(&path, reloading).await;
    }
    let documents = Documents { store, context };
    if let Some(kind) = kind(documents, &path).await? {
        return Ok(Some(kind));
    }
    if !store.can_list().await? || store.list_prefix(&path).await?.is_empty() {
        return Ok(None);
    }
    // Keys below an array are its chunks.
    for group in path.ancestors().skip(1) {
        if kind(documents, &group).await? == Some(NodeKind::Array) {
            return Ok(None);
        }
    }
    Ok(Some(NodeKind::ImplicitGroup))
}

async fn kind(documents: Documents<'_>, path: &NodePath) -> Result<Option<NodeKind>> {
    match documents.reopen(path, None).await {
        Ok(found) => Ok(Some(found.metadata.kind())),
        // A name that v3 does not allow may be that of an implicit group.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Argument) => Ok(None),
        Err(error) => Err(error),
    }
}
