//! Decodes LZ4 blocks, with a copy loop of this project.
//!
//! ```text
//! repeat:                                                        decompress_block_into
//!     token = the next byte
//!     append `token >> 4` bytes of the input                             copy_literals
//!     end, if the input ends here
//!     offset = the next two bytes; fail if it is 0 or before the first byte of the output
//!     append `(token & 15) + 4` bytes from `offset` back, which may overlap    copy_match
//! a length of 15 goes on: add bytes, up to the first that is not 255             length
//! ```
//!
//! `sequences_in_steps` is the same loop where both buffers have room for what a step may write
//! too much. `repeat`, for a match that overlaps itself: sixteen bytes one by one, then steps from
//! a distance that is a multiple of the period, then copies of all that was written, each twice as
//! long as the one before.
//!
//! `lz4_flex` copies a match that overlaps itself byte by byte. Label images, masks and chunks with
//! many fill values consist of such runs. Here a short match is one or two copies of sixteen bytes,
//! and a run doubles until it can be copied in bulk. A sequence far from both ends of the buffers
//! is checked once instead of at each copy. Hostile input is an error.
//!
//! Frames, dictionaries and an encoder are not here. numcodecs' `lz4` and Blosc have their own
//! headers, which the codecs read, and `lz4_flex` compresses.
#![allow(unsafe_code)]

use core::ops::Range;

/// Why a block cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lz4Error {
    /// The block ends inside a sequence.
    Truncated,
    /// The block decodes to more bytes than the destination has.
    TooLong,
    /// A match begins before the first byte.
    Offset,
}

/// The bytes of one copy. A copy may write this many bytes more than it must, if the buffer has
/// them.
pub(crate) const STEP: usize = 16;

/// The smallest length that continues in bytes after the token.
const LONG: usize = 15;

/// The length of a match whose token has the length 0.
const SHORTEST: usize = 4;

/// The longest match whose length is in its token.
const LONGEST: usize = 18;

/// The input bytes that the fast path needs: a token, one step of literals, and the offset after
/// fourteen literals.
const INPUT_MARGIN: usize = 1 + STEP + 2;

/// The output bytes that the fast path needs: fourteen literals and a match of three steps.
const OUTPUT_MARGIN: usize = 4 * STEP;

/// Runs of at least this length are copied in bulk.
const BULK: usize = 128;

/// Decodes one block to `dst` and returns its decoded length. The bytes of `dst` after it are
/// undefined.
///
/// # Errors
/// When the block is malformed or decodes to more bytes than `dst` has.
#[inline(never)]
pub fn decompress_block_into(src: &[u8], dst: &mut [u8]) -> Result<usize, Lz4Error> {
    let mut block = Block { src, at: 0, dst, produced: 0 };
    loop {
        (block.at, block.produced) = sequences_in_steps(src, block.dst, block.at, block.produced)?;
        let token = usize::from(block.byte()?);
        let literals = block.length(token >> 4)?;
        block.copy_literals(literals)?;
        if block.at == src.len() {
            return Ok(block.produced);
        }
        let offset = usize::from(block.byte()?) | usize::from(block.byte()?) << 8;
        let len = block.length(token & 15)?.checked_add(SHORTEST).ok_or(Lz4Error::TooLong)?;
        block.copy_match(offset, len)?;
    }
}

