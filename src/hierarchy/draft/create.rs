//! Creating a draft's hierarchies, groups and arrays. "Create a group", "Create an array" in both texts.
//!
//! The hierarchy comes first: its entry point says how all documents are named. Groups above a new node need no documents, but none
//! of them may be an array, and a name is taken once.

use std::rc::Rc;

use super::erase::everything;
use super::hierarchy::{Hierarchy, text};
use crate::error::{Error, Result};
use crate::format::metadata::document::{self, NodeDocument, ZARR_JSON, ZARRAY, ZGROUP};
use crate::format::metadata::draft::EntryPoint;
use crate::format::metadata::draft::entry_point::DEFAULT_SUFFIX;
use crate::format::metadata::draft::write::{self as out, Details};
use crate::format::metadata::write::{draft_array, edit};
use crate::format::metadata::{Draft, GroupMetadata, NodeKind, NodeMetadata, ZarrFormat};
use crate::format::path::{NodePath, StoreKey};
use crate::hierarchy::documents::{self, ChangedNodes};
use crate::hierarchy::new_node::{NewNode, check_bound};
use crate::hierarchy::types::OpenedNode;
use crate::store::{RequestContext, Store};

/// What a new hierarchy shall be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewHierarchy {
    /// What the names of documents end with; `.json` when absent.
    pub metadata_key_suffix: Option<String>,
    /// JSON of the list of extensions; none when absent.
    pub extensions: Option<String>,
}

/// Creates a hierarchy at the root of a store, where there is none; one that is as it shall be stays.
///
/// # Errors
/// `Argument` for a store that holds nodes of another format, or a hierarchy of another suffix or other extensions, and for options that
/// make no entry point; `Store` as the store.
pub async fn create_hierarchy(
    store: &Rc<dyn Store>,
    draft: Draft,
    new: &NewHierarchy,
    context: &RequestContext,
) -> Result<Hierarchy> {
    let root = NodePath::root();
    let _held = documents::lock(store, &root).await;
    let context = documents::anew(context);
    let key = StoreKey::new(&root, ZARR_JSON);
    if let Some(found) = text(store, &key, &context).await? {
        let Some(hierarchy) = Hierarchy::of(store, found)? else {
            return Err(another_format("v3", draft));
        };
        return check_same(hierarchy, draft, new);
    }
    for suffix in [ZARRAY, ZGROUP] {
        if text(store, &StoreKey::new(&root, suffix), &context).await?.is_some() {
            return Err(another_format("v2", draft));
        }
    }
    let suffix = new.metadata_key_suffix.clone().unwrap_or_else(|| DEFAULT_SUFFIX.to_owned());
    let entry = EntryPoint { draft, metadata_key_suffix: suffix };
    let entry_text = entry.to_text(new.extensions.as_deref().unwrap_or("[]"))?;
    documents::put(store, &key, entry_text.clone()).await?;
    Ok(Hierarchy { store: store.clone(), entry, entry_text: entry_text.into_bytes() })
}

fn another_format(found: &str, wanted: Draft) -> Error {
    let error = Error::argument("the store holds a hierarchy of another format");
    error.expected(found).actual(ZarrFormat::Draft(wanted).name())
}

fn check_same(hierarchy: Hierarchy, draft: Draft, new: &NewHierarchy) -> Result<Hierarchy> {
    let entry = &hierarchy.entry;
    if entry.draft != draft {
        return Err(another_format(entry.format().name(), draft));
    }
    match &new.metadata_key_suffix {
        Some(wanted) if *wanted != entry.metadata_key_suffix => {
            let error = Error::argument("the hierarchy has another metadata key suffix");
            Err(error.expected(format!("{:?}", entry.metadata_key_suffix)).actual(format!("{wanted:?}")))
        }
        _ => Ok(hierarchy),
    }
}

