//! The central directory of an archive. It is read in parts of any length, then checked as a whole.
//!
//! Overlapping entries are rejected, because ZIP bombs use them to inflate one stream many times.
//! So are names that lead out of the archive. Entries whose names contain NUL are not found: other
//! programs cut such names. An archive that contains a single folder is read as if it were an
//! archive of the folder's content.

use std::collections::{BTreeMap, BTreeSet};

use super::records::{CentralEntry, End, LOCAL_LEN};
use crate::error::{Error, Result};
use crate::format::metadata::document::{ZARR_JSON, ZARRAY, ZATTRS, ZGROUP};
use crate::format::path::{NodePath, StoreKey};
use crate::limits;
use crate::quoted::quoted;
use crate::store::Listing;
use crate::store::key_table::{KeyTable, below};

/// Documents that mark the root of a hierarchy.
const ROOT_DOCUMENTS: [&str; 5] = [ZARR_JSON, ZGROUP, ZARRAY, ZATTRS, ".zmetadata"];

/// The best compression ratio of DEFLATE.
const BEST_RATIO: u64 = 1032;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;
const ENCRYPTED: u16 = 1;
const DESCRIPTOR: u16 = 1 << 3;

/// A value in the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZipEntry {
    /// Offset of its local header.
    pub header: u64,
    /// Length in the archive in bytes.
    pub stored: u64,
    /// Length of the value in bytes.
    pub size: u64,
    pub crc: u32,
    pub name_len: u16,
    /// Length of the extra field in the directory. The field in the local header often has the same
    /// length.
    pub extra_len: u16,
    pub method: u16,
    pub flags: u16,
}

impl ZipEntry {
    fn new(central: &CentralEntry<'_>, shift: u64) -> Option<Self> {
        let CentralEntry { stored, size, crc, extra_len, method, flags, .. } = *central;
        let header = central.header.checked_add(shift)?;
        let name_len = u16::try_from(central.name.len()).ok()?;
        Some(Self { header, stored, size, crc, name_len, extra_len, method, flags })
    }

    /// The lowest possible end of the entry.
    fn least_end(&self) -> Option<u64> {
        self.header.checked_add(LOCAL_LEN + u64::from(self.name_len))?.checked_add(self.stored)
    }

    /// Whether the entry is not compressed.
    pub fn is_stored(&self) -> bool {
        self.method == STORED
    }

    /// Whether a data descriptor follows the entry.
    pub fn has_descriptor(&self) -> bool {
        self.flags & DESCRIPTOR != 0
    }

    /// Checks that the entry can be read.
    ///
    /// # Errors
    /// `Unsupported` for encryption and unknown compression methods; `Format` for impossible sizes.
    pub fn check(&self) -> Result<()> {
        if self.flags & ENCRYPTED != 0 {
            return Err(Error::unsupported("the entry of the ZIP archive is encrypted"));
        }
        let most = match self.method {
            STORED => self.stored,
            DEFLATED => self.stored.saturating_mul(BEST_RATIO).saturating_add(BEST_RATIO),
            method => {
                let error =
                    Error::unsupported("the entry of the ZIP archive uses an unsupported compression method");
                return Err(error
                    .expected("method 0 (stored) or 8 (deflated)")
                    .actual(format!("method {method}")));
            }
        };
        // DEFLATE adds a few bytes to what it cannot compress.
        let is_padded = self.stored > self.size.saturating_mul(2).saturating_add(limits::BODY_SLACK);
        if self.size > most || is_padded || (self.method == STORED && self.size != self.stored) {
            return Err(Error::format("the sizes of an entry of the ZIP archive contradict each other")
                .actual(format!("{} stored bytes for a value of {} bytes", self.stored, self.size)));
        }
        Ok(())
    }
}

/// Reads a directory in parts.
#[derive(Debug)]
pub struct DirectoryReader {
    end: End,
    /// Bytes of an incomplete entry.
    rest: Vec<u8>,
    /// Number of bytes of the directory that were read.
    read: u64,
    /// Number of entries that were read.
    seen: u64,
    table: KeyTable<ZipEntry>,
    /// Start and lowest end of each entry, including folders.
    spans: Vec<(u64, u64)>,
    /// The metadata documents so far, if the archive says that they come first.
    first_documents: Option<BTreeMap<String, ZipEntry>>,
    /// Whether another entry has followed the documents.
    documents_ended: bool,
}

impl DirectoryReader {
    pub fn new(end: End, documents_first: bool) -> Self {
        let first_documents = documents_first.then(BTreeMap::new);
        Self {
            end,
            rest: Vec::new(),
            read: 0,
            seen: 0,
            table: KeyTable::default(),
            spans: Vec::new(),
            first_documents,
            documents_ended: false,
        }
    }