/// The fast path: decodes sequences far from both ends with copies of whole steps. It starts at
/// `at` in the input and `produced` in the output, and returns the start of the first sequence that
/// it cannot decode. The caller writes that sequence again.
#[inline(always)]
fn sequences_in_steps(
    src: &[u8],
    dst: &mut [u8],
    mut at: usize,
    mut produced: usize,
) -> Result<(usize, usize), Lz4Error> {
    let ends = src.len().checked_sub(INPUT_MARGIN).zip(dst.len().checked_sub(OUTPUT_MARGIN));
    let Some((input_end, output_end)) = ends else { return Ok((at, produced)) };
    while at <= input_end && produced <= output_end {
        // SAFETY: the loop condition guarantees `INPUT_MARGIN` bytes from `at` on.
        let token = usize::from(unsafe { *src.get_unchecked(at) });
        let (mut literals, mut from) = (token >> 4, at + 1);
        if literals < LONG {
            // SAFETY: both margins contain a step.
            unsafe { step(src.as_ptr().add(from), dst.as_mut_ptr().add(produced)) };
        } else {
            (literals, from) = long_length(src, from)?;
            if from > input_end || literals > (input_end - from).min(output_end - produced) {
                break;
            }
            // SAFETY: both margins follow the literals, and the last step exceeds the literals by
            // less than a margin.
            unsafe { steps(src.as_ptr().add(from), dst.as_mut_ptr().add(produced), literals) };
        }
        let offset_at = from + literals;
        // SAFETY: the offset is in the margin: after at most fourteen literals, or after the
        // checked literals.
        let offset = usize::from(u16::from_le_bytes(unsafe { *src.as_ptr().add(offset_at).cast() }));
        let start = produced + literals;
        if offset == 0 || offset > start {
            return Err(Lz4Error::Offset);
        }
        let (mut len, mut next) = (token & 15, offset_at + 2);
        if len < LONG {
            // SAFETY: `offset` bytes are before `start`, and three steps after it: the literals
            // took less than one of the margin's four.
            unsafe { short_match(dst, start, offset, len + SHORTEST) };
        } else {
            (len, next) = long_length(src, next)?;
            // The length may be `usize::MAX`. The margin has room for the bytes that are added.
            if start > output_end || len > output_end - start {
                break;
            }
            repeat(dst, start, offset, len + SHORTEST);
        }
        at = next;
        produced = start + len + SHORTEST;
    }
    Ok((at, produced))
}

/// Reads the continuation of a length from `at` on. Returns the length and the end of its bytes.
#[inline(always)]
fn long_length(src: &[u8], mut at: usize) -> Result<(usize, usize), Lz4Error> {
    let mut len = LONG;
    loop {
        let more = *src.get(at).ok_or(Lz4Error::Truncated)?;
        at += 1;
        len = len.saturating_add(usize::from(more));
        if more != u8::MAX {
            return Ok((len, at));
        }
    }
}

/// Copies sixteen bytes.
///
/// # Safety
/// Both ranges are valid and do not overlap.
#[inline(always)]
unsafe fn step(from: *const u8, to: *mut u8) {
    // SAFETY: the caller guarantees both ranges; an array of bytes has alignment 1.
    unsafe { to.cast::<[u8; STEP]>().write(from.cast::<[u8; STEP]>().read()) };
}

/// Copies `len` bytes in whole steps.
///
/// # Safety
/// Both ranges are valid for `len` bytes and one step less a byte, and no step overlaps its
/// destination.
#[inline(always)]
unsafe fn steps(from: *const u8, to: *mut u8, len: usize) {
    let mut at = 0;
    while at < len {
        // SAFETY: the caller guarantees these bytes.
        unsafe { step(from.add(at), to.add(at)) };
        at += STEP;
    }
}

/// Copies a match of at most eighteen bytes.
///
/// # Safety
/// `offset` is not 0, `offset` bytes are before `to`, and three steps are after it.
#[inline(always)]
unsafe fn short_match(dst: &mut [u8], to: usize, offset: usize, len: usize) {
    debug_assert!(len <= LONGEST);
    // SAFETY: the caller guarantees that `to` is inside `dst`.
    let to_here = unsafe { dst.as_mut_ptr().add(to) };
    if offset >= STEP {
        // SAFETY: a step reads bytes before its destination, from the match or from the step
        // before.
        unsafe { steps(to_here.sub(offset), to_here, LONGEST) };
    } else if offset >= 8 {
        for at in [0, 8, 16] {
            // SAFETY: as above, by eight bytes.
            unsafe {
                to_here.add(at).cast::<[u8; 8]>().write(to_here.add(at).sub(offset).cast::<[u8; 8]>().read())
            };
        }
    } else {
        repeat_short(dst, to, offset);
    }
}

