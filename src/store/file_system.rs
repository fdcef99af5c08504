//! The file system store of the specification (v3 drafts, "File system store (version 1.0)"): a key
//! is the path of a file below a base folder. It is for programs on a host; browsers have their own
//! folder stores.
//!
//! A value is written to a temporary file and renamed, so that an interrupted write leaves either
//! the old or the new bytes. Empty folders are removed with their last file. Links are followed
//! only within the base folder. All operations block the thread.

mod walk;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{ErrorKind as Io, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use super::{
    ByteRange, Capabilities, Fetched, KeyStartValue, Listing, LocalFuture, RequestContext, Store, Value,
};
use crate::error::{Error, Result};
use crate::format::path::{NodePath, StoreKey};
use crate::limits;
use crate::store::byte_range::len_of;
use crate::store::partial_values::{by_key, check_overlaps};

/// Prefix and suffix of temporary files. Such names are not keys.
const UNFINISHED: (&str, &str) = (".zarr-wasm-", ".unfinished");

/// Numbers the temporary files of this process.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A folder as a store. The folder is created by the first write.
#[derive(Clone, Debug)]
pub struct FileSystemStore {
    base: PathBuf,
}

impl FileSystemStore {
    /// A store of the files below a base folder.
    pub fn new(base: impl Into<PathBuf>) -> Self {
        Self { base: base.into() }
    }

    /// The base folder.
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// The path of a key: the specification's `key_to_fspath`.
    fn path(&self, key: &str) -> Result<PathBuf> {
        let mut path = self.base.clone();
        for name in key.split('/').filter(|name| !name.is_empty()) {
            let is_foreign = name.chars().any(|c| c == '\0' || std::path::is_separator(c))
                || (cfg!(windows) && name.contains(':'))
                || is_unfinished(OsStr::new(name));
            if is_foreign {
                return Err(Error::argument("a key contains a name that cannot be a file name")
                    .at_key(key)
                    .actual(format!("{name:?}")));
            }
            path.push(name);
            self.check_link(&path, key)?;
        }
        Ok(path)
    }

    /// Rejects a link that leads out of the base folder.
    fn check_link(&self, path: &Path, key: &str) -> Result<()> {
        let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        if !is_link || self.holds(path) {
            return Ok(());
        }
        Err(Error::store("a symbolic link leads out of the store's folder")
            .at_key(key)
            .actual(path.display().to_string()))
    }

    /// Whether a path leads into the base folder. A broken link does no harm.
    fn holds(&self, path: &Path) -> bool {
        match (path.canonicalize(), self.base.canonicalize()) {
            (Ok(path), Ok(base)) => path.starts_with(base),
            (Err(error), _) => error.kind() == Io::NotFound,
            (Ok(_), Err(_)) => false,
        }
    }

    /// Opens the file of a key. `None` if it is absent or a folder.
    fn open(&self, key: &StoreKey) -> Result<Option<(File, fs::Metadata)>> {
        let opened = File::open(self.path(key.as_str())?).and_then(|file| {
            let metadata = file.metadata()?;
            Ok((file, metadata))
        });
        match opened {
            Ok((_, metadata)) if metadata.is_dir() => Ok(None),
            Ok(opened) => Ok(Some(opened)),
            Err(error) if is_absence(&error) => Ok(None),
            // Windows refuses to open a folder.
            Err(_) if self.path(key.as_str())?.is_dir() => Ok(None),
            Err(error) => Err(failed("read", key, &error)),
        }
    }

    fn read(&self, key: &StoreKey, range: ByteRange) -> Result<Option<Fetched>> {
        let Some((mut file, metadata)) = self.open(key)? else { return Ok(None) };
        let size = metadata.len();
        let part = range.check()?.of(size).ok_or_else(|| range.past_end(Some(size)))?;
        let mut bytes = limits::zeroed(len_of(&part), limits::RESULT_BYTES, "value")?;
        let read = file.seek(SeekFrom::Start(part.start)).and_then(|_| file.read_exact(&mut bytes));
        read.map_err(|error| failed("read", key, &error))?;
        Ok(Some(Fetched { value: bytes.into(), size: Some(size), version: version(&metadata) }))
    }

    fn write(&self, key: &StoreKey, fill: impl Fn(&Path) -> Result<()>) -> Result<()> {
        let path = self.path(key.as_str())?;
        let parent = path.parent().unwrap_or(&self.base);
        if path.is_dir() && !walk::remove_if_empty(&path) {
            return Err(in_the_way(key, "a folder with values has this name"));
        }
        fs::create_dir_all(parent).map_err(|error| match error.kind() {
            Io::AlreadyExists | Io::NotADirectory => {
                in_the_way(key, "a value has the name of a folder of this key")
            }
            _ => failed("write", key, &error),
        })?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (before, after) = UNFINISHED;
        let unfinished = parent.join(format!("{before}{}-{number}{after}", std::process::id()));
        let written = fill(&unfinished)
            .and_then(|()| fs::rename(&unfinished, &path).map_err(|error| failed("write", key, &error)));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        written
    }

