//! What is known about user codecs, as `ts/codec/bind.ts` writes it: `{"names": […], "known":
//! [{codec, configuration, dtype, shape, kind, encoded}]}`. `names` are the registered names. A
//! codec is in `known` after its JavaScript module was loaded and has declared its kind.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::format::codec::{ChunkRepresentation, CodecKind};
use crate::format::data_type::description::Description;
use crate::format::data_type::{DataType, FillValue, name};
use crate::format::metadata::CodecMetadata;
use crate::format::metadata::extension::Extension;
use crate::format::metadata::json::Document;

/// A codec at its position in a chain: the arguments of its `fromConfig`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CodecSite {
    /// The name in the metadata.
    pub codec: String,
    /// The name that the user registered.
    pub registered: String,
    /// The configuration as JSON text; in v2 the whole codec object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configuration: Option<String>,
    /// The name of the data type, in zarrita's spelling.
    pub dtype: String,
    /// The data type in detail.
    #[serde(rename = "type")]
    pub data_type: Description,
    /// The shape of the chunk.
    pub shape: Vec<u64>,
    /// The fill value as one packed element.
    pub fill_value: Vec<u8>,
}

impl CodecSite {
    /// Describes a codec that sees the chunk `decoded`.
    ///
    /// # Errors
    /// `Limit` for a chunk whose length in bytes does not fit 64 bits.
    pub(super) fn new(
        registered: &str,
        codec: &CodecMetadata,
        decoded: &ChunkRepresentation,
    ) -> Result<Self> {
        decoded.byte_len()?;
        Ok(Self {
            codec: codec.name.clone(),
            registered: registered.to_owned(),
            configuration: codec.configuration.clone(),
            dtype: decoded.data_type.zarrita_name(codec.format).into_owned(),
            data_type: Description::of(&decoded.data_type),
            shape: decoded.shape.clone(),
            fill_value: decoded.fill_value.0.clone(),
        })
    }
}

/// A user codec that has declared its kind.
#[derive(Debug)]
pub struct RegisteredCodec {
    codec: String,
    configuration: Option<String>,
    dtype: String,
    shape: Vec<u64>,
    pub(super) kind: CodecKind,
    encoded: Option<EncodedChunk>,
}

/// The chunk after an array → array codec, as far as it differs.
#[derive(Debug)]
struct EncodedChunk {
    data_type: Option<DataType>,
    shape: Option<Vec<u64>>,
    /// The fill value as JSON text.
    fill_value: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    names: Vec<String>,
    known: Vec<KnownMessage>,
}

#[derive(Deserialize)]
struct KnownMessage {
    codec: String,
    configuration: Option<String>,
    dtype: String,
    shape: Vec<u64>,
    kind: KindMessage,
    encoded: Option<EncodedMessage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum KindMessage {
    ArrayToArray,
    ArrayToBytes,
    BytesToBytes,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EncodedMessage {
    /// The data type as JSON text, if it differs from the decoded one.
    data_type: Option<String>,
    /// The shape, if it differs from the decoded one.
    shape: Option<Vec<u64>>,
    fill_value: Option<String>,
}

/// Parses the message: the registered names and the known codecs.
///
/// # Errors
/// `Argument` for another form, and the errors of data types.
pub(super) fn parse(json: &str) -> Result<(Vec<String>, Vec<RegisteredCodec>)> {
    let message: Message = serde_json::from_str(json).map_err(|error| {
        Error::argument("the list of user codecs has the wrong form").actual(error.to_string())
    })?;
    let known = message.known.into_iter().map(RegisteredCodec::new).collect::<Result<_>>()?;
    Ok((message.names, known))
}

impl RegisteredCodec {
    fn new(message: KnownMessage) -> Result<Self> {
        let kind = match message.kind {
            KindMessage::ArrayToArray => CodecKind::ArrayToArray,
            KindMessage::ArrayToBytes => CodecKind::ArrayToBytes,
            KindMessage::BytesToBytes => CodecKind::BytesToBytes,
        };
        let KnownMessage { codec, configuration, dtype, shape, .. } = message;
        let encoded = message.encoded.map(|encoded| EncodedChunk::new(encoded, &codec)).transpose()?;
        Ok(Self { codec, configuration, dtype, shape, kind, encoded })
    }

    /// Whether it is this codec with this configuration, at any position.
    pub(super) fn is_of(&self, codec: &CodecMetadata) -> bool {
        let said = |configuration: &Option<String>| configuration.clone().unwrap_or_else(|| "{}".to_owned());
        self.is_named(codec) && said(&self.configuration) == said(&codec.configuration)
    }

    /// Whether it has this name, with any configuration.
    pub(super) fn is_named(&self, codec: &CodecMetadata) -> bool {
        self.codec == codec.name
    }

    /// Whether it applies to this position: the data type must match, and the shape too if the
    /// codec changes shapes.
    pub(super) fn is_at(&self, codec: &CodecMetadata, site: &CodecSite) -> bool {
        let reshapes = self.encoded.as_ref().is_some_and(|encoded| encoded.shape.is_some());
        self.is_of(codec) && self.dtype == site.dtype && (!reshapes || self.shape == site.shape)
    }

    /// The chunk as the next codec sees it.
    pub(super) fn encoded(&self, decoded: &ChunkRepresentation) -> Result<ChunkRepresentation> {
        let Some(encoded) = &self.encoded else { return Ok(decoded.clone()) };
        let data_type = encoded.data_type.clone().unwrap_or_else(|| decoded.data_type.clone());
        let fill_value = match &encoded.fill_value {
            Some(json) => {
                let document = Document::parse(json.as_bytes())?;
                FillValue::parse_v3(&data_type, document.root())?
            }
            None if data_type == decoded.data_type => decoded.fill_value.clone(),
            None => FillValue::zero(&data_type),
        };
        let shape = encoded.shape.clone().unwrap_or_else(|| decoded.shape.clone());
        Ok(ChunkRepresentation { shape, data_type, fill_value })
    }
}

impl EncodedChunk {
    fn new(message: EncodedMessage, codec: &str) -> Result<Self> {
        let EncodedMessage { data_type, shape, fill_value } = message;
        let parse = |json: String| {
            let document = Document::parse(json.as_bytes())?;
            let parsed = Extension::parse(document.root()).and_then(|extension| name::parse(&extension));
            parsed.map_err(|error| error.in_codec(codec))
        };
        Ok(Self { data_type: data_type.map(parse).transpose()?, shape, fill_value })
    }
}
