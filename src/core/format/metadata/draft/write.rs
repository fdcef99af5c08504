//! Writes documents of the drafts: `.array.json` and `.group.json`.
//!
//! Codecs and transformers have the URIs of their own chapters. October 2020 has types with byte
//! orders and one compressor; May 2022 has names, the codec `endian` and a list of codecs.
//! zarr-python's variant is only read.

use super::codec::uri_key;
use super::entry_point::DEFAULT_SUFFIX;
use super::{ARRAY, GROUP, fill_value};
use crate::error::{Error, Result};
use crate::format::chunk_key::Separator;
use crate::format::data_type::{DataType, Endian, Float};
use crate::format::json::text::{ObjectText, list, string};
use crate::format::metadata::chain::Unnamed;
use crate::format::metadata::document::NodeDocument;
use crate::format::metadata::write::v2_data_type::dtype;
use crate::format::metadata::{
    ArrayMetadata, CodecMetadata, Draft, GroupMetadata, StorageTransformerMetadata, ZarrFormat,
};
use crate::quoted::quoted;

/// What a document has besides the node's metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// The suffix of the names of the hierarchy's documents.
    pub metadata_key_suffix: String,
    /// The array's extensions: text of a JSON array.
    pub extensions: String,
}

impl Default for Details {
    fn default() -> Self {
        Self { metadata_key_suffix: DEFAULT_SUFFIX.to_owned(), extensions: "[]".to_owned() }
    }
}

/// Writes the document of a group.
pub fn group(metadata: &GroupMetadata, details: &Details) -> NodeDocument {
    let text = ObjectText::new().with("attributes", metadata.attributes.as_str()).lines();
    let suffix = format!("{GROUP}{}", details.metadata_key_suffix);
    NodeDocument::of(metadata.format, vec![(suffix, text)])
}

/// Writes the document of an array.
///
/// # Errors
/// `Argument` for a fill value that is not of the type. `Unsupported` for types, grids and codecs
/// that the draft does not have.
pub fn array(metadata: &ArrayMetadata, draft: Draft, details: &Details) -> Result<NodeDocument> {
    let chain = Unnamed::of(&metadata.codecs);
    let compressors = compressors(&chain)?;
    let elements = TypeWriter { draft, data_type: &metadata.data_type, endian: chain.endian };
    let mut node = ObjectText::new()
        .with("shape", list(&metadata.shape))
        .with("data_type", elements.json().map_err(|error| error.within_field("data_type"))?)
        .with("chunk_grid", chunk_grid(metadata)?)
        .with("chunk_memory_layout", if chain.fortran { "\"F\"" } else { "\"C\"" });
    match draft {
        Draft::October2020 => {
            if !metadata.storage_transformers.is_empty() {
                let error = Error::argument("the draft of 2020 has no storage transformers");
                return Err(error.in_field("storage_transformers"));
            }
            match compressors.as_slice() {
                [] => {}
                [only] => node.set("compressor", codec(only, draft)?),
                _ => {
                    let error = Error::argument("the draft of 2020 has one compressor").in_field("codecs");
                    return Err(error.actual(format!("{} codecs", compressors.len())));
                }
            }
        }
        Draft::May2022 => {
            let endian = elements.endian_codec();
            let compressors = compressors.iter().map(|it| codec(it, draft));
            let codecs = endian.into_iter().map(Ok).chain(compressors).collect::<Result<Vec<_>>>()?;
            if !codecs.is_empty() {
                node.set("codecs", list(codecs));
            }
            if !metadata.storage_transformers.is_empty() {
                node.set("storage_transformers", list(metadata.storage_transformers.iter().map(transformer)));
            }
        }
    }
    let fill = match draft {
        Draft::October2020 if metadata.fill_is_null => "null".to_owned(),
        _ => fill_value::to_json(&metadata.fill_value, &metadata.data_type, chain.endian)?,
    };
    let node = node
        .with("fill_value", fill)
        .with("extensions", details.extensions.as_str())
        .with("attributes", metadata.attributes.as_str());
    let suffix = format!("{ARRAY}{}", details.metadata_key_suffix);
    Ok(NodeDocument::of(ZarrFormat::Draft(draft), vec![(suffix, node.lines())]))
}

fn chunk_grid(metadata: &ArrayMetadata) -> Result<String> {
    let chunks = metadata.chunk_grid.uniform();
    let chunks =
        chunks.ok_or_else(|| Error::unsupported("the drafts require all chunks to have the same shape"))?;
    let separator = metadata.chunk_key_encoding.separator().unwrap_or(Separator::Slash).as_str();
    let grid = ObjectText::new()
        .with("type", "\"regular\"")
        .with("chunk_shape", list(chunks))
        .with("separator", string(separator));
    Ok(grid.compact())
}

fn transformer(transformer: &StorageTransformerMetadata) -> String {
    let mut object = ObjectText::new()
        .with("extension", string(&transformer.extension))
        .with("type", transformer.kind.as_str());
    if let Some(configuration) = &transformer.configuration {
        object.set("configuration", configuration.as_str());
    }
    object.compact()
}

