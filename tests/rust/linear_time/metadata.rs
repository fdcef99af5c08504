//! Metadata: documents of v2, v3 and the drafts, attributes, consolidated metadata.

use zarr_wasm::Result;
use zarr_wasm::access::binding::Binding;
use zarr_wasm::format::metadata::consolidated::Consolidated;
use zarr_wasm::format::metadata::large::DocumentScan;
use zarr_wasm::format::metadata::{Draft, NodeMetadata, lossless};
use zarr_wasm::format::path::NodePath;
use zarr_wasm::metadata::{NodeDocument, ZARR_JSON, ZARRAY, ZATTRS, ZGROUP, ZarrFormat, parse};

use crate::growth::{check, with_items, with_values};

/// Everything that opening a node does with its documents.
fn open(format: ZarrFormat, texts: &[(&str, &str)]) {
    let texts: Vec<_> = texts.iter().map(|(suffix, text)| (*suffix, text.as_bytes())).collect();
    let document = NodeDocument::read(format, &texts);
    if let Ok(NodeMetadata::Array(array)) = document.and_then(|document| parse(&document)) {
        drop((array.chunk_key_encoding.encode(&[1]), Binding::of(*array)));
    }
}

const V3: &str = r#"{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"dimension_names":["x"],"attributes":{}}"#;
const V2: &str = r#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<i4","compressor":null,"fill_value":0,"order":"C","filters":null}"#;

/// The document with another value of a member. The value may have an `@`.
fn with(document: &str, name: &str, value: &str) -> String {
    let mut json: serde_json::Value = serde_json::from_str(&document.replace('@', "\"@\"")).unwrap();
    json[name] = "value".into();
    json.to_string().replacen("\"@\"", "@", 1).replacen("\"value\"", value, 1)
}

/// The document with each value of a top-level member replaced in turn by `@`.
fn holes(document: &str) -> Vec<String> {
    let json: serde_json::Value = serde_json::from_str(document).unwrap();
    let names = json.as_object().unwrap().keys();
    let hole = |name: &String| {
        let mut changed = json.clone();
        changed[name] = "@".into();
        changed.to_string().replacen("\"@\"", "@", 1)
    };
    names.map(hole).chain(["@".to_owned()]).collect()
}

