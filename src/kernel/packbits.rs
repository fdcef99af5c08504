//! Numbers of a few bits each, packed without gaps: the loops of both `packbits` codecs.
//!
//! The registered codec packs bits of any number from the lowest bit of the first byte on.
//! numcodecs' packs bools from the highest bit on. The codecs know the lengths and count the
//! padding.

use std::slice::{Iter, IterMut};

/// The bits of a number that are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptBits {
    /// The bytes of a number: 1, 2, 4 or 8.
    pub width: usize,
    /// The lowest packed bit.
    pub first: u32,
    /// The number of packed bits, at least one.
    pub kept: u32,
    /// Whether the bits above them repeat the highest one. Otherwise they are 0.
    pub signed: bool,
}

/// Packs every number of `src`. The bits of `dst` after the last number are 0.
#[inline(never)]
pub fn pack(src: &[u8], bits: KeptBits, dst: &mut [u8]) {
    match bits.width {
        1 => pack_numbers::<1>(src, bits, dst),
        2 => pack_numbers::<2>(src, bits, dst),
        4 => pack_numbers::<4>(src, bits, dst),
        _ => pack_numbers::<8>(src, bits, dst),
    }
}

/// Unpacks as many numbers as `dst` has. The bits below the packed ones are 0.
#[inline(never)]
pub fn unpack(src: &[u8], bits: KeptBits, dst: &mut [u8]) {
    match bits.width {
        1 => unpack_numbers::<1>(src, bits, dst),
        2 => unpack_numbers::<2>(src, bits, dst),
        4 => unpack_numbers::<4>(src, bits, dst),
        _ => unpack_numbers::<8>(src, bits, dst),
    }
}

fn pack_numbers<const N: usize>(src: &[u8], bits: KeptBits, dst: &mut [u8]) {
    let mut writer = BitWriter { bytes: dst.iter_mut(), waiting: 0, count: 0 };
    for number in src.as_chunks::<N>().0 {
        let mut wide = [0; 8];
        wide[..N].copy_from_slice(number);
        let number = u64::from_le_bytes(wide) >> bits.first;
        writer.put(number, bits.kept.min(32));
        if bits.kept > 32 {
            writer.put(number >> 32, bits.kept - 32);
        }
    }
    // Completes the last byte.
    writer.put(0, 7);
}

fn unpack_numbers<const N: usize>(src: &[u8], bits: KeptBits, dst: &mut [u8]) {
    let mut reader = BitReader { bytes: src.iter(), waiting: 0, count: 0 };
    let above = u64::BITS - bits.kept;
    for number in dst.as_chunks_mut::<N>().0 {
        let mut stored = reader.take(bits.kept.min(32));
        if bits.kept > 32 {
            stored |= reader.take(bits.kept - 32) << 32;
        }
        let high = stored << above;
        let extended = if bits.signed { (high.cast_signed() >> above).cast_unsigned() } else { stored };
        number.copy_from_slice(&(extended << bits.first).to_le_bytes()[..N]);
    }
}

/// The lowest `count` bits, at most 32.
fn mask(count: u32) -> u64 {
    (1 << count) - 1
}

/// At most 7 bits wait when 32 more are put.
struct BitWriter<'a> {
    bytes: IterMut<'a, u8>,
    waiting: u64,
    count: u32,
}

impl BitWriter<'_> {
    /// Puts the lowest `count` bits, at most 32.
    #[inline(always)]
    fn put(&mut self, bits: u64, count: u32) {
        self.waiting |= (bits & mask(count)) << self.count;
        self.count += count;
        while self.count >= 8 {
            let [byte, ..] = self.waiting.to_le_bytes();
            self.bytes.next().into_iter().for_each(|target| *target = byte);
            (self.waiting, self.count) = (self.waiting >> 8, self.count - 8);
        }
    }
}

/// At most 31 bits wait when a byte is added.
struct BitReader<'a> {
    bytes: Iter<'a, u8>,
    waiting: u64,
    count: u32,
}

impl BitReader<'_> {
    /// Takes the next bits, at most 32. They are 0 after the last byte.
    #[inline(always)]
    fn take(&mut self, count: u32) -> u64 {
        while self.count < count {
            self.waiting |= u64::from(self.bytes.next().copied().unwrap_or(0)) << self.count;
            self.count += 8;
        }
        let bits = self.waiting & mask(count);
        (self.waiting, self.count) = (self.waiting >> count, self.count - count);
        bits
    }
}

/// Packs bools from the highest bit on. Any byte but 0 is true.
#[inline(never)]
pub fn pack_bools(src: &[u8], dst: &mut [u8]) {
    for (eight, byte) in src.chunks(8).zip(dst) {
        let shifts = eight.iter().zip((0..8).rev());
        *byte = shifts.fold(0, |byte, (bool, shift)| byte | u8::from(*bool != 0) << shift);
    }
}

/// Unpacks as many bools as `dst` has.
#[inline(never)]
pub fn unpack_bools(src: &[u8], dst: &mut [u8]) {
    for (eight, byte) in dst.chunks_mut(8).zip(src) {
        for (bool, shift) in eight.iter_mut().zip((0..8).rev()) {
            *bool = byte >> shift & 1;
        }
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::super::naive;
    use super::*;

    #[test]
    fn every_width_and_number_of_bits() {
        for width in [1, 2, 4, 8] {
            let all = 8 * u32::try_from(width).unwrap();
            for kept in naive::cases(1..=all, 9) {
                for (first, signed) in [(0, false), (all - kept, true), ((all - kept) / 2, false)] {
                    agrees_with_the_oracle(KeptBits { width, first, kept, signed });
                }
            }
        }
    }

    fn agrees_with_the_oracle(bits: KeptBits) {
        for count in naive::COUNTS {
            let src = naive::bytes(count * bits.width, bits.kept);
            let mut packed = vec![0xee; (count * bits.kept as usize).div_ceil(8)];
            pack(&src, bits, &mut packed);
            assert!(packed == naive::packed(&src, bits), "{count} numbers, {bits:?}");
            let mut unpacked = vec![0xee; src.len()];
            unpack(&packed, bits, &mut unpacked);
            assert!(unpacked == naive::unpacked(&packed, bits, count), "{count} numbers, {bits:?}");
        }
    }

    #[test]
    fn bools_fill_bytes_from_the_highest_bit() {
        // numpy 2.5: np.packbits([1, 0, 0, 1, 1, 0, 0, 0, 1]).
        let bools = [1, 0, 0, 1, 7, 0, 0, 0, 1];
        let mut packed = [0xee; 2];
        pack_bools(&bools, &mut packed);
        assert_eq!(packed, [0x98, 0x80]);
        let mut unpacked = [0xee; 9];
        unpack_bools(&packed, &mut unpacked);
        assert_eq!(unpacked, [1, 0, 0, 1, 1, 0, 0, 0, 1]);
    }
}
