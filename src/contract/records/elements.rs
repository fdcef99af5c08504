//! Elements of arrays: selections, reads, plans and writes.

use crate::encoding::{Bytes, Floats, Held, HeldBytes, Natural, Words};

records! {
    /// Every `step`th index from `start` to `stop`, without `stop`. Absent values have NumPy's
    /// defaults, and values outside the array are clipped.
    struct SliceSelection {
        /// The first index.
        start: Option<i64>,
        /// The index to stop before.
        stop: Option<i64>,
        /// Not zero. Default: 1.
        step: Option<i64>,
    }

    /// What is selected along one dimension. Negative indices count from the end.
    union DimensionSelection {
        /// All indices.
        All,
        /// One index. The result does not have the dimension.
        Index(i64),
        /// A range of indices.
        Slice(SliceSelection),
        /// These indices, in this order. Indices may repeat.
        List(Vec<i64>),
    }

    /// What is selected of an array.
    union Selection {
        /// One selection a dimension, combined as an outer product. Dimensions without an entry are
        /// selected whole.
        Orthogonal(Vec<DimensionSelection>),
        /// Single elements. There is one list a dimension; entry `i` of all lists together is
        /// element `i`. The result has one dimension.
        Points(Vec<Vec<i64>>),
    }

    /// How the decoder converts elements (`src/core/format/conversion.rs`).
    struct ConversionRequest {
        /// Words from the conventions' module.
        unpacking: Option<Vec<u32>>,
        /// The numeric type to convert to, or `"bytes"`.
        to: Option<String>,
        /// Low, high, gamma, bytes of a colour, and the table of colours.
        shading: Option<Vec<f64>>,
        /// Three numbers for each label with its own colour: lower and upper 32 bits, and the bytes
        /// of the colour.
        labels: Option<Vec<u32>>,
        /// Whether each number is followed by its mask.
        mask: Option<bool>,
        /// Each part answers with a summary instead of elements: the range, and the number of bins.
        summary: Option<(f64, f64, f64)>,
    }

    /// How the parts of a reduction grow.
    struct Growth {
        /// Dimensions in the order in which parts grow, the last one first.
        order: Vec<u32>,
        /// The dimensions along which different parts have no cell in common.
        apart: Vec<u32>,
        /// The bytes that a part aims at, decoded.
        bytes: u32,
        /// The bytes of parts, decoded, whose ranges of shards are asked for together.
        together: u32,
    }

    /// What to read.
    struct ReadRequest {
        /// The elements.
        selection: Selection,
        /// Dimensions of the result in memory order, slowest first. Default: C order.
        order: Option<Vec<u32>>,
        /// Whether the array reaches to the end of its last stored chunks: they are read with the
        /// padding that is stored.
        padded: Option<bool>,
        /// How parts grow. Default: along the dimensions that are fastest in memory.
        growth: Option<Growth>,
        /// Whether the first parts are spread over the result.
        spreads: Option<bool>,
        /// The caller consumes the parts one by one, so the result's size is not limited.
        streamed: Option<bool>,
        /// The index at which the read begins, in the array's dimensions. Default: the middle.
        nearest: Option<Vec<f64>>,
        /// Requests with a higher priority are fetched and decoded first.
        priority: Option<f64>,
        /// Bypass all caches.
        reload: Option<bool>,
        /// How elements are converted.
        conversion: Option<ConversionRequest>,
    }

    /// A read of elements.
    struct ReadArguments {
        /// The array.
        array: u32,
        /// What to read.
        request: ReadRequest,
        /// The job that receives the parts (`host/read/job.ts`).
        job: Held,
    }

    /// Chunks to fetch.
    struct PrefetchArguments {
        /// The array.
        array: u32,
        /// What to fetch.
        request: ReadRequest,
        /// A function that receives a `ReadProgress`.
        listener: Option<Held>,
    }

    /// How far a read is. A total is 0 while it is not known.
    struct ReadProgress {
        /// Chunks (inner ones, if sharded) that have arrived or are known to be absent.
        chunks: f64,
        /// Bytes that have arrived.
        bytes: f64,
        /// Parts that are finished.
        parts: f64,
        /// All parts.
        total_parts: f64,
        /// All chunks.
        total_chunks: f64,
    }

    /// The shape and memory layout of a result, known before its parts.
    struct ReadLayout {
        /// Extent along each dimension of the array, 1 for integer indices. Points have one
        /// dimension.
        shape: Vec<f64>,
        /// For each dimension, whether the result keeps it. An integer in the selection drops one.
        kept: Vec<bool>,
        /// The dimensions in memory order, slowest first.
        order: Vec<u32>,
        /// The number of parts.
        parts: f64,
        /// Number of elements of all chunks that the read touches; infinity if it is unknown.
        touched: f64,
        /// The packed fill value.
        fill_value: Bytes,
        /// Size of an element in bytes; 0 if the data type has a variable length.
        element_size: u32,
    }

    /// A part of a read: its box within the selection.
    struct NumberedBox {
        /// Its number in the order of its read.
        number: Natural,
        /// The first index along each dimension.
        start: Floats,
        /// The extent along each dimension.
        shape: Floats,
    }

    /// A request for a value below an array, or for a part of it.
    struct ValueRequest {
        /// The key, relative to the array.
        key: String,
        /// The first byte. Absent with a length: the last bytes. Absent without: all bytes.
        offset: Option<Natural>,
        /// The number of bytes.
        len: Option<Natural>,
    }

    /// The requests that a read needs next.
    struct ValueRequests {
        /// The requests, in order: the read counts them all from 0.
        requests: Vec<ValueRequest>,
    }

    /// A read that the light build has begun.
    struct SmallRead {
        /// As in `ReadLayout`.
        shape: Vec<f64>,
        /// As in `ReadLayout`.
        kept: Vec<bool>,
        /// As in `ReadLayout`.
        order: Vec<u32>,
        /// Number of chunks that the read touches.
        chunks: f64,
        /// The first requests.
        requests: Vec<ValueRequest>,
    }

    /// A read to plan.
    struct PlanArguments {
        /// The array.
        array: u32,
        /// What would be read.
        selection: Selection,
    }

    /// What a read takes.
    struct ReadCost {
        /// Shape of the result.
        shape: Vec<f64>,
        /// Chunks.
        chunks: f64,
        /// Stored objects.
        objects: f64,
        /// Elements of the result.
        elements: f64,
        /// Elements of all chunks.
        decoded_elements: f64,
        /// Bytes of the chunks, if they have a known size.
        encoded_chunk_bytes: Option<f64>,
        /// Bytes of the indexes of shards.
        index_bytes: Option<f64>,
    }

    /// A page of the stored objects of a selection.
    struct PlanObjectsArguments {
        /// The array.
        array: u32,
        /// What is selected.
        selection: Selection,
        /// The number of the first object.
        start: Natural,
        /// The maximum number of objects.
        count: u32,
    }

    /// A stored object: a chunk or a shard.
    struct PlannedObject {
        /// Its index in the grid of stored objects.
        chunk: Vec<f64>,
        /// Its key in the store.
        key: String,
    }

    /// What is stored of a chunk in a shard.
    struct InnerChunkSize {
        /// Its index in the grid of chunks.
        chunk: Vec<f64>,
        /// Its size in bytes as it is stored. Undefined if it is absent.
        bytes: Option<Natural>,
    }

    /// What is stored of a chunk or shard.
    struct StoredObjectSize {
        /// Its index in the grid of stored objects.
        chunk: Vec<f64>,
        /// Its key in the store.
        key: String,
        /// Its size in bytes. Undefined if it is absent.
        bytes: Option<Natural>,
        /// When it was changed, as an HTTP date, if the store tells.
        last_modified: Option<String>,
        /// Of a shard, its chunks that have selected elements.
        inner_chunks: Option<Vec<InnerChunkSize>>,
    }

    /// The order of inner chunks in a shard.
    enum ChunkOrder {
        /// The last dimension is the fastest.
        C = "C",
        /// The first dimension is the fastest.
        F = "F",
        /// Along a Z curve, as zarr-python writes: neighbouring chunks, in every dimension, are
        /// near each other in the shard.
        Morton = "morton",
    }

    /// Which places packed elements are for.
    union ElementLayout {
        /// There is one for each place of the selection.
        Packed,
        /// There is one for each place, or they have one dimension and are broadcast.
        List,
        /// They have this shape, and are broadcast by NumPy's rules.
        Shaped(Vec<u64>),
    }

    /// The packed elements of a write.
    struct WriteSource {
        /// The bytes of the elements.
        bytes: HeldBytes,
        /// For elements of variable length, where each begins: a `Uint32Array`
        /// with one entry more than there are elements. Absent for one element alone.
        offsets: Option<Held>,
        /// Which places they are for.
        layout: ElementLayout,
        /// Store chunks that have only the fill value.
        keep_empty_chunks: bool,
        /// The order of chunks in a shard. Default: C.
        chunk_order: Option<ChunkOrder>,
    }

    /// Bytes that JavaScript owns.
    struct OwnedBytes {
        /// The bytes.
        bytes: HeldBytes,
        /// Whether nothing else uses their memory, so that it may be transferred.
        ours: bool,
    }

    /// A stored chunk to change and encode.
    struct ChunkToEncode {
        /// The number of the array, as `bind` of the job gave it.
        array: u32,
        /// The change (`src/core/access/chunk_update`).
        header: Words,
        /// The present bytes, if the change is partial.
        old: Option<OwnedBytes>,
        /// The new elements.
        elements: OwnedBytes,
    }

    /// How far a write is.
    struct WriteProgress {
        /// Number of stored chunks (or shards) that are done.
        chunks: f64,
        /// Number of all.
        total_chunks: f64,
        /// Number of them that are all fill value and therefore not stored.
        empty: f64,
        /// Number of bytes passed to the store.
        bytes: f64,
    }

    /// A write to a selection.
    struct WriteArguments {
        /// The array.
        array: u32,
        /// Where to write.
        selection: Selection,
        /// What to write.
        source: WriteSource,
        /// The job that encodes chunks (`host/operations/elements.ts`).
        job: Held,
    }

    /// Elements to append.
    struct AppendArguments {
        /// The array.
        array: u32,
        /// The dimension.
        axis: u32,
        /// The number of indices to add.
        length: Natural,
        /// What to write.
        source: WriteSource,
        /// The job that encodes chunks.
        job: Held,
    }

    /// A new shape.
    struct ResizeArguments {
        /// The array.
        array: u32,
        /// The shape.
        shape: Vec<u64>,
        /// The job that encodes chunks.
        job: Held,
    }
}

impl Selection {
    /// The whole array.
    pub fn all() -> Self {
        Self::Orthogonal(Vec::new())
    }
}