/// Members of documents with a part that is replaced by `@`.
const MEMBERS_OF_V3: [(&str, &str); 19] = [
    ("data_type", r#"{"name":@}"#),
    ("data_type", r#"{"name":"numpy.datetime64","configuration":{"unit":@,"scale_factor":1}}"#),
    ("data_type", r#"{"name":"struct","configuration":{"fields":@}}"#),
    ("chunk_grid", r#"{"name":"regular","configuration":{"chunk_shape":@}}"#),
    ("chunk_grid", r#"{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[@]}}"#),
    ("chunk_key_encoding", r#"{"name":"default","configuration":{"separator":@}}"#),
    ("chunk_key_encoding", r#"{"name":"template","configuration":{"template":@}}"#),
    ("chunk_key_encoding", r#"{"name":"template","configuration":{"template":"{0}","separator":@}}"#),
    (
        "chunk_key_encoding",
        r#"{"name":"suffix","configuration":{"suffix":@,"base-encoding":{"name":"default"}}}"#,
    ),
    ("chunk_key_encoding", r#"{"name":"fanout","configuration":{"max_children":@}}"#),
    ("codecs", r#"[{"name":"bytes","configuration":@}]"#),
    ("codecs", r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":@}}]"#),
    ("codecs", r#"[{"name":"transpose","configuration":{"order":@}},"bytes"]"#),
    ("codecs", r#"[{"name":"cast_value","configuration":{"data_type":"int8","scalar_map":@}},"bytes"]"#),
    ("codecs", r#"["bytes",{"name":"numcodecs.lzma","configuration":{"filters":@}}]"#),
    ("codecs", r#"["bytes",{"name":"blosc","configuration":{"cname":@}}]"#),
    ("dimension_names", "[@]"),
    ("storage_transformers", "[@]"),
    ("extra", r#"{"must_understand":false,"x":@}"#),
];

/// Types of elements, of which a fill value is read.
const FILLED_TYPES: [&str; 9] = [
    r#""float64""#,
    r#""bool""#,
    r#""complex64""#,
    r#""string""#,
    r#""bytes""#,
    r#""r32""#,
    r#"{"name":"fixed_length_utf32","configuration":{"length_bytes":16}}"#,
    r#"{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}"#,
    r#"{"name":"struct","configuration":{"fields":[["a","int8"],["b","float32"]]}}"#,
];

#[test]
fn metadata_of_v3() {
    let read = |text: &str| open(ZarrFormat::V3, &[(ZARR_JSON, text)]);
    for document in holes(V3).into_iter().chain(MEMBERS_OF_V3.map(|(name, value)| with(V3, name, value))) {
        with_values(&document, &document, &read);
    }
    for data_type in FILLED_TYPES {
        let document = with(&with(V3, "fill_value", "@"), "data_type", data_type);
        with_values(&document, &document, &read);
    }
    for (name, list, item) in [
        ("data_type", r#"{"name":"struct","configuration":{"fields":[@]}}"#, r##"["n#","int8"]"##),
        ("data_type", r#"{"name":"struct","configuration":{"fields":[@]}}"#, r##"["n#","r8"]"##),
        ("codecs", "[@]", r##"{"name":"c#"}"##),
        ("codecs", r#"["bytes",@]"#, r#""gzip""#),
        ("codecs", r#"["bytes",@]"#, "\"crc32c\""),
        ("codecs", r#"[@,"bytes"]"#, r#"{"name":"transpose","configuration":{"order":[0]}}"#),
        ("dimension_names", "[@]", r##""d#""##),
        ("attributes", "{@}", r##""a#":{"b":#}"##),
        ("shape", "[@]", "#"),
        ("extra", r#"{"must_understand":false,@}"#, r##""a#":1"##),
        ("storage_transformers", "[@]", r##"{"name":"s#"}"##),
        (
            "chunk_grid",
            r#"{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[@]]}}"#,
            "[#,2]",
        ),
        ("chunk_key_encoding", r#"{"name":"template","configuration":{"template":"@"}}"#, "{0}"),
        (
            "codecs",
            r#"[{"name":"cast_value","configuration":{"data_type":"int8","scalar_map":{"encode":[@]}}},"bytes"]"#,
            "[#,1]",
        ),
    ] {
        with_items(&with(V3, name, list), item, &read);
    }
}

const MEMBERS_OF_V2: [(&str, &str); 10] = [
    ("dtype", r#"[["a",@]]"#),
    ("dtype", r#"[["a","<i4",@]]"#),
    ("filters", r#"[{"id":@}]"#),
    ("filters", r#"[{"id":"delta","dtype":@}]"#),
    ("filters", r#"[{"id":"fixedscaleoffset","offset":@,"scale":@,"dtype":"<f4"}]"#),
    ("filters", r#"[{"id":"categorize","labels":@,"dtype":"|O","astype":"|u1"}]"#),
    ("compressor", r#"{"id":@}"#),
    ("compressor", r#"{"id":"blosc","cname":@,"clevel":@,"shuffle":@}"#),
    ("compressor", r#"{"id":"zstd","level":@}"#),
    ("dimension_separator", "@"),
];

#[test]
fn metadata_of_v2() {
    let read = |text: &str| open(ZarrFormat::V2, &[(ZARRAY, text)]);
    for document in holes(V2).into_iter().chain(MEMBERS_OF_V2.map(|(name, value)| with(V2, name, value))) {
        with_values(&document, &document, &read);
    }
    for data_type in ["<f8", "|S8", "<U4", "|V8", "<c8", "<M8[ns]", "|b1"] {
        let document = with(&with(V2, "fill_value", "@"), "dtype", &format!("\"{data_type}\""));
        with_values(&document, &document, &read);
    }
    for (name, list, item) in [
        ("dtype", "[@]", r##"["n#","<i4"]"##),
        ("dtype", "[@]", r##"["n#","|V1"]"##),
        ("dtype", "[@]", r##"["n#",">i4",[2]]"##),
        ("filters", "[@]", r##"{"id":"f#"}"##),
        ("filters", "[@]", r#"{"id":"shuffle"}"#),
        ("filters", r#"[{"id":"categorize","labels":[@],"dtype":"|O","astype":"|u1"}]"#, r##""l#""##),
        ("chunks", "[@]", "#"),
    ] {
        with_items(&with(V2, name, list), item, &read);
    }
    let group = r#"{"zarr_format":2}"#;
    with_values(".zattrs", "@", &|text| open(ZarrFormat::V2, &[(ZGROUP, group), (ZATTRS, text)]));
}

#[test]
fn metadata_of_the_drafts() {
    const ENTRY: &str = r#"{"zarr_format":"https://purl.org/zarr/spec/protocol/core/3.0","metadata_encoding":"https://purl.org/zarr/spec/protocol/core/3.0","metadata_key_suffix":".json","extensions":[]}"#;
    for draft in [Draft::October2020, Draft::May2022] {
        let format = ZarrFormat::Draft(draft);
        with_values("an array of a draft", "@", &|text| {
            open(format, &[(ZARR_JSON, ENTRY), (".array.json", text)])
        });
        with_values("an entry point", "@", &|text| open(format, &[(ZARR_JSON, text)]));
    }
}

#[test]
fn attributes() {
    with_values("marks of attributes", "@", &|text| drop(lossless::mark(text, true)));
}

#[test]
fn large_documents() {
    let scan = |scan: Result<DocumentScan>| {
        let Ok(mut scan) = scan else { return };
        while scan.step(4096) {}
        drop((scan.own_text(), scan.without_attributes().is_some()));
    };
    let of_node = |text: &str| scan(DocumentScan::new(text.as_bytes().to_vec(), ZarrFormat::V3));
    for document in [
        "@",
        r#"{"zarr_format":3,"node_type":"group","attributes":@}"#,
        r#"{"zarr_format":3,"attributes":{"multiscales":@},"node_type":"group"}"#,
        r#"{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","metadata":@}}"#,
    ] {
        with_values(document, document, &of_node);
    }
    with_values("attributes of v2", "@", &|text| {
        scan(DocumentScan::of_attributes(text.as_bytes().to_vec()));
    });
}

#[test]
fn consolidated_metadata() {
    let index = |text: &str, format| {
        if let Ok(Some(index)) = Consolidated::index(text.as_bytes(), format) {
            drop((index.contents(), index.children(&NodePath::root())));
        }
    };
    let v2 = r#"{"zarr_consolidated_format":1,"metadata":@}"#;
    let v3 = r#"{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":@}}"#;
    with_values("consolidated v2", v2, &|text| index(text, ZarrFormat::V2));
    with_values("consolidated v3", v3, &|text| index(text, ZarrFormat::V3));
    for (document, format, value) in [
        (v2, ZarrFormat::V2, r#"{"zarr_format":2}"#),
        (v3, ZarrFormat::V3, r#"{"zarr_format":3,"node_type":"group"}"#),
    ] {
        let suffix = if format == ZarrFormat::V2 { "/.zgroup" } else { "" };
        for folder in ["", &"a/".repeat(100)] {
            let nodes = |len: usize| {
                let entry = |at| format!("\"{folder}n{at}{suffix}\":{value}");
                let entries: Vec<_> = (0..len / (64 + folder.len())).map(entry).collect();
                document.replacen('@', &format!("{{{}}}", entries.join(",")), 1)
            };
            check("nodes of consolidated metadata", &nodes, &|text| index(text, format));
        }
    }
}
