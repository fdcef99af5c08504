//! The types that the files of this folder share: requests, layouts, parts, progress, and the
//! tables of work in flight.

use std::cell::Cell;
use std::rc::Rc;

use crate::access::instruction::ProjectedAxis;
use crate::access::part::Part;
use crate::access::plan::PartProjection;
use crate::access::selection::Selection;
use crate::error::{Error, Result};
use crate::format::conversion::Conversion;
use crate::store::in_flight::InFlight;
use crate::store::{LocalFuture, Value};

/// A request to read a selection of an array.
#[derive(Clone, Debug)]
pub struct ReadRequest {
    /// The elements to read.
    pub selection: Selection,
    /// The memory order of the output: the array's dimensions, slowest first. `None` means C order.
    pub order: Option<Vec<usize>>,
    /// Whether the array reaches to the end of its last stored chunks, which have padding there.
    pub padded: bool,
    /// How parts grow. `None` lets them grow along the dimensions that are fastest in memory.
    pub growth: Option<Growth>,
    /// Whether the first parts are spread over the result, so that they are a fair sample of it.
    /// Ignored for points.
    pub spreads: bool,
    /// Whether the sink holds only one part at a time. A streamed result may have any size.
    pub streamed: bool,
    /// The point of the result around which reading starts: one index for each dimension of the
    /// array.
    /// Missing trailing dimensions default to the middle. `None` reads the parts in C order.
    /// Ignored for points.
    pub nearest: Option<Vec<f64>>,
    /// The conversion of the elements. `None` leaves them unchanged.
    pub conversion: Option<Conversion>,
    /// Whether the decoder decodes. `false` for a prefetch, which only fills the caches.
    pub decodes: bool,
}

/// How the parts of a reduction grow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// The dimensions of the array. Parts grow along the last one first.
    pub order: Vec<usize>,
    /// The dimensions along which different parts have no cell in common.
    pub apart: Vec<usize>,
    /// The size that parts aim at, decoded.
    pub bytes: u64,
    /// The size of the parts, decoded, whose ranges of shards are asked for together.
    pub together: u64,
}

/// The shape and memory layout of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputLayout {
    /// Extent along each dimension of the array, 1 for an integer index. One extent for points.
    pub shape: Vec<u64>,
    /// Whether the result keeps the dimension, one entry for each dimension of `shape`.
    pub kept: Vec<bool>,
    /// The memory order: dimensions, slowest first.
    pub order: Vec<usize>,
    /// Number of parts.
    pub parts: u64,
    /// Number of elements of all chunks that the read touches; `None` if it is unknown.
    pub touched: Option<u64>,
    /// The fill value: one packed element after conversion.
    pub fill_value: Vec<u8>,
    /// Bytes of one element after conversion; 0 for elements of variable length.
    pub element_size: usize,
    /// The conversion in the form that decoders read; empty for none.
    pub conversion: Vec<u32>,
}

/// The elements of a part: a base, and decoded chunks that are copied over it.
#[derive(Clone, Debug)]
pub struct PartData {
    /// The elements below the chunks.
    pub base: Base,
    /// The chunks to copy. No two of them cover the same element.
    pub chunks: Vec<PlacedChunk>,
}

/// The elements of a part that no [`PlacedChunk`] covers.
#[derive(Clone, Debug)]
pub enum Base {
    /// The fill value everywhere.
    Fill,
    /// Packed elements of the whole part, in the memory order of the layout.
    Bytes(Value),
    /// Nothing to write: the chunks cover the part, or the decoder wrote the elements in place.
    Covered,
}

/// A decoded chunk, and the elements of it that a part takes.
///
/// Caches and other reads may share the bytes, so the sink must not change or transfer them.
#[derive(Clone, Debug)]
pub struct PlacedChunk {
    /// The packed elements of the chunk.
    pub elements: Value,
    /// Strides along each dimension of the array, in elements.
    pub strides: Vec<usize>,
    /// The chunk projection, one entry for each dimension. It contains ranges only, no lists.
    pub projection: Vec<ProjectedAxis>,
}

