//! Declarations of both texts, conventions without a declaration, and declaring one.

use serde_json::{Value, json};
use zarr_wasm_conventions::answer;

use super::{array, ask, errors, group};

const EARLY_PROJ: &str =
    "https://raw.githubusercontent.com/zarr-experimental/geo-proj/refs/tags/v0.1.0/schema.json";

fn rules(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["rule"].as_str().unwrap()).collect()
}

fn node_of_both_texts() -> Value {
    group(json!({
        "zarr_conventions": [
            { "schema": EARLY_PROJ, "name": "a name that means nothing" },
            { "uuid": "D35379DB-88DF-4056-AF3A-620245F8E347", "name": "multiscales" },
            { "name": "proj:" },
            { "spec": "https://example.com/sensor/v2/README.md", "name": "sensor:", "colour": "red" },
            { "spec_url": "https://github.com/zarr-conventions/spatial/blob/v7/README.md" },
        ],
        "proj:code": "EPSG:4326",
        "proj:transform": [1.0, 0.0, 0.0, 0.0, -1.0, 90.0],
        "multiscales": { "layout": [{ "group": "a", "proj:shape": [1, 2] }, { "group": "b", "from_group": "a", "scale": [2.0, 2.0] }] },
        "sensor:serial": 7,
        "other": { "sensor:gain": 2 },
    }))
}

#[test]
fn the_early_draft_and_todays_text_are_told_apart() {
    let found = ask(&json!({ "operation": "examine", "node": node_of_both_texts() }));
    let conventions = found["conventions"].as_array().unwrap();
    let field = |name: &str| conventions.iter().map(|one| one[name].clone()).collect::<Vec<_>>();
    assert_eq!(field("known"), [json!("proj"), json!("multiscales"), Value::Null, json!("spatial")]);
    assert_eq!(field("form"), [json!("early"), json!("current"), json!("early"), json!("current")]);
    assert_eq!(field("declared"), vec![json!(true); 4]);
    assert_eq!(conventions[0]["version"], "v0.1.0");
    assert_eq!(conventions[0]["label"], "a name that means nothing");
    assert_eq!(conventions[3]["label"], "https://github.com/zarr-conventions/spatial/blob/v7/README.md");
    assert!(rules(&found["findings"]).contains(&"zarr_conventions/no-identifier"));
    assert!(rules(&found["findings"]).contains(&"zarr_conventions/extra-field"));
    assert!(rules(&conventions[3]["findings"]).contains(&"spatial/unknown-version"));
    assert!(!rules(&conventions[0]["findings"]).contains(&"proj/unknown-version"));
}

#[test]
fn properties_are_recognised_by_prefix_and_key_also_inside_others() {
    let found = ask(&json!({ "operation": "examine", "node": node_of_both_texts() }));
    let conventions = &found["conventions"];
    assert_eq!(conventions[0]["keys"], json!(["proj:code", "proj:transform"]));
    assert_eq!(conventions[0]["extends"], json!(["/multiscales/layout/0/proj:shape"]));
    assert_eq!(conventions[1]["keys"], json!(["multiscales"]));
    assert_eq!(conventions[2]["keys"], json!(["sensor:serial"]));
    assert_eq!(conventions[2]["extends"], json!(["/other/sensor:gain"]));
}

#[test]
fn members_are_found_in_one_walk_and_not_inside_those_of_their_own_convention() {
    let declared = json!([
        { "spec_url": "https://example.com/a", "name": "a:" },
        { "spec_url": "https://example.com/ab", "name": "a:b" },
        { "spec_url": "https://example.com/again", "name": "a:" },
        { "spec_url": "https://example.com/none" },
    ]);
    let inner = json!({ "a:x": { "a:y": 1 }, "a:b:z": { "a:b:deep": 1, "a:deep": 1 }, "~/": [{ "a:w": 1 }] });
    let node = group(json!({ "zarr_conventions": declared, "a:root": { "a:v": 1 }, "o": inner }));
    let found = ask(&json!({ "operation": "examine", "node": node }));
    let extends: Vec<&Value> =
        found["conventions"].as_array().unwrap().iter().map(|one| &one["extends"]).collect();
    let of_a = json!(["/a:root/a:v", "/o/a:b:z", "/o/a:x", "/o/~0~1/0/a:w"]);
    assert_eq!(extends, [&of_a, &json!(["/o/a:b:z"]), &of_a, &json!([])]);
    assert_eq!(found["conventions"][2]["keys"], json!(["a:root"]));
}

