//! Writes consolidated metadata from documents, and updates it when nodes below have changed.
//!
//! Keys are relative to the group that has it. Entries of groups never have consolidated metadata
//! themselves: it would be a second copy.

use crate::error::{Error, Result};
use crate::format::json::text::ObjectText;
use crate::format::json::{self, Document};
use crate::format::metadata::document::{NodeDocument, ZARR_JSON};
use crate::format::metadata::draft::entry_point::DEFAULT_SUFFIX;
use crate::format::metadata::{ZarrFormat, draft};
use crate::format::path::{NodePath, StoreKey};

/// The key suffix of v2's consolidated metadata.
pub const ZMETADATA: &str = ".zmetadata";

/// The key of zarr-python 2's consolidated metadata for the draft of 2020.
pub const DRAFT_ZMETADATA: &str = "meta/root/consolidated/.zmetadata";

const MEMBER: &str = "consolidated_metadata";

/// Changed nodes below a group, by paths relative to it.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Nodes that were removed with everything below them. They are applied first.
    pub removed: Vec<NodePath>,
    /// New and changed nodes.
    pub set: Vec<(NodePath, NodeDocument)>,
}

/// Writes a `.zmetadata` (v2), or a group's `zarr.json` with inline consolidated metadata (v3).
/// `own` has the group's documents, `nodes` those of the nodes below it. Returns the key suffix and
/// the text.
///
/// # Errors
/// `Format` for invalid documents.
pub fn consolidate(own: &NodeDocument, nodes: &[(NodePath, NodeDocument)]) -> Result<(&'static str, String)> {
    let mut metadata = ObjectText::new();
    if own.format == ZarrFormat::V2 {
        put(&mut metadata, &NodePath::root(), own)?;
    }
    nodes.iter().try_for_each(|(path, document)| put(&mut metadata, path, document))?;
    match own.format {
        ZarrFormat::V2 => {
            let whole = ObjectText::new().with("zarr_consolidated_format", "1");
            Ok((ZMETADATA, whole.with("metadata", metadata.lines()).lines()))
        }
        ZarrFormat::V3 => {
            let text = own.text(ZARR_JSON).ok_or_else(|| Error::not_found("the group has no zarr.json"))?;
            let group = json::read(text, ObjectText::of)?;
            let inline = ObjectText::new().with("kind", "\"inline\"").with("must_understand", "false");
            let inline = inline.with("metadata", metadata.lines());
            Ok((ZARR_JSON, group.with(MEMBER, inline.compact()).lines()))
        }
        ZarrFormat::Draft(_) => Err(Error::unsupported(
            "the drafts have no consolidated metadata; only that of zarr-python can be read",
        )),
    }
}

/// Applies changes to consolidated metadata. `None` where the text has none.
///
/// # Errors
/// `Format` for an invalid document.
pub fn changed(text: &str, format: ZarrFormat, changes: &Changes) -> Result<Option<String>> {
    let mut whole = json::read(text, ObjectText::of)?;
    match format {
        ZarrFormat::V2 | ZarrFormat::Draft(_) => {
            let Some(metadata) = changed_metadata(whole.get("metadata"), format, changes)? else {
                return Ok(None);
            };
            whole.set("metadata", metadata.lines());
        }
        ZarrFormat::V3 => {
            let Some(inline) = whole.get(MEMBER).filter(|text| *text != "null") else { return Ok(None) };
            let mut inline = json::read(inline, ObjectText::of)?;
            let Some(metadata) = changed_metadata(inline.get("metadata"), format, changes)? else {
                return Ok(None);
            };
            inline.set("metadata", metadata.lines());
            whole.set(MEMBER, inline.compact());
        }
    }
    Ok(Some(whole.lines()))
}

fn changed_metadata(text: Option<&str>, format: ZarrFormat, changes: &Changes) -> Result<Option<ObjectText>> {
    let mut metadata = json::read(text.unwrap_or("{}"), ObjectText::of)?;
    let is_removed = |path: &str| changes.removed.iter().any(|removed| is_below(path, removed));
    metadata.retain(|key| match format {
        ZarrFormat::V2 | ZarrFormat::V3 => !is_removed(key),
        ZarrFormat::Draft(draft) => {
            draft::node_of_key(key, draft, DEFAULT_SUFFIX).is_none_or(|(path, _)| !is_removed(path.as_str()))
        }
    });
    for (path, node) in &changes.set {
        // The node may have had attributes before, and now have none.
        if node.format == ZarrFormat::V2 {
            metadata.retain(|key| key.rsplit_once('/').unwrap_or(("", key)).0 != path.as_str());
        }
        put(&mut metadata, path, node)?;
    }
    for (_, entry) in metadata.members_mut().filter(|(_, entry)| entry.contains(MEMBER)) {
        *entry = without_inline(entry)?;
    }
    Ok(Some(metadata))
}

