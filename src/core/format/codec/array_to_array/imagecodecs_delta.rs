//! `imagecodecs_delta`: differences between neighbours along one axis, like TIFF's horizontal
//! predictor.
//! <https://github.com/cgohlke/imagecodecs>
//!
//! For floats it subtracts the bits, as integers. It can decode but not encode. numcodecs' `delta`
//! is another codec: it runs through the whole chunk and can change the data type.

use super::predictor::Predictor;
use crate::error::Result;
use crate::format::codec::build::image_codecs_are_read_only;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ArrayBytes, ArrayToArray, ChunkRepresentation, Codec, not_of_this_type};
use crate::format::data_type::DataType;
use crate::kernel::predictor::undo_differences;

struct HorizontalDelta {
    predictor: Predictor,
    chunk: ChunkRepresentation,
}

/// Binds the codec. Its configuration: `shape`, `dtype`, `axis`, `dist`.
///
/// # Errors
/// As [`Predictor::read`], and `Unsupported` for data types other than numbers of 1 to 8 bytes.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let is_number = matches!(decoded.data_type, DataType::Integer(_) | DataType::Float(_));
    let size = decoded.data_type.size().filter(|size| is_number && [1, 2, 4, 8].contains(size));
    let size = size.ok_or_else(|| not_of_this_type("imagecodecs_delta", &decoded.data_type))?;
    let predictor = Predictor::read(configuration, decoded, size)?;
    Ok(Codec::array_to_array(HorizontalDelta { predictor, chunk: decoded.clone() }))
}

impl ArrayToArray for HorizontalDelta {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.chunk
    }

    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes> {
        let mut bytes = self.predictor.bytes(encoded)?;
        undo_differences(&mut bytes, self.predictor.rows);
        Ok(ArrayBytes::Fixed(bytes))
    }

    fn encode(&self, _: ArrayBytes) -> Result<ArrayBytes> {
        Err(image_codecs_are_read_only())
    }
}
