//! Chunk grids: how an array is divided into chunks.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/chunk-grids/index.html>
//!
//! Every known grid is the product of its dimensions, so a grid is a list of [`GridDimension`]s.
//! Chunks may extend past the array's end; edge chunks have their full size.

mod rectilinear;
mod regular;

use std::num::NonZeroU64;
use std::ops::Range;

use crate::error::{Error, Result};
use crate::format::metadata::extension::Extension;
use crate::quoted::quoted;
pub use rectilinear::ChunkRuns;

/// The division of an array into chunks. Its questions take constant time for each dimension that
/// is regular, and log r for one of r runs of chunks of one length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkGrid {
    /// One entry for each dimension of the array.
    pub dimensions: Vec<GridDimension>,
}

/// The division of one dimension. A clone of a varying one copies its runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GridDimension {
    /// All chunks have this length, which is not zero.
    Regular(u64),
    /// The chunks have different lengths.
    Varying(ChunkRuns),
}

impl ChunkGrid {
    /// Parses v3's `chunk_grid`, for an array of this shape.
    ///
    /// # Errors
    /// `Unsupported` for an unknown name. `Format` for another number of dimensions, for chunk
    /// lengths of zero, and for chunks that do not cover the array.
    pub fn parse(extension: &Extension<'_>, array_shape: &[u64]) -> Result<Self> {
        match extension.name.as_ref() {
            "regular" => regular::parse(extension, array_shape.len()),
            "rectilinear" => rectilinear::parse(extension, array_shape),
            "rectangular" => rectilinear::parse_rectangular(extension, array_shape),
            "zarrs.regular_bounded" => rectilinear::parse_bounded(extension, array_shape),
            name => Err(Error::unsupported(format!("unknown chunk grid {}", quoted(name)))),
        }
    }

    /// A grid of chunks of one shape, for an array of `rank` dimensions.
    ///
    /// # Errors
    /// `Format` for another number of dimensions, and for lengths of zero.
    pub fn regular(chunk_shape: &[u64], rank: usize) -> Result<Self> {
        regular::grid(chunk_shape, rank)
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.dimensions.len()
    }

    /// The number of chunks along each dimension of an array of this shape.
    pub fn grid_shape(&self, array_shape: &[u64]) -> Vec<u64> {
        let mut shape = Vec::with_capacity(array_shape.len());
        for (dimension, len) in self.dimensions.iter().zip(array_shape) {
            shape.push(dimension.chunk_count(*len));
        }
        shape
    }

    /// The shape of an array of whole chunks, which covers this one.
    pub fn padded_shape(&self, array_shape: &[u64]) -> Vec<u64> {
        let mut shape = Vec::with_capacity(array_shape.len());
        for (dimension, len) in self.dimensions.iter().zip(array_shape) {
            let last = dimension.chunk_count(*len).checked_sub(1);
            shape.push(last.map_or(*len, |last| dimension.chunk_extent(last).end.max(*len)));
        }
        shape
    }

    /// The shape of the chunk at these indices of the grid. `None` for indices that no chunk can
    /// have.
    pub fn chunk_shape(&self, chunk: &[u64]) -> Option<Vec<u64>> {
        if chunk.len() != self.rank() {
            return None;
        }
        let mut shape = Vec::with_capacity(chunk.len());
        for (dimension, idx) in self.dimensions.iter().zip(chunk) {
            shape.push(dimension.chunk_len(*idx)?);
        }
        Some(shape)
    }

    /// The shape of all chunks. `None` where they differ.
    pub fn uniform(&self) -> Option<Vec<u64>> {
        self.is_uniform().then(|| self.first_chunk_shape())
    }

    /// Whether all chunks have the same shape.
    pub fn is_uniform(&self) -> bool {
        self.dimensions.iter().all(GridDimension::is_regular)
    }

    /// The shape of the chunk at the origin.
    pub fn first_chunk_shape(&self) -> Vec<u64> {
        let mut shape = Vec::with_capacity(self.rank());
        for dimension in &self.dimensions {
            shape.push(dimension.chunk_len(0).unwrap_or(0));
        }
        shape
    }
}

impl GridDimension {
    /// Whether all chunks have the same length.
    pub fn is_regular(&self) -> bool {
        match self {
            Self::Regular(_) => true,
            Self::Varying(_) => false,
        }
    }

