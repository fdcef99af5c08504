//! The two historic v3 drafts: entry points, documents of nodes, extension points, codecs, data
//! types, fill values.
//!
//! The drafts are those of October 2020 ("Zarr core protocol (version 3.0)", editor's draft of 16
//! October 2020) and May 2022 ("Zarr core specification (version 3.0)", editor's draft of 25 May
//! 2022, with its chapters on extensions and codecs). zarr-python 2.13 to 2.18 wrote a variant of
//! the former: filters are a member of the attributes, shards are in `storage_transformers` (which
//! that draft does not have), and the URIs of types of extensions are placeholders. All are parsed
//! to the terms of v3, so that reading needs nothing else.

mod codec;
mod data_type;
pub mod entry_point;
mod extension;
mod fill_value;
mod node;
pub mod uri;
pub mod write;

pub(super) use codec::{FILTERS, codec};
pub use entry_point::EntryPoint;
pub(super) use extension::storage_transformers;

use super::document::NodeDocument;
use super::{Draft, NodeKind, NodeMetadata, ZarrFormat};
use crate::error::{Result, Stage};
use crate::format::data_type::{DataType, Endian, FillValue};
use crate::format::json::{Document, Json};
use crate::format::path::NodePath;

/// The end of the name of an array's document, before the hierarchy's suffix.
pub const ARRAY: &str = ".array";
/// The end of the name of a group's document, before the hierarchy's suffix.
pub const GROUP: &str = ".group";

/// The kind of node that a document with this suffix describes. `None` for the entry point.
pub fn kind_of_suffix(suffix: &str) -> Option<NodeKind> {
    match suffix {
        _ if suffix.starts_with(ARRAY) => Some(NodeKind::Array),
        _ if suffix.starts_with(GROUP) => Some(NodeKind::Group),
        _ => None,
    }
}

/// The node whose document has this key: "remove the trailing `.array.json` or `.group.json` and
/// the `meta` prefix". `None` for other keys.
pub fn node_of_key(key: &str, draft: Draft, metadata_key_suffix: &str) -> Option<(NodePath, NodeKind)> {
    let stem = key.strip_suffix(metadata_key_suffix)?;
    let (tree, root) = match draft {
        Draft::October2020 => ("meta/root", ["meta/root.array", "meta/root.group"]),
        Draft::May2022 => ("meta", ["meta/array", "meta/group"]),
    };
    let roots = root.into_iter().zip([NodeKind::Array, NodeKind::Group]);
    if let Some((_, kind)) = { roots }.find(|(root, _)| *root == stem) {
        return Some((NodePath::root(), kind));
    }
    let name = stem.strip_prefix(tree)?.strip_prefix('/')?;
    let (name, kind) = match (name.strip_suffix(ARRAY), name.strip_suffix(GROUP)) {
        (Some(name), _) => (name, NodeKind::Array),
        (_, Some(name)) => (name, NodeKind::Group),
        (None, None) => return None,
    };
    let path = NodePath::from_normal(name).filter(|path| !path.is_root())?;
    Some((path, kind))
}

/// Parses the fill value of a new array. All forms of documents are accepted.
pub(super) fn parse_fill_value(
    draft: Draft,
    data_type: &DataType,
    endian: Option<Endian>,
    json: Json<'_>,
) -> Result<FillValue> {
    let elements = fill_value::FillValueParser { draft, data_type, endian, is_fallback: false };
    elements.parse(json, &mut Vec::new())
}

/// The text of zarr-python's filters of an array, which it stores among the attributes.
pub(super) fn filters_text(document: &NodeDocument) -> Option<String> {
    let ZarrFormat::Draft(draft) = document.format else { return None };
    let document = Document::parse(document.own_text()?.1.as_bytes()).ok()?;
    let members = document.root().object().ok()?;
    if codec::filters(draft, &members).is_empty() {
        return None;
    }
    let attributes = members.get("attributes")?.object().ok()?;
    Some(attributes.get(FILTERS)?.original_text().into_owned())
}

/// Parses the texts of a node. Without a document of its own it is an implicit group.
///
/// # Errors
/// `Format` for a missing or invalid field, `Unsupported` for an unknown extension, with its URI,
/// `Limit` for too many dimensions.
pub fn parse(draft: Draft, document: &NodeDocument) -> Result<NodeMetadata> {
    let of_kind = |kind| document.texts.iter().find(|(suffix, _)| kind_of_suffix(suffix) == Some(kind));
    let parsed = match (of_kind(NodeKind::Array), of_kind(NodeKind::Group)) {
        (Some((_, text)), _) => {
            node::array(draft, text.as_bytes()).map(|array| NodeMetadata::Array(Box::new(array)))
        }
        (None, Some((_, text))) => node::group(draft, text.as_bytes()).map(NodeMetadata::Group),
        (None, None) => Ok(NodeMetadata::Group(node::implicit_group(draft))),
    };
    parsed.map_err(|error| error.in_stage(Stage::Metadata))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests;
