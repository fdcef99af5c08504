//! Which chunks a manifest has: a box of the array's grid of chunks.

use crate::object_id::ObjectId;

/// A manifest, and which chunks it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestRef {
    /// The id of the manifest.
    pub id: ObjectId,
    /// For each dimension, the first chunk and the one after the last.
    pub extents: Vec<[u32; 2]>,
}

impl ManifestRef {
    /// Whether a chunk is within the extents.
    pub fn contains(&self, chunk: &[u32]) -> bool {
        is_within(chunk, &self.extents)
    }
}

/// Whether a chunk is within extents of the same rank.
pub fn is_within(chunk: &[u32], extents: &[[u32; 2]]) -> bool {
    let mut is_within = chunk.len() == extents.len();
    for (index, [first, end]) in chunk.iter().zip(extents) {
        is_within &= first <= index && index < end;
    }
    is_within
}