/// Progress of a read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Chunks (inner chunks of shards) that have arrived or are known to be absent.
    pub chunks: u64,
    /// Bytes that have arrived for this read.
    pub bytes: u64,
    /// Parts that the sink has received.
    pub parts: u64,
    /// Number of parts.
    pub parts_total: u64,
    /// Number of chunks. 0 for points, where counting would visit each point.
    pub chunks_total: u64,
}

/// Receives the parts of a read.
pub trait PartSink {
    /// Called once, before the first part.
    ///
    /// # Errors
    /// `Limit` when the result cannot be allocated.
    fn begin(&self, layout: &OutputLayout) -> Result<()>;

    /// Takes a part. Parts arrive in any order, each exactly once.
    fn part(&self, part: &Part, data: PartData) -> LocalFuture<'_, Result<()>>;

    /// Called when bytes arrive and when a part is finished.
    fn progress(&self, progress: &Progress) {
        let _ = progress;
    }
}

/// Which chunks of a read are cached. A read that would fill the cache caches nothing, because it
/// would only evict what other reads use.
pub(super) struct CachePolicy {
    /// Cache encoded chunks.
    pub encoded: bool,
    /// Decode partly used chunks whole, and cache their elements.
    pub decoded: bool,
    /// The memory order of a decoded chunk: the array's dimensions, slowest first.
    pub native_order: Vec<usize>,
}

/// Progress of one part: chunks that have arrived or are known to be absent, and bytes.
#[derive(Default)]
pub(super) struct PartCounts {
    pub chunks: Cell<u64>,
    pub bytes: Cell<u64>,
}

/// A part that was read.
pub(super) struct FinishedPart {
    pub data: PartData,
    /// The decoder wrote the elements into the result of the read that started the part. Other
    /// reads must read the part again.
    pub is_placed: bool,
}

pub(super) type PartResult = std::result::Result<Rc<FinishedPart>, Interrupted>;

/// A chunk that was decoded whole.
#[derive(Clone)]
pub(super) struct WholeChunk {
    /// The packed elements; `None` if the chunk is absent.
    pub elements: Option<Value>,
    /// Number of encoded bytes that were fetched for it.
    pub fetched: u64,
}

/// The chunks of one batch, in order.
pub(super) type DecodedBatch = std::result::Result<Rc<Vec<WholeChunk>>, Interrupted>;

/// Why a part was not read.
#[derive(Clone)]
pub(super) enum Interrupted {
    /// A shard changed between the request for its index and a request for its chunks. Holds the
    /// chunk indices of the shard.
    Changed(Rc<[u64]>),
    /// The decoder's worker has stopped, as in [`Undecoded`](super::decoder::Undecoded).
    WorkerLost(String),
    /// A request or the decoder failed.
    Failed(Error),
}

impl From<Error> for Interrupted {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The array indices of the first element of an innermost chunk.
pub(super) type ChunkOrigin = Rc<[u64]>;

/// Batches of whole chunks in flight, by the origin of each chunk. The note is the position of the
/// chunk in its batch.
pub(super) type BatchesInFlight = InFlight<ChunkOrigin, DecodedBatch, usize>;

/// Parts in flight. The key lists the elements of a part and their output form.
pub(super) type PartsInFlight = InFlight<Rc<[u32]>, PartResult, PartNote>;

/// What other reads may know about a part in flight.
#[derive(Clone)]
pub(super) struct PartNote {
    /// Identifies the read that started the part.
    pub read: Rc<()>,
    pub projection: PartProjection,
    pub conversion: Vec<u32>,
    pub counts: Rc<PartCounts>,
    /// Set when another read waits for this part too: the decoder must then return the elements.
    pub is_wanted: Rc<Cell<bool>>,
}
