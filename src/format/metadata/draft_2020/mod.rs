//! The draft of October 2020: node documents have one `compressor`, and types have NumPy's letters.
//!
//! It also reads the variant that zarr-python 2.13 to 2.18 wrote: filters are a member of the
//! attributes, shards are in `storage_transformers` (which this draft does not have), and the URIs
//! of types of extensions are placeholders. Other names are "reserved for future versions", which
//! promise to be compatible: they are ignored.

use super::chain::ChainBuilder;
use super::draft::{ArrayDocument, DraftCodec, codec, group};
use super::json::{Document, Json, Object};
use super::{ArrayMetadata, Draft, GroupMetadata};
use crate::error::Result;
use crate::format::codec::registry::CodecKind;

/// The attribute in which zarr-python stores filters.
pub(super) const FILTERS: &str = "filters";

/// Parses the document of an array.
pub(super) fn parse_array(text: &[u8]) -> Result<ArrayMetadata> {
    let document = Document::parse(text)?;
    let members = document.root().object()?;
    let filters = filters(&members);
    ArrayDocument::new(Draft::October2020, &members, &filters)
        .array(|chain| codecs(chain, &members, &filters))
}

/// Parses the document of a group.
pub(super) fn parse_group(text: &[u8]) -> Result<GroupMetadata> {
    group(Draft::October2020, &Document::parse(text)?.root().object()?)
}

/// The filters among the attributes. Attributes belong to the user, so only a list of numcodecs
/// objects counts.
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