/// Writes at least eighteen bytes with a period of less than eight.
#[inline(always)]
fn repeat_short(dst: &mut [u8], to: usize, offset: usize) {
    /// For each period: the factor that repeats it in a word, and the bytes of its whole
    /// repetitions.
    const REPEATS: [(u64, usize); 8] = [
        (0, 8),
        (0x0101_0101_0101_0101, 8),
        (0x0001_0001_0001_0001, 8),
        (0x0001_0000_0100_0001, 6),
        (0x0000_0001_0000_0001, 8),
        (0x0000_0100_0000_0001, 5),
        (0x0001_0000_0000_0001, 6),
        (0x0100_0000_0000_0001, 7),
    ];
    let (factor, whole) = REPEATS[offset % 8];
    let Some(&pattern) = dst[to - offset..].first_chunk() else { return };
    let word = (u64::from_le_bytes(pattern) & ((1 << (8 * offset)) - 1)).wrapping_mul(factor);
    for turn in 0..4 {
        dst[to + turn * whole..][..8].copy_from_slice(&word.to_le_bytes());
    }
}

struct Block<'a> {
    src: &'a [u8],
    at: usize,
    dst: &'a mut [u8],
    produced: usize,
}

impl Block<'_> {
    #[inline(always)]
    fn byte(&mut self) -> Result<u8, Lz4Error> {
        let byte = *self.src.get(self.at).ok_or(Lz4Error::Truncated)?;
        self.at += 1;
        Ok(byte)
    }

    /// Reads a length of four bits, which continues in bytes while they are 255.
    fn length(&mut self, nibble: usize) -> Result<usize, Lz4Error> {
        let mut len = nibble;
        let mut more = if nibble == 15 { 255 } else { 0 };
        while more == 255 {
            more = self.byte()?;
            len = len.saturating_add(usize::from(more));
        }
        Ok(len)
    }

    fn copy_literals(&mut self, len: usize) -> Result<(), Lz4Error> {
        let (input, output) = (&self.src[self.at..], &mut self.dst[self.produced..]);
        if !(len <= STEP && copy_chunk::<STEP>(input, output)
            || len <= 3 * STEP && copy_chunk::<{ 3 * STEP }>(input, output))
        {
            let literals = input.get(..len).ok_or(Lz4Error::Truncated)?;
            output.get_mut(..len).ok_or(Lz4Error::TooLong)?.copy_from_slice(literals);
        }
        self.at += len;
        self.produced += len;
        Ok(())
    }

    fn copy_match(&mut self, offset: usize, len: usize) -> Result<(), Lz4Error> {
        if offset == 0 || offset > self.produced {
            return Err(Lz4Error::Offset);
        }
        if len > self.dst.len() - self.produced {
            return Err(Lz4Error::TooLong);
        }
        repeat(self.dst, self.produced, offset, len);
        self.produced += len;
        Ok(())
    }
}

/// Copies `N` bytes if both slices have them.
#[inline(always)]
fn copy_chunk<const N: usize>(src: &[u8], dst: &mut [u8]) -> bool {
    let chunks = src.first_chunk::<N>().zip(dst.first_chunk_mut::<N>());
    chunks.map(|(from, to)| *to = *from).is_some()
}

/// Copies sixteen bytes within `dst`.
#[inline(always)]
pub(crate) fn step_within(dst: &mut [u8], from: usize, to: usize) {
    if let Some(&block) = dst[from..].first_chunk::<STEP>() {
        dst[to..][..STEP].copy_from_slice(&block);
    }
}

