//! Codecs: they encode a chunk to bytes and decode it back.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/index.html>
//!
//! A codec goes through two stages:
//!
//! 1. **Bind**: configuration + data type + chunk shape → [`Codec`]. The [`registry`] finds the
//!    function by the codec's name. All validation happens here, once.
//! 2. **Decode or encode**: many times. The bytes to decode may be corrupt or hostile.
//!
//! A chain of codecs is a [`pipeline::Pipeline`].

pub mod array_bytes;
pub mod array_to_array;
pub mod array_to_bytes;
mod bounds;
pub mod build;
mod bytes_chain;
pub mod bytes_to_bytes;
pub mod configuration;
mod direction;
pub mod element_buffer;
mod external;
pub mod kind;
mod named;
pub mod pipeline;
pub mod registry;
pub mod sharding;
pub mod standalone;
mod stepwise;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod testing;
pub mod unsupported;
pub mod user;

use std::fmt::{Debug, Formatter};
use std::ops::Range;
use std::rc::Rc;
use std::task::Poll;

pub use crate::kernel::crc::{crc32, crc32_combine};
pub use array_bytes::ArrayBytes;
pub use bytes_to_bytes::inflate_raw;
pub use direction::{CodecData, Direction};
pub use kind::CodecKind;

use array_bytes::VariableBytes;

use crate::error::{Error, Result};
use crate::format::data_type::{DataType, FillValue, Run, run};
use crate::limits;
use user::CodecCalls;

/// The chunk as one codec sees it: the specification's "chunk representation".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkRepresentation {
    /// Elements along each dimension.
    pub shape: Vec<u64>,
    /// What one element is.
    pub data_type: DataType,
    /// The array's fill value as this codec sees it.
    pub fill_value: FillValue,
}

impl ChunkRepresentation {
    /// The number of elements.
    ///
    /// # Errors
    /// `Limit` when the product of the shape does not fit 64 bits.
    pub fn element_count(&self) -> Result<u64> {
        limits::product(self.shape.iter().copied(), "chunk")
    }

    /// The length in bytes when packed; `None` for types of variable length.
    ///
    /// # Errors
    /// `Limit` when it does not fit 64 bits.
    pub fn byte_len(&self) -> Result<Option<u64>> {
        match self.data_type.size() {
            Some(size) => limits::product([self.element_count()?, size as u64], "chunk").map(Some),
            None => Ok(None),
        }
    }

    /// The elements of the chunk, from what [`ArrayBytes::into_packed`] makes of them.
    ///
    /// # Errors
    /// `wrong` for another number of elements.
    pub fn elements(&self, packed: &[u8], wrong: impl Fn() -> Error) -> Result<ArrayBytes> {
        match self.byte_len()? {
            Some(len) if len == packed.len() as u64 => Ok(ArrayBytes::Fixed(packed.to_vec())),
            Some(len) => {
                Err(wrong().expected(format!("{len} bytes")).actual(format!("{} bytes", packed.len())))
            }
            None => {
                let count = limits::to_usize(self.element_count()?, "chunk")?;
                VariableBytes::from_packed(packed, count).map(ArrayBytes::Variable).ok_or_else(wrong)
            }
        }
    }
}

/// Where a bytes-to-bytes decoder writes what it decodes.
pub enum Output<'a> {
    /// The metadata tells the decoded length. The decoder must fill this slice exactly; any other
    /// length is a `Format` error.
    Exact(&'a mut [u8]),
    /// The decoded length is not known, because a codec of variable length encoded before this one.
    Growing {
        /// The decoded bytes. The caller reuses the buffer for the next chunk.
        buf: &'a mut Vec<u8>,
        /// The maximum length in bytes, checked before memory is allocated.
        limit: usize,
    },
}

