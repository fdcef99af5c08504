//! `imagecodecs_floatpred`: TIFF's floating-point predictor. It groups a row's bytes by their
//! position in the numbers, the highest first, and stores the difference of each byte from the one
//! before.
//! <https://chriscox.org/TIFFTN3d1.pdf>
//!
//! It can decode but not encode.

use super::imagecodecs_delta::add_before;
use super::predictor::{Fields, PredictorRows};
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::registry::image_codecs_are_read_only;
use crate::format::codec::{ArrayBytes, ArrayToArray, ArrayToArraySpec, ChunkRepresentation, Spec};
use crate::format::data_type::{DataType, FillValue, Float};

#[derive(Debug)]
struct FloatpredSpec(Fields);

/// Parses the configuration: `shape`, `dtype`, `axis`, `dist`.
///
/// # Errors
/// `Format` for an axis that the shape lacks, `Unsupported` for a distance other than 1.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    Ok(Spec::ArrayToArray(Box::new(FloatpredSpec(Fields::parse(configuration)?))))
}

impl ArrayToArraySpec for FloatpredSpec {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn ArrayToArray>> {
        let DataType::Float(float @ (Float::Float16 | Float::Float32 | Float::Float64)) = decoded.data_type
        else {
            let name = decoded.data_type.name();
            return Err(Error::unsupported(format!(
                "imagecodecs_floatpred does not support the data type {name}"
            )));
        };
        // The stored bytes have no byte order.
        let data_type = DataType::raw(float.size());
        let fill_value = FillValue::zero(&data_type);
        let encoded = ChunkRepresentation { shape: decoded.shape.clone(), data_type, fill_value };
        Ok(Box::new(Floatpred { rows: self.0.rows(decoded, float.size())?, size: float.size(), encoded }))
    }
}

struct Floatpred {
    rows: PredictorRows,
    size: usize,
    encoded: ChunkRepresentation,
}

impl ArrayToArray for Floatpred {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.encoded
    }

    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        reason = "`rows.check` has checked that the bytes are whole rows of `len` numbers"
    )]
    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes> {
        let mut bytes = encoded.into_fixed()?;
        self.rows.check(&bytes, self.size)?;
        let (len, size) = (self.rows.len, self.size);
        let mut decoded = vec![0; bytes.len()];
        for (row, numbers) in bytes.chunks_mut(len * size).zip(decoded.chunks_mut(len * size)) {
            add_before::<1>(row, self.rows.step, |[a], [b]| [a.wrapping_add(b)]);
            for (number, place) in numbers.chunks_mut(size).zip(0..) {
                for (byte, plane) in number.iter_mut().zip((0..size).rev()) {
                    *byte = row[plane * len + place];
                }
            }
        }
        Ok(ArrayBytes::Fixed(decoded))
    }

    fn encode(&self, _: ArrayBytes) -> Result<ArrayBytes> {
        Err(image_codecs_are_read_only())
    }
}
