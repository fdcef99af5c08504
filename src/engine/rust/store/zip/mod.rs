//! A ZIP archive as a store. The archive is one value of another store and is read by ranges.
//! APPNOTE.TXT 6.3.10; `.ozx` archives as in RFC-9 of OME-NGFF.
//!
//! The directory at the archive's end is read when the first key is requested. If the archive says
//! that its metadata documents come first (`.ozx`), their entries are known before the rest of the
//! directory is read. A range of an uncompressed entry is a range of the archive. Whole values are
//! checked against their CRC-32; ranges are, once all of the entry has been read (`checksums`). A
//! deflated entry must be inflated whole, and the last one is cached for further ranges.
//!
//! Archives may be hostile: see `directory`. The store is read-only; [`write`] creates archives.

mod checksums;
mod directory;
mod inflate;
mod records;
#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
pub mod write;

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use zarr_wasm_http::{Subject, Value, WarningSink};

use checksums::Checksums;
use directory::{Directory, DirectoryReader, ZipEntry};
use futures_util::lock::Mutex;
use inflate::inflate;
use records::{LOCAL_LEN, TAIL_LEN, Tail};
use serde::Deserialize;

use super::{
    ByteRange, Changeable, Fetched, GetFuture, Listable, Listing, LocalFuture, Reader, RequestContext,
    SizeFuture, Store, at_key,
};
use crate::error::{Error, Result};
use crate::format::byte_range::len_of;
use crate::format::metadata::document::ZARR_JSON;
use crate::format::path::{NodePath, StoreKey};
use crate::format::tolerated::Form;
use crate::limits;
use crate::sorted::Map;

/// Sizes of the requests for the directory. Later requests are larger.
const STEPS: [u64; 3] = [256 << 10, 1 << 20, 4 << 20];

/// Extra bytes that are read with an entry, in case its local header is longer than expected.
const SLACK: u64 = 64;

/// Maximum size of an inflated value that is cached for further ranges.
const CACHED_BYTES: u64 = 64 << 20;

/// A ZIP archive. See the module.
pub struct ZipStore {
    archive: Rc<dyn Store>,
    key: StoreKey,
    on_warning: Option<WarningSink>,
    /// See [`with_raw_names`](Self::with_raw_names).
    raw_names: bool,
    directory: RefCell<Option<Rc<Directory>>>,
    /// Reads the directory. Knows the first documents before the directory is complete.
    reader: RefCell<Option<DirectoryReader>>,
    /// Held by the task that reads the directory.
    turn: Mutex<()>,
    /// The end of the archive, and its offset.
    tail: RefCell<Option<(u64, Value)>>,
    /// The whole archive, if it is small or cannot be read by ranges.
    whole: RefCell<Option<Value>>,
    /// The version tag of the archive.
    version: RefCell<Option<String>>,
    /// For each local header that was read, where the entry's bytes begin.
    data_starts: RefCell<Map<u64, u64>>,
    /// The last inflated value, and the offset of its local header.
    inflated: RefCell<Option<(u64, Value)>>,
    checksums: RefCell<Checksums>,
}

impl ZipStore {
    /// The archive under a key of a store.
    pub fn new(archive: Rc<dyn Store>, key: StoreKey, on_warning: Option<WarningSink>) -> Self {
        Self {
            archive,
            key,
            on_warning,
            raw_names: false,
            directory: RefCell::default(),
            reader: RefCell::default(),
            turn: Mutex::new(()),
            tail: RefCell::default(),
            whole: RefCell::default(),
            version: RefCell::default(),
            data_starts: RefCell::default(),
            inflated: RefCell::default(),
            checksums: RefCell::default(),
        }
    }

    /// Keeps the names of the entries, also if all are in one folder.
    #[must_use]
    pub fn with_raw_names(self, raw_names: bool) -> Self {
        Self { raw_names, ..self }
    }

    fn warn(&self, warning: &str) {
        if let Some(on_warning) = &self.on_warning {
            on_warning(warning);
        }
    }

    /// A range of the archive, complete.
    async fn read(&self, range: Range<u64>) -> Result<Value> {
        let want = len_of(&range);
        if want == 0 {
            return Ok(Value::from(Vec::new()));
        }
        if let Some(value) = self.at_hand(&range) {
            return value;
        }
        let asked = ByteRange::At { offset: range.start, len: want };
        let fetched = self.ask(asked).await?;
        if fetched.value.len() == want {
            return Ok(fetched.value);
        }
        Err(Error::store("the archive is shorter than its directory says, or has changed")
            .at_range(range.start, want)
            .actual(format!("{} bytes", fetched.value.len())))
    }

