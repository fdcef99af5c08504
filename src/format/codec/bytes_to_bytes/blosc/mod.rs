//! `blosc`: the Blosc 1 container. <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/blosc/index.html>,
//! <https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst>
//!
//! The bytes are cut into blocks; each is shuffled, perhaps split into one stream for each byte of an element, and
//! compressed. [`header`] knows the sixteen bytes in front, [`decode`] and [`encode`] the blocks, [`compressor`] the five
//! compressors inside, of which [`blosclz`] is Blosc's own. A reader believes the header, never the configuration.
//! Deliberately without Blosc 2, whose frames have another version and are refused by name.

mod blosclz;
mod compressor;
mod decode;
mod encode;
mod header;

use std::ops::Range;

use compressor::Compressor;
use decode::Decoder;
use encode::Encoder;
use header::{Header, Shuffle};

use crate::error::Result;
use crate::format::codec::configuration::{Configuration, Spelling};
use crate::format::codec::{BytesToBytes, BytesToBytesSpec, ChunkRepresentation, Output, Spec};
use crate::limits;

/// The configuration, which only an encoder needs. `None` is "as fits the data type".
#[derive(Clone, Copy, Debug)]
struct BloscSpec {
    compressor: Compressor,
    /// `lz4hc`: LZ4 with larger blocks.
    high_compression: bool,
    level: u8,
    shuffle: Option<Shuffle>,
    typesize: Option<usize>,
    blocksize: Option<usize>,
}

/// What `cname` may be: the compressor, and whether it is LZ4's patient variant.
const COMPRESSORS: [(&str, (Compressor, bool)); 6] = [
    ("blosclz", (Compressor::BloscLz, false)),
    ("lz4", (Compressor::Lz4, false)),
    ("lz4hc", (Compressor::Lz4, true)),
    ("snappy", (Compressor::Snappy, false)),
    ("zlib", (Compressor::Zlib, false)),
    ("zstd", (Compressor::Zstd, false)),
];

/// What `shuffle` may be in v3.
const SHUFFLES: [(&str, Shuffle); 3] =
    [("noshuffle", Shuffle::None), ("shuffle", Shuffle::Bytes), ("bitshuffle", Shuffle::Bits)];

/// Reads the configuration. Fields that only a writer needs may be missing.
///
/// # Errors
/// `Format` for values that Blosc does not have.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    let (compressor, high_compression) =
        configuration.choice("cname", &COMPRESSORS)?.unwrap_or((Compressor::Lz4, false));
    let level = configuration.integer("clevel", 0..=9)?.unwrap_or(5);
    let shuffle = match configuration.spelling() {
        Spelling::Zarr => configuration.choice("shuffle", &SHUFFLES)?,
        Spelling::Numcodecs => match configuration.integer("shuffle", -1..=2)?.unwrap_or(1) {
            0 => Some(Shuffle::None),
            1 => Some(Shuffle::Bytes),
            2 => Some(Shuffle::Bits),
            _ => None,
        },
    };
    // 0 is "not given": written by early releases of zarr-python 3, and by numcodecs for the block size.
    let size = |field| -> Result<Option<usize>> {
        let size = configuration.integer(field, 0..=i64::from(i32::MAX))?.filter(|&size| size > 0);
        size.map(|size| limits::to_usize(size.unsigned_abs(), field)).transpose()
    };
    Ok(Spec::BytesToBytes(Box::new(BloscSpec {
        compressor,
        high_compression,
        level: u8::try_from(level).unwrap_or(9),
        shuffle,
        typesize: size("typesize")?,
        blocksize: size("blocksize")?,
    })))
}

impl BytesToBytesSpec for BloscSpec {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn BytesToBytes>> {
        let typesize = self.typesize.or(decoded.data_type.size()).unwrap_or(1);
        let automatic = if typesize == 1 { Shuffle::Bits } else { Shuffle::Bytes };
        let encoder = Encoder {
            compressor: self.compressor,
            high_compression: self.high_compression,
            level: self.level,
            shuffle: self.shuffle.unwrap_or(automatic),
            typesize,
            blocksize: self.blocksize,
        };
        Ok(Box::new(Blosc { encoder, decoder: Decoder::default() }))
    }
}

struct Blosc {
    encoder: Encoder,
    decoder: Decoder,
}

impl BytesToBytes for Blosc {
    fn decode(&self, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
        let header = Header::parse(encoded)?;
        if matches!(output, Output::Growing { .. }) {
            header.check_plausible(encoded.len())?;
        }
        let target = output.reserve(header.decoded_len as u64)?;
        self.decoder.decode_blocks(&header, encoded, 0..header.block_count(), target)
    }

    fn decode_runs(&self, encoded: &[u8], runs: &[Range<usize>], output: &mut [u8]) -> Option<Result<()>> {
        Some(Header::parse(encoded).and_then(|header| {
            let mut output = Output::Exact(output);
            let target = output.reserve(header.decoded_len as u64)?;
            self.decoder.decode_runs(&header, encoded, runs, target)
        }))
    }

    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        self.encoder.encode(decoded)
    }
}
