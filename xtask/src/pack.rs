//! Compresses a wasm build to one Zstandard frame, with another build as prefix: the frame refers
//! to the prefix as to earlier output. Builds of one crate share most of their code, and more of
//! their bytes once it is ordered as in the prefix ([`align`](super::align)).
//!
//! The frame declares its content size and has a checksum, so a wrong prefix is found. The decoder
//! is `decompress_with_prefix` of `src/kernel/zstd.rs`.

use std::fs;
use std::path::{Path, PathBuf};

use zstd_safe::{CCtx, CParameter};

/// The command line of `pack`.
pub struct Pack {
    pub input: PathBuf,
    pub prefix: PathBuf,
    pub output: PathBuf,
    /// Whether a larger frame will do, so that a developer need not wait.
    pub quick: bool,
}

/// The level at which the frame is smallest. It takes some seconds.
const BEST: i32 = 22;
const QUICK: i32 = 1;

/// Writes the frame to the output file.
pub fn pack(pack: &Pack) -> Result<(), String> {
    let (module, prefix) = (read(&pack.input)?, read(&pack.prefix)?);
    let frame = compressed(&module, &prefix, if pack.quick { QUICK } else { BEST })
        .map_err(|code| format!("{}: {}", pack.input.display(), zstd_safe::get_error_name(code)))?;
    fs::write(&pack.output, frame).map_err(|error| format!("{}: {error}", pack.output.display()))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// One frame with this content.
///
/// # Errors
/// The library's error code.
fn compressed(content: &[u8], prefix: &[u8], level: i32) -> Result<Vec<u8>, usize> {
    let mut context = CCtx::create();
    context.set_parameter(CParameter::CompressionLevel(level))?;
    context.set_parameter(CParameter::ChecksumFlag(true))?;
    context.ref_prefix(prefix)?;
    let mut frame = Vec::with_capacity(zstd_safe::compress_bound(content.len()));
    context.compress2(&mut frame, content)?;
    Ok(frame)
}
