//! Writes seeds: inputs that are valid, from the fixtures and the codec vectors. With them libFuzzer
//! begins at inputs that other libraries wrote.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::support::{Files, archive_files, entries, fixtures};

/// The folder to write seeds to. `fuzz/run.mjs` sets it; the target then writes seeds and ends.
const FOLDER: &str = "FUZZ_SEEDS";

/// Writes the seeds and ends the process, if it was started for that.
pub fn write_if_asked<I: IntoIterator<Item = Vec<u8>>>(seeds: impl FnOnce() -> I) {
    let Some(folder) = env::var_os(FOLDER).map(PathBuf::from) else { return };
    fs::create_dir_all(&folder).expect("the folder of seeds");
    for (number, seed) in seeds().into_iter().enumerate() {
        fs::write(folder.join(format!("seed-{number:05}")), seed).expect("a seed");
    }
    std::process::exit(0);
}

/// The files of all fixtures whose names end so, each text once.
pub fn fixture_files(ends: &[&str]) -> Vec<(String, Vec<u8>)> {
    let is_wanted = |name: &str| ends.iter().any(|end| name.ends_with(end));
    let mut found: Vec<_> = archives(&fixtures())
        .iter()
        .flat_map(|path| -> Files { archive_files(path) })
        .filter(|(name, bytes)| is_wanted(name) && bytes.len() < 20_000)
        .map(|(name, bytes)| (name.rsplit('/').next().unwrap_or_default().to_owned(), bytes))
        .collect();
    found.sort();
    found.dedup();
    found
}

fn archives(folder: &Path) -> Vec<PathBuf> {
    let (folders, files): (Vec<_>, Vec<_>) = entries(folder).into_iter().partition(|path| path.is_dir());
    let here = files.into_iter().filter(|path| path.to_string_lossy().ends_with(".tar.gz"));
    here.chain(folders.iter().flat_map(|folder| archives(folder))).collect()
}

/// The files of Icechunk repositories by icechunk itself, with their content as it is: a header,
/// which says that nothing is compressed, and a flatbuffer.
pub fn icechunk_files(header: usize) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("PROJECT_FOLDER")).join("tests/fixtures/icechunk");
    let archives = entries(&folder).into_iter().filter(|path| path.to_string_lossy().ends_with(".tar.gz"));
    let files = archives.flat_map(|path| archive_files(&path));
    let is_read = |name: &str| ["repo", "snapshots/", "manifests/"].iter().any(|start| name.starts_with(start));
    let mut plain = Vec::new();
    for (_, file) in files.filter(|(name, bytes)| is_read(name) && bytes.len() < 4000) {
        let (head, content) = file.split_at(header);
        let mut decoded = [head.split_last().expect("a header").1, &[0]].concat();
        let mut context = zarr_wasm_kernel::zstd::Decompressor::new().expect("a decoder");
        context.decompress_to_vec(content, 1 << 20, &mut decoded).expect("a file of Icechunk");
        plain.push(decoded);
    }
    plain
}
