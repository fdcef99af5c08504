//! Raw DEFLATE (RFC 1951), decoded into one buffer, which is the window too.
//!
//! ```text
//! while the last block was not read:                                    step
//!     read is_last and the kind of the block                            begin_block
//!     stored:     copy as many bytes as its length says                 copy_stored
//!     compressed: literals, distances = fixed tables (use_fixed_codes), or those here (read_codes)
//!         repeat:                                                       decode_symbols
//!             entry = literals at the next bits                         Table::look_up
//!             a literal: append it;  the end: leave
//!             a length: add its further bits; entry = distances at the next bits
//!                 distance = entry + its further bits; fail if nothing is so far back
//!                 append `length` bytes from `distance` back, which may overlap
//! ```
//!
//! `decode_fast` is this loop for the middle of both buffers: it fills 56 bits or more at once,
//! takes up to two literals on one filling, and copies in steps that may write beyond a length.
//! A table has an entry for every pattern of its first 10 (8) bits, so a short code is there many
//! times; the entry of a longer one leads to a second table (`huffman`).
//!
//! It is ours because of its size: zlib-rs is compiled to 22 kB, brings 9 kB of tables for
//! checksums that do not compress, and copies what it decodes to a window of its own. The tests
//! compare this with zlib-rs. The codecs handle headers, checksums and growing outputs.

#![allow(
    clippy::cast_possible_truncation,
    reason = "symbols are below 288, lengths of codes at most 15, and look-ups are masked"
)]

mod bits;
mod huffman;

use self::Inflation::{Damaged, OutputFull, Truncated};
use self::bits::Bits;
use self::huffman::{END, Entry, Table};
use crate::lz4::{STEP, repeat, step_within};

/// Bits by which a code is looked up at once. Longer codes take a second step.
const LITERAL_BITS: u32 = 10;
const DISTANCE_BITS: u32 = 8;
/// The order of the lengths of length codes (§3.2.7).
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// Bytes of output that one round of the fast loop may write: two literals, then a copy of up to
/// 258 bytes, in steps.
const FAST_OUTPUT: usize = 2 + 258 + STEP;
/// Bytes of input that one round of the fast loop may look at.
const FAST_INPUT: usize = 16;

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inflation {
    /// The stream has ended.
    Done,
    /// The output is full.
    OutputFull,
    /// The input ended before the stream.
    Truncated,
    /// The input is not a DEFLATE stream.
    Damaged,
}

/// What comes next.
#[derive(Clone, Copy, Debug, Default)]
enum Next {
    #[default]
    Block,
    /// This many bytes of a stored block.
    Stored(usize),
    /// Symbols of a compressed block.
    Symbols,
    /// The rest of a copy of this length, from this distance.
    Copy(usize, usize),
}

/// The decoder of a stream. Its tables (about 8 KB) are reused from stream to stream.
#[derive(Debug, Default)]
pub struct InflateState {
    literals: Table,
    distances: Table,
    /// Whether these are the fixed codes. Blocks of a few bits may follow each other by millions.
    has_fixed_codes: bool,
    bits: Bits,
    written: usize,
    next: Next,
    is_last: bool,
}

impl InflateState {
    /// Prepares for a new stream.
    pub fn begin(&mut self) {
        (self.bits, self.written) = (Bits::default(), 0);
        (self.next, self.is_last) = (Next::Block, false);
    }

    /// The bytes of the input before what comes next.
    pub fn consumed(&self) -> usize {
        self.bits.consumed()
    }

    /// The bytes of the output that have been written.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Decodes until the stream ends or the output is full. Both slices begin where the stream
    /// does: with a larger output that has the same bytes, the next call continues.
    #[inline(never)]
    pub fn step(&mut self, src: &[u8], output: &mut [u8]) -> Inflation {
        loop {
            let done = match self.next {
                Next::Block if self.is_last => return Inflation::Done,
                Next::Block => self.begin_block(src),
                Next::Stored(len) => self.copy_stored(len, src, output),
                Next::Symbols => self.decode_symbols(src, output),
                Next::Copy(len, distance) => self.copy(len, distance, output),
            };
            if let Err(inflation) = done {
                return inflation;
            }
        }
    }

    fn begin_block(&mut self, src: &[u8]) -> Result<(), Inflation> {
        self.is_last = self.bits.take(src, 1)? == 1;
        self.next = Next::Symbols;
        match self.bits.take(src, 2)? {
            0 => {
                self.bits.align();
                let (len, complement) = (self.bits.take(src, 16)?, self.bits.take(src, 16)?);
                self.bits.align();
                self.next = Next::Stored(len);
                if len ^ complement == 0xffff { Ok(()) } else { Err(Damaged) }
            }
            1 => self.use_fixed_codes().ok_or(Damaged),
            2 => self.read_codes(src),
            _ => Err(Damaged),
        }
    }

    /// §3.2.6
    fn use_fixed_codes(&mut self) -> Option<()> {
        if self.has_fixed_codes {
            return Some(());
        }
        let mut lengths = [8; 288];
        lengths[144..256].fill(9);
        lengths[256..280].fill(7);
        self.literals.set(LITERAL_BITS, &lengths, Entry::literal_or_length)?;
        self.distances.set(DISTANCE_BITS, &[5; 32], Entry::distance)?;
        self.has_fixed_codes = true;
        Some(())
    }

