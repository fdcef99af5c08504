//! Raw DEFLATE (RFC 1951) through zlib-rs, one step at a time into a slice. In WebAssembly it
//! decodes images in three quarters of miniz_oxide's time (`npm run bench -- codecs`).
//!
//! It is a kernel so that it is compiled for speed. The codecs handle headers, checksums and
//! growing outputs.

use zlib_rs::{Inflate, InflateFlush, Status};

/// DEFLATE's largest window, as a power of two.
const WINDOW_BITS: u8 = 15;

/// The decoder's tables and window (about 48 KB), reused from stream to stream.
pub struct InflateState(Inflate);

impl Default for InflateState {
    fn default() -> Self {
        Self(Inflate::new(false, WINDOW_BITS))
    }
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inflation {
    /// The stream has ended.
    Done,
    /// The output is full.
    OutputFull,
    /// The input ended before the stream.
    Truncated,
    /// The input is not a DEFLATE stream.
    Damaged,
}

impl InflateState {
    /// Prepares for a new stream.
    pub fn begin(&mut self) {
        self.0.reset(false);
    }

    /// Decodes from `src` to `dst`. Returns how it ended, and the number of bytes read and written.
    #[inline(never)]
    pub fn step(&mut self, src: &[u8], dst: &mut [u8]) -> (Inflation, usize, usize) {
        let (read, written) = (self.0.total_in(), self.0.total_out());
        let status = self.0.decompress(src, dst, InflateFlush::NoFlush);
        let (read, written) = (progress(read, self.0.total_in()), progress(written, self.0.total_out()));
        let inflation = match status {
            Ok(Status::StreamEnd) => Inflation::Done,
            Ok(_) if written == dst.len() => Inflation::OutputFull,
            Ok(_) => Inflation::Truncated,
            Err(_) => Inflation::Damaged,
        };
        (inflation, read, written)
    }
}

/// The increase of a counter, which fits the length of a slice.
#[allow(clippy::cast_possible_truncation)]
fn progress(before: u64, after: u64) -> usize {
    (after - before) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// "zarr zarr zarr", encoded by Python's zlib (`zlib.compressobj(9, zlib.DEFLATED, -15)`).
    const STREAM: &[u8] = &[0xab, 0x4a, 0x2c, 0x2a, 0x52, 0xa8, 0x82, 0x11, 0x00];

    #[test]
    fn a_stream_ends_at_its_end_mark() {
        let (mut state, mut output) = (InflateState::default(), [0; 14]);
        state.begin();
        assert_eq!(state.step(STREAM, &mut output), (Inflation::Done, STREAM.len(), 14));
        assert_eq!(&output, b"zarr zarr zarr");
    }

    #[test]
    fn full_output_short_input_and_corrupt_input_differ() {
        let (mut state, mut output) = (InflateState::default(), [0; 14]);
        state.begin();
        assert_eq!(state.step(STREAM, &mut output[..5]).0, Inflation::OutputFull);
        state.begin();
        assert_eq!(state.step(&STREAM[..4], &mut output).0, Inflation::Truncated);
        state.begin();
        assert_eq!(state.step(&[0xff; 9], &mut output).0, Inflation::Damaged);
    }
}
