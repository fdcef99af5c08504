//! The compressors in a Blosc frame, by their numbers in its header.

use super::blosclz;
use crate::error::{Error, Result};
use crate::format::codec::Output;
use crate::format::codec::bytes_to_bytes::inflate::{self, Inflater};
use crate::format::codec::bytes_to_bytes::{lz4, snappy, zlib, zstd};

/// The compressor of the streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compressor {
    BloscLz,
    /// Also `lz4hc`, which writes the same format with a slower search.
    Lz4,
    Snappy,
    Zlib,
    Zstd,
}

impl Compressor {
    /// The compressor with this number.
    pub(super) fn from_format(format: u8) -> Result<Self> {
        [Self::BloscLz, Self::Lz4, Self::Snappy, Self::Zlib, Self::Zstd]
            .into_iter()
            .find(|compressor| compressor.format() == format)
            .ok_or_else(|| {
                Error::unsupported("the blosc frame has an unknown compressor")
                    .expected("0 to 4")
                    .actual(format.to_string())
            })
    }

    /// The number of the compressor in the header.
    pub(super) fn format(self) -> u8 {
        match self {
            Self::BloscLz => 0,
            Self::Lz4 => 1,
            Self::Snappy => 2,
            Self::Zlib => 3,
            Self::Zstd => 4,
        }
    }

    /// The maximal ratio of decoded to encoded bytes.
    pub(super) fn best_ratio(self) -> u64 {
        match self {
            Self::BloscLz => blosclz::BEST_RATIO,
            Self::Lz4 => lz4::BEST_RATIO,
            Self::Snappy => snappy::BEST_RATIO,
            Self::Zlib => inflate::BEST_RATIO,
            Self::Zstd => zstd::BEST_RATIO,
        }
    }
}

/// The decoders' state, reused from stream to stream.
#[derive(Default)]
pub(super) struct Decoders {
    inflater: Inflater,
    zstd: zstd::LazyDecompressor,
}

impl Decoders {
    /// Decodes one stream, which must fill `output`.
    pub(super) fn decode(&self, compressor: Compressor, stream: &[u8], output: &mut [u8]) -> Result<()> {
        match compressor {
            Compressor::BloscLz => blosclz::decode(stream, output),
            Compressor::Lz4 => lz4::decode_block(stream, output),
            Compressor::Snappy => snappy::decode_exact(stream, output),
            Compressor::Zlib => zlib::decode(&self.inflater, stream, Output::Exact(output)),
            Compressor::Zstd => self.zstd.decode_exact(stream, output),
        }
    }
}
