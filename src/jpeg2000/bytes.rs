//! Big-endian numbers at offsets in an image.

use crate::error::{Result, too_short};

/// The number of 32 bits at an offset.
pub fn u32_at(bytes: &[u8], at: usize) -> Result<u32> {
    let number = bytes.get(at..).and_then(|bytes| bytes.first_chunk()).ok_or_else(too_short)?;
    Ok(u32::from_be_bytes(*number))
}

/// The number of 16 bits at an offset.
pub fn u16_at(bytes: &[u8], at: usize) -> Result<u16> {
    let number = bytes.get(at..).and_then(|bytes| bytes.first_chunk()).ok_or_else(too_short)?;
    Ok(u16::from_be_bytes(*number))
}
