//! Bytes with a checksum of 32 bits, little-endian, before or after them: the common part of
//! `crc32c` and of numcodecs' `crc32`, `adler32`, `fletcher32` and `jenkins_lookup3`. Decoding
//! verifies the checksum.

use super::{check_sum, truncated};
use crate::error::Result;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{BytesToBytes, Codec, Output};
use crate::limits;

/// The bytes of a checksum.
const LEN: usize = 4;

/// The position of the checksum.
#[derive(Clone, Copy)]
pub(super) enum Location {
    Start,
    End,
}

impl Location {
    /// Reads `location`, by default `default`.
    ///
    /// # Errors
    /// `Format` for another value than `start` and `end`.
    pub(super) fn read(configuration: &Configuration<'_>, default: Self) -> Result<Self> {
        let location = configuration.choice("location", &[("start", Self::Start), ("end", Self::End)])?;
        Ok(location.unwrap_or(default))
    }
}

type Sum = dyn Fn(&[u8]) -> u32;

/// A codec that adds a checksum.
pub(super) struct Checksum {
    location: Location,
    sum: Box<Sum>,
}

impl Checksum {
    /// The codec that adds the `sum` of the bytes.
    pub(super) fn codec(location: Location, sum: impl Fn(&[u8]) -> u32 + 'static) -> Codec {
        Codec::bytes_to_bytes(Self { location, sum: Box::new(sum) })
    }
}

impl BytesToBytes for Checksum {
    fn encoded_len(&self, decoded: u64) -> Option<u64> {
        decoded.checked_add(LEN as u64)
    }

    fn decode(&self, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
        let parts = match self.location {
            Location::Start => encoded.split_first_chunk::<LEN>().map(|(stored, bytes)| (bytes, stored)),
            Location::End => encoded.split_last_chunk::<LEN>(),
        };
        let (bytes, stored) = parts.ok_or_else(|| truncated("checksum"))?;
        check_sum(u32::from_le_bytes(*stored), (self.sum)(bytes))?;
        output.put(bytes)
    }

    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        let sum = (self.sum)(decoded).to_le_bytes();
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
