//! What a Rust program may import: the examples of the published crates run as programs of their
//! own. The core's reads arrays that these tests write byte by byte, as the specification describes
//! them. The others read files of the fixtures, which other libraries wrote.

#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;
use std::{env, fs, thread};

use serde_json::Value as Json;
use support::{archive_files, base64, fixtures};

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

/// A file of JSON.
fn json(path: &Path) -> Json {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Compiles the examples as `cargo test` does, which has done so, as a rule. By package their
/// dependencies would have other features, and be compiled again.
fn compile() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--locked", "--examples"]);
        assert!(cargo.current_dir(env!("PROJECT_FOLDER")).status().unwrap().success());
    });
}

/// What an example prints.
fn run(example: &str, arguments: &[&str]) -> Result<String, String> {
    compile();
    let this = env::current_exe().unwrap();
    let folder = this.parent().and_then(Path::parent).unwrap().join("examples");
    let output = Command::new(folder.join(example)).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

/// What the core's example prints of an array.
fn printed(folder: &Folder, selection: &[&str]) -> Result<String, String> {
    let arguments = [&[folder.0.to_str().unwrap()], selection].concat();
    run("read_local_array", &arguments)
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

#[test]
fn the_kernels_example_finds_that_shuffled_floats_compress_better() {
    let said = run("shuffle_and_compress", &[]).unwrap();
    let numbers: Vec<u64> = said.split(|char: char| !char.is_ascii_digit()).flat_map(str::parse).collect();
    let [bytes, plain, shuffled] = numbers[..] else { panic!("{said}") };
    assert!(bytes == 200_000 && shuffled < plain && plain < bytes, "{said}");
}

#[test]
fn the_contracts_example_prints_declarations() {
    let said = run("print_declarations", &[]).unwrap();
    assert!(said.contains("export interface ErrorContext"), "{said}");
}

#[test]
fn icechunks_example_lists_what_icechunk_wrote() {
    let tests = Path::new(env!("PROJECT_FOLDER")).join("tests/fixtures/icechunk");
    let files = archive_files(&tests.join("v2.tar.gz"));
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, bytes)| (path.as_str(), &bytes[..])).collect();
    let folder = Folder::with("icechunk", &files);
    let said = run("list_nodes", &[folder.0.to_str().unwrap(), "main"]).unwrap();
    for line in ["/ group", "/scalar array, manifests: 1", "/deep group", "/unwritten array, manifests: 0"] {
        assert!(said.lines().any(|found| found == line), "{line}: {said}");
    }
    let expected = json(&tests.join("v2.expected.json"));
    assert_eq!(said.lines().count(), expected["states"]["branch main"].as_object().unwrap().len());
}

#[test]
fn parquets_example_prints_the_rows_that_fsspec_finds() {
    let files = archive_files(&fixtures().join("kerchunk/pyarrow.tar.gz"));
    let (_, bytes) = files.iter().find(|(path, _)| path.ends_with("plane/refs.0.parq")).unwrap();
    let folder = Folder::with("parquet", &[("refs.0.parq", bytes)]);
    let file = folder.0.join("refs.0.parq");
    let said = run("print_columns", &[file.to_str().unwrap(), "path", "offset", "size"]).unwrap();
    let expected = json(&fixtures().join("kerchunk/expected.json"));
    let found = &expected["pyarrow"]["references"]["plane/0.1"];
    let line = format!("{} {} {}", found[0].as_str().unwrap(), found[1], found[2]);
    assert_eq!(said.lines().nth(1), Some(line.as_str()), "{said}");
    assert_eq!(said.lines().count(), 16);
}

#[test]
fn gribs_example_describes_a_field() {
    let path = Path::new(env!("PROJECT_FOLDER")).join("tests/fixtures/grib/messages.grib2");
    let said = run("describe_field", &[path.to_str().unwrap()]).unwrap();
    let expected = &json(&path.with_file_name("expected.json"))["regular"];
    let doubles = |name: &str| -> Vec<f64> {
        let bytes = base64(expected[name]["values"].as_str().unwrap());
        bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()
    };
    let ends = |name: &str| (doubles(name)[0], *doubles(name).last().unwrap());
    let all = doubles("t");
    let mut values: Vec<f64> = all.iter().copied().filter(|value| !value.is_nan()).collect();
    values.sort_by(f64::total_cmp);
    let (latitudes, longitudes) = (ends("latitude"), ends("longitude"));
    let lines = [
        format!("{} points from {} to {}", all.len(), values[0], values[values.len() - 1]),
        format!("latitude from {} to {}", latitudes.0, latitudes.1),
        format!("longitude from {} to {}", longitudes.0, longitudes.1),
    ];
    assert_eq!(said.lines().collect::<Vec<_>>(), lines);
}

#[test]
fn jpeg2000s_example_describes_an_image() {
    let tests = Path::new(env!("PROJECT_FOLDER")).join("tests/fixtures/codec-vectors/imagecodecs_jpeg2k");
    let vector = &json(&tests.join("vectors.json"))[0];
    let image = base64(vector["encoded_base64"].as_str().unwrap());
    let folder = Folder::with("jpeg2000", &[("image.jp2", &image)]);
    let said = run("describe_image", &[folder.0.join("image.jp2").to_str().unwrap()]).unwrap();
    let pixels = base64(vector["input_base64"].as_str().unwrap());
    let mean = pixels.iter().map(|pixel| f64::from(*pixel)).sum::<f64>() / f64::from(19 * 21);
    assert_eq!(said, format!("19 x 21 pixels of 1 components of 8 bits\ncomponent 0: {mean:.1}\n"));
}

#[test]
fn the_http_example_reads_merged_ranges() {
    assert_eq!(run("read_ranges", &[]).unwrap(), "0:4 0123\n6:9 678\n60000:60010 0123456789\n");
}

/// Serves these answers, each to one request, and collects the `Range` headers.
fn serve(answers: &'static [&'static str]) -> (String, thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/object", listener.local_addr().unwrap());
    let asked = thread::spawn(move || {
        let mut ranges = Vec::new();
        for (answer, client) in answers.iter().zip(listener.incoming()) {
            let mut client = client.unwrap();
            let lines = BufReader::new(client.try_clone().unwrap()).lines().map(Result::unwrap);
            let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            ranges.extend(head.into_iter().filter(|line| line.starts_with("Range")));
            client.write_all(answer.as_bytes()).unwrap();
        }
        ranges
    });
    (url, asked)
}

#[test]
fn the_http_example_tries_again_and_takes_parts_of_whole_objects() {
    let (url, asked) = serve(&[
        "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabcdefghij",
    ]);
    assert_eq!(run("read_ranges", &[&url, "1:3", "5:6"]).unwrap(), "1:3 bc\n5:6 f\n");
    assert_eq!(asked.join().unwrap(), ["Range: bytes=1-5", "Range: bytes=1-5"]);
}

#[test]
fn the_http_example_says_what_failed() {
    let (url, asked) = serve(&["HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"]);
    let error = run("read_ranges", &[&url, "0:1"]).unwrap_err();
    assert!(error.contains("there is no such file"), "{error}");
    assert_eq!(asked.join().unwrap().len(), 1);
}
