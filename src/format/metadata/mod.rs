//! Metadata documents: what a hierarchy says of its nodes.
//!
//! Every dialect is turned into the words of the final v3 text on entry, so that everything behind this module knows one
//! format: [`v3`] parses it, [`v2`] and the historic drafts of v3 ([`draft`]) translate. [`json`] reads numbers exactly and tolerates what Python writes.
//! A [`document::NodeDocument`] is what was found in a store, as text; [`consolidated`] finds many in one.
//! Codec names are kept as written: they are resolved when the array is first read, so that an array with an unknown
//! codec can still be listed and described.

mod attributes;
pub(in crate::format) mod callers;
mod chain;
pub mod codec;
pub mod consolidated;
pub mod document;
pub mod draft;
mod draft_2020;
mod draft_2022;
pub mod extension;
mod incomplete;
pub mod json;
pub mod large;
pub mod marked;
pub mod sketch;
mod split;
pub mod v2;
pub mod v3;
pub mod write;

use crate::format::chunk_grid::ChunkGrid;
use crate::format::chunk_key::ChunkKeyEncoding;
use crate::format::data_type::{DataType, FillValue};
use crate::format::tolerated::Form;

/// Which text a document follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ZarrFormat {
    /// `.zarray`, `.zgroup`, `.zattrs`.
    V2,
    /// `zarr.json`, `"zarr_format": 3`.
    V3,
    /// A historic draft of v3.
    Draft(Draft),
}

/// Which of the two historic drafts of v3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Draft {
    /// Of October 2020: `…/protocol/core/3.0`; with what zarr-python 2.13 to 2.18 made of it.
    October2020,
    /// Of May 2022: `…/core/3.0`.
    May2022,
}

impl ZarrFormat {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::V2, Self::V3, Self::Draft(Draft::October2020), Self::Draft(Draft::May2022)];

    /// The number, as `zarr_format` has it; of the drafts, which have URIs there, that of the format they are drafts of.
    pub fn version(self) -> u8 {
        match self {
            Self::V2 => 2,
            Self::V3 | Self::Draft(_) => 3,
        }
    }

    /// As users name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::V2 => "v2",
            Self::V3 => "v3",
            Self::Draft(Draft::October2020) => "v3-draft-2020-10",
            Self::Draft(Draft::May2022) => "v3-draft-2022-05",
        }
    }

    /// The format that users name so.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// An array.
    Array,
    /// A group that has metadata.
    Group,
    /// A group that is only known by what it holds.
    ImplicitGroup,
}

impl NodeKind {
    /// For messages, and for JavaScript.
    pub fn name(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Group => "group",
            Self::ImplicitGroup => "implicit-group",
        }
    }
}

/// A node: an array or a group.
#[derive(Clone, Debug)]
pub enum NodeMetadata {
    /// An array.
    Array(Box<ArrayMetadata>),
    /// A group.
    Group(GroupMetadata),
}

impl NodeMetadata {
    /// Which of the two.
    pub fn kind(&self) -> NodeKind {
        match self {
            Self::Array(_) => NodeKind::Array,
            Self::Group(_) => NodeKind::Group,
        }
    }
}

/// What is known of an array, in v3's words whatever its dialect.
#[derive(Clone, Debug)]
pub struct ArrayMetadata {
    /// The dialect it was written in.
    pub format: ZarrFormat,
    /// Elements along each dimension.
    pub shape: Vec<u64>,
    /// What one element is.
    pub data_type: DataType,
    /// How the array is cut into chunks (shards, where there are any).
    pub chunk_grid: ChunkGrid,
    /// How chunks are named.
    pub chunk_key_encoding: ChunkKeyEncoding,
    /// What elements of missing chunks are.
    pub fill_value: FillValue,
    /// Whether the document has `null` in its place, "undefined": `fill_value` is zero then.
    pub fill_is_null: bool,
    /// The codec chain in encoding order; for v2 with the `transpose` and `bytes` codecs that its `order` and byte order mean.
    pub codecs: Vec<CodecMetadata>,
    /// User attributes: the JSON text of an object, as written: bare `NaN` and `Infinity` tokens occur (see [`tree`]).
    pub attributes: String,
    /// Names of dimensions, `None` for an unnamed one; v3's `dimension_names`, else xarray's `_ARRAY_DIMENSIONS`.
    pub dimension_names: Option<Vec<Option<String>>>,
    /// What stands between the chunks and the store (drafts only), from the array towards the store.
    pub storage_transformers: Vec<StorageTransformerMetadata>,
    /// The data type that `data_type` stands for, where nobody here knows it (drafts only).
    pub fallback: Option<DataTypeFallback>,
    /// What was read although it bends the rules.
    pub warnings: Vec<String>,
}

/// A storage transformer as the metadata of a draft names it, not yet looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageTransformerMetadata {
    /// The URI of its specification.
    pub extension: String,
    /// Which of that specification's: JSON text, a string in all that are known.
    pub kind: String,
    /// JSON text of the configuration object; `None` where there is none.
    pub configuration: Option<String>,
    /// Where it stands in the document, for errors: `storage_transformers[0]`.
    pub field: String,
}

/// What is read instead of a data type of an extension that nobody here knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataTypeFallback {
    /// The URI of the extension.
    pub extension: String,
    /// Which of its data types: JSON text.
    pub data_type: String,
    /// The name of the data type that is used instead, as the metadata has it.
    pub used: String,
}

impl DataTypeFallback {
    /// "Silently using a fallback without explicit approval might cause problems for users."
    pub fn warning(&self) -> String {
        Form::DraftFallback.warning(self.description())
    }

    /// What is not known, and what stands for it.
    pub fn description(&self) -> String {
        let Self { extension, data_type, used } = self;
        let unknown = format!("the data type {data_type} of the extension {extension:?} is not known here");
        format!("{unknown}, and its fallback is {used}")
    }
}

/// A codec as the metadata names it, not yet looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodecMetadata {
    /// v3 name, or v2 `id`.
    pub name: String,
    /// JSON text of the configuration object (v2: the whole codec object); `None` where there is none.
    pub configuration: Option<String>,
    /// Which names and which spelling of the configuration are meant.
    pub format: ZarrFormat,
    /// Where it stands in the document, for errors: `codecs[1]`, `compressor`, `filters[0]`.
    pub field: String,
}

/// What is known of a group.
#[derive(Clone, Debug)]
pub struct GroupMetadata {
    /// The dialect it was written in.
    pub format: ZarrFormat,
    /// User attributes: the JSON text of an object, as written: bare `NaN` and `Infinity` tokens occur (see [`tree`]).
    pub attributes: String,
    /// What was read although it bends the rules.
    pub warnings: Vec<String>,
}
