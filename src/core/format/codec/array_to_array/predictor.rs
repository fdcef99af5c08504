//! What imagecodecs' predictors share: the rows of elements along an axis.

use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::{ArrayBytes, ChunkRepresentation, check_decoded_len};
use crate::kernel::predictor::Rows;
use crate::limits;

/// A chunk as rows of elements.
pub(super) struct Predictor {
    pub(super) rows: Rows,
    byte_len: u64,
}

impl Predictor {
    /// Reads `shape` (by default the chunk's), `axis` and `dist`. `dtype` is ignored: the chunk's
    /// data type counts. `size` is the length of an element in bytes.
    ///
    /// # Errors
    /// `Format` for a shape with another number of elements than the chunk, and for an axis that
    /// the shape lacks, `Unsupported` for a distance other than 1, which imagecodecs supports for
    /// few types.
    pub(super) fn read(
        configuration: &Configuration<'_>,
        chunk: &ChunkRepresentation,
        size: usize,
    ) -> Result<Self> {
        configuration.tolerate("dtype");
        if let Some(dist @ 2..) = configuration.integer("dist", 1..=i64::from(u32::MAX))? {
            let error = Error::unsupported(format!("a predictor with distance {dist} is not supported"));
            return Err(error.in_field("dist"));
        }
        let shape = configuration.sizes("shape")?.unwrap_or_else(|| chunk.shape.clone());
        let count = chunk.element_count()?;
        if limits::product(shape.iter().copied(), "shape")? != count {
            let expected = format!("as many elements as {:?}", chunk.shape);
            return Err(wrong_value("shape", expected, format!("{shape:?}")));
        }
        let axis = configuration.integer("axis", -64..=63)?.unwrap_or(-1);
        let row = row_shape(&shape, axis)?;
        let product = |sizes: &[u64]| -> Result<usize> {
            let len = limits::product(sizes.iter().copied(), "row")?;
            limits::within(len.saturating_mul(size as u64), limits::CHUNK_BYTES, "row")
                .map(|bytes| bytes.checked_div(size).unwrap_or(0).max(1))
        };
        let (len, step) = (product(row)?, product(row.get(1..).unwrap_or_default())?);
        Ok(Self { rows: Rows { size, len, step }, byte_len: count.saturating_mul(size as u64) })
    }

    /// The bytes of a chunk, which are whole rows.
    ///
    /// # Errors
    /// `Format` for another length.
    pub(super) fn bytes(&self, chunk: ArrayBytes) -> Result<Vec<u8>> {
        let bytes = chunk.into_fixed()?;
        check_decoded_len(&bytes, self.byte_len)?;
        Ok(bytes)
    }
}

/// The dimensions from the axis on. Negative axes count from the end.
fn row_shape(shape: &[u64], axis: i64) -> Result<&[u64]> {
    let from_end = if axis < 0 { shape.len() as u64 } else { 0 };
    let start = from_end.checked_add_signed(axis).filter(|start| *start < shape.len() as u64);
    let start = start.ok_or_else(|| wrong_value("axis", format!("one of {} axes", shape.len()), axis))?;
    Ok(shape.get(limits::to_usize(start, "axis")?..).unwrap_or_default())
}
