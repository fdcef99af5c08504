//! The bits of a DEFLATE stream (RFC 1951, §3.1.1), the first in the lowest bit.

use super::Inflation::{self, Truncated};
use super::huffman::{Entry, Table};

/// Bits of the input that are next, the first in the lowest bit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bits {
    pub(super) word: u64,
    count: u32,
    /// The bytes of the input that are in `word`, or were.
    pub(super) read: usize,
}

impl Bits {
    /// Reads until there are 56 bits, if the input has them.
    fn fill(&mut self, src: &[u8]) {
        while self.count < 56
            && let Some(byte) = src.get(self.read)
        {
            self.word |= u64::from(*byte) << self.count;
            self.count += 8;
            self.read += 1;
        }
    }

    /// As [`fill`](Self::fill), where the input has eight more bytes. `word` then has bits above
    /// the count too: those that the next call finds again.
    #[inline(always)]
    pub(super) fn fill_fast(&mut self, src: &[u8]) {
        if let Some(bytes) = src[self.read..].first_chunk() {
            self.word |= u64::from_le_bytes(*bytes) << self.count;
            self.read += ((63 - self.count) / 8) as usize;
            self.count |= 56;
        }
    }

    #[inline(always)]
    pub(super) fn drop(&mut self, count: u32) {
        self.word >>= count;
        self.count -= count;
    }

    #[inline(always)]
    pub(super) fn take_fast(&mut self, count: u32) -> usize {
        let bits = self.word & ((1 << count) - 1);
        self.drop(count);
        bits as usize
    }

    /// At most 32 bits.
    pub(super) fn take(&mut self, src: &[u8], count: u32) -> Result<usize, Inflation> {
        self.fill(src);
        if count > self.count { Err(Truncated) } else { Ok(self.take_fast(count)) }
    }

    /// The entry of the next code, which is dropped.
    pub(super) fn symbol(&mut self, src: &[u8], table: &Table) -> Result<Entry, Inflation> {
        self.fill(src);
        let entry = table.look_up(self.word);
        if entry.bits() > self.count {
            return Err(Truncated);
        }
        self.drop(entry.bits());
        Ok(entry)
    }

    /// The bytes of the input before the next whole byte.
    pub(super) fn consumed(&self) -> usize {
        self.read - (self.count / 8) as usize
    }

    /// Goes to the start of a byte.
    pub(super) fn align(&mut self) {
        self.drop(self.count % 8);
        *self = Self { read: self.consumed(), ..Self::default() };
    }
}
