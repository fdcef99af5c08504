//! Creates a draft's hierarchies, groups and arrays. See "Create a group" and "Create an array" in
//! both drafts.
//!
//! The hierarchy is created first: its entry point says how all documents are named. Groups above a
//! new node need no documents, but none of them may be an array. An array and a group cannot have
//! the same path.

use std::rc::Rc;

use super::erase::everything;
use super::hierarchy::Hierarchy;
use crate::error::{Error, Result};
use crate::format::metadata::document::{self, NodeDocument, ZARR_JSON, ZARRAY, ZGROUP};
use crate::format::metadata::draft::EntryPoint;
use crate::format::metadata::draft::entry_point::DEFAULT_SUFFIX;
use crate::format::metadata::draft::write::{self as out, Details};
use crate::format::metadata::write::{draft_array, edit};
use crate::format::metadata::{Draft, GroupMetadata, NodeKind, NodeMetadata, ZarrFormat};
use crate::format::path::{NodePath, StoreKey};
use crate::hierarchy::documents::{self, ChangedNodes, Documents};
use crate::hierarchy::fetch;
use crate::hierarchy::new_node::{NewNode, below_array, check_bound, make_room};
use crate::hierarchy::types::OpenedNode;
use crate::store::{RequestContext, Store};

/// A hierarchy to create.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewHierarchy {
    /// The suffix of the names of documents; `.json` when absent.
    pub metadata_key_suffix: Option<String>,
    /// Text of a JSON array of extensions; no extensions when absent.
    pub extensions: Option<String>,
}

/// Creates a hierarchy at the root of a store. An existing hierarchy with the same options stays.
///
/// # Errors
/// `Argument` for a store with nodes of another Zarr format, for a hierarchy with another suffix,
/// and for options that do not make a valid entry point. `Store` where the store fails.
pub async fn create_hierarchy(
    store: &Rc<dyn Store>,
    draft: Draft,
    new: &NewHierarchy,
    context: &RequestContext,
) -> Result<Hierarchy> {
    let root = NodePath::root();
    let _held = Documents { store, context }.lock(&root).await?;
    let context = documents::reloading(context);
    let key = StoreKey::new(&root, ZARR_JSON);
    if let Some(found) = fetch::text(store, &key, &context).await? {
        let Some(hierarchy) = Hierarchy::of(store, found)? else {
            return Err(another_format("v3", draft));
        };
        return check_same(hierarchy, draft, new);
    }
    for suffix in [ZARRAY, ZGROUP] {
        if fetch::value(store, &StoreKey::new(&root, suffix), &context).await?.is_some() {
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
    let error = Error::argument("the store has a hierarchy of another format");
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

/// A node to create in a draft's hierarchy.
pub(in crate::hierarchy) struct DraftNode<'a> {
    pub node: &'a NewNode,
    pub draft: Draft,
    /// Whether to erase what is at the path first.
    pub overwrite: bool,
}

/// Creates a node. It also creates the hierarchy where there is none.
pub(in crate::hierarchy) async fn create(
    store: &Rc<dyn Store>,
    path: &str,
    new: &DraftNode<'_>,
    context: &RequestContext,
) -> Result<OpenedNode> {
    let DraftNode { node, draft, overwrite } = *new;
    let path = NodePath::parse_draft(path, draft)?;
    // An invalid node must not create a hierarchy.
    node_document(node, draft, DEFAULT_SUFFIX)?;
    let hierarchy = create_hierarchy(store, draft, &NewHierarchy::default(), context).await?;
    let context = &documents::reloading(context);
    let documents = Documents { store, context };
    let held = documents.lock(&path).await?;
    let own = node_document(node, draft, &hierarchy.entry.metadata_key_suffix)?;
    hierarchy.check_above(&path, context).await?;
    let mut changed = ChangedNodes::default();
    let occupant = hierarchy.occupant(&path, node, overwrite, context).await?;
    if make_room(occupant, overwrite, everything(&hierarchy, &path, context)).await? {
        changed.removed.push(path.clone());
    }
    let mut document = hierarchy.implicit_document()?;
    document.texts.extend(own.texts);
    let metadata = document::parse(&document)?;
    documents::save(store, &path, &document).await?;
    changed.set.push((path.clone(), document.clone()));
    documents.record(&path, hierarchy.format(), &changed, &held).await?;
    Ok(OpenedNode { path, document, metadata, large: None })
}

/// The node's own document. It is checked: our own reader parses it.
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
    /// The documents of a group that has no document of its own.
    fn implicit_document(&self) -> Result<NodeDocument> {
        NodeDocument::read(self.format(), &[(ZARR_JSON, &self.entry_text)])
    }

    /// Checks that no node above is an array.
    async fn check_above(&self, path: &NodePath, context: &RequestContext) -> Result<()> {
        for group in path.ancestors().skip(1) {
            if fetch::value(&self.store, &self.array_meta_key(&group), context).await?.is_some() {
                return Err(below_array(&group));
            }
        }
        Ok(())
    }

    /// What is at the path, in words. `None` where a node can be created: an implicit group may
    /// become an explicit one.
    async fn occupant(
        &self,
        path: &NodePath,
        node: &NewNode,
        overwrite: bool,
        context: &RequestContext,
    ) -> Result<Option<&'static str>> {
        Ok(match (self.exists(path, context).await?, node) {
            (Some(NodeKind::ImplicitGroup), NewNode::Group { .. }) if !overwrite => None,
            (Some(NodeKind::ImplicitGroup), _) => Some("implicit group"),
            (found, _) => found.map(NodeKind::name),
        })
    }

    /// Writes a document for an implicit group, so that it stays when the nodes below it are
    /// erased.
    pub(super) async fn reify(&self, path: &NodePath) -> Result<()> {
        let attributes = "{}".to_owned();
        let metadata = GroupMetadata { format: self.format(), attributes, warnings: Vec::new() };
        let suffix = self.entry.metadata_key_suffix.clone();
        let document = out::group(&metadata, &Details { metadata_key_suffix: suffix, ..Details::default() });
        documents::save(&self.store, path, &document).await
    }
}
