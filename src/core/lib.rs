//! Zarr without I/O: what metadata, chunks and codecs mean, which bytes a read needs, and what its
//! elements are. It starts no thread and knows nothing of its host. The caller fetches the bytes
//! that a read asks for.
//!
//! # What a Rust program imports
//!
//! What is at the top of this crate, and [`metadata`]:
//!
//! ```
//! use zarr_wasm::metadata::{NodeDocument, ZARR_JSON, ZarrFormat};
//! use zarr_wasm::{Array, ArrayBytes, DimensionSelection, Selection, SliceSelection};
//!
//! # fn main() -> zarr_wasm::Result<()> {
//! let text = br#"{"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "uint8",
//! "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}}, "chunk_key_encoding":
//! {"name": "default"}, "fill_value": 7, "codecs": [{"name": "bytes"}]}"#; let array =
//! Array::new(&NodeDocument::read(ZarrFormat::V3, &[(ZARR_JSON, text)])?)?;
//!
//! let slice = SliceSelection { start: Some(1), stop: None, step: None };
//! let slice = DimensionSelection::Slice(slice);
//! let mut read = array.read(&Selection::Orthogonal(vec![slice]))?;
//! loop {
//!     let requests = read.requests();
//!     if requests.is_empty() {
//!         break;
//!     }
//!     for request in requests {
//!         // Here a program reads `request.range` of the file or URL `request.key`.
//!         let bytes: Option<&[u8]> = (request.key == "c/0").then_some(&[1, 2]);
//!         read.supply(&request, bytes)?;
//!     }
//! }
//! assert_eq!(read.finish()?, ArrayBytes::Fixed(vec![2, 7, 7]));
//! # Ok(())
//! # }
//! ```
//!
//! `examples/read_local_array.rs` reads an array from a folder. The rooms ([`access`],
//! [`mod@format`], [`error`], [`limits`] and the like) are public for the engine of zarr-wasm and
//! its readers of Icechunk and Parquet. They may change in each minor version.
//!
//! # Seven steps
//!
//! A read takes seven steps. Each step lives in one room (a folder or a file):
//!
//! | step | question | room |
//! |---|---|---|
//! | 1 select | what does the caller ask for? | `access::selection` |
//! | 2 project | which chunks, which part of each, where in the output? | `access::projection`, `format::chunk_grid` |
//! | 3 plan | which key, which byte range? | `access::plan`, `format::codec::sharding` |
//! | 4 fetch | where do the bytes come from? | the engine's `store` |
//! | 5 decode | what do the bytes mean? | `format::codec::pipeline` |
//! | 6 scatter | where do the elements go? | `kernel::scatter` |
//! | 7 hand over | the result to the host | the engine |
//!
//! The engine's `read` drives steps 4 to 6. Its `write` drives the same steps backwards. Its
//! `hierarchy` changes nodes: it opens, lists, creates, resizes and erases them.
//!
//! # Layer rule
//!
//! `access → format → kernel`. Nothing here waits, keeps time or has `unsafe`. The engine uses the
//! core (`src/engine/rust/lib.rs` has the rule of its rooms), and so do the conventions. Files of
//! one folder may import each other, but no circle of imports leaves its folder:
//! `tests/rust/tidy.rs`.
//!
//! # Glossary
//!
//! One word for one thing. Words of the Zarr specification keep their meaning; the table has the
//! words that this crate adds, and those that it uses in a narrower sense.
//!
//! | term | meaning | where |
//! |---|---|---|
//! | array order | the order of the array's dimensions in its metadata, before any codec transposes them | `format::dimension_order` |
//! | batch | whole chunks that one request to a decoder decodes, one after the other | `access::plan::PartPlan::batch` |
//! | binding | an array's metadata with its codecs bound to data type and chunk shape | `access::binding` |
//! | byte range | the bytes of one store value that a request wants: all, some, or the last ones | `format::byte_range` |
//! | byte request | one range of a stored chunk that a plan wants next | `access::plan::ByteRequest` |
//! | cache entry | a chunk or a shard index that is kept in memory for later reads | `read` |
//! | chunk | what users call a chunk: an inner chunk where there are shards, else a stored chunk | |
//! | chunk instruction | tells a decoder: decode these bytes as this chunk, place these of its elements there | `access::instruction` |
//! | chunk key | the store key of a stored chunk, relative to the array | `format::chunk_key` |
//! | chunk projection | which elements of one chunk go to which places of the output | `access::instruction::ChunkProjection` |
//! | codec call | one run of a user's codec, which decoding or encoding waits for | `format::codec::user` |
//! | codec chain | the codecs of an array in the order of encoding; bound, it is a *pipeline* | `format::codec::pipeline` |
//! | decode worker | a thread of the host that decodes parts; without one, the caller's thread does | |
//! | engine | the program around this crate that fetches what it plans (`src/engine/rust`) | |
//! | full build | a superset of the build `reading`: encoders, rare codecs, drafts; loaded when needed | `error::IS_FULL` |
//! | host | the program that runs this code and answers its questions | |
//! | in-flight request | a request that has been sent and not answered; equal ones share one answer | `store` |
//! | inner chunk | a chunk within a shard | `format::codec::sharding` |
//! | key | the name of a value in a store; key of a node's document or of a stored chunk | `format::path::StoreKey` |
//! | leaf chunk | a chunk of the last level that the planner sees: decoded as one | `access::binding::Chain` |
//! | level | a size of chunk: level 0 is the stored chunk, level 1 the inner chunk of a shard, and so on | `access::level::Level` |
//! | native order | the order of the array's dimensions in the memory of a decoded chunk | `access::binding::Binding::native_order` |
//! | node path | the absolute path of an array or group in its hierarchy | `format::path::NodePath` |
//! | output | the elements that a read returns; a box with one extent a dimension | |
//! | part | a chunk-aligned box of the output that one worker decodes and fills | `access::part` |
//! | place | an index in the output, in a part or in the source of a write, along one dimension | |
//! | plan | the byte requests of one part, as far as they are known | `access::plan::PartPlan` |
//! | reading build | a superset of the engine: archives, references, Icechunk, lists, stored sizes; loaded when needed | `error::IS_READING` |
//! | rows | boxes of an uncompressed chunk whose bytes are contiguous: fetched without the rest | `access::rows` |
//! | selection | what the caller asks for, along each dimension or point by point | `access::selection` |
//! | shard | a stored chunk that holds inner chunks and their index | `format::codec::sharding` |
//! | shard index | the byte range of each inner chunk of a shard | `format::codec::sharding::ShardIndex` |
//! | source | the elements that a write stores | `access::write_plan` |
//! | span | what one dimension of a selection takes from one chunk | `access::projection::Span` |
//! | stored chunk | what the chunk grid stores under one key: a chunk or a shard | `format::chunk_grid` |
//! | user | the developer who calls the package: a *user's codec* or *store* is code of the host | |

