//! Codecs: how a chunk becomes bytes and back. <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/index.html>
//!
//! A codec lives through three stages. **Parse**: JSON → [`Spec`] ([`registry`] finds the module by name).
//! **Bind**: spec + data type + shape → a bound codec; all validation happens here, once. **Decode / encode**: many
//! times, on bytes that may be hostile. A chain of bound codecs is a [`pipeline::Pipeline`].

pub mod array_bytes;
pub mod array_to_array;
pub mod array_to_bytes;
pub mod bytes_to_bytes;
pub mod configuration;
mod cut;
mod elsewhere;
pub mod pipeline;
pub mod refused;
pub mod registry;
pub mod sharding;
pub mod user;

use std::fmt::{Debug, Formatter};
use std::ops::Range;

pub use array_bytes::ArrayBytes;
pub use registry::CodecKind;

use crate::error::{Error, Result};
use crate::format::data_type::{DataType, FillValue, Run, run};
use crate::limits;

/// What flows into or out of a codec that sees arrays: the specification's "chunk representation".
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
    /// How many elements.
    ///
    /// # Errors
    /// `Limit` when the product of the shape does not fit 64 bits.
    pub fn element_count(&self) -> Result<u64> {
        limits::product(self.shape.iter().copied(), "chunk")
    }

    /// How many bytes when packed; `None` for types of variable length.
    ///
    /// # Errors
    /// `Limit` when it does not fit 64 bits.
    pub fn byte_len(&self) -> Result<Option<u64>> {
        match self.data_type.size() {
            Some(size) => limits::product([self.element_count()?, size as u64], "chunk").map(Some),
            None => Ok(None),
        }
    }
}

/// Where a bytes-to-bytes decoder puts what it decodes.
pub enum Output<'a> {
    /// The decoded size is known from the metadata: fill this exactly; more or fewer bytes are a `Format` error.
    Exact(&'a mut [u8]),
    /// It is not (a codec of variable size stands before): append, but never beyond `limit` bytes in all.
    Growing {
        /// Emptied by the caller, reused between chunks.
        buf: &'a mut Vec<u8>,
        /// Enforced before allocation.
        limit: usize,
    },
}

impl Output<'_> {
    /// Puts `bytes` out in one copy: for decoders whose result already stands somewhere.
    ///
    /// # Errors
    /// `Format` on a length other than the exact one, `Limit` beyond the limit.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.reserve(bytes.len() as u64)?.copy_from_slice(bytes);
        Ok(())
    }

    /// The slice to decode `len` bytes into, for decoders that learn the decoded size from their own header.
    ///
    /// # Errors
    /// `Format` on a length other than the exact one, `Limit` beyond the limit; before anything is allocated.
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

/// The error of a decoder whose output is not as long as the metadata promises.
pub fn wrong_decoded_len(expected: u64, actual: u64) -> Error {
    Error::format("chunk decodes to the wrong number of bytes")
        .expected(format!("{expected} bytes"))
        .actual(format!("{actual} bytes"))
}

/// A parsed codec, not yet bound to a data type and shape.
pub enum Spec {
    /// Array → array, such as `transpose`.
    ArrayToArray(Box<dyn ArrayToArraySpec>),
    /// Array → bytes, such as `bytes` and `sharding_indexed`; a chain has exactly one.
    ArrayToBytes(Box<dyn ArrayToBytesSpec>),
    /// Bytes → bytes, such as `gzip`. Most need no binding; see [`BytesToBytesSpec`].
    BytesToBytes(Box<dyn BytesToBytesSpec>),
}

/// The kind alone: each codec's own words would be code that every reader downloads.
impl Debug for Spec {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::ArrayToArray(_) => "ArrayToArray",
            Self::ArrayToBytes(_) => "ArrayToBytes",
            Self::BytesToBytes(_) => "BytesToBytes",
        })
    }
}

/// A parsed array → array codec.
pub trait ArrayToArraySpec {
    /// Validates against what it will see, and resolves everything that depends on it.
    ///
    /// # Errors
    /// `Format` when the configuration does not fit the data type or shape, `Unsupported` when we cannot.
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn ArrayToArray>>;
}

