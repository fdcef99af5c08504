//! Tests of documents of the draft of October 2020, and of zarr-python's variant.

use serde_json::{Value, json};

use super::{example, parse_array, parse_text, without};
use crate::error::{ErrorKind, Result};
use crate::format::chunk_key::{ChunkKeyEncoding, Separator};
use crate::format::data_type::{DataType, Float};
use crate::format::metadata::document::{self, NodeDocument};
use crate::format::metadata::{ArrayMetadata, CodecMetadata, Draft, NodeMetadata, ZarrFormat, write};

const DRAFT: Draft = Draft::October2020;
const FORMAT: ZarrFormat = ZarrFormat::Draft(DRAFT);

fn with(field: &str, value: Value) -> Value {
    let mut document = example(DRAFT);
    document[field] = value;
    document
}

fn parse(document: &Value) -> Result<ArrayMetadata> {
    parse_array(DRAFT, document)
}

fn names(codecs: &[CodecMetadata]) -> Vec<(&str, &str)> {
    codecs.iter().map(|codec| (codec.name.as_str(), codec.configuration.as_deref().unwrap_or(""))).collect()
}

#[test]
fn example_of_the_draft() {
    let array = parse(&example(DRAFT)).unwrap();
    assert_eq!(array.format, FORMAT);
    assert_eq!(array.shape, [10000, 1000]);
    assert_eq!(array.data_type, DataType::Float(Float::Float64));
    assert_eq!(array.chunk_grid.uniform(), Some(vec![1000, 100]));
    assert_eq!(array.chunk_key_encoding, ChunkKeyEncoding::Draft { separator: Separator::Slash });
    assert_eq!(array.fill_value.0, [0, 0, 0, 0, 0, 0, 0xf8, 0x7f]);
    let expected = [("bytes", r#"{"endian":"little"}"#), ("gzip", r#"{"id":"gzip","level":1}"#)];
    assert_eq!(names(&array.codecs), expected);
    let attributes: Value = serde_json::from_str(&array.attributes).unwrap();
    assert_eq!(attributes, example(DRAFT)["attributes"]);
    assert!(array.warnings.is_empty() && array.storage_transformers.is_empty());
}

#[test]
fn extension_type_of_the_draft() {
    let mut document = with(
        "data_type",
        json!({ "extension": "https://purl.org/zarr/spec/protocol/extensions/datetime-dtypes/1.0", "type": "<M8[ns]", "fallback": "<i8" }),
    );
    document["fill_value"] = Value::Null;
    let array = parse(&document).unwrap();
    assert_eq!((array.data_type.name().as_ref(), array.fallback), ("numpy.datetime64", None));
    // Undefined: zero would be a date.
    assert_eq!(array.fill_value.0, i64::MIN.to_le_bytes());
}

#[test]
fn a_compressor_may_be_missing() {
    let array = parse(&without(DRAFT, "compressor")).unwrap();
    assert_eq!(names(&array.codecs), [("bytes", r#"{"endian":"little"}"#)]);
}

#[test]
fn other_names_are_reserved_and_ignored() {
    assert!(parse(&with("dimension_names", json!(["y", "x"]))).unwrap().dimension_names.is_none());
    assert!(parse(&with("made_by", json!({ "must_understand": true }))).is_ok());
}

#[test]
fn byte_orders_and_layouts_become_codecs() {
    let mut document = with("data_type", json!(">f8"));
    document["chunk_memory_layout"] = json!("F");
    let array = parse(&document).unwrap();
    let expected = [
        ("transpose", r#"{"order":[1,0]}"#),
        ("bytes", r#"{"endian":"big"}"#),
        ("gzip", r#"{"id":"gzip","level":1}"#),
    ];
    assert_eq!(names(&array.codecs), expected);
}

#[test]
fn separators_and_chunks_of_length_zero() {
    let grid = |grid: Value| parse(&with("chunk_grid", grid));
    let array = grid(json!({ "type": "regular", "chunk_shape": [1000, 100] })).unwrap();
    assert_eq!(array.chunk_key_encoding.encode(&[1, 23]), "c1/23");
    let array = grid(json!({ "type": "regular", "chunk_shape": [1000, 100], "separator": "." })).unwrap();
    assert_eq!(array.chunk_key_encoding.encode(&[1, 23]), "c1.23");
    assert_eq!(array.chunk_key_encoding.encode(&[]), "c");
    for wrong in [
        json!({ "type": "regular", "chunk_shape": [1000, 0] }),
        json!({ "type": "regular", "chunk_shape": [1000] }),
        json!({ "type": "regular" }),
        json!({ "chunk_shape": [1000, 100] }),
        json!({ "type": "regular", "chunk_shape": [1000, 100], "separator": "" }),
        json!("regular"),
    ] {
        assert_eq!(grid(wrong.clone()).unwrap_err().kind(), ErrorKind::Format, "{wrong}");
    }
    let mut empty = with("shape", json!([10000, 0]));
    empty["chunk_grid"]["chunk_shape"] = json!([1000, 0]);
    assert_eq!(parse(&empty).unwrap().chunk_grid.grid_shape(&[10000, 0]), [10, 0]);
}

#[test]
fn errors_name_extensions_by_uri() {
    let uri = "https://example.org/zarr/x";
    for (field, value) in [
        ("data_type", json!({ "extension": uri, "type": "x" })),
        ("chunk_grid", json!({ "extension": uri, "type": "regular", "chunk_shape": [1, 1] })),
        ("chunk_memory_layout", json!({ "extension": uri, "type": "C" })),
        ("extensions", json!([{ "extension": uri, "must_understand": true }])),
    ] {
        let error = parse(&with(field, value)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{field}");
        assert!(error.message().contains(uri), "{error}");
    }
    let ignored = json!([{ "extension": uri, "must_understand": false, "configuration": {} }]);
    assert!(parse(&with("extensions", ignored)).is_ok());
    let silent = json!([{ "extension": uri }]);
    assert_eq!(parse(&with("extensions", silent)).unwrap_err().kind(), ErrorKind::Format);
    for (field, value) in
        [("chunk_memory_layout", json!("K")), ("chunk_memory_layout", json!({})), ("extensions", json!({}))]
    {
        assert_eq!(parse(&with(field, value)).unwrap_err().kind(), ErrorKind::Format, "{field}");
    }
}

#[test]
fn codecs_have_uris_and_unknown_ones_keep_theirs() {
    let compressor = |codec: &str| parse(&with("compressor", json!({ "codec": codec }))).unwrap().codecs;
    for (uri, name) in [
        ("https://purl.org/zarr/spec/codec/gzip/1.0", "gzip"),
        ("https://purl.org/zarr/spec/codec/gzip", "gzip"),
        ("https://purl.org/zarr/spec/codecs/gzip/1.0", "gzip"),
        ("https://purl.org/zarr/spec/codec/zlib/1.0", "zlib"),
        ("https://purl.org/zarr/spec/codec/blosc/1.0", "blosc"),
        ("https://purl.org/zarr/spec/codec/lz4/1.0", "lz4"),
        ("https://purl.org/zarr/spec/codec/zstd/1.0", "zstd"),
        ("https://purl.org/zarr/spec/codec/gzip/2.0", "https://purl.org/zarr/spec/codec/gzip/2.0"),
        ("https://example.org/middle-out", "https://example.org/middle-out"),
    ] {
        assert_eq!(compressor(uri)[1].name, name);
    }
    assert_eq!(parse(&with("compressor", Value::Null)).unwrap().codecs.len(), 1);
    assert_eq!(
        parse(&with("compressor", json!({}))).unwrap_err().context().field.as_deref(),
        Some("compressor.codec")
    );
}

#[test]
fn filters_and_shards_of_zarr_python() {
    let filters = json!([{ "id": "delta", "dtype": "<f8", "astype": "<f8" }, { "id": "crc32" }]);
    let document = with("attributes", json!({ "filters": filters, "a": 1 }));
    let array = parse(&document).unwrap();
    let names: Vec<&str> = array.codecs.iter().map(|codec| codec.name.as_str()).collect();
    assert_eq!(names, ["delta", "bytes", "crc32", "gzip"]);
    assert_eq!(array.codecs[0].field, "attributes.filters[0]");
    // An attribute of the user with that name.
    for own in [json!("coffee"), json!(["coffee"]), json!([{ "id": 1 }])] {
        let array = parse(&with("attributes", json!({ "filters": own }))).unwrap();
        assert_eq!(array.codecs.len(), 2);
    }
    let sharding = json!([{
        "extension": "https://purl.org/zarr/spec/storage_transformers/sharding/1.0", "type": "indexed",
        "configuration": { "chunks_per_shard": [2, 2] },
    }]);
    assert_eq!(parse(&with("storage_transformers", sharding)).unwrap().storage_transformers.len(), 1);
}

#[test]
fn groups_are_parsed() {
    let parse = |text: &str| parse_text(DRAFT, ".group.json", text);
    let NodeMetadata::Group(group) = parse(r#"{"attributes":{"spam":"ham"},"extra":1}"#).unwrap() else {
        panic!("an array")
    };
    assert_eq!((group.format, group.attributes.as_str()), (FORMAT, r#"{"spam":"ham"}"#));
    for text in ["{}", "[]", r#"{"attributes":[]}"#] {
        assert_eq!(parse(text).unwrap_err().kind(), ErrorKind::Format, "{text}");
    }
    let implicit = document::parse(&NodeDocument::of(FORMAT, Vec::new())).unwrap();
    assert!(matches!(implicit, NodeMetadata::Group(group) if group.attributes == "{}"));
}

#[test]
fn a_null_fill_value_is_written_as_null() {
    let array = parse(&with("fill_value", Value::Null)).unwrap();
    assert!(array.fill_is_null && array.fill_value.0 == [0; 8] && array.warnings.is_empty());
    let written = write::array(&array, &None).unwrap();
    let text = written.text(".array.json").unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap()["fill_value"], Value::Null);
}