#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod access;
pub mod builds;
pub mod describe;
pub mod error;
pub mod format;
pub mod limits;
pub mod quoted;
mod sans_io;
pub mod sorted;

use zarr_wasm_kernel as kernel;

pub use access::selection::{DimensionSelection, Selection, SliceSelection};
pub use builds::Build;
pub use error::{Context, Error, ErrorKind, Opaque, Result, Stage};
pub use format::codec::ArrayBytes;
pub use format::codec::array_bytes::VariableBytes;
pub use format::conversion::Conversion;
pub use sans_io::{Array, ByteRange, ByteRequest, Read, ResultForm, ResultLayout};

/// Metadata documents, and what they say about an array or a group.
pub mod metadata {
    pub use crate::format::chunk_grid::{ChunkGrid, ChunkRuns, GridDimension};
    pub use crate::format::chunk_key::ChunkKeyEncoding;
    pub use crate::format::data_type::{DataType, FillValue, Float, Integer, Struct, Time, TimeKind};
    pub use crate::format::metadata::document::{NodeDocument, ZARR_JSON, ZARRAY, ZATTRS, ZGROUP, parse};
    pub use crate::format::metadata::{
        ArrayMetadata, CodecMetadata, DataTypeFallback, Draft, GroupMetadata, NodeKind, NodeMetadata,
        StorageTransformerMetadata, ZarrFormat,
    };
}
