//! Compresses a wasm build to one Zstandard frame, with another build as prefix: the frame refers
//! to the prefix as to earlier output. Builds of one crate share most of their code, and more of
//! their bytes once it is ordered as in the prefix ([`align`](super::align)).
//!
//! The frame declares its content size and has a checksum, so a wrong prefix is found. The decoder
//! is `decompress_with_prefix` of `src/kernel/zstd.rs`.

use zstd_safe::{CCtx, CParameter, get_error_name};

use crate::Result;

/// The level at which the frame is smallest. It takes some seconds.
pub const BEST: i32 = 22;
/// That of development, where the size of the frame does not matter.
pub const QUICK: i32 = 1;

/// One frame with this content.
pub fn packed(content: &[u8], prefix: &[u8], level: i32) -> Result<Vec<u8>> {
    compressed(content, prefix, level).map_err(|code| get_error_name(code).to_owned())
}

/// As [`packed`], with the library's error code.
fn compressed(content: &[u8], prefix: &[u8], level: i32) -> std::result::Result<Vec<u8>, usize> {
    let mut context = CCtx::create();
    context.set_parameter(CParameter::CompressionLevel(level))?;
    context.set_parameter(CParameter::ChecksumFlag(true))?;
    context.ref_prefix(prefix)?;
    let mut frame = Vec::with_capacity(zstd_safe::compress_bound(content.len()));
    context.compress2(&mut frame, content)?;
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use zstd_safe::DCtx;

    use super::{BEST, QUICK, packed};
    use crate::sample::many_functions;

    fn unpacked(frame: &[u8], prefix: &[u8], len: usize) -> Option<Vec<u8>> {
        let (mut context, mut content) = (DCtx::create(), Vec::with_capacity(len));
        context.ref_prefix(prefix).unwrap();
        context.decompress(&mut content, frame).ok().map(|_| content)
    }

    #[test]
    fn the_frame_has_the_content_and_needs_the_prefix() {
        let (prefix, content) = (many_functions(500), many_functions(510));
        for level in [QUICK, BEST] {
            let frame = packed(&content, &prefix, level).unwrap();
            assert!(frame.len() * 4 < packed(&content, &[], level).unwrap().len(), "level {level}");
            assert_eq!(unpacked(&frame, &prefix, content.len()).as_deref(), Some(&*content));
            let mut other = prefix.clone();
            other.iter_mut().for_each(|byte| *byte ^= 1);
            assert_eq!(unpacked(&frame, &other, content.len()), None);
        }
    }
}
