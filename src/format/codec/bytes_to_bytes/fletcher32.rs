//! `fletcher32`: the checksum of HDF5's filter, behind the bytes.
//! <https://numcodecs.readthedocs.io/en/stable/checksum32.html>
//!
//! HDF5 sums pairs of bytes, the first of a pair as the high one, and a lone last byte as the high
//! one of a pair.

use super::checksum::{Checksum, Location};
use crate::error::Result;
use crate::format::codec::Spec;
use crate::format::codec::configuration::Configuration;

/// Pairs until the sums are folded: the most for which `second` stays within 32 bits.
const BLOCK: usize = 360;

/// Reads the configuration, which is empty.
///
/// # Errors
/// None: there is nothing in it.
pub fn parse(_: &Configuration<'_>) -> Result<Spec> {
    Ok(Spec::BytesToBytes(Box::new(Checksum { location: Location::End, sum: fletcher32 })))
}

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
    // A sum that was folded once may still have a carry.
    fold(second) << 16 | fold(first)
}

/// One step towards the remainder modulo 65535.
fn fold(sum: u32) -> u32 {
    (sum & 0xffff) + (sum >> 16)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn sums_as_hdf5_has_them() {
        // The first two by hand: one pair, then a lone byte that counts as the high one of a pair.
        assert_eq!(fletcher32(&[1, 2]), 0x0102_0102);
        assert_eq!(fletcher32(&[1, 2, 3]), 0x0504_0402);
        assert_eq!(fletcher32(&[]), 0);
        assert_eq!(fletcher32(&[0xff; 100_000]), 0xffff_ffff);
    }
}
