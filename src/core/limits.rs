//! Budgets: the most memory that untrusted input may make the crate allocate, and the most steps
//! that it may make it take.
//!
//! Every allocation whose size comes from data is checked here first. Settings of speed (pool size,
//! cache size) are not here: they are beside what they configure.

use crate::error::{Error, Result};
use crate::kernel::fill::append_zeros;

/// The largest decoded chunk, or part of the output, that is held in one buffer (bytes).
///
/// A 32-bit wasm memory ends at 4 GiB, and it holds encoded bytes, decoded bytes and scratch memory
/// at once.
pub const CHUNK_BYTES: u64 = 1 << 30;

/// The largest decoded shard index (bytes): 2^24 inner chunks.
pub const SHARD_INDEX_BYTES: u64 = 1 << 28;

/// The largest metadata document that is parsed (bytes).
pub const METADATA_BYTES: u64 = 1 << 28;

/// How many bytes more than expected a body may have (bytes). What is a little too long is read,
/// and its decoder says what is wrong with it.
pub const BODY_SLACK: u64 = 64 << 10;

/// The largest page of a listing (bytes).
pub const LISTING_BYTES: u64 = 1 << 26;

/// The largest central directory of a ZIP archive that is read (bytes): about 3 million entries.
pub const ARCHIVE_DIRECTORY_BYTES: u64 = 1 << 28;

/// The most references of one reference document, those that its `gen` entries create included.
/// Fuzzing has fewer, because `AddressSanitizer` takes minutes for millions.
pub const REFERENCES: u64 = if cfg!(fuzzing) { 1 << 16 } else { 1 << 23 };

/// The most templates of one reference document.
pub const TEMPLATES: u64 = 1 << 20;

/// The most dimensions of one generator of references.
pub const GENERATOR_DIMENSIONS: u64 = 1 << 10;

/// The most snapshots of a history that are read one by one.
pub const SNAPSHOTS: u64 = 1 << 12;

/// The largest element of a data type whose size the metadata chooses (bytes).
pub const ELEMENT_BYTES: u64 = 1 << 24;

/// The most separate runs of numbers in one structured data type.
pub const STRUCT_RUNS: u64 = 1 << 16;

/// The most names that one listing may create from what a store lists, such as the chunks of
/// shards.
pub const LISTED_NAMES: u64 = 1 << 24;

/// The most names that one listing of a store may have.
pub const LISTED_KEYS: u64 = 1 << 21;

/// The most folders that one listing may visit, and the most children of a group.
pub const LISTED_FOLDERS: u64 = 1 << 17;

/// How deep folders of a listing may nest. An array has at most 64 dimensions, and each may be a
/// folder.
pub const LISTED_DEPTH: u64 = 128;

/// The most bytes that the templates and generators of one reference document may render.
pub const RENDERED_BYTES: u64 = 1 << 28;

/// The most steps that they may take. A text that is read costs a step for each 256 bytes.
pub const TEMPLATE_STEPS: u64 = 1 << 25;

/// The most steps of one of their texts.
pub const STEPS_OF_ONE_TEXT: u64 = 1 << 16;

/// How deep the values of a JSON document may nest.
pub const JSON_DEPTH: usize = 64;

/// How deep shards may nest.
pub const SHARD_DEPTH: usize = 8;

/// How many shapes of stored chunks stay bound to codecs at once. A rectilinear grid may have as
/// many shapes as chunks.
pub const BOUND_CHAINS: usize = 1024;

/// The most dimensions of an array. NumPy has the same limit.
pub const DIMENSIONS: usize = 64;

/// The largest result of one read (bytes). Hosts may refuse buffers above about 2 GiB.
pub const RESULT_BYTES: u64 = (1 << 31) - (1 << 16);

/// Narrows a size to `usize`, which has 32 bits in wasm.
///
/// # Errors
/// `Limit`, with `what` in the message, when it does not fit.
pub fn to_usize(value: u64, what: &str) -> Result<usize> {
    usize::try_from(value).map_err(|_| exceeded(what, value, usize::MAX as u64))
}

/// Checks a size that came from data against its budget and narrows it.
///
/// # Errors
/// `Limit`, with `what` in the message, when `value` is above `limit`.
pub fn within(value: u64, limit: u64, what: &str) -> Result<usize> {
    if value > limit { Err(exceeded(what, value, limit)) } else { to_usize(value, what) }
}

/// The `Limit` error: `what` has the size `value`, which is above `limit`.
pub fn exceeded(what: &str, value: u64, limit: u64) -> Error {
    Error::limit(format!("{what} is too large"))
        .expected(format!("at most {limit}"))
        .actual(value.to_string())
}

/// The product of sizes. It is 1 for none, and 0 where any size is 0.
///
/// # Errors
/// `Limit`, with `what` in the message.
pub fn product(sizes: impl IntoIterator<Item = u64>, what: &str) -> Result<u64> {
    // A zero makes the product zero, even where the product of the other sizes overflows.
    let mut total: Option<u64> = Some(1);
    let mut zero = false;
    for size in sizes {
        zero |= size == 0;
        total = total.and_then(|total| total.checked_mul(size));
    }
    match total {
        _ if zero => Ok(0),
        Some(total) => Ok(total),
        None => Err(Error::limit(format!("{what} is too large for 64 bits"))),
    }
}

/// A buffer of `len` zeros, at most `limit`. It fails instead of aborting when memory is short.
///
/// # Errors
/// `Limit`, with `what` in the message.
pub fn zeroed(len: u64, limit: u64, what: &str) -> Result<Vec<u8>> {
    let len = within(len, limit, what)?;
    let mut buf = Vec::new();
    grow(&mut buf, len, what)?;
    Ok(buf)
}

/// Extends a buffer to `len` bytes with zeros. It fails instead of aborting when memory is short.
///
/// # Errors
/// `Limit`, with `what` in the message.
pub fn grow(buf: &mut Vec<u8>, len: usize, what: &str) -> Result<()> {
    let additional = len.saturating_sub(buf.len());
    reserve(buf, additional, what)?;
    append_zeros(buf, additional);
    Ok(())
}

/// Reserves room for `additional` more elements. It fails instead of aborting when memory is short.
///
/// # Errors
/// `Limit`, with `what` in the message.
pub fn reserve<T>(buf: &mut Vec<T>, additional: usize, what: &str) -> Result<()> {
    buf.try_reserve_exact(additional)
        .map_err(|_| Error::limit(format!("no memory for {what}")).actual(format!("{additional} elements")))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn products_are_checked_and_a_zero_makes_them_zero() {
        assert_eq!(product([3, 4], "x").unwrap(), 12);
        assert_eq!(product([u64::MAX, 0, u64::MAX], "x").unwrap(), 0);
        assert_eq!(product([u64::MAX, 2], "x").unwrap_err().kind(), ErrorKind::Limit);
    }

    #[test]
    fn sizes_over_the_budget_are_refused_before_allocation() {
        let error = zeroed(1 << 60, CHUNK_BYTES, "chunk").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
        assert_eq!(error.context().actual.as_deref(), Some("1152921504606846976"));
    }
}
