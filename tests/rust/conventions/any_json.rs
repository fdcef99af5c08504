//! Any JSON at all in attributes: an answer, in bounded time.

use proptest::prelude::*;
use serde_json::{Value, json};
use zarr_wasm_conventions::answer;

use super::pyramids::pyramid;
use super::{array, ask, group};

/// The words that conventions look for.
const WORDS: [&str; 56] = [
    "zarr_conventions",
    "uuid",
    "schema",
    "schema_url",
    "spec_url",
    "name",
    "multiscales",
    "layout",
    "asset",
    "derived_from",
    "transform",
    "scale",
    "translation",
    "group",
    "from_group",
    "proj:code",
    "proj:projjson",
    "proj:transform",
    "spatial:dimensions",
    "spatial:transform",
    "spatial:bbox",
    "spatial:shape",
    "ome",
    "version",
    "axes",
    "datasets",
    "path",
    "coordinateTransformations",
    "coordinateSystems",
    "type",
    "omero",
    "channels",
    "window",
    "plate",
    "wells",
    "well",
    "images",
    "image-label",
    "labels",
    "scene",
    "tile_matrix_set",
    "tileMatrices",
    "pixels_per_tile",
    "license",
    "uom",
    "ucum",
    "dggs",
    "units",
    "flag_values",
    "__proto__",
    "affine",
    "sequence",
    "transformations",
    "inputAxes",
    "~/",
    "",
];

const TEXTS: [&str; 20] = [
    "0",
    "1",
    "",
    "..",
    "/",
    "0.4",
    "0.5",
    "0.6rc0",
    "scale",
    "translation",
    "identity",
    "affine",
    "sequence",
    "byDimension",
    "space",
    "https://github.com/zarr-conventions/proj",
    "d35379db-88df-4056-af3a-620245f8e347",
    "days since x",
    "EPSG:",
    "é\u{1F600}",
];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        proptest::sample::select(TEXTS.to_vec()).prop_map(Value::from),
        Just(json!([2.0, 2.0])),
    ];
    leaf.prop_recursive(6, 48, 6, move |inner| {
        let words = proptest::sample::select(WORDS.to_vec());
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((words, inner), 0..6).prop_map(|members| members
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_attributes_at_all_have_an_answer(attributes in any_json()) {
        for node in [group(attributes.clone()), array(&[4, 5], &["y", "x"], attributes.clone())] {
            ask(&json!({ "operation": "examine", "node": node }));
        }
        // An error is an answer too; a panic or a loop is not.
        let declare = json!({ "operation": "declare", "attributes": attributes, "convention": { "known": "proj" } });
        let _ = answer(&declare.to_string());
        let nodes = json!({
            "/": group(attributes.clone()),
            "/0": array(&[4, 5], &["y", "x"], attributes),
            "/1": array(&[2, 2], &[], json!({})),
        });
        let _ = pyramid("/", &nodes, &json!({}));
    }
}

#[test]
fn deep_documents_are_refused_without_recursion() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let request =
        format!("{{\"operation\":\"examine\",\"node\":{{\"kind\":\"group\",\"attributes\":{deep}}}}}");
    assert!(answer(&request).unwrap_err().to_string().contains("nesting"));
}

#[test]
fn long_documents_take_no_longer_than_they_are() {
    let entry = |idx: u32| json!({ "asset": idx.to_string(), "derived_from": (idx + 1).to_string() });
    let layout: Vec<Value> = (0..100_000).map(entry).collect();
    let declarations: Vec<Value> = (0..100_000).map(|_| json!({ "name": 1 })).collect();
    let node = group(json!({ "multiscales": { "layout": layout }, "zarr_conventions": declarations }));
    let found = ask(&json!({ "operation": "examine", "node": node }));
    assert!(found["conventions"][0]["findings"].as_array().unwrap().len() <= 203);
    assert!(found["findings"].as_array().unwrap().len() <= 201);
}
