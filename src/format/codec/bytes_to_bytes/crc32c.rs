//! `crc32c`: the bytes and their CRC-32C, little-endian.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/crc32c/index.html>
//!
//! The checksum is at the end; numcodecs can also put it at the start. Decoding verifies it.

use super::checksum::Location;
use super::{check_sum, truncated};
use crate::error::Result;
use crate::format::codec::configuration::{Configuration, Spelling};
use crate::format::codec::{BytesToBytes, BytesToBytesSpec, ChunkRepresentation, Output, Spec};
use crate::kernel::crc32c::crc32c;
use crate::limits;

/// The bytes of a checksum.
const LEN: usize = 4;

/// The configuration: `location` in numcodecs; v3 has no fields.
#[derive(Clone, Copy, Debug)]
struct Crc32c {
    location: Location,
}

/// Parses the configuration.
///
/// # Errors
/// `Format` for an unknown location.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    let location = match configuration.spelling() {
        Spelling::Zarr => None,
        Spelling::Numcodecs => Location::read_optional(configuration)?,
    };
    Ok(Spec::BytesToBytes(Box::new(Crc32c { location: location.unwrap_or(Location::End) })))
}

impl BytesToBytesSpec for Crc32c {
    fn bind(&self, _: &ChunkRepresentation) -> Result<Box<dyn BytesToBytes>> {
        Ok(Box::new(*self))
    }
}

impl BytesToBytes for Crc32c {
    fn encoded_len(&self, decoded: u64) -> Option<u64> {
        decoded.checked_add(LEN as u64)
    }

    fn decode(&self, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
        let parts = match self.location {
            Location::Start => encoded.split_first_chunk::<LEN>().map(|(stored, bytes)| (bytes, stored)),
            Location::End => encoded.split_last_chunk::<LEN>(),
        };
        let (bytes, stored) = parts.ok_or_else(|| truncated("checksum"))?;
        check_sum(u32::from_le_bytes(*stored), crc32c(bytes))?;
        output.put(bytes)
    }

    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        let sum = crc32c(decoded).to_le_bytes();
        let parts: [&[u8]; 2] = match self.location {
            Location::Start => [&sum, decoded],
            Location::End => [decoded, &sum],
        };
        let mut encoded = Vec::new();
        limits::reserve(&mut encoded, decoded.len().saturating_add(LEN), "encoded chunk")?;
        parts.iter().for_each(|part| encoded.extend_from_slice(part));
        Ok(encoded)
    }
}
