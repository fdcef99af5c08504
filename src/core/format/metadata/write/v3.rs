//! Writes `zarr.json`. <https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#metadata>

use super::codecs;
use crate::error::Result;
use crate::format::chunk_grid::{ChunkGrid, GridDimension};
use crate::format::codec::user::OptionalUserCodecs;
use crate::format::json::text::{ObjectText, list, named, string};
use crate::format::metadata::{ArrayMetadata, GroupMetadata};

/// Writes the document of a group.
pub fn group(metadata: &GroupMetadata) -> String {
    let node = ObjectText::new().with("zarr_format", "3").with("node_type", "\"group\"");
    node.with("attributes", metadata.attributes.as_str()).lines()
}

/// Writes the document of an array.
///
/// # Errors
/// `Argument` for a fill value that is not of the type, `Unsupported` for what v3 cannot express.
pub fn array(metadata: &ArrayMetadata, users: &OptionalUserCodecs) -> Result<String> {
    let codecs = codecs::chain(&metadata.codecs, &metadata.data_type, metadata.shape.len(), users);
    let mut node = ObjectText::new()
        .with("zarr_format", "3")
        .with("node_type", "\"array\"")
        .with("shape", list(&metadata.shape))
        .with("data_type", metadata.data_type.to_json_v3()?)
        .with("chunk_grid", chunk_grid(&metadata.chunk_grid))
        .with("chunk_key_encoding", metadata.chunk_key_encoding.to_text())
        .with("fill_value", metadata.fill_value.to_json_v3(&metadata.data_type)?)
        .with("codecs", list(codecs?))
        .with("attributes", metadata.attributes.as_str());
    if let Some(names) = &metadata.dimension_names {
        let names = names.iter().map(|name| name.as_deref().map_or_else(|| "null".to_owned(), string));
        node.set("dimension_names", list(names));
    }
    Ok(node.lines())
}

fn chunk_grid(grid: &ChunkGrid) -> String {
    if let Some(shape) = grid.uniform() {
        return named("regular", &ObjectText::new().with("chunk_shape", list(shape)));
    }
    let lens = grid.dimensions.iter().map(|dimension| match dimension {
        GridDimension::Regular(len) => len.to_string(),
        GridDimension::Varying(runs) => list(runs.pairs().map(|(len, count)| match count {
            1 => len.to_string(),
            _ => list([len, count]),
        })),
    });
    let configuration = ObjectText::new().with("kind", "\"inline\"").with("chunk_shapes", list(lens));
    named("rectilinear", &configuration)
}
