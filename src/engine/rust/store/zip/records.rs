//! The records of a ZIP archive: APPNOTE.TXT 6.3.10, sections 4.3.7 (local header), 4.3.12 (central
//! directory), 4.3.14–16 (end of the directory, also ZIP64) and 4.5.3 (ZIP64 extra field).
//!
//! Strong encryption and archives in several files are not supported, and rejected with an error
//! that names them.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::limits;

/// Length of the end record without its comment.
pub const END_LEN: u64 = 22;
/// Length of the ZIP64 locator, which is directly before the end record.
pub const LOCATOR_LEN: u64 = 20;
/// Length of the ZIP64 end record without extensions.
pub const END64_LEN: u64 = 56;
/// Length of a local header without name and extra field.
pub const LOCAL_LEN: u64 = 30;
/// Length of an entry of the central directory without name, extra field and comment.
pub const CENTRAL_LEN: usize = 46;

/// Length of the end of an archive that contains all end records, whatever the length of the
/// comment.
pub const TAIL_LEN: u64 = END_LEN + u16::MAX as u64 + LOCATOR_LEN + END64_LEN;

pub(super) const END_SIGNATURE: u32 = 0x0605_4b50;
pub(super) const LOCATOR_SIGNATURE: u32 = 0x0706_4b50;
pub(super) const END64_SIGNATURE: u32 = 0x0606_4b50;
pub(super) const CENTRAL_SIGNATURE: u32 = 0x0201_4b50;
pub(super) const LOCAL_SIGNATURE: u32 = 0x0403_4b50;

/// The content of a field whose value is in a ZIP64 record.
pub(super) const IN_ZIP64: u32 = u32::MAX;
pub(super) const ZIP64_FIELD: u16 = 1;

/// Reads a little-endian number of a record; 0 if the record is too short, which callers have
/// checked.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).copied().map_or(0, u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).copied().map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).copied().map_or(0, u64::from_le_bytes)
}

/// The location of the central directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The byte range of the directory in the archive.
    pub directory: Range<u64>,
    /// The announced number of entries.
    pub entries: u64,
    /// Number of bytes before the archive itself, such as those of a self-extracting program.
    pub shift: u64,
    /// The comment of the archive.
    pub comment: Vec<u8>,
}

/// The content of the end of an archive.
#[derive(Debug, PartialEq, Eq)]
pub enum Tail {
    /// The location of the directory.
    Complete(End),
    /// The ZIP64 end record is further up, at this offset.
    End64At(u64),
}

fn no_archive() -> Error {
    Error::format("this is not a ZIP archive: it has no end-of-directory record")
}

/// Reads the last bytes of an archive, which begin at offset `tail_start`. `end64` is the record
/// that a first call demanded.
///
/// # Errors
/// `Format` if this is not an archive; `Unsupported` for an archive in several files.
#[allow(clippy::arithmetic_side_effects, reason = "offsets in the last bytes of the archive")]
pub fn read_tail(tail: &[u8], tail_start: u64, end64: Option<&[u8]>) -> Result<Tail> {
    let at = find_end(tail).ok_or_else(no_archive)?;
    let record = tail.get(at..).unwrap_or_default();
    let end_at = tail_start + at as u64;
    let comment_len = usize::from(u16_at(record, 20));
    let comment = record.get(22..(22 + comment_len).min(record.len())).unwrap_or_default().to_vec();
    let locator = at.checked_sub(20).and_then(|at| tail.get(at..at + 20));
    let locator = locator.filter(|locator| u32_at(locator, 0) == LOCATOR_SIGNATURE);
    let Some(locator) = locator else {
        one_file(u32::from(u16_at(record, 4)), u32::from(u16_at(record, 6)))?;
        let (len, offset) = (u64::from(u32_at(record, 12)), u64::from(u32_at(record, 16)));
        return directory(len, offset, u64::from(u16_at(record, 10)), end_at, comment).map(Tail::Complete);
    };
    if u32_at(locator, 16) > 1 {
        return Err(several_files());
    }
    // If other bytes were put before the archive, its records moved, but the offsets in them did
    // not change. Then the record is directly before the locator.
    let offsets = [u64_at(locator, 8), end_at.saturating_sub(LOCATOR_LEN + END64_LEN)];
    let in_tail = |offset: u64| {
        let from = usize::try_from(offset.checked_sub(tail_start)?).ok()?;
        let record = tail.get(from..from.checked_add(56)?)?;
        (u32_at(record, 0) == END64_SIGNATURE).then_some((record, offset))
    };
    let given = end64.filter(|record| record.len() >= 56 && u32_at(record, 0) == END64_SIGNATURE);
    let found = given.map(|record| (record, offsets[0])).or_else(|| offsets.into_iter().find_map(in_tail));
    match found {
        Some((record, offset)) => read_end64(record, offset, comment).map(Tail::Complete),
        None if end64.is_none() && offsets[0] < tail_start => Ok(Tail::End64At(offsets[0])),
        None => Err(no_archive()),
    }
}

fn read_end64(record: &[u8], at: u64, comment: Vec<u8>) -> Result<End> {
    one_file(u32_at(record, 16), u32_at(record, 20))?;
    directory(u64_at(record, 40), u64_at(record, 48), u64_at(record, 32), at, comment)
}

