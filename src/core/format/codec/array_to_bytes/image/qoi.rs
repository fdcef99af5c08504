//! `imagecodecs_qoi`: the Quite OK Image format. <https://qoiformat.org/qoi-specification.pdf>

use super::{Chunk, ImageFormat, buffer, codec, damaged, tolerate};
use crate::error::Result;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::kernel::number::NumberType;

struct Qoi;

/// Binds the codec. Only encoding needs the configuration.
///
/// # Errors
/// `Unsupported` for a data type that the format does not have.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    tolerate(configuration, &["squeeze"]);
    codec(Qoi, decoded)
}

impl ImageFormat for Qoi {
    const NAME: &'static str = "QOI";
    const SAMPLES: &'static [NumberType] = &[NumberType::U8];

    fn decode(&self, encoded: &[u8], chunk: &Chunk) -> Result<Vec<u8>> {
        let header = qoi::decode_header(encoded).map_err(|error| damaged(Self::NAME, error))?;
        let channels = u64::from(header.channels.as_u8());
        let dimensions = [u64::from(header.height), u64::from(header.width), channels];
        let mut samples = buffer(chunk.check(Self::NAME, &dimensions, NumberType::U8)?)?;
        qoi::decode_to_buf(&mut samples, encoded).map_err(|error| damaged(Self::NAME, error))?;
        Ok(samples)
    }
}
