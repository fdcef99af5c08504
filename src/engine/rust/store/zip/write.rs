//! Creates an archive: the records before, between and behind the values. Values are not
//! compressed, because chunks already are, and because ranges of uncompressed entries can be read.
//! ZIP64 records are used where sizes need them. Metadata documents come first, as in RFC-9 of
//! OME-NGFF.
//!
//! The code is pure. It takes sizes and checksums and returns the records; the caller puts the
//! values between them.

use std::cmp::Reverse;

use super::records::{
    CENTRAL_SIGNATURE, END_SIGNATURE, END64_SIGNATURE, IN_ZIP64, LOCAL_SIGNATURE, LOCATOR_SIGNATURE,
    ZIP64_FIELD,
};
use crate::error::{Error, Result};
use crate::format::json::text::string;
use crate::format::metadata::document::ZARR_JSON;
use crate::format::path::StoreKey;
use crate::limits;
use crate::quoted::quoted;

/// The first day of DOS. A constant date makes archives of equal values equal.
const DATE: u16 = 0x21;
/// The flag for names in UTF-8.
const UTF8: u16 = 1 << 11;
const VERSION: u16 = 20;
const VERSION_OF_ZIP64: u16 = 45;
/// A regular file that everyone may read, in Unix notation.
const ATTRIBUTES: u32 = 0o100_644 << 16;
const UNIX: u16 = 3 << 8;

/// A value to archive.
#[derive(Clone, Debug)]
pub struct NewEntry {
    /// Its name.
    pub key: StoreKey,
    /// Its length in bytes.
    pub size: u64,
    /// Its CRC-32.
    pub crc: u32,
}

/// The records of an archive.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    /// The order of the entries, as indexes into the list of entries.
    pub order: Vec<usize>,
    /// The local header of each entry, in that order.
    pub headers: Vec<Vec<u8>>,
    /// The records behind the last value.
    pub end: Vec<u8>,
}

/// Plans an archive with a comment.
///
/// # Errors
/// `Limit` for names and comments that are too long, and for archives above 2^64 bytes; `Argument`
/// for a name that contains NUL, at which other programs cut it.
pub fn layout(entries: &[NewEntry], comment: &str) -> Result<Layout> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|at| entries.get(*at).map(|entry| rank(&entry.key)));
    let (mut headers, mut directory, mut offset) = (Vec::new(), Vec::new(), 0_u64);
    for entry in order.iter().filter_map(|at| entries.get(*at)) {
        if entry.key.as_str().contains('\0') {
            let error = Error::argument("the names of an archive must not contain NUL");
            return Err(error.actual(quoted(entry.key.as_str())));
        }
        let header = local(entry)?;
        central(entry, offset, &mut directory)?;
        let total = offset.checked_add(header.len() as u64).and_then(|sum| sum.checked_add(entry.size));
        offset = total.ok_or_else(|| limits::exceeded("an archive", u64::MAX, u64::MAX))?;
        headers.push(header);
    }
    let mut end = directory;
    close(&mut end, entries.len() as u64, offset, comment)?;
    Ok(Layout { order, headers, end })
}

/// The comment of an OME-Zarr archive, which says that its documents come first.
pub fn ome_comment(version: &str) -> String {
    format!(
        r#"{{"ome":{{"version":{},"zipFile":{{"centralDirectory":{{"jsonFirst":true}}}}}}}}"#,
        string(version)
    )
}

/// The order of the entries: metadata documents first, breadth first from the root; then all others
/// in the given order.
fn rank(key: &StoreKey) -> (Reverse<bool>, usize, Option<&str>) {
    let key = key.as_str();
    let is_document = key.rsplit('/').next() == Some(ZARR_JSON);
    match is_document {
        true => (Reverse(true), key.split('/').count(), Some(key)),
        false => (Reverse(false), 0, None),
    }
}

fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(IN_ZIP64)
}

fn is_large(value: u64) -> bool {
    value >= u64::from(IN_ZIP64)
}

fn short(len: usize, what: &str) -> Result<u16> {
    u16::try_from(len).map_err(|_| limits::exceeded(what, len as u64, u64::from(u16::MAX)))
}

