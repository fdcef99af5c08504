//! Bytes with a checksum of 32 bits, little-endian, before or after them: the common part of
//! numcodecs' `crc32`, `adler32`, `fletcher32` and `jenkins_lookup3`. Decoding verifies the
//! checksum.
//!
//! `crc32c` has its own codec, which the engine can also encode with.

use std::fmt::{self, Debug};

use super::{check_sum, require_encoders, truncated};
use crate::error::Result;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{BytesToBytes, BytesToBytesSpec, ChunkRepresentation, Output};
use crate::limits;

/// The bytes of a checksum.
const LEN: usize = 4;

/// The position of the checksum.
#[derive(Clone, Copy, Debug)]
pub(super) enum Location {
    Start,
    End,
}

impl Location {
    /// Reads `location`, by default `start`.
    ///
    /// # Errors
    /// `Format` for another value than `start` and `end`.
    pub(super) fn read(configuration: &Configuration<'_>) -> Result<Self> {
        Ok(Self::read_optional(configuration)?.unwrap_or(Self::Start))
    }

    /// Reads `location`; `None` when the field is absent.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(super) fn read_optional(configuration: &Configuration<'_>) -> Result<Option<Self>> {
        configuration.choice("location", &[("start", Self::Start), ("end", Self::End)])
    }
}

/// A codec that adds a checksum.
#[derive(Clone)]
pub(super) struct Checksum<F> {
    pub(super) location: Location,
    pub(super) sum: F,
}

impl<F> Debug for Checksum<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checksum").field("location", &self.location).finish_non_exhaustive()
    }
}

impl<F: Fn(&[u8]) -> u32 + Clone + 'static> BytesToBytesSpec for Checksum<F> {
    fn bind(&self, _: &ChunkRepresentation) -> Result<Box<dyn BytesToBytes>> {
        Ok(Box::new(self.clone()))
    }
}

impl<F: Fn(&[u8]) -> u32> BytesToBytes for Checksum<F> {
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
        require_encoders()?;
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
