//! Consolidates metadata: writes the documents of all nodes below a group into one document. That
//! is `.zmetadata` in v2 and a member of `zarr.json` in v3.
//!
//! It needs a store that can list. Keys below arrays are chunks and are not visited.

use std::rc::Rc;

use futures_util::future::join3;
use futures_util::stream::{self, StreamExt, TryStreamExt};

use crate::error::{Error, Result, at_node};
use crate::format::metadata::document::{NodeDocument, ZARR_JSON, ZARRAY, ZATTRS, ZGROUP};
use crate::format::metadata::write::consolidated::{consolidate as one_text, node_type};
use crate::format::metadata::{NodeKind, NodeMetadata, ZarrFormat};
use crate::format::path::{NodePath, StoreKey};
use crate::hierarchy::documents::{self, Documents};
use crate::limits;
use crate::store::walk::check_depth;
use crate::store::{RequestContext, Store};

/// The number of groups that are listed at once.
const IN_FLIGHT: usize = 16;

/// Consolidates the metadata of a group. Returns the number of nodes below it.
///
/// # Errors
/// `Argument` for an array, `Unsupported` for a store that cannot list, `Store` where the store
/// fails.
pub async fn consolidate(store: &Rc<dyn Store>, path: &NodePath, context: &RequestContext) -> Result<usize> {
    at_node(path.as_str(), async {
        let documents = Documents { store, context };
        let _held = documents.lock(path).await?;
        let group = documents.reopen(path, None).await?;
        if let NodeMetadata::Array(_) = group.metadata {
            return Err(Error::argument("only groups have consolidated metadata").actual("an array"));
        }
        if !store.can_list().await? {
            return Err(store.lacks("list, and so cannot consolidate"));
        }
        let mut nodes = nodes_below(documents, path, group.document.format).await?;
        nodes.sort_by(|a, b| a.0.cmp(&b.0));
        let (suffix, text) = one_text(&group.document, &nodes)?;
        documents::put(store, &StoreKey::new(path, suffix), text).await?;
        Ok(nodes.len())
    })
    .await
}

/// All nodes below a group, with their paths relative to it.
async fn nodes_below(
    documents: Documents<'_>,
    group: &NodePath,
    format: ZarrFormat,
) -> Result<Vec<(NodePath, NodeDocument)>> {
    let (mut nodes, mut open) = (Vec::new(), vec![NodePath::root()]);
    let (mut depth, mut folders) = (0, 0);
    while let Some(first) = open.first() {
        check_depth(first, depth)?;
        folders += open.len() as u64;
        limits::within(folders, limits::LISTED_FOLDERS, "the number of nodes to consolidate")?;
        depth += 1;
        let look = |relative: NodePath| async move {
            let mut found = Vec::new();
            for child in documents.store.list_dir(&group.join(&relative)).await?.prefixes {
                let name = child.name().and_then(NodePath::from_normal).unwrap_or_default();
                found.push((relative.join(&name), read(documents, &child, format).await?));
            }
            Ok::<_, Error>(found)
        };
        let level: Vec<_> = stream::iter(std::mem::take(&mut open))
            .map(look)
            .buffer_unordered(IN_FLIGHT)
            .try_collect()
            .await?;
        for (path, found) in level.into_iter().flatten() {
            match found {
                Some((NodeKind::Array, document)) => nodes.push((path, document)),
                Some((_, document)) => {
                    open.push(path.clone());
                    nodes.push((path, document));
                }
                // An implicit group, or no node at all.
                None => open.push(path),
            }
        }
    }
    Ok(nodes)
}

/// The documents at a path, without parsing them, and the kind of their node.
async fn read(
    documents: Documents<'_>,
    path: &NodePath,
    format: ZarrFormat,
) -> Result<Option<(NodeKind, NodeDocument)>> {
    let keys = [ZARR_JSON, ZARRAY, ZGROUP, ZATTRS].map(|suffix| StoreKey::new(path, suffix));
    let [json, array, group, attributes] = &keys;
    if format == ZarrFormat::V3 {
        let Some(text) = documents.text(json).await? else { return Ok(None) };
        let document = NodeDocument::read(format, &[(ZARR_JSON, &text)])?;
        let is_array = document.text(ZARR_JSON).and_then(node_type).as_deref() == Some("array");
        return Ok(Some((if is_array { NodeKind::Array } else { NodeKind::Group }, document)));
    }
    let texts = join3(documents.text(array), documents.text(group), documents.text(attributes));
    let (array, group, attributes) = texts.await;
    let (kind, suffix, node) = match (array?, group?) {
        (Some(array), _) => (NodeKind::Array, ZARRAY, array),
        (None, Some(group)) => (NodeKind::Group, ZGROUP, group),
        (None, None) => return Ok(None),
    };
    let mut texts = vec![(suffix, node.as_slice())];
    let attributes = attributes?;
    texts.extend(attributes.as_deref().map(|text| (ZATTRS, text)));
    Ok(Some((kind, NodeDocument::read(format, &texts)?)))
}
