//! `jpegxl` (proposed to zarr-extensions), `imagecodecs_jpegxl`: JPEG XL, as a file or a bare
//! codestream, with one or more frames. <https://jpeg.org/jpegxl/>
//!
//! Lossless images decode exactly. Samples keep their stored values: 12 bits in a sample of 16 are
//! not scaled. A stored orientation is not applied.

use jxl_oxide::image::BitDepth;
use jxl_oxide::{AllocTracker, FrameBuffer, JxlImage, Render};

use super::{Chunk, ImageFormat, codec, damaged, tolerate, unsupported};
use crate::error::Result;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::kernel::number::NumberType;
use crate::limits;

/// The memory in bytes that the decoder may use besides a few copies of the image.
const WORKING_MEMORY: usize = 64 << 20;

struct JpegXl {
    /// The number of the frame that is the chunk; `None` for all frames.
    index: Option<u32>,
}

/// Binds the codec. The configuration of the proposal is for encoding; that of imagecodecs may
/// select a frame.
///
/// # Errors
/// `Format` for a frame number that is not valid, and `Unsupported` for a data type that
/// the format does not have.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let of_the_writer = [
        "level",
        "effort",
        "distance",
        "lossless",
        "decodingspeed",
        "photometric",
        "bitspersample",
        "planar",
        "usecontainer",
        "squeeze",
        "keeporientation",
        "numthreads",
        "primaries",
        "transfer",
    ];
    tolerate(configuration, &of_the_writer);
    let index = configuration.integer("index", 0..=i64::from(u32::MAX))?;
    codec(JpegXl { index: index.and_then(|index| u32::try_from(index).ok()) }, decoded)
}

impl ImageFormat for JpegXl {
    const NAME: &'static str = "JPEG XL";
    const SAMPLES: &'static [NumberType] =
        &[NumberType::U8, NumberType::U16, NumberType::F16, NumberType::F32];

    fn decode(&self, encoded: &[u8], chunk: &Chunk) -> Result<Vec<u8>> {
        let most =
            limits::to_usize(chunk.byte_len, "image")?.saturating_mul(24).saturating_add(WORKING_MEMORY);
        let builder = JxlImage::builder().alloc_tracker(AllocTracker::with_limit(most));
        let image = builder.read(encoded).map_err(|error| damaged(Self::NAME, error))?;
        let frames = image.num_loaded_keyframes();
        let wanted = match self.index {
            Some(index) => vec![limits::to_usize(u64::from(index), "frame")?],
            None => (0..frames).collect(),
        };
        let header = &image.image_header().metadata;
        let depth = header.bit_depth;
        let channels =
            image.pixel_format().channels().max(color_channels(&image).saturating_add(header.ec_info.len()));
        if header.ec_info.iter().any(|channel| channel.bit_depth.bits_per_sample() != depth.bits_per_sample())
        {
            return Err(unsupported(Self::NAME, "channels of different depths"));
        }
        let dimensions =
            [wanted.len() as u64, u64::from(image.height()), u64::from(image.width()), channels as u64];
        let len = chunk.check(Self::NAME, &dimensions, sample(depth, chunk.sample))?;
        let mut samples = Vec::new();
        limits::reserve(&mut samples, len, "image")?;
        for frame in wanted {
            let render = image.render_frame(frame).map_err(|error| damaged(Self::NAME, error))?;
            interleave(&render, depth, chunk.sample, &mut samples)?;
        }
        Ok(samples)
    }
}

fn color_channels(image: &JxlImage) -> usize {
    if image.pixel_format().is_grayscale() { 1 } else { 3 }
}

/// The sample type that holds this number of bits. The chunk's type may be wider.
fn sample(depth: BitDepth, wanted: NumberType) -> NumberType {
    match depth {
        BitDepth::FloatSample { bits_per_sample: 16, exp_bits: 5 } => NumberType::F16,
        BitDepth::FloatSample { .. } => NumberType::F32,
        BitDepth::IntegerSample { bits_per_sample: ..=8 } if wanted != NumberType::U16 => NumberType::U8,
        BitDepth::IntegerSample { .. } => NumberType::U16,
    }
}

/// Interleaves all channels of a frame. The decoder returns integers as fractions of the largest
/// one.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "the planes have the same length, and an integer has at most 24 bits"
)]
fn interleave(render: &Render, depth: BitDepth, sample: NumberType, samples: &mut Vec<u8>) -> Result<()> {
    let planes: Vec<FrameBuffer> = render.image_planar();
    let len = planes.first().map_or(0, |plane| plane.buf().len());
    if planes.iter().any(|plane| plane.buf().len() != len) {
        return Err(unsupported("JPEG XL", "channels of different sizes"));
    }
    let bits = depth.bits_per_sample().min(24);
    let most = f64::from((1_u32 << bits) - 1);
    for pixel in 0..len {
        for plane in &planes {
            let value = plane.buf()[pixel];
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let whole = (f64::from(value) * most).round().clamp(0.0, most) as u32;
            match sample {
                NumberType::F16 => {
                    samples.extend_from_slice(&half::f16::from_f32(value).to_le_bytes());
                }
                NumberType::F32 => samples.extend_from_slice(&value.to_le_bytes()),
                _ => samples.extend_from_slice(&whole.to_le_bytes()[..sample.size()]),
            }
        }
    }
    Ok(())
}
