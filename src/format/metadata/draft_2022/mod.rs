//! The draft of May 2022: node documents have a list of `codecs` and `storage_transformers`, and
//! types have names.
//!
//! "The array metadata object must not contain any other names. […] An implementation must fail to
//! open zarr hierarchies, groups or arrays with unknown metadata fields."

use super::chain::ChainBuilder;
use super::draft::{ArrayDocument, DraftCodec, codec, group};
use super::json::{Document, Json, Object};
use super::{ArrayMetadata, Draft, GroupMetadata};
use crate::error::{Error, Result};

const ARRAY_FIELDS: [&str; 9] = [
    "shape",
    "data_type",
    "chunk_grid",
    "chunk_memory_layout",
    "fill_value",
    "extensions",
    "attributes",
    "codecs",
    "storage_transformers",
];

/// Parses the document of an array.
pub(super) fn parse_array(text: &[u8]) -> Result<ArrayMetadata> {
    let document = Document::parse(text)?;
    let members = document.root().object()?;
    refuse_unknown(&members, &ARRAY_FIELDS)?;
    ArrayDocument::new(Draft::May2022, &members, &[]).array(|chain| codecs(chain, &members))
}

/// Parses the document of a group.
pub(super) fn parse_group(text: &[u8]) -> Result<GroupMetadata> {
    let document = Document::parse(text)?;
    let members = document.root().object()?;
    refuse_unknown(&members, &["attributes"])?;
    group(Draft::May2022, &members)
}

fn refuse_unknown(members: &Object<'_>, known: &[&str]) -> Result<()> {
    match members.iter().find(|(key, _)| !known.contains(&key.as_ref())) {
        None => Ok(()),
        Some((key, _)) => {
            let message = format!("the metadata has a field that the draft of 2022 forbids: {key:?}");
            Err(Error::unsupported(message).in_field(key.as_ref()))
        }
    }
}

fn codecs(chain: &mut ChainBuilder, members: &Object<'_>) -> Result<()> {
    let codecs = members.read("codecs", Json::array)?.unwrap_or_default();
    for (idx, json) in codecs.into_iter().enumerate() {
        let field = format!("codecs[{idx}]");
        let read = || codec(&json.object()?, "type", &field);
        match read().map_err(|error: Error| error.within_field(&field))? {
            DraftCodec::Endian(endian) => chain.push_endian(endian, field)?,
            DraftCodec::Other(codec, kind) => chain.push(codec, kind),
        }
    }
    Ok(())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests;