    /// The range, if it was read before.
    fn at_hand(&self, range: &Range<u64>) -> Option<Result<Value>> {
        if let Some(whole) = &*self.whole.borrow() {
            return Some(whole.slice(range.clone()));
        }
        let tail = self.tail.borrow();
        let (start, tail) = tail.as_ref()?;
        let from = range.start.checked_sub(*start)?;
        let to = range.end.checked_sub(*start).filter(|to| *to <= tail.len())?;
        Some(tail.slice(from..to))
    }

    async fn ask(&self, range: ByteRange) -> Result<Fetched> {
        self.ask_for(range, None).await
    }

    async fn ask_for(&self, range: ByteRange, reader: Option<Rc<Reader>>) -> Result<Fetched> {
        // A part of the archive is read like a chunk, so a refusal means the same as for a chunk.
        let context = RequestContext { subject: Subject::Chunk, reader, ..RequestContext::default() };
        let fetched = self.archive.get(&self.key, range, &context).await?;
        let fetched = fetched.ok_or_else(|| {
            Error::not_found(format!("the archive does not exist: {}", self.archive.describe()))
        })?;
        let mut version = self.version.borrow_mut();
        match (&*version, &fetched.version) {
            (Some(before), Some(now)) if before != now => {
                return Err(Error::store(
                    "the archive has changed since its directory was read; open it again",
                ));
            }
            (None, Some(now)) => *version = Some(now.clone()),
            _ => {}
        }
        Ok(fetched)
    }

    /// Reads the end of the archive and finds the directory.
    async fn begin(&self) -> Result<DirectoryReader> {
        // If the whole archive comes in place of its end, it is not requested again.
        let reader = Some(Rc::new(Reader::begin()));
        let fetched = self.ask_for(ByteRange::Last(TAIL_LEN), reader.clone()).await?;
        let size = match fetched.size {
            Some(size) => size,
            None => self.size_of_archive(fetched.value.len()).await?,
        };
        if fetched.value.len() < size && !self.archive.reads_parts() {
            let whole = self.ask_for(ByteRange::Whole, reader).await?.value;
            *self.whole.borrow_mut() = Some(whole);
        }
        let start = size.checked_sub(fetched.value.len()).ok_or_else(|| {
            Error::store("the reported size of the archive is smaller than its end")
                .actual(format!("{size} bytes"))
        })?;
        let bytes = fetched.value.to_vec(TAIL_LEN, "the end of the archive")?;
        if start == 0 {
            *self.whole.borrow_mut() = Some(fetched.value.clone());
        }
        *self.tail.borrow_mut() = Some((start, fetched.value));
        let end = match records::read_tail(&bytes, start, None)? {
            Tail::Complete(end) => end,
            Tail::End64At(at) => {
                let record = self.read(at..at.saturating_add(records::END64_LEN)).await?;
                let record = record.to_vec(records::END64_LEN, "ZIP64 end record")?;
                match records::read_tail(&bytes, start, Some(&record))? {
                    Tail::Complete(end) => end,
                    Tail::End64At(_) => {
                        return Err(Error::format("the ZIP64 end record is missing"));
                    }
                }
            }
        };
        let documents_first = says_documents_first(&end.comment);
        Ok(DirectoryReader::new(end, documents_first))
    }

    async fn size_of_archive(&self, tail: u64) -> Result<u64> {
        if tail < TAIL_LEN {
            return Ok(tail);
        }
        let context = RequestContext { subject: Subject::Chunk, ..RequestContext::default() };
        let size = self.archive.size(&self.key, &context).await?;
        size.ok_or_else(|| Error::store("the server does not tell the size of the archive"))
    }

    /// The entry of a key, as far as it is known. `None` if more of the directory must be read.
    fn known(&self, key: &StoreKey) -> Option<Option<ZipEntry>> {
        if let Some(directory) = &*self.directory.borrow() {
            return Some(directory.find(key).cloned());
        }
        self.reader.borrow().as_ref()?.known(key)
    }

    async fn find(&self, key: &StoreKey) -> Result<Option<ZipEntry>> {
        loop {
            if let Some(known) = self.known(key) {
                return Ok(known);
            }
            let _turn = self.turn.lock().await;
            if self.known(key).is_none() {
                self.read_on().await?;
            }
        }
    }

    /// The whole directory.
    async fn directory(&self) -> Result<Rc<Directory>> {
        loop {
            if let Some(directory) = &*self.directory.borrow() {
                return Ok(directory.clone());
            }
            let _turn = self.turn.lock().await;
            if self.directory.borrow().is_none() {
                self.read_on().await?;
            }
        }
    }

