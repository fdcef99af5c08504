//! `n5_default`: N5's blocks. A header tells the shape of the block. The elements follow,
//! big-endian, the first dimension fastest, mostly compressed.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/n5_default>
//!
//! A block at the array's edge may be smaller than its chunk; the rest decodes to the fill value.
//! The encoder writes whole chunks. N5's other modes (variable length, objects) are refused.

use std::task::{Poll, ready};

use crate::error::{Error, Result};
use crate::format::codec::build::require_encoders;
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::kind::CodecKind;
use crate::format::codec::pipeline::{DecodedChunk, Elements, Pipeline, Scratch};
use crate::format::codec::registry::kind_of;
use crate::format::codec::sharding::codec_list;
use crate::format::codec::user::{BindResult, CodecCalls, OptionalUserCodecs, Unbound, without_user_codecs};
use crate::format::codec::{ArrayBytes, ArrayToBytes, ChunkRepresentation, Codec, PollArrayToBytes};
use crate::format::data_type::Endian;
use crate::format::dimension_order::{c_strides, signed_stride};
use crate::format::json::Json;
use crate::format::metadata::CodecMetadata;
use crate::kernel::fill::fill;
use crate::kernel::scatter::{Dim, Strided, scatter};
use crate::limits;

/// The maximal size of a block, in chunks. A larger block is cropped to its chunk, but its whole
/// size is allocated for decoding, and a hostile header can claim any size.
const MAX_CHUNKS: u64 = 16;
/// The size in bytes that a block of a small chunk may always have.
const MIN_LIMIT_BYTES: u64 = 1 << 20;

struct N5 {
    codecs: Vec<CodecMetadata>,
    users: OptionalUserCodecs,
    chunk: ChunkRepresentation,
    /// The bytes of an element.
    size: usize,
    /// The chain for blocks with the shape of the chunk.
    whole: Pipeline,
}

/// Binds the codec. Its configuration: `codecs`.
///
/// # Errors
/// `Format` unless the codecs are those of N5: transpose, bytes and at most one compressor.
/// `UnknownKind` as [`Pipeline::bind_with`].
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> BindResult<Codec> {
    let codecs = codec_list(configuration, "codecs")?;
    check_chain(&codecs, decoded.shape.len())?;
    let size = decoded.data_type.size();
    let size = size.ok_or_else(|| Error::format("n5_default encodes elements of one size only"))?;
    let users = configuration.users().clone();
    let whole = Pipeline::bind_with(&codecs, decoded.clone(), &users)?;
    Ok(Codec::array_to_bytes(N5 { codecs, users, chunk: decoded.clone(), size, whole }))
}

/// Checks that the codecs are those of N5: transpose to the reverse order, bytes in the order
/// `big`, and at most one compressor.
fn check_chain(codecs: &[CodecMetadata], rank: usize) -> Result<()> {
    let n5_codecs = match codecs {
        [transpose, bytes, rest @ ..] => {
            let compressors =
                rest.iter().all(|codec| kind_of(&codec.name, codec.format) != Some(CodecKind::ArrayToArray));
            let fits =
                transpose.name == "transpose" && bytes.name == "bytes" && rest.len() < 2 && compressors;
            fits.then_some((transpose, bytes))
        }
        _ => None,
    };
    let Some((transpose, bytes)) = n5_codecs else {
        let names: Vec<&str> = codecs.iter().map(|codec| codec.name.as_str()).collect();
        return Err(wrong_value("codecs", "transpose, bytes and at most one compressor", names.join(", ")));
    };
    if bytes.endian() == Some(Endian::Little) {
        return Err(wrong_value("codecs[1].configuration.endian", "big", Endian::Little.name()));
    }
    let reversed: Vec<u64> = (0..rank as u64).rev().collect();
    let order = transpose.document()?.root().object()?.read("order", Json::u64_list)?;
    if order.as_ref() != Some(&reversed) {
        let (expected, actual) = (format!("{reversed:?}"), format!("{:?}", order.unwrap_or_default()));
        return Err(wrong_value("codecs[0].configuration.order", expected, actual));
    }
    Ok(())
}

impl ArrayToBytes for N5 {
    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        without_user_codecs(|calls| self.poll_decode(encoded, calls))
    }

    fn encode(&self, decoded: &ArrayBytes) -> Result<Vec<u8>> {
        without_user_codecs(|calls| self.poll_encode(decoded, calls))
    }

    fn with_user_codecs(&self) -> Option<&dyn PollArrayToBytes> {
        self.whole.has_user_codecs().then_some(self as &dyn PollArrayToBytes)
    }
}

