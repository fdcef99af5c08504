//! Decoders that are readers (`bz2`, `lzma`), read into an output.

use std::io::{self, Read};

use super::truncated;
use crate::error::{Error, Result};
use crate::format::codec::Output;
use crate::limits;

/// The first growth of an output of unknown size; later ones double it.
const FIRST_GROWTH: usize = 1 << 14;

/// Reads all that `reader` has. `what` it is is for errors.
///
/// # Errors
/// `Format` for a stream that is damaged, cut off, or not of the exact output's length; `Limit`
/// where a growing output would pass its limit, or the decoder its memory.
pub(super) fn drain(reader: &mut dyn Read, output: &mut Output<'_>, what: &str) -> Result<()> {
    match output {
        Output::Exact(output) => {
            let len = fill(reader, output, what)?;
            // The stream must end here, and only at its end does a reader verify its checksum.
            let more = fill(reader, &mut [0], what)?;
            if len == output.len() && more == 0 {
                return Ok(());
            }
            let actual = if more > 0 { "more".to_owned() } else { format!("{len} bytes") };
            let error = Error::format("chunk decodes to the wrong number of bytes");
            Err(error.expected(format!("{} bytes", output.len())).actual(actual))
        }
        Output::Growing { buf, limit } => grow(reader, buf, *limit, what),
    }
}

fn grow(reader: &mut dyn Read, buf: &mut Vec<u8>, limit: usize, what: &str) -> Result<()> {
    buf.clear();
    loop {
        let start = buf.len();
        let len = start.saturating_mul(2).max(FIRST_GROWTH).min(limit);
        if len == start {
            return match fill(reader, &mut [0], what)? {
                0 => Ok(()),
                _ => Err(limits::exceeded("decoded bytes", limit as u64 + 1, limit as u64)),
            };
        }
        limits::grow(buf, len, "decoded bytes")?;
        let read = fill(reader, buf.get_mut(start..).unwrap_or_default(), what)?;
        buf.truncate(start + read);
        if start + read < len {
            return Ok(());
        }
    }
}

/// Reads until the buffer is full or the stream ends.
fn fill(reader: &mut dyn Read, buf: &mut [u8], what: &str) -> Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buf.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) => return Err(damaged(&error, what)),
        }
    }
    Ok(filled)
}

/// A reader's error in our words.
pub(super) fn damaged(error: &io::Error, what: &str) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => truncated(what),
        io::ErrorKind::OutOfMemory => Error::limit(format!("{what} asks for too much memory")),
        _ => Error::format(format!("{what} is damaged")).actual(error.to_string()),
    }
}
