//! What the text says of the file-system store alone: keys as paths, folders, and what must not be
//! reached through a link.

use std::fs;

use futures_executor::block_on;
use zarr_wasm::internals::error::{ErrorKind, Result};
use zarr_wasm::internals::format::path::StoreKey;
use zarr_wasm::internals::store::file_system::FileSystemStore;
use zarr_wasm::internals::store::{ByteRange, RequestContext, Store};

use super::stores::{Folder, key, prefix};
use super::{Outcome, Test};

/// Each test, by what it says.
pub const TESTS: &[Test] = &[
    ("a_key_is_a_path_below_the_base_folder", paths),
    ("set_makes_folders", set_makes_folders),
    ("erase_deletes_a_file_or_a_folder", erase_folder),
    ("empty_folders_are_no_keys", empty_folders),
    ("a_key_cannot_be_below_another", key_below_key),
    ("an_unfinished_value_is_no_key", unfinished),
    ("a_failed_write_leaves_the_old_value", failed_write),
    ("names_that_are_no_paths_are_refused", foreign_names),
    ("a_value_has_a_version", versions),
    #[cfg(unix)]
    ("a_link_out_of_the_folder_is_not_followed", links_out),
    #[cfg(unix)]
    ("a_link_within_the_folder_is_followed", links_within),
    #[cfg(unix)]
    ("links_in_a_circle_are_walked_once", circles),
];

fn store() -> (Folder, FileSystemStore) {
    let folder = Folder::new();
    let store = FileSystemStore::new(&folder.path);
    (folder, store)
}

fn set(store: &FileSystemStore, name: &str, bytes: &[u8]) -> Result<()> {
    block_on(store.set(&key(name), bytes.to_vec().into()))
}

fn get(store: &FileSystemStore, name: &str) -> Result<Option<Vec<u8>>> {
    let fetched = block_on(store.get(&key(name), ByteRange::Whole, &RequestContext::default()))?;
    fetched.map(|fetched| fetched.value.to_vec(1 << 20, "test")).transpose()
}

fn list(store: &FileSystemStore) -> Result<Vec<String>> {
    let mut names: Vec<String> = block_on(store.list())?.iter().map(|key| key.as_str().to_owned()).collect();
    names.sort();
    Ok(names)
}

fn fine<T, E: std::fmt::Debug>(result: std::result::Result<T, E>) -> std::result::Result<T, String> {
    result.map_err(|error| format!("{error:?}"))
}

fn same<T: PartialEq + std::fmt::Debug>(found: T, expected: T) -> Outcome {
    if found == expected { Ok(()) } else { Err(format!("found {found:?}, expected {expected:?}")) }
}

fn refused<T: std::fmt::Debug>(result: Result<T>, kind: ErrorKind) -> Outcome {
    match result {
        Err(error) if error.kind() == kind && error.context().key.is_some() => Ok(()),
        other => Err(format!("{other:?} instead of a {kind:?} error that names its key")),
    }
}

fn paths() -> Outcome {
    let (folder, store) = store();
    fine(set(&store, "foo/bar", b"value"))?;
    same(fine(fs::read(folder.path.join("foo").join("bar")))?, b"value".to_vec())?;
    fine(fs::write(folder.path.join("foo").join("ö b.c"), b"by another program"))?;
    same(fine(get(&store, "foo/ö b.c"))?, Some(b"by another program".to_vec()))?;
    same(fine(list(&store))?, vec!["foo/bar".to_owned(), "foo/ö b.c".to_owned()])
}

fn set_makes_folders() -> Outcome {
    let (folder, store) = store();
    same(folder.path.exists(), false)?;
    fine(set(&store, "a/b/c/d", b"deep"))?;
    same(folder.path.join("a/b/c").is_dir(), true)?;
    // Nothing but the value is left.
    same(fine(fs::read_dir(folder.path.join("a/b/c")))?.count(), 1)
}

fn erase_folder() -> Outcome {
    let (folder, store) = store();
    for name in ["a/b", "a/c/d", "e"] {
        fine(set(&store, name, b"value"))?;
    }
    fine(block_on(store.erase(&key("e"))))?;
    fine(block_on(store.erase(&key("a"))))?;
    same(fine(list(&store))?, Vec::new())?;
    same(folder.path.is_dir(), true)
}

fn empty_folders() -> Outcome {
    let (folder, store) = store();
    fine(fs::create_dir_all(folder.path.join("empty/of/all")))?;
    same(fine(get(&store, "empty/of"))?, None)?;
    same(fine(block_on(store.size(&key("empty"), &RequestContext::default())))?, None)?;
    let listing = fine(block_on(store.list_dir(&prefix(""))))?;
    same((listing.keys.len(), listing.prefixes.len()), (0, 0))?;
    // They do not disturb other calls.
    fine(set(&store, "empty", b"a value now"))?;
    same(fine(get(&store, "empty"))?, Some(b"a value now".to_vec()))?;
    // Folders go with the last value in them.
    fine(set(&store, "x/y/z", b"value"))?;
    fine(block_on(store.erase(&key("x/y/z"))))?;
    same(folder.path.join("x").exists(), false)
}

