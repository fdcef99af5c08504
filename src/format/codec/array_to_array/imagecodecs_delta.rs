//! `imagecodecs_delta`: differences between neighbours along one axis, like TIFF's horizontal
//! predictor.
//! <https://github.com/cgohlke/imagecodecs>
//!
//! For floats it subtracts the bits, as integers. It can decode but not encode. numcodecs' `delta`
//! is another codec: it runs through the whole chunk and can change the data type.

use super::predictor::PredictorRows;
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::registry::image_codecs_are_read_only;
use crate::format::codec::{ArrayBytes, ArrayToArray, ChunkRepresentation, Codec};
use crate::format::data_type::DataType;

struct HorizontalDelta {
    rows: PredictorRows,
    chunk: ChunkRepresentation,
}

/// Binds the codec. Its configuration: `shape`, `dtype`, `axis`, `dist`.
///
/// # Errors
/// As [`PredictorRows::read`], and `Unsupported` for data types other than numbers of 1 to 8 bytes.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let is_number = matches!(decoded.data_type, DataType::Integer(_) | DataType::Float(_));
    let size = decoded.data_type.size().filter(|size| is_number && [1, 2, 4, 8].contains(size));
    let Some(size) = size else {
        let name = decoded.data_type.name();
        return Err(Error::unsupported(format!("imagecodecs_delta does not support the data type {name}")));
    };
    let rows = PredictorRows::read(configuration, decoded, size)?;
    Ok(Codec::array_to_array(HorizontalDelta { rows, chunk: decoded.clone() }))
}

impl ArrayToArray for HorizontalDelta {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.chunk
    }

    #[allow(
        clippy::arithmetic_side_effects,
        reason = "`PredictorRows::read` has checked that a row fits CHUNK_BYTES"
    )]
    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes> {
        let mut bytes = encoded.into_fixed()?;
        self.rows.check(&bytes)?;
        for row in bytes.chunks_mut(self.rows.len * self.rows.size) {
            match self.rows.size {
                1 => add_before::<1>(row, self.rows.step, |a, b| [a[0].wrapping_add(b[0])]),
                2 => add_before(row, self.rows.step, |a, b| {
                    u16::from_le_bytes(a).wrapping_add(u16::from_le_bytes(b)).to_le_bytes()
                }),
                4 => add_before(row, self.rows.step, |a, b| {
                    u32::from_le_bytes(a).wrapping_add(u32::from_le_bytes(b)).to_le_bytes()
                }),
                _ => add_before(row, self.rows.step, |a, b| {
                    u64::from_le_bytes(a).wrapping_add(u64::from_le_bytes(b)).to_le_bytes()
                }),
            }
        }
        Ok(ArrayBytes::Fixed(bytes))
    }

    fn encode(&self, _: ArrayBytes) -> Result<ArrayBytes> {
        Err(image_codecs_are_read_only())
    }
}

/// Adds to every element the one that is `step` before it.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "`at` counts from `step` to the number of elements"
)]
pub(super) fn add_before<const N: usize>(
    row: &mut [u8],
    step: usize,
    add: impl Fn([u8; N], [u8; N]) -> [u8; N],
) {
    let elements = row.as_chunks_mut::<N>().0;
    for at in step..elements.len() {
        elements[at] = add(elements[at], elements[at - step]);
    }
}