    /// §3.2.7
    fn read_codes(&mut self, src: &[u8]) -> Result<(), Inflation> {
        let literals = self.bits.take(src, 5)? + 257;
        let distances = self.bits.take(src, 5)? + 1;
        let count = self.bits.take(src, 4)? + 4;
        if literals > 286 || distances > 30 {
            return Err(Damaged);
        }
        self.has_fixed_codes = false;
        let mut lengths = [0; ORDER.len()];
        for at in &ORDER[..count] {
            lengths[*at] = self.bits.take(src, 3)? as u8;
        }
        self.distances.set(DISTANCE_BITS, &lengths, Entry::code_length).ok_or(Damaged)?;
        // An incomplete code cannot have the lengths of a block.
        if lengths.iter().filter(|length| **length > 0).count() < 2 {
            return Err(Damaged);
        }
        let mut lengths = [0; 286 + 30];
        self.read_lengths(src, &mut lengths[..literals + distances])?;
        let (of_literals, of_distances) = lengths[..literals + distances].split_at(literals);
        if of_literals[END] == 0 {
            return Err(Damaged);
        }
        self.literals.set(LITERAL_BITS, of_literals, Entry::literal_or_length).ok_or(Damaged)?;
        self.distances.set(DISTANCE_BITS, of_distances, Entry::distance).ok_or(Damaged)
    }

    /// Reads code lengths, some of which are said to repeat.
    fn read_lengths(&mut self, src: &[u8], lengths: &mut [u8]) -> Result<(), Inflation> {
        let mut at = 0;
        while at < lengths.len() {
            let entry = self.bits.symbol(src, &self.distances)?;
            let more = self.bits.take(src, entry.more_bits())?;
            let (length, count) = match entry.value() {
                16 => (*at.checked_sub(1).and_then(|before| lengths.get(before)).ok_or(Damaged)?, 3 + more),
                17 => (0, 3 + more),
                18 => (0, 11 + more),
                length => (length as u8, 1),
            };
            lengths.get_mut(at..at + count).ok_or(Damaged)?.fill(length);
            at += count;
        }
        Ok(())
    }

    fn copy_stored(&mut self, len: usize, src: &[u8], output: &mut [u8]) -> Result<(), Inflation> {
        let (src, output) = (&src[self.bits.read..], &mut output[self.written..]);
        let count = len.min(src.len()).min(output.len());
        output[..count].copy_from_slice(&src[..count]);
        self.bits.read += count;
        self.written += count;
        self.next = if count == len { Next::Block } else { Next::Stored(len - count) };
        match count {
            _ if count == len => Ok(()),
            _ if count == output.len() => Err(OutputFull),
            _ => Err(Truncated),
        }
    }

    fn copy(&mut self, len: usize, distance: usize, output: &mut [u8]) -> Result<(), Inflation> {
        if distance > self.written {
            return Err(Damaged);
        }
        let count = len.min(output.len() - self.written);
        repeat(output, self.written, distance, count);
        self.written += count;
        self.next = if count == len { Next::Symbols } else { Next::Copy(len - count, distance) };
        if count == len { Ok(()) } else { Err(OutputFull) }
    }

    /// Decodes symbols until the block ends.
    fn decode_symbols(&mut self, src: &[u8], output: &mut [u8]) -> Result<(), Inflation> {
        loop {
            self.decode_fast(src, output)?;
            let before = self.bits;
            let entry = self.bits.symbol(src, &self.literals)?;
            if entry.is(Entry::LITERAL) {
                let Some(target) = output.get_mut(self.written) else {
                    self.bits = before;
                    return Err(OutputFull);
                };
                *target = entry.value() as u8;
                self.written += 1;
            } else if entry.is(Entry::OTHER) {
                self.next = Next::Block;
                return if entry.value() == 0 { Ok(()) } else { Err(Damaged) };
            } else {
                let len = entry.value() + self.bits.take(src, entry.more_bits())?;
                let entry = self.bits.symbol(src, &self.distances)?;
                if entry.is(Entry::OTHER) {
                    return Err(Damaged);
                }
                let distance = entry.value() + self.bits.take(src, entry.more_bits())?;
                self.copy(len, distance, output)?;
            }
        }
    }

    /// Decodes literals and copies while input and output have room for whole rounds. Stops before
    /// any other symbol.
    #[inline(never)]
    fn decode_fast(&mut self, src: &[u8], output: &mut [u8]) -> Result<(), Inflation> {
        let (mut bits, mut at) = (self.bits, self.written);
        while bits.read + FAST_INPUT <= src.len() && at + FAST_OUTPUT <= output.len() {
            bits.fill_fast(src);
            let mut entry = self.literals.look_up(bits.word);
            for _ in 0..2 {
                if entry.is(Entry::LITERAL) {
                    bits.drop(entry.bits());
                    output[at] = entry.value() as u8;
                    at += 1;
                    entry = self.literals.look_up(bits.word);
                }
            }
            if entry.is(Entry::LITERAL) {
                continue;
            }
            if entry.is(Entry::OTHER) {
                break;
            }
            // Three codes and five bits: at most fifty.
            bits.drop(entry.bits());
            let len = entry.value() + bits.take_fast(entry.more_bits());
            bits.fill_fast(src);
            let entry = self.distances.look_up(bits.word);
            bits.drop(entry.bits());
            let distance = entry.value() + bits.take_fast(entry.more_bits());
            if entry.is(Entry::OTHER) || distance > at {
                return Err(Damaged);
            }
            copy_fast(output, at, distance, len);
            at += len;
        }
        (self.bits, self.written) = (bits, at);
        Ok(())
    }
}

/// Copies within the output, which has room for one step more.
#[inline(always)]
fn copy_fast(output: &mut [u8], at: usize, distance: usize, len: usize) {
    if distance < STEP {
        return repeat(output, at, distance, len);
    }
    let mut to = at;
    while to < at + len {
        step_within(output, to - distance, to);
        to += STEP;
    }
}

#[cfg(test)]
mod tests;
