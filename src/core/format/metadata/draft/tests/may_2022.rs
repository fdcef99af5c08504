//! Tests of documents of the draft of May 2022.

use serde_json::{Value, json};

use super::{example, parse_array, parse_text, without};
use crate::error::{ErrorKind, Result};
use crate::format::data_type::{DataType, Float};
use crate::format::metadata::{ArrayMetadata, Draft, ZarrFormat};

const DRAFT: Draft = Draft::May2022;

fn with(field: &str, value: Value) -> Value {
    let mut document = example(DRAFT);
    document[field] = value;
    document
}

fn parse(document: &Value) -> Result<ArrayMetadata> {
    parse_array(DRAFT, document)
}

/// The names of the codecs, and for `bytes` its byte order.
fn chain(document: &Value) -> Result<Vec<String>> {
    let array = parse(document)?;
    Ok(array
        .codecs
        .iter()
        .map(|codec| match codec.configuration.as_deref() {
            Some(r#"{"endian":"big"}"#) => "big".to_owned(),
            Some(r#"{"endian":"little"}"#) => "little".to_owned(),
            _ => codec.name.clone(),
        })
        .collect())
}

const BASE: &str = "https://purl.org/zarr/spec/codecs";

fn endian(order: &str) -> Value {
    json!({ "type": format!("{BASE}/endian/1.0"), "configuration": { "endian": order } })
}

fn gzip() -> Value {
    json!({ "type": format!("{BASE}/gzip/1.0"), "configuration": { "level": 1 } })
}

#[test]
fn examples_of_the_draft() {
    let array = parse(&example(DRAFT)).unwrap();
    assert_eq!(array.format, ZarrFormat::Draft(DRAFT));
    assert_eq!(array.data_type, DataType::Float(Float::Float64));
    assert_eq!(chain(&example(DRAFT)).unwrap(), ["little", "gzip"]);
    assert!(array.warnings.is_empty());
    let mut datetime = with(
        "data_type",
        json!({ "extension": "https://purl.org/zarr/spec/extensions/data-types/datetime/1.0", "type": "<M8[ns]", "fallback": "<i8" }),
    );
    datetime["fill_value"] = Value::Null;
    let array = parse(&datetime).unwrap();
    assert_eq!(array.data_type.name(), "numpy.datetime64");
    assert_eq!(array.warnings.len(), 1, "{:?}", array.warnings);
}

#[test]
fn other_fields_are_refused() {
    for field in ["compressor", "dimension_names", "made_by"] {
        let error = parse(&with(field, json!({ "must_understand": false }))).unwrap_err();
        assert_eq!((error.kind(), error.context().field.as_deref()), (ErrorKind::Unsupported, Some(field)));
    }
    let group = |text: &str| parse_text(DRAFT, ".group.json", text);
    assert!(group(r#"{"attributes":{}}"#).is_ok());
    assert_eq!(group(r#"{"attributes":{},"x":1}"#).unwrap_err().kind(), ErrorKind::Unsupported);
    assert_eq!(group("{}").unwrap_err().kind(), ErrorKind::Format);
}

#[test]
fn an_absent_list_of_codecs_is_empty() {
    for document in [without(DRAFT, "codecs"), with("codecs", json!([]))] {
        assert_eq!(chain(&document).unwrap(), ["little"]);
    }
}

#[test]
fn every_form_of_a_codecs_uri() {
    for uri in [
        "https://purl.org/zarr/spec/codecs/gzip/1.0",
        "https://purl.org/zarr/spec/codec/gzip",
        "https://purl.org/zarr/spec/codec/gzip/1.0",
        "https://purl.org/zarr/spec/codecs/gzip",
        "http://purl.org/zarr/spec/codecs/gzip/1.1",
    ] {
        assert_eq!(chain(&with("codecs", json!([{ "type": uri }]))).unwrap(), ["little", "gzip"], "{uri}");
    }
    let unknown = chain(&with("codecs", json!([{ "type": "https://example.org/middle-out" }]))).unwrap();
    assert_eq!(unknown, ["little", "https://example.org/middle-out"]);
    for wrong in [
        json!({}),
        json!([{}]),
        json!(["gzip"]),
        json!([{ "type": 1 }]),
        json!([{ "type": "x", "configuration": [] }]),
    ] {
        assert_eq!(chain(&with("codecs", wrong.clone())).unwrap_err().kind(), ErrorKind::Format, "{wrong}");
    }
}

#[test]
fn bytes_is_inserted_where_elements_become_bytes() {
    for (data_type, codecs, expected) in [
        ("float64", json!([endian("big"), gzip()]), vec!["big", "gzip"]),
        ("float64", json!([endian("little"), gzip()]), vec!["little", "gzip"]),
        ("float64", json!([endian("big")]), vec!["big"]),
        ("float64", json!([gzip(), gzip()]), vec!["little", "gzip", "gzip"]),
        // The codec also gives the byte order for types that have one.
        (">f8", json!([gzip()]), vec!["big", "gzip"]),
        (">f8", json!([endian("little")]), vec!["little"]),
        // Bytes of elements count as elements in the default order.
        ("float64", json!([endian("big"), endian("big")]), vec!["little"]),
        ("float64", json!([endian("little"), endian("big")]), vec!["big"]),
        ("float64", json!([endian("big"), endian("little")]), vec!["big"]),
    ] {
        let mut document = with("codecs", codecs);
        document["data_type"] = json!(data_type);
        assert_eq!(chain(&document).unwrap(), expected, "{document}");
    }
    let after = chain(&with("codecs", json!([gzip(), endian("big")]))).unwrap_err();
    assert_eq!(after.kind(), ErrorKind::Unsupported);
    let mut bare = endian("big");
    bare.as_object_mut().unwrap().remove("configuration");
    for wrong in [endian("middle"), bare] {
        assert_eq!(chain(&with("codecs", json!([wrong]))).unwrap_err().kind(), ErrorKind::Format);
    }
}

#[test]
fn the_order_of_dimensions_is_reversed_before_the_codecs() {
    let mut document = with("chunk_memory_layout", json!("F"));
    document["codecs"] = json!([endian("big"), gzip()]);
    assert_eq!(chain(&document).unwrap(), ["transpose", "big", "gzip"]);
}

#[test]
fn shards_and_unknown_transformers_are_kept_for_the_store() {
    let transformer = |extension: &str| json!([{ "extension": extension, "type": "indexed", "configuration": { "chunks_per_shard": [2, 2] } }]);
    for uri in [
        "https://purl.org/zarr/spec/extensions/storage_transformers/sharding/1.0",
        "https://example.org/mirror",
    ] {
        let array = parse(&with("storage_transformers", transformer(uri))).unwrap();
        assert_eq!(array.storage_transformers[0].extension, uri);
    }
    assert!(parse(&with("storage_transformers", json!([]))).unwrap().storage_transformers.is_empty());
    assert_eq!(parse(&with("storage_transformers", json!({}))).unwrap_err().kind(), ErrorKind::Format);
}
