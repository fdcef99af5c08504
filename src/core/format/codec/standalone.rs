//! A single codec without an array. The registry's entries and the codecs of
//! `zarr-wasm/numcodecs` use it. Unlike a [`pipeline`](super::pipeline) it does not know the
//! decoded length of bytes.
//!
//! A description is JSON: `{name, configuration, dataType, shape, fillValue}`. `name` is the name
//! of v3 or the `id` of v2, also with the prefix `numcodecs.`. `dataType` is a data type of v3 or
//! zarrita's name of one of v2. A codec from bytes to bytes needs only its name.

use std::borrow::Cow;

use super::registry::{self, BoundCodec};
use super::user::Unbound;
use super::{ArrayBytes, ChunkRepresentation, Codec, CodecData, CodecKind, Direction, wrong_decoded_len};
use crate::builds::{Build, Builds};
use crate::error::{Error, Result, Stage};
use crate::format::data_type::description::Description;
use crate::format::data_type::{DataType, FillValue, Integer, name, typestr};
use crate::format::json::text::{ObjectText, list, string};
use crate::format::json::{self, Document, Json, Object};
use crate::format::metadata::{CodecMetadata, ZarrFormat, callers};
use crate::limits;

/// A codec that is bound to one chunk.
pub struct StandaloneCodec {
    metadata: CodecMetadata,
    decoded: ChunkRepresentation,
    codec: Codec,
    encode_error: Option<Error>,
}

impl StandaloneCodec {
    /// Finds the codec of a description and binds it.
    ///
    /// # Errors
    /// `Unsupported` for an unknown codec or data type, `Format` for a configuration that does not
    /// fit, `Limit` for a chunk that is too large.
    pub fn from_json(description: &str) -> Result<Self> {
        let document = Document::parse(description.as_bytes())?;
        let members = document.root().object()?;
        let name = members.require("name", Json::str)?;
        let configuration = members
            .read_unless_null("configuration", |json| json.object().map(|_| json.text().to_owned()))?;
        let decoded = chunk(&members, &name)?;
        let (metadata, BoundCodec { codec, encode_error }) = bind(&name, configuration, &decoded)?;
        Ok(Self { metadata, decoded, codec, encode_error })
    }

    /// The JSON text for the host, whose `CodecDescription` has the same members.
    pub fn to_json(&self) -> String {
        ObjectText::new()
            .with("kind", string(self.codec.kind().name()))
            .with("decoder", string(self.build(Direction::Decode).name()))
            .with("encoder", string(self.build(Direction::Encode).name()))
            .with("decoded", chunk_text(&self.decoded))
            .with("encoded", chunk_text(self.encoded()))
            .compact()
    }

    /// Runs the codec. Elements are packed, or offsets and bytes if their length varies
    /// ([`ArrayBytes::into_packed`]).
    ///
    /// # Errors
    /// `Format` for bytes that the codec cannot have encoded, `Argument` for elements of another
    /// length or that the codec cannot represent, `Limit` for a result above
    /// [`limits::CHUNK_BYTES`], `Unsupported` in a build without the codec.
    pub fn run(&self, direction: Direction, input: &[u8]) -> Result<Vec<u8>> {
        let add_context =
            |error: Error| error.in_stage(direction.stage()).in_codec(self.metadata.name.as_str());
        self.run_on_packed(direction, input).map_err(add_context)
    }

    fn run_on_packed(&self, direction: Direction, input: &[u8]) -> Result<Vec<u8>> {
        if let (Direction::Encode, Some(error)) = (direction, &self.encode_error) {
            return Err(error.clone());
        }
        let wrong = || Error::argument("the chunk has another number of elements than its shape");
        let elements = |chunk: &ChunkRepresentation| chunk.elements(input, wrong).map(CodecData::Array);
        let data = match (self.codec.kind(), direction) {
            (CodecKind::BytesToBytes, _) | (CodecKind::ArrayToBytes, Direction::Decode) => {
                CodecData::Bytes(input.into())
            }
            (CodecKind::ArrayToArray, Direction::Decode) => elements(self.encoded())?,
            (_, Direction::Encode) => elements(&self.decoded)?,
        };
        match (self.codec.run(direction, data)?, direction) {
            (CodecData::Array(elements), Direction::Decode) => self.checked(elements),
            (data, _) => Ok(data.into_packed()),
        }
    }

