//! Raw DEFLATE (RFC 1951), decoded into one buffer, which is the window too.
//!
//! It is ours because of its size: zlib-rs is compiled to 22 kB, brings 9 kB of tables for checksums
//! that do not compress, and copies what it decodes to a window of its own. The tests compare this
//! with zlib-rs. The codecs handle headers, checksums and growing outputs.

use self::Inflation::{Damaged, OutputFull, Truncated};
use crate::lz4::{STEP, repeat, step_within};

/// The most bits of a code.
const MOST_BITS: usize = 15;
/// Bits by which a code is looked up at once. Longer codes take a second step.
const LITERAL_BITS: u32 = 10;
const DISTANCE_BITS: u32 = 8;
/// The symbol that ends a block.
const END: usize = 256;
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

/// What a code stands for: its bits in the lowest byte, the number of bits that follow it in the
/// next six bits, a kind, and a value in the upper half.
#[derive(Clone, Copy, Debug, Default)]
struct Entry(u32);

impl Entry {
    const LITERAL: u32 = 1 << 15;
    /// The codes of this prefix are in a table at `value`, by the bits that follow.
    const NESTED: u32 = 1 << 14;
    /// Neither a literal nor a length: the end of the block if the value is zero, else no symbol.
    const OTHER: u32 = 1 << 13;

    const fn new(kind: u32, value: u32, more_bits: u32) -> Self {
        Self(value << 16 | kind | more_bits << 8)
    }

    const INVALID: Self = Self::new(Self::OTHER, 1, 0);

    /// The symbols of literals and lengths (§3.2.5).
    fn literal_or_length(symbol: usize) -> Self {
        let length = symbol.wrapping_sub(END + 1) as u32;
        match symbol {
            0..END => Self::new(Self::LITERAL, symbol as u32, 0),
            END => Self::new(Self::OTHER, 0, 0),
            257..265 => Self::new(0, length + 3, 0),
            265..285 => Self::new(0, ((4 + length % 4) << (length / 4 - 1)) + 3, length / 4 - 1),
            285 => Self::new(0, 258, 0),
            _ => Self::INVALID,
        }
    }

    /// The symbols of distances (§3.2.5).
    fn distance(symbol: usize) -> Self {
        let symbol = symbol as u32;
        match symbol {
            0..4 => Self::new(0, symbol + 1, 0),
            4..30 => Self::new(0, ((2 + symbol % 2) << (symbol / 2 - 1)) + 1, symbol / 2 - 1),
            _ => Self::INVALID,
        }
    }

    /// The symbols of code lengths (§3.2.7).
    fn code_length(symbol: usize) -> Self {
        Self::new(0, symbol as u32, [2, 3, 7].get(symbol.wrapping_sub(16)).copied().unwrap_or(0))
    }

    const fn with_bits(self, bits: usize) -> Self {
        Self(self.0 | bits as u32)
    }

    const fn is(self, kind: u32) -> bool {
        self.0 & kind != 0
    }

    const fn bits(self) -> u32 {
        self.0 & 0xff
    }

    const fn more_bits(self) -> u32 {
        self.0 >> 8 & 0x1f
    }

    const fn value(self) -> usize {
        (self.0 >> 16) as usize
    }
}

/// The symbols of a Huffman code.
#[derive(Debug, Default)]
struct Table {
    entries: Vec<Entry>,
    /// The bits of the first look-up.
    bits: u32,
}

impl Table {
    /// Makes the table for codes of these lengths, which are zero for symbols without a code
    /// (§3.2.2). `None` if they are no prefix code, or an incomplete one: that is valid for a
    /// single code of one bit, and for none at all.
    fn set(&mut self, bits: u32, lengths: &[u8], entry_of: fn(usize) -> Entry) -> Option<()> {
        let mut counts = [0_u32; MOST_BITS + 1];
        lengths.iter().for_each(|length| counts[usize::from(*length)] += 1);
        let used = counts[1..].iter().sum::<u32>();
        counts[0] = 0;
        let mut next = [0_u32; MOST_BITS + 1];
        for length in 1..=MOST_BITS {
            next[length] = (next[length - 1] + counts[length - 1]) << 1;
        }
        let end = next[MOST_BITS] + counts[MOST_BITS];
        if end != 1 << MOST_BITS && !(used == 0 || used == 1 && counts[1] == 1) {
            return None;
        }
        self.bits = bits;
        self.entries.clear();
        self.entries.resize(1 << bits, Entry::INVALID.with_bits(1));
        self.nest(lengths, next);
        for (symbol, length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
            let length = usize::from(*length);
            self.put(reversed(&mut next, length), length, entry_of(symbol));
        }
        Some(())
    }

