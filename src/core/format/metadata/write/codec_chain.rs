//! The codec chain of a new array: the codecs that the user chose, and defaults for the rest.

use super::codecs;
use super::option_values::V2_COMPRESSOR;
use super::options::ArrayOptions;
use crate::error::{Error, Result};
use crate::format::codec::kind::{CodecKind, index_of_bytes};
use crate::format::codec::registry;
use crate::format::codec::user::OptionalUserCodecs;
use crate::format::data_type::{DataType, Endian};
use crate::format::json::text::{ObjectText, list};
use crate::format::json::{self, Document};
use crate::format::metadata::chain::ChainBuilder;
use crate::format::metadata::{CodecMetadata, Draft, ZarrFormat, codec, draft};

/// The checksums among the codecs of v2.
const V2_CHECKSUMS: [&str; 5] = ["adler32", "crc32", "crc32c", "fletcher32", "jenkins_lookup3"];

/// The choices that a codec chain depends on.
pub(super) struct NewChain<'a> {
    pub options: &'a ArrayOptions,
    pub data_type: &'a DataType,
    /// `None` for a struct whose fields have different byte orders.
    pub endian: Option<Endian>,
}

impl NewChain<'_> {
    /// The chain for v3. `inner` is the shape of the inner chunks where the array has shards.
    pub fn v3(&self, inner: Option<&[u64]>) -> Result<Vec<CodecMetadata>> {
        let mut chain = match &self.options.codecs {
            Some(codecs) => codecs.iter().map(|text| parse_v3(text)).collect::<Result<Vec<_>>>()?,
            None => vec![CodecMetadata::v3("zstd")],
        };
        let kinds: Vec<_> = chain.iter().map(|codec| self.kind_or_filter(codec)).collect();
        if let Some(index) = index_of_bytes(&kinds) {
            chain.insert(index, self.array_to_bytes());
        }
        if self.options.fortran_order {
            chain.insert(0, CodecMetadata::reversal(self.options.shape.len()));
        }
        if let Some(inner) = inner {
            let inner_chain =
                codecs::chain(&chain, self.data_type, self.options.shape.len(), &self.options.users)?;
            let configuration = ObjectText::new()
                .with("chunk_shape", list(inner))
                .with("codecs", list(inner_chain))
                .with("index_codecs", codec::list_text(&codec::of_index()))
                .with("index_location", self.options.index_location.as_deref().unwrap_or("\"end\""));
            chain = vec![CodecMetadata::v3("sharding_indexed").with(&configuration)];
        }
        chain.iter_mut().enumerate().for_each(|(idx, codec)| codec.field = format!("codecs[{idx}]"));
        Ok(chain)
    }

    /// The kind of a codec. `None` where it is unknown, also for a user's codec that is not loaded
    /// yet.
    fn kind_of(&self, codec: &CodecMetadata) -> Option<CodecKind> {
        let user = self.options.users.as_ref().and_then(|users| users.kind_of(codec));
        user.or_else(|| registry::kind_of(&codec.name, codec.format))
    }

    /// The kind; an unknown codec counts as a filter.
    fn kind_or_filter(&self, codec: &CodecMetadata) -> CodecKind {
        self.kind_of(codec).unwrap_or(CodecKind::ArrayToArray)
    }

    fn array_to_bytes(&self) -> CodecMetadata {
        match self.data_type {
            DataType::String => CodecMetadata::v3("vlen-utf8"),
            DataType::Bytes => CodecMetadata::v3("vlen-bytes"),
            _ => CodecMetadata::bytes(self.endian),
        }
    }

    /// The chain for v2 in the terms of v3, as parsing its document would give it.
    pub fn v2(&self) -> Result<Vec<CodecMetadata>> {
        let mut chain = ChainBuilder::new(self.endian, "dtype");
        if self.options.fortran_order && self.options.shape.len() > 1 {
            chain.reverse_dimensions(self.options.shape.len(), "order");
        }
        let zstd = vec![V2_COMPRESSOR.to_owned()];
        let users = &self.options.users;
        let given = self.options.codecs.as_ref().unwrap_or(&zstd).iter().map(|text| parse_v2(text, users));
        let mut given = given.collect::<Result<Vec<_>>>()?;
        given.retain(|codec| codec.name != "bytes");
        let is_bytes = |codec: &CodecMetadata| self.kind_of(codec) == Some(CodecKind::ArrayToBytes);
        if !given.iter().any(is_bytes)
            && let Some(id) = object_codec(self.data_type)
        {
            given.insert(0, CodecMetadata::numcodecs(id, ObjectText::new()));
        }
        // zarr-python 2 gives a compressor the array, which its checksums take in one dimension
        // only. A filter gets bytes.
        let may_compress = |codec: &CodecMetadata| {
            self.kind_of(codec) == Some(CodecKind::BytesToBytes)
                && !V2_CHECKSUMS.contains(&codec.name.as_str())
        };
        let compressor = given.pop_if(|last| may_compress(last));
        for (idx, filter) in given.into_iter().enumerate() {
            let kind = self.kind_or_filter(&filter);
            chain.push(filter.at(format!("filters[{idx}]")), kind);
        }
        if let Some(compressor) = compressor {
            chain.push(compressor.at("compressor"), CodecKind::BytesToBytes);
        }
        Ok(chain.finish())
    }

    /// The chain for a draft in the terms of v3, as parsing its document would give it.
    pub fn draft(&self, draft: Draft) -> Result<Vec<CodecMetadata>> {
        let gzip = vec![r#"{"id":"gzip","level":1}"#.to_owned()];
        let given = self.options.codecs.as_ref().unwrap_or(&gzip).iter().map(|text| parse_draft(text));
        let mut given = given.collect::<Result<Vec<_>>>()?;
        let at = given.iter().position(|codec| codec.name == "bytes");
        let bytes = at.map_or_else(|| CodecMetadata::bytes(self.endian), |at| given.remove(at));
        let mut chain = Vec::new();
        if self.options.fortran_order && self.options.shape.len() > 1 {
            chain.push(CodecMetadata::reversal(self.options.shape.len()).at("chunk_memory_layout"));
        }
        chain.push(bytes.at("data_type"));
        for (idx, codec) in given.into_iter().enumerate() {
            let kind = registry::kind_of(&codec.name, codec.format);
            if at.is_some_and(|at| at > idx) || kind.is_some_and(|kind| kind != CodecKind::BytesToBytes) {
                let error = Error::argument("the drafts have bytes-to-bytes codecs only").in_field("codecs");
                return Err(error.in_codec(codec.name.as_str()));
            }
            let field = match draft {
                Draft::October2020 => "compressor".to_owned(),
                Draft::May2022 => format!("codecs[{idx}]"),
            };
            chain.push(codec.at(field));
        }
        Ok(chain)
    }
}

