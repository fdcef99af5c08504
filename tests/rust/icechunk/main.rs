//! Icechunk repositories that icechunk wrote: every array of every state equals what icechunk
//! reads. `tests/fixtures/icechunk/make.sh` made them.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

mod damage;
mod server;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use futures_executor::block_on;
use serde_json::Value as Json;
use server::Server;
use support::{Files, ReadElements, archive_files, memory_store, open_array, read_all};
use zarr_wasm::ErrorKind;
use zarr_wasm::format::path::NodePath;
use zarr_wasm_engine::internals::store::http::origin::Origins;
use zarr_wasm_engine::internals::store::http::{HttpOptions, HttpStore};
use zarr_wasm_engine::internals::store::icechunk::history::{Repository, RepositorySubject};
use zarr_wasm_engine::internals::store::icechunk::session::Version;
use zarr_wasm_engine::internals::store::icechunk::{IcechunkStore, OpenFile, Permission, VirtualChunks};
use zarr_wasm_engine::internals::store::wrap::Gathering;
use zarr_wasm_engine::internals::store::{Listable, Store};
use zarr_wasm_icechunk::{ObjectId, RefKind};

const PLAIN: [&str; 5] = ["v1", "v1-by-2", "v2", "expired", "migrated"];

fn folder() -> PathBuf {
    Path::new(env!("PROJECT_FOLDER")).join("tests/fixtures/icechunk")
}

fn files_of(case: &str) -> Files {
    archive_files(&folder().join(format!("{case}.tar.gz")))
}