    /// Makes a table for each prefix of codes that are longer than the first look-up.
    fn nest(&mut self, lengths: &[u8], mut next: [u32; MOST_BITS + 1]) {
        for length in lengths.iter().map(|length| usize::from(*length)).filter(|length| *length > 0) {
            let prefix = reversed(&mut next, length) & ((1 << self.bits) - 1);
            let more = (length as u32).saturating_sub(self.bits);
            if more > 0 {
                // The longest code of the prefix counts. Until here no entry has such bits.
                let longest = more.max(self.entries[prefix].more_bits());
                self.entries[prefix] = Entry::new(Entry::NESTED, 0, longest);
            }
        }
        for prefix in 0..1 << self.bits {
            let entry = self.entries[prefix];
            if entry.is(Entry::NESTED) {
                let at = self.entries.len();
                self.entries[prefix] = Entry::new(Entry::NESTED, at as u32, entry.more_bits());
                self.entries.resize(at + (1 << entry.more_bits()), Entry::INVALID);
            }
        }
    }

    /// Enters a code everywhere where its bits are the first.
    fn put(&mut self, code: usize, length: usize, entry: Entry) {
        let prefix = self.entries[code & ((1 << self.bits) - 1)];
        let entry = entry.with_bits(length);
        if length as u32 <= self.bits {
            self.entries[..1 << self.bits]
                .iter_mut()
                .skip(code)
                .step_by(1 << length)
                .for_each(|at| *at = entry);
        } else {
            let nested = &mut self.entries[prefix.value()..][..1 << prefix.more_bits()];
            let step = 1 << (length as u32 - self.bits);
            nested.iter_mut().skip(code >> self.bits).step_by(step).for_each(|at| *at = entry);
        }
    }

    #[inline(always)]
    fn look_up(&self, bits: u64) -> Entry {
        let entry = self.entries[bits as usize & ((1 << self.bits) - 1)];
        if entry.is(Entry::NESTED) { self.nested(entry, bits) } else { entry }
    }

    fn nested(&self, prefix: Entry, bits: u64) -> Entry {
        self.entries[prefix.value() + ((bits >> self.bits) as usize & ((1 << prefix.more_bits()) - 1))]
    }
}

/// The next code of a length, with its first bit in the lowest place.
fn reversed(next: &mut [u32; MOST_BITS + 1], length: usize) -> usize {
    let code = next[length];
    next[length] += 1;
    (code.reverse_bits() >> (u32::BITS - length as u32)) as usize
}

/// Bits of the input that are next, the first in the lowest place.
#[derive(Clone, Copy, Debug, Default)]
struct Bits {
    word: u64,
    count: u32,
    /// The bytes of the input that are in `word`, or were.
    read: usize,
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
    fn fill_fast(&mut self, src: &[u8]) {
        if let Some(bytes) = src[self.read..].first_chunk() {
            self.word |= u64::from_le_bytes(*bytes) << self.count;
            self.read += ((63 - self.count) / 8) as usize;
            self.count |= 56;
        }
    }

    #[inline(always)]
    fn drop(&mut self, count: u32) {
        self.word >>= count;
        self.count -= count;
    }

    #[inline(always)]
    fn take_fast(&mut self, count: u32) -> usize {
        let bits = self.word & ((1 << count) - 1);
        self.drop(count);
        bits as usize
    }

    /// At most 32 bits.
    fn take(&mut self, src: &[u8], count: u32) -> Result<usize, Inflation> {
        self.fill(src);
        if count > self.count { Err(Truncated) } else { Ok(self.take_fast(count)) }
    }

    /// The entry of the next code, which is dropped.
    fn symbol(&mut self, src: &[u8], table: &Table) -> Result<Entry, Inflation> {
        self.fill(src);
        let entry = table.look_up(self.word);
        if entry.bits() > self.count {
            return Err(Truncated);
        }
        self.drop(entry.bits());
        Ok(entry)
    }

