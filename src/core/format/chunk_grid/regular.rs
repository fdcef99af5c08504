//! The chunk grid `regular`: all chunks have the same shape.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/chunk-grids/regular-grid/>
//!
//! Array dimensions may have length zero. Chunk lengths of zero are errors, in v2 as in v3.

use super::{ChunkGrid, GridDimension};
use crate::error::{Error, Result};
use crate::format::metadata::extension::Extension;

/// Parses `{"name": "regular", "configuration": {"chunk_shape": […]}}`.
pub(super) fn parse(extension: &Extension<'_>, rank: usize) -> Result<ChunkGrid> {
    let configuration = extension.configuration()?;
    configuration
        .require("chunk_shape", |json| json.u64_list().and_then(|shape| grid(&shape, rank)))
        .map_err(|error| error.within_field("configuration"))
}

/// The grid of chunks of this shape.
pub(super) fn grid(chunk_shape: &[u64], rank: usize) -> Result<ChunkGrid> {
    if chunk_shape.len() != rank {
        return Err(Error::format("the chunk shape and the array have different numbers of dimensions")
            .expected(format!("{rank} dimensions"))
            .actual(format!("{} dimensions", chunk_shape.len())));
    }
    if let Some(idx) = chunk_shape.iter().position(|len| *len == 0) {
        let error = Error::format("a chunk must have at least one element along each dimension");
        return Err(error.in_field(format!("[{idx}]")).expected("at least 1").actual("0"));
    }
    Ok(ChunkGrid { dimensions: chunk_shape.iter().copied().map(GridDimension::Regular).collect() })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::json;

    fn parse_text(text: &str, rank: usize) -> Result<ChunkGrid> {
        json::read(text, |json| ChunkGrid::parse(&Extension::parse(json)?, &vec![1; rank]))
    }

    #[test]
    fn chunk_shapes_are_parsed() {
        let grid =
            parse_text(r#"{"name":"regular","configuration":{"chunk_shape":[18446744073709551615,2]}}"#, 2);
        assert_eq!(grid.unwrap().uniform(), Some(vec![u64::MAX, 2]));
        let scalar = parse_text(r#"{"name":"regular","configuration":{"chunk_shape":[]}}"#, 0);
        assert_eq!(scalar.unwrap().rank(), 0);
    }

    #[test]
    fn errors_name_the_field() {
        let cases = [
            (r#"{"name":"regular","configuration":{"chunk_shape":[3]}}"#, "configuration.chunk_shape"),
            (r#"{"name":"regular","configuration":{"chunk_shape":[3,0]}}"#, "configuration.chunk_shape[1]"),
            (r#"{"name":"regular","configuration":{"chunk_shape":[-3,1]}}"#, "configuration.chunk_shape[0]"),
            (r#"{"name":"regular","configuration":{"chunk_shape":[3.5,1]}}"#, "configuration.chunk_shape[0]"),
            (r#"{"name":"regular","configuration":{"chunk_shape":7}}"#, "configuration.chunk_shape"),
            (r#"{"name":"regular","configuration":{}}"#, "configuration.chunk_shape"),
            (r#"{"name":"regular"}"#, "configuration.chunk_shape"),
            (r#"{"name":"regular","configuration":[]}"#, "configuration"),
        ];
        for (text, field) in cases {
            let error = parse_text(text, 2).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format, "{text}");
            assert_eq!(error.context().field.as_deref(), Some(field), "{text}");
        }
    }

    #[test]
    fn errors_name_unknown_grids() {
        let error = parse_text(r#"{"name":"hexagonal"}"#, 2).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains("hexagonal"));
    }
}
