//! Other formats: MessagePack, archives, indexes of shards, listings of servers, GRIB messages.

use std::rc::Rc;

use futures_executor::block_on;
use support::memory_store;
use zarr_wasm::format::json::message_pack::json_of;
use zarr_wasm::format::path::{NodePath, StoreKey};
use zarr_wasm_engine::internals::store::http::origin::Origin;
use zarr_wasm_engine::internals::store::http::transport::{
    Headers, HttpRequest, HttpResponse, Transport, TransportResult,
};
use zarr_wasm_engine::internals::store::http::url::RootUrl;
use zarr_wasm_engine::internals::store::http::{HttpOptions, HttpStore};
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::store::zip::ZipStore;
use zarr_wasm_engine::internals::store::{Listable, LocalFuture, Store, Value};

use crate::icechunk::blames_data;
use crate::measure::{check, check_with_floor};

#[test]
fn message_pack() {
    for (what, piece) in [
        ("nothing", &[0xc0][..]),
        ("false", &[0xc2]),
        ("empty lists", &[0x90]),
        ("empty maps", &[0x80]),
        ("characters that are six in JSON", &[0xa1, 1]),
        ("floats", &[0xca, 0x3f, 0x8c, 0xcc, 0xcd]),
        ("exact floats", &[0xcb, 0x40, 0x09, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18]),
    ] {
        let make = |len: usize| {
            let count = len / piece.len();
            [&[0xdd], u32::try_from(count).unwrap().to_be_bytes().as_slice(), &piece.repeat(count)].concat()
        };
        check(what, make, |document| drop(blames_data(json_of(document))));
    }
    // Each list says that it has 2^32 elements.
    let make = |len: usize| [0xdd, 0xff, 0xff, 0xff, 0xff].repeat(len / 5);
    check("lists without end", make, |document| drop(blames_data(json_of(document))));
}

/// An archive whose entries have names of their own, or one name, and all begin at one offset.
fn archive(len: usize, name: &dyn Fn(usize) -> String) -> Vec<u8> {
    let count = (len / (46 + name(0).len())).min(65_000);
    let mut central = Vec::new();
    for at in 0..count {
        let name = name(at);
        central.extend(b"PK\x01\x02");
        central.extend([0; 24]);
        central.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        central.extend([0; 16]);
        central.extend(name.as_bytes());
    }
    let (len, count) = (u32::try_from(central.len()).unwrap(), u16::try_from(count).unwrap());
    let end =
        [b"PK\x05\x06\0\0\0\0", &count.to_le_bytes()[..], &count.to_le_bytes(), &len.to_le_bytes(), &[0; 6]];
    central.extend(end.concat());
    central
}

#[test]
fn directories_of_archives() {
    let names: [(&str, &dyn Fn(usize) -> String); 4] = [
        ("entries of one name", &|_| "a/zarr.json".to_owned()),
        ("entries of one folder", &|at| format!("a/{at}")),
        ("entries in deep folders", &|at| format!("{}{at}", "a/".repeat(100))),
        ("entries of long names", &|at| format!("{at}{}", "a".repeat(30_000))),
    ];
    for (what, name) in names {
        let make = |len: usize| archive(len, name);
        check_with_floor(what, 2 << 20, make, |archive| {
            let (memory, key) = (MemoryStore::new(), StoreKey::parse("a.zip").unwrap());
            memory.insert(&key, archive.clone());
            let store = ZipStore::new(Rc::new(memory), key, None);
            drop(blames_data(block_on(store.list_prefix(&NodePath::root()))));
            drop(blames_data(block_on(store.list_dir(&NodePath::root()))));
        });
    }
}

/// A server of one page.
struct OnePage(String);

impl Transport for OnePage {
    fn send(&self, request: HttpRequest) -> LocalFuture<'_, TransportResult> {
        let response = HttpResponse {
            status: 200,
            url: request.url,
            redirected: false,
            headers: Headers::default(),
            body: Value::from(self.0.as_bytes().to_vec()),
        };
        Box::pin(std::future::ready(Ok(response)))
    }

    fn sleep(&self, _ms: u32) -> LocalFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn random(&self) -> f64 {
        0.5
    }

    fn serialises_ranges(&self) -> bool {
        false
    }
}

#[test]
fn listings() {
    for (before, item, after) in [
        ("<title>Index of /a</title>", r##"<a href="x#">x</a>"##, ""),
        ("<title>Index of /a</title>", r#"<a href="x">x</a>"#, ""),
        ("<title>Index of /a</title>", r##"<a href="../a/x#/">x</a>"##, ""),
        ("<ListBucketResult>", "<Contents><Key>a/x#</Key></Contents>", "</ListBucketResult>"),
        ("<ListBucketResult>", "<Contents><Key>a/&amp;x</Key></Contents>", "</ListBucketResult>"),
        (
            "<ListBucketResult>",
            "<CommonPrefixes><Prefix>a/#/</Prefix></CommonPrefixes>",
            "</ListBucketResult>",
        ),
        ("<EnumerationResults><Blobs>", "<Blob><Name>a/#</Name></Blob>", "</Blobs></EnumerationResults>"),
        ("[", r##"{"name":"#","type":"file"},"##, "{}]"),
    ] {
        let make = |len: usize| {
            let items = (0..len / item.len()).map(|at| item.replace('#', &at.to_string()));
            format!("{before}{}{after}", items.collect::<String>())
        };
        check_with_floor(&format!("a listing of {item}"), 2 << 20, make, |page| {
            let root = RootUrl::parse("http://host/a").unwrap();
            let options = HttpOptions::default();
            let store = HttpStore::new(OnePage(page.clone()), root, options, Rc::new(Origin::new(8)));
            let _ = block_on(store.list_dir(&NodePath::root()));
        });
    }
}

const SHARDED: &str = r#"{"zarr_format":3,"node_type":"array","shape":[%],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[%]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":["bytes"],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_location":"end"}}]}"#;

/// A shard whose chunks are all at one offset.
#[test]
fn indexes_of_shards() {
    let make = |len: usize| {
        let count = len / 16;
        let entry = [0_u64.to_le_bytes(), 1_u64.to_le_bytes()].concat();
        let shard = [vec![7; 8], entry.repeat(count)].concat();
        let document = SHARDED.replace('%', &count.to_string());
        support::Files::from([("zarr.json".to_owned(), document.into_bytes()), ("c/0".to_owned(), shard)])
    };
    check_with_floor("a shard whose chunks are at one offset", 2 << 20, make, |files| {
        let store: Rc<dyn Store> = Rc::new(memory_store(files));
        drop(support::read_all(&support::open_array(&store, "/")).unwrap());
    });
}