fn is_below(key: &str, path: &NodePath) -> bool {
    let rest = key.strip_prefix(path.as_str());
    path.is_root() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn put(metadata: &mut ObjectText, path: &NodePath, document: &NodeDocument) -> Result<()> {
    for (suffix, text) in &document.texts {
        let key = match document.format {
            ZarrFormat::V3 => path.as_str().to_owned(),
            ZarrFormat::V2 if path.is_root() => suffix.clone(),
            ZarrFormat::V2 => format!("{path}/{suffix}"),
            ZarrFormat::Draft(_) => StoreKey::of_document(path, document.format, suffix).as_str().to_owned(),
        };
        metadata.set(&key, without_inline(text)?);
    }
    Ok(())
}

/// The document on one line, without consolidated metadata in it.
fn without_inline(text: &str) -> Result<String> {
    Ok(json::read(text, ObjectText::of)?.without(MEMBER).compact())
}

/// The `node_type` of a v3 document. It is found without parsing the rest.
pub fn node_type(text: &str) -> Option<String> {
    let document = Document::parse(text.as_bytes()).ok()?;
    Some(document.root().object().ok()?.get("node_type")?.str().ok()?.into_owned())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::format::metadata::NodeKind;
    use crate::format::metadata::consolidated::Consolidated;
    use crate::format::metadata::document::{ZARRAY, ZATTRS, ZGROUP};

    fn document(format: ZarrFormat, texts: &[(&str, &str)]) -> NodeDocument {
        let texts = texts.iter().map(|(suffix, text)| ((*suffix).to_owned(), (*text).to_owned()));
        NodeDocument::of(format, texts.collect())
    }

    fn path(text: &str) -> NodePath {
        NodePath::from_normal(text).unwrap()
    }

    #[test]
    fn v3_is_inline_and_can_be_read() {
        let own = document(ZarrFormat::V3, &[(ZARR_JSON, r#"{"zarr_format":3,"node_type":"group"}"#)]);
        let array = document(ZarrFormat::V3, &[(ZARR_JSON, r#"{"zarr_format":3,"node_type":"array"}"#)]);
        let inner = format!(r#"{{"zarr_format":3,"node_type":"group","{MEMBER}":{{"metadata":{{}}}}}}"#);
        let inner = document(ZarrFormat::V3, &[(ZARR_JSON, &inner)]);
        let (suffix, text) = consolidate(&own, &[(path("g"), inner), (path("g/a"), array.clone())]).unwrap();
        assert_eq!(suffix, ZARR_JSON);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let expected = serde_json::json!({"kind": "inline", "must_understand": false, "metadata": {
            "g": {"zarr_format": 3, "node_type": "group"}, "g/a": {"zarr_format": 3, "node_type": "array"}}});
        assert_eq!(value[MEMBER], expected);
        let changes = Changes { removed: vec![path("g/a")], set: vec![(path("b"), array)] };
        let text = changed(&text, ZarrFormat::V3, &changes).unwrap().unwrap();
        let index = Consolidated::index(text.as_bytes(), ZarrFormat::V3).unwrap().unwrap();
        assert_eq!(index.kind(&path("g/a")), None);
        assert_eq!(index.kind(&path("b")), Some(NodeKind::Array));
        assert_eq!(index.kind(&path("g")), Some(NodeKind::Group));
    }

    #[test]
    fn v2_is_a_separate_document() {
        let own = document(ZarrFormat::V2, &[(ZGROUP, r#"{"zarr_format":2}"#), (ZATTRS, r#"{"a":NaN}"#)]);
        let array = document(ZarrFormat::V2, &[(ZARRAY, r#"{"zarr_format":2}"#), (ZATTRS, "{}")]);
        let (suffix, text) = consolidate(&own, &[(path("x"), array)]).unwrap();
        assert_eq!(suffix, ZMETADATA);
        let bare = document(ZarrFormat::V2, &[(ZARRAY, r#"{"zarr_format":2,"order":"C"}"#)]);
        let changes = Changes { removed: Vec::new(), set: vec![(path("x"), bare)] };
        let text = changed(&text, ZarrFormat::V2, &changes).unwrap().unwrap();
        let expected = "{\n  \"zarr_consolidated_format\": 1,\n  \"metadata\": {\n  \".zgroup\": {\"zarr_format\":2},\n  \".zattrs\": {\"a\":NaN},\n  \"x/.zarray\": {\"zarr_format\":2,\"order\":\"C\"}\n}\n}";
        assert_eq!(text, expected);
    }

    #[test]
    fn groups_without_consolidated_metadata_stay_so() {
        let group = r#"{"zarr_format":3,"node_type":"group","consolidated_metadata":null}"#;
        assert_eq!(changed(group, ZarrFormat::V3, &Changes::default()).unwrap(), None);
        let names =
            [("a", "a", true), ("a/.zarray", "a", true), ("ab/.zarray", "a", false), (".zgroup", "a", false)];
        for (key, gone, expected) in names {
            assert_eq!(is_below(key, &path(gone)), expected, "{key}");
        }
        assert_eq!(node_type(group).as_deref(), Some("group"));
    }
}
