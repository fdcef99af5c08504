//! The draft of October 2020: node documents with one `compressor`, and NumPy's letters for types.
//!
//! Also the dialect of it that zarr-python 2.13 to 2.18 wrote: filters are a member of the attributes, `storage_transformers` (which this
//! text does not have) hold shards, and types of extensions have placeholders for URIs. Other names are "reserved for future versions",
//! which are promised to be compatible: they are ignored.

use super::chain::ChainBuilder;
use super::draft::{DraftCodec, Parts, codec, group};
use super::json::{Document, Json, Object};
use super::{ArrayMetadata, Draft, GroupMetadata};
use crate::error::Result;
use crate::format::codec::registry::CodecKind;

/// Where zarr-python keeps filters, within the attributes.
pub(super) const FILTERS: &str = "filters";

/// The array that a document describes.
pub(super) fn parse_array(text: &[u8]) -> Result<ArrayMetadata> {
    let document = Document::parse(text)?;
    let members = document.root().object()?;
    let filters = filters(&members);
    Parts::new(Draft::October2020, &members, &filters).array(|chain| codecs(chain, &members, &filters))
}

/// The group that a document describes.
pub(super) fn parse_group(text: &[u8]) -> Result<GroupMetadata> {
    group(Draft::October2020, &Document::parse(text)?.root().object()?)
}

/// Attributes are the user's: only a list of numcodecs objects is a list of filters.
pub(super) fn filters<'a>(members: &Object<'a>) -> Vec<Json<'a>> {
    let attributes = members.get("attributes").and_then(|json| json.object().ok());
    let filters =
        attributes.and_then(|attributes| attributes.get(FILTERS)).and_then(|json| json.array().ok());
    let is_codec = |json: &Json<'_>| {
        json.object().is_ok_and(|object| object.get("id").is_some_and(|id| id.kind_name() == "a string"))
    };
    filters.filter(|filters| filters.iter().all(is_codec)).unwrap_or_default()
}

fn codecs(chain: &mut ChainBuilder, members: &Object<'_>, filters: &[Json<'_>]) -> Result<()> {
    for (idx, filter) in filters.iter().enumerate() {
        let field = format!("attributes.{FILTERS}[{idx}]");
        chain.push_numcodecs(*filter, field, CodecKind::ArrayToArray)?;
    }
    // zarr-python writes null for "none".
    let compressor = members.get("compressor").filter(|json| !json.is_null());
    let Some(compressor) = compressor else { return Ok(()) };
    let read = |json: Json<'_>| codec(&json.object()?, "codec", "compressor");
    match read(compressor).map_err(|error| error.within_field("compressor"))? {
        DraftCodec::Endian(endian) => chain.push_endian(endian, "compressor".to_owned()),
        DraftCodec::Other(codec, kind) => {
            chain.push(codec, kind);
            Ok(())
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests;
