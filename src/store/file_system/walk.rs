//! Listings: converts paths into keys (the specification's `fspath_to_key`).
//!
//! Names that are not valid Unicode are skipped. A link to a folder is followed, unless it leads to
//! a folder above it.

use std::fs;
use std::path::{Path, PathBuf};

use super::{FileSystemStore, is_absence, is_unfinished};
use crate::error::{Error, Result};
use crate::format::path::{NodePath, StoreKey};
use crate::store::Listing;

/// What a name in a folder refers to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
}

/// The names in a folder, sorted. Empty if there is no folder.
pub(super) fn names(folder: &Path) -> Result<Vec<String>> {
    let failed = |error: std::io::Error| Error::store(format!("cannot list {}: {error}", folder.display()));
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_absence(&error) => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(failed)?.file_name();
        if !is_unfinished(&name) {
            names.extend(name.into_string().ok());
        }
    }
    names.sort();
    Ok(names)
}

/// Removes a folder that contains only empty folders. Returns whether it did.
pub(super) fn remove_if_empty(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    let is_removed = |entry: std::io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| {
            entry.file_type().is_ok_and(|kind| kind.is_dir()) && remove_if_empty(&entry.path())
        })
    };
    entries.into_iter().all(is_removed) && fs::remove_dir(folder).is_ok()
}

impl FileSystemStore {
    fn kind(&self, path: &Path) -> Option<Kind> {
        let metadata = fs::symlink_metadata(path).ok()?;
        let metadata = match metadata.is_symlink() {
            true => fs::metadata(path).ok().filter(|_| self.holds(path))?,
            false => metadata,
        };
        match (metadata.is_dir(), metadata.is_file()) {
            (true, _) => Some(Kind::Folder),
            (_, true) => Some(Kind::File),
            // Sockets and devices are not values.
            _ => None,
        }
    }

    /// The files and folders in a folder, without links that lead to a folder above.
    fn children(&self, folder: &Path) -> Result<Vec<(String, PathBuf, Kind)>> {
        let child = |name: String| {
            let path = folder.join(&name);
            let kind = self.kind(&path)?;
            let is_link = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink());
            (!is_link || kind == Kind::File || !self.leads_up(&path)).then_some((name, path, kind))
        };
        Ok(names(folder)?.into_iter().filter_map(child).collect())
    }

    /// Whether a link leads to a folder that the walk came through, directly or by another link.
    fn leads_up(&self, link: &Path) -> bool {
        let Ok(target) = link.canonicalize() else { return false };
        let above = link.ancestors().skip(1).take_while(|folder| folder.starts_with(self.base()));
        above.filter_map(|folder| folder.canonicalize().ok()).any(|folder| folder.starts_with(&target))
    }

    fn holds_file(&self, folder: &Path) -> Result<bool> {
        for (_, path, kind) in self.children(folder)? {
            if kind == Kind::File || self.holds_file(&path)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn list_folder(&self, prefix: &NodePath) -> Result<Listing> {
        let mut listing = Listing::default();
        for (name, path, kind) in self.children(&self.path(prefix.as_str())?)? {
            match kind {
                Kind::File => listing.keys.push(StoreKey::new(prefix, &name)),
                Kind::Folder if self.holds_file(&path)? => {
                    listing.prefixes.extend(NodePath::from_normal(&name).map(|name| prefix.join(&name)));
                }
                Kind::Folder => {}
            }
        }
        Ok(listing)
    }

    pub(super) fn walk(&self, prefix: &NodePath) -> Result<Vec<StoreKey>> {
        let (mut open, mut keys) = (vec![(prefix.clone(), self.path(prefix.as_str())?)], Vec::new());
        while let Some((prefix, folder)) = open.pop() {
            for (name, path, kind) in self.children(&folder)? {
                match kind {
                    Kind::File => keys.push(StoreKey::new(&prefix, &name)),
                    Kind::Folder => {
                        open.extend(NodePath::from_normal(&name).map(|name| (prefix.join(&name), path)));
                    }
                }
            }
        }
        Ok(keys)
    }
}
