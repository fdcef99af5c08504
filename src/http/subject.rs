//! What is known of an object before it is read.

/// Estimated bounds of the size of a value, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LikelySize {
    /// The lower bound.
    pub low: u64,
    /// The upper bound.
    pub high: u64,
}

/// What a key holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A metadata document.
    #[default]
    Metadata,
    /// A chunk, a shard, or a part of one.
    Chunk,
    /// A chunk, a shard, or a part of one, which will be changed and written back.
    Update,
}
