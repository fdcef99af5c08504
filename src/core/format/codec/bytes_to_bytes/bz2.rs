//! `bz2`: one or several bzip2 streams.
//! <https://numcodecs.readthedocs.io/en/stable/compress/bz2.html>
//!
//! The checksums of every block and stream are verified.

use std::io::Read;

use bzip2::Compression;
use bzip2::bufread::{BzEncoder, MultiBzDecoder};

use super::drain::{damaged, drain};
use super::require_encoders;
use crate::error::Result;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{BytesToBytes, ChunkRepresentation, Codec, Output};

struct Bz2 {
    level: u32,
}

/// Binds the codec. Its configuration: `level`.
///
/// # Errors
/// None: only encoding needs a valid level.
pub fn bind(configuration: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    let level = configuration.for_encoder(configuration.integer("level", 1..=9)).unwrap_or(1);
    Ok(Codec::bytes_to_bytes(Bz2 { level: u32::try_from(level).unwrap_or(1) }))
}

impl BytesToBytes for Bz2 {
    fn decode(&self, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
        drain(&mut MultiBzDecoder::new(encoded), &mut output, "bzip2 stream")
    }

    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        require_encoders()?;
        let mut encoded = Vec::new();
        let read = BzEncoder::new(decoded, Compression::new(self.level)).read_to_end(&mut encoded);
        read.map_err(|error| damaged(&error, "bzip2 stream"))?;
        Ok(encoded)
    }
}