    /// Reads the next part of the directory. If it fails or is dropped, nothing changes.
    #[allow(clippy::arithmetic_side_effects, reason = "the reader is inside of the directory")]
    async fn read_on(&self) -> Result<()> {
        if self.reader.borrow().is_none() {
            let reader = self.begin().await?;
            *self.reader.borrow_mut() = Some(reader);
        }
        let piece = self.reader.borrow().as_ref().and_then(|reader| {
            let (at, end) = (reader.next()?, reader.end().directory.clone());
            let step = STEPS.into_iter().find(|step| at - end.start < *step).unwrap_or(STEPS[2]);
            Some(at..at.saturating_add(step).min(end.end))
        });
        if let Some(piece) = piece {
            let len = len_of(&piece);
            let bytes = self.read(piece).await?.to_vec(len, "a piece of the archive's directory")?;
            let mut reader = self.reader.borrow_mut();
            if let Some(Err(error)) = reader.as_mut().map(|reader| reader.take(&bytes)) {
                // A part of an entry may have been taken, so the next call begins again.
                *reader = None;
                return Err(error);
            }
        }
        let is_read = self.reader.borrow().as_ref().is_some_and(|reader| reader.next().is_none());
        if is_read && let Some(reader) = self.reader.take() {
            let is_ome = says_ome(&reader.end().comment);
            let directory = reader.finish(self.raw_names)?;
            self.check_ome(is_ome, &directory)?;
            *self.directory.borrow_mut() = Some(Rc::new(directory));
            *self.tail.borrow_mut() = None;
        }
        Ok(())
    }

    /// Warns about breaches of RFC-9 that do not prevent reading.
    fn check_ome(&self, is_ome: bool, directory: &Directory) -> Result<()> {
        if is_ome && directory.find(&StoreKey::parse(ZARR_JSON)?).is_none() {
            self.warn(&Form::ZipRootless.warning("the archive"));
        }
        Ok(())
    }

    /// A whole entry of at most `most` bytes, checked.
    async fn value(&self, entry: &ZipEntry, most: u64) -> Result<Value> {
        entry.check()?;
        limits::within(entry.size, most, "an entry of the ZIP archive")?;
        let kept = self.inflated.borrow().as_ref().filter(|(header, _)| *header == entry.header).cloned();
        if let Some((_, value)) = kept {
            return Ok(value);
        }
        let stored = self.stored_bytes(entry).await?;
        let value = if entry.is_stored() { stored } else { inflate(entry, &stored)? };
        checksums::check(entry, &value)?;
        if !entry.is_stored() && entry.size <= CACHED_BYTES {
            *self.inflated.borrow_mut() = Some((entry.header, value.clone()));
        }
        Ok(value)
    }

