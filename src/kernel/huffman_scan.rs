//! The entropy-coded data of JPEG, walked through without decoding a pixel: whether each block of a
//! scan is there. <https://www.w3.org/Graphics/JPEG/itu-t81.pdf>, annexes F and G
//!
//! Decoders take zeros for what is missing. So this walk counts blocks, with the same codes. It
//! does not look at the values of coefficients, only at their number of bits; and in progressive
//! images at which coefficients are zero, because later scans have bits for the others.
//!
//! ```text
//! walk_block, of a sequential image:
//!     skip the bits of the mean: as many as its code says
//!     at = 1; until at is 64: (run, len) = the next code
//!         (below 15, 0): the rest is zero, leave
//!         else: skip len bits, at += run + 1                     (15, 0) is 16 zeros
//! walk_band, of a progressive one, for the coefficients first to last:
//!     at = first; while no end run is open and at <= last: (run, len) = the next code
//!         (run below 15, 0): open an end run of 2^run + the next run bits blocks, leave
//!         else: skip len bits
//!             a first scan: at += run
//!             a refining one: go on over run zeros and to the next zero; each coefficient on the
//!                 way that is present has one bit                                    skip_zeros
//!             if len > 0: the coefficient at `at` is present; at += 1
//!     if an end run is open: when refining, one bit for each present coefficient from at on;
//!         one block less is left of it
//! ```

/// Why a scan ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanError {
    /// The data end before the block.
    Missing,
    /// The bits are not a code of the table.
    NoCode,
}

/// The bits of the codes that one look finds.
const LOOK: u32 = 9;

/// A table of Huffman codes.
#[derive(Clone)]
pub struct HuffmanTable {
    /// By the next bits: the length of the code, and its symbol. Length 0: a longer code.
    look: [(u8, u8); 1 << LOOK],
    /// By the length of a code: the first code after those of this length, in 16 bits; and what to
    /// add to a code for the index of its symbol.
    ends: [(u32, i32); 17],
    symbols: [u8; 256],
}

impl HuffmanTable {
    /// The table with this many codes of each length from 1 to 16, and these symbols. `None` for
    /// more codes than there can be, or fewer symbols.
    pub fn new(counts: &[u8; 16], symbols: &[u8]) -> Option<Self> {
        let mut table = Self { look: [(0, 0); 1 << LOOK], ends: [(0, 0); 17], symbols: [0; 256] };
        let (mut code, mut index) = (0_u32, 0_usize);
        for (len, &count) in (1_u32..).zip(counts) {
            let (first, first_index) = (code, index);
            for &symbol in symbols.get(index..index + usize::from(count))? {
                *table.symbols.get_mut(index)? = symbol;
                if len <= LOOK {
                    let at = (code << (LOOK - len)) as usize;
                    let same = table.look.get_mut(at..at + (1 << (LOOK - len)))?;
                    same.fill((u8::try_from(len).ok()?, symbol));
                }
                (code, index) = (code + 1, index + 1);
            }
            if code > 1 << len {
                return None;
            }
            let add = i32::try_from(first_index).ok()? - i32::try_from(first).ok()?;
            table.ends[len as usize] = (code << (16 - len), add);
            code <<= 1;
        }
        Some(table)
    }
}

/// The bits of entropy-coded data up to the next marker.
pub struct ScanBits<'a> {
    bytes: &'a [u8],
    at: usize,
    held: u64,
    count: u32,
}

