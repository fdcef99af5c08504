//! Big-endian numbers at places of an image.

use crate::error::{Result, too_short};

/// The number of 32 bits at a place.
pub fn u32_at(bytes: &[u8], at: usize) -> Result<u32> {
    let number = bytes.get(at..).and_then(|bytes| bytes.first_chunk()).ok_or_else(too_short)?;
    Ok(u32::from_be_bytes(*number))
}

/// The number of 16 bits at a place.
pub fn u16_at(bytes: &[u8], at: usize) -> Result<u16> {
    let number = bytes.get(at..).and_then(|bytes| bytes.first_chunk()).ok_or_else(too_short)?;
    Ok(u16::from_be_bytes(*number))
}
