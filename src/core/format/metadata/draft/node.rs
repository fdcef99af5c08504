//! Parses the documents of arrays and groups. See "Array metadata", "Group metadata", "Chunk grids"
//! and "Chunk memory layouts" in both drafts.
//!
//! Other names are "reserved for future versions" in October 2020, which promise to be compatible:
//! they are ignored. May 2022: "The array metadata object must not contain any other names. […] An
//! implementation must fail to open zarr hierarchies, groups or arrays with unknown metadata
//! fields."
//!
//! The separator of chunk keys is part of the grid. Where an array has length zero along a
//! dimension, chunks may have too.

use super::codec;
use super::data_type::{self, DraftType};
use super::extension::{self, ExtensionPoint, refuse};
use super::fill_value::FillValueParser;
use crate::error::{Error, Result};
use crate::format::chunk_grid::ChunkGrid;
use crate::format::chunk_key::{ChunkKeyEncoding, Separator};
use crate::format::json::{Document, Json, Object};
use crate::format::metadata::chain::ChainBuilder;
use crate::format::metadata::{
    ArrayMetadata, DataTypeFallback, Draft, GroupMetadata, ZarrFormat, attributes, v2, v3,
};
use crate::quoted::quoted;

/// The names that May 2022 allows in the document of an array.
const ARRAY_FIELDS: [&str; 9] = [
    "shape",
    "data_type",
    "chunk_grid",
    "chunk_memory_layout",
    "fill_value",
    "extensions",
    "attributes",
    "codecs",
    "storage_transformers",
];

/// Parses the document of an array.
pub(super) fn array(draft: Draft, text: &[u8]) -> Result<ArrayMetadata> {
    let document = Document::parse(text)?;
    let members = document.root().object()?;
    refuse_unknown(draft, &members, &ARRAY_FIELDS)?;
    let filters = codec::filters(draft, &members);
    let shape = members.require("shape", v3::shape)?;
    let rank = shape.len();
    let of_elements = members.require("data_type", |json| data_type::parse(json, draft, &filters))?;
    let DraftType { data_type, endian, fallback } = of_elements;
    let (chunk_grid, chunk_key_encoding) = members.require("chunk_grid", |json| chunk_grid(json, &shape))?;
    members.require("extensions", extension::check_list)?;
    let mut warnings: Vec<String> = fallback.iter().map(DataTypeFallback::warning).collect();
    let elements = FillValueParser { draft, data_type: &data_type, endian, is_fallback: fallback.is_some() };
    let fill_value = members.require("fill_value", |json| elements.parse(json, &mut warnings))?;
    let attributes = members.require("attributes", Ok)?;
    let dimension_names = match attributes.object() {
        Ok(attributes) => attributes::xarray_dimension_names(&attributes, rank, &mut warnings),
        Err(error) => return Err(error.in_field("attributes")),
    };
    let mut chain = ChainBuilder::new(endian, "data_type");
    if members.require("chunk_memory_layout", is_fortran)? && rank > 1 {
        chain.reverse_dimensions(rank, "chunk_memory_layout");
    }
    codec::append(&mut chain, draft, &members, &filters)?;
    Ok(ArrayMetadata {
        format: ZarrFormat::Draft(draft),
        chunk_grid,
        chunk_key_encoding,
        fill_value,
        fill_is_null: members.get("fill_value").is_some_and(Json::is_null),
        codecs: chain.finish(),
        attributes: attributes::text(attributes)?,
        dimension_names,
        storage_transformers: members
            .read("storage_transformers", extension::storage_transformers)?
            .unwrap_or_default(),
        shape,
        data_type,
        fallback,
        warnings,
    })
}

/// Parses the document of a group.
pub(super) fn group(draft: Draft, text: &[u8]) -> Result<GroupMetadata> {
    let document = Document::parse(text)?;
    let members = document.root().object()?;
    refuse_unknown(draft, &members, &["attributes"])?;
    Ok(group_of(draft, members.require("attributes", attributes::text)?))
}

/// The metadata of a group without a document.
pub(super) fn implicit_group(draft: Draft) -> GroupMetadata {
    group_of(draft, attributes::NONE.to_owned())
}

fn group_of(draft: Draft, attributes: String) -> GroupMetadata {
    GroupMetadata { format: ZarrFormat::Draft(draft), attributes, warnings: Vec::new() }
}

/// Applies the rule of May 2022 for other names.
fn refuse_unknown(draft: Draft, members: &Object<'_>, known: &[&str]) -> Result<()> {
    match members.iter().find(|(key, _)| !known.contains(&key.as_ref())) {
        Some((key, _)) if draft == Draft::May2022 => {
            let message = format!("the metadata has a field that the draft of 2022 forbids: {}", quoted(key));
            Err(Error::unsupported(message).in_field(key.as_ref()))
        }
        _ => Ok(()),
    }
}

/// Parses the grid and the chunk key encoding. The draft of 2022 says that `separator` is
/// mandatory, and gives it a default.
fn chunk_grid(json: Json<'_>, array_shape: &[u64]) -> Result<(ChunkGrid, ChunkKeyEncoding)> {
    if let Some(extension) = ExtensionPoint::parse(json)? {
        return Err(extension.unknown("chunk grid"));
    }
    let members = json.object()?;
    let kind = members.require("type", Json::str)?;
    if kind != "regular" {
        return Err(Error::unsupported(format!("unknown chunk grid {}", quoted(&kind))));
    }
    let grid = members.require("chunk_shape", |json| regular(&json.u64_list()?, array_shape))?;
    let separator = members.read("separator", |json| Separator::parse(&json.str()?))?;
    Ok((grid, ChunkKeyEncoding::Draft { separator: separator.unwrap_or(Separator::Slash) }))
}

/// "The chunk shape elements are non-zero when the corresponding dimensions of the arrays are of
/// non-zero length."
fn regular(chunk_shape: &[u64], array_shape: &[u64]) -> Result<ChunkGrid> {
    let mut chunk_shape = chunk_shape.to_vec();
    for (len, array_len) in chunk_shape.iter_mut().zip(array_shape) {
        if *array_len == 0 {
            *len = (*len).max(1);
        }
    }
    ChunkGrid::regular(&chunk_shape, array_shape.len())
}

/// Whether the first dimension is the fastest within a chunk.
fn is_fortran(json: Json<'_>) -> Result<bool> {
    v2::is_fortran(json).map_err(|_| refuse(json, "chunk memory layout", "\"C\" or \"F\""))
}
