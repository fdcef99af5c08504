//! Bytes with a checksum of 32 bits, little-endian, before or after them. Decoding verifies it.
//!
//! `crc32c` is v3's: <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/crc32c/index.html>. The
//! others are numcodecs': <https://numcodecs.readthedocs.io/en/stable/checksum32.html>.

use super::{check_sum, truncated};
use crate::error::Result;
use crate::format::codec::configuration::{Configuration, Spelling};
use crate::format::codec::{BytesToBytes, ChunkRepresentation, Codec, Output};
use crate::format::json::Json;
use crate::kernel::crc::{crc32, crc32c};
use crate::limits;

/// Binds `crc32c`, whose checksum is at the end. Its configuration: `location` in numcodecs; v3 has
/// no fields.
///
/// # Errors
/// `Format` for an unknown location.
pub fn bind_crc32c(configuration: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    let location = match configuration.spelling() {
        Spelling::Zarr => Location::End,
        Spelling::Numcodecs => Location::read(configuration, Location::End)?,
    };
    Ok(Checksum::codec(location, crc32c))
}

/// Binds `crc32`, the checksum of zlib and Ethernet. Its configuration: `location`, by default the
/// start.
///
/// # Errors
/// `Format` for an unknown location.
pub fn bind_crc32(configuration: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    let location = Location::read(configuration, Location::Start)?;
    Ok(Checksum::codec(location, |bytes| crc32(0, bytes)))
}

/// Binds `adler32`, the checksum of zlib streams. Its configuration: `location`, by default the
/// start.
///
/// # Errors
/// `Format` for an unknown location.
pub fn bind_adler32(configuration: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    let location = Location::read(configuration, Location::Start)?;
    Ok(Checksum::codec(location, adler32))
}

/// Binds `fletcher32`, the checksum of HDF5's filter, at the end. Its configuration has no fields.
///
/// # Errors
/// None.
pub fn bind_fletcher32(_: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    Ok(Checksum::codec(Location::End, fletcher32))
}

/// Binds `jenkins_lookup3`, HDF5's checksum of metadata, at the end. Its configuration: `initval`,
/// and `prefix`, which are bytes hashed before the chunk.
///
/// # Errors
/// `Format` for an initial value of more than 32 bits, and for a prefix that is not a list of
/// bytes.
pub fn bind_lookup3(configuration: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    let initial = configuration.integer("initval", 0..=i64::from(u32::MAX))?.unwrap_or(0);
    let initial = u32::try_from(initial).unwrap_or(0);
    let prefix = configuration.read("prefix", |json| json.list(byte))?.unwrap_or_default();
    Ok(Checksum::codec(Location::End, move |bytes| lookup3(&prefix, bytes, initial)))
}

fn byte(json: Json<'_>) -> Result<u8> {
    json.u64()?.try_into().map_err(|_| json.unexpected("a byte, from 0 to 255"))
}

/// The checksum `adler32` (RFC 1950).
pub(super) fn adler32(bytes: &[u8]) -> u32 {
    simd_adler32::adler32(&bytes)
}

/// The bytes of a checksum.
const LEN: usize = 4;

/// The position of the checksum.
#[derive(Clone, Copy)]
enum Location {
    Start,
    End,
}

impl Location {
    /// Reads `location`, by default `default`.
    ///
    /// # Errors
    /// `Format` for another value than `start` and `end`.
    fn read(configuration: &Configuration<'_>, default: Self) -> Result<Self> {
        let location = configuration.choice("location", &[("start", Self::Start), ("end", Self::End)])?;
        Ok(location.unwrap_or(default))
    }
}

type Sum = dyn Fn(&[u8]) -> u32;

/// A codec that adds a checksum.
struct Checksum {
    location: Location,
    sum: Box<Sum>,
}

impl Checksum {
    /// The codec that adds the `sum` of the bytes.
    fn codec(location: Location, sum: impl Fn(&[u8]) -> u32 + 'static) -> Codec {
        Codec::bytes_to_bytes(Self { location, sum: Box::new(sum) })
    }
}

impl BytesToBytes for Checksum {
    fn encoded_len(&self, decoded: u64) -> Option<u64> {
        decoded.checked_add(LEN as u64)
    }

    fn decode(&self, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
        let parts = match self.location {
            Location::Start => encoded.split_first_chunk::<LEN>().map(|(stored, bytes)| (bytes, stored)),
            Location::End => encoded.split_last_chunk::<LEN>(),
        };
        let (bytes, stored) = parts.ok_or_else(|| truncated("checksum"))?;
        check_sum(u32::from_le_bytes(*stored), (self.sum)(bytes))?;
        output.put(bytes)
    }

    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        let sum = (self.sum)(decoded).to_le_bytes();
        let parts: [&[u8]; 2] = match self.location {
            Location::Start => [&sum, decoded],
            Location::End => [decoded, &sum],
        };
        let mut encoded = Vec::new();
        limits::reserve(&mut encoded, decoded.len().saturating_add(LEN), "encoded chunk")?;
        parts.iter().for_each(|part| encoded.extend_from_slice(part));
        Ok(encoded)
    }
}

