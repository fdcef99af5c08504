//! Lists the nodes directly below a group. Names come from the store's listing, or from
//! consolidated metadata where the store cannot list. A node that cannot be opened is listed with
//! its error, so that it is neither missing nor hides the others.

use std::rc::Rc;

use futures_util::stream::{FuturesUnordered, StreamExt};

use crate::error::{Error, ErrorKind, Result, at_node};
use crate::format::metadata::document::ZARR_JSON;
use crate::format::metadata::write::consolidated::{DRAFT_ZMETADATA, ZMETADATA};
use crate::format::metadata::{NodeKind, NodeMetadata, ZarrFormat};
use crate::format::path::{NodePath, StoreKey};
use crate::hierarchy::documents::{self, Documents};
use crate::hierarchy::draft::hierarchy::Hierarchy;
use crate::hierarchy::large_document::{self, scan};
use crate::hierarchy::open::{OpenOptions, OpenedNode, Unreadable, open, open_or_sketch};
use crate::limits;
use crate::sorted::{self, Map};
use crate::store::{LocalFuture, RequestContext, Store};

/// The number of nodes that are opened at once.
const IN_FLIGHT: usize = 16;

/// An opened node, or the error of a node that cannot be opened.
pub type Child = std::result::Result<OpenedNode, Box<Unreadable>>;

/// The arrays and groups directly below a group, sorted by name. Paths without metadata are not
/// nodes.
///
/// # Errors
/// `Argument` for an array. `Unsupported` where the store cannot list and there is no consolidated
/// metadata. Otherwise as opening the group.
pub async fn children(store: &Rc<dyn Store>, path: &str, context: &RequestContext) -> Result<Vec<Child>> {
    at_node(path, async {
        let options = OpenOptions { leaves_large: true, ..OpenOptions::default() };
        let group = open(store, path, &options, context).await?;
        if let NodeMetadata::Array(_) = group.metadata {
            let error = Error::argument("an array cannot contain nodes");
            return Err(error.expected("a group").actual("an array"));
        }
        let options = &OpenOptions { format: Some(group.document.format), ..options };
        let mut paths = names(store, &group, context).await?;
        limits::within(paths.len() as u64, limits::LISTED_FOLDERS, "the number of children")?;
        sorted::sort(&mut paths);
        let (mut paths, mut children) = (paths.into_iter().enumerate(), Map::new());
        let mut waiting: FuturesUnordered<LocalFuture<'_, Result<_>>> = FuturesUnordered::new();
        loop {
            for (at, path) in paths.by_ref().take(IN_FLIGHT.saturating_sub(waiting.len())) {
                let opened = opened(store, path, options, context);
                waiting.push(Box::pin(async move { Ok((at, opened.await?)) }));
            }
            match waiting.next().await.transpose()? {
                Some((at, Some(child))) => drop(children.insert(at, child)),
                Some((_, None)) => {}
                None => break,
            }
        }
        let mut ordered = Vec::with_capacity(children.len());
        for (_, child) in children.into_entries() {
            ordered.push(child);
        }
        Ok(ordered)
    })
    .await
}

/// A child. `None` for a path without a node.
async fn opened(
    store: &Rc<dyn Store>,
    path: NodePath,
    options: &OpenOptions,
    context: &RequestContext,
) -> Result<Option<Child>> {
    match open_or_sketch(store, path.as_str(), options, context).await {
        Ok(node) => Ok(Some(Ok(node))),
        Err(child) => match child.error.kind() {
            ErrorKind::NotFound | ErrorKind::Argument => Ok(None),
            ErrorKind::Aborted => Err(child.error),
            _ if child.error.is_of_build() => Err(child.error),
            _ => Ok(Some(Err(child))),
        },
    }
}

/// The paths that may be children. Whether a server can list is only tested where there is no
/// consolidated metadata.
async fn names(store: &Rc<dyn Store>, group: &OpenedNode, context: &RequestContext) -> Result<Vec<NodePath>> {
    if store.is_known_to_list() {
        return listed(store, group, context).await;
    }
    match consolidated(store, group, context).await {
        Err(error) if error.kind() == ErrorKind::Unsupported && store.can_list().await? => {
            listed(store, group, context).await
        }
        other => other,
    }
}

/// The paths that the store lists. For a draft, those of documents, and of groups without a
/// document.
async fn listed(
    store: &Rc<dyn Store>,
    group: &OpenedNode,
    context: &RequestContext,
) -> Result<Vec<NodePath>> {
    if let ZarrFormat::Draft(_) = group.document.format
        && let Some(hierarchy) = Hierarchy::find(store, context).await?
    {
        return Ok(hierarchy.children(&group.path).await?.into_iter().map(|(child, _)| child).collect());
    }
    Ok(store.list_dir(&group.path).await?.prefixes)
}

/// The children in the consolidated metadata of the group or of a group above it.
async fn consolidated(
    store: &Rc<dyn Store>,
    group: &OpenedNode,
    context: &RequestContext,
) -> Result<Vec<NodePath>> {
    let format = group.document.format;
    let suffix = match format {
        ZarrFormat::V2 => ZMETADATA,
        ZarrFormat::V3 => ZARR_JSON,
        // Only zarr-python writes it, for the whole hierarchy. The drafts have no consolidated
        // metadata.
        ZarrFormat::Draft(_) => DRAFT_ZMETADATA,
    };
    let documents = Documents { store, context };
    for path in group.path.ancestors() {
        let indexed = match documents.text(&StoreKey::new(&path, suffix)).await? {
            Some(text) => large_document::index(scan(text, format).await?).await?,
            None => None,
        };
        if let (Some(indexed), Some(relative)) = (indexed, documents::relative(&group.path, &path)) {
            let nodes = indexed.children(&relative).into_iter();
            let nodes = nodes.filter(|(_, kind)| *kind != NodeKind::ImplicitGroup);
            return Ok(nodes.map(|(child, _)| path.join(&child)).collect());
        }
    }
    Err(store.lacks("list, and has no consolidated metadata: open nodes by their paths"))
}
