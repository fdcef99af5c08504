//! What imagecodecs' predictors share: the rows of elements along an axis.

use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::{ChunkRepresentation, wrong_decoded_len};
use crate::limits;

/// The configuration of a predictor.
#[derive(Debug)]
pub(super) struct Fields {
    /// The shape of the chunk for the writer; `None` for the chunk's own shape.
    shape: Option<Vec<u64>>,
    axis: i64,
}

/// A chunk as rows of elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct PredictorRows {
    /// Elements in a row, at least one.
    pub(super) len: usize,
    /// The distance from an element to the one it is the difference from, at least one.
    pub(super) step: usize,
    count: u64,
}

impl Fields {
    /// Parses `shape`, `axis` and `dist`. `dtype` is ignored: the chunk's data type counts.
    ///
    /// # Errors
    /// `Unsupported` for a distance other than 1, which imagecodecs supports for few types.
    pub(super) fn parse(configuration: &Configuration<'_>) -> Result<Self> {
        configuration.tolerate("dtype");
        match configuration.integer("dist", 1..=i64::from(u32::MAX))? {
            None | Some(1) => {}
            Some(dist) => {
                return Err(Error::unsupported(format!("a predictor with distance {dist} is not supported"))
                    .in_field("dist"));
            }
        }
        let axis = configuration.integer("axis", -64..=63)?.unwrap_or(-1);
        Ok(Self { shape: configuration.sizes("shape")?, axis })
    }

    /// The rows of a chunk; `size` is the length of an element in bytes.
    ///
    /// # Errors
    /// `Format` for a shape with another number of elements than the chunk, and for an axis that
    /// the shape lacks.
    pub(super) fn rows(&self, chunk: &ChunkRepresentation, size: usize) -> Result<PredictorRows> {
        let shape = self.shape.as_ref().unwrap_or(&chunk.shape);
        let count = chunk.element_count()?;
        if limits::product(shape.iter().copied(), "shape")? != count {
            return Err(wrong_value(
                "shape",
                format!("as many elements as {:?}", chunk.shape),
                format!("{shape:?}"),
            ));
        }
        let from_end = if self.axis < 0 { shape.len() as u64 } else { 0 };
        let axis = from_end.checked_add_signed(self.axis).filter(|axis| *axis < shape.len() as u64);
        let axis =
            axis.ok_or_else(|| wrong_value("axis", format!("one of {} axes", shape.len()), self.axis))?;
        let (_, row) = shape.split_at(limits::to_usize(axis, "axis")?);
        let product = |sizes: &[u64]| -> Result<usize> {
            let len = limits::product(sizes.iter().copied(), "row")?;
            limits::within(len.saturating_mul(size as u64), limits::CHUNK_BYTES, "row")
                .map(|bytes| bytes.checked_div(size).unwrap_or(0).max(1))
        };
        Ok(PredictorRows { len: product(row)?, step: product(row.get(1..).unwrap_or_default())?, count })
    }
}

impl PredictorRows {
    /// Checks the length of a chunk.
    ///
    /// # Errors
    /// `Format` for another length.
    pub(super) fn check(&self, bytes: &[u8], size: usize) -> Result<()> {
        let expected = self.count.saturating_mul(size as u64);
        if bytes.len() as u64 == expected {
            Ok(())
        } else {
            Err(wrong_decoded_len(expected, bytes.len() as u64))
        }
    }
}
