//! Reads numbers of any width from bytes, the most significant bit first; and fields of sections.

use crate::error::{Result, damaged, too_short};

/// The bits that are left to read.
#[derive(Clone)]
pub struct Bits<'a> {
    bytes: &'a [u8],
    /// The next bits, at the end; those before them have been read.
    held: u64,
    /// How many bits of `held` are still to read: at most 63.
    count: u32,
}

#[allow(clippy::arithmetic_side_effects, reason = "`count` is at most 63, and a width at most 56")]
impl<'a> Bits<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, held: 0, count: 0 }
    }

    /// Holds eight more bits.
    fn fill(&mut self) -> Result<()> {
        let (&byte, rest) = self.bytes.split_first().ok_or_else(too_short)?;
        self.bytes = rest;
        self.held = self.held << 8 | u64::from(byte);
        self.count += 8;
        Ok(())
    }

    /// The next `width` bits as a number. A width above 32 is an error.
    pub fn take(&mut self, width: u32) -> Result<u64> {
        if width > 32 {
            return Err(damaged("a number has more than 32 bits"));
        }
        while self.count < width {
            self.fill()?;
        }
        self.count -= width;
        Ok(self.held >> self.count & ((1 << width) - 1))
    }

    /// The number of zeros before the next one, which is read too.
    pub fn zeros(&mut self) -> Result<u32> {
        let mut zeros = 0_u32;
        loop {
            let unread = self.held & ((1 << self.count) - 1);
            if unread != 0 {
                let first = 63 - unread.leading_zeros();
                zeros = zeros.saturating_add(self.count - 1 - first);
                self.count = first;
                return Ok(zeros);
            }
            zeros = zeros.saturating_add(self.count);
            self.count = 0;
            self.fill()?;
        }
    }

    /// Goes on at the next whole byte.
    pub fn align(&mut self) {
        self.count -= self.count % 8;
    }
}

/// Splits off the bytes of `count` numbers of `width` bits, which end at a whole byte.
///
/// # Errors
/// `Format` for fewer bytes.
pub fn split(bytes: &[u8], count: usize, width: u32) -> Result<(Bits<'_>, &[u8])> {
    let len = (count as u64).saturating_mul(u64::from(width)).div_ceil(8);
    let len = usize::try_from(len).map_err(|_| too_short())?;
    let (numbers, rest) = bytes.split_at_checked(len).ok_or_else(too_short)?;
    Ok((Bits::new(numbers), rest))
}

/// The byte of a section at an offset.
pub fn u8_at(section: &[u8], at: usize) -> Result<u8> {
    section.get(at).copied().ok_or_else(too_short)
}

/// The unsigned number of a section at an offset.
pub fn u32_at(section: &[u8], at: usize) -> Result<u32> {
    let bytes = section.get(at..).and_then(|bytes| bytes.first_chunk()).ok_or_else(too_short)?;
    Ok(u32::from_be_bytes(*bytes))
}

/// Likewise, of 16 bits.
pub fn u16_at(section: &[u8], at: usize) -> Result<u16> {
    let bytes = section.get(at..).and_then(|bytes| bytes.first_chunk()).ok_or_else(too_short)?;
    Ok(u16::from_be_bytes(*bytes))
}

/// A signed number: GRIB has the sign in the first bit, and the magnitude in the others.
pub fn i32_at(section: &[u8], at: usize) -> Result<i32> {
    let bits = u32_at(section, at)?;
    #[allow(clippy::cast_possible_wrap, reason = "the sign is masked out")]
    let magnitude = (bits & 0x7fff_ffff) as i32;
    Ok(if bits >> 31 == 1 { magnitude.wrapping_neg() } else { magnitude })
}

/// Likewise, of 16 bits.
pub fn i16_at(section: &[u8], at: usize) -> Result<i16> {
    let bits = u16_at(section, at)?;
    #[allow(clippy::cast_possible_wrap, reason = "the sign is masked out")]
    let magnitude = (bits & 0x7fff) as i16;
    Ok(if bits >> 15 == 1 { magnitude.wrapping_neg() } else { magnitude })
}
