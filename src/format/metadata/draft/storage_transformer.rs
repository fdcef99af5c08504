//! Parses `storage_transformers`. See May 2022, "Storage transformers". zarr-python 2.13 to 2.18
//! also wrote them for the draft of 2020.
//!
//! The store's transformers look them up by URI.

use super::extension::ExtensionPoint;
use super::uri::SHARDING_URIS;
use crate::error::{Error, Result};
use crate::format::metadata::StorageTransformerMetadata;
use crate::format::metadata::json::Json;
use crate::format::metadata::write::text::{ObjectText, list, string};

/// Writes the sharding transformer for shards of this shape.
///
/// # Errors
/// `Argument` when a shard is not a whole number of chunks.
pub(in super::super) fn sharding(shard_shape: &[u64], chunk_shape: &[u64]) -> Result<String> {
    let per_shard = shard_shape.iter().zip(chunk_shape).map(|(shard, chunk)| {
        shard.checked_div(*chunk).filter(|count| *count > 0 && shard.is_multiple_of(*chunk))
    });
    let per_shard: Option<Vec<u64>> = per_shard.collect();
    match per_shard
        .filter(|per_shard| per_shard.len() == shard_shape.len() && shard_shape.len() == chunk_shape.len())
    {
        Some(per_shard) => {
            let configuration = ObjectText::new().with("chunks_per_shard", list(per_shard)).compact();
            let object =
                ObjectText::new().with("extension", string(SHARDING_URIS[0])).with("type", "\"indexed\"");
            Ok(object.with("configuration", configuration).compact())
        }
        None => {
            let error = Error::argument("a shard must be a whole number of chunks along each dimension");
            Err(error
                .in_field("shard_shape")
                .expected(format!("a multiple of {chunk_shape:?}"))
                .actual(format!("{shard_shape:?}")))
        }
    }
}

/// Parses the list. Its order is from the array to the store.
pub(in super::super) fn parse(json: Json<'_>) -> Result<Vec<StorageTransformerMetadata>> {
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
    use crate::format::metadata::json::Document;

    fn parse_text(text: &str) -> Result<Vec<StorageTransformerMetadata>> {
        parse(Document::parse(text.as_bytes())?.root())
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
