//! `crc32`: the checksum of zlib and Ethernet, before the bytes unless `location` is `end`.
//! <https://numcodecs.readthedocs.io/en/stable/checksum32.html>

use zlib_rs::crc32::crc32;

use super::checksum::{Checksum, Location};
use crate::error::Result;
use crate::format::codec::Spec;
use crate::format::codec::configuration::Configuration;

/// Parses the configuration: `location`.
///
/// # Errors
/// `Format` for an unknown location.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    let location = Location::read(configuration)?;
    Ok(Spec::BytesToBytes(Box::new(Checksum { location, sum: |bytes: &[u8]| crc32(0, bytes) })))
}
