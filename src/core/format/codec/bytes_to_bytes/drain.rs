//! Reads decoders that implement `Read` (`bz2`, `lzma`, `lzw`) to an [`Output`].

use std::io::{self, Read};

use super::truncated;
use crate::error::{Error, Result};
use crate::format::codec::Output;
use crate::limits;

/// The first size in bytes of an output of unknown length. Later sizes double.
const FIRST_GROWTH: usize = 1 << 14;

/// Reads until `reader` ends. `what` names the stream in errors.
///
/// # Errors
/// `Format` for a stream that is corrupt, truncated, or not of the exact output's length; `Limit`
/// when a growing output would pass its limit, or the decoder needs too much memory.
pub(super) fn drain(reader: &mut dyn Read, output: &mut Output<'_>, what: &str) -> Result<()> {
    match output {
        Output::Exact(output) => {
            let len = fill(reader, output, what)?;
            // A reader verifies its checksum when it reaches its end, which must be here.
            let more = fill(reader, &mut [0], what)?;
            if len == output.len() && more == 0 {
                return Ok(());
            }
            let actual = if more > 0 { "more".to_owned() } else { format!("{len} bytes") };
            let error = Error::format("the chunk decodes to the wrong number of bytes");
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
                _ => Err(limits::exceeded("decoded bytes", (limit as u64).saturating_add(1), limit as u64)),
            };
        }
        limits::grow(buf, len, "decoded bytes")?;
        let read = fill(reader, buf.get_mut(start..).unwrap_or_default(), what)?;
        let end = start.saturating_add(read);
        buf.truncate(end);
        if end < len {
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
            Ok(read) => filled = filled.saturating_add(read),
            Err(error) => return Err(damaged(&error, what)),
        }
    }
    Ok(filled)
}

/// The error of a reader.
pub(super) fn damaged(error: &io::Error, what: &str) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => truncated(what),
        io::ErrorKind::OutOfMemory => Error::limit(format!("the {what} needs too much memory")),
        _ => Error::format(format!("the {what} is corrupt")).actual(error.to_string()),
    }
}
