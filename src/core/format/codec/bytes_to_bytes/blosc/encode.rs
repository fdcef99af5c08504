//! Encodes bytes to a Blosc frame that c-blosc 1 reads, with c-blosc's block sizes and splits.
//! Content that does not shrink is copied.
//!
//! The bytes differ from those of c-blosc, because the compressors are other implementations.

use super::blosclz;
use super::compressor::Compressor;
use super::header::{self, BlockShuffle, can_split, flag};
use crate::error::{Error, Result};
use crate::format::codec::bytes_to_bytes::{lz4, require_encoders, zlib, zstd};
use crate::kernel::bitshuffle::bitshuffle;
use crate::kernel::shuffle::shuffle;
use crate::limits;

/// Shorter content is copied.
const MIN_CONTENT: usize = 128;

/// The maximal length of the content: sizes are signed in C.
const MAX_CONTENT: u64 = i32::MAX as u64 - header::LEN as u64;

/// Larger elements are encoded as single bytes.
const MAX_TYPESIZE: usize = 255;

/// The size of a typical level-1 cache, from which block sizes are computed.
const CACHE: usize = 32 << 10;

/// The parameters of the encoder.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameEncoder {
    pub(super) compressor: Compressor,
    /// Whether the compressor is `lz4hc`.
    pub(super) high_compression: bool,
    /// 0 (copy) to 9.
    pub(super) level: u8,
    pub(super) shuffle: BlockShuffle,
    pub(super) typesize: usize,
    /// The length of a block; `None` computes it from the level.
    pub(super) blocksize: Option<usize>,
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "MAX_CONTENT bounds the content, MAX_TYPESIZE the elements, 9 the level"
)]
impl FrameEncoder {
    /// Encodes one frame.
    pub(super) fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        require_encoders()?;
        limits::within(decoded.len() as u64, MAX_CONTENT, "content of a blosc frame")?;
        let encoder =
            Self { typesize: if self.typesize > MAX_TYPESIZE { 1 } else { self.typesize.max(1) }, ..*self };
        let compressed = if self.level == 0 || decoded.len() < MIN_CONTENT {
            None
        } else {
            encoder.compressed(decoded)?.filter(|frame| frame.len() <= decoded.len() + header::LEN)
        };
        match compressed {
            Some(frame) => Ok(frame),
            None => encoder.copied(decoded),
        }
    }

    fn copied(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        let mut frame = self.header(decoded.len(), flag::COPIED)?;
        frame.extend_from_slice(decoded);
        finish(frame)
    }

    /// Encodes compressed blocks; `None` as soon as the frame is longer than a copy.
    fn compressed(&self, decoded: &[u8]) -> Result<Option<Vec<u8>>> {
        let blocksize = self.block_len(decoded.len());
        let mut frame = self.header(decoded.len(), 0)?;
        let table = frame.len();
        frame.resize(table + decoded.len().div_ceil(blocksize) * 4, 0);
        let mut shuffled = Vec::new();
        for (idx, block) in decoded.chunks(blocksize).enumerate() {
            let start = to_u32(frame.len())?.to_le_bytes();
            frame.iter_mut().skip(table + idx * 4).zip(start).for_each(|(to, byte)| *to = byte);
            let streams = if self.splits(blocksize) && block.len() == blocksize { self.typesize } else { 1 };
            let content = self.shuffled(block, &mut shuffled);
            for stream in content.chunks_exact(block.len() / streams) {
                self.append_stream(stream, &mut frame)?;
            }
            if frame.len() > decoded.len() + header::LEN {
                return Ok(None);
            }
        }
        finish(frame).map(Some)
    }

    fn header(&self, decoded_len: usize, extra_flags: u8) -> Result<Vec<u8>> {
        let blocksize = self.block_len(decoded_len);
        let shuffle = match self.shuffle {
            BlockShuffle::None => 0,
            BlockShuffle::Bytes => flag::BYTE_SHUFFLE,
            BlockShuffle::Bits => flag::BIT_SHUFFLE,
        };
        let split = if self.splits(blocksize) { 0 } else { flag::NOT_SPLIT };
        let compressor = self.compressor.format() << flag::COMPRESSOR_SHIFT;
        let typesize = u8::try_from(self.typesize).unwrap_or(1);
        let mut frame = vec![
            header::VERSION,
            header::COMPRESSOR_VERSION,
            shuffle | split | compressor | extra_flags,
            typesize,
        ];
        for size in [decoded_len, blocksize, 0] {
            frame.extend_from_slice(&to_u32(size)?.to_le_bytes());
        }
        Ok(frame)
    }

    fn shuffled<'a>(&self, block: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
        let wanted = match self.shuffle {
            BlockShuffle::Bytes if self.typesize == 1 => BlockShuffle::None,
            BlockShuffle::Bits if block.len() < self.typesize => BlockShuffle::None,
            other => other,
        };
        if wanted == BlockShuffle::None {
            return block;
        }
        scratch.clear();
        scratch.resize(block.len(), 0);
        match wanted {
            BlockShuffle::Bytes => shuffle(block, self.typesize, scratch),
            _ => bitshuffle(block, self.typesize, scratch),
        }
        scratch
    }

    /// Appends the length of a stream and the stream. A stream that does not shrink is copied,
    /// which its length shows to decoders.
    fn append_stream(&self, stream: &[u8], frame: &mut Vec<u8>) -> Result<()> {
        let start_of_len = frame.len();
        frame.extend_from_slice(&[0; 4]);
        let start = frame.len();
        self.compress(stream, frame)?;
        if frame.len() == start || frame.len() - start >= stream.len() {
            frame.truncate(start);
            frame.extend_from_slice(stream);
        }
        let len = to_u32(frame.len() - start)?.to_le_bytes();
        frame.iter_mut().skip(start_of_len).zip(len).for_each(|(to, byte)| *to = byte);
        Ok(())
    }

    /// Compresses a stream and appends it; appends nothing if it does not shrink.
    fn compress(&self, stream: &[u8], frame: &mut Vec<u8>) -> Result<()> {
        match self.compressor {
            Compressor::BloscLz => blosclz::encode(stream, frame),
            Compressor::Lz4 => return lz4::encode_block(stream, frame),
            Compressor::Snappy => {
                let encoded = snap::raw::Encoder::new().compress_vec(stream);
                let encoded = encoded.map_err(|error| {
                    Error::limit("snappy cannot encode the chunk").actual(error.to_string())
                })?;
                frame.extend_from_slice(&encoded);
            }
            Compressor::Zlib => frame.extend_from_slice(&zlib::encode(stream, self.level)?),
            Compressor::Zstd => {
                let level = i32::from(self.level);
                // c-blosc's mapping: 1, 3, 5, … and zstd's highest levels for the last two.
                let level = if level < 8 { level * 2 - 1 } else { 4 + level * 2 };
                return zstd::encode(stream, level, false, frame);
            }
        }
        Ok(())
    }

    /// Whether whole blocks are split. c-blosc splits them for all compressors but zstd, so that
    /// its releases before 1.14 can read them.
    fn splits(&self, blocksize: usize) -> bool {
        self.compressor != Compressor::Zstd && can_split(self.typesize, blocksize)
    }

    /// `compute_blocksize` of c-blosc.
    fn block_len(&self, len: usize) -> usize {
        if len < self.typesize {
            return 1;
        }
        let mut blocksize = match self.blocksize {
            Some(wanted) => wanted.max(MIN_CONTENT),
            None if len >= CACHE => self.automatic_block_len(),
            None => len,
        };
        if self.level > 0 && self.splits(blocksize) {
            blocksize = (blocksize.min(1 << 18) * self.typesize).clamp(1 << 16, 1 << 20);
        }
        blocksize = blocksize.min(len);
        if blocksize > self.typesize { blocksize / self.typesize * self.typesize } else { blocksize }
    }

    fn automatic_block_len(&self) -> usize {
        let patient = self.high_compression || matches!(self.compressor, Compressor::Zlib | Compressor::Zstd);
        let unit = if patient { CACHE * 2 } else { CACHE };
        match self.level {
            0 => unit / 4,
            1 => unit / 2,
            2 => unit,
            3 => unit * 2,
            4 | 5 => unit * 4,
            9 if patient => unit * 16,
            _ => unit * 8,
        }
    }
}

/// Writes the length of the frame to its header.
fn finish(mut frame: Vec<u8>) -> Result<Vec<u8>> {
    let len = to_u32(frame.len())?.to_le_bytes();
    frame.iter_mut().skip(header::LEN - 4).zip(len).for_each(|(to, byte)| *to = byte);
    Ok(frame)
}

fn to_u32(size: usize) -> Result<u32> {
    u32::try_from(size).map_err(|_| Error::limit("blosc encodes less than 2 GiB"))
}
