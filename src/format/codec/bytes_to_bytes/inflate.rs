//! Raw DEFLATE (RFC 1951), which `gzip`, `zlib` and blosc's zlib wrap, straight into the output.
//!
//! Deliberately without headers and checksums, which are the wrappers' own.

use std::cell::RefCell;

use super::truncated;
use crate::error::{Error, Result};
use crate::format::codec::Output;
use crate::kernel::inflate::{InflateState, Inflation};
use crate::limits;

/// DEFLATE's best ratio: a match of 258 bytes in two bits, and one bit for good measure.
pub(super) const BEST_RATIO: u64 = 1032;

/// The first growth of an output of unknown size; later ones double it.
const FIRST_GROWTH: usize = 1 << 14;

/// The decoder's state, made when they are first needed and then used again and again.
#[derive(Default)]
pub(super) struct Inflater(RefCell<Option<Box<InflateState>>>);

/// What one stream took and gave.
pub(super) struct Inflated {
    /// Bytes of the encoded stream.
    pub(super) consumed: usize,
    /// End of what stands in the output.
    pub(super) end: usize,
}

impl Inflater {
    /// Decodes the stream at the start of `encoded` to `output` from `start` on; a growing output
    /// ends there.
    pub(super) fn inflate(&self, encoded: &[u8], output: &mut Output<'_>, start: usize) -> Result<Inflated> {
        let mut tables = self.0.borrow_mut();
        let state = tables.get_or_insert_default();
        state.begin();
        let (mut consumed, mut end) = (0, start);
        loop {
            let target = window(output).get_mut(end..).unwrap_or_default();
            let source = encoded.get(consumed..).unwrap_or_default();
            let (inflation, read, written) = state.step(source, target);
            consumed += read;
            end += written;
            match inflation {
                Inflation::Done => break,
                Inflation::OutputFull => grow(output, end)?,
                Inflation::Truncated => return Err(truncated("DEFLATE stream")),
                Inflation::Damaged => return Err(Error::format("DEFLATE stream is damaged")),
            }
        }
        if let Output::Growing { buf, .. } = output {
            buf.truncate(end);
        }
        Ok(Inflated { consumed, end })
    }
}

/// All that stands in the output, and the room that a growing one has been given.
pub(super) fn window<'a>(output: &'a mut Output<'_>) -> &'a mut [u8] {
    match output {
        Output::Exact(output) => output,
        Output::Growing { buf, .. } => buf,
    }
}

/// Makes more room in a growing output, as much again as was used.
fn grow(output: &mut Output<'_>, used: usize) -> Result<()> {
    match output {
        Output::Exact(output) => Err(Error::format("chunk decodes to the wrong number of bytes")
            .expected(format!("{} bytes", output.len()))
            .actual("more")),
        Output::Growing { limit, .. } if used >= *limit => {
            Err(limits::exceeded("decoded bytes", used as u64 + 1, *limit as u64))
        }
        Output::Growing { buf, limit } => {
            let len = used.saturating_mul(2).max(FIRST_GROWTH).min(*limit);
            limits::grow(buf, len, "decoded bytes")
        }
    }
}
