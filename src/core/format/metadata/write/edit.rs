//! Changes one member of a document, the shape or the attributes, and keeps the rest as written.

use crate::error::{Error, Result};
use crate::format::json::Document;
use crate::format::json::text::{self, ObjectText, list, strict};
use crate::format::metadata::document::{NodeDocument, ZARR_JSON, ZATTRS};
use crate::format::metadata::{ZarrFormat, attributes, draft};

/// How new attributes combine with existing ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeUpdate {
    /// New members are set, others stay.
    Merge,
    /// Only the new members remain.
    Replace,
}

/// The documents of an array with a new shape.
///
/// # Errors
/// `Format` for an invalid document.
pub fn with_shape(document: &NodeDocument, shape: &[u64]) -> Result<NodeDocument> {
    with_member(document, "shape", &list(shape))
}

/// The documents of a node with new attributes. `attributes` is the text of a JSON object.
///
/// # Errors
/// `Argument` for attributes that are not a strict JSON object.
pub fn with_attributes(
    document: &NodeDocument,
    attributes: &str,
    update: AttributeUpdate,
) -> Result<NodeDocument> {
    let merged = match update {
        AttributeUpdate::Replace => {
            let mut replaced = checked_attributes(attributes)?;
            // zarr-python stores filters among a draft's attributes: they stay.
            if let Some(filters) = draft::filters_text(document) {
                replaced.set(draft::FILTERS, filters);
            }
            replaced
        }
        AttributeUpdate::Merge => {
            let mut merged = current_attributes(document)?;
            checked_attributes(attributes)?
                .members_mut()
                .for_each(|(key, value)| merged.set(key, value.as_str()));
            merged
        }
    };
    match document.format {
        ZarrFormat::Draft(_) if document.own_text().is_none() => {
            Ok(with_group_document(document, merged.compact()))
        }
        ZarrFormat::V3 | ZarrFormat::Draft(_) => with_member(document, "attributes", &merged.compact()),
        ZarrFormat::V2 => {
            let mut texts = document.texts.clone();
            texts.retain(|(suffix, _)| suffix != ZATTRS);
            texts.push((ZATTRS.to_owned(), merged.lines()));
            Ok(NodeDocument::of(document.format, texts))
        }
    }
}

/// A draft's implicit group with a new document, which makes it explicit.
fn with_group_document(document: &NodeDocument, attributes: String) -> NodeDocument {
    let entry = document.text(ZARR_JSON).map(|text| draft::EntryPoint::parse(text.as_bytes()));
    let entry = entry.and_then(|entry| entry.ok().flatten());
    let suffix =
        entry.map_or_else(|| draft::entry_point::DEFAULT_SUFFIX.to_owned(), |it| it.metadata_key_suffix);
    let mut with_group_document = document.clone();
    let text = ObjectText::new().with("attributes", attributes).lines();
    with_group_document.texts.push((format!("{}{suffix}", draft::GROUP), text));
    with_group_document
}

/// Parses attributes to be written.
///
/// # Errors
/// `Argument` for anything but a strict JSON object.
pub fn checked_attributes(attributes: &str) -> Result<ObjectText> {
    let wrong = |error: Error| Error::argument(format!("attributes must be a JSON object: {error}"));
    let document = Document::parse(attributes.as_bytes()).map_err(wrong)?;
    strict(document.root(), "attributes")?;
    ObjectText::of(document.root()).map_err(wrong)
}

fn current_attributes(document: &NodeDocument) -> Result<ObjectText> {
    let (text, is_whole) = match document.format {
        ZarrFormat::V3 | ZarrFormat::Draft(_) => (document.own_text().map(|(_, text)| text), false),
        ZarrFormat::V2 => (document.text(ZATTRS), true),
    };
    let parsed = Document::parse(text.unwrap_or(attributes::NONE).as_bytes())?;
    if is_whole {
        return ObjectText::of(parsed.root());
    }
    parsed.root().object()?.get("attributes").map_or_else(|| Ok(ObjectText::new()), ObjectText::of)
}

fn with_member(document: &NodeDocument, key: &str, value: &str) -> Result<NodeDocument> {
    let own = document.own_text().map(|(suffix, _)| suffix);
    let own = own.ok_or_else(|| Error::not_found("the node has no document of its own"))?;
    let edited = |(name, text): &(String, String)| {
        let text = match name == own {
            true => text::with_member(Document::parse(text.as_bytes())?.root(), key, value)?,
            false => text.clone(),
        };
        Ok((name.clone(), text))
    };
    let texts = document.texts.iter().map(edited).collect::<Result<_>>()?;
    Ok(NodeDocument { texts, ..*document })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::format::metadata::document::ZARRAY;

    fn v3(text: &str) -> NodeDocument {
        NodeDocument::of(ZarrFormat::V3, vec![(ZARR_JSON.into(), text.into())])
    }

    #[test]
    fn the_rest_of_a_document_stays() {
        let document = v3(r#"{"x":{"must_understand":false},"shape":[1],"fill_value":1.50}"#);
        let changed = with_shape(&document, &[u64::MAX, 0]).unwrap();
        let expected = "{\n  \"x\": {\"must_understand\":false},\n  \"shape\": [18446744073709551615,0],\n  \"fill_value\": 1.50\n}";
        assert_eq!(changed.text(ZARR_JSON), Some(expected));
    }

    #[test]
    fn attributes_merge_or_are_replaced() {
        let document = v3(r#"{"attributes":{"a":1,"b":NaN}}"#);
        let merged = with_attributes(&document, r#"{"a":{"c":2.0}}"#, AttributeUpdate::Merge).unwrap();
        assert_eq!(merged.text(ZARR_JSON), Some("{\n  \"attributes\": {\"a\":{\"c\":2.0},\"b\":NaN}\n}"));
        let replaced = with_attributes(&document, "{}", AttributeUpdate::Replace).unwrap();
        assert_eq!(replaced.text(ZARR_JSON), Some("{\n  \"attributes\": {}\n}"));
        let v2 = NodeDocument::of(ZarrFormat::V2, vec![(ZARRAY.into(), "{}".into())]);
        let merged = with_attributes(&v2, r#"{"a":1}"#, AttributeUpdate::Merge).unwrap();
        assert_eq!(merged.text(ZATTRS), Some("{\n  \"a\": 1\n}"));
        for wrong in ["[]", "{", r#"{"a":Infinity}"#] {
            assert!(with_attributes(&v2, wrong, AttributeUpdate::Merge).is_err(), "{wrong}");
        }
    }
}
