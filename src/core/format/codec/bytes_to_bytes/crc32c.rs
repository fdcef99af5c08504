//! `crc32c`: the bytes and their CRC-32C, little-endian.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/crc32c/index.html>
//!
//! The checksum is at the end; numcodecs can also put it at the start. Decoding verifies it.

use super::checksum::{Checksum, Location};
use crate::error::Result;
use crate::format::codec::configuration::{Configuration, Spelling};
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::kernel::crc32c::crc32c;

/// Binds the codec. Its configuration: `location` in numcodecs; v3 has no fields.
///
/// # Errors
/// `Format` for an unknown location.
pub fn bind(configuration: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    let location = match configuration.spelling() {
        Spelling::Zarr => Location::End,
        Spelling::Numcodecs => Location::read(configuration, Location::End)?,
    };
    Ok(Checksum::codec(location, crc32c))
}