    pub fn end(&self) -> &End {
        &self.end
    }

    /// Offset in the archive of the next byte of the directory to read; `None` at its end.
    #[allow(clippy::arithmetic_side_effects, reason = "no more was read than the directory has")]
    pub fn next(&self) -> Option<u64> {
        let at = self.end.directory.start + self.read;
        (at < self.end.directory.end).then_some(at)
    }

    /// The entry of a key, if the documents at the beginning of the directory tell. `None` if only
    /// the whole directory can tell.
    pub fn known(&self, key: &StoreKey) -> Option<Option<ZipEntry>> {
        let documents = self.first_documents.as_ref()?;
        let name = key.as_str().rsplit('/').next().unwrap_or_default();
        match documents.get(key.as_str()) {
            Some(entry) => Some(Some(entry.clone())),
            // Without a document at the root, the archive may contain a single folder.
            None if name == ZARR_JSON && self.documents_ended && documents.contains_key(ZARR_JSON) => {
                Some(None)
            }
            None => None,
        }
    }

    /// Takes the next bytes of the directory.
    ///
    /// # Errors
    /// `Format` for a damaged directory, and for names that lead out of the archive.
    #[allow(clippy::arithmetic_side_effects, reason = "lengths of bytes that are in memory")]
    pub fn take(&mut self, bytes: &[u8]) -> Result<()> {
        self.read += bytes.len() as u64;
        let mut rest = std::mem::take(&mut self.rest);
        rest.extend_from_slice(bytes);
        let mut at = 0;
        while let Some(central) = CentralEntry::read(rest.get(at..).unwrap_or_default()).or_else(|error| {
            // Some writers append a signature to the directory. Bytes behind the last entry are
            // ignored.
            if self.seen >= self.end.entries { Ok(None) } else { Err(error) }
        })? {
            self.add(&central)?;
            at += central.len;
        }
        rest.drain(..at);
        self.rest = rest;
        Ok(())
    }

    fn add(&mut self, central: &CentralEntry<'_>) -> Result<()> {
        self.seen = self.seen.saturating_add(1);
        let name = name_of(central);
        let entry = ZipEntry::new(central, self.end.shift);
        let span = entry.as_ref().and_then(|entry| Some((entry.header, entry.least_end()?)));
        let (Some(entry), Some(span)) = (entry, span) else { return Err(overlap(&name)) };
        self.spans.push(span);
        if name.ends_with('/') || name.is_empty() || name.contains('\0') {
            return Ok(());
        }
        if StoreKey::parse(&name).is_err() {
            return Err(Error::format("a name in the ZIP archive leads out of it, or is not a valid key")
                .actual(quoted(&name)));
        }
        let is_document = name.rsplit('/').next() == Some(ZARR_JSON);
        match &mut self.first_documents {
            Some(documents) if is_document && !self.documents_ended => {
                documents.insert(name.clone(), entry.clone());
            }
            _ => self.documents_ended = true,
        }
        self.table.push(&name, entry)
    }

    /// The directory, after all of it was read. With `raw`, its names are those of the entries,
    /// also if all are in one folder.
    ///
    /// # Errors
    /// `Format` if there are fewer entries than announced, or if entries overlap.
    pub fn finish(mut self, raw: bool) -> Result<Directory> {
        // Without ZIP64, the number of entries is given modulo 2^16, so more entries are no error.
        if self.seen < self.end.entries {
            return Err(Error::format("the directory of the ZIP archive ends early")
                .expected(format!("{} entries", self.end.entries))
                .actual(self.seen.to_string()));
        }
        self.spans.sort_unstable();
        let limit = self.end.directory.start;
        let ends = self.spans.iter().map(|(_, end)| *end);
        let starts = self.spans.iter().skip(1).map(|(start, _)| *start).chain([limit]);
        if let Some((end, start)) = ends.zip(starts).find(|(end, start)| end > start) {
            return Err(overlap(&format!("one that ends at byte {end} and another at byte {start}")));
        }
        self.table.sort();
        let prefix = if raw { String::new() } else { folder_of(&self.table) };
        let mut starts: Vec<u64> = self.spans.into_iter().map(|(start, _)| start).collect();
        starts.shrink_to_fit();
        Ok(Directory { table: self.table, starts, end: limit, prefix })
    }
}

fn overlap(what: &str) -> Error {
    Error::format("entries of the ZIP archive overlap each other or its directory").actual(what)
}

/// The name of an entry as a key. It is decoded as UTF-8 even if the flag for UTF-8 is not set. DOS
/// backslashes become slashes, and `./` is dropped.
fn name_of(central: &CentralEntry<'_>) -> String {
    let mut name = String::from_utf8_lossy(central.name).into_owned();
    if central.is_from_dos && !name.contains('/') {
        name = name.replace('\\', "/");
    }
    name.strip_prefix("./").map(str::to_owned).unwrap_or(name)
}

