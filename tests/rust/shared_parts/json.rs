//! Documents in JSON. They have no offsets, but members that count for many others: the template of
//! many references, the axes of all datasets, the transformation of a pyramid, the path of a plate.
//! Each case has a long value and many items that use it, half of the document each.

use zarr_wasm::access::binding::Binding;
use zarr_wasm::format::metadata::consolidated::Consolidated;
use zarr_wasm::format::metadata::{Draft, NodeMetadata};
use zarr_wasm::format::path::NodePath;
use zarr_wasm::metadata::{NodeDocument, ZARR_JSON, ZARRAY, ZATTRS, ZGROUP, ZarrFormat, parse};
use zarr_wasm_engine::internals::store::reference::document::References;

use crate::measure::{check, check_with_floor};

/// Items in a list or an object, each with its number instead of `#`, of half of `len` bytes.
fn many(item: &str, len: usize) -> String {
    let count = len / 2 / (item.len() + 4);
    (0..count).map(|at| item.replace('#', &at.to_string())).collect::<Vec<_>>().join(",")
}

/// A document with a long value of half of `len` bytes instead of `@`, and many items in that
/// of `%`.
fn filled(document: &str, long: &str, item: &str, len: usize) -> String {
    let long = if long.len() == 1 { long.repeat(len / 2) } else { many(long, len) };
    document.replace('@', &long).replace('%', &many(item, len))
}

/// Everything that opening a node does with its documents.
fn open(format: ZarrFormat, texts: &[(&str, &str)]) {
    let texts: Vec<_> = texts.iter().map(|(suffix, text)| (*suffix, text.as_bytes())).collect();
    let document = NodeDocument::read(format, &texts);
    if let Ok(NodeMetadata::Array(array)) = document.and_then(|document| parse(&document)) {
        drop((array.chunk_key_encoding.encode(&[1]), Binding::of(*array)));
    }
}

