//! The options of a user for a new array. Types may have v3 or NumPy names. Codecs may be names or
//! objects, in v2 also numcodecs objects.

use super::option_values::{codecs, format, index_location, uneven};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::format::chunk_key::Separator;
use crate::format::codec::user::OptionalUserCodecs;
use crate::format::data_type::{DataType, Endian, FillValue, name, structure, typestr};
use crate::format::json::{self, Document, Json};
use crate::format::metadata::{ArrayMetadata, ZarrFormat, attributes, v2, v3};

/// Whether chunks are put in shards, and in which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Shards {
    /// Shards in v3, where the user has chosen neither chunks nor codecs and there would be very
    /// many objects.
    #[default]
    Automatic,
    /// No shards.
    None,
    /// Shards of this shape, which is a multiple of the chunks'.
    Shape(Vec<u64>),
}

/// The options of a new array.
#[derive(Clone, Debug)]
pub struct ArrayOptions {
    /// The Zarr format.
    pub format: ZarrFormat,
    /// The shape of the array.
    pub shape: Vec<u64>,
    /// The data type as JSON: a v3 name, an object with one, or a NumPy type string. Empty for that
    /// of `like`.
    pub data_type: String,
    /// The chunk shape, of inner chunks where there are shards. Chosen when absent.
    pub chunk_shape: Option<Vec<u64>>,
    /// The chunk lengths of a rectilinear grid as JSON: a list for each dimension, with lengths or
    /// [length, count] pairs. Only for v3 without shards.
    pub chunk_lengths: Option<String>,
    /// Whether chunks are put in shards.
    pub shards: Shards,
    /// The codecs as JSON, in encoding order. Chosen when absent. The array-to-bytes codec may be
    /// left out.
    pub codecs: Option<Vec<String>>,
    /// The fill value as JSON. When absent, it is null in v2 and zero in other formats. `null`
    /// counts as absent in formats without it.
    pub fill_value: Option<String>,
    /// The fill value as one packed element. It wins over `fill_value`.
    pub packed_fill: Option<FillValue>,
    /// Where a shard's index is, `"start"` or `"end"`. The end when absent.
    pub index_location: Option<String>,
    /// An array to copy the type and the fill value from. Its chunks and codecs are copied too,
    /// where the user has chosen none and the Zarr format is the same.
    pub like: Option<Box<ArrayMetadata>>,
    /// The chunk key encoding as JSON. Only for v3.
    pub chunk_key_encoding: Option<String>,
    /// The separator between the indices of a chunk key.
    pub separator: Option<Separator>,
    /// Whether the first dimension is the fastest within a chunk: v2's order `F`.
    pub fortran_order: bool,
    /// The names of the dimensions.
    pub dimension_names: Option<Vec<Option<String>>>,
    /// The attributes: text of a JSON object.
    pub attributes: String,
    /// Whether the attributes are those of `like`, as its writer wrote them.
    pub keeps_attributes: bool,
    /// The storage transformers as JSON, from the array to the store. Only for the draft of 2022.
    pub storage_transformers: Vec<String>,
    /// The array's extensions as a JSON array. Only for the drafts.
    pub extensions: Option<String>,
    /// The user's codecs that `codecs` may name.
    pub users: OptionalUserCodecs,
}

impl ArrayOptions {
    /// Options with this shape and data type (JSON), and defaults for the rest.
    pub fn new(format: ZarrFormat, shape: &[u64], data_type: &str) -> Self {
        Self {
            format,
            shape: shape.to_vec(),
            data_type: data_type.to_owned(),
            chunk_shape: None,
            chunk_lengths: None,
            shards: Shards::Automatic,
            codecs: None,
            fill_value: None,
            packed_fill: None,
            index_location: None,
            like: None,
            chunk_key_encoding: None,
            separator: None,
            fortran_order: false,
            dimension_names: None,
            attributes: attributes::NONE.to_owned(),
            keeps_attributes: false,
            storage_transformers: Vec::new(),
            extensions: None,
            users: None,
        }
    }

    /// Parses options from a JSON object. Its members are `zarr_format`, `shape`, `data_type`,
    /// `chunk_shape`, `shard_shape` (`null` for none), `codecs` (or v2's `filters` and
    /// `compressor`), `fill_value`, `chunk_key_encoding`, `separator`, `order`, `index_location`,
    /// `dimension_names`, `attributes`, and for the drafts `storage_transformers` and `extensions`.
    /// `shape` and `data_type` are mandatory. `zarr_format` is a number or the name of a format.
    ///
    /// # Errors
    /// `Argument`, with the member that is missing, unknown or invalid.
    pub fn from_json(text: &str) -> Result<Self> {
        Self::like(text, None)
    }

    /// As [`from_json`](Self::from_json). Members that are missing are copied from another array.
    ///
    /// # Errors
    /// `Argument`, with the member that is missing, unknown or invalid.
    pub fn like(text: &str, like: Option<&ArrayMetadata>) -> Result<Self> {
        json::read(text, |json| Self::read(json, like)).map_err(as_argument)
    }

