//! `imagecodecs_delta`: differences between neighbours along one axis, as TIFF's horizontal predictor has them.
//! <https://github.com/cgohlke/imagecodecs>
//!
//! Of floating-point numbers the bits are subtracted, as integers. Read, and not written. Not numcodecs' `delta`, which goes through
//! the whole chunk and can change the type.

use super::predictor::{Fields, Rows};
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::registry::image_codecs_are_read_only;
use crate::format::codec::{ArrayBytes, ArrayToArray, ArrayToArraySpec, ChunkRepresentation, Spec};
use crate::format::data_type::DataType;

#[derive(Debug)]
struct DeltaSpec(Fields);

/// Reads the configuration: `shape`, `dtype`, `axis`, `dist`.
///
/// # Errors
/// `Format` for an axis that the shape has not, `Unsupported` for distances beyond neighbours.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    Ok(Spec::ArrayToArray(Box::new(DeltaSpec(Fields::parse(configuration)?))))
}

impl ArrayToArraySpec for DeltaSpec {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn ArrayToArray>> {
        let is_number = matches!(decoded.data_type, DataType::Integer(_) | DataType::Float(_));
        let size = decoded.data_type.size().filter(|size| is_number && [1, 2, 4, 8].contains(size));
        let Some(size) = size else {
            let name = decoded.data_type.name();
            return Err(Error::unsupported(format!("imagecodecs_delta does not take elements of {name}")));
        };
        Ok(Box::new(Delta { rows: self.0.rows(decoded, size)?, size, chunk: decoded.clone() }))
    }
}

struct Delta {
    rows: Rows,
    size: usize,
    chunk: ChunkRepresentation,
}

impl ArrayToArray for Delta {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.chunk
    }

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

/// To every element that which stands `step` before it.
fn add_before<const N: usize>(row: &mut [u8], step: usize, add: impl Fn([u8; N], [u8; N]) -> [u8; N]) {
    let elements = row.as_chunks_mut::<N>().0;
    for at in step..elements.len() {
        elements[at] = add(elements[at], elements[at - step]);
    }
}
