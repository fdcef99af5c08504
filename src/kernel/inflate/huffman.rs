//! Huffman codes of DEFLATE (RFC 1951, §3.2): tables that tell the symbol of the next bits.

/// The most bits of a code.
const MAX_BITS: usize = 15;
/// The symbol that ends a block.
pub(super) const END: usize = 256;

/// What a code stands for: its bits in the lowest byte, the number of bits that follow it in the
/// next six bits, a kind, and a value in the upper half.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry(u32);

impl Entry {
    pub(super) const LITERAL: u32 = 1 << 15;
    /// The codes of this prefix are in a table at `value`, by the bits that follow.
    const NESTED: u32 = 1 << 14;
    /// Neither a literal nor a length: the end of the block if the value is zero, else no symbol.
    pub(super) const OTHER: u32 = 1 << 13;

    const fn new(kind: u32, value: u32, more_bits: u32) -> Self {
        Self(value << 16 | kind | more_bits << 8)
    }

    const INVALID: Self = Self::new(Self::OTHER, 1, 0);

    /// The symbols of literals and lengths (§3.2.5).
    pub(super) fn literal_or_length(symbol: usize) -> Self {
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
    pub(super) fn distance(symbol: usize) -> Self {
        let symbol = symbol as u32;
        match symbol {
            0..4 => Self::new(0, symbol + 1, 0),
            4..30 => Self::new(0, ((2 + symbol % 2) << (symbol / 2 - 1)) + 1, symbol / 2 - 1),
            _ => Self::INVALID,
        }
    }

    /// The symbols of code lengths (§3.2.7).
    pub(super) fn code_length(symbol: usize) -> Self {
        Self::new(0, symbol as u32, [2, 3, 7].get(symbol.wrapping_sub(16)).copied().unwrap_or(0))
    }

    const fn with_bits(self, bits: usize) -> Self {
        Self(self.0 | bits as u32)
    }

    pub(super) const fn is(self, kind: u32) -> bool {
        self.0 & kind != 0
    }

    pub(super) const fn bits(self) -> u32 {
        self.0 & 0xff
    }

    pub(super) const fn more_bits(self) -> u32 {
        self.0 >> 8 & 0x1f
    }

    pub(super) const fn value(self) -> usize {
        (self.0 >> 16) as usize
    }
}

/// The symbols of a Huffman code.
#[derive(Debug, Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
    /// The bits of the first look-up.
    bits: u32,
}

impl Table {
    /// Makes the table for codes of these lengths, which are zero for symbols without a code
    /// (§3.2.2). `None` if they are no prefix code, or an incomplete one: that is valid for a
    /// single code of one bit, and for none at all.
    pub(super) fn set(&mut self, bits: u32, lengths: &[u8], entry_of: fn(usize) -> Entry) -> Option<()> {
        let mut counts = [0_u32; MAX_BITS + 1];
        lengths.iter().for_each(|length| counts[usize::from(*length)] += 1);
        let used = counts[1..].iter().sum::<u32>();
        counts[0] = 0;
        let mut next = [0_u32; MAX_BITS + 1];
        for length in 1..=MAX_BITS {
            next[length] = (next[length - 1] + counts[length - 1]) << 1;
        }
        let end = next[MAX_BITS] + counts[MAX_BITS];
        if end != 1 << MAX_BITS && !(used == 0 || used == 1 && counts[1] == 1) {
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
    fn nest(&mut self, lengths: &[u8], mut next: [u32; MAX_BITS + 1]) {
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
    pub(super) fn look_up(&self, bits: u64) -> Entry {
        let entry = self.entries[bits as usize & ((1 << self.bits) - 1)];
        if entry.is(Entry::NESTED) { self.nested(entry, bits) } else { entry }
    }

    fn nested(&self, prefix: Entry, bits: u64) -> Entry {
        self.entries[prefix.value() + ((bits >> self.bits) as usize & ((1 << prefix.more_bits()) - 1))]
    }
}

/// The next code of a length, with its first bit lowest.
fn reversed(next: &mut [u32; MAX_BITS + 1], length: usize) -> usize {
    let code = next[length];
    next[length] += 1;
    (code.reverse_bits() >> (u32::BITS - length as u32)) as usize
}