    /// The packed elements, if they are as many as the chunk has.
    fn checked(&self, elements: ArrayBytes) -> Result<Vec<u8>> {
        let count = self.decoded.element_count()?;
        let (expected, actual) = match &elements {
            ArrayBytes::Fixed(bytes) => (self.decoded.byte_len()?.unwrap_or(count), bytes.len() as u64),
            ArrayBytes::Variable(elements) => (count, elements.len() as u64),
        };
        if expected == actual { Ok(elements.into_packed()) } else { Err(wrong_decoded_len(expected, actual)) }
    }

    fn encoded(&self) -> &ChunkRepresentation {
        match &self.codec {
            Codec::ArrayToArray(codec) => codec.encoded(),
            Codec::ArrayToBytes(_) | Codec::BytesToBytes(_) => &self.decoded,
        }
    }

    /// The smallest build that can run the codec. That of images encodes nothing, but it says so.
    fn build(&self, direction: Direction) -> Build {
        let own = registry::builds_of(&self.metadata.name, self.metadata.format);
        let builds = match (&self.codec, own.unwrap_or(Builds::ALL)) {
            (Codec::ArrayToBytes(codec), Builds::ALL) => {
                codec.sharding().map_or(Builds::ALL, super::sharding::Sharding::builds)
            }
            (_, builds) => builds,
        };
        match (direction, builds.first()) {
            (Direction::Encode, Build::Engine) => Build::Full,
            (_, build) => build,
        }
    }
}

/// Binds the codec by its name in v3, or else by its `id` in v2: the configurations of some codecs
/// differ. A configuration that can encode is preferred to one that can only decode.
fn bind(
    name: &str,
    configuration: Option<String>,
    decoded: &ChunkRepresentation,
) -> Result<(CodecMetadata, BoundCodec)> {
    let mut first = None;
    let id = name.strip_prefix("numcodecs.").unwrap_or(name);
    for (name, format) in [(name, ZarrFormat::V3), (id, ZarrFormat::V2)] {
        if registry::kind_of(name, format).is_none() {
            continue;
        }
        let field = "configuration".to_owned();
        let configuration = configuration.clone();
        let metadata = CodecMetadata { name: name.to_owned(), configuration, format, field };
        let bound = registry::bind_with(&metadata, decoded, &None).map_err(Unbound::into_error);
        let bound = bound.map(|bound| (metadata, bound));
        match (&bound, &first) {
            (Ok((_, BoundCodec { encode_error: None, .. })), _) => return bound,
            (Ok(_), Some(Err(_))) | (_, None) => first = Some(bound),
            _ => {}
        }
    }
    // Without a codec of this name, the lookup returns its error.
    first.unwrap_or_else(|| Err(registry::lookup(name, ZarrFormat::V3).err().unwrap_or_else(unknown)))
}

fn unknown() -> Error {
    Error::unsupported("unknown codec").in_stage(Stage::CodecName)
}

/// The decoded chunk of a description. Without a shape the chunk is empty.
fn chunk(members: &Object<'_>, codec: &str) -> Result<ChunkRepresentation> {
    let data_type = members.read_unless_null("dataType", |json| match ragged(members, json, codec)? {
        Some(ragged) => Ok(ragged),
        None => data_type(json, codec),
    })?;
    let data_type = data_type.unwrap_or(DataType::Integer(Integer::Uint8));
    let shape = members.read_unless_null("shape", Json::u64_list)?.unwrap_or_default();
    limits::within(shape.len() as u64, limits::DIMENSIONS as u64, "the number of dimensions")?;
    let fill_value = members.read_unless_null("fillValue", |json| FillValue::parse_v3(&data_type, json))?;
    let fill_value = fill_value.unwrap_or_else(|| FillValue::zero(&data_type));
    let chunk = ChunkRepresentation { shape, data_type, fill_value };
    limits::within(chunk.byte_len()?.unwrap_or(chunk.element_count()?), limits::CHUNK_BYTES, "chunk")?;
    Ok(chunk)
}

/// The data type of v2's objects that `vlen-array` encodes: its configuration names the elements.
fn ragged(members: &Object<'_>, data_type: Json<'_>, codec: &str) -> Result<Option<DataType>> {
    if !codec.ends_with("vlen-array") || data_type.str().ok().as_deref() != Some(name::OBJECTS) {
        return Ok(None);
    }
    let inner = members.read_unless_null("configuration", |configuration| {
        configuration.object()?.read("dtype", |dtype| typestr::parse(&dtype.str()?))
    })?;
    Ok(inner.flatten().map(|(inner, _)| DataType::VariableArray(Box::new(inner))))
}