/// Creates a node, and the hierarchy where there is none yet.
pub(in crate::hierarchy) async fn create(
    store: &Rc<dyn Store>,
    path: &str,
    node: &NewNode,
    draft: Draft,
    overwrite: bool,
    context: &RequestContext,
) -> Result<OpenedNode> {
    let path = NodePath::parse_draft(path, draft)?;
    // What cannot be written leaves no hierarchy behind either.
    node_document(node, draft, DEFAULT_SUFFIX)?;
    let hierarchy = create_hierarchy(store, draft, &NewHierarchy::default(), context).await?;
    let context = &documents::anew(context);
    let _held = documents::lock(store, &path).await;
    let own = node_document(node, draft, &hierarchy.entry.metadata_key_suffix)?;
    hierarchy.check_above(&path, context).await?;
    let mut changed = ChangedNodes::default();
    if hierarchy.make_room(&path, node, overwrite, context).await? {
        changed.removed.push(path.clone());
    }
    let mut document = hierarchy.implicit_document()?;
    document.texts.extend(own.texts);
    let metadata = document::parse(&document)?;
    documents::save(store, &path, &document).await?;
    changed.set.push((path.clone(), document.clone()));
    documents::record(store, &path, hierarchy.format(), &changed, context).await?;
    Ok(OpenedNode { path, document, metadata, large: None })
}

/// The node's own document, checked by reading it.
fn node_document(node: &NewNode, draft: Draft, suffix: &str) -> Result<NodeDocument> {
    let details = Details { metadata_key_suffix: suffix.to_owned(), ..Details::default() };
    let document = match node {
        NewNode::Array(options) => {
            let extensions = options.extensions.clone().unwrap_or(details.extensions);
            draft_array(&options.metadata()?, draft, &Details { extensions, ..details })?
        }
        NewNode::Group { format, attributes } => {
            let attributes = edit::checked_attributes(attributes)?.compact();
            out::group(&GroupMetadata { format: *format, attributes, warnings: Vec::new() }, &details)
        }
    };
    if let NodeMetadata::Array(array) = document::parse(&document)? {
        check_bound(*array, node.users())?;
    }
    Ok(document)
}

impl Hierarchy {
    /// The documents of a group without one of its own.
    fn implicit_document(&self) -> Result<NodeDocument> {
        NodeDocument::read(self.format(), &[(ZARR_JSON, &self.entry_text)])
    }

    /// Arrays hold no nodes.
    async fn check_above(&self, path: &NodePath, context: &RequestContext) -> Result<()> {
        let mut above = path.parent();
        while let Some(group) = above {
            if text(&self.store, &self.array_meta_key(&group), context).await?.is_some() {
                let place = format!("{:?}", group.as_str());
                return Err(Error::argument("an array holds no nodes").actual(place));
            }
            above = group.parent();
        }
        Ok(())
    }

    /// Erases what is in the way; whether there was anything. An implicit group may become one with a document.
    async fn make_room(
        &self,
        path: &NodePath,
        node: &NewNode,
        overwrite: bool,
        context: &RequestContext,
    ) -> Result<bool> {
        let found = match (self.exists(path, context).await?, node) {
            (None, _) => return Ok(false),
            (Some(NodeKind::ImplicitGroup), NewNode::Group { .. }) if !overwrite => return Ok(false),
            (Some(found), _) => found,
        };
        if overwrite {
            return everything(self, path, context).await.map(|()| true);
        }
        let error = Error::argument("there is something at this path already; `overwrite` erases it first");
        Err(error.actual(match found {
            NodeKind::Array => "an array",
            NodeKind::Group => "a group",
            NodeKind::ImplicitGroup => "an implicit group",
        }))
    }

    /// Gives a group that is only implied a document, so that it stays when what implies it goes.
    pub(super) async fn reify(&self, path: &NodePath) -> Result<()> {
        let attributes = "{}".to_owned();
        let metadata = GroupMetadata { format: self.format(), attributes, warnings: Vec::new() };
        let suffix = self.entry.metadata_key_suffix.clone();
        let document = out::group(&metadata, &Details { metadata_key_suffix: suffix, ..Details::default() });
        documents::save(&self.store, path, &document).await
    }
}
