//! `adler32`: the checksum of zlib streams, before the bytes unless `location` is `end`.
//! <https://numcodecs.readthedocs.io/en/stable/checksum32.html>

use zlib_rs::adler32::adler32;

use super::checksum::{Checksum, Location};
use crate::error::Result;
use crate::format::codec::Spec;
use crate::format::codec::configuration::Configuration;

/// The checksum of no bytes (RFC 1950).
pub(super) const ADLER_START: u32 = 1;

/// Parses the configuration: `location`.
///
/// # Errors
/// `Format` for an unknown location.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    let location = Location::read(configuration)?;
    Ok(Spec::BytesToBytes(Box::new(Checksum { location, sum: |bytes: &[u8]| adler32(ADLER_START, bytes) })))
}
