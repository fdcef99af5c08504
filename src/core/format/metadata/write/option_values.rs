//! Parses option values with special forms. See [`options`](super::options).

use crate::error::Result;
use crate::format::json::{Json, Object};
use crate::format::metadata::ZarrFormat;

/// The default compressor of v2.
pub(super) const V2_COMPRESSOR: &str = r#"{"id":"zstd","level":0}"#;

pub(super) fn format(json: Json<'_>) -> Result<ZarrFormat> {
    match json.text() {
        "2" => Ok(ZarrFormat::V2),
        "3" => Ok(ZarrFormat::V3),
        _ => {
            let named = json.str().ok().and_then(|name| ZarrFormat::of_name(&name));
            named.ok_or_else(|| json.unexpected("2, 3, \"v3-draft-2020-10\" or \"v3-draft-2022-05\""))
        }
    }
}

/// The text of a chunk shape with a list of lengths for some dimension. `None` for other chunk
/// shapes.
pub(super) fn uneven(json: Json<'_>) -> Option<String> {
    let is_uneven = json.array().is_ok_and(|list| list.iter().any(|entry| entry.kind_name() == "an array"));
    is_uneven.then(|| json.text().to_owned())
}

/// Parses `codecs`, or v2's `filters` and `compressor`.
pub(super) fn codecs(members: &Object<'_>) -> Result<Option<Vec<String>>> {
    let text = |json: Json<'_>| Ok(json.text().to_owned());
    let list = |json: Json<'_>| if json.is_null() { Ok(Vec::new()) } else { json.list(text) };
    if let Some(codecs) = members.read("codecs", list)? {
        return Ok(Some(codecs));
    }
    let compressor = members.read("compressor", text)?;
    let Some(filters) = members.read("filters", list)? else {
        return Ok(
            compressor.map(|compressor| if compressor == "null" { Vec::new() } else { vec![compressor] })
        );
    };
    let compressor = compressor.unwrap_or_else(|| V2_COMPRESSOR.to_owned());
    Ok(Some(filters.into_iter().chain((compressor != "null").then_some(compressor)).collect()))
}

pub(super) fn index_location(json: Json<'_>) -> Result<String> {
    match json.text() {
        "\"start\"" | "\"end\"" => Ok(json.text().to_owned()),
        _ => Err(json.unexpected("\"start\" or \"end\"")),
    }
}
