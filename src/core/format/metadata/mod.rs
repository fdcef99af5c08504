//! Metadata documents: the descriptions of the nodes of a hierarchy.
//!
//! Parsing turns every Zarr format into the terms of v3, so that the rest of the crate knows one
//! format: [`v3`] parses it, [`v2`] and the historic v3 drafts ([`draft`]) are translated.
//! [`json`](super::json) reads numbers exactly and accepts the non-standard JSON that Python
//! writes.
//!
//! A [`document::NodeDocument`] has the texts of one node as they are in a store; [`consolidated`]
//! finds the documents of many nodes in one text. Codec names stay as written. They are looked up
//! when the array is first read, so that an array with an unknown codec can still be listed and
//! described.

mod attributes;
pub(in crate::format) mod callers;
mod chain;
pub mod codec;
pub mod consolidated;
pub mod document;
pub mod document_kind;
pub mod draft;
pub mod extension;
mod incomplete;
pub mod large;
pub mod lossless;
pub mod sketch;
mod split;
pub mod v2;
pub mod v3;
pub mod write;

use crate::format::chunk_grid::ChunkGrid;
use crate::format::chunk_key::ChunkKeyEncoding;
use crate::format::data_type::{DataType, FillValue};
use crate::format::tolerated::Form;
use crate::quoted::quoted;

/// The version of the Zarr specification that a document follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ZarrFormat {
    /// `.zarray`, `.zgroup`, `.zattrs`.
    V2,
    /// `zarr.json`, `"zarr_format": 3`.
    V3,
    /// A historic draft of v3.
    Draft(Draft),
}

/// One of the two historic drafts of v3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Draft {
    /// October 2020: `…/protocol/core/3.0`, including what zarr-python 2.13 to 2.18 wrote under its
    /// name.
    October2020,
    /// May 2022: `…/core/3.0`.
    May2022,
}

impl ZarrFormat {
    /// All formats.
    pub const ALL: [Self; 4] =
        [Self::V2, Self::V3, Self::Draft(Draft::October2020), Self::Draft(Draft::May2022)];

    /// The number in `zarr_format`. The drafts have URIs there; they count as 3.
    pub fn version(self) -> u8 {
        match self {
            Self::V2 => 2,
            Self::V3 | Self::Draft(_) => 3,
        }
    }

    /// The format in the contract.
    pub fn dialect(self) -> Dialect {
        match self {
            Self::V2 => Dialect::V2,
            Self::V3 => Dialect::V3,
            Self::Draft(Draft::October2020) => Dialect::Draft2020,
            Self::Draft(Draft::May2022) => Dialect::Draft2022,
        }
    }

    /// The name that users see.
    pub fn name(self) -> &'static str {
        self.dialect().name()
    }

    /// The format with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// The name of a format, and the kind of a node.
pub use zarr_wasm_contract::{Dialect, NodeKind};

/// The metadata of an array or of a group.
#[derive(Clone, Debug)]
pub enum NodeMetadata {
    /// An array.
    Array(Box<ArrayMetadata>),
    /// A group.
    Group(GroupMetadata),
}

impl NodeMetadata {
    /// The kind of the node.
    pub fn kind(&self) -> NodeKind {
        match self {
            Self::Array(_) => NodeKind::Array,
            Self::Group(_) => NodeKind::Group,
        }
    }
}

/// The metadata of an array in the terms of v3, whatever its Zarr format.
#[derive(Clone, Debug)]
pub struct ArrayMetadata {
    /// The Zarr format of its documents.
    pub format: ZarrFormat,
    /// The shape of the array.
    pub shape: Vec<u64>,
    /// The data type of the elements.
    pub data_type: DataType,
    /// The chunk grid: of shards, where there are shards.
    pub chunk_grid: ChunkGrid,
    /// The chunk key encoding.
    pub chunk_key_encoding: ChunkKeyEncoding,
    /// The fill value: the element of missing chunks.
    pub fill_value: FillValue,
    /// Whether the document's fill value is `null`, which means "undefined". `fill_value` is then
    /// zero, or NaT for times.
    pub fill_is_null: bool,
    /// The codec chain in encoding order. For v2 it includes the `transpose` and `bytes` codecs
    /// that `order` and the byte order mean.
    pub codecs: Vec<CodecMetadata>,
    /// User attributes: the text of a JSON object as written. It may have the tokens `NaN` and
    /// `Infinity`, which are not JSON.
    pub attributes: String,
    /// The names of dimensions, `None` for a dimension without a name. They come from v3's
    /// `dimension_names`, or else from xarray's `_ARRAY_DIMENSIONS`.
    pub dimension_names: Option<Vec<Option<String>>>,
    /// The storage transformers between the chunks and the store (drafts only), from the array to
    /// the store.
    pub storage_transformers: Vec<StorageTransformerMetadata>,
    /// The unknown data type for which `data_type` is the fallback (drafts only).
    pub fallback: Option<DataTypeFallback>,
    /// Warnings: what was read although it does not follow the specification.
    pub warnings: Vec<String>,
}

/// A storage transformer as in a draft's metadata. It is not looked up yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageTransformerMetadata {
    /// The URI of its specification.
    pub extension: String,
    /// The transformer's type in that specification: JSON text, a string in all known
    /// specifications.
    pub kind: String,
    /// The text of the configuration object. `None` where there is none.
    pub configuration: Option<String>,
    /// The field of the document, for errors: `storage_transformers[0]`.
    pub field: String,
}

/// The fallback of an unknown data type of an extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataTypeFallback {
    /// The URI of the extension.
    pub extension: String,
    /// The data type in that extension: JSON text.
    pub data_type: String,
    /// The name of the data type that is used instead, as in the metadata.
    pub used: String,
}

impl DataTypeFallback {
    /// The warning. The draft: "Silently using a fallback without explicit approval might cause
    /// problems for users."
    pub fn warning(&self) -> String {
        Form::DraftFallback.warning(self.description())
    }

    /// Names the unknown type and its fallback.
    pub fn description(&self) -> String {
        let Self { extension, data_type, used } = self;
        let unknown = format!("the data type {data_type} of the extension {} is unknown", quoted(extension));
        format!("{unknown}, and its fallback is {used}")
    }
}

/// A codec as in the metadata. It is not looked up yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodecMetadata {
    /// The v3 name or the v2 `id`.
    pub name: String,
    /// The text of the configuration object (v2: of the whole codec object). `None` where there is
    /// none.
    pub configuration: Option<String>,
    /// The Zarr format of the name and of the configuration.
    pub format: ZarrFormat,
    /// The field of the document, for errors: `codecs[1]`, `compressor`, `filters[0]`.
    pub field: String,
}

/// The metadata of a group.
#[derive(Clone, Debug)]
pub struct GroupMetadata {
    /// The Zarr format of its documents.
    pub format: ZarrFormat,
    /// User attributes: the text of a JSON object as written. It may have the tokens `NaN` and
    /// `Infinity`, which are not JSON.
    pub attributes: String,
    /// Warnings: what was read although it does not follow the specification.
    pub warnings: Vec<String>,
}
