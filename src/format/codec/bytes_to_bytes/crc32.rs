//! `crc32`: the checksum of zlib and Ethernet.
//! <https://numcodecs.readthedocs.io/en/stable/checksum32.html>
//!
//! It stands before the bytes, unless `location` says `end`.

use zlib_rs::crc32::crc32;

use super::checksum::{Checksum, Location};
use crate::error::Result;
use crate::format::codec::Spec;
use crate::format::codec::configuration::Configuration;

/// Reads the configuration: `location`.
///
/// # Errors
/// `Format` for an unknown location.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    let location = Location::read(configuration)?;
    Ok(Spec::BytesToBytes(Box::new(Checksum { location, sum: |bytes: &[u8]| crc32(0, bytes) })))
}
