//! Creates arrays and groups, and the missing groups above them.
//!
//! A document is written only after our own reader has parsed it and bound its codecs. All nodes of
//! a hierarchy have the same Zarr format, and an array contains no nodes: anything else is an
//! error. No chunk is written: missing chunks are fill value.

use std::rc::Rc;

pub use super::new_node::NewNode;
use crate::error::{Error, ErrorKind, Result, at_node};
use crate::format::metadata::write;
use crate::format::metadata::write::edit::AttributeUpdate;
use crate::format::metadata::{GroupMetadata, NodeMetadata, ZarrFormat};
use crate::format::path::NodePath;
use crate::hierarchy::attributes::update_attributes;
use crate::hierarchy::documents::{self, ChangedNodes, Documents};
use crate::hierarchy::new_node::{below_array, make_room, named};
use crate::hierarchy::types::OpenedNode;
use crate::hierarchy::{draft, erase};
use crate::store::{RequestContext, Store};

/// Creates a node. `path` is the node's path.
///
/// With `overwrite`, an existing node and everything below it are erased first. Without it, an
/// existing group stays and takes the new attributes in addition, and any other node is an error.
///
/// # Errors
/// `Argument` for invalid options, for a node that exists, and for a group above that is an array
/// or has another Zarr format. `Unsupported` and `Store` as the codecs and the store.
pub async fn create(
    store: &Rc<dyn Store>,
    path: &str,
    node: &NewNode,
    overwrite: bool,
    context: &RequestContext,
) -> Result<OpenedNode> {
    at_node(path, async {
        let format = node.format();
        if let ZarrFormat::Draft(draft) = format {
            let node = draft::create::DraftNode { node, draft, overwrite };
            return draft::create::create(store, path, &node, context).await;
        }
        let path = NodePath::parse(path, format)?;
        let (document, metadata) = node.document()?;
        let documents = Documents { store, context };
        if let (NewNode::Group { attributes, .. }, false) = (node, overwrite)
            && is_group(documents, &path, format).await
        {
            return update_attributes(store, &path, attributes, AttributeUpdate::Merge, context).await;
        }
        let held = documents.lock(&path).await?;
        let mut changed = ChangedNodes::default();
        let above = missing_groups(documents, &path, format).await?;
        let occupant = occupant(documents, &path, node, overwrite).await?;
        if make_room(occupant, overwrite, erase::everything(documents, &path)).await? {
            changed.removed.push(path.clone());
        }
        for group in above {
            let metadata = GroupMetadata { format, attributes: "{}".to_owned(), warnings: Vec::new() };
            changed.set.push((group, write::group(&metadata)));
        }
        changed.set.push((path.clone(), document.clone()));
        for (path, document) in &changed.set {
            documents::save(store, path, document).await?;
        }
        documents.record(&path, format, &changed, &held).await?;
        Ok(OpenedNode { path, document, metadata, large: None })
    })
    .await
}

async fn is_group(documents: Documents<'_>, path: &NodePath, format: ZarrFormat) -> bool {
    let found = documents.reopen(path, Some(format)).await;
    found.is_ok_and(|found| {
        found.document.format == format && matches!(found.metadata, NodeMetadata::Group(_))
    })
}

/// The groups above a new node that do not exist yet, the root first.
async fn missing_groups(
    documents: Documents<'_>,
    path: &NodePath,
    format: ZarrFormat,
) -> Result<Vec<NodePath>> {
    let mut missing = Vec::new();
    for group in path.ancestors().skip(1) {
        match documents.reopen(&group, None).await {
            Ok(found) => check_above(&found, format)?,
            Err(error) if error.kind() == ErrorKind::NotFound => missing.push(group),
            Err(error) => return Err(error),
        }
    }
    missing.reverse();
    Ok(missing)
}

fn check_above(found: &OpenedNode, format: ZarrFormat) -> Result<()> {
    if let NodeMetadata::Array(_) = found.metadata {
        return Err(below_array(&found.path));
    }
    if found.document.format == format {
        return Ok(());
    }
    let error = Error::argument(format!("{} has another Zarr format than the new node", named(&found.path)));
    Err(error.expected(found.document.format.name()).actual(format.name()))
}

/// What is at the path, in words. `None` where a node can be created.
async fn occupant(
    documents: Documents<'_>,
    path: &NodePath,
    node: &NewNode,
    overwrite: bool,
) -> Result<Option<&'static str>> {
    match documents.reopen(path, None).await {
        Ok(found) => return Ok(Some(found.metadata.kind().name())),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        // A node with invalid metadata can be overwritten.
        Err(_) if overwrite => return Ok(Some("unreadable node")),
        Err(error) => return Err(error),
    }
    // Keys that are left below the path would be read as chunks of a new array.
    if matches!(node, NewNode::Group { .. }) || !documents.store.can_list().await? {
        return Ok(None);
    }
    let listing = documents.store.list_dir(path).await?;
    let is_empty = listing.keys.is_empty() && listing.prefixes.is_empty();
    Ok((!is_empty).then_some("number of other keys"))
}