/// Copies a match of any length and offset. Both ends are inside `dst`.
pub(crate) fn repeat(dst: &mut [u8], to: usize, offset: usize, len: usize) {
    let (end, from) = (to + len, to - offset);
    if offset >= len && len >= BULK {
        return dst.copy_within(from..from + len, to);
    }
    let mut at = to;
    let bytewise = |dst: &mut [u8], range: Range<usize>| range.for_each(|at| dst[at] = dst[at - offset]);
    // The last position where a step may end.
    let last = end.min(dst.len() - dst.len().min(STEP));
    let mut distance = offset;
    if offset < STEP && to + STEP <= end {
        // After sixteen bytes, a multiple of the period that is at least a step is a valid
        // distance.
        bytewise(dst, to..to + STEP);
        at += STEP;
        distance = offset * STEP.div_ceil(offset);
    }
    let stepped = if len >= 2 * BULK { to + BULK } else { last };
    while distance >= STEP && at < stepped {
        step_within(dst, at - distance, at);
        at += STEP;
    }
    while at < end && len >= 2 * BULK {
        // All bytes from `from` on repeat with the period `offset`: each round copies twice as
        // much.
        let whole = (at - from) / offset * offset;
        let more = whole.min(end - at);
        dst.copy_within(at - whole..at - whole + more, at);
        at += more;
    }
    bytewise(dst, at..end.max(at));
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::super::naive;
    use super::*;

    pub(super) fn agrees_with_the_oracle(src: &[u8], room: usize) {
        let mut dst = vec![0xee; room];
        let result = decompress_block_into(src, &mut dst);
        let expected = naive::lz4(src, room);
        assert_eq!(result.ok(), expected.as_ref().map(Vec::len), "{src:?} into {room}");
        if let Some(expected) = expected {
            assert!(dst[..expected.len()] == expected, "{src:?} into {room}");
        }
    }

    /// Literals, one match of `offset` and `len` (at least 19), and five literals, which the format
    /// requires.
    fn run(offset: usize, len: usize) -> Vec<u8> {
        let mut block = vec![0xff, (offset - 15) as u8];
        block.extend(naive::bytes(offset, 6));
        block.extend((offset as u16).to_le_bytes());
        block.extend(std::iter::repeat_n(255, (len - 19) / 255));
        block.push(((len - 19) % 255) as u8);
        block.push(0x50);
        block.extend(b"12345");
        block
    }

    /// The same with a number of literals that fits the token.
    fn short_run(offset: usize, len: usize) -> Vec<u8> {
        let mut block = run(offset + 15, len);
        block.splice(0..2 + 15, [(offset as u8) << 4 | 15]);
        let at = 1 + offset;
        block.splice(at..at + 2, (offset as u16).to_le_bytes());
        block
    }

    #[test]
    fn runs_of_all_periods_and_many_lengths() {
        let check = |block: &[u8], len: usize| {
            for spare in [0, 1, 15, 16, 100] {
                assert_eq!(decompress_block_into(block, &mut vec![0; len + spare]), Ok(len));
                agrees_with_the_oracle(block, len + spare);
            }
            agrees_with_the_oracle(block, len - 6);
        };
        for len in naive::cases((19..300).chain([1000, 65_535, 100_003]), 71) {
            (1..15).for_each(|offset| check(&short_run(offset, len), offset + len + 5));
            for offset in [15, 16, 17, 31, 32, 33, 100, 127, 128, 129, 250] {
                check(&run(offset, len), offset + len + 5);
            }
        }
    }

    #[test]
    fn known_bytes_of_the_reference_library() {
        // numcodecs 0.16.6 (LZ4 1.9), without its size prefix: 64 times "label", "mask" once, 40
        // zeros.
        let block = naive::hex("5f6c6162656c0500ff295f6d61736b0001000f500000000000");
        let expected = [b"label".repeat(64), b"mask".to_vec(), vec![0; 40]].concat();
        let mut dst = vec![0xee; expected.len()];
        assert_eq!(decompress_block_into(&block, &mut dst), Ok(expected.len()));
        assert_eq!(dst, expected);
    }

    /// In wasm, lengths have 32 bits.
    #[test]
    #[cfg_attr(miri, ignore = "it reads 100 MB")]
    fn lengths_beyond_32_bits_are_errors() {
        let long = vec![255; u32::MAX as usize / 255 + 2];
        // As the first sequence, near the end of the output, and far from it.
        for room in [9, 1000] {
            let matched = [&[0x1f, 1, 1, 0][..], &long, &[0, 0x50], b"12345"].concat();
            assert_eq!(decompress_block_into(&matched, &mut vec![0; room]), Err(Lz4Error::TooLong));
            let literals = [&[0xf0][..], &long, &[0], b"12345"].concat();
            assert_eq!(decompress_block_into(&literals, &mut vec![0; room]), Err(Lz4Error::Truncated));
        }
    }

    #[test]
    fn malformed_blocks_are_errors() {
        let decode = |block: &[u8], room| decompress_block_into(block, &mut vec![0; room]);
        assert_eq!(decode(&[], 9), Err(Lz4Error::Truncated));
        assert_eq!(decode(&[0x00], 0), Ok(0));
        assert_eq!(decode(&[0x20, 1], 9), Err(Lz4Error::Truncated));
        assert_eq!(decode(&[0xf0, 255, 255], 9), Err(Lz4Error::Truncated));
        assert_eq!(decode(&[0x20, 1, 2], 1), Err(Lz4Error::TooLong));
        assert_eq!(decode(&[0x10, 1, 1], 9), Err(Lz4Error::Truncated));
        assert_eq!(decode(&[0x10, 1, 0, 0, 0], 9), Err(Lz4Error::Offset));
        assert_eq!(decode(&[0x10, 1, 2, 0, 0], 9), Err(Lz4Error::Offset));
        assert_eq!(decode(&[0x14, 1, 1, 0, 0], 8), Err(Lz4Error::TooLong));
        assert_eq!(decode(&[0x14, 1, 1, 0, 0], 9), Ok(9));
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    use proptest::prelude::*;

    use super::tests::agrees_with_the_oracle;

    fn compressed(content: &[u8]) -> Vec<u8> {
        let mut block = vec![0; lz4_flex::block::get_maximum_output_size(content.len())];
        let len = lz4_flex::block::compress_into(content, &mut block).unwrap();
        block.truncate(len);
        block
    }

    /// Stretches of repeated short patterns and of noise.
    fn stretches() -> impl Strategy<Value = Vec<u8>> {
        let stretch = (prop::collection::vec(any::<u8>(), 1..40), 1usize..60);
        prop::collection::vec(stretch, 0..30).prop_map(|stretches| {
            stretches.into_iter().flat_map(|(pattern, times)| pattern.repeat(times)).collect()
        })
    }

    proptest! {
        #[test]
        fn reads_what_lz4_flex_writes(content in stretches(), spare in 0usize..40) {
            let block = compressed(&content);
            let mut dst = vec![0; content.len() + spare];
            prop_assert_eq!(super::decompress_block_into(&block, &mut dst), Ok(content.len()));
            prop_assert!(dst[..content.len()] == content);
            agrees_with_the_oracle(&block, content.len().saturating_sub(spare));
        }

        #[test]
        fn mutated_blocks_decode_as_the_oracle_says(
            content in stretches(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            cut in any::<prop::sample::Index>(),
            room in 0usize..3000,
        ) {
            let mut block = compressed(&content);
            for (at, value) in changes {
                let at = at.index(block.len());
                block[at] = value;
            }
            agrees_with_the_oracle(&block, room);
            agrees_with_the_oracle(&block[..cut.index(block.len())], room);
        }

        #[test]
        fn noise_decodes_as_the_oracle_says(block in prop::collection::vec(any::<u8>(), 0..200), room in 0usize..3000) {
            agrees_with_the_oracle(&block, room);
        }
    }
}