impl<'a> ScanBits<'a> {
    /// Starts at this byte.
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, held: 0, count: 0 }
    }

    /// Moves to the next marker, and returns its offset and second byte. `None` at the end of the
    /// data.
    #[inline(never)]
    pub fn next_marker(&mut self) -> Option<(usize, u8)> {
        (self.held, self.count) = (0, 0);
        loop {
            match self.bytes.get(self.at..)? {
                // Bytes 0xff may fill up in front of a marker.
                [0xff, 0xff, ..] | [0..=0xfe, ..] => self.at += 1,
                [0xff, 0, ..] => self.at += 2,
                [0xff, marker, ..] => return Some((self.at, *marker)),
                [0xff] | [] => return None,
            }
        }
    }

    /// Moves behind the marker where the bits are.
    pub fn skip_marker(&mut self) {
        self.at += 2;
    }

    /// Holds more bits, at least 32 if there are as many.
    #[inline]
    fn fill(&mut self) {
        while self.count <= 48 {
            match self.bytes.get(self.at..) {
                Some([0xff, 0, ..]) => self.push(0xff, 2),
                Some(&[byte, ..]) if byte != 0xff => self.push(byte, 1),
                _ => return,
            }
        }
    }

    #[inline]
    fn push(&mut self, byte: u8, len: usize) {
        self.held = self.held << 8 | u64::from(byte);
        self.count += 8;
        self.at += len;
    }

    /// The next bits, at most 16; zeros behind the last.
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "at most 16 bits")]
    fn peek(&self, width: u32) -> u32 {
        let bits = match self.count.checked_sub(width) {
            Some(rest) => self.held >> rest,
            None => self.held << (width - self.count),
        };
        (bits & ((1 << width) - 1)) as u32
    }

    #[inline]
    fn skip(&mut self, width: u32) -> Result<(), ScanError> {
        if self.count < width {
            self.fill();
        }
        self.count = self.count.checked_sub(width).ok_or(ScanError::Missing)?;
        Ok(())
    }

    #[inline]
    fn take(&mut self, width: u32) -> Result<u32, ScanError> {
        if self.count < width {
            self.fill();
        }
        let bits = self.peek(width);
        self.skip(width)?;
        Ok(bits)
    }

    #[inline]
    fn symbol(&mut self, table: &HuffmanTable) -> Result<u8, ScanError> {
        if self.count < 16 {
            self.fill();
        }
        let (len, symbol) = table.look[self.peek(LOOK) as usize];
        if len > 0 {
            self.skip(u32::from(len))?;
            return Ok(symbol);
        }
        self.long_symbol(table)
    }

    #[inline(never)]
    fn long_symbol(&mut self, table: &HuffmanTable) -> Result<u8, ScanError> {
        let bits = self.peek(16);
        for len in LOOK + 1..=16 {
            let (end, add) = table.ends[len as usize];
            if bits < end {
                self.skip(len)?;
                let index = i64::from(bits >> (16 - len)) + i64::from(add);
                let index = usize::try_from(index).map_err(|_| ScanError::NoCode)?;
                return table.symbols.get(index).copied().ok_or(ScanError::NoCode);
            }
        }
        // Zeros stand for bits that are not there.
        Err(if self.count < 16 { ScanError::Missing } else { ScanError::NoCode })
    }
}

/// Which coefficients a scan has, and which of their bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// The first coefficient, 0 for the mean of the block.
    pub first: u32,
    /// The last one, at most 63.
    pub last: u32,
    /// Whether earlier scans had upper bits of them.
    pub refines: bool,
}

/// A run of blocks without further coefficients, which continues in the next blocks.
pub type EndRun = u32;

/// Walks through a block of a sequential image.
#[inline(never)]
pub fn walk_block(bits: &mut ScanBits<'_>, dc: &HuffmanTable, ac: &HuffmanTable) -> Result<(), ScanError> {
    let len = bits.symbol(dc)?;
    bits.skip(u32::from(len & 31))?;
    let mut at = 1;
    while at < 64 {
        let symbol = bits.symbol(ac)?;
        let (run, len) = (u32::from(symbol >> 4), u32::from(symbol & 15));
        if len == 0 && run < 15 {
            break;
        }
        bits.skip(len)?;
        at += run + 1;
    }
    Ok(())
}

/// Walks through the mean of a block in a progressive image.
#[inline(never)]
pub fn walk_mean(bits: &mut ScanBits<'_>, table: Option<&HuffmanTable>) -> Result<(), ScanError> {
    let Some(table) = table else { return bits.skip(1) };
    let len = bits.symbol(table)?;
    bits.skip(u32::from(len & 31))
}