impl Output<'_> {
    /// The most bytes that it takes.
    pub fn most(&self) -> usize {
        match self {
            Self::Exact(output) => output.len(),
            Self::Growing { limit, .. } => *limit,
        }
    }

    /// Copies `bytes` to the output, for decoders that have the whole result in memory.
    ///
    /// # Errors
    /// `Format` for a length other than the exact one, `Limit` beyond the limit.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.reserve(bytes.len() as u64)?.copy_from_slice(bytes);
        Ok(())
    }

    /// Returns the slice to decode `len` bytes into, for formats whose header tells the decoded
    /// length.
    ///
    /// # Errors
    /// `Format` for a length other than the exact one, `Limit` beyond the limit. Both come before
    /// memory is allocated.
    pub fn reserve(&mut self, len: u64) -> Result<&mut [u8]> {
        match self {
            Self::Exact(output) => match output.len() as u64 {
                expected if expected == len => Ok(output),
                expected => Err(wrong_decoded_len(expected, len)),
            },
            Self::Growing { buf, limit } => {
                let len = limits::within(len, *limit as u64, "decoded bytes")?;
                buf.clear();
                limits::grow(buf, len, "decoded bytes")?;
                Ok(buf)
            }
        }
    }
}

/// The error of a chunk that decodes to another length than the metadata promises.
pub fn wrong_decoded_len(expected: u64, actual: u64) -> Error {
    Error::format("the chunk decodes to the wrong number of bytes")
        .expected(format!("{expected} bytes"))
        .actual(format!("{actual} bytes"))
}

/// Checks the length of a chunk's elements.
///
/// # Errors
/// `Format` for another length.
pub fn check_decoded_len(elements: &[u8], expected: u64) -> Result<()> {
    match elements.len() as u64 {
        actual if actual == expected => Ok(()),
        actual => Err(wrong_decoded_len(expected, actual)),
    }
}

/// The error of elements that a codec cannot store.
fn not_of_this_type(codec: &str, data_type: &DataType) -> Error {
    Error::unsupported(format!("{codec} does not support the data type {}", data_type.name()))
}

/// A codec, bound to a data type and a shape.
#[derive(Clone)]
pub enum Codec {
    /// Array → array, such as `transpose`.
    ArrayToArray(Rc<dyn ArrayToArray>),
    /// Array → bytes, such as `bytes` and `sharding_indexed`; a chain has exactly one.
    ArrayToBytes(Rc<dyn ArrayToBytes>),
    /// Bytes → bytes, such as `gzip`.
    BytesToBytes(Rc<dyn BytesToBytes>),
}

impl Codec {
    fn array_to_array(codec: impl ArrayToArray + 'static) -> Self {
        Self::ArrayToArray(Rc::new(codec))
    }

    fn array_to_bytes(codec: impl ArrayToBytes + 'static) -> Self {
        Self::ArrayToBytes(Rc::new(codec))
    }

    fn bytes_to_bytes(codec: impl BytesToBytes + 'static) -> Self {
        Self::BytesToBytes(Rc::new(codec))
    }

    /// The kind, which decides the position in a chain.
    pub fn kind(&self) -> CodecKind {
        match self {
            Self::ArrayToArray(_) => CodecKind::ArrayToArray,
            Self::ArrayToBytes(_) => CodecKind::ArrayToBytes,
            Self::BytesToBytes(_) => CodecKind::BytesToBytes,
        }
    }
}

/// Writes the kind only. Debug texts of every codec would make the WebAssembly module larger.
impl Debug for Codec {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.kind().fmt(f)
    }
}

/// An array → array codec.
pub trait ArrayToArray {
    /// The chunk as the next codec sees it.
    fn encoded(&self) -> &ChunkRepresentation;

    /// For codecs that only transpose: `order[i]` is the decoded dimension that encoded dimension
    /// `i` holds. The pipeline then permutes strides and moves no element.
    fn permutation(&self) -> Option<&[usize]> {
        None
    }

    /// Decodes elements. They are packed in C order on both sides.
    ///
    /// # Errors
    /// `Format` for elements that this codec cannot have encoded.
    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes>;

    /// Encodes elements for the next codec. They are packed in C order on both sides.
    ///
    /// # Errors
    /// `Argument` for values that this codec cannot represent.
    fn encode(&self, decoded: ArrayBytes) -> Result<ArrayBytes>;
}

/// An array → bytes codec.
pub trait ArrayToBytes {
    /// The exact length of the encoded bytes; `None` when it depends on the elements.
    fn encoded_len(&self) -> Option<u64> {
        None
    }

    /// Decodes bytes to elements, packed in C order, little-endian.
    ///
    /// # Errors
    /// `Format` for bytes that this codec cannot have encoded.
    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes>;

