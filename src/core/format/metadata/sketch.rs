//! What can be read of a node whose documents are invalid, so that lists can show the node.
//!
//! Each member is parsed alone, so that an invalid one does not hide the others. Elements are never
//! read with it.

use super::{NodeKind, ZarrFormat, attributes};
use crate::format::json::{Document, Json, Object};
use crate::format::metadata::document::{NodeDocument, ZARR_JSON, ZARRAY, ZATTRS};

/// The members that can be read. `None` for the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch {
    /// The kind of the node.
    pub kind: Option<NodeKind>,
    /// The shape of an array.
    pub shape: Option<Vec<u64>>,
    /// The name of an array's data type, or else its JSON text.
    pub data_type: Option<String>,
    /// The attributes: the text of a JSON object.
    pub attributes: Option<String>,
}

impl Sketch {
    /// Reads the documents of a node: pairs of a key suffix and its bytes.
    pub fn of(format: ZarrFormat, texts: &[(&str, &[u8])]) -> Self {
        let text = |suffix: &str| texts.iter().find(|(name, _)| *name == suffix).map(|(_, text)| *text);
        match format {
            ZarrFormat::V3 => text(ZARR_JSON).map(Self::of_v3).unwrap_or_default(),
            ZarrFormat::V2 => {
                let attributes = text(ZATTRS).and_then(|text| {
                    let document = Document::parse(text).ok()?;
                    attributes::text(document.root()).ok()
                });
                match text(ZARRAY) {
                    Some(zarray) => Self { attributes, ..Self::of_array(zarray, "dtype") },
                    None => Self { kind: Some(NodeKind::Group), attributes, ..Self::default() },
                }
            }
            ZarrFormat::Draft(_) => Self::default(),
        }
    }

    /// Reads the documents of a node.
    pub fn of_document(document: &NodeDocument) -> Self {
        let texts = document.texts.iter().map(|(suffix, text)| (suffix.as_str(), text.as_bytes()));
        Self::of(document.format, &texts.collect::<Vec<_>>())
    }

    fn of_v3(text: &[u8]) -> Self {
        let Ok(document) = Document::parse(text) else { return Self::default() };
        let Ok(members) = document.root().object() else { return Self::default() };
        let kind = match members.get("node_type").and_then(|json| json.str().ok()).as_deref() {
            Some("array") => Some(NodeKind::Array),
            Some("group") => Some(NodeKind::Group),
            _ => None,
        };
        let array = match kind {
            Some(NodeKind::Array) => Self::of_array(text, "data_type"),
            _ => Self::default(),
        };
        let attributes = members.get("attributes").and_then(|json| attributes::text(json).ok());
        Self { kind, attributes, ..array }
    }

    fn of_array(text: &[u8], data_type: &str) -> Self {
        let nothing = Self { kind: Some(NodeKind::Array), ..Self::default() };
        let Ok(document) = Document::parse(text) else { return nothing };
        let Ok(members) = document.root().object() else { return nothing };
        Self {
            shape: members.get("shape").and_then(|json| json.u64_list().ok()),
            data_type: members.get(data_type).map(name),
            ..nothing
        }
    }
}

/// The text of a string, the name in an object, or else the JSON text.
fn name(json: Json<'_>) -> String {
    let of_object = |members: Object<'_>| members.get("name")?.str().ok().map(|name| name.into_owned());
    let named = json.object().ok().and_then(of_object);
    let text = json.str().ok().map(|text| text.into_owned());
    text.or(named).unwrap_or_else(|| json.original_text().into_owned())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn members_that_can_be_read_are_found() {
        let zarray: &[u8] =
            br#"{"zarr_format":2,"shape":[3,0],"chunks":"?","dtype":"|O","filters":[{"id":"pickle"}]}"#;
        let sketch = Sketch::of(ZarrFormat::V2, &[(ZARRAY, zarray), (ZATTRS, br#"{"unit":"s"}"#)]);
        assert_eq!(sketch.kind, Some(NodeKind::Array));
        assert_eq!(sketch.shape, Some(vec![3, 0]));
        assert_eq!(sketch.data_type.as_deref(), Some("|O"));
        assert_eq!(sketch.attributes.as_deref(), Some(r#"{"unit":"s"}"#));
    }

    #[test]
    fn invalid_members_do_not_hide_others() {
        let text =
            br#"{"node_type":"array","shape":[-1],"data_type":{"name":"new","size":3},"attributes":[]}"#;
        let sketch = Sketch::of(ZarrFormat::V3, &[(ZARR_JSON, text)]);
        assert_eq!((sketch.kind, sketch.shape, sketch.attributes), (Some(NodeKind::Array), None, None));
        assert_eq!(sketch.data_type.as_deref(), Some("new"));
        let fields = br#"{"dtype":[["a","|O"]],"shape":[1]}"#;
        let sketch = Sketch::of(ZarrFormat::V2, &[(ZARRAY, fields), (ZATTRS, b"{")]);
        assert_eq!((sketch.data_type.as_deref(), sketch.attributes), (Some(r#"[["a","|O"]]"#), None));
    }

    #[test]
    fn the_key_tells_the_kind_where_the_text_is_not_json() {
        let kind = |format, suffix| Sketch::of(format, &[(suffix, b"{")]).kind;
        assert_eq!(kind(ZarrFormat::V2, ZARRAY), Some(NodeKind::Array));
        assert_eq!(kind(ZarrFormat::V2, ".zgroup"), Some(NodeKind::Group));
        assert_eq!(kind(ZarrFormat::V3, ZARR_JSON), None);
    }
}
