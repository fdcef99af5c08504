//! Converts floating-point types that hosts have no typed array for to `float32`, which represents
//! all their values exactly.

use super::{DataType, Float};
use crate::error::Result;
use crate::limits;

/// Converts packed elements of `bfloat16`, `float16` and narrower types, or complex numbers of
/// these, to `float32`. `None` for other types.
///
/// # Errors
/// `Limit` when there is no memory for the result.
pub fn widen(data_type: &DataType, elements: &[u8]) -> Result<Option<(DataType, Vec<u8>)>> {
    let (part, wide) = match data_type {
        DataType::Float(part) => (*part, DataType::Float(Float::Float32)),
        DataType::Complex(part) => (*part, DataType::Complex(Float::Float32)),
        _ => return Ok(None),
    };
    if part.size() > 2 {
        return Ok(None);
    }
    let count = elements.len().checked_div(part.size()).unwrap_or(0) as u64;
    let len = limits::product([count, 4], "elements as float32")?;
    let mut output = limits::zeroed(len, limits::RESULT_BYTES, "elements as float32")?;
    let wide_elements = output.chunks_exact_mut(4);
    if part.size() == 1 {
        let mut table = [f32::NAN; 256];
        for (value, byte) in table.iter_mut().zip(0..=u8::MAX) {
            #[allow(clippy::cast_possible_truncation, reason = "a single represents all narrow floats")]
            let single = part.to_f64(byte.into()) as f32;
            *value = single;
        }
        let values = elements.iter().map(|byte| table.get(usize::from(*byte)).copied().unwrap_or(f32::NAN));
        wide_elements.zip(values).for_each(|(wide, value)| wide.copy_from_slice(&value.to_le_bytes()));
    } else {
        let values = elements.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair));
        wide_elements
            .zip(values)
            .for_each(|(wide, bits)| wide.copy_from_slice(&half_to_f32(part, bits).to_le_bytes()));
    }
    Ok(Some((wide, output)))
}

fn half_to_f32(part: Float, bits: u16) -> f32 {
    match part {
        Float::Bfloat16 => half::bf16::from_bits(bits).to_f32(),
        _ => half::f16::from_bits(bits).to_f32(),
    }
}