/// Walks through a band of a block in a progressive image. `present` has a bit for each coefficient
/// of the block that is not zero.
#[inline(never)]
pub fn walk_band(
    bits: &mut ScanBits<'_>,
    table: &HuffmanTable,
    band: Band,
    end_run: &mut EndRun,
    present: &mut u64,
) -> Result<(), ScanError> {
    let mut at = band.first;
    while *end_run == 0 && at <= band.last {
        let symbol = bits.symbol(table)?;
        let (run, len) = (u32::from(symbol >> 4), u32::from(symbol & 15));
        if len == 0 && run < 15 {
            *end_run = (1 << run) + bits.take(run)?;
            break;
        }
        bits.skip(len)?;
        at = if band.refines { skip_zeros(bits, at, band.last, run, *present)? } else { at + run };
        if len > 0 && at <= band.last {
            *present |= 1 << at;
        }
        at += 1;
    }
    if *end_run > 0 {
        if band.refines && at <= band.last {
            let rest = *present >> at & (u64::MAX >> (63 - (band.last - at)));
            (0..rest.count_ones()).try_for_each(|_| bits.skip(1))?;
        }
        *end_run -= 1;
    }
    Ok(())
}

/// Skips this many coefficients that are zero, and the bits of the others between them. Returns the
/// index of the next zero.
fn skip_zeros(
    bits: &mut ScanBits<'_>,
    from: u32,
    last: u32,
    zeros: u32,
    present: u64,
) -> Result<u32, ScanError> {
    let (mut at, mut zeros) = (from, zeros);
    while at <= last {
        if present >> at & 1 == 1 {
            bits.skip(1)?;
        } else if zeros == 0 {
            break;
        } else {
            zeros -= 1;
        }
        at += 1;
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes 0, 10, 110 and 111110 for 1, 2, 3 and 4; none of ones alone.
    fn table() -> HuffmanTable {
        let mut counts = [0; 16];
        (counts[0], counts[1], counts[2], counts[5]) = (1, 1, 1, 1);
        HuffmanTable::new(&counts, &[1, 2, 3, 4]).unwrap()
    }

    #[test]
    fn symbols_are_those_of_the_codes() {
        // 0 10 110 111000 is no code of four, 111000 is the first of six bits.
        let bytes = [0b0101_1011, 0b1000_0101];
        let mut bits = ScanBits::new(&bytes, 0);
        let symbols: Vec<_> = (0..4).map(|_| bits.symbol(&table()).unwrap()).collect();
        assert_eq!(symbols, [1, 2, 3, 4]);
    }

    #[test]
    fn bits_behind_the_last_are_missing() {
        let mut bits = ScanBits::new(&[0b0101_1010, 0xff, 0xd9], 0);
        for symbol in [1, 2, 3, 2] {
            assert_eq!(bits.symbol(&table()), Ok(symbol));
        }
        // Zeros would be the code of 1.
        assert_eq!(bits.symbol(&table()), Err(ScanError::Missing));
        assert_eq!(bits.next_marker(), Some((1, 0xd9)));
    }

    #[test]
    fn more_codes_than_there_can_be_are_refused() {
        let mut counts = [0; 16];
        counts[0] = 3;
        assert!(HuffmanTable::new(&counts, &[1, 2, 3]).is_none());
        counts[0] = 2;
        assert!(HuffmanTable::new(&counts, &[1]).is_none());
    }

    #[test]
    fn long_codes_are_found() {
        let mut counts = [0; 16];
        (counts[0], counts[11]) = (1, 2);
        let table = HuffmanTable::new(&counts, &[7, 8, 9]).unwrap();
        // 1000 0000 0000 and 1000 0000 0001, and then 0.
        let mut bits = ScanBits::new(&[0x80, 0x08, 0x01, 0], 0);
        assert_eq!((bits.symbol(&table), bits.symbol(&table), bits.symbol(&table)), (Ok(8), Ok(9), Ok(7)));
    }
}
