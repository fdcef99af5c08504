//! What the files of this room hand to each other: what is written, what is done to one chunk, and how far it is.

use std::rc::Rc;

use crate::access::chunk_update::ChunkUpdate;
use crate::access::selection::Selection;
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::sharding::ChunkOrder;
use crate::store::Value;

/// Where the new elements come from.
#[derive(Clone, Debug)]
pub enum WriteSource {
    /// Packed little-endian elements in C order, one for each place of the selection.
    Elements(Value),
    /// Elements with lengths of their own, likewise.
    Variable(Rc<VariableBytes>),
    /// One element for all places.
    Element(Vec<u8>),
}

/// What is written.
#[derive(Clone, Debug)]
pub struct WriteRequest {
    /// Where to. Of an index that is named twice the last value counts.
    pub selection: Selection,
    /// What.
    pub source: WriteSource,
    /// Store chunks of fill value too, instead of erasing them.
    pub keep_empty_chunks: bool,
    /// How inner chunks stand in a shard.
    pub chunk_order: ChunkOrder,
}

/// How far a write is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteProgress {
    /// Stored chunks (shards, where there are any) that are done.
    pub chunks: u64,
    /// Of them, those that are all fill value and so are not stored.
    pub empty: u64,
    /// Chunks in all.
    pub chunks_total: u64,
    /// Bytes handed to the store.
    pub bytes: u64,
}

/// What is done to a chunk, and whether what is stored matters.
pub(crate) struct ChunkChange {
    pub update: ChunkUpdate,
    /// The new elements; none for a clip.
    pub elements: Value,
    /// Every element inside the array is written.
    pub covers: bool,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// It was, and stays, absent, or did not change.
    Nothing,
    /// It is no longer stored.
    Erased,
    /// So many bytes were stored.
    Stored(u64),
}