fn key_below_key() -> Outcome {
    let (_folder, store) = store();
    fine(set(&store, "a", b"value"))?;
    refused(set(&store, "a/b", b"below"), ErrorKind::Store)?;
    refused(set(&store, "a/b/c", b"far below"), ErrorKind::Store)?;
    same(fine(get(&store, "a/b"))?, None)?;
    same(fine(get(&store, "a"))?, Some(b"value".to_vec()))?;
    fine(set(&store, "d/e", b"value"))?;
    refused(set(&store, "d", b"above"), ErrorKind::Store)?;
    same(fine(get(&store, "d"))?, None)?;
    same(fine(get(&store, "d/e"))?, Some(b"value".to_vec()))
}

fn unfinished() -> Outcome {
    let (folder, store) = store();
    fine(set(&store, "a/b", b"value"))?;
    fine(fs::write(folder.path.join("a/.zarr-wasm-1-2.unfinished"), b"hal"))?;
    same(fine(list(&store))?, vec!["a/b".to_owned()])?;
    refused(get(&store, "a/.zarr-wasm-1-2.unfinished"), ErrorKind::Argument)
}

fn failed_write() -> Outcome {
    let (folder, store) = store();
    fine(set(&store, "a/b", b"old"))?;
    let value =
        zarr_wasm::internals::store::KeyStartValue { key: key("a/b"), start: 1 << 63, value: vec![1].into() };
    refused(block_on(store.set_partial_values(&[value])), ErrorKind::Store)?;
    same(fine(get(&store, "a/b"))?, Some(b"old".to_vec()))?;
    same(fine(fs::read_dir(folder.path.join("a")))?.count(), 1)
}

fn foreign_names() -> Outcome {
    let (_folder, store) = store();
    same(StoreKey::parse("a/../../etc").is_err(), true)?;
    refused(set(&store, "a/nul\0byte", b"x"), ErrorKind::Argument)?;
    refused(get(&store, "nul\0byte"), ErrorKind::Argument)
}

fn versions() -> Outcome {
    let (_folder, store) = store();
    let version = |name: &str| {
        let fetched = block_on(store.get(&key(name), ByteRange::Suffix(1), &RequestContext::default()));
        fine(fetched).map(|fetched| fetched.and_then(|fetched| fetched.version))
    };
    fine(set(&store, "a", b"one"))?;
    let first = version("a")?;
    same(first.is_some(), true)?;
    same(version("a")?, first.clone())?;
    fine(set(&store, "b", b"between"))?;
    fine(set(&store, "a", b"two"))?;
    same(version("a")? == first, false)
}

#[cfg(unix)]
fn links_out() -> Outcome {
    use std::os::unix::fs::symlink;
    let outside = Folder::new();
    fine(fs::create_dir_all(outside.path.join("secrets")))?;
    fine(fs::write(outside.path.join("secrets/key"), b"secret"))?;
    let (folder, store) = store();
    fine(fs::create_dir_all(&folder.path))?;
    fine(symlink(outside.path.join("secrets"), folder.path.join("folder")))?;
    fine(symlink(outside.path.join("secrets/key"), folder.path.join("file")))?;
    for name in ["folder/key", "file"] {
        refused(get(&store, name), ErrorKind::Store)?;
        refused(set(&store, name, b"mine"), ErrorKind::Store)?;
    }
    refused(block_on(store.erase(&key("folder/key"))), ErrorKind::Store)?;
    same(fine(list(&store))?, Vec::new())?;
    fine(block_on(store.erase_prefix(&prefix("")))).ok();
    same(fine(fs::read(outside.path.join("secrets/key")))?, b"secret".to_vec())
}

#[cfg(unix)]
fn links_within() -> Outcome {
    let (folder, store) = store();
    fine(set(&store, "a/b", b"value"))?;
    fine(std::os::unix::fs::symlink("a", folder.path.join("link")))?;
    same(fine(get(&store, "link/b"))?, Some(b"value".to_vec()))?;
    same(fine(list(&store))?, vec!["a/b".to_owned(), "link/b".to_owned()])
}

#[cfg(unix)]
fn circles() -> Outcome {
    use std::os::unix::fs::symlink;
    let (folder, store) = store();
    fine(set(&store, "a/x", b"value"))?;
    fine(set(&store, "b/y", b"value"))?;
    fine(symlink("../b", folder.path.join("a/to_b")))?;
    fine(symlink("../a", folder.path.join("b/to_a")))?;
    fine(symlink(".", folder.path.join("self")))?;
    let expected = ["a/to_b/y", "a/x", "b/to_a/x", "b/y"].map(str::to_owned).to_vec();
    same(fine(list(&store))?, expected)
}
