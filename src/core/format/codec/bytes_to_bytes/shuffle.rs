//! `shuffle`: gathers byte `j` of every element in plane `j`.
//! <https://numcodecs.readthedocs.io/en/stable/shuffle.html>
//!
//! This is the separate filter; blosc contains one too. A length that is not a multiple of the
//! element's is refused, as in numcodecs.

use super::require_encoders;
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{BytesToBytes, ChunkRepresentation, Codec, Output};
use crate::format::metadata::ZarrFormat;
use crate::kernel::shuffle::{shuffle, unshuffle};
use crate::limits;

struct Shuffle {
    element_size: usize,
}

/// Binds the codec. Its configuration: `elementsize`, by default the size of the array's elements.
///
/// # Errors
/// `Format` for an element size that is not a positive integer.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let size = configuration.integer("elementsize", 0..=i64::from(i32::MAX))?;
    let size = size.and_then(|size| usize::try_from(size).ok());
    // numcodecs' default is 4; zarr-python uses the element's size in v3 metadata.
    let default = match configuration.codec().format {
        ZarrFormat::V2 => Some(4),
        ZarrFormat::V3 | ZarrFormat::Draft(_) => decoded.data_type.size(),
    };
    Ok(Codec::bytes_to_bytes(Shuffle { element_size: size.or(default).unwrap_or(1) }))
}

impl Shuffle {
    fn is_whole(&self, bytes: &[u8]) -> bool {
        self.element_size < 2 || bytes.len().is_multiple_of(self.element_size)
    }

    fn not_whole(&self, bytes: &[u8], error: Error) -> Error {
        let expected = format!("a multiple of {} bytes", self.element_size);
        error.expected(expected).actual(format!("{} bytes", bytes.len()))
    }
}

impl BytesToBytes for Shuffle {
    fn encoded_len(&self, decoded: u64) -> Option<u64> {
        Some(decoded)
    }

    fn decode(&self, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
        if !self.is_whole(encoded) {
            return Err(self.not_whole(
                encoded,
                Error::format("the shuffled bytes are not a multiple of the element size"),
            ));
        }
        unshuffle(encoded, self.element_size, output.reserve(encoded.len() as u64)?);
        Ok(())
    }

    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        require_encoders()?;
        if !self.is_whole(decoded) {
            return Err(self.not_whole(
                decoded,
                Error::argument("the bytes to shuffle are not a multiple of the element size"),
            ));
        }
        let mut encoded = limits::zeroed(decoded.len() as u64, limits::CHUNK_BYTES, "encoded chunk")?;
        shuffle(decoded, self.element_size, &mut encoded);
        Ok(encoded)
    }
}
