//! Bytes → bytes codecs, one file each.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/index.html>
//!
//! The table in [`super::registry`] lists them. Two rules hold for all of them:
//!
//! - Before they allocate memory for a declared length, they compare it with what the encoded bytes
//!   can hold (`check_ratio`).
//! - Encoders begin with [`require_encoders`], so that builds that only read contain none. Only
//!   checksums have an encoder in every build.

pub mod base64;
pub mod blosc;
#[cfg(feature = "full")]
pub mod bz2;
pub mod checksum;
pub mod conditional;
#[cfg(any(feature = "full", feature = "images"))]
mod drain;
pub mod gzip;
pub mod imagecodecs_packbits;
mod inflate;
pub mod lz4;
#[cfg(feature = "full")]
pub mod lzma;
#[cfg(feature = "images")]
pub mod lzw;
pub mod shuffle;
pub mod snappy;
pub mod zlib;
pub mod zstd;

pub use inflate::inflate_raw;

use super::build::require_encoders;
use crate::error::{Error, Result};

/// Checks that a declared length is possible for so few encoded bytes. A larger one shows a corrupt
/// or hostile header.
fn check_ratio(encoded: usize, declared: u64, best_ratio: u64) -> Result<()> {
    let most = (encoded as u64).saturating_mul(best_ratio);
    if declared <= most {
        return Ok(());
    }
    Err(Error::format("the header declares more bytes than the encoded bytes can hold")
        .expected(format!("at most {most} bytes"))
        .actual(format!("{declared} bytes")))
}

/// Compares checksums.
fn check_sum(stored: u32, computed: u32) -> Result<()> {
    if stored == computed {
        return Ok(());
    }
    Err(Error::format("the checksum does not match; the chunk is corrupt")
        .expected(format!("{stored:#010x}"))
        .actual(format!("{computed:#010x}")))
}

/// The error of bytes that end too early.
fn truncated(what: &str) -> Error {
    Error::format(format!("the {what} is truncated"))
}

/// The first `N` bytes and the rest; `None` for fewer bytes.
fn split<const N: usize>(bytes: &[u8]) -> Option<([u8; N], &[u8])> {
    bytes.split_first_chunk().map(|(first, rest)| (*first, rest))
}