/// The pairs between two reductions of `fletcher32`: the most for which `second` fits 32 bits.
const BLOCK: usize = 360;

/// HDF5 sums pairs of bytes, of which the first is the high one. A single last byte is the high
/// byte of a pair.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "the sums of a BLOCK fit 32 bits, and a pair has at least one byte"
)]
fn fletcher32(bytes: &[u8]) -> u32 {
    let (mut first, mut second) = (0_u32, 0_u32);
    for block in bytes.chunks(2 * BLOCK) {
        for pair in block.chunks(2) {
            let low = pair.get(1).copied().unwrap_or(0);
            first += u32::from(u16::from_be_bytes([pair[0], low]));
            second += first;
        }
        (first, second) = (fold(first), fold(second));
    }
    // A sum may exceed 16 bits after one reduction.
    fold(second) << 16 | fold(first)
}

/// Reduces a sum modulo 65535, up to one carry.
#[allow(clippy::arithmetic_side_effects, reason = "two numbers of 16 bits")]
fn fold(sum: u32) -> u32 {
    (sum & 0xffff) + (sum >> 16)
}

/// Bob Jenkins' hash of `prefix` followed by `bytes`: `hashlittle` of
/// <https://burtleburtle.net/bob/c/lookup3.c>.
#[allow(clippy::arithmetic_side_effects, reason = "lengths of bytes that are in memory")]
fn lookup3(prefix: &[u8], bytes: &[u8], initial: u32) -> u32 {
    let len = prefix.len() + bytes.len();
    #[allow(clippy::cast_possible_truncation)] // lookup3.c adds the length modulo 2^32
    let start = 0xdead_beef_u32.wrapping_add(len as u32).wrapping_add(initial);
    let mut state = [start; 3];
    let mut rest = prefix.iter().chain(bytes);
    let mut left = len;
    // The last block is mixed in another way, also if it is full.
    while left > 12 {
        add_block(&mut state, &mut rest);
        mix(&mut state);
        left -= 12;
    }
    if left > 0 {
        add_block(&mut state, &mut rest);
        finish(&mut state);
    }
    state[2]
}

/// Adds up to twelve bytes to the state, as three little-endian words.
fn add_block<'a>(state: &mut [u32; 3], bytes: &mut impl Iterator<Item = &'a u8>) {
    for word in state {
        for shift in [0, 8, 16, 24] {
            *word = word.wrapping_add(u32::from(bytes.next().copied().unwrap_or(0)) << shift);
        }
    }
}

fn mix([a, b, c]: &mut [u32; 3]) {
    for (rotation_a, rotation_b, rotation_c) in [(4, 6, 8), (16, 19, 4)] {
        *a = a.wrapping_sub(*c) ^ c.rotate_left(rotation_a);
        *c = c.wrapping_add(*b);
        *b = b.wrapping_sub(*a) ^ a.rotate_left(rotation_b);
        *a = a.wrapping_add(*c);
        *c = c.wrapping_sub(*b) ^ b.rotate_left(rotation_c);
        *b = b.wrapping_add(*a);
    }
}

fn finish([a, b, c]: &mut [u32; 3]) {
    *c = (*c ^ *b).wrapping_sub(b.rotate_left(14));
    *a = (*a ^ *c).wrapping_sub(c.rotate_left(11));
    *b = (*b ^ *a).wrapping_sub(a.rotate_left(25));
    *c = (*c ^ *b).wrapping_sub(b.rotate_left(16));
    *a = (*a ^ *c).wrapping_sub(c.rotate_left(4));
    *b = (*b ^ *a).wrapping_sub(a.rotate_left(14));
    *c = (*c ^ *b).wrapping_sub(b.rotate_left(24));
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn checksums_match_hdf5() {
        // The first two by hand: one pair, then a single byte, which is the high byte of a pair.
        assert_eq!(fletcher32(&[1, 2]), 0x0102_0102);
        assert_eq!(fletcher32(&[1, 2, 3]), 0x0504_0402);
        assert_eq!(fletcher32(&[]), 0);
        assert_eq!(fletcher32(&[0xff; 100_000]), 0xffff_ffff);
    }

    #[test]
    fn the_examples_of_lookup3_c() {
        // lookup3.c, driver5.
        assert_eq!(lookup3(b"", b"", 0), 0xdead_beef);
        assert_eq!(lookup3(b"", b"", 0xdead_beef), 0xbd5b_7dde);
        assert_eq!(lookup3(b"", b"Four score and seven years ago", 0), 0x1777_0551);
        assert_eq!(lookup3(b"", b"Four score and seven years ago", 1), 0xcd62_8161);
        assert_eq!(lookup3(b"Four score", b" and seven years ago", 1), 0xcd62_8161);
    }
}
