//! The files of Icechunk repositories, without compression: `repo`, snapshots and manifests. Each
//! is read or refused. A reference that a manifest lists is found, and ids are read as they are
//! written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zarr_wasm::error::Result;
use zarr_wasm_icechunk::{ChunkRef, Manifest, ObjectId, RefKind, Repo, Snapshot, metadata_json};
use zarr_wasm_fuzz::{check_blames_data, seeds};

/// The length of the header, and the offset of the type in it.
const HEADER: usize = 39;
const KIND: usize = 37;

fuzz_target!(
    init: seeds::write_if_asked(|| seeds::icechunk_files(HEADER)),
    |input: &[u8]| {
        let read = match input.get(KIND) {
            Some(1) => snapshot(input),
            Some(2) => manifest(input),
            _ => repo(input),
        };
        if let Err(error) = read {
            check_blames_data(&error);
        }
    }
);

fn repo(file: &[u8]) -> Result<()> {
    let repo = Repo::parse(file)?;
    for (name, id) in repo.names(RefKind::Branch)?.into_iter().chain(repo.names(RefKind::Tag)?).take(10) {
        let kinds = [RefKind::Branch, RefKind::Tag];
        assert!(kinds.iter().any(|kind| repo.find(*kind, &name).is_ok_and(|found| found.is_some())));
        assert_eq!(ObjectId::parse(&id.to_string())?, id);
        for info in repo.history(id)?.iter().take(10) {
            info.metadata.iter().try_for_each(|(_, value)| metadata_json(value).map(drop))?;
        }
    }
    let containers = repo.containers()?;
    for location in ["s3://bucket/a", "vcc://named/a", "https://host/a"] {
        if let Err(error) = containers.locate(location) {
            check_blames_data(&error);
        }
    }
    Ok(())
}

fn snapshot(file: &[u8]) -> Result<()> {
    let snapshot = Snapshot::parse(file)?;
    snapshot.info()?;
    for node in snapshot.nodes().take(100) {
        let node = node?;
        assert_eq!(snapshot.node(node.path)?.map(|found| found.path), Some(node.path));
        snapshot.array(&node)?;
        snapshot.children(node.path)?;
    }
    Ok(())
}

/// Reads what may be arrays: any eight bytes of the file may be the id of one.
fn manifest(file: &[u8]) -> Result<()> {
    let manifest = Manifest::parse(file)?;
    let extents = [[0, 4], [0, 4]];
    for array in file.get(HEADER..).unwrap_or_default().windows(8).step_by(4).take(200) {
        let array: [u8; 8] = array.try_into().unwrap_or_default();
        for rank in 0..=2 {
            let extents = extents.get(..rank).unwrap_or_default();
            let Ok(chunks) = manifest.chunks(array, extents) else { continue };
            for chunk in chunks.take(16) {
                if let Some(ChunkRef::Virtual { location, .. }) = manifest.find(array, extents, &chunk)? {
                    assert!(location.len() <= file.len().max(1024));
                }
            }
        }
    }
    Ok(())
}
