//! Inflates an entry of an archive, at most to the size that its directory entry says. Memory grows
//! with what was inflated, because the size may be a lie.

use super::directory::ZipEntry;
use crate::error::{Error, Result};
use crate::format::codec::inflate_raw;
use crate::limits;
use zarr_wasm_http::Value;

/// Inflates an entry. `stored` are its bytes in the archive.
///
/// # Errors
/// `Format` for a damaged entry, and for one of another size than its directory entry says.
pub(super) fn inflate(entry: &ZipEntry, stored: &Value) -> Result<Value> {
    let what = "an entry of the ZIP archive";
    let encoded = stored.to_vec(limits::CHUNK_BYTES, what)?;
    let size = limits::within(entry.size, limits::CHUNK_BYTES, what)?;
    // One byte more tells that the entry is longer.
    let output = inflate_raw(&encoded, size.saturating_add(1)).map_err(|error| {
        Error::format("an entry of the ZIP archive is damaged, or larger than its directory entry says")
            .actual(error.message())
    })?;
    if output.len() == size {
        return Ok(Value::from(output));
    }
    Err(Error::format("an entry of the ZIP archive has the wrong size after inflating")
        .expected(format!("{size} bytes"))
        .actual(format!("{} bytes or more", output.len())))
}
