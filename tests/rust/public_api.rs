//! What a Rust program may import: `examples/read_local_array.rs` runs as a program of its own and
//! reads arrays that these tests write byte by byte, as the specification describes them.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder with these files, which are removed with it.
struct Folder(PathBuf);

impl Folder {
    fn with(name: &str, files: &[(&str, &[u8])]) -> Self {
        let folder = Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("public_api_{name}")));
        for (path, bytes) in files {
            let path = folder.0.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&folder.0)).unwrap();
            fs::write(path, bytes).unwrap();
        }
        folder
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What the example prints.
fn printed(folder: &Folder, selection: &[&str]) -> Result<String, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "run",
        "--quiet",
        "--offline",
        "--package",
        "zarr-wasm",
        "--example",
        "read_local_array",
        "--",
    ]);
    cargo.arg(&folder.0).args(selection).current_dir(env!("PROJECT_FOLDER"));
    let output = cargo.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

#[test]
fn the_example_reads_chunks_and_fills_missing_ones() {
    // Rows 0 1 2 / 10 11 12 / 20 21 22 in chunks of 2 × 2. The last chunk is missing.
    let metadata =
        br#"{"zarr_format": 2, "shape": [3, 3], "chunks": [2, 2], "dtype": "<i4", "compressor": null,
        "fill_value": -1, "order": "C", "filters": null}"#;
    let chunk = |numbers: [i32; 4]| numbers.map(i32::to_le_bytes).concat();
    let files: [(&str, &[u8]); 4] = [
        (".zarray", metadata),
        ("0.0", &chunk([0, 1, 10, 11])),
        ("0.1", &chunk([2, 0, 12, 0])),
        ("1.0", &chunk([20, 21, 0, 0])),
    ];
    let folder = Folder::with("v2", &files);
    assert_eq!(printed(&folder, &[]).unwrap(), "0 1 2\n10 11 12\n20 21 -1\n");
    assert_eq!(printed(&folder, &["1:", "0:2"]).unwrap(), "10 11\n20 21\n");
    assert_eq!(printed(&folder, &["-1"]).unwrap(), "20 21 -1\n");
    let error = printed(&folder, &["3"]).unwrap_err();
    assert!(error.contains("index") && error.contains('3'), "{error}");
}

#[test]
fn the_example_reads_inner_chunks_of_a_shard() {
    let metadata = br#"{"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "uint16",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": 9,
        "codecs": [{"name": "sharding_indexed", "configuration": {"chunk_shape": [2],
            "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}],
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}}]}"#;
    // The second inner chunk is stored, 258 and 3. The first one is missing.
    let index = [u64::MAX, u64::MAX, 1, 4].map(u64::to_le_bytes).concat();
    let shard = [&[0xff, 1, 2, 0, 3], index.as_slice()].concat();
    let folder = Folder::with("v3", &[("zarr.json", metadata), ("c/0", &shard)]);
    assert_eq!(printed(&folder, &["1:"]).unwrap(), "9 258 3\n");
}