/// The last end record whose comment ends with the archive; else the last end record.
#[allow(clippy::arithmetic_side_effects, reason = "offsets in the last bytes of the archive")]
fn find_end(tail: &[u8]) -> Option<usize> {
    let signature = END_SIGNATURE.to_le_bytes();
    let last = tail.len().checked_sub(22)?;
    let mut candidates = (0..=last).rev().filter(|at| tail.get(*at..*at + 4) == Some(&signature));
    let fits = |at: usize| at + 22 + usize::from(u16_at(tail, at + 20)) == tail.len();
    let newest = candidates.next()?;
    if fits(newest) {
        return Some(newest);
    }
    candidates.find(|at| fits(*at)).or(Some(newest))
}

fn one_file(this: u32, first: u32) -> Result<()> {
    if this == first { Ok(()) } else { Err(several_files()) }
}

fn several_files() -> Error {
    Error::unsupported("ZIP archives in several files are not supported")
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "`end_at` is not below the length: the written end was compared with it"
)]
fn directory(len: u64, offset: u64, entries: u64, end_at: u64, comment: Vec<u8>) -> Result<End> {
    let contradiction = || {
        Error::format("the end-of-directory record of the ZIP archive is inconsistent")
            .expected(format!("{entries} entries in {len} bytes before byte {end_at}"))
            .actual(format!("a directory at byte {offset}"))
    };
    let written_end = offset.checked_add(len).ok_or_else(contradiction)?;
    let shift = end_at.checked_sub(written_end).ok_or_else(contradiction)?;
    if entries.checked_mul(CENTRAL_LEN as u64).is_none_or(|least| least > len) {
        return Err(contradiction());
    }
    limits::within(len, limits::ARCHIVE_DIRECTORY_BYTES, "the directory of the ZIP archive")?;
    Ok(End { directory: end_at - len..end_at, entries, shift, comment })
}

/// An entry of the central directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CentralEntry<'a> {
    pub name: &'a [u8],
    pub flags: u16,
    pub method: u16,
    pub crc: u32,
    /// Length in the archive in bytes.
    pub stored: u64,
    /// Length of the value in bytes.
    pub size: u64,
    /// Offset of the local header, as the archive says.
    pub header: u64,
    /// Length of the extra field.
    pub extra_len: u16,
    /// Whether the writer's system has paths with backslashes.
    pub is_from_dos: bool,
    /// Length of the entry in the directory.
    pub len: usize,
}

impl<'a> CentralEntry<'a> {
    /// Reads the entry at the start of `bytes`; `None` if it is incomplete.
    ///
    /// # Errors
    /// `Format` if there is no entry.
    #[allow(clippy::arithmetic_side_effects, reason = "lengths of 16 bits")]
    pub fn read(bytes: &'a [u8]) -> Result<Option<Self>> {
        let damaged =
            |what: &str| Error::format(format!("the directory of the ZIP archive is damaged: {what}"));
        let Some(fixed) = bytes.get(..CENTRAL_LEN) else { return Ok(None) };
        if u32_at(fixed, 0) != CENTRAL_SIGNATURE {
            return Err(damaged("an entry does not begin with its signature"));
        }
        let (name_len, extra_len) = (usize::from(u16_at(fixed, 28)), usize::from(u16_at(fixed, 30)));
        let len = CENTRAL_LEN + name_len + extra_len + usize::from(u16_at(fixed, 32));
        let Some(whole) = bytes.get(..len) else { return Ok(None) };
        let (name, rest) = whole.split_at(CENTRAL_LEN).1.split_at(name_len);
        let mut entry = Self {
            name,
            flags: u16_at(fixed, 8),
            method: u16_at(fixed, 10),
            crc: u32_at(fixed, 16),
            stored: u64::from(u32_at(fixed, 20)),
            size: u64::from(u32_at(fixed, 24)),
            header: u64::from(u32_at(fixed, 42)),
            extra_len: u16_at(fixed, 30),
            is_from_dos: u16_at(fixed, 4) >> 8 == 0,
            len,
        };
        entry
            .widen(rest.get(..extra_len).unwrap_or_default())
            .ok_or_else(|| damaged("a ZIP64 field is too short"))?;
        Ok(Some(entry))
    }

    /// Reads the values that do not fit 32 bits from the ZIP64 extra field; `None` if the field is
    /// missing.
    fn widen(&mut self, extra: &[u8]) -> Option<()> {
        let mut field = zip64_field(extra);
        for value in [&mut self.size, &mut self.stored, &mut self.header] {
            if *value == u64::from(IN_ZIP64) {
                let Some(rest) = field else {
                    // The entry may have exactly this size, written by a program that does not know
                    // ZIP64. That cannot be distinguished from a damaged archive.
                    return None;
                };
                *value = u64_at(rest.get(..8)?, 0);
                field = rest.get(8..);
            }
        }
        Some(())
    }
}

fn zip64_field(mut extra: &[u8]) -> Option<&[u8]> {
    loop {
        let (id, len) = (u16_at(extra.get(..4)?, 0), usize::from(u16_at(extra, 2)));
        let (field, rest) = extra.get(4..)?.split_at_checked(len)?;
        if id == ZIP64_FIELD {
            return Some(field);
        }
        extra = rest;
    }
}

/// Lengths of the name and the extra field in the local header at the start of `bytes`, which have
/// at least [`LOCAL_LEN`] bytes.
///
/// # Errors
/// `Format` if there is no local header.
pub fn local_variable_len(bytes: &[u8]) -> Result<(u16, u16)> {
    if bytes.len() < 30 || u32_at(bytes, 0) != LOCAL_SIGNATURE {
        return Err(Error::format("an entry of the ZIP archive has no local header"));
    }
    Ok((u16_at(bytes, 26), u16_at(bytes, 28)))
}
