//! The chunk grid `rectilinear`: the chunks along a dimension may have different lengths.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/chunk-grids/rectilinear>
//!
//! It also reads `rectangular` (ZEP 3, as zarrs wrote it) and `zarrs.regular_bounded` (chunks of
//! one length, the last one cut at the array's end). Chunks of equal length are stored as runs, so
//! that `[1, 1000000000]` takes a few bytes of memory.

use std::ops::Range;

use super::{ChunkGrid, GridDimension};
use crate::error::{Error, Result};
use crate::format::json::Json;
use crate::format::metadata::extension::Extension;
use crate::limits;

/// The chunks of one dimension, as runs of chunks of equal length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkRuns {
    runs: Vec<ChunkRun>,
    /// The number of elements of all chunks.
    len: u64,
    /// The number of chunks.
    count: u64,
}

/// Consecutive chunks of the same length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ChunkRun {
    chunk_len: u64,
    count: u64,
    /// The index of the first element.
    start: u64,
    /// The index of the first chunk.
    first: u64,
}

impl ChunkRuns {
    /// Makes runs of (length, count) pairs.
    ///
    /// # Errors
    /// `Format` for a length or a count of zero, `Limit` where the lengths add up to 2^64 or more.
    fn new(pairs: &[(u64, u64)]) -> Result<Self> {
        let mut all = Self { runs: Vec::new(), len: 0, count: 0 };
        for &(chunk_len, count) in pairs {
            if chunk_len == 0 || count == 0 {
                return Err(Error::format("a chunk must have at least one element along each dimension"));
            }
            let (start, first) = (all.len, all.count);
            all.len =
                chunk_len.checked_mul(count).and_then(|len| len.checked_add(start)).ok_or_else(too_long)?;
            all.count = first.checked_add(count).ok_or_else(too_long)?;
            limits::reserve(&mut all.runs, 1, "chunk lengths")?;
            all.runs.push(ChunkRun { chunk_len, count, start, first });
        }
        Ok(all)
    }

    /// The number of chunks that cover this many elements.
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "`new` has checked the number of chunks, each of which has an element"
    )]
    pub(super) fn chunk_count(&self, array_len: u64) -> u64 {
        if array_len == 0 { 0 } else { self.chunk_of(array_len - 1) + 1 }
    }

    /// The chunk that contains the element at this index. Past the end, the number of chunks.
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "`new` has checked the ends of all runs: no run is of empty chunks"
    )]
    pub(super) fn chunk_of(&self, idx: u64) -> u64 {
        match self
            .runs
            .partition_point(|run| run.start <= idx)
            .checked_sub(1)
            .and_then(|at| self.runs.get(at))
        {
            Some(run) => run.first + ((idx - run.start) / run.chunk_len).min(run.count),
            None => 0,
        }
    }

    /// The indices of a chunk's elements. Empty past the last chunk.
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "`new` has checked the ends of all runs, and the run holds the chunk"
    )]
    pub(super) fn chunk_extent(&self, chunk: u64) -> Range<u64> {
        match self.run_of(chunk) {
            Some(run) => {
                let start = run.start + (chunk - run.first) * run.chunk_len;
                start..start + run.chunk_len
            }
            None => self.len..self.len,
        }
    }

    /// The length of a chunk. `None` past the last chunk.
    pub(super) fn chunk_len(&self, chunk: u64) -> Option<u64> {
        self.run_of(chunk).map(|run| run.chunk_len)
    }

    /// The length of the shortest chunk.
    pub(super) fn shortest_chunk(&self) -> u64 {
        self.runs.iter().map(|run| run.chunk_len).min().unwrap_or(0)
    }

    /// The (length, count) pair of each run.
    pub fn pairs(&self) -> impl Iterator<Item = (u64, u64)> {
        self.runs.iter().map(|run| (run.chunk_len, run.count))
    }

    fn run_of(&self, chunk: u64) -> Option<&ChunkRun> {
        let at = self.runs.partition_point(|run| run.first <= chunk).checked_sub(1)?;
        self.runs.get(at).filter(|run| chunk.wrapping_sub(run.first) < run.count)
    }
}

/// Parses `{"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": […]}}`.
pub(super) fn parse(extension: &Extension<'_>, shape: &[u64]) -> Result<ChunkGrid> {
    let configuration = extension.configuration()?;
    let within = |error: Error| error.within_field("configuration");
    let kind = configuration.require("kind", Json::str).map_err(within)?;
    if kind != "inline" {
        let error = Error::unsupported("unknown kind of rectilinear chunk grid").in_field("kind");
        return Err(within(error.expected("inline").actual(kind)));
    }
    configuration.require("chunk_shapes", |json| dimensions(json, shape)).map_err(within)
}

/// Parses `{"name": "rectangular", "configuration": {"chunk_shape": […]}}`.
pub(super) fn parse_rectangular(extension: &Extension<'_>, shape: &[u64]) -> Result<ChunkGrid> {
    let configuration = extension.configuration()?;
    let grid = configuration.require("chunk_shape", |json| dimensions(json, shape));
    grid.map_err(|error| error.within_field("configuration"))
}

/// Parses `{"name": "zarrs.regular_bounded", "configuration": {"chunk_shape": […]}}`.
pub(super) fn parse_bounded(extension: &Extension<'_>, shape: &[u64]) -> Result<ChunkGrid> {
    let configuration = extension.configuration()?;
    let grid = configuration.require("chunk_shape", |json| {
        let lens = json.u64_list()?;
        check_rank(lens.len(), shape.len())?;
        let mut dimensions = Vec::with_capacity(lens.len());
        for (len, array) in lens.iter().zip(shape) {
            dimensions.push(bounded(*len, *array)?);
        }
        Ok(dimensions)
    });
    let dimensions = grid.map_err(|error| error.within_field("configuration"))?;
    Ok(ChunkGrid { dimensions })
}

