//! `sharding_indexed`: stores many inner chunks in one object, with an index.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/index.html>
//!
//! A read seldom decodes a whole shard: the planner (`access::plan`) reads the [`index`] and
//! requests inner chunks. The decoder of whole shards serves chains that hide the index (a
//! compressor after the shard) and writing. The storage transformer of the 2022 draft stores the
//! same bytes, except for the index checksum: [`transformer`] reads it as this codec.
//!
//! Other libraries: zarr-python, zarrs and TensorStore read and write this codec. zarrita reads one
//! level, with the index at the end.

mod bind;
pub mod index;
mod order;
pub mod transformer;
mod whole;

use std::rc::Rc;
use std::task::Poll;

pub use bind::{bind, codec_list};
pub use index::{IndexLocation, ShardIndex};
pub use order::{ChunkOrder, in_order};

use crate::builds::Builds;
use crate::error::Result;
use crate::format::codec::build::require_encoders;
use crate::format::codec::pipeline::Pipeline;
use crate::format::codec::user::{CodecCalls, without_user_codecs};
use crate::format::codec::{ArrayBytes, ArrayToBytes, ChunkRepresentation, PollArrayToBytes};
use crate::format::data_type::FillValue;
use index::ShardIndexFormat;

/// The sharding codec, bound to its shard.
pub struct Sharding {
    shard: ChunkRepresentation,
    inner: Rc<Pipeline>,
    /// The number of inner chunks along each dimension.
    grid: Vec<u64>,
    index: Rc<ShardIndexFormat>,
}

impl Sharding {
    /// The chain of codecs of the inner chunks.
    pub fn inner(&self) -> &Rc<Pipeline> {
        &self.inner
    }

    /// The builds that can decode the inner chunks.
    pub fn builds(&self) -> Builds {
        self.inner.builds()
    }

    /// The number of inner chunks along each dimension of the shard.
    pub fn grid(&self) -> &[u64] {
        &self.grid
    }

    /// The position and the codecs of the index.
    pub fn index(&self) -> &Rc<ShardIndexFormat> {
        &self.index
    }

    /// The shape of an inner chunk.
    pub fn inner_shape(&self) -> &[u64] {
        &self.inner.decoded().shape
    }

    /// The length in bytes of a shard that has all inner chunks; `None` when their lengths vary.
    pub fn full_len(&self) -> Option<u64> {
        let chunks = self.grid.iter().try_fold(1_u64, |chunks, along| chunks.checked_mul(*along))?;
        self.inner.encoded_len()?.checked_mul(chunks)?.checked_add(self.index.encoded_len())
    }

    /// The most bytes that a shard can have. Half of them may belong to no chunk.
    pub fn most_len(&self) -> u64 {
        let chunks = self.grid.iter().fold(1_u64, |chunks, along| chunks.saturating_mul(*along));
        let inner = self.inner.most_encoded_len().saturating_mul(chunks);
        inner.saturating_mul(2).saturating_add(self.index.encoded_len())
    }

    /// The number of nested shards, including this one.
    #[allow(clippy::arithmetic_side_effects, reason = "shards nest at most SHARD_DEPTH deep")]
    pub fn depth(&self) -> usize {
        1 + self.inner.plannable_sharding().map_or(0, Self::depth)
    }
}

impl ArrayToBytes for Sharding {
    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        without_user_codecs(|calls| self.poll_decode(encoded, calls))
    }

    fn encode(&self, decoded: &ArrayBytes) -> Result<Vec<u8>> {
        without_user_codecs(|calls| self.poll_encode(decoded, calls))
    }

    fn sharding(&self) -> Option<&Sharding> {
        Some(self)
    }

    fn with_user_codecs(&self) -> Option<&dyn PollArrayToBytes> {
        self.inner.has_user_codecs().then_some(self as &dyn PollArrayToBytes)
    }
}

impl PollArrayToBytes for Sharding {
    fn poll_decode(&self, encoded: &[u8], calls: &mut CodecCalls) -> Poll<Result<ArrayBytes>> {
        whole::decode(self, encoded, calls)
    }

    fn poll_encode(&self, decoded: &ArrayBytes, calls: &mut CodecCalls) -> Poll<Result<Vec<u8>>> {
        require_encoders()?;
        whole::encode(self, decoded, calls)
    }
}

/// Whether all packed elements equal the fill value, bit for bit. Such chunks are not stored.
pub fn is_fill(elements: &[u8], fill_value: &FillValue) -> bool {
    let element = fill_value.0.as_slice();
    !element.is_empty() && elements.chunks(element.len()).all(|chunk| chunk == element)
}
