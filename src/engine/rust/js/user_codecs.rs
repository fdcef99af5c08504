//! Codecs of the user: what is known of them, and the requests to them, which cross to JavaScript.

use std::rc::Rc;

use zarr_wasm_contract::{Names, UserArray};

use super::call::Call;
use super::worker_part::WorkerPart;
use crate::access::binding::Binding;
use crate::error::{Error, HAS_USER_CODECS, Result};
use crate::format::codec::Direction;
use crate::format::codec::registry::kind_of;
use crate::format::codec::user::{CodecCall, CodecSite, OptionalUserCodecs, UserCodecs};
use crate::format::data_type::description::Description;
use crate::format::json::text::{ObjectText, list, string};
use crate::format::metadata::ZarrFormat;
use crate::format::metadata::document::NodeDocument;

/// Parses what `src/api/codecs.ts` wrote; empty for none.
///
/// # Errors
/// Errors of [`UserCodecs::from_json`].
pub fn users_of(json: &str) -> Result<OptionalUserCodecs> {
    if json.is_empty() {
        return Ok(None);
    }
    if !HAS_USER_CODECS {
        return Err(Error::needs_full("user-defined codecs"));
    }
    Ok(Some(Rc::new(UserCodecs::from_json(json)?)))
}

/// See `codec_question` of the contract: JSON of a `CodecSite`. `None` also for invalid metadata,
/// which reading reports.
pub async fn codec_question(UserArray { document, codecs }: UserArray, _: Call) -> Result<Option<String>> {
    let binding = Binding::with_users(&NodeDocument::from_json(&document)?, users_of(&codecs)?);
    Ok(binding.ok().and_then(|binding| binding.codec_question()).map(|site| site.to_json()))
}

/// See `own_codecs` of the contract.
pub async fn own_codecs(Names { names }: Names, _: Call) -> Result<Vec<String>> {
    Ok(names.into_iter().filter(|name| is_codec(name)).collect())
}

/// Whether there is a built-in codec of this name in v3, or of this id in v2.
fn is_codec(name: &str) -> bool {
    let id = name.strip_prefix("numcodecs.").unwrap_or(name);
    kind_of(name, ZarrFormat::V3).is_some() || kind_of(id, ZarrFormat::V2).is_some()
}

/// The requests that were not handed out yet. Empty if there are none; else the length of a JSON
/// text (32-bit, little-endian), the text, and the bytes for the codecs.
///
/// # Errors
/// None that requests can cause.
pub fn write_requests(part: &mut dyn WorkerPart) -> Result<Vec<u8>> {
    if !HAS_USER_CODECS {
        return Ok(Vec::new()); // The full build decodes arrays with user-defined codecs.
    }
    let (mut sites, mut requests, mut bytes): (Vec<CodecSite>, Vec<_>, Vec<u8>) = Default::default();
    part.requests(&mut |key: &str, request: CodecCall<'_>| {
        let known = sites.iter().position(|site| site == request.site);
        let site = known.unwrap_or_else(|| {
            sites.push(request.site.clone());
            sites.len() - 1
        });
        let start = bytes.len();
        bytes.extend_from_slice(request.input);
        requests.push(message(key, &request, site, start..bytes.len()));
    });
    if requests.is_empty() {
        return Ok(Vec::new());
    }
    let sites = list(sites.iter().map(CodecSite::to_json));
    let text = ObjectText::new().with("sites", sites).with("requests", list(requests)).compact();
    let len = u32::try_from(text.len()).map_err(|_| Error::limit("too many chunks for one request"))?;
    Ok([&len.to_le_bytes(), text.as_bytes(), &bytes].concat())
}

/// The JSON text of a `CodecRequest` of `ts/codec/site.ts`, without its bytes. `range` is
/// where they are in the common buffer.
fn message(key: &str, request: &CodecCall<'_>, site: usize, range: std::ops::Range<usize>) -> String {
    let chunk = |shape: &[u64], data_type| {
        let description = Description::of(data_type).to_json();
        ObjectText::new().with("shape", list(shape)).with("type", description).compact()
    };
    let direction = match request.direction {
        Direction::Decode => "decode",
        Direction::Encode => "encode",
    };
    ObjectText::new()
        .with("id", request.id.to_string())
        .with("key", string(key))
        .with("site", site.to_string())
        .with("direction", string(direction))
        .with("kind", string(request.kind.name()))
        .with("decoded", chunk(&request.decoded.shape, &request.decoded.data_type))
        .with("encoded", chunk(&request.encoded.shape, &request.encoded.data_type))
        .with("start", range.start.to_string())
        .with("end", range.end.to_string())
        .compact()
}
