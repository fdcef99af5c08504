//! `imagecodecs_png`, `imagecodecs_spng`: PNG of 8 and 16 bits, one to four samples per pixel.
//! <https://www.w3.org/TR/png-3/>
//!
//! As in imagecodecs, palettes and fewer bits decode to 8 bits, and a transparent colour to an
//! alpha channel. Only the first image of an animation is decoded.

use std::io::Cursor;

use png::{BitDepth, Decoder, Limits, Transformations};

use super::{Chunk, ImageFormat, buffer, codec, damaged, tolerate};
use crate::error::Result;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::kernel::number::NumberType;

/// The memory in bytes that the decoder may use besides a few rows.
const WORKING_MEMORY: usize = 1 << 20;

struct Png;

/// Binds the codec. Only encoding needs the configuration.
///
/// # Errors
/// `Unsupported` for a data type that the format does not have.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    tolerate(configuration, &["level", "strategy", "filter", "squeeze"]);
    codec(Png, decoded)
}

impl ImageFormat for Png {
    const NAME: &'static str = "PNG";
    const SAMPLES: &'static [NumberType] = &[NumberType::U8, NumberType::U16];

    fn decode(&self, encoded: &[u8], chunk: &Chunk) -> Result<Vec<u8>> {
        let most = crate::limits::to_usize(chunk.byte_len, "image")?.saturating_mul(2);
        let limits = Limits { bytes: most.saturating_add(WORKING_MEMORY) };
        let mut decoder = Decoder::new_with_limits(Cursor::new(encoded), limits);
        decoder.set_transformations(Transformations::EXPAND);
        decoder.set_ignore_text_chunk(true);
        let mut reader = decoder.read_info().map_err(|error| damaged(Self::NAME, error))?;
        let (colors, depth) = reader.output_color_type();
        let sample = if depth == BitDepth::Sixteen { NumberType::U16 } else { NumberType::U8 };
        let (width, height) = (u64::from(reader.info().width), u64::from(reader.info().height));
        let len = chunk.check(Self::NAME, &[height, width, colors.samples() as u64], sample)?;
        let mut samples = buffer(len)?;
        reader.next_frame(&mut samples).map_err(|error| damaged(Self::NAME, error))?;
        reader.finish().map_err(|error| damaged(Self::NAME, error))?;
        if sample == NumberType::U16 {
            samples.as_chunks_mut::<2>().0.iter_mut().for_each(|bytes| bytes.reverse());
        }
        Ok(samples)
    }
}
