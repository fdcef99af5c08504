//! Checksums of entries, whole and in parts. The CRC-32 of an entry covers all its bytes. Ranges of
//! an uncompressed entry are summed as they are read. The sums of parts that touch are combined. As
//! soon as all bytes of an entry have been read, their sum is compared with the directory's.
//!
//! Until then a damaged range is not noticed.

use std::collections::BTreeMap;

use zarr_wasm_http::Value;

use super::directory::ZipEntry;
use crate::error::{Error, Result};
use crate::format::codec::{crc32, crc32_combine};
use crate::limits;

/// Number of bytes that are summed at a time.
const CRC_BYTES: u64 = 64 << 10;

/// Maximum number of parts that are kept, of all entries. A part takes about 40 bytes. Entries that
/// would need more are not checked.
const MAX_PARTS: usize = 1 << 16;

/// Bytes of an entry that have been read.
#[derive(Clone, Copy)]
struct Part {
    end: u64,
    crc: u32,
}

/// What is known of an entry.
enum Seen {
    /// Parts by their first byte. They do not overlap.
    Parts(BTreeMap<u64, Part>),
    /// All of it was read, and had this sum.
    All(u32),
    /// There were too many parts.
    Unchecked,
}

/// The checksums of the ranges that were read, by the offsets of their entries' local headers.
#[derive(Default)]
pub(super) struct Checksums {
    entries: BTreeMap<u64, Seen>,
    parts: usize,
}

impl Checksums {
    /// Takes the bytes of an entry from `start` on.
    ///
    /// # Errors
    /// `Format` if all bytes of the entry have been read, and their sum is another than the
    /// directory's.
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "`parts` counts the parts of all entries, those of this one included"
    )]
    pub fn take(&mut self, entry: &ZipEntry, start: u64, value: &Value) -> Result<()> {
        let seen = self.entries.entry(entry.header).or_insert_with(|| Seen::Parts(BTreeMap::new()));
        if let Seen::Parts(parts) = seen {
            self.parts = self.parts.saturating_sub(parts.len());
            add(parts, start, value)?;
            match parts.first_key_value() {
                Some((0, whole)) if whole.end == entry.size => *seen = Seen::All(whole.crc),
                _ if self.parts + parts.len() > MAX_PARTS => *seen = Seen::Unchecked,
                _ => self.parts += parts.len(),
            }
        }
        match seen {
            Seen::All(crc) => compare(entry, *crc),
            Seen::Parts(_) | Seen::Unchecked => Ok(()),
        }
    }
}

/// Adds what is new of a range, and joins the parts that touch it.
#[allow(clippy::arithmetic_side_effects, reason = "`at` and `end` are inside of the range")]
fn add(parts: &mut BTreeMap<u64, Part>, start: u64, value: &Value) -> Result<()> {
    let range_end = start.saturating_add(value.len());
    let mut at = start;
    while at < range_end {
        let known = parts.range(..=at).next_back().map_or(0, |(_, part)| part.end);
        if known > at {
            at = known;
            continue;
        }
        let end = parts.range(at..).next().map_or(range_end, |(next, _)| range_end.min(*next));
        let crc = sum(&value.slice(at - start..end - start)?)?;
        parts.insert(at, Part { end, crc });
        at = end;
    }
    join(parts, start);
    Ok(())
}

/// Joins the parts that touch, from the one before `start` on.
#[allow(clippy::arithmetic_side_effects, reason = "a part ends after its start")]
fn join(parts: &mut BTreeMap<u64, Part>, start: u64) {
    let before = parts.range(..start).next_back().filter(|(_, part)| part.end >= start);
    let first = before.or_else(|| parts.range(start..).next());
    let Some((first, mut joined)) = first.map(|(first, part)| (*first, *part)) else { return };
    while let Some(next) = parts.remove(&joined.end) {
        let crc = crc32_combine(joined.crc, next.crc, next.end - joined.end);
        joined = Part { end: next.end, crc };
    }
    parts.insert(first, joined);
}

/// The CRC-32 of a value, which may lie in JavaScript's memory.
#[allow(clippy::arithmetic_side_effects, reason = "`at` is at most the length")]
fn sum(value: &Value) -> Result<u32> {
    let mut crc = 0;
    let (mut at, mut piece) = (0, Vec::new());
    while at < value.len() {
        let len = (value.len() - at).min(CRC_BYTES);
        piece.resize(limits::to_usize(len, "a piece")?, 0);
        value.copy_to(at, &mut piece)?;
        crc = crc32(crc, &piece);
        at += len;
    }
    Ok(crc)
}

/// Checks a whole value.
///
/// # Errors
/// `Format` for another checksum than the directory's.
pub(super) fn check(entry: &ZipEntry, value: &Value) -> Result<()> {
    compare(entry, sum(value)?)
}

fn compare(entry: &ZipEntry, crc: u32) -> Result<()> {
    if crc == entry.crc {
        return Ok(());
    }
    Err(Error::format("the checksum of an entry of the ZIP archive does not match")
        .expected(format!("{:#010x}", entry.crc))
        .actual(format!("{crc:#010x}")))
}
