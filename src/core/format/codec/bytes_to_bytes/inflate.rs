//! Raw DEFLATE (RFC 1951), decoded into the output. `gzip`, `zlib` and blosc's zlib use it; they
//! handle headers and checksums.

use std::cell::RefCell;

use super::truncated;
use crate::error::{Error, Result};
use crate::format::codec::Output;
use crate::kernel::inflate::{InflateState, Inflation};
use crate::limits;

/// The maximal ratio of decoded to encoded bytes: 258 bytes in two bits, rounded up.
pub(super) const BEST_RATIO: u64 = 1032;

/// The first size in bytes of an output of unknown length. Later sizes double.
const FIRST_GROWTH: usize = 1 << 14;

/// The state of the decoder, made at the first use and reused afterwards.
#[derive(Default)]
pub(super) struct Inflater(RefCell<Option<Box<InflateState>>>);

/// What the decoder read and wrote.
pub(super) struct Inflated {
    /// The length of the encoded stream.
    pub(super) consumed: usize,
    /// The end of the decoded bytes in the output.
    pub(super) end: usize,
}

impl Inflater {
    /// Decodes the stream at the start of `encoded` to `output` from `start` on. A growing output
    /// is then truncated to the end of the decoded bytes.
    pub(super) fn inflate(&self, encoded: &[u8], output: &mut Output<'_>, start: usize) -> Result<Inflated> {
        let mut tables = self.0.borrow_mut();
        let state = tables.get_or_insert_default();
        state.begin();
        let end = loop {
            let inflation = state.step(encoded, window(output).get_mut(start..).unwrap_or_default());
            let end = start.saturating_add(state.written());
            match inflation {
                Inflation::Done => break end,
                Inflation::OutputFull => grow(output, end)?,
                Inflation::Truncated => return Err(truncated("DEFLATE stream")),
                Inflation::Damaged => return Err(Error::format("the DEFLATE stream is corrupt")),
            }
        };
        if let Output::Growing { buf, .. } = output {
            buf.truncate(end);
        }
        Ok(Inflated { consumed: state.consumed(), end })
    }
}

/// Inflates a raw stream without a header, to at most `limit` bytes.
///
/// # Errors
/// `Format` for a damaged stream, `Limit` for a longer one.
pub fn inflate_raw(encoded: &[u8], limit: usize) -> Result<Vec<u8>> {
    let mut buf = Vec::new();
    Inflater::default().inflate(encoded, &mut Output::Growing { buf: &mut buf, limit }, 0)?;
    Ok(buf)
}

/// All bytes of the output, including those that are reserved in a growing one.
pub(super) fn window<'a>(output: &'a mut Output<'_>) -> &'a mut [u8] {
    match output {
        Output::Exact(output) => output,
        Output::Growing { buf, .. } => buf,
    }
}

/// Doubles a growing output.
fn grow(output: &mut Output<'_>, used: usize) -> Result<()> {
    match output {
        Output::Exact(output) => Err(Error::format("the chunk decodes to the wrong number of bytes")
            .expected(format!("{} bytes", output.len()))
            .actual("more")),
        Output::Growing { limit, .. } if used >= *limit => {
            Err(limits::exceeded("decoded bytes", (used as u64).saturating_add(1), *limit as u64))
        }
        Output::Growing { buf, limit } => {
            let len = used.saturating_mul(2).max(FIRST_GROWTH).min(*limit);
            limits::grow(buf, len, "decoded bytes")
        }
    }
}