    /// The bytes of an entry as they are in the archive. Needs one request, unless the local header
    /// is unusually long.
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "the directory refuses entries that end above 2^64, `learn_start` those past their limit"
    )]
    async fn stored_bytes(&self, entry: &ZipEntry) -> Result<Value> {
        let known = self.data_starts.borrow().get(&entry.header).copied();
        if let Some(start) = known {
            return self.read(start..start + entry.stored).await;
        }
        let least = LOCAL_LEN + u64::from(entry.name_len) + entry.stored;
        let guess = (entry.header + least).saturating_add(u64::from(entry.extra_len) + SLACK);
        let limit = self.limit_of(entry).unwrap_or(guess);
        let span = entry.header..guess.min(limit).max(entry.header + least);
        let value = self.read(span.clone()).await?;
        let start = self.learn_start(entry, &value)?;
        let end = start + entry.stored;
        if end <= span.end {
            return value.slice(start - entry.header..end - entry.header);
        }
        self.read(start..end).await
    }

    /// The first byte behind an entry that may belong to another. The entry must end before it.
    fn limit_of(&self, entry: &ZipEntry) -> Option<u64> {
        let directory = self.directory.borrow();
        let reader = self.reader.borrow();
        let whole = directory.as_ref().map(|directory| directory.limit_of(entry));
        whole.or_else(|| reader.as_ref().map(|reader| reader.end().directory.start))
    }

    /// Where an entry's bytes begin, according to the local header at the start of `value`.
    #[allow(clippy::arithmetic_side_effects, reason = "lengths of 16 bits")]
    fn learn_start(&self, entry: &ZipEntry, value: &Value) -> Result<u64> {
        let header = value.slice(0..LOCAL_LEN.min(value.len()))?.to_vec(LOCAL_LEN, "local header")?;
        let (name_len, extra_len) = records::local_variable_len(&header)?;
        let start = entry.header.saturating_add(LOCAL_LEN + u64::from(name_len) + u64::from(extra_len));
        let is_inside = self.limit_of(entry).is_none_or(|limit| start.saturating_add(entry.stored) <= limit);
        if name_len != entry.name_len || !is_inside {
            return Err(Error::format("the local header of an entry contradicts the archive's directory"));
        }
        self.data_starts.borrow_mut().insert(entry.header, start);
        Ok(start)
    }

    /// A range of an uncompressed entry. Its header is requested at the same time, because most
    /// writers leave no gap between an entry and the next, so that the start can be guessed.
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "the directory refuses entries that end above 2^64, `learn_start` those past their limit"
    )]
    async fn stored_range(&self, entry: &ZipEntry, range: Range<u64>) -> Result<Value> {
        entry.check()?;
        let known = self.data_starts.borrow().get(&entry.header).copied();
        let at = |start: u64| start + range.start..start + range.end;
        if let Some(start) = known {
            return self.read(at(start)).await;
        }
        let guess = self.guess_start(entry);
        let header = entry.header..entry.header + LOCAL_LEN;
        let (header, value) = futures_util::future::try_join(self.read(header), self.read(at(guess))).await?;
        let start = self.learn_start(entry, &header)?;
        if start == guess { Ok(value) } else { self.read(at(start)).await }
    }

    #[allow(clippy::arithmetic_side_effects, reason = "the directory refuses entries that end above 2^64")]
    fn guess_start(&self, entry: &ZipEntry) -> u64 {
        let least = entry.header + LOCAL_LEN + u64::from(entry.name_len);
        let by_limit = self.limit_of(entry).and_then(|limit| limit.checked_sub(entry.stored));
        let is_whole = self.directory.borrow().is_some() && !entry.has_descriptor();
        let by_limit = by_limit
            .filter(|start| is_whole && (least..=least.saturating_add(u16::MAX.into())).contains(start));
        // Without a known limit, guesses the lowest start: a request must not exceed the end of the
        // archive.
        by_limit.unwrap_or(least)
    }

    async fn read_entry(&self, key: &StoreKey, range: ByteRange, most: u64) -> Result<Option<Fetched>> {
        let Some(entry) = self.find(key).await? else { return Ok(None) };
        let part = range.of(entry.size).ok_or_else(|| range.past_end(Some(entry.size)))?;
        let version = self.version.borrow().clone();
        let value = if range == ByteRange::Whole || !entry.is_stored() {
            self.value(&entry, most).await?.slice(part)?
        } else {
            let value = self.stored_range(&entry, part.clone()).await?;
            self.checksums.borrow_mut().take(&entry, part.start, &value)?;
            value
        };
        Ok(Some(Fetched { value, size: Some(entry.size), version, modified: None }))
    }
}

/// The comment of an RFC-9 archive.
#[derive(Deserialize)]
struct Comment {
    ome: OmeComment,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OmeComment {
    #[serde(default)]
    zip_file: ZipFileComment,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ZipFileComment {
    #[serde(default)]
    central_directory: CentralDirectoryComment,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CentralDirectoryComment {
    #[serde(default)]
    json_first: bool,
}

fn says_ome(comment: &[u8]) -> bool {
    serde_json::from_slice::<Comment>(comment).is_ok()
}

fn says_documents_first(comment: &[u8]) -> bool {
    serde_json::from_slice::<Comment>(comment)
        .is_ok_and(|comment| comment.ome.zip_file.central_directory.json_first)
}

impl Store for ZipStore {
    fn describe(&self) -> String {
        format!("the archive {}", self.archive.describe())
    }

    fn roots(&self) -> Vec<NodePath> {
        self.directory.borrow().as_ref().map(|directory| directory.roots()).unwrap_or_default()
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        Box::pin(at_key(key, async move { self.read_entry(key, range.check()?, context.body_limit()).await }))
    }

    fn size<'a>(&'a self, key: &'a StoreKey, _context: &'a RequestContext) -> SizeFuture<'a> {
        Box::pin(async move { Ok(self.find(key).await?.map(|entry| entry.size)) })
    }

    fn reads_parts(&self) -> bool {
        true
    }

    fn as_listable(&self) -> Option<&dyn Listable> {
        Some(self)
    }

    fn as_changeable(&self) -> Option<&dyn Changeable> {
        Some(self)
    }
}

impl Changeable for ZipStore {
    fn is_cacheable(&self) -> bool {
        self.archive.is_cacheable()
    }
}

impl Listable for ZipStore {
    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        Box::pin(async move { self.directory().await?.list_dir(prefix) })
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        Box::pin(async move { self.directory().await?.list_prefix(prefix) })
    }
}
