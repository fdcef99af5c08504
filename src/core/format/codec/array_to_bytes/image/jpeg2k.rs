//! `imagecodecs_jpeg2k`: JPEG 2000, as a file or a bare codestream.
//! <https://www.iso.org/standard/78321.html>
//!
//! Images of up to 24 bits per sample that were compressed reversibly decode exactly. Components of
//! different sizes or depths and palettes are not supported.

use zarr_wasm_jpeg2000::{self as jpeg2000, Jpeg2000, Size};

use super::{Chunk, ImageFormat, codec, tolerate};
use crate::error::{Error, ErrorKind, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::kernel::number::NumberType;
use crate::limits;

struct Jpeg2k;

/// Binds the codec. Only encoding needs the configuration: decoding undoes `planar` without it.
///
/// # Errors
/// `Unsupported` for a data type that the format does not have.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let of_the_writer = [
        "level",
        "codecformat",
        "colorspace",
        "planar",
        "tile",
        "bitspersample",
        "resolutions",
        "reversible",
        "mct",
        "verbose",
        "numthreads",
        "squeeze",
    ];
    tolerate(configuration, &of_the_writer);
    codec(Jpeg2k, decoded)
}

/// The sample type that imagecodecs uses for this number of bits.
fn sample(size: &Size) -> NumberType {
    match (size.bits, size.is_signed) {
        (..=8, false) => NumberType::U8,
        (..=8, true) => NumberType::I8,
        (..=16, false) => NumberType::U16,
        (..=16, true) => NumberType::I16,
        (_, false) => NumberType::U32,
        (_, true) => NumberType::I32,
    }
}

impl ImageFormat for Jpeg2k {
    const NAME: &'static str = "JPEG 2000";
    const SAMPLES: &'static [NumberType] =
        &[NumberType::U8, NumberType::U16, NumberType::U32, NumberType::I8, NumberType::I16, NumberType::I32];

    fn decode(&self, encoded: &[u8], chunk: &Chunk) -> Result<Vec<u8>> {
        let image = Jpeg2000::parse(encoded).map_err(of_jpeg2000)?;
        let size = &image.size;
        let len = chunk.check(Self::NAME, &[size.height, size.width, size.components], sample(size))?;
        image.decode(|planes| interleave(planes, size, len)).map_err(of_jpeg2000)?
    }
}

#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "the planes have the same length, and a sample has 1 to 24 bits"
)]
fn interleave(planes: &[&[f32]], size: &Size, len: usize) -> Result<Vec<u8>> {
    // The decoder adds the offset of unsigned samples to signed ones too.
    let offset = if size.is_signed { 1 << (size.bits - 1) } else { 0 };
    let most = (1_i64 << size.bits) - 1;
    let mut samples = Vec::new();
    limits::reserve(&mut samples, len, "image")?;
    let width = sample(size).size();
    for pixel in 0..planes.first().map_or(0, |plane| plane.len()) {
        for plane in planes {
            #[allow(clippy::cast_possible_truncation)]
            let value = (plane[pixel].round() as i64).clamp(0, most) - offset;
            samples.extend_from_slice(&value.to_le_bytes()[..width]);
        }
    }
    Ok(samples)
}

fn of_jpeg2000(error: jpeg2000::Error) -> Error {
    let kind = match error.kind() {
        jpeg2000::ErrorKind::Format => ErrorKind::Format,
        jpeg2000::ErrorKind::Unsupported => ErrorKind::Unsupported,
        jpeg2000::ErrorKind::Limit => ErrorKind::Limit,
    };
    let parts = error.into_parts();
    Error::new(kind, parts.message).of_decoder(parts.expected, parts.actual)
}
