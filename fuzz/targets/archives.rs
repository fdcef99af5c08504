//! ZIP archives: each entry is read or refused, in the whole and in part, and a part equals the same
//! bytes of the whole. No entry may inflate beyond its declared size.
#![no_main]

use std::io::{Cursor, Write};
use std::rc::Rc;

use futures_executor::block_on;
use libfuzzer_sys::fuzz_target;
use zarr_wasm::format::path::{NodePath, StoreKey};
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::store::zip::ZipStore;
use zarr_wasm_engine::internals::store::{ByteRange, Listable, RequestContext, Store};
use zarr_wasm_fuzz::{check_blames_data, seeds};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

fuzz_target!(
    init: seeds::write_if_asked(seeds),
    |input: &[u8]| {
        let (memory, key) = (MemoryStore::new(), StoreKey::parse("a.zip").unwrap());
        memory.insert(&key, input.to_vec());
        let store = ZipStore::new(Rc::new(memory), key, None);
        match block_on(store.list_prefix(&NodePath::root())) {
            Ok(keys) => keys.iter().take(20).for_each(|key| read(&store, key)),
            Err(error) => check_blames_data(&error),
        }
    }
);

fn get(store: &ZipStore, key: &StoreKey, range: ByteRange) -> Option<Vec<u8>> {
    match block_on(store.get(key, range, &RequestContext::default())) {
        Ok(found) => found.map(|fetched| fetched.value.to_vec(1 << 30, "an entry").unwrap()),
        Err(error) => {
            check_blames_data(&error);
            None
        }
    }
}

fn read(store: &ZipStore, key: &StoreKey) {
    let size = block_on(store.size(key, &RequestContext::default())).ok().flatten();
    let part = get(store, key, ByteRange::At { offset: 1, len: 5 });
    let Some(whole) = get(store, key, ByteRange::Whole) else { return };
    assert_eq!(size, Some(whole.len() as u64), "{}", key.as_str());
    if let Some(part) = part {
        let end = whole.len().min(6);
        assert_eq!(whole.get(1..end), Some(&part[..]), "{}", key.as_str());
    }
}

/// Archives of the crate `zip`: stored and deflated entries, small and large, with ZIP64 records.
fn seeds() -> Vec<Vec<u8>> {
    let methods = [CompressionMethod::Stored, CompressionMethod::Deflated];
    let archive = |method, is_large, prefix: &str| {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(method).large_file(is_large);
        for (name, bytes) in
            [("zarr.json", &b"{\"zarr_format\":3}"[..]), ("a/c/0", &[7; 100]), ("a/c/1", b"")]
        {
            zip.start_file(format!("{prefix}{name}"), options).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    };
    let of_method =
        |method| [archive(method, false, ""), archive(method, true, ""), archive(method, false, "top.zarr/")];
    methods.into_iter().flat_map(of_method).collect()
}