    /// Encodes elements to bytes.
    ///
    /// # Errors
    /// `Argument` for values that this codec cannot represent.
    fn encode(&self, decoded: &ArrayBytes) -> Result<Vec<u8>>;

    /// For codecs that store elements of a fixed size packed in C order: what a copy of the encoded
    /// bytes still needs. The pipeline then decodes in place, and may read byte ranges of an
    /// uncompressed chunk.
    fn packed(&self) -> Option<Packed> {
        None
    }

    /// For `sharding_indexed`: lets the planner read the index and request single inner chunks.
    fn sharding(&self) -> Option<&sharding::Sharding> {
        None
    }

    /// For codecs that contain a chain, if user codecs are in it. Then only the functions of the
    /// result run the codec.
    fn with_user_codecs(&self) -> Option<&dyn PollArrayToBytes> {
        None
    }
}

/// An array → bytes codec that contains a chain. It is pending while a user codec of the chain has
/// not answered.
pub trait PollArrayToBytes {
    /// As [`ArrayToBytes::decode`].
    ///
    /// # Errors
    /// As [`ArrayToBytes::decode`].
    fn poll_decode(&self, encoded: &[u8], calls: &mut CodecCalls) -> Poll<Result<ArrayBytes>>;

    /// As [`ArrayToBytes::encode`].
    ///
    /// # Errors
    /// As [`ArrayToBytes::encode`].
    fn poll_encode(&self, decoded: &ArrayBytes, calls: &mut CodecCalls) -> Poll<Result<Vec<u8>>>;
}

/// How stored packed elements differ from decoded ones, which are little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The numbers in each element whose bytes are in reverse order.
    pub swap: Vec<Run>,
    /// The narrow numbers in each element, such as `int4`. Their unused stored bits may hold
    /// anything.
    pub narrow: Vec<Run>,
}

impl Packed {
    /// Turns stored elements into decoded ones.
    pub fn decode_in_place(&self, elements: &mut [u8], element_size: usize) {
        run::swap_all(elements, element_size, &self.swap);
        run::extend_all(elements, element_size, &self.narrow);
    }
}

/// A bytes → bytes codec.
pub trait BytesToBytes {
    /// The exact length of the encoded bytes; `None` when it does not follow from the decoded
    /// length.
    fn encoded_len(&self, decoded: u64) -> Option<u64> {
        let _ = decoded;
        None
    }

    /// Decodes bytes.
    ///
    /// # Errors
    /// `Format` for corrupt or truncated bytes and for a length other than that of an exact output,
    /// `Limit` for a growing output that would pass its limit. Hostile bytes cannot make the
    /// decoder use more memory than the output and a constant.
    fn decode(&self, encoded: &[u8], output: Output<'_>) -> Result<()>;

    /// Whether [`decode_runs`](Self::decode_runs) can decode a part.
    fn decodes_runs(&self) -> bool {
        false
    }

    /// Decodes at least these runs of the decoded bytes (ascending, disjoint) to the same positions
    /// in `output`, which has the decoded length. The other bytes of `output` are undefined.
    /// `None`: this codec can only decode the whole.
    fn decode_runs(&self, encoded: &[u8], runs: &[Range<usize>], output: &mut [u8]) -> Option<Result<()>> {
        let _ = (encoded, runs, output);
        None
    }

    /// Applies the codec.
    ///
    /// # Errors
    /// `Unsupported` where this build has no encoder.
    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>>;

    /// For codecs that contain a chain, if user codecs are in it. Then only the functions of the
    /// result run the codec.
    fn with_user_codecs(&self) -> Option<&dyn PollBytesToBytes> {
        None
    }
}

/// A bytes → bytes codec that contains a chain. It is pending while a user codec of the chain has
/// not answered.
pub trait PollBytesToBytes {
    /// As [`BytesToBytes::decode`].
    ///
    /// # Errors
    /// As [`BytesToBytes::decode`].
    fn poll_decode(&self, encoded: &[u8], output: Output<'_>, calls: &mut CodecCalls) -> Poll<Result<()>>;

    /// As [`BytesToBytes::encode`].
    ///
    /// # Errors
    /// As [`BytesToBytes::encode`].
    fn poll_encode(&self, decoded: &[u8], calls: &mut CodecCalls) -> Poll<Result<Vec<u8>>>;
}
