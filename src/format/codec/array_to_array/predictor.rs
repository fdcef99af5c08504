//! What imagecodecs' predictors share: rows of elements along an axis, and what stands how far before what.

use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, unfit};
use crate::format::codec::{ChunkRepresentation, wrong_decoded_len};
use crate::limits;

/// The configuration of a predictor.
#[derive(Debug)]
pub(super) struct Fields {
    /// As the writer saw the chunk; as it is, where that is not said.
    shape: Option<Vec<u64>>,
    axis: i64,
}

/// A chunk as rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    /// Elements of a row; at least one.
    pub(super) len: usize,
    /// How far before an element the one stands that it is a difference from; at least one.
    pub(super) step: usize,
    count: u64,
}

impl Fields {
    /// Reads `shape`, `axis` and `dist`; the data type is the chunk's own.
    ///
    /// # Errors
    /// `Unsupported` for distances beyond neighbours, which imagecodecs itself has for a few.
    pub(super) fn parse(configuration: &Configuration<'_>) -> Result<Self> {
        configuration.tolerate("dtype");
        match configuration.integer("dist", 1..=i64::from(u32::MAX))? {
            None | Some(1) => {}
            Some(dist) => {
                return Err(Error::unsupported(format!("a predictor over {dist} elements")).in_field("dist"));
            }
        }
        let axis = configuration.integer("axis", -64..=63)?.unwrap_or(-1);
        Ok(Self { shape: configuration.sizes("shape")?, axis })
    }

    /// The rows of a chunk of elements of this size.
    ///
    /// # Errors
    /// `Format` for a shape of other elements than the chunk's, and for an axis that it has not.
    pub(super) fn rows(&self, chunk: &ChunkRepresentation, size: usize) -> Result<Rows> {
        let shape = self.shape.as_ref().unwrap_or(&chunk.shape);
        let count = chunk.element_count()?;
        if limits::product(shape.iter().copied(), "shape")? != count {
            return Err(unfit(
                "shape",
                format!("as many elements as {:?}", chunk.shape),
                format!("{shape:?}"),
            ));
        }
        let from_end = if self.axis < 0 { shape.len() as u64 } else { 0 };
        let axis = from_end.checked_add_signed(self.axis).filter(|axis| *axis < shape.len() as u64);
        let axis = axis.ok_or_else(|| unfit("axis", format!("one of {} axes", shape.len()), self.axis))?;
        let (_, row) = shape.split_at(limits::to_usize(axis, "axis")?);
        let product = |sizes: &[u64]| -> Result<usize> {
            let len = limits::product(sizes.iter().copied(), "row")?;
            limits::within(len.saturating_mul(size as u64), limits::CHUNK_BYTES, "row")
                .map(|bytes| (bytes / size).max(1))
        };
        Ok(Rows { len: product(row)?, step: product(row.get(1..).unwrap_or_default())?, count })
    }
}

impl Rows {
    /// Checks that a chunk has its elements.
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
