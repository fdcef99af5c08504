//! `fletcher32`: the checksum of HDF5's filter, after the bytes.
//! <https://numcodecs.readthedocs.io/en/stable/checksum32.html>
//!
//! HDF5 sums pairs of bytes, of which the first is the high one. A single last byte is the high
//! byte of a pair.

use super::checksum::{Checksum, Location};
use crate::error::Result;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};

/// The pairs between two reductions: the most for which `second` fits 32 bits.
const BLOCK: usize = 360;

/// Binds the codec. Its configuration has no fields.
///
/// # Errors
/// None.
pub fn bind(_: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    Ok(Checksum::codec(Location::End, fletcher32))
}

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
}
