//! `imagecodecs_jpeg2k`: JPEG 2000, as a file or a bare codestream.
//! <https://www.iso.org/standard/78321.html>
//!
//! Images of up to 24 bits per sample that were compressed reversibly decode exactly. Components of
//! different sizes or depths and palettes are not supported.

use hayro_jpeg2000::{DecodeSettings, DecoderContext, Image};

use super::{Chunk, ImageFormat, codec, damaged, tolerate, unsupported};
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::kernel::number::NumberType;
use crate::limits;

struct Jpeg2k;

/// Binds the codec. Only encoding needs the configuration: decoding undoes `planar` without it.
///
/// # Errors
/// As [`codec`].
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

/// What the size marker of the codestream says about all components.
struct Size {
    width: u64,
    height: u64,
    components: u64,
    bits: u32,
    is_signed: bool,
}

impl Size {
    /// The sample type that imagecodecs uses for this number of bits.
    fn sample(&self) -> NumberType {
        match (self.bits, self.is_signed) {
            (..=8, false) => NumberType::U8,
            (..=8, true) => NumberType::I8,
            (..=16, false) => NumberType::U16,
            (..=16, true) => NumberType::I16,
            (_, false) => NumberType::U32,
            (_, true) => NumberType::I32,
        }
    }

    /// Finds the size marker: the codestream may be anywhere in the file.
    fn find(encoded: &[u8]) -> Result<Self> {
        let too_short = || Error::format("the JPEG 2000 image is truncated");
        let start =
            encoded.windows(4).position(|bytes| bytes == [0xff, 0x4f, 0xff, 0x51]).ok_or_else(too_short)?;
        let size = encoded.get(start..).and_then(|marker| marker.get(4..)).ok_or_else(too_short)?;
        let number = |at: usize| -> Result<u64> {
            let bytes = size.get(at..).and_then(|bytes| bytes.first_chunk()).ok_or_else(too_short)?;
            Ok(u64::from(u32::from_be_bytes(*bytes)))
        };
        let count = size.get(36..38).and_then(|bytes| bytes.first_chunk()).ok_or_else(too_short)?;
        let count = u16::from_be_bytes(*count);
        let listed = size.get(38..).unwrap_or_default().as_chunks::<3>().0.get(..usize::from(count));
        let [first, others @ ..] = listed.ok_or_else(too_short)? else { return Err(too_short()) };
        let [depth, 1, 1] = *first else {
            return Err(unsupported("JPEG 2000", "components of different depths or sizes"));
        };
        if others.iter().any(|component| component != first) {
            return Err(unsupported("JPEG 2000", "components of different depths or sizes"));
        }
        Ok(Self {
            width: number(4)?.saturating_sub(number(12)?),
            height: number(8)?.saturating_sub(number(16)?),
            components: u64::from(count),
            bits: u32::from(depth & 0x7f).saturating_add(1),
            is_signed: depth & 0x80 != 0,
        })
    }
}

impl ImageFormat for Jpeg2k {
    const NAME: &'static str = "JPEG 2000";
    const SAMPLES: &'static [NumberType] =
        &[NumberType::U8, NumberType::U16, NumberType::U32, NumberType::I8, NumberType::I16, NumberType::I32];

    fn decode(&self, encoded: &[u8], chunk: &Chunk) -> Result<Vec<u8>> {
        let size = Size::find(encoded)?;
        let len = chunk.check(Self::NAME, &[size.height, size.width, size.components], size.sample())?;
        // The decoder's numbers have 24 bits.
        if size.bits > 24 {
            return Err(unsupported(Self::NAME, format!("{} bits per sample", size.bits)));
        }
        let settings =
            DecodeSettings { resolve_palette_indices: false, strict: true, target_resolution: None };
        let image = Image::new(encoded, &settings).map_err(|error| damaged(Self::NAME, error))?;
        let mut context = DecoderContext::default();
        let decoded = image.decode(&mut context).map_err(|error| damaged(Self::NAME, error))?;
        let planes: Vec<&[f32]> = decoded.components().iter().map(|component| component.samples()).collect();
        let pixels = size.width.saturating_mul(size.height);
        if planes.len() as u64 != size.components || planes.iter().any(|plane| plane.len() as u64 != pixels) {
            return Err(damaged(Self::NAME, "components are missing"));
        }
        interleave(&planes, &size, len)
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
    let width = size.sample().size();
    for pixel in 0..planes.first().map_or(0, |plane| plane.len()) {
        for plane in planes {
            #[allow(clippy::cast_possible_truncation)]
            let value = (plane[pixel].round() as i64).clamp(0, most) - offset;
            samples.extend_from_slice(&value.to_le_bytes()[..width]);
        }
    }
    Ok(samples)
}