/// The codecs after `bytes`: the drafts have no others.
fn compressors<'a>(chain: &Unnamed<'a>) -> Result<Vec<&'a CodecMetadata>> {
    let compressor = |(codec, is_of_bytes): &(&'a CodecMetadata, bool)| match is_of_bytes {
        true => Ok(*codec),
        false => {
            let error = Error::unsupported("the drafts have bytes-to-bytes codecs only");
            Err(error.in_codec(codec.name.as_str()))
        }
    };
    chain.others.iter().map(compressor).collect()
}

/// Writes a codec with its URI. Parameters are explicit, because zarr-python and numcodecs require
/// them.
fn codec(codec: &CodecMetadata, draft: Draft) -> Result<String> {
    let path = match draft {
        Draft::October2020 => "codec",
        Draft::May2022 => "codecs",
    };
    let is_uri = codec.name.contains("://");
    if codec.format == ZarrFormat::V3 && !is_uri {
        return Err(Error::unsupported("the drafts do not have this codec").in_codec(codec.name.as_str()));
    }
    let uri = if is_uri {
        codec.name.clone()
    } else {
        format!("https://purl.org/zarr/spec/{path}/{}/1.0", codec.name)
    };
    let parameters: &[(&str, &str)] = match codec.name.as_str() {
        "gzip" | "zlib" => &[("level", "1")],
        "blosc" => &[("cname", "\"lz4\""), ("clevel", "5"), ("shuffle", "1"), ("blocksize", "0")],
        _ => &[],
    };
    let mut configuration = codec.members()?.without("id").with_defaults(parameters);
    if codec.name == "blosc" {
        configuration.remove("typesize");
    }
    let object = ObjectText::new().with(uri_key(draft), string(&uri));
    Ok(if configuration.is_empty() { object } else { object.with("configuration", configuration.compact()) }
        .compact())
}

/// Writes a data type.
struct TypeWriter<'a> {
    draft: Draft,
    data_type: &'a DataType,
    /// `None` for a struct whose fields have different byte orders.
    endian: Option<Endian>,
}

impl TypeWriter<'_> {
    fn json(&self) -> Result<String> {
        let chapter = match self.data_type {
            DataType::Bool => return Ok("\"bool\"".to_owned()),
            DataType::Raw(_) => return Ok(string(&self.data_type.name())),
            DataType::Integer(integer) if integer.is_in_numpy() => return self.core(),
            DataType::Float(float) if float.is_in_numpy() => return self.core(),
            DataType::Complex(Float::Float32 | Float::Float64) => match self.draft {
                Draft::May2022 => return self.core(),
                Draft::October2020 => "complex",
            },
            DataType::Time(_) => "datetime",
            DataType::NullTerminatedBytes(_) | DataType::Utf32(_) => "string",
            DataType::Struct(_) => "struct",
            _ => {
                return Err(Error::unsupported(format!(
                    "the drafts have no data type {}",
                    quoted(&self.data_type.name())
                )));
            }
        };
        self.extension(chapter)
    }

    /// Writes a core type: in 2020 NumPy's letters with a byte order, which one-byte types do not
    /// have; in 2022 a name.
    fn core(&self) -> Result<String> {
        match self.draft {
            Draft::May2022 => Ok(string(&self.data_type.name())),
            Draft::October2020 => dtype(self.data_type, self.endian).map(|text| text.replace('|', "")),
        }
    }

    fn extension(&self, chapter: &str) -> Result<String> {
        let uri = match self.draft {
            Draft::October2020 => {
                format!("https://purl.org/zarr/spec/protocol/extensions/{chapter}-dtypes/1.0")
            }
            Draft::May2022 => format!("https://purl.org/zarr/spec/extensions/data-types/{chapter}/1.0"),
        };
        // Where a codec has the byte order, the type has the default one.
        let endian = if self.endian_codec().is_some() { Some(Endian::Little) } else { self.endian };
        let kind = dtype(self.data_type, endian)?;
        let kind =
            if let DataType::NullTerminatedBytes(_) = self.data_type { kind.replace('|', "") } else { kind };
        let raw = format!("r{}", self.data_type.size().unwrap_or(0).saturating_mul(8));
        let fallback = match (self.data_type, self.draft, self.endian) {
            (DataType::Time(_), Draft::May2022, _) => "int64",
            (DataType::Time(_), _, Some(Endian::Big)) => ">i8",
            (DataType::Time(_), ..) => "<i8",
            _ => &raw,
        };
        let object = ObjectText::new()
            .with("extension", string(&uri))
            .with("type", kind)
            .with("fallback", string(fallback));
        Ok(object.compact())
    }

    /// May 2022's codec `endian`, for elements that are not stored in their default byte order.
    /// Structs have the byte order of each field.
    fn endian_codec(&self) -> Option<String> {
        let is_needed = self.draft == Draft::May2022
            && self.endian == Some(Endian::Big)
            && !matches!(self.data_type, DataType::Struct(_))
            && !self.data_type.swap_runs().is_empty();
        is_needed.then(|| {
            let configuration = ObjectText::new().with("endian", "\"big\"").compact();
            ObjectText::new()
                .with("type", "\"https://purl.org/zarr/spec/codecs/endian/1.0\"")
                .with("configuration", configuration)
                .compact()
        })
    }
}
