//! `imagecodecs_lerc`: Limited Error Raster Compression, versions 1 and 2.
//! <https://github.com/Esri/lerc>
//!
//! Values are within the error that the writer chose. Masks (pixels without a value) are not
//! supported: imagecodecs decodes them to zero, which looks like a value.

use lerc::{DataType, SampleData};

use super::{Chunk, ImageFormat, codec, damaged, tolerate, unsupported};
use crate::error::Result;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::kernel::number::NumberType;

struct Lerc;

/// Binds the codec. Only encoding needs the configuration.
///
/// # Errors
/// `Unsupported` for a data type that the format does not have.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    tolerate(configuration, &["level", "version", "planar", "squeeze", "compression", "compressionargs"]);
    codec(Lerc, decoded)
}

fn sample(data_type: DataType) -> NumberType {
    match data_type {
        DataType::Char => NumberType::I8,
        DataType::Byte => NumberType::U8,
        DataType::Short => NumberType::I16,
        DataType::UShort => NumberType::U16,
        DataType::Int => NumberType::I32,
        DataType::UInt => NumberType::U32,
        DataType::Float => NumberType::F32,
        DataType::Double => NumberType::F64,
    }
}

impl ImageFormat for Lerc {
    const NAME: &'static str = "LERC";
    const SAMPLES: &'static [NumberType] = &[
        NumberType::I8,
        NumberType::U8,
        NumberType::I16,
        NumberType::U16,
        NumberType::I32,
        NumberType::U32,
        NumberType::F32,
        NumberType::F64,
    ];

    fn decode(&self, encoded: &[u8], chunk: &Chunk) -> Result<Vec<u8>> {
        if encoded.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) || encoded.first() == Some(&0x78) {
            return Err(unsupported(Self::NAME, "a second compression by zstd or deflate"));
        }
        let info = lerc::decode_info(encoded).map_err(|error| damaged(Self::NAME, error))?;
        let dimensions = [info.bands, info.height, info.width, info.depth].map(u64::from);
        chunk.check(Self::NAME, &dimensions, sample(info.data_type))?;
        let image = lerc::decode(encoded).map_err(|error| damaged(Self::NAME, error))?;
        if !image.valid_masks.iter().all(|mask| mask.is_all_valid()) {
            return Err(unsupported(Self::NAME, "pixels without a value"));
        }
        Ok(match image.data {
            SampleData::I8(samples) => samples.into_iter().flat_map(i8::to_le_bytes).collect(),
            SampleData::U8(samples) => samples,
            SampleData::I16(samples) => samples.into_iter().flat_map(i16::to_le_bytes).collect(),
            SampleData::U16(samples) => samples.into_iter().flat_map(u16::to_le_bytes).collect(),
            SampleData::I32(samples) => samples.into_iter().flat_map(i32::to_le_bytes).collect(),
            SampleData::U32(samples) => samples.into_iter().flat_map(u32::to_le_bytes).collect(),
            SampleData::F32(samples) => samples.into_iter().flat_map(f32::to_le_bytes).collect(),
            SampleData::F64(samples) => samples.into_iter().flat_map(f64::to_le_bytes).collect(),
        })
    }
}