#[test]
fn declarations_beyond_the_bound_are_not_read_and_that_is_an_error() {
    let examined = |count: usize| {
        let declared: Vec<Value> = (0..count)
            .map(|at| json!({ "spec_url": format!("https://example.com/{at}"), "name": "x:" }))
            .collect();
        let node = group(json!({ "zarr_conventions": declared, "x:y": 1, "license": "MIT" }));
        let found = ask(&json!({ "operation": "examine", "node": node }));
        let too_many = rules(&found["findings"]).contains(&"zarr_conventions/too-many");
        (found["conventions"].as_array().unwrap().len(), too_many)
    };
    assert_eq!(examined(256), (256, false));
    assert_eq!(examined(257), (256, true));
    assert_eq!(examined(20_000), (256, true));
}

#[test]
fn a_convention_that_is_declared_twice_is_checked_once() {
    let spatial = json!({ "uuid": "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4", "name": "spatial:" });
    let by_url = json!({ "schema_url": "https://raw.githubusercontent.com/zarr-conventions/spatial/refs/tags/v1/schema.json", "name": "spatial" });
    let node = group(json!({ "zarr_conventions": [spatial, spatial, by_url], "spatial:bbox": [1] }));
    let found = ask(&json!({ "operation": "examine", "node": node }));
    let list = found["conventions"].as_array().unwrap();
    let counts: Vec<usize> = list.iter().map(|one| one["findings"].as_array().unwrap().len()).collect();
    assert_eq!(counts, [1, 0, 0]);
    assert!(list.iter().all(|one| one["keys"] == json!(["spatial:bbox"]) && one["known"] == "spatial"));
    assert!(rules(&found["findings"]).contains(&"zarr_conventions/duplicate"));
}

#[test]
fn names_that_many_declarations_multiply_have_a_bound() {
    let declared: Vec<Value> =
        (0..256).map(|at| json!({ "spec_url": format!("https://example.com/{at}"), "name": "x:" })).collect();
    let named = |length: usize, members: usize| {
        let long = "k".repeat(length);
        let inner: serde_json::Map<String, Value> =
            (0..members).map(|at| (format!("x:{at}"), json!(0))).collect();
        let node = group(json!({ "zarr_conventions": declared, long: inner }));
        answer(&json!({ "operation": "examine", "node": node }).to_string())
    };
    assert!(named(100, 100).is_ok());
    let error = named(1000, 1000).unwrap_err();
    assert_eq!(error.kind(), zarr_wasm::error::ErrorKind::Limit, "{error}");
}

#[test]
fn a_registered_convention_is_found_by_its_identifier() {
    let registered = json!([{ "uuid": "AAAAAAAA-0000-0000-0000-000000000000", "key": "sensor" }, { "schemaUrl": "https://example.com/s" }]);
    let declarations = json!([{ "schema": "https://example.com/s" }, { "uuid": "aaaaaaaa-0000-0000-0000-000000000000", "name": "x" }]);
    let node = group(json!({ "zarr_conventions": declarations, "sensor": {}, "x": 1 }));
    let found = ask(&json!({ "operation": "examine", "node": node, "registered": registered }));
    assert_eq!(found["conventions"][0]["registered"], 1);
    assert_eq!(found["conventions"][1]["registered"], 0);
    assert_eq!(found["conventions"][1]["keys"], json!(["sensor"]));
}

