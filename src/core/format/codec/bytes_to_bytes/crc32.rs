//! `crc32`: the checksum of zlib and Ethernet, before the bytes unless `location` is `end`.
//! <https://numcodecs.readthedocs.io/en/stable/checksum32.html>

use zlib_rs::crc32::crc32;

use super::checksum::{Checksum, Location};
use crate::error::Result;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};

/// Binds the codec. Its configuration: `location`.
///
/// # Errors
/// `Format` for an unknown location.
pub fn bind(configuration: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    let location = Location::read(configuration, Location::Start)?;
    Ok(Checksum::codec(location, |bytes| crc32(0, bytes)))
}