/// The object codec with which v2 stores elements of this type.
fn object_codec(data_type: &DataType) -> Option<&'static str> {
    match data_type {
        DataType::String => Some("vlen-utf8"),
        DataType::Bytes => Some("vlen-bytes"),
        DataType::Json => Some("json2"),
        _ => None,
    }
}

fn parse_v3(text: &str) -> Result<CodecMetadata> {
    json::read(text, codec::parse).map_err(|error| error.within_field("codecs"))
}

/// Parses a numcodecs object, or a v3 codec that numcodecs has in another form. A user's codec has
/// its name as its id.
fn parse_v2(text: &str, users: &OptionalUserCodecs) -> Result<CodecMetadata> {
    let document = Document::parse(text.as_bytes())?;
    let id = document.root().object().ok().and_then(|object| object.get("id")?.str().ok());
    if let Some(id) = id {
        return Ok(of_numcodecs(&id, ObjectText::of(document.root())?));
    }
    let codec = parse_v3(text)?;
    if codec.name == "bytes" {
        return Ok(codec);
    }
    let id = if users.as_ref().is_some_and(|users| users.has(&codec)) {
        codec.name.strip_prefix("numcodecs.").unwrap_or(&codec.name)
    } else {
        let entry = registry::lookup(&codec.name, ZarrFormat::V3)?;
        entry.v2_ids.first().ok_or_else(|| {
            let error = Error::argument("this v3 codec has no v2 form").in_codec(codec.name.as_str());
            error.in_field("codecs")
        })?
    };
    let mut members = codec.members()?;
    members.members_mut().for_each(|(key, value)| *value = numcodecs_spelling(key, value));
    Ok(of_numcodecs(id, members))
}

/// A codec with every member that numcodecs writes, with its default: zarrs requires them all.
fn of_numcodecs(id: &str, members: ObjectText) -> CodecMetadata {
    let defaults: &[(&str, &str)] = match id {
        "blosc" => &[("cname", "\"lz4\""), ("clevel", "5"), ("shuffle", "1"), ("blocksize", "0")],
        "zstd" => &[("level", "0")],
        "gzip" | "zlib" | "bz2" => &[("level", "1")],
        _ => &[],
    };
    CodecMetadata::numcodecs(id, members.with_defaults(defaults))
}

/// Parses a numcodecs object, a v3 codec, or a draft's codec with a URI. `endian` becomes `bytes`.
fn parse_draft(text: &str) -> Result<CodecMetadata> {
    let document = Document::parse(text.as_bytes())?;
    let members = document.root().object();
    for key in ["type", "codec"] {
        if let Ok(members) = &members
            && members.get(key).is_some()
        {
            let parsed = draft::codec(members, key, "codecs");
            return parsed.map(|(codec, _)| codec).map_err(|error| error.within_field("codecs"));
        }
    }
    let codec = match members {
        Ok(members) if members.get("id").is_some() => return parse_v2(text, &None),
        _ => parse_v3(text)?,
    };
    // `endian` was the name of `bytes` in the drafts.
    if codec.name == "endian" {
        return Ok(CodecMetadata { name: "bytes".to_owned(), ..codec });
    }
    parse_v2(text, &None)
}

/// Writes a value as numcodecs has it: blosc's shuffle is a word in v3 and a number in numcodecs.
fn numcodecs_spelling(key: &str, value: &str) -> String {
    let number = match (key, value) {
        ("shuffle", "\"noshuffle\"") => "0",
        ("shuffle", "\"shuffle\"") => "1",
        ("shuffle", "\"bitshuffle\"") => "2",
        _ => value,
    };
    number.to_owned()
}
