//! Reference documents of each form in kerchunk's specification, and invalid and large documents.

use super::*;
use crate::error::ErrorKind;

/// What is under a key, in words.
fn show(references: &References, key: &str) -> String {
    match references.find(&StoreKey::parse(key).unwrap()) {
        None => "absent".to_owned(),
        Some(Reference::Inline { start, len }) => {
            format!("{:?}", String::from_utf8_lossy(&references.inline(start, len).unwrap()))
        }
        Some(Reference::File(url)) => format!("all of {:?}", references.url(url)),
        Some(Reference::Part { url, offset, len }) => format!("{offset}+{len} of {:?}", references.url(url)),
    }
}

fn parse(text: &str) -> References {
    References::parse(text.into()).unwrap()
}

#[test]
fn version_0() {
    let references = parse(
        r#" {"key0": "data", "a/key1": ["s3://b/c", 10000, 100], "a/key2": ["c.nc"], "a/0": "base64:AQID", "a/1": "base64:AQI",
            "t": "a\nb\u00e9", "version": "text", "refs": ["x", 0, 1], "o": {"zarr_format": 2}, "../evil": "x", "n": null,
            "none": [null, 1, 2]} "#,
    );
    for (key, expected) in [
        ("key0", r#""data""#),
        ("a/key1", r#"10000+100 of Some("s3://b/c")"#),
        ("a/key2", r#"all of Some("c.nc")"#),
        ("a/0", r#""\u{1}\u{2}\u{3}""#),
        ("a/1", r#""\u{1}\u{2}""#),
        ("t", r#""a\nbé""#),
        ("version", r#""text""#),
        ("refs", r#"0+1 of Some("x")"#),
        ("o", r#""{\"zarr_format\": 2}""#),
        ("n", "absent"),
        ("none", "1+2 of None"),
    ] {
        assert_eq!(show(&references, key), expected, "{key}");
    }
    assert_eq!(references.skipped(), 1);
}

/// Keys with escapes are not parts of the document.
#[test]
fn of_equal_keys_the_last_one_counts() {
    let references = parse(
        r#"{"a/b": "1", "a/\u0062": "2", "c\u0064": "3", "cd": "4", "/e": "5", "e": "6", "f": "7", "\/f": "8"}"#,
    );
    for (key, expected) in [("a/b", r#""2""#), ("cd", r#""4""#), ("e", r#""6""#), ("f", r#""8""#)] {
        assert_eq!(show(&references, key), expected, "{key}");
    }
    let keys: Vec<_> = references.table().iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["a/b", "cd", "e", "f"]);
    let generated = r#"{"version": 1, "refs": {"v/1": "x", "v/2": "y"},
        "gen": [{"key": "v/{{i}}", "url": "u", "dimensions": {"i": [1]}}]}"#;
    assert_eq!(show(&parse(generated), "v/1"), r#"all of Some("u")"#);
    assert_eq!(show(&parse(generated), "v/2"), r#""y""#);
}

/// The example of the text.
#[test]
fn version_1() {
    let references = parse(
        r#"{"version": 1, "templates": {"u": "server.domain/path", "f": "{{c}}"},
            "gen": [{"key": "gen_key{{i}}", "url": "http://{{u}}_{{i}}", "offset": "{{(i + 1) * 1000}}", "length": "1000",
                     "dimensions": {"i": {"stop": 5}}}],
            "refs": {"key0": "data {{u}}", "key1": ["http://target_url", 10000, 100], "key2": ["http://{{u}}", 10000, 100],
                     "key3": ["http://{{f(c='text')}}", 10000, 100], "key4": ["http://target_url"]}}"#,
    );
    for (key, expected) in [
        ("key0", r#""data {{u}}""#),
        ("key1", r#"10000+100 of Some("http://target_url")"#),
        ("key2", r#"10000+100 of Some("http://server.domain/path")"#),
        ("key3", r#"10000+100 of Some("http://text")"#),
        ("key4", r#"all of Some("http://target_url")"#),
        ("gen_key0", r#"1000+1000 of Some("http://server.domain/path_0")"#),
        ("gen_key4", r#"5000+1000 of Some("http://server.domain/path_4")"#),
        ("gen_key5", "absent"),
    ] {
        assert_eq!(show(&references, key), expected, "{key}");
    }
}

#[test]
fn generated_references_of_several_dimensions() {
    let references = parse(
        r#"{"version": 1, "gen": [{"key": "v/{{i}}.{{j}}.{{k}}", "url": "{{k}}.nc", "offset": 5, "length": "{{j * 2}}",
            "dimensions": {"i": [3, 7], "j": {"start": 4, "stop": 0, "step": -2}, "k": ["a", "b"]}}], "refs": {}}"#,
    );
    assert_eq!(references.table().len(), 8);
    assert_eq!(show(&references, "v/7.2.b"), r#"5+4 of Some("b.nc")"#);
    assert_eq!(show(&references, "v/3.4.a"), r#"5+8 of Some("a.nc")"#);
}

#[test]
fn generated_references_may_span_all_integers() {
    let references = parse(
        r#"{"version": 1, "gen": [{"key": "v/{{i}}", "url": "u", "dimensions":
            {"i": {"start": -9223372036854775808, "stop": 9223372036854775807, "step": 9223372036854775807}}}], "refs": {}}"#,
    );
    assert_eq!(references.table().len(), 3);
    for key in ["v/-9223372036854775808", "v/-1", "v/9223372036854775806"] {
        assert_eq!(show(&references, key), r#"all of Some("u")"#);
    }
}

#[test]
fn invalid_documents_are_rejected() {
    for text in [
        "",
        "[]",
        "1",
        "{",
        r#"{"a": 1}"#,
        r#"{"a": ["u", 1]}"#,
        r#"{"a": ["u", -1, 2]}"#,
        r#"{"a": [1]}"#,
        r#"{"a": ["u", 18446744073709551615, 1]}"#,
        r#"{"a": "x"} x"#,
        r#"{"refs": {"a": 1}}"#,
        r#"{"refs": {"a": ["{{u}}"]}, "templates": {"x": "y"}}"#,
        r#"{"refs": {}, "gen": [{}]}"#,
        "\u{feff}",
    ] {
        assert_eq!(References::parse(text.into()).unwrap_err().kind(), ErrorKind::Format, "{text}");
    }
    assert!(References::parse(b"{\"\xff\": \"\"}".to_vec()).is_err());
    let many = r#"{"refs": {}, "gen": [{"key": "{{i}}{{j}}", "url": "u", "dimensions": {"i": {"stop": 1000000}, "j": {"stop": 1000000}}}]}"#;
    assert_eq!(References::parse(many.into()).unwrap_err().kind(), ErrorKind::Limit);
    let references = parse(r#"{"a": "base64:!"}"#);
    let Some(Reference::Inline { start, len }) = references.find(&StoreKey::parse("a").unwrap()) else {
        panic!("inline")
    };
    assert_eq!(references.inline(start, len).unwrap_err().kind(), ErrorKind::Format);
}

#[test]
fn many_references_need_little_memory() {
    let mut text = String::from("{");
    for at in 0..200_000 {
        text.push_str(&format!(
            "\"v/{}.{}\":[\"https://host/file-{}.nc\",{},4096],",
            at / 500,
            at % 500,
            at / 1000,
            at * 4096
        ));
    }
    text.push_str("\".zgroup\":\"{}\"}");
    let references = parse(&text);
    assert_eq!((references.table().len(), references.urls.len()), (200_001, 200));
    assert_eq!(show(&references, "v/399.499"), r#"819195904+4096 of Some("https://host/file-199.nc")"#);
}

#[test]
fn documents_of_other_kinds_are_named() {
    for (text, name) in [
        (r#"{"snapshot":"VY76P925PRY57WFEK410"}"#, "Icechunk"),
        (r#"{"ome":{"version":"0.5","multiscales":[]}}"#, "OME-Zarr"),
        (r#"{"multiscales":[{"datasets":[]}]}"#, "OME-Zarr"),
        (r#"{"metadata":{".zgroup":{"zarr_format":2}},"record_size":16}"#, "kerchunk Parquet"),
        (r#"{"metadata":{".zgroup":{"zarr_format":2}},"zarr_consolidated_format":1}"#, "consolidated"),
        (r#"{"zarr_format":3,"node_type":"group"}"#, "zarr.json"),
        (r#"{"zarr_format":2,"shape":[1]}"#, ".zarray"),
        (r#"{"zarr_format":2}"#, ".zgroup"),
        (
            r#"{"zarr_format":"https://purl.org/zarr/spec/core/3.0","metadata_encoding":{},"extensions":[]}"#,
            "draft",
        ),
        (r#"{"type":"Feature","stac_version":"1.1.0","assets":{}}"#, "STAC"),
        (r#"{"type":"Catalog","stac_version":"1.1.0","links":[]}"#, "STAC"),
        ("<!doctype html><p>404", "web page"),
        ("<?xml version=\"1.0\"?><Error/>", "XML"),
        ("PK\u{3}\u{4}", "ZIP"),
        ("PAR1", "Parquet file"),
    ] {
        let error = References::parse(text.into()).unwrap_err();
        let expected = if ["Icechunk", "kerchunk Parquet"].contains(&name) {
            ErrorKind::Unsupported
        } else {
            ErrorKind::Format
        };
        assert!(error.message().contains(name), "{text}: {error}");
        assert_eq!(error.kind(), expected, "{text}");
    }
    let hdf5 = References::parse(b"\x89HDF\r\n\x1a\n".to_vec()).unwrap_err();
    assert!(hdf5.message().contains("HDF5"), "{hdf5}");
}
