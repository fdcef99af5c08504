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
use crate::format::codec::{BytesToBytes, BytesToBytesSpec, ChunkRepresentation, Output, Spec};

/// The configuration: `level`.
#[derive(Clone, Copy, Debug)]
struct Bz2 {
    level: u32,
}

/// Parses the configuration.
///
/// # Errors
/// None: only encoding needs a valid level.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    let level = configuration.for_encoder(configuration.integer("level", 1..=9)).unwrap_or(1);
    Ok(Spec::BytesToBytes(Box::new(Bz2 { level: u32::try_from(level).unwrap_or(1) })))
}

impl BytesToBytesSpec for Bz2 {
    fn bind(&self, _: &ChunkRepresentation) -> Result<Box<dyn BytesToBytes>> {
        Ok(Box::new(*self))
    }
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
