//! `imagecodecs_delta`: differences between neighbours along one axis, like TIFF's horizontal
//! predictor.
//! <https://github.com/cgohlke/imagecodecs>
//!
//! For floats it subtracts the bits, as integers. It can decode but not encode. numcodecs' `delta`
//! is another codec: it runs through the whole chunk and can change the data type.

use super::predictor::{Fields, PredictorRows};
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::registry::image_codecs_are_read_only;
use crate::format::codec::{ArrayBytes, ArrayToArray, ArrayToArraySpec, ChunkRepresentation, Spec};
use crate::format::data_type::DataType;

#[derive(Debug)]
struct HorizontalDeltaSpec(Fields);

/// Parses the configuration: `shape`, `dtype`, `axis`, `dist`.
///
/// # Errors
/// `Format` for an axis that the shape lacks, `Unsupported` for a distance other than 1.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    Ok(Spec::ArrayToArray(Box::new(HorizontalDeltaSpec(Fields::parse(configuration)?))))
}

impl ArrayToArraySpec for HorizontalDeltaSpec {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn ArrayToArray>> {
        let is_number = matches!(decoded.data_type, DataType::Integer(_) | DataType::Float(_));
        let size = decoded.data_type.size().filter(|size| is_number && [1, 2, 4, 8].contains(size));
        let Some(size) = size else {
            let name = decoded.data_type.name();
            return Err(Error::unsupported(format!(
                "imagecodecs_delta does not support the data type {name}"
            )));
        };
        Ok(Box::new(HorizontalDelta { rows: self.0.rows(decoded, size)?, size, chunk: decoded.clone() }))
    }
}

struct HorizontalDelta {
    rows: PredictorRows,
    size: usize,
    chunk: ChunkRepresentation,
}

impl ArrayToArray for HorizontalDelta {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.chunk
    }

    #[allow(
        clippy::arithmetic_side_effects,
        reason = "`Fields::rows` has checked that a row fits CHUNK_BYTES"
    )]
    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes> {
        let mut bytes = encoded.into_fixed()?;
        self.rows.check(&bytes, self.size)?;
        for row in bytes.chunks_mut(self.rows.len * self.size) {
            match self.size {
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
