//! `jenkins_lookup3`: Bob Jenkins' hash, HDF5's checksum of metadata, after the bytes.
//! <https://numcodecs.readthedocs.io/en/stable/checksum32.html>,
//! <https://burtleburtle.net/bob/c/lookup3.c> (`hashlittle`)

use super::checksum::{Checksum, Location};
use crate::error::Result;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::format::metadata::json::Json;

/// Binds the codec. Its configuration: `initval`, and `prefix`, which are bytes hashed before the
/// chunk.
///
/// # Errors
/// `Format` for an initial value of more than 32 bits, and for a prefix that is not a list of
/// bytes.
pub fn bind(configuration: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    let initial = configuration.integer("initval", 0..=i64::from(u32::MAX))?.unwrap_or(0);
    let initial = u32::try_from(initial).unwrap_or(0);
    let prefix = configuration.read("prefix", |json| json.list(byte))?.unwrap_or_default();
    Ok(Checksum::codec(Location::End, move |bytes| lookup3(&prefix, bytes, initial)))
}

fn byte(json: Json<'_>) -> Result<u8> {
    json.u64()?.try_into().map_err(|_| json.unexpected("a byte, from 0 to 255"))
}

/// The hash of `prefix` followed by `bytes`.
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
    fn the_examples_of_lookup3_c() {
        // lookup3.c, driver5.
        assert_eq!(lookup3(b"", b"", 0), 0xdead_beef);
        assert_eq!(lookup3(b"", b"", 0xdead_beef), 0xbd5b_7dde);
        assert_eq!(lookup3(b"", b"Four score and seven years ago", 0), 0x1777_0551);
        assert_eq!(lookup3(b"", b"Four score and seven years ago", 1), 0xcd62_8161);
        assert_eq!(lookup3(b"Four score", b" and seven years ago", 1), 0xcd62_8161);
    }
}