    /// The length of the shortest chunk.
    pub fn shortest_chunk(&self) -> u64 {
        match self {
            Self::Regular(len) => *len,
            Self::Varying(runs) => runs.shortest_chunk(),
        }
    }

    /// The number of chunks that cover `array_len` elements.
    pub fn chunk_count(&self, array_len: u64) -> u64 {
        match self {
            Self::Regular(len) => array_len.div_ceil(*len),
            Self::Varying(runs) => runs.chunk_count(array_len),
        }
    }

    /// The chunk that contains the element at this index.
    #[allow(clippy::arithmetic_side_effects, reason = "a regular grid has chunks of at least one element")]
    pub fn chunk_of(&self, idx: u64) -> u64 {
        match self {
            Self::Regular(len) => idx / *len,
            Self::Varying(runs) => runs.chunk_of(idx),
        }
    }

    /// The indices of a chunk's elements, including those past the array's end. The end saturates
    /// at `u64::MAX`.
    pub fn chunk_extent(&self, chunk: u64) -> Range<u64> {
        match self {
            Self::Regular(len) => {
                let start = chunk.saturating_mul(*len);
                start..start.saturating_add(*len)
            }
            Self::Varying(runs) => runs.chunk_extent(chunk),
        }
    }

    /// The length of a chunk. `None` where it would start past 64 bits.
    pub fn chunk_len(&self, chunk: u64) -> Option<u64> {
        match self {
            Self::Regular(len) => chunk.checked_mul(*len).map(|_| *len),
            Self::Varying(runs) => runs.chunk_len(chunk),
        }
    }
}

/// The position in a grid of the cell with number `linear` in C order.
pub fn unravel(linear: u64, grid: &[u64]) -> Vec<u64> {
    let mut rest = linear;
    let mut position = vec![0; grid.len()];
    for (index, along) in position.iter_mut().zip(grid).rev() {
        let along = NonZeroU64::new(*along).unwrap_or(NonZeroU64::MIN);
        *index = rest % along;
        rest /= along;
    }
    position
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn example_of_the_specification() {
        let grid = ChunkGrid::regular(&[5, 20, 400], 3).unwrap();
        assert_eq!(grid.grid_shape(&[10, 200, 3000]), [2, 10, 8]);
        assert_eq!(grid.padded_shape(&[10, 199, 0]), [10, 200, 0]);
        let chunk: Vec<u64> = grid
            .dimensions
            .iter()
            .zip([7, 150, 900])
            .map(|(dimension, idx)| dimension.chunk_of(idx))
            .collect();
        assert_eq!(chunk, [1, 7, 2]);
        assert_eq!(grid.dimensions[2].chunk_extent(2), 800..1200);
        assert_eq!(grid.chunk_shape(&[1, 7, 7]), Some(vec![5, 20, 400]));
        assert_eq!(grid.uniform(), Some(vec![5, 20, 400]));
    }

    #[test]
    fn scalars_have_one_chunk_and_empty_dimensions_none() {
        let scalar = ChunkGrid::regular(&[], 0).unwrap();
        assert_eq!(scalar.grid_shape(&[]), Vec::<u64>::new());
        assert_eq!(scalar.chunk_shape(&[]), Some(Vec::new()));
        assert_eq!(ChunkGrid::regular(&[3, 1], 2).unwrap().grid_shape(&[0, 4]), [0, 4]);
    }

    #[test]
    fn extents_saturate_at_64_bits() {
        let dimension = GridDimension::Regular(1 << 62);
        assert_eq!(dimension.chunk_count(u64::MAX), 4);
        assert_eq!(dimension.chunk_extent(3), (3 << 62)..u64::MAX);
        assert_eq!(dimension.chunk_extent(4), u64::MAX..u64::MAX);
        assert_eq!(dimension.chunk_len(4), None);
        let grid = ChunkGrid { dimensions: vec![dimension] };
        assert_eq!(grid.chunk_shape(&[4]), None);
        assert_eq!(grid.chunk_shape(&[0, 0]), None);
    }

    proptest! {
        #[test]
        fn every_element_is_in_its_chunk(len in 1..u64::MAX, idx in any::<u64>()) {
            let dimension = GridDimension::Regular(len);
            let chunk = dimension.chunk_of(idx);
            let extent = dimension.chunk_extent(chunk);
            prop_assert!(extent.start <= idx && (idx < extent.end || idx == u64::MAX));
            prop_assert!(idx == u64::MAX || chunk < dimension.chunk_count(idx + 1));
        }
    }
}
