//! The adaptive entropy coder of template 5.42: CCSDS 121.0, as libaec writes it.
//! <https://public.ccsds.org/Pubs/121x0b3.pdf>
//!
//! Numbers come in blocks, and blocks in reference intervals. The first number of an interval is
//! stored as it is; the others are differences, folded to numbers from 0.

use crate::bits::{Bits, u8_at, u16_at};
use crate::error::{Result, damaged, unsupported};
use crate::scale::{Scale, room};

/// Flags of libaec, which the template has.
const SIGNED: u8 = 1;
const PREPROCESS: u8 = 8;
const RESTRICTED: u8 = 16;
const PADS: u8 = 32;

/// The sums of the second extension: no more can occur.
const MAX_SUM: u32 = 12;
/// The blocks of a segment: runs of empty blocks end with it.
const SEGMENT: u32 = 64;
/// The number of zeros that means: all blocks up to the end of the segment.
const REST_OF_SEGMENT: u32 = 4;

struct Decoder<'a> {
    bits: Bits<'a>,
    values: Vec<f64>,
    scale: &'a Scale,
    count: usize,
    flags: u8,
    block_len: u32,
    interval: u32,
    id_bits: u32,
    /// The highest number.
    most: u64,
    /// The number before.
    last: u64,
}

/// Decodes the values of a field.
///
/// # Errors
/// `Format` for corrupt data, `Unsupported` for signed numbers.
pub fn unpack(section: &[u8], data: &[u8], count: usize, scale: &Scale) -> Result<Vec<f64>> {
    let flags = u8_at(section, 21)?;
    let (block_len, interval) = (u32::from(u8_at(section, 22)?), u32::from(u16_at(section, 23)?));
    if flags & SIGNED != 0 {
        return Err(unsupported("CCSDS flags", flags));
    }
    if block_len < 2 || block_len % 2 != 0 || interval == 0 {
        return Err(damaged("its CCSDS blocks have a wrong length"));
    }
    let id_bits = match scale.bits {
        ..=2 if flags & RESTRICTED != 0 => 1,
        ..=4 if flags & RESTRICTED != 0 => 2,
        0..=8 => 3,
        9..=16 => 4,
        _ => 5,
    };
    let most = (1_u64 << scale.bits.min(32)).wrapping_sub(1);
    let (bits, values) = (Bits::new(data), room(count)?);
    let decoder = Decoder { bits, values, scale, count, flags, block_len, interval, id_bits, most, last: 0 };
    decoder.decode()
}

impl Decoder<'_> {
    fn decode(mut self) -> Result<Vec<f64>> {
        while self.values.len() < self.count {
            let mut block = 0;
            while block < self.interval && self.values.len() < self.count {
                block = block.saturating_add(self.decode_blocks(block)?);
            }
            if self.flags & PADS != 0 {
                self.bits.align();
            }
        }
        Ok(self.values)
    }

    /// Decodes the blocks that come next, and returns their number. Only empty blocks are several.
    fn decode_blocks(&mut self, block: u32) -> Result<u32> {
        let id = u32::try_from(self.bits.take(self.id_bits)?).unwrap_or(0);
        let highest = (1_u32 << self.id_bits.min(5)).wrapping_sub(1);
        let starts = block == 0 && self.flags & PREPROCESS != 0;
        if id == highest {
            return self.decode_plain(starts);
        }
        let has_pairs = id == 0 && self.bits.take(1)? == 1;
        if starts {
            self.decode_reference()?;
        }
        let left = self.block_len.saturating_sub(u32::from(starts));
        match id {
            0 if has_pairs => self.decode_pairs(starts)?,
            0 => return self.decode_zeros(block, left),
            _ => self.decode_split(left, id.saturating_sub(1))?,
        }
        Ok(1)
    }

    /// Decodes numbers that are stored as they are.
    fn decode_plain(&mut self, starts: bool) -> Result<u32> {
        if starts {
            self.decode_reference()?;
        }
        for _ in u32::from(starts)..self.block_len {
            if self.values.len() == self.count {
                break;
            }
            let number = self.bits.take(self.scale.bits)?;
            self.push(number);
        }
        Ok(1)
    }

    fn decode_reference(&mut self) -> Result<()> {
        self.last = self.bits.take(self.scale.bits)?;
        self.put(self.last);
        Ok(())
    }

    /// Decodes a block that has the upper bits of each number in unary code, and then the lower
    /// `width` bits of each.
    fn decode_split(&mut self, left: u32, width: u32) -> Result<()> {
        // A block is at most 255 numbers long.
        let mut upper = [0_u64; 255];
        let upper = upper.get_mut(..left as usize).unwrap_or_default();
        for number in &mut *upper {
            *number = u64::from(self.bits.zeros()?) << width.min(31);
        }
        for number in upper {
            let lower = self.bits.take(width)?;
            self.push(*number | lower);
        }
        Ok(())
    }

    /// Decodes pairs of small numbers. Each pair is one code.
    fn decode_pairs(&mut self, starts: bool) -> Result<()> {
        let mut skips_first = starts;
        for _ in 0..self.block_len / 2 {
            let mut code = self.bits.zeros()?;
            let mut sum = 0_u32;
            while code > sum {
                sum = sum.saturating_add(1);
                code = code.saturating_sub(sum);
            }
            if sum > MAX_SUM {
                return Err(damaged("a pair of its CCSDS data is too large"));
            }
            if !skips_first {
                self.push(u64::from(sum.saturating_sub(code)));
            }
            skips_first = false;
            self.push(u64::from(code));
        }
        Ok(())
    }

    /// Decodes a run of blocks that have only zeros. Returns the number of blocks.
    fn decode_zeros(&mut self, block: u32, left: u32) -> Result<u32> {
        let zeros = self.bits.zeros()?;
        let blocks = match zeros {
            REST_OF_SEGMENT => {
                self.interval.saturating_sub(block).min(SEGMENT.saturating_sub(block % SEGMENT))
            }
            0..REST_OF_SEGMENT => zeros.saturating_add(1),
            _ => zeros,
        };
        if blocks > self.interval.saturating_sub(block) {
            return Err(damaged("its CCSDS data have too many empty blocks"));
        }
        let zeros = blocks.saturating_sub(1).saturating_mul(self.block_len).saturating_add(left);
        for _ in 0..zeros {
            if self.values.len() == self.count {
                break;
            }
            self.push(0);
        }
        Ok(blocks)
    }

    /// Adds a number, or the number whose folded difference to the last this is.
    fn push(&mut self, number: u64) {
        if self.flags & PREPROCESS == 0 {
            return self.put(number);
        }
        let half = (number >> 1).wrapping_add(number & 1);
        let is_upper = self.last > self.most >> 1;
        let room = if is_upper { self.most.wrapping_sub(self.last) } else { self.last };
        self.last = match (half <= room, number & 1) {
            (true, 0) => self.last.wrapping_add(number >> 1),
            (true, _) => self.last.wrapping_sub(half),
            (false, _) if is_upper => self.most.wrapping_sub(number),
            (false, _) => number,
        } & self.most;
        self.put(self.last);
    }

    /// Adds a value. The last block may have more numbers than the field.
    fn put(&mut self, number: u64) {
        if self.values.len() < self.count {
            self.values.push(self.scale.value(number.cast_signed()));
        }
    }
}
