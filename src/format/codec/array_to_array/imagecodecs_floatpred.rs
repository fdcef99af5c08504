//! `imagecodecs_floatpred`: TIFF's floating-point predictor. It groups a row's bytes by their
//! position in the numbers, the highest first, and stores the difference of each byte from the one
//! before.
//! <https://chriscox.org/TIFFTN3d1.pdf>
//!
//! It can decode but not encode.

use super::imagecodecs_delta::add_before;
use super::predictor::PredictorRows;
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::registry::image_codecs_are_read_only;
use crate::format::codec::{ArrayBytes, ArrayToArray, ChunkRepresentation, Codec};
use crate::format::data_type::{DataType, FillValue, Float};

struct Floatpred {
    rows: PredictorRows,
    encoded: ChunkRepresentation,
}

/// Binds the codec. Its configuration: `shape`, `dtype`, `axis`, `dist`.
///
/// # Errors
/// As [`PredictorRows::read`], and `Unsupported` for data types other than floats of 2 to 8 bytes.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let DataType::Float(float @ (Float::Float16 | Float::Float32 | Float::Float64)) = decoded.data_type
    else {
        let name = decoded.data_type.name();
        return Err(Error::unsupported(format!(
            "imagecodecs_floatpred does not support the data type {name}"
        )));
    };
    let rows = PredictorRows::read(configuration, decoded, float.size())?;
    // The stored bytes have no byte order.
    let data_type = DataType::raw(float.size());
    let fill_value = FillValue::zero(&data_type);
    let encoded = ChunkRepresentation { shape: decoded.shape.clone(), data_type, fill_value };
    Ok(Codec::array_to_array(Floatpred { rows, encoded }))
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
        self.rows.check(&bytes)?;
        let (len, size) = (self.rows.len, self.rows.size);
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