    fn read(json: Json<'_>, like: Option<&ArrayMetadata>) -> Result<Self> {
        let members = json.object()?;
        let known = [
            "zarr_format",
            "shape",
            "data_type",
            "chunk_shape",
            "shard_shape",
            "codecs",
            "filters",
            "compressor",
            "index_location",
            "fill_value",
            "chunk_key_encoding",
            "separator",
            "order",
            "dimension_names",
            "attributes",
            "storage_transformers",
            "extensions",
        ];
        if let Some((key, _)) = members.iter().find(|(key, _)| !known.contains(&key.as_ref())) {
            return Err(Error::argument("this option of an array does not exist").in_field(key.as_ref()));
        }
        let text = |json: Json<'_>| Ok(json.text().to_owned());
        let shape = match (members.read("shape", v3::shape)?, like) {
            (Some(shape), _) => shape,
            (None, Some(like)) => like.shape.clone(),
            (None, None) => members.require("shape", v3::shape)?,
        };
        let rank = shape.len();
        let data_type = match like {
            Some(_) => members.read("data_type", text)?.unwrap_or_default(),
            None => members.require("data_type", text)?,
        };
        let names = members.read("dimension_names", |json| attributes::dimension_names(json, rank))?;
        let of_like = || like.map_or_else(|| attributes::NONE.to_owned(), |like| like.attributes.clone());
        let shards = members.read("shard_shape", |json| match json.is_null() {
            true => Ok(Shards::None),
            false => json.u64_list().map(Shards::Shape),
        });
        Ok(Self {
            format: members.read("zarr_format", format)?.unwrap_or(ZarrFormat::V3),
            shape,
            data_type,
            chunk_shape: members
                .read("chunk_shape", |json| {
                    uneven(json).map_or_else(|| json.u64_list().map(Some), |_| Ok(None))
                })?
                .flatten(),
            chunk_lengths: members.read("chunk_shape", |json| Ok(uneven(json)))?.flatten(),
            shards: shards?.unwrap_or_default(),
            codecs: codecs(&members)?,
            fill_value: members.read("fill_value", text)?,
            packed_fill: None,
            index_location: members.read("index_location", index_location)?,
            like: like.cloned().map(Box::new),
            chunk_key_encoding: members.read("chunk_key_encoding", text)?,
            separator: members.read("separator", |json| Separator::parse(&json.str()?))?,
            fortran_order: members.read("order", v2::is_fortran)?.unwrap_or(false),
            dimension_names: names.or_else(|| like.and_then(|like| like.dimension_names.clone())),
            attributes: members
                .read("attributes", |json| Ok(json.original_text().into_owned()))?
                .unwrap_or_else(of_like),
            keeps_attributes: like.is_some() && members.get("attributes").is_none(),
            storage_transformers: members
                .read("storage_transformers", |json| json.list(text))?
                .unwrap_or_default(),
            extensions: members.read("extensions", text)?,
            users: None,
        })
    }

    /// Parses the data type. The byte order is `None` for a struct whose fields have different
    /// ones.
    pub(super) fn data_type(&self) -> Result<(DataType, Option<Endian>)> {
        if let (true, Some(like)) = (self.data_type.is_empty(), &self.like) {
            return Ok((like.data_type.clone(), Some(Endian::Little)));
        }
        let document = Document::parse(self.data_type.as_bytes())?;
        let json = document.root();
        match json.str() {
            // zarrita's names for v2's objects and strings.
            Ok(text) if text == "v2:object" => Ok((DataType::Json, Some(Endian::Little))),
            Ok(text) if text.starts_with("v2:") => {
                let code = text.replacen("v2:", "<", 1);
                typestr::parse(&code).map(|(data_type, endian)| (data_type, Some(endian)))
            }
            Ok(text) if text == "|O" => Ok((DataType::String, Some(Endian::Little))),
            Ok(text) if text.starts_with(['<', '>', '|']) => {
                typestr::parse(&text).map(|(data_type, endian)| (data_type, Some(endian)))
            }
            _ if json.kind_name() == "an array" => structure::parse_v2(json),
            _ => name::parse_json(json).map(|data_type| (data_type, Some(Endian::Little))),
        }
    }
}

/// Parses a data type from JSON: a v3 name, an object with one, or a NumPy type string or list of
/// fields.
///
/// # Errors
/// `Argument` and `Unsupported` for anything else.
pub fn data_type_of(text: &str) -> Result<DataType> {
    let options = ArrayOptions::new(ZarrFormat::V3, &[], text);
    let parsed = options.data_type().map(|(data_type, _)| data_type);
    parsed.map_err(|error| as_argument(error.within_field("data_type")).in_stage(Stage::Metadata))
}

/// Turns a `Format` error of parsing into an `Argument` error: here the text is the caller's.
pub(super) fn as_argument(error: Error) -> Error {
    if error.kind() == ErrorKind::Format { error.into_argument() } else { error }
}