    /// Goes to the start of a byte.
    fn align(&mut self) {
        self.drop(self.count % 8);
        self.read -= (self.count / 8) as usize;
        (self.word, self.count) = (0, 0);
    }
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
        self.bits.read - (self.bits.count / 8) as usize
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
        let mut lengths = [8; 288];
        lengths[144..256].fill(9);
        lengths[256..280].fill(7);
        self.literals.set(LITERAL_BITS, &lengths, Entry::literal_or_length)?;
        self.distances.set(DISTANCE_BITS, &[5; 32], Entry::distance)
    }

    /// §3.2.7
    fn read_codes(&mut self, src: &[u8]) -> Result<(), Inflation> {
        let literals = self.bits.take(src, 5)? + 257;
        let distances = self.bits.take(src, 5)? + 1;
        let count = self.bits.take(src, 4)? + 4;
        if literals > 286 || distances > 30 {
            return Err(Damaged);
        }
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
                let Some(place) = output.get_mut(self.written) else {
                    self.bits = before;
                    return Err(OutputFull);
                };
                *place = entry.value() as u8;
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
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    /// "zarr zarr zarr", encoded by Python's zlib (`zlib.compressobj(9, zlib.DEFLATED, -15)`).
    const STREAM: &[u8] = &[0xab, 0x4a, 0x2c, 0x2a, 0x52, 0xa8, 0x82, 0x11, 0x00];

    #[test]
    fn a_stream_ends_at_its_end_mark() {
        let (mut state, mut output) = (InflateState::default(), [0; 14]);
        state.begin();
        assert_eq!(state.step(STREAM, &mut output), Inflation::Done);
        assert_eq!((state.consumed(), state.written()), (STREAM.len(), 14));
        assert_eq!(&output, b"zarr zarr zarr");
    }

    #[test]
    fn full_output_short_input_and_corrupt_input_differ() {
        let (mut state, mut output) = (InflateState::default(), [0; 14]);
        state.begin();
        assert_eq!(state.step(STREAM, &mut output[..5]), OutputFull);
        state.begin();
        assert_eq!(state.step(&STREAM[..4], &mut output), Truncated);
        state.begin();
        assert_eq!(state.step(&[0xff; 9], &mut output), Damaged);
    }

    #[cfg(not(target_arch = "wasm32"))]
    mod compared {
        use miniz_oxide::deflate::compress_to_vec;
        use proptest::collection::vec;
        use proptest::prelude::*;
        use zlib_rs::{Inflate, InflateFlush, Status};

        use super::*;

        /// What zlib-rs makes of a stream: the bytes it reads and its output, if the stream is
        /// whole and has room.
        fn by_zlib_rs(src: &[u8], room: usize) -> Option<(usize, Vec<u8>)> {
            let (mut state, mut output) = (Inflate::new(false, 15), vec![0; room]);
            let status = state.decompress(src, &mut output, InflateFlush::NoFlush).ok()?;
            output.truncate(state.total_out() as usize);
            (status == Status::StreamEnd).then(|| (state.total_in() as usize, output))
        }

        /// As [`by_zlib_rs`], through outputs of all these sizes.
        fn by_steps(src: &[u8], rooms: &[usize]) -> Option<(usize, Vec<u8>)> {
            let (mut state, mut output) = (InflateState::default(), Vec::new());
            state.begin();
            for room in rooms {
                output.resize(*room, 0);
                match state.step(src, &mut output) {
                    OutputFull => assert_eq!(state.written(), *room),
                    Inflation::Done => {
                        output.truncate(state.written());
                        return Some((state.consumed(), output));
                    }
                    Truncated | Damaged => return None,
                }
            }
            None
        }

        /// Noise, runs of all periods and few symbols, so that blocks of all kinds and copies of
        /// all distances occur.
        fn content() -> impl Strategy<Value = Vec<u8>> {
            let stretch = prop_oneof![
                vec(any::<u8>(), 0..2000),
                vec(0_u8..4, 0..3000),
                (vec(any::<u8>(), 1..40), 1_usize..300).prop_map(|(period, count)| period.repeat(count)),
            ];
            vec(stretch, 0..8).prop_map(|stretches| stretches.concat())
        }

        fn noise() -> impl Strategy<Value = Vec<u8>> {
            // The first bits choose a block of each kind.
            (0_u8..8, vec(any::<u8>(), 0..400)).prop_map(|(kind, mut bytes)| {
                bytes.insert(0, kind);
                bytes
            })
        }

        proptest! {
            #[test]
            fn streams_are_decoded_in_any_steps(
                content in content(),
                level in 0_u8..10,
                rooms in vec(0_usize..9000, 0..4),
                spare in 0_usize..400,
            ) {
                let mut src = compress_to_vec(&content, level);
                let len = src.len();
                src.extend([0xa5; 20]);
                let mut rooms: Vec<usize> = rooms.into_iter().filter(|room| *room < content.len()).collect();
                rooms.sort_unstable();
                rooms.push(content.len() + spare);
                prop_assert_eq!(by_steps(&src, &rooms), Some((len, content)));
            }

            #[test]
            fn damaged_streams_are_decoded_as_by_zlib_rs(
                content in content(),
                level in 0_u8..10,
                damage in vec((any::<prop::sample::Index>(), 0_u32..8), 0..4),
                cut in any::<prop::sample::Index>(),
                is_cut in any::<bool>(),
            ) {
                let mut src = compress_to_vec(&content, level);
                for (at, bit) in damage {
                    let at = at.index(src.len());
                    src[at] ^= 1 << bit;
                }
                if is_cut {
                    src.truncate(cut.index(src.len()));
                }
                let room = content.len() + 1000;
                prop_assert_eq!(by_steps(&src, &[room]), by_zlib_rs(&src, room));
            }

            #[test]
            fn noise_is_decoded_as_by_zlib_rs(src in noise()) {
                prop_assert_eq!(by_steps(&src, &[100_000]), by_zlib_rs(&src, 100_000));
            }
        }
    }
}
