//! The types that the files of this folder share: requests, changes of chunks, and progress.

use std::rc::Rc;

pub use zarr_wasm_contract::ElementLayout;

use crate::access::chunk_update::ChunkUpdate;
use crate::access::selection::Selection;
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::sharding::ChunkOrder;
use crate::store::Value;

/// The new elements.
#[derive(Clone, Debug)]
pub enum WriteSource {
    /// Packed little-endian elements in C order.
    Elements(Value),
    /// Elements of variable length in C order.
    Variable(Rc<VariableBytes>),
    /// One packed element for all places.
    Element(Vec<u8>),
}

/// New elements, and how to store them.
#[derive(Clone, Debug)]
pub struct NewElements {
    /// The elements.
    pub source: WriteSource,
    /// Which places they are for.
    pub layout: ElementLayout,
    /// Whether to store chunks that contain only the fill value. By default they are erased.
    pub keep_empty_chunks: bool,
    /// The order of inner chunks in a shard.
    pub chunk_order: ChunkOrder,
}

impl From<WriteSource> for NewElements {
    fn from(source: WriteSource) -> Self {
        Self { source, layout: ElementLayout::Packed, keep_empty_chunks: false, chunk_order: ChunkOrder::C }
    }
}

/// A request to write to a selection of an array.
#[derive(Clone, Debug)]
pub struct WriteRequest {
    /// The places to write. If an index occurs twice, the later value is stored.
    pub selection: Selection,
    /// The new elements.
    pub elements: NewElements,
}

/// Progress of a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteProgress {
    /// Stored chunks or shards that are finished.
    pub chunks: u64,
    /// Those of them that contain only the fill value and are not stored.
    pub empty: u64,
    /// Number of chunks.
    pub chunks_total: u64,
    /// Bytes that were passed to the store.
    pub bytes: u64,
}

/// A change to one chunk.
pub(crate) struct ChunkChange {
    pub update: ChunkUpdate,
    /// The new elements; empty for a clip.
    pub elements: Value,
    /// Whether the change writes every element inside the array, so that the stored value does not
    /// matter.
    pub covers: bool,
}

/// What a change did to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChunkOutcome {
    /// Nothing: the chunk did not change, or was absent and stays absent.
    Nothing,
    /// It erased the chunk.
    Erased,
    /// It stored this number of bytes.
    Stored(u64),
}