fn data_type(json: Json<'_>, codec: &str) -> Result<DataType> {
    let own = callers::own_type(json, &[codec.to_owned()]);
    let text = own.map_or(Cow::Borrowed(json.text()), Cow::Owned);
    json::read(&text, name::parse_json)
}

fn chunk_text(chunk: &ChunkRepresentation) -> String {
    let data_type = Description::of(&chunk.data_type).to_json();
    ObjectText::new().with("shape", list(&chunk.shape)).with("type", data_type).compact()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn run(description: &str, direction: Direction, input: &[u8]) -> Result<Vec<u8>> {
        StandaloneCodec::from_json(description)?.run(direction, input)
    }

    /// `zlib.compress(b"zarr" * 3)` of Python.
    const ZLIB: &[u8] = &[120, 156, 171, 74, 44, 42, 170, 130, 98, 0, 34, 35, 5, 62];

    #[test]
    fn bytes_of_unknown_length_are_decoded() {
        for name in ["zlib", "numcodecs.zlib"] {
            let description = format!(r#"{{"name": "{name}"}}"#);
            assert_eq!(run(&description, Direction::Decode, ZLIB).unwrap(), b"zarrzarrzarr");
        }
    }

    #[test]
    fn configurations_of_v2_and_v3_are_taken() {
        for configuration in [
            r#"{"cname": "zstd", "clevel": 1, "shuffle": 1, "blocksize": 0}"#,
            r#"{"cname": "zstd", "clevel": 1, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}"#,
        ] {
            let description = format!(r#"{{"name": "blosc", "configuration": {configuration}}}"#);
            let frame = run(&description, Direction::Encode, &[7; 100]).unwrap();
            assert_eq!(run(&description, Direction::Decode, &frame).unwrap(), [7; 100]);
        }
    }

    #[test]
    fn a_transposition_moves_elements() {
        let description = r#"{"name": "transpose", "configuration": {"order": [1, 0]},
            "dataType": "uint8", "shape": [2, 3]}"#;
        assert_eq!(run(description, Direction::Encode, &[1, 2, 3, 4, 5, 6]).unwrap(), [1, 4, 2, 5, 3, 6]);
        assert_eq!(run(description, Direction::Decode, &[1, 4, 2, 5, 3, 6]).unwrap(), [1, 2, 3, 4, 5, 6]);
        let text = StandaloneCodec::from_json(description).unwrap().to_json();
        assert!(text.contains(r#""encoded":{"shape":[3,2]"#), "{text}");
    }

    #[test]
    fn elements_of_another_number_are_refused() {
        let bytes = r#"{"name": "bytes", "dataType": "uint8", "shape": [3]}"#;
        assert_eq!(run(bytes, Direction::Decode, &[1, 2]).unwrap_err().kind(), ErrorKind::Format);
        assert_eq!(run(bytes, Direction::Encode, &[1, 2]).unwrap_err().kind(), ErrorKind::Argument);
        let text = r#"{"name": "vlen-utf8", "dataType": "string", "shape": [1]}"#;
        assert_eq!(run(text, Direction::Decode, &[2, 0, 0, 0]).unwrap_err().kind(), ErrorKind::Format);
    }

    #[test]
    fn hostile_sizes_are_refused_before_memory_is_taken() {
        let size = r#"{"name": "bytes", "dataType": "uint8", "shape": [4294967296, 4294967295]}"#;
        assert_eq!(StandaloneCodec::from_json(size).err().unwrap().kind(), ErrorKind::Limit);
        // An LZ4 header that promises 4 GiB.
        let bomb = [255, 255, 255, 255, 0];
        let error = run(r#"{"name": "lz4"}"#, Direction::Decode, &bomb).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit | ErrorKind::Format), "{error}");
    }

    #[test]
    fn unknown_names_are_refused() {
        let error = StandaloneCodec::from_json(r#"{"name": "nobody's"}"#).err().unwrap();
        assert_eq!((error.kind(), error.context().stage), (ErrorKind::Unsupported, Some(Stage::CodecName)));
    }
}