impl PollArrayToBytes for N5 {
    fn poll_decode(&self, encoded: &[u8], calls: &mut CodecCalls) -> Poll<Result<ArrayBytes>> {
        let (shape, content) = self.read_header(encoded)?;
        let block = ChunkRepresentation { shape, ..self.chunk.clone() };
        let most = self.chunk.byte_len()?.unwrap_or(0).saturating_mul(MAX_CHUNKS).max(MIN_LIMIT_BYTES);
        limits::within(block.byte_len()?.unwrap_or(u64::MAX), most.min(limits::CHUNK_BYTES), "N5 block")?;
        if block.shape == self.chunk.shape {
            return self.decode_block(&self.whole, &block.shape, content, calls);
        }
        let pipeline = Pipeline::bind_with(&self.codecs, block.clone(), &self.users);
        let pipeline = pipeline.map_err(Unbound::into_error)?;
        self.decode_block(&pipeline, &block.shape, content, calls)
    }

    fn poll_encode(&self, decoded: &ArrayBytes, calls: &mut CodecCalls) -> Poll<Result<Vec<u8>>> {
        require_encoders()?;
        let too_long = |_| {
            Error::argument(
                "an N5 block has at most 2^32 - 1 elements along each of at most 2^16 - 1 dimensions",
            )
        };
        let rank = u16::try_from(self.chunk.shape.len()).map_err(too_long)?;
        let mut encoded = vec![0, 0];
        encoded.extend_from_slice(&rank.to_be_bytes());
        for &len in &self.chunk.shape {
            encoded.extend_from_slice(&u32::try_from(len).map_err(too_long)?.to_be_bytes());
        }
        let mut elements = Vec::new();
        limits::reserve(&mut elements, decoded.fixed()?.len(), "chunk")?;
        elements.extend_from_slice(decoded.fixed()?);
        encoded.extend_from_slice(&ready!(self.whole.poll_encode(ArrayBytes::Fixed(elements), calls))?);
        Poll::Ready(Ok(encoded))
    }
}

impl N5 {
    /// The shape of the block, and the bytes after the header.
    fn read_header<'a>(&self, encoded: &'a [u8]) -> Result<(Vec<u64>, &'a [u8])> {
        let too_short = || Error::format("the N5 header is truncated");
        let (&[mode_high, mode_low, rank_high, rank_low], rest) =
            encoded.split_first_chunk().ok_or_else(too_short)?;
        let mode = u16::from_be_bytes([mode_high, mode_low]);
        if mode != 0 {
            return Err(Error::unsupported("only the default mode of N5 blocks is supported")
                .actual(mode.to_string()));
        }
        let rank = usize::from(u16::from_be_bytes([rank_high, rank_low]));
        if rank != self.chunk.shape.len() {
            let error = Error::format("the N5 block has another rank than the array");
            return Err(error.expected(self.chunk.shape.len().to_string()).actual(rank.to_string()));
        }
        let (dimensions, content) = rest.split_at_checked(4 * rank).ok_or_else(too_short)?;
        let shape: Vec<u64> =
            dimensions.as_chunks().0.iter().map(|len| u32::from_be_bytes(*len).into()).collect();
        if shape.contains(&0) {
            return Err(Error::format("the N5 block has no elements").actual(format!("{shape:?}")));
        }
        Ok((shape, content))
    }

    /// Decodes the block to the first corner of the chunk.
    fn decode_block(
        &self,
        pipeline: &Pipeline,
        shape: &[u64],
        content: &[u8],
        calls: &mut CodecCalls,
    ) -> Poll<Result<ArrayBytes>> {
        let whole: Vec<_> = shape.iter().map(|len| 0..*len).collect();
        let mut scratch = Scratch::default();
        let block = ready!(pipeline.poll_decode(content, &whole, &mut scratch, calls))?;
        Poll::Ready(self.in_chunk(shape, &block))
    }

    /// The chunk with the elements of the block in its first corner.
    fn in_chunk(&self, shape: &[u64], block: &DecodedChunk<'_>) -> Result<ArrayBytes> {
        let Elements::Fixed(elements) = block.elements else {
            return Err(Error::format("the N5 block has elements of variable length"));
        };
        let len = self.chunk.byte_len()?.unwrap_or(0);
        let mut chunk = limits::zeroed(len, limits::CHUNK_BYTES, "chunk")?;
        fill(&mut chunk, &self.chunk.fill_value.0);
        let mut dims = Vec::with_capacity(shape.len());
        let chunk_strides = c_strides(&self.chunk.shape, self.size)?;
        let lens = shape.iter().zip(&self.chunk.shape);
        for ((block_len, chunk_len), (src, dst)) in lens.zip(block.strides.iter().zip(chunk_strides)) {
            let count = limits::to_usize(*block_len.min(chunk_len), "chunk")?;
            let src = limits::product([*src as u64, self.size as u64], "chunk")?;
            let src_stride = signed_stride(limits::to_usize(src, "chunk")?)?;
            dims.push(Dim { count, src_stride, dst_stride: signed_stride(dst)? });
        }
        let plan = Strided { element_size: self.size, src_offset: 0, dst_offset: 0, dims: &dims };
        scatter(elements, &mut chunk, &plan)
            .map_err(|_| Error::format("the N5 block is shorter than its shape"))?;
        Ok(ArrayBytes::Fixed(chunk))
    }
}
