//! Parameters that only an encoder needs. An array with one that no encoder takes is read, changed
//! in its metadata and resized; a call that would encode is refused. The stores are those of
//! `tests/fixtures/edited/encoder-parameters-*`.

use std::collections::BTreeSet;
use std::rc::Rc;

use futures_executor::block_on;
use zarr_wasm::access::selection::Selection;
use zarr_wasm::error::{ErrorKind, Stage};
use zarr_wasm::format::metadata::write::edit::AttributeUpdate;
use zarr_wasm::format::path::NodePath;
use zarr_wasm_engine::internals::hierarchy::attributes::update_attributes;
use zarr_wasm_engine::internals::hierarchy::resize::resize;
use zarr_wasm_engine::internals::store::Store;
use zarr_wasm_engine::internals::write::WriteSource;
use zarr_wasm_engine::internals::write::inline_encoder::InlineEncoder;

use crate::{context, create_array, json, memory, put, read_all, reopen};
use support::{case_files, case_store, fixtures};

/// The codecs as the stored document has them, where in it they stand.
fn stored_codecs(store: &Rc<dyn Store>, path: &str) -> serde_json::Value {
    let array = reopen(store, path);
    let document: serde_json::Value = serde_json::from_str(&array.document().texts[0].1).unwrap();
    serde_json::json!([document["codecs"], document["compressor"], document["filters"]])
}

#[test]
fn they_are_refused_when_something_is_encoded_and_kept_in_the_metadata() {
    for case in ["encoder-parameters-v2", "encoder-parameters-v3"] {
        let folder = fixtures().join("edited").join(case);
        let store: Rc<dyn Store> = Rc::new(case_store(&folder));
        let files = case_files(&folder);
        let names: BTreeSet<String> =
            files.keys().filter_map(|key| Some(key.split_once('/')?.0.to_owned())).collect();
        for name in names {
            let array = reopen(&store, &name);
            let (before, codecs) = (read_all(&array).unwrap(), stored_codecs(&store, &name));
            let error = put(&array, Selection::all(), WriteSource::Elements(before.clone().into()));
            let error = error.map(drop).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format, "{case}/{name}: {error}");
            assert_eq!(error.context().stage, Some(Stage::Encode), "{case}/{name}");
            assert!(
                error.context().field.is_some() && error.context().codec.is_some(),
                "{case}/{name}: {error:?}"
            );
            assert_eq!(read_all(&array).unwrap(), before, "{case}/{name}: nothing was written");
            let path = NodePath::parse(&name, array.document().format).unwrap();
            let context = context();
            let update = update_attributes(&store, &path, r#"{"a":1}"#, AttributeUpdate::Merge, &context);
            block_on(update).unwrap();
            block_on(resize(&reopen(&store, &name), &[12, 16], &InlineEncoder, &context)).unwrap();
            assert_eq!(stored_codecs(&store, &name), codecs, "{case}/{name}");
        }
    }
}

#[test]
fn arrays_with_them_are_not_created() {
    for codecs in [
        r#"["bytes",{"name":"zstd","configuration":{"level":100,"checksum":false}}]"#,
        r#"["bytes",{"name":"gzip","configuration":{"level":10}}]"#,
        r#"["bytes",{"name":"blosc","configuration":{"cname":"lz5","clevel":5,"shuffle":"shuffle","typesize":1,"blocksize":0}}]"#,
        r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[3],"codecs":["bytes",{"name":"gzip","configuration":{"level":10}}],"index_codecs":["bytes","crc32c"]}}]"#,
        r#"[{"name":"bytes"}]"#,
    ] {
        let (memory, store) = memory();
        let options = format!(r#"{{"shape":[6],"chunk_shape":[6],"data_type":"int16","codecs":{codecs}}}"#);
        let Err(error) = create_array(&store, "a", &options) else {
            // `create` gives a bare `bytes` its byte order.
            assert_eq!(json(&memory, "a/zarr.json")["codecs"][0]["configuration"]["endian"], "little");
            continue;
        };
        assert_eq!(error.kind(), ErrorKind::Argument, "{codecs}: {error}");
        assert!(memory.keys().is_empty(), "{codecs}");
    }
}
