//! BloscLZ, Blosc's own compressor: FastLZ's format with longer distances.
//!
//! A stream is a sequence of instructions:
//!
//! - First byte below 32: the byte plus one is the number of literals that follow.
//! - Other first bytes are a match. The three high bits are its length, from 3 on; at 7 more bytes
//!   follow and are added while they are 255. The five low bits and the next byte are the distance
//!   minus one. If all these bits are set, two more bytes, big-endian, are added to the distance.
//!
//! The first instruction is always literals: its three high bits are a marker without meaning here.

use crate::error::{Error, Result};
use crate::format::codec::bytes_to_bytes::truncated;
use crate::format::codec::wrong_decoded_len;

/// The maximal ratio of decoded to encoded bytes: a length byte stands for at most 255 bytes.
pub(super) const BEST_RATIO: u64 = 255;

/// The maximal distance, minus one, that needs no further bytes.
const NEAR: usize = 8191;

/// Decodes a stream, which must fill `output`.
pub(super) fn decode(stream: &[u8], output: &mut [u8]) -> Result<()> {
    let mut source = StreamSource(stream);
    let mut at = 0;
    let mut instruction = source.byte()? & 31;
    loop {
        at = if instruction < 32 {
            copy_literals(source.take(usize::from(instruction) + 1)?, output, at)?
        } else {
            let found = source.match_of(instruction)?;
            copy_match(found, output, at)?
        };
        match source.0.split_first() {
            Some((&next, rest)) => (instruction, source.0) = (next, rest),
            None => break,
        }
    }
    if at == output.len() { Ok(()) } else { Err(wrong_decoded_len(output.len() as u64, at as u64)) }
}

struct Match {
    len: usize,
    distance: usize,
}

struct StreamSource<'a>(&'a [u8]);

impl<'a> StreamSource<'a> {
    fn byte(&mut self) -> Result<u8> {
        let (&byte, rest) = self.0.split_first().ok_or_else(|| truncated("blosclz stream"))?;
        self.0 = rest;
        Ok(byte)
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or_else(|| truncated("blosclz stream"))?;
        self.0 = rest;
        Ok(taken)
    }

    #[allow(clippy::arithmetic_side_effects, reason = "the distance is at most NEAR + 65 536")]
    fn match_of(&mut self, instruction: u8) -> Result<Match> {
        let mut len = usize::from(instruction >> 5) + 2;
        if instruction >> 5 == 7 {
            loop {
                let more = self.byte()?;
                len = len.checked_add(usize::from(more)).ok_or_else(too_long)?;
                if more != 255 {
                    break;
                }
            }
        }
        let near = usize::from(u16::from_be_bytes([instruction & 31, self.byte()?]));
        let distance = match near {
            NEAR => NEAR + usize::from(u16::from_be_bytes([self.byte()?, self.byte()?])),
            near => near,
        };
        Ok(Match { len, distance: distance + 1 })
    }
}

fn copy_literals(literals: &[u8], output: &mut [u8], at: usize) -> Result<usize> {
    let end = at.checked_add(literals.len()).ok_or_else(too_long)?;
    output.get_mut(at..end).ok_or_else(too_long)?.copy_from_slice(literals);
    Ok(end)
}

/// Copies a match. A match that is longer than its distance overlaps itself, so that it is copied
/// in pieces of doubling length.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "`from` is before `at`, and `end` is in the output: both are checked first"
)]
fn copy_match(found: Match, output: &mut [u8], at: usize) -> Result<usize> {
    let Match { len, distance } = found;
    let from =
        at.checked_sub(distance).ok_or_else(|| Error::format("a blosclz match begins before its stream"))?;
    let end = at.checked_add(len).filter(|&end| end <= output.len()).ok_or_else(too_long)?;
    if distance == 1 {
        let byte = output[from];
        output[at..end].fill(byte);
        return Ok(end);
    }
    let mut to = at;
    while to < end {
        let step = (to - from).min(end - to);
        output.copy_within(from..from + step, to);
        to += step;
    }
    Ok(end)
}

fn too_long() -> Error {
    Error::format("the blosclz stream decodes to more bytes than its block has")
}

/// The bits of the encoder's hash.
const HASH_BITS: u32 = 13;

/// The maximal distance of a match.
const FARTHEST: usize = NEAR + u16::MAX as usize;

/// Matches end this many bytes before the end, because c-blosc's decoder requires literals there.
const LAST_LITERALS: usize = 12;