fn bounded(len: u64, array_len: u64) -> Result<GridDimension> {
    let rest = array_len.checked_rem(len).unwrap_or(0);
    if rest == 0 {
        return match len {
            0 => ChunkRuns::new(&[(0, 1)]).map(GridDimension::Varying),
            _ => Ok(GridDimension::Regular(len)),
        };
    }
    let runs = match array_len.checked_div(len).unwrap_or(0) {
        0 => ChunkRuns::new(&[(rest, 1)]),
        whole => ChunkRuns::new(&[(len, whole), (rest, 1)]),
    };
    runs.map(GridDimension::Varying)
}

fn dimensions(json: Json<'_>, shape: &[u64]) -> Result<ChunkGrid> {
    let lists = json.array()?;
    check_rank(lists.len(), shape.len())?;
    let mut dimensions = Vec::with_capacity(lists.len());
    for (idx, (json, len)) in lists.iter().zip(shape).enumerate() {
        dimensions.push(dimension(*json, *len).map_err(|error| error.in_element(idx))?);
    }
    Ok(ChunkGrid { dimensions })
}

fn dimension(json: Json<'_>, array_len: u64) -> Result<GridDimension> {
    if json.kind_name() == "a number" {
        return match json.u64()? {
            0 => Err(json.unexpected("at least 1")),
            len => Ok(GridDimension::Regular(len)),
        };
    }
    let pairs = json.list(|entry| match entry.kind_name() {
        "a number" => Ok((entry.u64()?, 1)),
        _ => match entry.u64_list()?.as_slice() {
            [len, count] => Ok((*len, *count)),
            _ => Err(entry.unexpected("a length, or [length, count]")),
        },
    })?;
    let runs = ChunkRuns::new(&pairs)?;
    if runs.len < array_len {
        return Err(Error::format("the chunks do not cover the array")
            .expected(format!("at least {array_len} elements"))
            .actual(runs.len.to_string()));
    }
    Ok(GridDimension::Varying(runs))
}

fn check_rank(actual: usize, expected: usize) -> Result<()> {
    if actual == expected {
        return Ok(());
    }
    Err(Error::format("the chunk shapes and the array have different numbers of dimensions")
        .expected(format!("{expected} dimensions"))
        .actual(format!("{actual} dimensions")))
}

fn too_long() -> Error {
    Error::limit("the chunks of a dimension have too many elements for 64 bits")
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::json;

    fn parse_text(text: &str, shape: &[u64]) -> Result<ChunkGrid> {
        json::read(text, |json| ChunkGrid::parse(&Extension::parse(json)?, shape))
    }

    fn inline(shapes: &str, shape: &[u64]) -> Result<ChunkGrid> {
        let configuration = format!(r#"{{"kind":"inline","chunk_shapes":{shapes}}}"#);
        parse_text(&format!(r#"{{"name":"rectilinear","configuration":{configuration}}}"#), shape)
    }

    #[test]
    fn runs_and_single_lengths_are_combined() {
        let grid = inline("[[3, [2, 2], 5], 4]", &[11, 10]).unwrap();
        assert_eq!(grid.grid_shape(&[11, 10]), [4, 3]);
        let rows = &grid.dimensions[0];
        let extents: Vec<_> = (0..4).map(|chunk| rows.chunk_extent(chunk)).collect();
        assert_eq!(extents, [0..3, 3..5, 5..7, 7..12]);
        let chunks: Vec<u64> = [0, 2, 3, 4, 5, 7, 11].iter().map(|idx| rows.chunk_of(*idx)).collect();
        assert_eq!(chunks, [0, 0, 1, 1, 2, 3, 3]);
        assert_eq!(grid.chunk_shape(&[3, 2]), Some(vec![5, 4]));
        assert_eq!(grid.chunk_shape(&[4, 0]), None);
        assert!(!grid.is_uniform());
    }

    #[test]
    fn a_billion_chunks_are_one_run() {
        let grid = inline("[[[1, 1000000000]]]", &[1_000_000_000]).unwrap();
        assert_eq!(grid.dimensions[0].chunk_of(999_999_999), 999_999_999);
        assert_eq!(grid.grid_shape(&[1_000_000_000]), [1_000_000_000]);
    }

    #[test]
    fn chunks_that_do_not_cover_the_array_are_refused() {
        for (shapes, shape) in [("[[3, 4]]", 8), ("[[0, 8]]", 8), ("[[[4, 0], 8]]", 8), ("[0]", 8), ("[]", 8)]
        {
            let error = inline(shapes, &[shape]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format, "{shapes}");
            assert!(error.context().field.as_deref().unwrap().starts_with("configuration.chunk_shapes"));
        }
        assert_eq!(inline("[[[18446744073709551615, 2]]]", &[1]).unwrap_err().kind(), ErrorKind::Limit);
    }

    #[test]
    fn older_spellings_are_read() {
        let rectangular = r#"{"name":"rectangular","configuration":{"chunk_shape":[[3,2],4]}}"#;
        assert_eq!(parse_text(rectangular, &[5, 8]).unwrap(), inline("[[3,2],4]", &[5, 8]).unwrap());
        let bounded = r#"{"name":"zarrs.regular_bounded","configuration":{"chunk_shape":[4,4]}}"#;
        let grid = parse_text(bounded, &[10, 8]).unwrap();
        assert_eq!(grid.chunk_shape(&[2, 1]), Some(vec![2, 4]));
        assert_eq!(grid.chunk_shape(&[1, 0]), Some(vec![4, 4]));
    }
}