    fn write_parts(&self, key: &StoreKey, values: &[&KeyStartValue]) -> Result<()> {
        let old = self.path(key.as_str())?;
        self.write(key, |path| {
            if old.is_file() {
                fs::copy(&old, path).map_err(|error| failed("write", key, &error))?;
            }
            let open = fs::OpenOptions::new().write(true).create(true).truncate(false).open(path);
            let mut file = open.map_err(|error| failed("write", key, &error))?;
            let ends = values.iter().map(|value| Ok(value.range()?.end)).collect::<Result<Vec<_>>>()?;
            // The value also grows to the start of an empty range.
            let end = ends.into_iter().max().unwrap_or(0);
            let grown = file.metadata().and_then(|metadata| file.set_len(metadata.len().max(end)));
            grown.map_err(|error| failed("write", key, &error))?;
            for value in values {
                let bytes = value.value.to_vec(limits::RESULT_BYTES, "value")?;
                let put = file.seek(SeekFrom::Start(value.start)).and_then(|_| file.write_all(&bytes));
                put.map_err(|error| failed("write", key, &error))?;
            }
            Ok(())
        })
    }

    /// Deletes a file or folder, and parent folders that become empty.
    fn delete(&self, name: &str) -> Result<()> {
        let path = self.path(name)?;
        let removed = match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(&path),
            Ok(_) => fs::remove_file(&path),
            Err(error) => Err(error),
        };
        match removed {
            Err(error) if !is_absence(&error) => {
                return Err(Error::store(format!("cannot erase: {error}")).at_key(name));
            }
            _ => {}
        }
        let mut parent = path.parent();
        // Stops at the first folder that is not empty.
        while let Some(folder) =
            parent.filter(|folder| *folder != self.base && folder.starts_with(&self.base))
        {
            if fs::remove_dir(folder).is_err_and(|error| !is_absence(&error)) {
                break;
            }
            parent = folder.parent();
        }
        Ok(())
    }

    /// Deletes everything in a folder.
    fn delete_below(&self, prefix: &NodePath) -> Result<()> {
        let folder = self.path(prefix.as_str())?;
        if !prefix.is_root() {
            // A file of this name is not below the prefix.
            return if folder.is_dir() { self.delete(prefix.as_str()) } else { Ok(()) };
        }
        for name in walk::names(&folder)? {
            self.delete(&name)?;
        }
        Ok(())
    }
}

fn is_unfinished(name: &OsStr) -> bool {
    let (before, after) = UNFINISHED;
    name.to_str().is_some_and(|name| name.starts_with(before) && name.ends_with(after))
}

/// Whether nothing is there. This includes a file in place of a folder.
fn is_absence(error: &std::io::Error) -> bool {
    matches!(error.kind(), Io::NotFound | Io::NotADirectory)
}

fn failed(verb: &str, key: &StoreKey, error: &std::io::Error) -> Error {
    Error::store(format!("cannot {verb} a file: {error}")).at_key(key.as_str())
}

/// A file system cannot hold both `a` and `a/b`.
fn in_the_way(key: &StoreKey, what: &str) -> Error {
    Error::store(format!("the file system cannot store this key: {what}")).at_key(key.as_str())
}

/// A version tag. A write renames a new file into place, so the file number changes.
fn version(metadata: &fs::Metadata) -> Option<String> {
    let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    #[cfg(unix)]
    let file = std::os::unix::fs::MetadataExt::ino(metadata);
    #[cfg(not(unix))]
    let file = 0;
    Some(format!("{file:x}-{:x}-{:x}", since.as_nanos(), metadata.len()))
}

impl Store for FileSystemStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities { readable: true, partial: true, writable: true, listable: true }
    }

    fn describe(&self) -> String {
        self.base.display().to_string()
    }

    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        _context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Fetched>>> {
        Box::pin(async move { self.read(key, range).map_err(|error| error.at_key(key.as_str())) })
    }

    fn size<'a>(
        &'a self,
        key: &'a StoreKey,
        _context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<u64>>> {
        Box::pin(async move { Ok(self.open(key)?.map(|(_, metadata)| metadata.len())) })
    }

    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            let bytes = value.to_vec(limits::RESULT_BYTES, "value")?;
            self.write(key, |path| fs::write(path, &bytes).map_err(|error| failed("write", key, &error)))
        })
    }

    fn set_partial_values<'a>(&'a self, values: &'a [KeyStartValue]) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            check_overlaps(values)?;
            for group in by_key(values.iter().map(|value| &value.key)) {
                let values: Vec<&KeyStartValue> =
                    group.places.iter().filter_map(|place| values.get(*place)).collect();
                self.write_parts(group.key, &values)?;
            }
            Ok(())
        })
    }

    /// The specification's `delete`: of a file, or of a folder with its content.
    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move { self.delete(key.as_str()) })
    }

    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        Box::pin(async move { self.list_folder(prefix) })
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        Box::pin(async move { self.walk(prefix) })
    }

    fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move { self.delete_below(prefix) })
    }
}
