//! The header of a Blosc 1 frame: sixteen bytes. The checks are those of c-blosc 1.21
//! (`blosc_run_decompression_with_context`). In addition the frame must not be longer than its
//! bytes, as `blosc_cbuffer_validate` demands. Bytes after the frame are ignored, because z5py
//! stored them.

use super::compressor::Compressor;
use crate::error::{Error, Result};
use crate::format::codec::bytes_to_bytes::{check_ratio, split, truncated};
use crate::format::tolerated::Form;
use crate::limits::to_usize;

/// The length of the header, which is also the most that a frame adds to its content.
pub(super) const LEN: usize = 16;

/// The version of the container, which Blosc 1 has written since 2010.
pub(super) const VERSION: u8 = 2;

/// The version of every compressor's format.
pub(super) const COMPRESSOR_VERSION: u8 = 1;

/// The bits of the flags. The three highest bits are the compressor.
pub(super) mod flag {
    pub(in super::super) const BYTE_SHUFFLE: u8 = 0x01;
    pub(in super::super) const COPIED: u8 = 0x02;
    pub(in super::super) const BIT_SHUFFLE: u8 = 0x04;
    pub(in super::super) const RESERVED: u8 = 0x08;
    pub(in super::super) const NOT_SPLIT: u8 = 0x10;
    pub(in super::super) const COMPRESSOR_SHIFT: u32 = 5;
}

/// The maximal size of elements whose blocks are split, one stream for each byte of an element.
const MAX_SPLITS: usize = 16;

/// The minimal length of a stream of a split block.
const MIN_STREAM: usize = 128;

/// What happens to a block before it is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockShuffle {
    None,
    Bytes,
    Bits,
}

/// A checked header.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameHeader {
    /// The flags: see [`flag`].
    flags: u8,
    /// The bytes of an element.
    pub(super) typesize: usize,
    /// The bytes of the content.
    pub(super) decoded_len: usize,
    /// The bytes of a block's content. The last block may be shorter.
    pub(super) blocksize: usize,
    /// The compressor; `None` for a copied or empty frame.
    pub(super) compressor: Option<Compressor>,
}

impl FrameHeader {
    /// Parses the header. Returns the frame without the bytes after it.
    pub(super) fn parse(bytes: &[u8]) -> Result<(Self, &[u8])> {
        let (header, _) = split::<LEN>(bytes).ok_or_else(|| truncated("blosc header"))?;
        let [version, compressor_version, flags, typesize, sizes @ ..] = header;
        if version != VERSION {
            return Err(wrong_version(version));
        }
        let (sizes, _) = sizes.as_chunks::<4>();
        let size =
            |idx: usize| to_usize(sizes.get(idx).map_or(0, |size| u32::from_le_bytes(*size)).into(), "blosc");
        let (decoded_len, blocksize, encoded_len) = (size(0)?, size(1)?, size(2)?);
        let frame = bytes.get(..encoded_len).filter(|frame| frame.len() >= LEN).ok_or_else(|| {
            wrong("the blosc frame has another length than its header says", encoded_len, bytes.len())
        })?;
        let mut header = Self { flags, typesize: typesize.into(), decoded_len, blocksize, compressor: None };
        header.check_sizes(encoded_len)?;
        if !header.is_copied() && decoded_len > 0 {
            header.compressor = Some(Compressor::from_format(flags >> flag::COMPRESSOR_SHIFT)?);
            if compressor_version != COMPRESSOR_VERSION {
                let found = usize::from(compressor_version);
                return Err(wrong("the blosc frame has an unknown version of its compressor", 1, found));
            }
        }
        if frame.len() < bytes.len() {
            Form::BloscTrailing.note();
        }
        Ok((header, frame))
    }

    #[allow(clippy::arithmetic_side_effects, reason = "the frame has at least the LEN bytes of its header")]
    fn check_sizes(&self, encoded_len: usize) -> Result<()> {
        if self.flags & flag::RESERVED != 0 {
            return Err(Error::format("the blosc header has a flag that Blosc 1 does not have"));
        }
        if self.decoded_len == 0 {
            return Ok(());
        }
        if self.typesize == 0 {
            return Err(Error::format("the blosc header declares elements of zero bytes"));
        }
        if self.blocksize == 0 || self.blocksize > self.decoded_len {
            let expected = format!("1 to {}", self.decoded_len);
            let error = Error::format("the blosc header has an impossible block size");
            return Err(error.expected(expected).actual(self.blocksize.to_string()));
        }
        if self.is_copied() {
            return match encoded_len - LEN {
                len if len == self.decoded_len => Ok(()),
                len => Err(wrong(
                    "the copied blosc frame has another length than its content",
                    self.decoded_len,
                    len,
                )),
            };
        }
        if self.block_count() > (encoded_len - LEN) / 4 {
            return Err(truncated("blosc block table"));
        }
        Ok(())
    }

    /// Refuses a content length that the compressor cannot reach with so few bytes.
    pub(super) fn check_plausible(&self, encoded_len: usize) -> Result<()> {
        let ratio = self.compressor.map_or(1, Compressor::best_ratio);
        check_ratio(encoded_len, self.decoded_len as u64, ratio)
    }

    /// Whether the content is stored without compression.
    pub(super) fn is_copied(&self) -> bool {
        self.flags & flag::COPIED != 0
    }

    pub(super) fn block_count(&self) -> usize {
        if self.decoded_len == 0 { 0 } else { self.decoded_len.div_ceil(self.blocksize) }
    }

    /// The shuffle of a block of `len` bytes. c-blosc ignores a flag that does not apply to the
    /// block.
    pub(super) fn shuffle(&self, len: usize) -> BlockShuffle {
        if self.flags & flag::BYTE_SHUFFLE != 0 && self.typesize > 1 {
            BlockShuffle::Bytes
        } else if self.flags & flag::BIT_SHUFFLE != 0 && len >= self.typesize {
            BlockShuffle::Bits
        } else {
            BlockShuffle::None
        }
    }

    /// The number of streams of a block of `len` bytes. The shorter last block has one.
    pub(super) fn stream_count(&self, len: usize) -> usize {
        let split = self.flags & flag::NOT_SPLIT == 0 && len == self.blocksize;
        if split && can_split(self.typesize, self.blocksize) { self.typesize } else { 1 }
    }
}

/// Whether blocks are long enough, and elements small enough, to split blocks into streams.
pub(super) fn can_split(typesize: usize, blocksize: usize) -> bool {
    typesize <= MAX_SPLITS && blocksize.checked_div(typesize).is_some_and(|stream| stream >= MIN_STREAM)
}

fn wrong(message: &str, expected: usize, actual: usize) -> Error {
    Error::format(message).expected(expected.to_string()).actual(actual.to_string())
}

fn wrong_version(version: u8) -> Error {
    match version {
        // c-blosc2 writes 5; its pre-releases wrote 3 and 4.
        3..=5 => Error::unsupported("the frame is of Blosc 2").expected("Blosc 1"),
        _ => wrong("the blosc frame has an unknown version", VERSION.into(), version.into()),
    }
}