/// A parsed array → bytes codec.
pub trait ArrayToBytesSpec {
    /// As [`ArrayToArraySpec::bind`].
    ///
    /// # Errors
    /// As there.
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn ArrayToBytes>>;
}

/// A parsed bytes → bytes codec.
pub trait BytesToBytesSpec {
    /// As [`ArrayToArraySpec::bind`]. `decoded` is the chunk as the array → bytes codec saw it: blosc takes its default
    /// type size from it when encoding.
    ///
    /// # Errors
    /// As there.
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn BytesToBytes>>;
}

/// A bound array → array codec.
pub trait ArrayToArray {
    /// What the next codec sees.
    fn encoded(&self) -> &ChunkRepresentation;

    /// For a pure transposition: `order[i]` is the decoded dimension that stands at encoded dimension `i`. The pipeline then
    /// never moves an element; it permutes strides.
    fn permutation(&self) -> Option<&[usize]> {
        None
    }

    /// Back to what the previous codec (or the user) saw. Elements are packed in C order on both sides.
    ///
    /// # Errors
    /// `Format` for bytes that cannot have been encoded.
    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes>;

    /// To what the next codec sees.
    ///
    /// # Errors
    /// `Argument` for values that this codec cannot represent.
    fn encode(&self, decoded: ArrayBytes) -> Result<ArrayBytes>;
}

/// A bound array → bytes codec.
pub trait ArrayToBytes {
    /// Exact length of the encoded bytes, where it follows from the representation.
    fn encoded_len(&self) -> Option<u64>;

    /// Bytes → elements, packed in C order, little-endian.
    ///
    /// # Errors
    /// `Format` for bytes that cannot have been encoded.
    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes>;

    /// Elements → bytes.
    ///
    /// # Errors
    /// `Argument` for values that this codec cannot represent.
    fn encode(&self, decoded: &ArrayBytes) -> Result<Vec<u8>>;

    /// For codecs that store elements of a fixed size packed in C order: what remains to be done to a copy of the encoded
    /// bytes. The pipeline then decodes in place, and may read byte ranges of an uncompressed chunk.
    fn packed(&self) -> Option<Packed> {
        None
    }

    /// For `sharding_indexed`: the planner reads the index and asks for inner chunks.
    fn sharding(&self) -> Option<&sharding::Sharding> {
        None
    }
}

/// How packed elements differ from ours (little-endian).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Numbers in each element whose bytes are to be reversed.
    pub swap: Vec<Run>,
    /// Narrow numbers in each element whose unused bits may hold anything.
    pub narrow: Vec<Run>,
}

impl Packed {
    /// Turns stored elements into ours.
    pub fn decode_in_place(&self, elements: &mut [u8], element_size: usize) {
        run::swap_all(elements, element_size, &self.swap);
        run::extend_all(elements, element_size, &self.narrow);
    }
}

/// A bound bytes → bytes codec.
pub trait BytesToBytes {
    /// Exact length of the encoded bytes, where it follows from the decoded length (checksums), else `None`.
    fn encoded_len(&self, decoded: u64) -> Option<u64> {
        let _ = decoded;
        None
    }

    /// Undoes the codec.
    ///
    /// # Errors
    /// `Format` for corrupt or truncated bytes and for a length other than an exact output's, `Limit` for a growing output
    /// that would pass its limit. Whatever the bytes, memory stays within the output and a constant.
    fn decode(&self, encoded: &[u8], output: Output<'_>) -> Result<()>;

    /// Whether [`decode_runs`](Self::decode_runs) can.
    fn decodes_runs(&self) -> bool {
        false
    }

    /// Decodes at least these runs of the decoded bytes (ascending, disjoint) into their places in `output`, which has the
    /// decoded length; the rest of `output` is left in any state. `None`: this codec can only decode whole.
    fn decode_runs(&self, encoded: &[u8], runs: &[Range<usize>], output: &mut [u8]) -> Option<Result<()>> {
        let _ = (encoded, runs, output);
        None
    }

    /// Applies the codec.
    ///
    /// # Errors
    /// `Unsupported` where this build has no encoder.
    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>>;
}
