//! imagecodecs' predictors: differences between neighbours along one axis of the chunk. They can
//! decode but not encode. <https://github.com/cgohlke/imagecodecs>
//!
//! - `imagecodecs_delta` is like TIFF's horizontal predictor. For floats it subtracts the bits, as
//!   integers. numcodecs' `delta` is another codec: it runs through the whole chunk and can change
//!   the data type.
//! - `imagecodecs_floatpred` is TIFF's floating-point predictor. It groups a row's bytes by their
//!   position in the numbers, the highest first, and stores the difference of each byte from the
//!   one before. <https://chriscox.org/TIFFTN3d1.pdf>

use crate::error::{Error, Result};
use crate::format::codec::build::codec_is_read_only;
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::{
    ArrayBytes, ArrayToArray, ChunkRepresentation, Codec, check_decoded_len, not_of_this_type,
};
use crate::format::data_type::{DataType, FillValue};
use crate::kernel::predictor::{Rows, undo_differences, undo_float_differences};
use crate::limits;

/// Binds `imagecodecs_delta`. Its configuration: `shape`, `dtype`, `axis`, `dist`.
///
/// # Errors
/// `Format` for a shape or an axis that does not fit the chunk, `Unsupported` for other distances
/// than 1, and for data types other than numbers of 1 to 8 bytes.
pub fn bind_delta(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let is_number = matches!(decoded.data_type, DataType::Integer(_) | DataType::Float(_));
    let size = decoded.data_type.size().filter(|size| is_number && [1, 2, 4, 8].contains(size));
    let size = size.ok_or_else(|| not_of_this_type("imagecodecs_delta", &decoded.data_type))?;
    let predictor = Predictor::read(configuration, decoded, size)?;
    Ok(predictor.codec(decoded.clone(), |rows, mut bytes| {
        undo_differences(&mut bytes, rows);
        Ok(bytes)
    }))
}

/// Binds `imagecodecs_floatpred`. Its configuration: `shape`, `dtype`, `axis`, `dist`.
///
/// # Errors
/// `Format` for a shape or an axis that does not fit the chunk, `Unsupported` for other distances
/// than 1, and for data types other than floats of 2 to 8 bytes.
pub fn bind_floatpred(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let size = match &decoded.data_type {
        DataType::Float(float) if float.is_in_numpy() => float.size(),
        other => return Err(not_of_this_type("imagecodecs_floatpred", other)),
    };
    let predictor = Predictor::read(configuration, decoded, size)?;
    // The stored bytes have no byte order.
    let data_type = DataType::raw(size);
    let fill_value = FillValue::zero(&data_type);
    let encoded = ChunkRepresentation { shape: decoded.shape.clone(), data_type, fill_value };
    Ok(predictor.codec(encoded, |rows, mut bytes| {
        let mut decoded = limits::zeroed(bytes.len() as u64, limits::CHUNK_BYTES, "chunk")?;
        undo_float_differences(&mut bytes, rows, &mut decoded);
        Ok(decoded)
    }))
}

/// A chunk as rows of elements.
struct Predictor {
    rows: Rows,
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
    fn read(configuration: &Configuration<'_>, chunk: &ChunkRepresentation, size: usize) -> Result<Self> {
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

    /// The codec whose differences `undo` undoes.
    fn codec(self, encoded: ChunkRepresentation, undo: Undo) -> Codec {
        Codec::array_to_array(Predicted { predictor: self, encoded, undo })
    }
}

/// Turns differences into elements.
type Undo = fn(Rows, Vec<u8>) -> Result<Vec<u8>>;

struct Predicted {
    predictor: Predictor,
    encoded: ChunkRepresentation,
    undo: Undo,
}

impl ArrayToArray for Predicted {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.encoded
    }

    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes> {
        let bytes = encoded.into_fixed()?;
        check_decoded_len(&bytes, self.predictor.byte_len)?;
        (self.undo)(self.predictor.rows, bytes).map(ArrayBytes::Fixed)
    }

    fn encode(&self, _: ArrayBytes) -> Result<ArrayBytes> {
        Err(codec_is_read_only())
    }
}

/// The dimensions from the axis on. Negative axes count from the end.
fn row_shape(shape: &[u64], axis: i64) -> Result<&[u64]> {
    let from_end = if axis < 0 { shape.len() as u64 } else { 0 };
    let start = from_end.checked_add_signed(axis).filter(|start| *start < shape.len() as u64);
    let start = start.ok_or_else(|| wrong_value("axis", format!("one of {} axes", shape.len()), axis))?;
    Ok(shape.get(limits::to_usize(start, "axis")?..).unwrap_or_default())
}
