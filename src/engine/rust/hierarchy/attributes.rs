//! Changes the user attributes of a node in its document. Everything else in the document stays as
//! it is. Also reads large attributes again, because an open array does not keep them.

use std::rc::Rc;

use crate::error::{Result, at_node};
use crate::format::metadata::write::edit::{self, AttributeUpdate};
use crate::format::metadata::{ArrayMetadata, NodeMetadata, document};
use crate::format::path::NodePath;
use crate::hierarchy::documents::{self, ChangedNodes, Documents};
use crate::hierarchy::types::OpenedNode;
use crate::read::array::Array;
use crate::store::{RequestContext, Store};

/// Merges attributes (text of a JSON object) into those of a node, or replaces them. Two updates at
/// once are applied one after the other.
///
/// # Errors
/// `Argument` for attributes that are no strict JSON object, `NotFound` where there is no node,
/// `Store` where the store fails.
pub async fn update_attributes(
    store: &Rc<dyn Store>,
    path: &NodePath,
    attributes: &str,
    update: AttributeUpdate,
    context: &RequestContext,
) -> Result<OpenedNode> {
    at_node(path.as_str(), async {
        let documents = Documents { store, context };
        let held = documents.lock(path).await?;
        let current = documents.reopen(path, None).await?;
        let mut changed = edit::with_attributes(&current.document, attributes, update)?;
        let metadata = document::parse(&changed)?;
        let whole = changed.clone();
        changed.texts.retain(|text| !current.document.texts.contains(text));
        documents::save(store, path, &changed).await?;
        documents.record(path, whole.format, &ChangedNodes::set(path, &whole), &held).await?;
        Ok(OpenedNode { path: path.clone(), document: whole, metadata, large: None })
    })
    .await
}

/// The metadata of an array with all of its attributes. Large ones are read from the store.
///
/// # Errors
/// Errors of opening the array, if its attributes must be read.
pub async fn whole_metadata(array: &Array, context: &RequestContext) -> Result<ArrayMetadata> {
    let mut metadata = array.binding().declared().clone();
    if array.document().is_partial {
        let format = Some(array.document().format);
        let found = Documents { store: array.store(), context }.reopen(array.path(), format).await?;
        if let NodeMetadata::Array(found) = found.metadata {
            metadata.attributes = found.attributes;
        }
    }
    Ok(metadata)
}
