//! Small integers as runs and as packed bits: definition levels, and indices into a dictionary.
//! <https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE>

use zarr_wasm::error::Result;

use crate::error::corrupt;
use crate::thrift::{take, varint};

/// Integers pack in groups of this many.
const GROUP: u64 = 8;

/// Calls `each` with `count` integers of `width` bits.
///
/// # Errors
/// `Format` for bytes that end early; any error of `each`.
pub fn read(
    mut bytes: &[u8],
    width: u32,
    count: usize,
    mut each: impl FnMut(u32) -> Result<()>,
) -> Result<()> {
    let short = || corrupt("a page ends early");
    if width > u32::BITS {
        return Err(corrupt("an index has more than 32 bits"));
    }
    let mut left = count as u64;
    while left > 0 {
        let head = varint(&mut bytes).ok_or_else(short)?;
        let len =
            if head & 1 == 0 { (head >> 1).min(left) } else { (head >> 1).saturating_mul(GROUP).min(left) };
        if len == 0 {
            return Err(corrupt("a run is empty"));
        }
        if head & 1 == 0 {
            let value = take(&mut bytes, width.div_ceil(8) as usize).ok_or_else(short)?;
            let value = number(value);
            for _ in 0..len {
                each(value)?;
            }
        } else {
            let whole = (head >> 1).checked_mul(width.into()).ok_or_else(short)?;
            // Some writers leave out the bytes after the last value.
            let needed = len.saturating_mul(width.into()).div_ceil(8);
            let taken = whole.min(bytes.len() as u64).max(needed);
            let packed = take(&mut bytes, usize::try_from(taken).map_err(|_| short())?).ok_or_else(short)?;
            unpack(packed, width, len, &mut each)?;
        }
        left = left.saturating_sub(len);
    }
    Ok(())
}

/// A little-endian number of at most four bytes.
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, byte| (number << 8) | u32::from(*byte))
}

/// Unpacks integers, whose bits follow each other from the lowest on.
#[allow(clippy::arithmetic_side_effects, reason = "fewer than 64 bits are held")]
fn unpack(packed: &[u8], width: u32, len: u64, each: &mut impl FnMut(u32) -> Result<()>) -> Result<()> {
    let mask = (1_u64 << width) - 1;
    let (mut held, mut bits) = (0_u64, 0);
    let mut bytes = packed.iter();
    for _ in 0..len {
        while bits < width {
            held |= u64::from(*bytes.next().ok_or_else(|| corrupt("a page ends early"))?) << bits;
            bits += 8;
        }
        each(u32::try_from(held & mask).unwrap_or_default())?;
        held >>= width;
        bits -= width;
    }
    Ok(())
}
