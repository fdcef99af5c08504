//! What is known about user codecs, as the host writes it: `{"names": […], "known": [{codec,
//! configuration, dtype, shape, kind, encoded}]}`. `names` are the registered names. A codec is in
//! `known` after the host has loaded it and it has declared its kind.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::format::codec::{ChunkRepresentation, CodecKind};
use crate::format::data_type::description::Description;
use crate::format::data_type::{DataType, FillValue, name};
use crate::format::json::text::{ObjectText, list, string};
use crate::format::json::{self, Json};
use crate::format::metadata::CodecMetadata;

/// A codec at its position in a chain: the arguments of its `fromConfig`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodecSite {
    /// The name in the metadata.
    pub codec: String,
    /// The name that the user registered.
    pub registered: String,
    /// The configuration as JSON text; in v2 the whole codec object.
    pub configuration: Option<String>,
    /// The name of the data type, in zarrita's spelling.
    pub dtype: String,
    /// The data type in detail.
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

    /// The JSON text for the host, whose `CodecSite` has the same members.
    pub fn to_json(&self) -> String {
        let mut text =
            ObjectText::new().with("codec", string(&self.codec)).with("registered", string(&self.registered));
        if let Some(configuration) = &self.configuration {
            text.set("configuration", string(configuration));
        }
        text.with("dtype", string(&self.dtype))
            .with("type", self.data_type.to_json())
            .with("shape", list(&self.shape))
            .with("fillValue", list(&self.fill_value))
            .compact()
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

/// Parses the message: the registered names and the known codecs.
///
/// # Errors
/// `Argument` for another form, and the errors of data types.
pub(super) fn parse(json: &str) -> Result<(Vec<String>, Vec<RegisteredCodec>)> {
    let wrong_form = |error: Error| {
        Error::argument("the list of user codecs has the wrong form").actual(error.to_string())
    };
    let (names, known) = json::read(json, message).map_err(wrong_form)?;
    Ok((names, known.into_iter().map(KnownMessage::codec).collect::<Result<_>>()?))
}

fn message(json: Json<'_>) -> Result<(Vec<String>, Vec<KnownMessage>)> {
    let json = json.object()?;
    let names = json.require("names", |names| names.list(text))?;
    Ok((names, json.require("known", |known| known.list(KnownMessage::read))?))
}

fn text(json: Json<'_>) -> Result<String> {
    json.str().map(Cow::into_owned)
}

/// A known codec in the message. Its data types are not parsed yet.
struct KnownMessage {
    codec: RegisteredCodec,
    /// The data type after the codec as JSON text, if it differs from the one before it.
    encoded_type: Option<String>,
}

impl KnownMessage {
    fn read(json: Json<'_>) -> Result<Self> {
        let json = json.object()?;
        let kind = |kind: Json<'_>| {
            CodecKind::of_name(&kind.str()?).ok_or_else(|| kind.unexpected("a kind of codec"))
        };
        let mut encoded_type = None;
        let encoded = json.read_unless_null("encoded", |encoded| {
            let encoded = encoded.object()?;
            encoded_type = encoded.read_unless_null("dataType", text)?;
            let shape = encoded.read_unless_null("shape", Json::u64_list)?;
            let fill_value = encoded.read_unless_null("fillValue", text)?;
            Ok(EncodedChunk { data_type: None, shape, fill_value })
        })?;
        let codec = RegisteredCodec {
            codec: json.require("codec", text)?,
            configuration: json.read_unless_null("configuration", text)?,
            dtype: json.require("dtype", text)?,
            shape: json.require("shape", Json::u64_list)?,
            kind: json.require("kind", kind)?,
            encoded,
        };
        Ok(Self { codec, encoded_type })
    }
}

impl KnownMessage {
    fn codec(self) -> Result<RegisteredCodec> {
        let Self { mut codec, encoded_type } = self;
        if let (Some(text), Some(encoded)) = (encoded_type, &mut codec.encoded) {
            let parsed = json::read(&text, name::parse_json);
            encoded.data_type = Some(parsed.map_err(|error| error.in_codec(&codec.codec))?);
        }
        Ok(codec)
    }
}

impl RegisteredCodec {
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
            Some(text) => json::read(text, |json| FillValue::parse_v3(&data_type, json))?,
            None if data_type == decoded.data_type => decoded.fill_value.clone(),
            None => FillValue::zero(&data_type),
        };
        let shape = encoded.shape.clone().unwrap_or_else(|| decoded.shape.clone());
        Ok(ChunkRepresentation { shape, data_type, fill_value })
    }
}