fn put16(out: &mut Vec<u8>, values: &[u16]) {
    values.iter().for_each(|value| out.extend(value.to_le_bytes()));
}

fn put32(out: &mut Vec<u8>, values: &[u32]) {
    values.iter().for_each(|value| out.extend(value.to_le_bytes()));
}

fn put64(out: &mut Vec<u8>, values: &[u64]) {
    values.iter().for_each(|value| out.extend(value.to_le_bytes()));
}

/// The ZIP64 extra field with these values; empty if there are none.
fn zip64(values: &[u64]) -> Result<Vec<u8>> {
    let mut field = Vec::new();
    if !values.is_empty() {
        put16(&mut field, &[ZIP64_FIELD, short(values.len().saturating_mul(8), "ZIP64 field")?]);
        put64(&mut field, values);
    }
    Ok(field)
}

/// Writes the fields that both headers share: version, flags, method, time, date, checksum, sizes,
/// and the lengths of name and extra field.
fn shared(out: &mut Vec<u8>, entry: &NewEntry, extra: &[u8]) -> Result<()> {
    let version = if extra.is_empty() { VERSION } else { VERSION_OF_ZIP64 };
    let flags = if entry.key.as_str().is_ascii() { 0 } else { UTF8 };
    put16(out, &[version, flags, 0, 0, DATE]);
    put32(out, &[entry.crc, narrow(entry.size), narrow(entry.size)]);
    let name_len = short(entry.key.as_str().len(), "a name in an archive")?;
    put16(out, &[name_len, short(extra.len(), "an extra field")?]);
    Ok(())
}

fn local(entry: &NewEntry) -> Result<Vec<u8>> {
    let extra = if is_large(entry.size) { zip64(&[entry.size, entry.size])? } else { Vec::new() };
    let mut out = Vec::with_capacity(entry.key.as_str().len().saturating_add(extra.len()).saturating_add(30));
    put32(&mut out, &[LOCAL_SIGNATURE]);
    shared(&mut out, entry, &extra)?;
    out.extend(entry.key.as_str().as_bytes());
    out.extend(extra);
    Ok(out)
}

fn central(entry: &NewEntry, offset: u64, out: &mut Vec<u8>) -> Result<()> {
    let size = if is_large(entry.size) { vec![entry.size, entry.size] } else { Vec::new() };
    let values: Vec<u64> = size.into_iter().chain(is_large(offset).then_some(offset)).collect();
    let extra = zip64(&values)?;
    put32(out, &[CENTRAL_SIGNATURE]);
    put16(out, &[UNIX | VERSION_OF_ZIP64]);
    shared(out, entry, &extra)?;
    put16(out, &[0, 0, 0]);
    put32(out, &[ATTRIBUTES, narrow(offset)]);
    out.extend(entry.key.as_str().as_bytes());
    out.extend(extra);
    Ok(())
}

#[allow(clippy::arithmetic_side_effects, reason = "the size of an archive that was written")]
fn close(out: &mut Vec<u8>, entries: u64, offset: u64, comment: &str) -> Result<()> {
    let len = out.len() as u64;
    if entries >= u64::from(u16::MAX) || is_large(offset) || is_large(len) {
        put32(out, &[END64_SIGNATURE]);
        put64(out, &[44]);
        put16(out, &[UNIX | VERSION_OF_ZIP64, VERSION_OF_ZIP64]);
        put32(out, &[0, 0]);
        put64(out, &[entries, entries, len, offset]);
        put32(out, &[LOCATOR_SIGNATURE, 0]);
        put64(out, &[offset + len]);
        put32(out, &[1]);
    }
    let count = u16::try_from(entries).unwrap_or(u16::MAX);
    put32(out, &[END_SIGNATURE]);
    put16(out, &[0, 0, count, count]);
    put32(out, &[narrow(len), narrow(offset)]);
    put16(out, &[short(comment.len(), "the comment of an archive")?]);
    out.extend(comment.as_bytes());
    Ok(())
}
