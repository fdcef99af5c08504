//! Divides the change of a shard into changes of its inner chunks.

use std::collections::BTreeMap;

use crate::access::instruction::{ChunkProjection, word};
use crate::access::level::Level;
use crate::access::projection::{divide, outer_product};
use crate::error::Result;
use crate::format::chunk_grid::unravel;
use crate::format::codec::sharding::Sharding;

/// A shard that is changed.
pub(super) struct Shard<'a> {
    pub sharding: &'a Sharding,
    /// The level of its inner chunks.
    pub inner: &'a Level,
    /// The number of the shard's own level.
    pub level: usize,
    /// The extents of the box of the shard that lies inside the array, in array order.
    pub inside: &'a [u64],
}

#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "inner chunks have elements, and their axes are the array dimensions"
)]
impl Shard<'_> {
    /// The projection of each inner chunk that is written to, by the chunk's number in the index.
    pub fn divide(&self, projection: &ChunkProjection) -> Result<BTreeMap<usize, ChunkProjection>> {
        let mut touched = BTreeMap::new();
        match projection {
            ChunkProjection::Orthogonal(axes) => {
                let axes = axes.iter().zip(&self.inner.shape);
                let axes = axes.map(|(axis, extent)| divide(axis, *extent)).collect::<Result<Vec<_>>>()?;
                for (position, axes) in outer_product(&axes) {
                    touched.insert(
                        self.inner.index_in_shard(&position, self.sharding.grid())?,
                        ChunkProjection::Orthogonal(axes),
                    );
                }
            }
            ChunkProjection::Points { indices, places } => {
                for (at, place) in places.iter().enumerate() {
                    let along = indices.iter().zip(&self.inner.shape);
                    let split = along.map(|(list, extent)| {
                        let index = u64::from(list[at]);
                        Ok((index / extent, word(index % extent)?))
                    });
                    let (position, within): (Vec<u64>, Vec<u32>) =
                        split.collect::<Result<Vec<_>>>()?.into_iter().unzip();
                    let empty = || ChunkProjection::Points {
                        indices: vec![Vec::new(); within.len()],
                        places: Vec::new(),
                    };
                    let entry = touched
                        .entry(self.inner.index_in_shard(&position, self.sharding.grid())?)
                        .or_insert_with(empty);
                    if let ChunkProjection::Points { indices, places } = entry {
                        indices.iter_mut().zip(&within).for_each(|(list, index)| list.push(*index));
                        places.push(*place);
                    }
                }
            }
        }
        Ok(touched)
    }

    /// The extents of the box of an inner chunk that lies inside the array, in array order.
    pub fn inside_of(&self, linear: usize) -> Vec<u64> {
        let position = unravel(linear as u64, self.sharding.grid());
        let mut inside = vec![0; self.inside.len()];
        for (axis, at) in self.inner.axes.iter().zip(position) {
            let (extent, within) = (self.inner.shape[*axis], self.inside[*axis]);
            inside[*axis] = within.saturating_sub(at * extent).min(extent);
        }
        inside
    }
}
