//! Damaged files: each gives an error that blames the data, or values. A chunk that has a reference
//! never becomes one without, unless no reader could tell.

use std::rc::Rc;

use support::Files;
use zarr_wasm::{Error, ErrorKind, Result};
use zarr_wasm_icechunk::{ArrayNode, Manifest, ManifestRef, RefKind, Repo, Snapshot};

use crate::files_of;

const HEADER: usize = 39;

fn file_of(files: &Files, folder: &str) -> Vec<u8> {
    files
        .iter()
        .filter(|(name, _)| name.starts_with(folder))
        .map(|(_, bytes)| bytes.clone())
        .max_by_key(Vec::len)
        .unwrap()
}

/// A file with its content as it is, so that damage is not found by the decompressor.
fn uncompressed(file: &[u8]) -> Vec<u8> {
    let (header, content) = file.split_at(HEADER);
    let mut plain = header.to_vec();
    plain[HEADER - 1] = 0;
    let mut context = zarr_wasm_kernel::zstd::Decompressor::new().unwrap();
    context.decompress_to_vec(content, 1 << 24, &mut plain).unwrap();
    plain
}

fn blames_data(error: &Error) {
    let kinds = [ErrorKind::Format, ErrorKind::Unsupported, ErrorKind::Limit];
    assert!(kinds.contains(&error.kind()), "{error:?}");
}

/// Every file that differs in one bit, and every beginning of the file.
fn damaged(file: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let flipped = (0..file.len() * 8).map(|bit| {
        let mut flipped = file.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        flipped
    });
    flipped.chain((0..file.len()).map(|len| file[..len].to_vec()))
}

fn check(file: &[u8], read: impl Fn(&[u8]) -> Result<()>) {
    read(file).unwrap();
    for damaged in damaged(file) {
        if let Err(error) = read(&damaged) {
            blames_data(&error);
        }
    }
}

#[test]
fn damaged_repos_are_errors_or_read() {
    for file in [files_of("v2")["repo"].clone(), files_of("virtual")["repo"].clone()] {
        check(&uncompressed(&file), |file| {
            let repo = Repo::parse(file)?;
            let names = repo.names(RefKind::Branch)?;
            repo.names(RefKind::Tag)?;
            for (_, id) in names {
                repo.history(id)?;
            }
            let _ = repo.containers()?.locate("vcc://named/x");
            Ok(())
        });
    }
}

#[test]
fn damaged_snapshots_are_errors_or_read() {
    for case in ["v1", "v2", "split"] {
        let file = file_of(&files_of(case), "snapshots/");
        check(&uncompressed(&file), |file| {
            let snapshot = Snapshot::parse(file)?;
            snapshot.info()?;
            snapshot.nodes().try_for_each(|node| snapshot.array(&node?).map(drop))
        });
    }
}

/// The arrays of a repository's largest snapshot.
fn arrays(files: &Files) -> Vec<Rc<ArrayNode>> {
    let snapshot = Snapshot::parse(&file_of(files, "snapshots/")).unwrap();
    snapshot.nodes().filter_map(|node| snapshot.array(&node.unwrap()).unwrap()).collect()
}

#[test]
fn damaged_manifests_hide_no_chunks() {
    for case in ["v2", "virtual", "split"] {
        let files = files_of(case);
        for array in arrays(&files) {
            for of in &array.manifests {
                let file = uncompressed(&files[&format!("manifests/{}", of.id)]);
                let whole = Manifest::parse(&file).unwrap();
                let chunks: Vec<Vec<u32>> = whole.chunks(array.id, &of.extents).unwrap().collect();
                let all: usize = of.extents.iter().map(|[first, end]| (end - first) as usize).product();
                for damaged in damaged(&file) {
                    let find =
                        |manifest: &Manifest, chunk: &[u32]| manifest.find(array.id, &of.extents, chunk);
                    for chunk in &chunks {
                        match Manifest::parse(&damaged).and_then(|manifest| find(&manifest, chunk)) {
                            Err(error) => blames_data(&error),
                            // Where there are gaps, a chunk may seem to be in one of them.
                            Ok(found) => assert!(
                                found.is_some()
                                    || chunks.len() < all
                                    || has_fewer(&damaged, &array, of, chunks.len()),
                                "{case}"
                            ),
                        }
                    }
                }
            }
        }
    }
}

/// Whether the list of an array's references has become shorter, which no reader can tell.
fn has_fewer(file: &[u8], array: &ArrayNode, of: &ManifestRef, count: usize) -> bool {
    let manifest = Manifest::parse(file).unwrap();
    manifest.chunks(array.id, &of.extents).is_ok_and(|found| found.count() < count)
}

#[test]
fn compressed_files_that_are_damaged_are_errors_or_read() {
    let file = file_of(&files_of("v2"), "manifests/");
    for damaged in damaged(&file) {
        if let Err(error) = Manifest::parse(&damaged) {
            blames_data(&error);
        }
    }
}