/// The single folder of an archive, if a hierarchy begins in it and all entries are below it. Files
/// that operating systems add are ignored.
fn folder_of(table: &KeyTable<ZipEntry>) -> String {
    let Some((first, _)) = table.iter().find(|(key, _)| !is_systems(key)) else { return String::new() };
    let has_root = |prefix: &str| roots().any(|name| table.find(&format!("{prefix}{name}")).is_some());
    let ends = first.match_indices('/').map(|(slash, _)| slash.saturating_add(1));
    let folders = std::iter::once(0).chain(ends).filter_map(|end| first.get(..end));
    let Some(folder) = folders.into_iter().find(|folder| has_root(folder)) else { return String::new() };
    let is_alone = table.iter().all(|(key, _)| key.starts_with(folder) || is_systems(key));
    if is_alone { folder.to_owned() } else { String::new() }
}

/// The files that show where a hierarchy or an Icechunk repository begins.
fn roots() -> impl Iterator<Item = &'static str> {
    ROOT_DOCUMENTS.iter().copied().chain(["repo", "refs/branch.main/ref.json"])
}

/// Whether a key is a file that an operating system adds to folders.
fn is_systems(key: &str) -> bool {
    let name = key.rsplit('/').next().unwrap_or_default();
    key.starts_with("__MACOSX/")
        || name.starts_with("._")
        || [".DS_Store", "Thumbs.db", "desktop.ini"].contains(&name)
}

/// The whole directory of an archive.
#[derive(Debug)]
pub struct Directory {
    table: KeyTable<ZipEntry>,
    /// Offsets of the entries, sorted.
    starts: Vec<u64>,
    /// Offset of the directory, before which the last entry must end.
    end: u64,
    /// The single folder of the archive, with a slash; empty if there is none.
    prefix: String,
}

impl Directory {
    /// The entry of a key. The key is relative to the single folder, or the full name.
    pub fn find(&self, key: &StoreKey) -> Option<&ZipEntry> {
        let full = || self.table.find(&format!("{}{}", self.prefix, key.as_str()));
        let in_folder = if self.prefix.is_empty() { None } else { full() };
        in_folder.or_else(|| self.table.find(key.as_str()))
    }

    /// The first byte behind an entry that may belong to another.
    pub fn limit_of(&self, entry: &ZipEntry) -> u64 {
        let next = self.starts.partition_point(|start| *start <= entry.header);
        self.starts.get(next).copied().unwrap_or(self.end)
    }

    /// Paths where hierarchies begin, as full names.
    pub fn roots(&self) -> Vec<NodePath> {
        let folder = |(key, _): (&str, &ZipEntry)| {
            let (folder, name) = key.rsplit_once('/').unwrap_or(("", key));
            let is_root = ROOT_DOCUMENTS.contains(&name) && !is_systems(key);
            NodePath::from_normal(folder).filter(|_| is_root)
        };
        let folders: BTreeSet<NodePath> = self.table.iter().filter_map(folder).collect();
        let has_none_above = |path: &&NodePath| {
            let mut above = path.parent();
            while let Some(group) = above {
                if folders.contains(&group) {
                    return false;
                }
                above = group.parent();
            }
            true
        };
        folders.iter().filter(has_none_above).cloned().collect()
    }

    /// The direct children of a prefix.
    pub fn list_dir(&self, prefix: &NodePath) -> Result<Listing> {
        let Some(full) = self.full(prefix) else { return self.table.list_dir(prefix) };
        let Listing { keys, prefixes } = self.table.list_dir(&full)?;
        let seen = |path: &NodePath| NodePath::from_normal(path.as_str().strip_prefix(&self.prefix)?);
        Ok(Listing {
            keys: keys.iter().filter_map(|key| self.seen(key.as_str())).collect(),
            prefixes: prefixes.iter().filter_map(seen).collect(),
        })
    }

    /// All keys below a prefix.
    pub fn list_prefix(&self, prefix: &NodePath) -> Result<Vec<StoreKey>> {
        let Some(full) = self.full(prefix) else { return self.table.list_prefix(prefix) };
        Ok(self.table.keys_from(&below(&full)).filter_map(|key| self.seen(key)).collect())
    }

    /// The full name of a prefix, if it is below the single folder.
    fn full(&self, prefix: &NodePath) -> Option<NodePath> {
        let folder = NodePath::from_normal(self.prefix.strip_suffix('/')?)?;
        let full = folder.join(prefix);
        (prefix.is_root() || self.table.keys_from(&below(&full)).next().is_some()).then_some(full)
    }

    fn seen(&self, key: &str) -> Option<StoreKey> {
        StoreKey::parse(key.strip_prefix(&self.prefix)?).ok()
    }
}
