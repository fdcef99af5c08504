//! Compresses a wasm build as DEFLATE (RFC 1951), which browsers inflate themselves. Zopfli's
//! streams are a twentieth smaller than zlib's, and are inflated as fast.

use std::num::NonZeroU64;

use zopfli::{Format, Options};

use crate::Result;

/// More than these make the stream no smaller.
const ITERATIONS: NonZeroU64 = NonZeroU64::new(30).expect("a positive number");
const SPLITS: u16 = 100;

/// The stream with this content. It takes some seconds.
pub fn deflated(content: &[u8]) -> Result<Vec<u8>> {
    let options = Options { iteration_count: ITERATIONS, maximum_block_splits: SPLITS, ..Options::default() };
    let mut stream = Vec::new();
    zopfli::compress(options, Format::Deflate, content, &mut stream).map_err(|error| error.to_string())?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use super::deflated;
    use crate::sample::many_functions;

    #[test]
    fn the_stream_has_the_content_and_is_smaller() {
        let content = many_functions(500);
        let stream = deflated(&content).unwrap();
        assert_eq!(miniz_oxide::inflate::decompress_to_vec(&stream).unwrap(), content);
        let fast = miniz_oxide::deflate::compress_to_vec(&content, 9);
        assert!(stream.len() < fast.len(), "{} bytes, and {} without Zopfli", stream.len(), fast.len());
    }
}
