//! `imagecodecs_floatpred`: TIFF's floating-point predictor. It groups a row's bytes by their
//! position in the numbers, the highest first, and stores the difference of each byte from the one
//! before.
//! <https://chriscox.org/TIFFTN3d1.pdf>
//!
//! It can decode but not encode.

use super::predictor::Predictor;
use crate::error::Result;
use crate::format::codec::build::image_codecs_are_read_only;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ArrayBytes, ArrayToArray, ChunkRepresentation, Codec, not_of_this_type};
use crate::format::data_type::{DataType, FillValue};
use crate::kernel::predictor::undo_float_differences;
use crate::limits;

struct Floatpred {
    predictor: Predictor,
    encoded: ChunkRepresentation,
}

/// Binds the codec. Its configuration: `shape`, `dtype`, `axis`, `dist`.
///
/// # Errors
/// As [`Predictor::read`], and `Unsupported` for data types other than floats of 2 to 8 bytes.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let size = match &decoded.data_type {
        DataType::Float(float) if float.is_in_numpy() => float.size(),
        other => return Err(not_of_this_type("imagecodecs_floatpred", other)),
    };
    let predictor = Predictor::read(configuration, decoded, size)?;
    // The stored bytes have no byte order.
    let data_type = DataType::raw(size);
    let fill_value = FillValue::zero(&data_type);
    let encoded = ChunkRepresentation { shape: decoded.shape.clone(), data_type, fill_value };
    Ok(Codec::array_to_array(Floatpred { predictor, encoded }))
}

impl ArrayToArray for Floatpred {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.encoded
    }

    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes> {
        let mut bytes = self.predictor.bytes(encoded)?;
        let mut decoded = limits::zeroed(bytes.len() as u64, limits::CHUNK_BYTES, "chunk")?;
        undo_float_differences(&mut bytes, self.predictor.rows, &mut decoded);
        Ok(ArrayBytes::Fixed(decoded))
    }

    fn encode(&self, _: ArrayBytes) -> Result<ArrayBytes> {
        Err(image_codecs_are_read_only())
    }
}
