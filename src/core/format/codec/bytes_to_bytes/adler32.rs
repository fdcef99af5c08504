//! `adler32`: the checksum of zlib streams, before the bytes unless `location` is `end`.
//! <https://numcodecs.readthedocs.io/en/stable/checksum32.html>

use zlib_rs::adler32::adler32;

use super::checksum::{Checksum, Location};
use crate::error::Result;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};

/// The checksum of no bytes (RFC 1950).
pub(super) const ADLER_START: u32 = 1;

/// Binds the codec. Its configuration: `location`.
///
/// # Errors
/// `Format` for an unknown location.
pub fn bind(configuration: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    let location = Location::read(configuration, Location::Start)?;
    Ok(Checksum::codec(location, |bytes| adler32(ADLER_START, bytes)))
}
