//! Raw DEFLATE (RFC 1951) through miniz_oxide's core, one step at a time into a slice.
//!
//! Stands here to be compiled for speed; headers, checksums and growing outputs are the codecs' business.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// The decoder's tables (11 KB), for one stream after another.
#[derive(Default)]
pub struct InflateState(DecompressorOxide);

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inflation {
    /// The stream has ended.
    Done,
    /// The output is full.
    OutputFull,
    /// The input is used up before the stream's end.
    Truncated,
    /// This is no DEFLATE.
    Damaged,
}

impl InflateState {
    /// Makes ready for a new stream.
    pub fn begin(&mut self) {
        self.0.init();
    }

    /// Decodes from `src` to `dst` from `start` on; what stands before is the stream's window. Tells how it ended, how many
    /// bytes were read and how many written.
    #[inline(never)]
    pub fn step(&mut self, src: &[u8], dst: &mut [u8], start: usize) -> (Inflation, usize, usize) {
        let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, read, written) = decompress(&mut self.0, src, dst, start, flags);
        let inflation = match status {
            TINFLStatus::Done => Inflation::Done,
            TINFLStatus::HasMoreOutput => Inflation::OutputFull,
            TINFLStatus::NeedsMoreInput | TINFLStatus::FailedCannotMakeProgress => Inflation::Truncated,
            _ => Inflation::Damaged,
        };
        (inflation, read, written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// "zarr zarr zarr" as Python's zlib makes it (`zlib.compressobj(9, zlib.DEFLATED, -15)`).
    const STREAM: &[u8] = &[0xab, 0x4a, 0x2c, 0x2a, 0x52, 0xa8, 0x82, 0x11, 0x00];

    #[test]
    fn a_stream_ends_where_it_ends() {
        let (mut state, mut output) = (InflateState::default(), [0; 14]);
        state.begin();
        assert_eq!(state.step(STREAM, &mut output, 0), (Inflation::Done, STREAM.len(), 14));
        assert_eq!(&output, b"zarr zarr zarr");
    }

    #[test]
    fn full_and_short_and_damaged_are_told_apart() {
        let (mut state, mut output) = (InflateState::default(), [0; 14]);
        state.begin();
        assert_eq!(state.step(STREAM, &mut output[..5], 0).0, Inflation::OutputFull);
        state.begin();
        assert_eq!(state.step(&STREAM[..4], &mut output, 0).0, Inflation::Truncated);
        state.begin();
        assert_eq!(state.step(&[0xff; 9], &mut output, 0).0, Inflation::Damaged);
    }
}