fn expected_of(case: &str) -> Json {
    let text = std::fs::read_to_string(folder().join(format!("{case}.expected.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn version(name: &str) -> Version {
    match name.split_once(' ') {
        Some(("branch", name)) => Version::Named(RefKind::Branch, name.to_owned()),
        Some((_, name)) => Version::Named(RefKind::Tag, name.to_owned()),
        None => Version::Snapshot(ObjectId::parse(name).unwrap()),
    }
}

fn store_of(files: &Files, state: &str, verifies: bool) -> IcechunkStore {
    let open: OpenFile = Rc::new(|url| {
        let origin = Origins::default().of(&url);
        Rc::new(Gathering::new(HttpStore::new(Server, url, HttpOptions::default(), origin)))
    });
    let permission =
        Permission { prefixes: vec!["s3://bucket/".to_owned()], allow: Rc::new(|_| ()), verifies };
    IcechunkStore::new(Rc::new(memory_store(files)), version(state), VirtualChunks::new(open, permission))
}

fn ask(store: &IcechunkStore, question: RepositorySubject) -> zarr_wasm::Result<String> {
    block_on(store.ask(question))
}

/// Elements as numbers, by the name of their type.
fn numbers(dtype: &str, elements: ReadElements) -> Vec<f64> {
    let ReadElements::Packed(bytes) = elements else { panic!("elements of variable length") };
    macro_rules! of {
        ($type:ty) => {
            bytes.as_chunks().0.iter().map(|bytes| <$type>::from_le_bytes(*bytes) as f64).collect()
        };
    }
    #[allow(clippy::cast_lossless)]
    match dtype {
        "uint8" => of!(u8),
        "int16" => of!(i16),
        "uint16" => of!(u16),
        "int32" => of!(i32),
        "float32" => of!(f32),
        "float64" => of!(f64),
        other => panic!("{other}"),
    }
}

fn check_state(store: IcechunkStore, nodes: &Json, what: &str) {
    let store: Rc<dyn Store> = Rc::new(store);
    for (path, node) in nodes.as_object().unwrap() {
        let Some(values) = node.get("values") else { continue };
        let array = open_array(&store, path);
        let read = numbers(node["dtype"].as_str().unwrap(), read_all(&array).unwrap());
        let expected: Vec<f64> =
            values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
        assert_eq!(read, expected, "{what}: {path}");
    }
}

#[test]
fn every_state_equals_what_icechunk_reads() {
    for case in PLAIN.into_iter().chain(["split"]) {
        let (files, expected) = (files_of(case), expected_of(case));
        for (name, nodes) in expected["states"].as_object().unwrap() {
            check_state(store_of(&files, name, true), nodes, &format!("{case}, {name}"));
        }
        for (name, id) in expected["branches"].as_object().unwrap() {
            let nodes = &expected["states"][format!("branch {name}")];
            check_state(store_of(&files, id.as_str().unwrap(), true), nodes, &format!("{case}, {id}"));
        }
    }
}

#[test]
fn names_and_histories_are_those_of_icechunk() {
    for case in PLAIN {
        let (store, expected) = (store_of(&files_of(case), "branch main", true), expected_of(case));
        let read =
            |text: zarr_wasm::Result<String>| -> Json { serde_json::from_str(&text.unwrap()).unwrap() };
        assert_eq!(read(ask(&store, RepositorySubject::Branches)), expected["branches"], "{case}");
        assert_eq!(read(ask(&store, RepositorySubject::Tags)), expected["tags"], "{case}");
        assert_eq!(read(ask(&store, RepositorySubject::History)), expected["history"], "{case}");
        assert_eq!(ask(&store, RepositorySubject::Snapshot).unwrap(), expected["branches"]["main"], "{case}");
    }
}

#[test]
fn what_is_missing_is_an_error() {
    for case in PLAIN {
        for state in ["branch other", "tag deleted", "tag main", "00000000000000000000"] {
            let error =
                ask(&store_of(&files_of(case), state, true), RepositorySubject::Snapshot).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotFound, "{case}, {state}: {error:?}");
        }
    }
    let files = Files::from([("zarr.json".to_owned(), Vec::new())]);
    assert_eq!(
        ask(&store_of(&files, "branch main", true), RepositorySubject::Snapshot).unwrap_err().kind(),
        ErrorKind::NotFound
    );
}

#[test]
fn a_chunk_whose_file_is_missing_is_an_error() {
    for folder in ["chunks/", "manifests/"] {
        let mut files = files_of("v2");
        files.retain(|name, _| !name.starts_with(folder));
        let store: Rc<dyn Store> = Rc::new(store_of(&files, "branch main", true));
        let error = read_all(&open_array(&store, "temperature")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Store);
        assert!(error.message().contains("is missing"), "{error:?}");
        assert!(read_all(&open_array(&store, "unwritten")).is_ok());
    }
}

#[test]
fn listings_have_every_key() {
    let store = store_of(&files_of("v2"), "tag release", true);
    let keys = block_on(store.list_prefix(&NodePath::root())).unwrap();
    let mut keys: Vec<&str> = keys.iter().map(zarr_wasm::format::path::StoreKey::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys.iter().filter(|key| key.ends_with("zarr.json")).count(), 9);
    let of = |prefix: &str| keys.iter().filter(|key| key.starts_with(prefix)).copied().collect::<Vec<_>>();
    assert_eq!(of("temperature/c"), ["temperature/c/0/0", "temperature/c/0/1"]);
    assert_eq!(of("scalar/c"), ["scalar/c"]);
    let listed = |path: &str| {
        let listing = block_on(store.list_dir(&NodePath::parse_any(path).unwrap())).unwrap();
        let mut names: Vec<String> = listing.keys.iter().map(|key| key.as_str().to_owned()).collect();
        names.extend(listing.prefixes.iter().map(|path| path.as_str().to_owned()));
        names
    };
    assert_eq!(listed("deep"), ["deep/zarr.json", "deep/er é"]);
    assert_eq!(listed("small"), ["small/zarr.json", "small/c"]);
    assert_eq!(listed("small/c"), ["small/c/0", "small/c/1", "small/c/2"]);
    assert_eq!(listed("unwritten"), ["unwritten/zarr.json"]);
}

#[test]
fn virtual_chunks_equal_what_icechunk_reads() {
    for case in ["virtual", "virtual-v1", "dictionary"] {
        let (files, expected) = (files_of(case), expected_of(case));
        let store: Rc<dyn Store> = Rc::new(store_of(&files, "branch main", true));
        for (path, values) in expected["virtual"].as_object().unwrap() {
            let read = numbers("uint8", read_all(&open_array(&store, path)).unwrap());
            let values: Vec<f64> =
                values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
            assert_eq!(read, values, "{case}: {path}");
        }
        for path in expected["refused"].as_array().unwrap() {
            let path = path.as_str().unwrap();
            let error = read_all(&open_array(&store, path)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Store, "{case}: {path}: {error:?}");
            let unverified: Rc<dyn Store> = Rc::new(store_of(&files, "branch main", false));
            assert_eq!(read_all(&open_array(&unverified, path)).is_ok(), path != "absent", "{case}: {path}");
        }
    }
}
