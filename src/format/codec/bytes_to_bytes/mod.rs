//! Bytes → bytes codecs, one file each.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/index.html>
//!
//! Which of them exist is written in [`super::registry`] alone. What they share: a declared size is
//! compared with what the encoded bytes can possibly hold ([`check_ratio`]) before anything is
//! allocated for it, and encoders begin with [`require_encoders`], so that the engine build carries
//! none.

pub mod adler32;
#[cfg(any(feature = "full", not(target_arch = "wasm32")))]
pub mod base64;
pub mod blosc;
#[cfg(any(feature = "full", not(target_arch = "wasm32")))]
pub mod bz2;
mod checksum;
#[cfg(any(feature = "full", not(target_arch = "wasm32")))]
pub mod conditional;
pub mod crc32;
pub mod crc32c;
#[cfg(any(feature = "full", feature = "images", not(target_arch = "wasm32")))]
mod drain;
pub mod fletcher32;
pub mod gzip;
#[cfg(any(feature = "images", not(target_arch = "wasm32")))]
pub mod imagecodecs_packbits;
mod inflate;
#[cfg(any(feature = "full", not(target_arch = "wasm32")))]
pub mod jenkins_lookup3;
pub mod lz4;
#[cfg(any(feature = "full", not(target_arch = "wasm32")))]
pub mod lzma;
#[cfg(any(feature = "images", not(target_arch = "wasm32")))]
pub mod lzw;
pub mod shuffle;
pub mod zlib;
pub mod zstd;

use super::registry::require_encoders;
use crate::error::{Error, Result};

/// Refuses a declared size that a format cannot reach from so few bytes: the mark of a damaged or
/// hostile header.
fn check_ratio(encoded: usize, declared: u64, best_ratio: u64) -> Result<()> {
    let most = (encoded as u64).saturating_mul(best_ratio);
    if declared <= most {
        return Ok(());
    }
    Err(Error::format("declared size is more than the encoded bytes can hold")
        .expected(format!("at most {most} bytes"))
        .actual(format!("{declared} bytes")))
}

/// Compares checksums.
fn check_sum(stored: u32, computed: u32) -> Result<()> {
    if stored == computed {
        return Ok(());
    }
    Err(Error::format("checksum does not match")
        .expected(format!("{stored:#010x}"))
        .actual(format!("{computed:#010x}")))
}

/// The error of bytes that end too early.
fn truncated(what: &str) -> Error {
    Error::format(format!("{what} is cut off"))
}

/// The first `N` bytes and the rest, where there are so many.
fn split<const N: usize>(bytes: &[u8]) -> Option<([u8; N], &[u8])> {
    bytes.split_first_chunk().map(|(first, rest)| (*first, rest))
}