/// A document, its long value, and its items.
type Case = (&'static str, &'static str, &'static str);

const V3: [Case; 8] = [
    (
        r#"{"zarr_format":3,"node_type":"array","shape":[%],"dimension_names":["@"],"data_type":"int8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}},"fill_value":0,"codecs":["bytes"]}"#,
        "a",
        "#",
    ),
    (
        r#"{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int8","chunk_grid":{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[%]]}},"fill_value":0,"codecs":["bytes"],"attributes":{"a":"@"}}"#,
        "a",
        "[1,4000000]",
    ),
    (
        r#"{"zarr_format":3,"node_type":"array","shape":[4],"data_type":{"name":"struct","configuration":{"fields":[{"name":"@","data_type":"int8"},%]}},"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"fill_value":"AA==","codecs":["bytes"]}"#,
        "a",
        r##"{"name":"f#","data_type":"float64"}"##,
    ),
    (
        r#"{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"fill_value":0,"codecs":["bytes",%],"attributes":{"@":1}}"#,
        "a",
        r#"{"name":"gzip","configuration":{"level":1}}"#,
    ),
    (
        r#"{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"fill_value":0,"codecs":[%,"bytes"],"attributes":{"@":1}}"#,
        "a",
        r#"{"name":"transpose","configuration":{"order":[0]}}"#,
    ),
    (
        r#"{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"string","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"fill_value":"@","codecs":["vlen-utf8"],"dimension_names":[%]}"#,
        "a",
        r##""d#""##,
    ),
    (
        r#"{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"fill_value":0,"codecs":["bytes"],"chunk_key_encoding":{"name":"template","configuration":{"template":"@%"}}}"#,
        "a",
        "{0}",
    ),
    (
        r#"{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"fill_value":0,"codecs":[{"name":"cast_value","configuration":{"data_type":"int8","scalar_map":{"encode":[%]}}},"bytes"],"attributes":{"@":1}}"#,
        "a",
        "[#,1]",
    ),
];

const V2: [Case; 4] = [
    (
        r#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":[["@","<i4"],%],"compressor":null,"fill_value":null,"order":"C","filters":null}"#,
        "a",
        r##"["n#","<i4",[2,2]]"##,
    ),
    (
        r#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"|O","compressor":null,"fill_value":"@","order":"C","filters":[{"id":"vlen-utf8"},%]}"#,
        "a",
        r#"{"id":"shuffle"}"#,
    ),
    (
        r#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"|O","compressor":null,"fill_value":"@","order":"C","filters":[{"id":"categorize","labels":["@",%],"dtype":"|O","astype":"|u1"}]}"#,
        "a",
        r##""l#""##,
    ),
    (
        r#"{"zarr_format":2,"shape":[%],"chunks":[%],"dtype":"<i4","compressor":{"id":"@"},"fill_value":0,"order":"C","filters":null}"#,
        "a",
        "4",
    ),
];

#[test]
fn metadata() {
    for (document, long, item) in V3 {
        let make = |len: usize| filled(document, long, item, len);
        check(document, make, |text| open(ZarrFormat::V3, &[(ZARR_JSON, text)]));
    }
    for (document, long, item) in V2 {
        let make = |len: usize| filled(document, long, item, len);
        check(document, make, |text| {
            open(ZarrFormat::V2, &[(ZARRAY, text), (ZATTRS, r#"{"a":1}"#), (ZGROUP, text)]);
        });
    }
    for draft in [Draft::October2020, Draft::May2022] {
        for (document, long, item) in V3 {
            let make = |len: usize| filled(document, long, item, len);
            check("a draft", make, |text| {
                open(ZarrFormat::Draft(draft), &[(".array.json", text), (ZARR_JSON, text)]);
            });
        }
    }
}

#[test]
fn consolidated_metadata() {
    let v2 = r#"{"zarr_consolidated_format":1,"metadata":{".zattrs":{"a":"@"},%}}"#;
    let v3 = r#"{"zarr_format":3,"node_type":"group","attributes":{"a":"@"},"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{%}}}"#;
    let [group_of_v2, group_of_v3] =
        [r##""a/b/n#/.zgroup":{"zarr_format":2}"##, r##""a/b/n#":{"zarr_format":3,"node_type":"group"}"##];
    for (document, format, item) in [
        (v2, ZarrFormat::V2, group_of_v2),
        (v3, ZarrFormat::V3, group_of_v3),
        (v3, ZarrFormat::V3, r#""a":{"zarr_format":3,"node_type":"group"}"#),
        (v2, ZarrFormat::V2, r#""a/.zgroup":{"zarr_format":2}"#),
        (v3, ZarrFormat::V3, r##""#":1"##),
    ] {
        let make = |len: usize| filled(document, "a", item, len);
        check_with_floor(document, 1 << 20, make, |text| {
            if let Ok(Some(index)) = Consolidated::index(text.as_bytes(), format) {
                drop((index.contents(), index.children(&NodePath::root())));
            }
        });
    }
}

#[test]
fn references() {
    for (document, long, item) in [
        (r#"{"version":1,"templates":{"t":"@"},"refs":{%}}"#, "a", r##""k#":["{{t}}",0,1]"##),
        (r#"{"version":1,"templates":{"t":"{{x}}@"},"refs":{%}}"#, "a", r##""k#":["{{t(x=#)}}",0,1]"##),
        (r#"{"version":1,"templates":{"t":"@",%},"refs":{"k":["{{u1}}"]}}"#, "a", r##""u#":"{{t}}{{t}}""##),
        (
            r#"{"version":1,"gen":[%],"templates":{"t":"@"},"refs":{}}"#,
            "a",
            r#"{"key":"{{t}}{{i}}","url":"{{t}}","dimensions":{"i":{"stop":3}}}"#,
        ),
        (
            r#"{"version":1,"gen":[{"key":"{{i}}{{j}}","url":"{{j}}","dimensions":{"i":[%],"j":["@"]}}],"refs":{}}"#,
            "a",
            r##""a long name of a chunk, whose number is #""##,
        ),
        (r#"{"@":["u"],%}"#, "a", r##""k#":["@",#,1]"##),
        (r#"{"a/@":"",%}"#, "/", r##""a/#":"base64:AAAA""##),
    ] {
        let item = item.replace('@', "u");
        let make = |len: usize| filled(document, long, &item, len);
        check_with_floor(document, 6 << 20, make, |text| {
            drop(References::parse(text.as_bytes().to_vec()));
        });
    }
}

/// Attributes with a long value and many items.
const ATTRIBUTES: [Case; 14] = [
    (
        r#"{"zarr_conventions":[{"uuid":"u","schema_url":"@","name":"n"},%]}"#,
        "a",
        r#"{"uuid":"u","name":"n"}"#,
    ),
    (
        r#"{"ome":{"version":"0.5","multiscales":[{"axes":[{"name":"y","type":"space"},{"name":"x","type":"space"}],"datasets":[%],"coordinateTransformations":[@]}]}}"#,
        r#"{"type":"scale","scale":[1,1]}"#,
        r##"{"path":"#","coordinateTransformations":[{"type":"scale","scale":[1,1]}]}"##,
    ),
    (
        r#"{"ome":{"version":"0.5","multiscales":[{"axes":[@],"datasets":[%]}]}}"#,
        r##"{"name":"a#","type":"space","unit":"meter"}"##,
        r##"{"path":"#","coordinateTransformations":[{"type":"scale","scale":[1]}]}"##,
    ),
    (
        r#"{"ome":{"version":"0.5","multiscales":[%],"omero":{"channels":[@]}}}"#,
        r##"{"label":"c#","color":"FF0000","window":{"start":0,"end":9}}"##,
        r#"{"axes":[{"name":"y"},{"name":"x"}],"datasets":[{"path":"0"}]}"#,
    ),
    (
        r#"{"ome":{"version":"0.5","multiscales":[{"name":"@","axes":[{"name":"y"},{"name":"x"}],"datasets":[%]}]}}"#,
        "a",
        r#"{"path":"0"}"#,
    ),
    (
        r#"{"ome":{"version":"0.5","plate":{"rows":[@],"columns":[%],"wells":[{"path":"A/1","rowIndex":0,"columnIndex":0}]}}}"#,
        r##"{"name":"r#"}"##,
        r##"{"name":"c#"}"##,
    ),
    (
        r#"{"ome":{"version":"0.5","plate":{"name":"@","rows":[{"name":"A"}],"columns":[{"name":"1"}],"wells":[%]}}}"#,
        "a",
        r#"{"path":"A/1","rowIndex":0,"columnIndex":0}"#,
    ),
    (
        r#"{"ome":{"version":"0.5","image-label":{"colors":[@],"properties":[%]}}}"#,
        r##"{"label-value":#,"rgba":[1,2,3,4]}"##,
        r##"{"label-value":#,"p":"a"}"##,
    ),
    (
        r#"{"multiscales":{"layout":[{"asset":"@"},%]}}"#,
        "a",
        r##"{"asset":"#","derived_from":"0","transform":{"scale":[2,2]}}"##,
    ),
    (r#"{"multiscales":{"layout":[%],"resampling_method":"@"}}"#, "a", r#"{"asset":"0","derived_from":"0"}"#),
    (r#"{"proj:wkt2":"@","spatial:dimensions":[%],"spatial:transform":[1,0,0,0,1,0]}"#, "a", r#""y""#),
    (
        r#"{"proj:projjson":{"type":"@","components":[%]},"spatial:dimensions":["y","x"]}"#,
        "a",
        r#"{"name":"n"}"#,
    ),
    (r#"{"units":"@","flag_values":[%],"flag_meanings":"@"}"#, "a ", "#"),
    (r#"{"license":"@","coordinates":"@","_ARRAY_DIMENSIONS":[%]}"#, "a", r##""d#""##),
];

const ARRAY: &str = r#""kind":"array","shape":[3,64],"dimension_names":["y","x"],"data_type":"float32""#;
const GROUP: &str = r#""kind":"group""#;

#[test]
fn attributes() {
    for (attributes, long, item) in ATTRIBUTES {
        for (operation, kind) in
            [("examine", ARRAY), ("examine", GROUP), ("pyramid", GROUP), ("packing", ARRAY)]
        {
            let make = |len: usize| {
                let attributes = filled(attributes, long, item, len);
                let node = format!(r#"{{"path":"/a","format":3,{kind},"attributes":{attributes}}}"#);
                let level = format!(r#"{{"path":"/a/0","format":3,{ARRAY},"attributes":{{}}}}"#);
                match operation {
                    "pyramid" => format!(
                        r#"{{"operation":"pyramid","root":"/a","nodes":{{"/a":{node},"/a/0":{level}}}}}"#
                    ),
                    "packing" => format!(r#"{{"operation":"packing","node":{node},"wanted":{{}}}}"#),
                    _ => format!(r#"{{"operation":"{operation}","node":{node}}}"#),
                }
            };
            check_with_floor(&format!("{operation} of {attributes}"), 1 << 20, make, |request| {
                drop(zarr_wasm_conventions::answer(request));
            });
        }
    }
}
