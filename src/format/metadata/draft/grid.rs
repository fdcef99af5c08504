//! Parses `chunk_grid` and `chunk_memory_layout` of the drafts. See "Chunk grids" and "Chunk memory
//! layouts".
//!
//! The separator of chunk keys is part of the grid. Where an array has length zero along a
//! dimension, chunks may have too.

use super::extension::{ExtensionPoint, refuse};
use crate::error::{Error, Result};
use crate::format::chunk_grid::ChunkGrid;
use crate::format::chunk_key::{ChunkKeyEncoding, Separator};
use crate::format::metadata::json::Json;

/// Parses the grid and the chunk key encoding. The draft of 2022 says that `separator` is
/// mandatory, and gives it a default.
pub(super) fn chunk_grid(json: Json<'_>, array_shape: &[u64]) -> Result<(ChunkGrid, ChunkKeyEncoding)> {
    if let Some(extension) = ExtensionPoint::parse(json)? {
        return Err(extension.unknown("chunk grid"));
    }
    let members = json.object()?;
    let kind = members.require("type", Json::str)?;
    if kind != "regular" {
        return Err(Error::unsupported(format!("unknown chunk grid {kind:?}")));
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
pub(super) fn is_fortran(json: Json<'_>) -> Result<bool> {
    match json.text() {
        "\"C\"" => Ok(false),
        "\"F\"" => Ok(true),
        _ => Err(refuse(json, "chunk memory layout", "\"C\" or \"F\"")),
    }
}