/// Appends the encoded stream; appends nothing if `decoded` is too short to shrink.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "`candidate` is at most `at`, and `at` and `literals` are at most the length"
)]
pub(super) fn encode(decoded: &[u8], encoded: &mut Vec<u8>) {
    if decoded.len() <= 4 + LAST_LITERALS {
        return;
    }
    let start = encoded.len();
    let mut seen = vec![0_u32; 1 << HASH_BITS];
    let last = decoded.len() - LAST_LITERALS;
    let (mut literals, mut at) = (0, 4);
    while at < last {
        let candidate =
            std::mem::replace(&mut seen[hash(&decoded[at..])], u32::try_from(at).unwrap_or(0)) as usize;
        let len = decoded[at..last].iter().zip(&decoded[candidate..]).take_while(|(a, b)| a == b).count();
        let distance = at - candidate;
        // A match with a long distance takes five bytes.
        let worth = if distance <= NEAR { 4 } else { 8 };
        if candidate == at || distance > FARTHEST || len < worth {
            at += 1;
            continue;
        }
        append_literals(&decoded[literals..at], encoded);
        append_match(&Match { len, distance }, encoded);
        at += len;
        literals = at;
    }
    append_literals(&decoded[literals..], encoded);
    if let Some(first) = encoded.get_mut(start) {
        *first |= 32;
    }
}

/// A hash of the first four bytes.
fn hash(bytes: &[u8]) -> usize {
    let word = bytes.first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
    (word.wrapping_mul(2_654_435_761) >> (32 - HASH_BITS)) as usize
}

#[allow(clippy::cast_possible_truncation)] // at most 31
fn append_literals(literals: &[u8], encoded: &mut Vec<u8>) {
    for run in literals.chunks(32) {
        encoded.push((run.len() as u8).saturating_sub(1));
        encoded.extend_from_slice(run);
    }
}

#[allow(clippy::cast_possible_truncation)] // each value fits a byte
#[allow(
    clippy::arithmetic_side_effects,
    reason = "a match has at least 4 bytes, and a distance of 1 to FARTHEST"
)]
fn append_match(found: &Match, encoded: &mut Vec<u8>) {
    let (len, distance) = (found.len - 2, found.distance - 1);
    let (near, far) = if distance < NEAR { (distance, None) } else { (NEAR, Some((distance - NEAR) as u16)) };
    encoded.push(((len.min(7) as u8) << 5) | (near >> 8) as u8);
    if let Some(mut more) = len.checked_sub(7) {
        while more >= 255 {
            encoded.push(255);
            more -= 255;
        }
        encoded.push(more as u8);
    }
    encoded.push(near as u8);
    if let Some(far) = far {
        encoded.extend_from_slice(&far.to_be_bytes());
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn decoded(stream: &[u8], len: usize) -> Result<Vec<u8>> {
        let mut output = vec![0; len];
        decode(stream, &mut output).map(|()| output)
    }

    #[test]
    fn instructions_by_hand() {
        // Four literals (with the marker), a match of 3 at distance 4, one literal.
        assert_eq!(decoded(&[0x23, b'a', b'b', b'c', b'd', 0x20, 3, 0, b'!'], 8).unwrap(), b"abcdabc!");
        // A match of 9 + 255 + 1 at distance 1 repeats a byte.
        assert_eq!(
            decoded(&[0, b'x', 0xe0, 255, 1, 0, 0, b'y'], 267).unwrap(),
            [&[b'x'; 266][..], b"y"].concat()
        );
        // A match of 5 at distance 2 repeats itself.
        assert_eq!(decoded(&[1, b'a', b'b', 0x60, 1, 0, b'!'], 8).unwrap(), b"abababa!");
    }

    #[test]
    fn the_long_form_begins_where_the_short_one_ends() {
        let mut noise = 1_u32;
        let literals: Vec<u8> = std::iter::repeat_with(|| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            noise.to_be_bytes()[0]
        })
        .take(8200)
        .collect();
        let mut stream = Vec::new();
        append_literals(&literals, &mut stream);
        for (distance, form) in
            [(8191, [0x7f, 254].as_slice()), (8192, &[0x7f, 255, 0, 0]), (8195, &[0x7f, 255, 0, 3])]
        {
            let stream = [&stream, form, &[0, b'!']].concat();
            let from = literals.len() - distance;
            let expected = [&literals, &literals[from..from + 5], b"!"].concat();
            assert_eq!(decoded(&stream, 8206).unwrap(), expected, "{distance}");
        }
    }

    #[test]
    fn broken_streams_are_errors() {
        for (stream, len) in [
            (&[][..], 0),
            (&[3, b'a'], 4),
            (&[0, b'a'], 2),
            (&[1, b'a', b'b'], 1),
            (&[0, b'a', 0x20], 4),
            (&[0, b'a', 0xe0, 255], 300),
            (&[0, b'a', 0x20, 1, 0, b'b'], 5),
            (&[0, b'a', 0x20, 0, 0, b'b'], 3),
            (&[0, b'a', 0x3f, 255, 0], 4),
        ] {
            assert!(decoded(stream, len).is_err(), "{stream:?}");
        }
    }
}
