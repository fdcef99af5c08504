//! Parses codecs of the drafts, which have URIs. See "Chunk encoding" in both drafts, and "Codecs"
//! in that of 2022.
//!
//! October 2020 has one `compressor`, May 2022 a list of `codecs`. zarr-python 2.13 to 2.18 wrote
//! filters too, among the attributes of the draft of 2020.
//!
//! Their configurations are those of numcodecs (blosc's shuffle is a number). The drafts give the
//! URI of gzip in three forms. All are accepted, for every codec of numcodecs: zarr-python wrote
//! `zlib`, `lz4` and others so.

use super::uri::SpecUri;
use crate::error::{Error, Result};
use crate::format::codec::kind::CodecKind;
use crate::format::codec::registry::kind_of;
use crate::format::data_type::Endian;
use crate::format::json::text::ObjectText;
use crate::format::json::{Json, Object};
use crate::format::metadata::chain::ChainBuilder;
use crate::format::metadata::{CodecMetadata, Draft, ZarrFormat};

/// The attribute in which zarr-python stores filters.
pub(in super::super) const FILTERS: &str = "filters";

/// The filters among the attributes of an array's document. Attributes belong to the user, so only
/// a list of numcodecs objects counts.
pub(super) fn filters<'a>(draft: Draft, members: &Object<'a>) -> Vec<Json<'a>> {
    if draft != Draft::October2020 {
        return Vec::new();
    }
    let attributes = members.get("attributes").and_then(|json| json.object().ok());
    let filters =
        attributes.and_then(|attributes| attributes.get(FILTERS)).and_then(|json| json.array().ok());
    let is_codec = |json: &Json<'_>| {
        json.object().is_ok_and(|object| object.get("id").is_some_and(|id| id.kind_name() == "a string"))
    };
    filters.filter(|filters| filters.iter().all(is_codec)).unwrap_or_default()
}

/// Appends the codecs of an array's document to its chain.
pub(super) fn append(
    chain: &mut ChainBuilder,
    draft: Draft,
    members: &Object<'_>,
    filters: &[Json<'_>],
) -> Result<()> {
    for (idx, filter) in filters.iter().enumerate() {
        let field = format!("attributes.{FILTERS}[{idx}]");
        chain.push_numcodecs(*filter, field, CodecKind::ArrayToArray)?;
    }
    let codecs: Vec<(String, Json<'_>)> = match draft {
        Draft::October2020 => {
            // zarr-python writes null for "none".
            let compressor = members.get("compressor").filter(|json| !json.is_null());
            compressor.map(|json| ("compressor".to_owned(), json)).into_iter().collect()
        }
        Draft::May2022 => {
            let codecs = members.read("codecs", Json::array)?.unwrap_or_default();
            codecs.into_iter().enumerate().map(|(idx, json)| (format!("codecs[{idx}]"), json)).collect()
        }
    };
    for (field, json) in codecs {
        let read = || codec(&json.object()?, uri_key(draft), &field);
        let (codec, kind) = read().map_err(|error: Error| error.within_field(&field))?;
        match codec.is_bytes() {
            true => chain.push_bytes(codec)?,
            false => chain.push(codec, kind),
        }
    }
    Ok(())
}

/// The member of a codec that has its URI.
pub(super) fn uri_key(draft: Draft) -> &'static str {
    match draft {
        Draft::October2020 => "codec",
        Draft::May2022 => "type",
    }
}

/// Parses a codec. The member `key` has its URI. The array-to-bytes codec of the draft of 2022
/// becomes `bytes`. An unknown codec counts as bytes-to-bytes, and has its URI as its name.
pub(in super::super) fn codec(
    members: &Object<'_>,
    key: &str,
    field: &str,
) -> Result<(CodecMetadata, CodecKind)> {
    let uri = members.require(key, Json::str)?;
    let configuration = members.read("configuration", ObjectText::of)?;
    let id = SpecUri::first_version(&uri)
        .and_then(|path| path.strip_prefix("codecs/").or_else(|| path.strip_prefix("codec/")));
    if id == Some("endian") {
        let endian = members.require("configuration", |json| json.object()?.require("endian", endian))?;
        return Ok((CodecMetadata::bytes(Some(endian)).at(field), CodecKind::ArrayToBytes));
    }
    Ok(match id.and_then(|id| Some((id, kind_of(id, ZarrFormat::V2)?))) {
        Some((id, kind)) => (CodecMetadata::numcodecs(id, configuration.unwrap_or_default()).at(field), kind),
        None => {
            let codec = CodecMetadata::v3(&uri).at(field);
            let codec = configuration.iter().fold(codec, CodecMetadata::with);
            (codec, CodecKind::BytesToBytes)
        }
    })
}

fn endian(json: Json<'_>) -> Result<Endian> {
    let named = json.str().ok().and_then(|name| Endian::of_name(&name));
    named.ok_or_else(|| json.unexpected("\"big\" or \"little\""))
}
