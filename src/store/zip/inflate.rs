//! Inflates an entry of an archive, at most to the size that its directory entry says. Memory
//! grows with what was inflated, because the size may be a lie.

use super::directory::ZipEntry;
use crate::error::{Error, Result};
use crate::kernel::inflate::{InflateState, Inflation};
use crate::limits;
use crate::store::Value;

/// The first size of the output in bytes. Later sizes are four times as large.
const FIRST_BYTES: u64 = 1 << 20;

/// Inflates an entry. `stored` are its bytes in the archive.
///
/// # Errors
/// `Format` for a damaged entry, and for one of another size than its directory entry says.
pub(super) fn inflate(entry: &ZipEntry, stored: &Value) -> Result<Value> {
    let encoded = stored.to_vec(limits::CHUNK_BYTES, "a deflated entry of the ZIP archive")?;
    let first = entry.size.min(FIRST_BYTES);
    let mut output = limits::zeroed(first, limits::CHUNK_BYTES, "an entry of the ZIP archive")?;
    let mut state = InflateState::default();
    state.begin();
    let (mut consumed, mut end) = (0, 0);
    loop {
        let source = encoded.get(consumed..).unwrap_or_default();
        let target = output.get_mut(end..).unwrap_or_default();
        let (inflation, read, written) = state.step(source, target);
        consumed += read;
        end += written;
        match inflation {
            Inflation::Done => break,
            Inflation::OutputFull if (end as u64) < entry.size => grow(&mut output, entry.size)?,
            // A stream of exactly this size may not have read its end mark yet.
            Inflation::OutputFull if ends_here(&mut state, encoded.get(consumed..)) => break,
            Inflation::OutputFull | Inflation::Truncated | Inflation::Damaged => return Err(damaged()),
        }
    }
    if end as u64 == entry.size {
        return Ok(Value::from(output));
    }
    Err(Error::format("an entry of the ZIP archive has the wrong size after inflating")
        .expected(format!("{} bytes", entry.size))
        .actual(format!("{end} bytes")))
}

fn grow(output: &mut Vec<u8>, size: u64) -> Result<()> {
    let len = (output.len() as u64).saturating_mul(4).min(size);
    let len = limits::within(len, limits::CHUNK_BYTES, "an entry of the ZIP archive")?;
    limits::grow(output, len, "an entry of the ZIP archive")
}

/// Whether the stream has no more bytes.
fn ends_here(state: &mut InflateState, rest: Option<&[u8]>) -> bool {
    let (inflation, _, written) = state.step(rest.unwrap_or_default(), &mut [0]);
    inflation == Inflation::Done && written == 0
}

fn damaged() -> Error {
    Error::format("an entry of the ZIP archive is damaged, or larger than its directory entry says")
}