fn recognised(node: &Value) -> Vec<String> {
    let found = ask(&json!({ "operation": "examine", "node": node }));
    let list = found["conventions"].as_array().unwrap();
    assert!(list.iter().all(|one| one["declared"] == false));
    list.iter().map(|one| one["known"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn conventions_without_a_declaration_are_recognised() {
    let datasets = json!([{ "path": "0", "pixels_per_tile": 128, "crs": "EPSG:3857" }]);
    let ndpyramid = json!({ "multiscales": [{ "datasets": datasets, "type": "reduce", "metadata": { "version": "0.1" } }] });
    assert_eq!(recognised(&group(ndpyramid)), ["ndpyramid"]);
    assert_eq!(
        recognised(&group(json!({ "multiscales": [{ "version": "0.1", "datasets": [{ "path": "0" }] }] }))),
        ["ome"]
    );
    assert_eq!(
        recognised(&group(json!({ "multiscales": { "tile_matrix_set": "WebMercatorQuad" } }))),
        ["tile_matrix_set"]
    );
    assert_eq!(recognised(&group(json!({ "labels": ["cells"] }))), ["ome"]);
    assert_eq!(recognised(&array(&[3], &["time"], json!({ "units": "days since 2000-01-01" }))), ["CF"]);
    let others = json!({ "units": "m", "labels": ["a"], "license": "MIT", "multiscales": 3, "ome": [] });
    assert_eq!(recognised(&array(&[3], &["x"], others)), Vec::<String>::new());
}

#[test]
fn cf_finds_what_contradicts_itself() {
    let cases = [
        (json!({ "flag_values": [0, 1], "flag_meanings": "land sea" }), ""),
        (json!({ "flag_values": [0, 1], "flag_meanings": "land" }), "CF/flag-meanings"),
        (json!({ "units": "days since 1850-01-01", "calendar": "noleap" }), ""),
        (json!({ "units": "days since 1850-01-01", "calendar": "lunar" }), "CF/calendar"),
        (json!({ "units": "furlongs since 1850-01-01" }), "CF/time-units"),
        (json!({ "scale_factor": "0.1" }), "CF/type"),
        (json!({ "valid_range": [0, 1], "valid_min": 0 }), "CF/valid-range"),
        (json!({ "_FillValue": "AAAAAAAA+H8=", "axis": "X", "positive": "up" }), ""),
        (json!({ "_FillValue": {}, "axis": "W" }), "CF/axis"),
    ];
    for (attributes, rule) in cases {
        let errors = errors(&array(&[3], &["x"], attributes.clone()), "CF");
        let found = errors.iter().any(|error| error.contains(rule));
        assert_eq!(errors.is_empty(), rule.is_empty(), "{attributes}: {errors:?}");
        assert!(errors.is_empty() || found, "{attributes}: {errors:?}");
    }
}

#[test]
fn declaring_replaces_what_is_declared_in_either_form() {
    let attributes = json!({ "zarr_conventions": [{ "schema": EARLY_PROJ }, { "spec": "https://example.com/a" }], "a": 1 });
    let declare = |convention: Value| {
        ask(&json!({ "operation": "declare", "attributes": attributes, "convention": convention }))
    };
    let changed = declare(json!({ "known": "proj", "properties": { "proj:code": "EPSG:4326" } }));
    let list = changed["zarr_conventions"].as_array().unwrap();
    assert_eq!(changed["proj:code"], "EPSG:4326");
    assert_eq!(list[0]["uuid"], "f17cb550-5864-4468-aeb7-f3180cfb622f");
    assert_eq!(list[1], json!({ "spec": "https://example.com/a" }));
    assert_eq!((list.len(), changed.get("a")), (2, None));
    let node = group(json!({ "zarr_conventions": list, "proj:code": "EPSG:4326" }));
    assert_eq!(errors(&node, "proj"), Vec::<String>::new());
    let early = declare(json!({ "known": "multiscales", "form": "early" }));
    let entry = &early["zarr_conventions"][2];
    assert_eq!(
        entry["schema"],
        "https://raw.githubusercontent.com/zarr-experimental/multiscales/refs/tags/v0.1.0/schema.json"
    );
    assert!(entry.get("uuid").is_none());
}

#[test]
fn what_cannot_be_declared_is_refused() {
    let refused = |convention: Value| {
        let request = json!({ "operation": "declare", "attributes": { "a": 1 }, "convention": convention });
        answer(&request.to_string()).unwrap_err().to_string()
    };
    assert!(refused(json!({ "name": "only a name" })).contains("identifies"));
    assert!(refused(json!({ "known": "proj", "properties": { "a": 2 } })).contains("overwrite"));
    assert!(refused(json!({ "known": "projj" })).contains("no convention"));
    assert!(refused(json!({ "known": "proj", "form": "late" })).contains("form"));
}
