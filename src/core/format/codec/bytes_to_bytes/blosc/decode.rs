//! Decodes the blocks of a Blosc frame: `blosc_d` of c-blosc 1.21.
//!
//! A block without a shuffle is decoded into the output. A shuffled block is decoded into a scratch
//! buffer first, unless it is stored without compression.

use std::cell::RefCell;
use std::ops::Range;

use super::compressor::{Compressor, Decoders};
use super::header::{BlockShuffle, FrameHeader, LEN};
use crate::error::{Error, Result};
use crate::format::codec::bytes_to_bytes::{split, truncated};
use crate::kernel::bitshuffle::bitunshuffle;
use crate::kernel::shuffle::unshuffle;
use crate::limits;

/// The decoders and buffers that are reused from frame to frame.
#[derive(Default)]
pub(super) struct FrameDecoder {
    decoders: Decoders,
    scratch: RefCell<Vec<u8>>,
}

impl FrameDecoder {
    /// Decodes the blocks that overlap these runs (ascending, disjoint) to their positions in
    /// `output`.
    pub(super) fn decode_runs(
        &self,
        header: &FrameHeader,
        frame: &[u8],
        runs: &[Range<usize>],
        output: &mut [u8],
    ) -> Result<()> {
        let mut done = 0;
        for run in runs.iter().filter(|run| !run.is_empty()) {
            let first = run.start.checked_div(header.blocksize).unwrap_or(0).max(done);
            let end = run.end.div_ceil(header.blocksize.max(1)).min(header.block_count());
            if first < end {
                self.decode_blocks(header, frame, first..end, output)?;
                done = end;
            }
        }
        Ok(())
    }

    /// Decodes these blocks to their positions in `output`, which has the length of the whole
    /// content.
    pub(super) fn decode_blocks(
        &self,
        header: &FrameHeader,
        frame: &[u8],
        blocks: Range<usize>,
        output: &mut [u8],
    ) -> Result<()> {
        let start = blocks.start.saturating_mul(header.blocksize);
        let end = blocks.end.saturating_mul(header.blocksize).min(header.decoded_len);
        let target = output.get_mut(start..end).unwrap_or_default();
        let Some(compressor) = header.compressor else {
            // A copied or empty frame. The lengths in the header were checked.
            let content = frame.get(LEN..).and_then(|content| content.get(start..end));
            target.copy_from_slice(content.ok_or_else(|| truncated("blosc frame"))?);
            return Ok(());
        };
        for (idx, block) in blocks.zip(target.chunks_mut(header.blocksize)) {
            let streams = block_streams(header, frame, idx)?;
            self.decode_block(header, compressor, streams, block)?;
        }
        Ok(())
    }

    fn decode_block(
        &self,
        header: &FrameHeader,
        compressor: Compressor,
        streams: &[u8],
        block: &mut [u8],
    ) -> Result<()> {
        let count = header.stream_count(block.len());
        let shuffle = header.shuffle(block.len());
        if shuffle == BlockShuffle::None {
            return self.decode_streams(compressor, count, streams, block);
        }
        if let (1, Some(stored)) = (count, stored_stream(streams, block.len())) {
            unshuffle_block(shuffle, header.typesize, stored, block);
            return Ok(());
        }
        let mut scratch = self.scratch.borrow_mut();
        limits::grow(&mut scratch, block.len(), "blosc block")?;
        let shuffled = scratch.get_mut(..block.len()).unwrap_or_default();
        self.decode_streams(compressor, count, streams, shuffled)?;
        unshuffle_block(shuffle, header.typesize, shuffled, block);
        Ok(())
    }

    /// Decodes `count` streams of equal decoded length, each after its encoded length, to `output`.
    fn decode_streams(
        &self,
        compressor: Compressor,
        count: usize,
        streams: &[u8],
        output: &mut [u8],
    ) -> Result<()> {
        let len = output.len().checked_div(count).filter(|_| output.len().is_multiple_of(count));
        let len = len
            .ok_or_else(|| Error::format("the length of the blosc block is not a multiple of its streams"))?;
        let mut rest = streams;
        for content in output.chunks_exact_mut(len.max(1)) {
            let (stream, after) = split_stream(rest)?;
            rest = after;
            if stream.len() == content.len() {
                content.copy_from_slice(stream);
            } else {
                self.decoders.decode(compressor, stream, content)?;
            }
        }
        Ok(())
    }
}

/// The bytes from the first stream of a block to the end of the frame.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "`FrameHeader` has checked that the table of blocks fits the frame"
)]
fn block_streams<'a>(header: &FrameHeader, frame: &'a [u8], idx: usize) -> Result<&'a [u8]> {
    let table = frame.get(LEN..).unwrap_or_default().as_chunks::<4>().0;
    let start = table.get(idx).ok_or_else(|| truncated("blosc block table"))?;
    let start = limits::to_usize(u32::from_le_bytes(*start).into(), "blosc block")?;
    let first = LEN + header.block_count() * 4;
    match frame.get(start..) {
        Some(streams) if start >= first => Ok(streams),
        _ => Err(Error::format("the blosc block is outside of its frame")
            .expected(format!("{first} to {}", frame.len()))
            .actual(start.to_string())),
    }
}

/// Splits off one stream.
fn split_stream(bytes: &[u8]) -> Result<(&[u8], &[u8])> {
    let (len, rest) = split(bytes).ok_or_else(|| truncated("blosc stream"))?;
    let len = limits::to_usize(u32::from_le_bytes(len).into(), "blosc stream")?;
    rest.split_at_checked(len).ok_or_else(|| truncated("blosc stream"))
}

/// The only stream of a block that is not compressed; `None` for other blocks.
fn stored_stream(streams: &[u8], len: usize) -> Option<&[u8]> {
    split_stream(streams).ok().map(|parts| parts.0).filter(|stream| stream.len() == len)
}

fn unshuffle_block(shuffle: BlockShuffle, typesize: usize, from: &[u8], to: &mut [u8]) {
    match shuffle {
        BlockShuffle::None => to.copy_from_slice(from),
        BlockShuffle::Bytes => unshuffle(from, typesize, to),
        BlockShuffle::Bits => bitunshuffle(from, typesize, to),
    }
}
