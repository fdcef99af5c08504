//! Parses codecs of the drafts, which have URIs. See "Chunk encoding" in both drafts, and "Codecs"
//! in that of 2022.
//!
//! Their configurations are those of numcodecs (blosc's shuffle is a number). The drafts give the
//! URI of gzip in three forms. All are accepted, for every codec of numcodecs: zarr-python wrote
//! `zlib`, `lz4` and others so.

use super::uri::SpecUri;
use crate::error::Result;
use crate::format::codec::registry::{CodecKind, kind_of};
use crate::format::data_type::typestr::Endian;
use crate::format::metadata::json::{Json, Object};
use crate::format::metadata::write::text::{ObjectText, string};
use crate::format::metadata::{CodecMetadata, ZarrFormat};

/// A codec of a draft.
pub(in super::super) enum DraftCodec {
    /// The array-to-bytes codec, which only the draft of 2022 names.
    Endian(Endian),
    /// Any other codec. An unknown one counts as bytes-to-bytes, and has its URI as its name.
    Other(CodecMetadata, CodecKind),
}

/// Parses a codec. The member `key` has its URI.
pub(in super::super) fn codec(members: &Object<'_>, key: &str, field: &str) -> Result<DraftCodec> {
    let uri = members.require(key, Json::str)?;
    let configuration = members.read("configuration", ObjectText::of)?;
    let id = SpecUri::first_version(&uri)
        .and_then(|place| place.strip_prefix("codecs/").or_else(|| place.strip_prefix("codec/")));
    if id == Some("endian") {
        let endian = members.require("configuration", |json| json.object()?.require("endian", endian))?;
        return Ok(DraftCodec::Endian(endian));
    }
    let known = id.and_then(|id| Some((id, kind_of(id, ZarrFormat::V2)?)));
    let (name, configuration, format, kind) = match known {
        Some((id, kind)) => {
            let mut object = ObjectText::new().with("id", string(id));
            let mut given = configuration.unwrap_or_default();
            given.remove("id");
            given.members_mut().for_each(|(key, value)| object.set(key, value.as_str()));
            (id.to_owned(), Some(object.compact()), ZarrFormat::V2, kind)
        }
        None => {
            let configuration = configuration.map(|object| object.compact());
            (uri.into_owned(), configuration, ZarrFormat::V3, CodecKind::BytesToBytes)
        }
    };
    Ok(DraftCodec::Other(CodecMetadata { name, configuration, format, field: field.to_owned() }, kind))
}

fn endian(json: Json<'_>) -> Result<Endian> {
    match json.text() {
        "\"big\"" => Ok(Endian::Big),
        "\"little\"" => Ok(Endian::Little),
        _ => Err(json.unexpected("\"big\" or \"little\"")),
    }
}
