//! What stands at a path: an array, a group, a group that is only known by what it holds, or nothing.

use std::rc::Rc;

use crate::error::{ErrorKind, Result};
use crate::format::metadata::NodeKind;
use crate::format::path::NodePath;
use crate::hierarchy::documents;
use crate::hierarchy::draft::hierarchy::Hierarchy;
use crate::store::{RequestContext, Store};

/// What stands at `path`. Implicit groups are only seen in stores that can list.
///
/// # Errors
/// As opening the node, but for `NotFound`.
pub async fn exists(store: &Rc<dyn Store>, path: &str, context: &RequestContext) -> Result<Option<NodeKind>> {
    let path = NodePath::parse_any(path)?;
    if let Some(hierarchy) = Hierarchy::find(store, &documents::anew(context)).await? {
        return hierarchy.exists(&path, &documents::anew(context)).await;
    }
    if let Some(kind) = kind(store, &path, context).await? {
        return Ok(Some(kind));
    }
    if !store.can_list().await? || store.list_prefix(&path).await?.is_empty() {
        return Ok(None);
    }
    // What stands below an array is its chunks.
    let mut above = path.parent();
    while let Some(group) = above {
        if kind(store, &group, context).await? == Some(NodeKind::Array) {
            return Ok(None);
        }
        above = group.parent();
    }
    Ok(Some(NodeKind::ImplicitGroup))
}

async fn kind(store: &Rc<dyn Store>, path: &NodePath, context: &RequestContext) -> Result<Option<NodeKind>> {
    match documents::reopen(store, path, None, context).await {
        Ok(found) => Ok(Some(found.metadata.kind())),
        // A name that v3 does not allow may still be one that exists below.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Argument) => Ok(None),
        Err(error) => Err(error),
    }
}
