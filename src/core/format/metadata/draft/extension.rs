//! Parses extensions of the drafts: the list `extensions` of entry points and arrays, the objects
//! at extension points, and the list `storage_transformers` of arrays. That is a chapter of May
//! 2022; zarr-python 2.13 to 2.18 also wrote it for the draft of 2020. The store's transformers
//! look its entries up by URI.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::format::json::{Json, Object};
use crate::format::metadata::StorageTransformerMetadata;
use crate::quoted::quoted;

/// Checks a list of extensions. None is known, so each must say that it need not be understood.
///
/// # Errors
/// `Unsupported`, with the URI, for an extension that must be understood. `Format` for one that
/// does not say.
pub(super) fn check_list(json: Json<'_>) -> Result<()> {
    json.list(|json| {
        let members = json.object()?;
        let uri = members.require("extension", Json::str)?;
        match members.require("must_understand", Json::bool)? {
            false => Ok(()),
            true => Err(Error::unsupported(format!(
                "the extension {} must be understood, and is unknown",
                quoted(&uri)
            ))),
        }
    })
    .map(drop)
}

/// An object at an extension point.
#[derive(Debug)]
pub(super) struct ExtensionPoint<'a> {
    /// The URI of the extension.
    pub uri: Cow<'a, str>,
    /// The type: which of the things that the extension defines.
    pub kind: Json<'a>,
    /// All members.
    pub members: Object<'a>,
}

impl<'a> ExtensionPoint<'a> {
    /// Parses an object. `None` for one that names no extension.
    ///
    /// # Errors
    /// `Format` for an extension without `type`.
    pub fn parse(json: Json<'a>) -> Result<Option<Self>> {
        let members = json.object()?;
        let Some(uri) = members.read("extension", Json::str)? else { return Ok(None) };
        let kind = members.require("type", Ok)?;
        Ok(Some(Self { uri, kind, members }))
    }

    /// The error for an unknown extension.
    pub fn unknown(&self, what: &str) -> Error {
        let kind = self.kind.text();
        Error::unsupported(format!("unknown {what} {kind} of the extension {}", quoted(&self.uri)))
    }
}

/// The error for a value at an extension point where no extension is known: `Unsupported` with the
/// URI for an extension, `Format` for any other value.
pub(super) fn refuse(json: Json<'_>, what: &str, expected: &str) -> Error {
    if json.kind_name() != "an object" {
        return json.unexpected(expected);
    }
    match ExtensionPoint::parse(json) {
        Ok(Some(extension)) => extension.unknown(what),
        Ok(None) => json.unexpected(expected),
        Err(error) => error,
    }
}

/// Parses `storage_transformers`. Their order is from the array to the store.
pub(in super::super) fn storage_transformers(json: Json<'_>) -> Result<Vec<StorageTransformerMetadata>> {
    let transformer = |json: Json<'_>| match ExtensionPoint::parse(json)? {
        None => Err(json.unexpected("an object with `extension` and `type`")),
        Some(extension) => Ok(StorageTransformerMetadata {
            extension: extension.uri.into_owned(),
            kind: extension.kind.text().to_owned(),
            configuration: extension
                .members
                .read("configuration", |json| json.object().map(|_| json.text().to_owned()))?,
            field: String::new(),
        }),
    };
    let mut list = json.list(transformer)?;
    list.iter_mut().enumerate().for_each(|(idx, it)| it.field = format!("storage_transformers[{idx}]"));
    Ok(list)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::json::Document;

    fn parse_text(text: &str) -> Result<Vec<StorageTransformerMetadata>> {
        storage_transformers(Document::parse(text.as_bytes())?.root())
    }

    #[test]
    fn example_of_the_draft() {
        let text = r#"[{"extension":"https://purl.org/zarr/spec/extensions/storage_transformers/sharding/1.0","type":"indexed",
            "configuration":{"chunks_per_shard":[2,2]}}]"#;
        let expected = StorageTransformerMetadata {
            extension: "https://purl.org/zarr/spec/extensions/storage_transformers/sharding/1.0".into(),
            kind: "\"indexed\"".into(),
            configuration: Some(r#"{"chunks_per_shard":[2,2]}"#.into()),
            field: "storage_transformers[0]".into(),
        };
        assert_eq!(parse_text(text).unwrap(), [expected]);
        assert!(parse_text("[]").unwrap().is_empty());
    }

    #[test]
    fn invalid_lists_are_refused() {
        for text in [
            "{}",
            "null",
            "[7]",
            "[{}]",
            r#"[{"extension":"x"}]"#,
            r#"[{"type":"x"}]"#,
            r#"[{"extension":"x","type":"y","configuration":[]}]"#,
        ] {
            assert_eq!(parse_text(text).unwrap_err().kind(), ErrorKind::Format, "{text}");
        }
    }
}
