//! Paths in attributes as people write them, and what follows from those that are none.

use serde_json::{Value, json};

use super::pyramids::pyramid;
use super::{array, group};

fn level(path: Value) -> Value {
    json!({ "path": path, "coordinateTransformations": [{ "type": "scale", "scale": [1.0, 1.0] }] })
}

fn image(datasets: Value) -> Value {
    let axes = json!([{ "name": "y", "type": "space" }, { "name": "x", "type": "space" }]);
    group(json!({ "multiscales": [{ "version": "0.4", "axes": axes, "datasets": datasets }] }))
}

fn plane(size: u32) -> Value {
    array(&[size, size], &["y", "x"], json!({}))
}

fn paths(model: &Value) -> Vec<&str> {
    model["levels"].as_array().unwrap().iter().map(|level| level["path"].as_str().unwrap()).collect()
}

fn messages(model: &Value, rule: &str) -> Vec<String> {
    let findings = model["findings"].as_array().unwrap().iter();
    let own = findings.filter(|finding| finding["rule"] == rule);
    own.map(|finding| finding["message"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn levels_of_ome_have_relative_paths_and_numbers() {
    for path in [json!("./0"), json!("0/"), json!("a/../0"), json!(".\\0"), json!("../g/0"), json!(0)] {
        let nodes = json!({ "/g": image(json!([level(path.clone())])), "/g/0": plane(8) });
        let model = pyramid("/g", &nodes, &json!({})).unwrap();
        assert_eq!((paths(&model), &model["findings"]), (vec!["/g/0"], &json!([])), "{path}");
    }
    let above = json!({ "/g": image(json!([level(json!("..\\..0"))])), "/..0": plane(8) });
    assert_eq!(paths(&pyramid("/g", &above, &json!({})).unwrap()), ["/..0"]);
}

#[test]
fn a_level_without_a_usable_path_is_reported_and_the_others_go_on() {
    for path in [json!("../../0"), json!(null), json!({}), json!(1.5)] {
        let nodes = json!({ "/g": image(json!([level(path.clone()), level(json!("1"))])), "/g/1": plane(4) });
        let model = pyramid("/g", &nodes, &json!({})).unwrap();
        assert_eq!(paths(&model), ["/g/1"]);
        let found = messages(&model, "pyramid/path");
        assert!(found.len() == 1 && found[0].contains("/multiscales/0/datasets/0"), "{path}: {found:?}");
        let alone = json!({ "/g": image(json!([level(path)])) });
        let error = pyramid("/g", &alone, &json!({})).unwrap_err();
        assert!(error.contains("no level") && error.contains("/multiscales/0/datasets/0"), "{error}");
    }
    // A path to the group itself is not an array.
    let itself = json!({ "/g": image(json!([level(json!(".")), level(json!("1"))])), "/g/1": plane(4) });
    assert_eq!(paths(&pyramid("/g", &itself, &json!({})).unwrap()), ["/g/1"]);
}

#[test]
fn layouts_and_their_sources_have_relative_paths() {
    let layout = json!([
        { "asset": "./0" },
        { "asset": 1, "derived_from": "0", "transform": { "scale": [2.0, 2.0], "translation": [0.0, 0.0] } },
        { "asset": "../../2" },
    ]);
    let nodes = json!({
        "/g": group(json!({ "multiscales": { "layout": layout } })),
        "/g/0": plane(8),
        "/g/1": plane(4),
    });
    let model = pyramid("/g", &nodes, &json!({})).unwrap();
    assert_eq!(paths(&model), ["/g/0", "/g/1"]);
    assert_eq!(model["levels"][1]["scale"], json!([2.0, 2.0]));
    assert_eq!(messages(&model, "pyramid/path").len(), 1);
}

#[test]
fn wells_fields_series_and_labels_have_relative_paths() {
    let wells = json!([{ "path": "./A/1" }, { "path": "../.." }, {}]);
    let nodes = json!({
        "/p": group(json!({ "plate": { "wells": wells } })),
        "/p/A/1": group(json!({ "well": { "images": [{ "path": 0 }, { "path": {} }] } })),
        "/p/A/1/0": image(json!([level(json!("0"))])),
        "/p/A/1/0/0": plane(8),
        "/p/A/1/0/labels": group(json!({ "labels": ["./cells", 1, null] })),
    });
    let model = pyramid("/p", &nodes, &json!({ "image": "./A/1/0" })).unwrap();
    assert_eq!(paths(&model), ["/p/A/1/0/0"]);
    assert_eq!(model["labels"], json!(["/p/A/1/0/labels/cells", "/p/A/1/0/labels/1"]));
    let found = messages(&model, "pyramid/path");
    for attribute in ["/plate/wells/1/path", "/plate/wells/2/path", "/well/images/1/path", "/labels/2"] {
        assert!(found.iter().any(|message| message.contains(attribute)), "{attribute}: {found:?}");
    }
    let none = json!({ "/p": group(json!({ "plate": { "wells": [{ "path": {} }] } })) });
    let error = pyramid("/p", &none, &json!({})).unwrap_err();
    assert!(error.contains("no image") && error.contains("/plate/wells/0/path"), "{error}");
}

/// The reference system of an array `/a/b/v` with a grid mapping, and what else is there.
fn mapped(mapping: Value, at: &str) -> Value {
    let nodes = json!({
        "/a/b/v": array(&[8, 8], &["y", "x"], json!({ "grid_mapping": mapping })),
        at: array(&[], &[], json!({ "crs_wkt": "PROJCRS[]" })),
    });
    pyramid("/a/b/v", &nodes, &json!({})).unwrap()
}

#[test]
fn a_grid_mapping_is_found_by_path_and_in_the_groups_above() {
    let found = json!({ "wkt2": "PROJCRS[]", "source": "grid_mapping" });
    let cases = [
        ("crs", "/a/b/crs"),
        ("./crs", "/a/b/crs"),
        ("crs", "/a/crs"),
        ("crs", "/crs"),
        ("../crs", "/a/crs"),
        ("/crs", "/crs"),
        ("/a/crs: x y", "/a/crs"),
        ("..\\crs", "/a/crs"),
    ];
    for (mapping, at) in cases {
        assert_eq!(mapped(json!(mapping), at)["crs"], found, "{mapping} at {at}");
    }
    // A path is taken as it is: no other group is searched.
    assert_eq!(mapped(json!("./crs"), "/crs")["crs"], Value::Null);
    for mapping in [json!({}), json!("../../../crs")] {
        let model = mapped(mapping.clone(), "/crs");
        assert_eq!(messages(&model, "pyramid/path").len(), 1, "{mapping}");
    }
}
