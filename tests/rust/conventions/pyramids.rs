//! The one model, from every convention of levels. Expected numbers are worked out by hand from
//! each convention's text.

use serde_json::{Value, json};
use zarr_wasm_conventions::answer;

use super::{array, errors, group};

/// Answers every question of a pyramid from these nodes.
pub fn pyramid(root: &str, nodes: &Value, options: &Value) -> Result<Value, String> {
    let mut known = serde_json::Map::new();
    for _ in 0..10 {
        let mut request = json!({ "operation": "pyramid", "root": root, "nodes": known });
        for (key, value) in options.as_object().unwrap() {
            request[key] = value.clone();
        }
        let step = answer(&request.to_string()).map_err(|error| error.to_string())?;
        let step: Value = serde_json::from_str(&step).unwrap();
        if step.get("nodes").is_none() {
            return Ok(step);
        }
        let lists =
            ["nodes", "arrays", "optional"].into_iter().flat_map(|list| step[list].as_array().unwrap());
        for path in lists.filter_map(Value::as_str) {
            let mut node = nodes.get(path).cloned().unwrap_or(Value::Null);
            node.as_object_mut().map(|node| node.remove("children"));
            known.insert(path.to_owned(), node);
        }
        for path in step["listings"].as_array().unwrap().iter().filter_map(Value::as_str) {
            known.insert(path.to_owned(), nodes[path].clone());
        }
    }
    panic!("the questions have no end");
}

fn model(nodes: &Value) -> Value {
    pyramid("/", nodes, &json!({})).unwrap()
}

/// Scale and translation of every level.
fn positions(model: &Value) -> Vec<(Value, Value)> {
    let levels = model["levels"].as_array().unwrap();
    levels.iter().map(|level| (level["scale"].clone(), level["translation"].clone())).collect()
}

#[test]
fn a_layout_gets_positions_from_its_affines_and_their_relations() {
    let layout = json!([
        { "asset": "1", "derived_from": "0", "transform": { "scale": [2.0, 2.0], "translation": [0.0, 0.0] } },
        { "asset": "0", "spatial:transform": [10.0, 0.0, 500_000.0, 0.0, -10.0, 5_000_000.0] },
        { "asset": "2", "derived_from": "1", "transform": { "scale": [2.0, 2.0] } },
        { "asset": "gone" },
    ]);
    let nodes = json!({
        "/g": group(json!({ "multiscales": { "layout": layout }, "proj:code": "EPSG:32633", "spatial:dimensions": ["Y", "X"] })),
        "/g/0": array(&[3, 8, 12], &["band", "Y", "X"], json!({})),
        "/g/1": array(&[3, 4, 6], &["band", "Y", "X"], json!({})),
        "/g/2": array(&[3, 2, 3], &["band", "Y", "X"], json!({})),
    });
    let model = pyramid("/g", &nodes, &json!({})).unwrap();
    assert_eq!(model["convention"], "multiscales");
    assert_eq!(model["crs"], json!({ "code": "EPSG:32633", "source": "proj" }));
    assert_eq!((&model["axes"][0]["role"], &model["placed"]), (&json!("c"), &json!(true)));
    // Centres: half an element from the corner at 500000, 5000000.
    let expected = [
        (json!([1.0, -10.0, 10.0]), json!([0.0, 4_999_995.0, 500_005.0])),
        (json!([1.0, -20.0, 20.0]), json!([0.0, 4_999_990.0, 500_010.0])),
        (json!([1.0, -40.0, 40.0]), json!([0.0, 4_999_980.0, 500_020.0])),
    ];
    assert_eq!(positions(&model), expected);
    assert_eq!(model["findings"][0]["rule"], "pyramid/missing-level");
}

fn two_levels(mut attributes: Value) -> Value {
    let transform = json!({ "scale": [2, 2], "translation": [0.5, 0.5] });
    attributes["multiscales"] = json!({ "layout": [{ "asset": "0" }, { "asset": "1", "derived_from": "0", "transform": transform }] });
    json!({
        "/": group(attributes),
        "/0": array(&[8, 8], &["y", "x"], json!({})),
        "/1": array(&[4, 4], &["y", "x"], json!({})),
    })
}

#[test]
fn levels_whose_attributes_pack_their_elements_are_marked() {
    let mut nodes = two_levels(json!({}));
    nodes["/1"]["attributes"] = json!({ "valid_range": [0, 10] });
    let model = model(&nodes);
    assert_eq!((&model["levels"][0]["packed"], &model["levels"][1]["packed"]), (&json!(false), &json!(true)));
}

#[test]
fn counting_from_centres_and_node_registration_are_understood() {
    let without = model(&two_levels(json!({})));
    assert_eq!(without["placed"], false);
    assert_eq!(
        positions(&without),
        [(json!([1.0, 1.0]), json!([0.0, 0.0])), (json!([2.0, 2.0]), json!([0.5, 0.5]))]
    );
    let nodes =
        json!({ "spatial:registration": "node", "spatial:transform": [1.0, 0.0, 100.0, 0.0, 1.0, 50.0] });
    let nodes = model(&two_levels(nodes));
    assert_eq!(
        positions(&nodes),
        [(json!([1.0, 1.0]), json!([50.0, 100.0])), (json!([2.0, 2.0]), json!([50.5, 100.5]))]
    );
    // A bounding box says as much as an affine: x from 0 to 80, y from 0 to 40.
    let boxed = model(&two_levels(json!({ "spatial:bbox": [0.0, 0.0, 80.0, 40.0] })));
    assert_eq!(positions(&boxed)[0], (json!([-5.0, 10.0]), json!([37.5, 5.0])));
}

#[test]
fn rotated_planes_keep_their_affine() {
    let plane =
        json!({ "spatial:dimensions": ["y", "x"], "spatial:transform": [0.0, 2.0, 10.0, 2.0, 0.0, 20.0] });
    let model = pyramid("/a", &json!({ "/a": array(&[4, 4], &["y", "x"], plane) }), &json!({})).unwrap();
    assert_eq!(model["convention"], "array");
    assert_eq!(model["levels"][0]["affine"], json!([0.0, 2.0, 11.0, 2.0, 0.0, 21.0]));
    assert_eq!(model["levels"][0]["scale"], json!([2.0, 2.0]));
}

fn scaled(by: f64) -> Value {
    json!([{ "type": "scale", "scale": [1.0, by, by] }, { "type": "translation", "translation": [0.0, 1.0, 2.0] }])
}

fn axes() -> Value {
    json!([{ "name": "c", "type": "channel" }, { "name": "y", "type": "space", "unit": "micrometer" }, { "name": "x", "type": "space" }])
}

fn ome(attributes: Value) -> Value {
    model(&json!({
        "/": group(attributes),
        "/0": array(&[2, 8, 9], &[], json!({})),
        "/1": array(&[2, 4, 5], &[], json!({})),
        "/labels": group(json!({ "labels": ["cells"] })),
    }))
}

#[test]
fn ome_up_to_0_5_has_transformations_one_after_the_other() {
    let datasets = json!([{ "path": "0", "coordinateTransformations": scaled(0.5) }, { "path": "1", "coordinateTransformations": scaled(1.0) }]);
    let image = json!({ "version": "0.4", "axes": axes(), "datasets": datasets, "coordinateTransformations": [{ "type": "scale", "scale": [1.0, 10.0, 10.0] }] });
    let model = ome(json!({ "multiscales": [image], "omero": { "channels": [{ "label": "a" }] } }));
    assert_eq!(positions(&model)[0], (json!([1.0, 5.0, 5.0]), json!([0.0, 10.0, 20.0])));
    assert_eq!(model["axes"][1]["unit"], "micrometer");
    assert_eq!(model["labels"], json!(["/labels/cells"]));
    assert_eq!(model["findings"][0]["rule"], "pyramid/channels");
}

#[test]
fn ways_to_several_systems_are_alternatives_and_are_not_composed() {
    let to = |mut transformation: Value, system: &str| {
        transformation["input"] = json!({ "name": "cyx" });
        transformation["output"] = json!({ "name": system });
        transformation
    };
    let scale = |by: f64| json!({ "type": "scale", "scale": [1.0, by, by] });
    let shared = json!([
        to(json!({ "type": "identity" }), "global"),
        to(scale(3.0), "large"),
        to(scale(10.0), "zoomed")
    ]);
    // A level's own list: the first one leads to the own system.
    let levels = json!([
        { "path": "0", "coordinateTransformations": scaled(0.5) },
        { "path": "1", "coordinateTransformations": [to(scale(2.0), "own"), to(scale(5.0), "other")] },
    ]);
    let image = json!({ "version": "0.4-dev-spatialdata", "axes": axes(), "datasets": levels, "coordinateTransformations": shared });
    let model = ome(json!({ "multiscales": [image] }));
    assert_eq!(positions(&model)[0], (json!([1.0, 0.5, 0.5]), json!([0.0, 1.0, 2.0])));
    assert_eq!(positions(&model)[1].0, json!([1.0, 2.0, 2.0]));
    let ignored: Vec<&Value> = model["ignored"].as_array().unwrap().iter().map(|one| &one["path"]).collect();
    let expected = [
        "/multiscales/0/coordinateTransformations/1",
        "/multiscales/0/coordinateTransformations/2",
        "/multiscales/0/datasets/1/coordinateTransformations/1",
    ];
    assert_eq!(ignored, expected);
}

#[test]
fn ome_before_0_4_gets_positions_from_its_shapes() {
    let model = ome(
        json!({ "multiscales": [{ "version": "0.3", "axes": ["c", "y", "x"], "datasets": [{ "path": "0" }, { "path": "1" }] }] }),
    );
    // Nine halved are five: the factor is that of the shapes, and the corners are the same.
    assert_eq!(positions(&model)[1], (json!([1.0, 2.0, 1.8]), json!([0.0, 0.5, 0.4])));
}

#[test]
fn ome_0_6_has_positions_in_the_system_its_levels_lead_to() {
    let ends = |mut transformation: Value, path: &str| {
        transformation["input"] = json!({ "path": path });
        transformation["output"] = json!({ "name": "physical" });
        json!([transformation])
    };
    let scaled = ends(json!({ "type": "sequence", "transformations": scaled(0.5) }), "0");
    let turned = ends(json!({ "type": "rotation", "rotation": [[0, 1], [1, 0]] }), "1");
    let model = ome(json!({ "ome": { "version": "0.6rc0", "multiscales": [{
        "coordinateSystems": [{ "name": "other", "axes": [{ "name": "q" }] }, { "name": "physical", "axes": axes() }],
        "datasets": [{ "path": "0", "coordinateTransformations": scaled }, { "path": "1", "coordinateTransformations": turned }],
    }] } }));
    assert_eq!(positions(&model)[0], (json!([1.0, 0.5, 0.5]), json!([0.0, 1.0, 2.0])));
    assert_eq!(model["axes"][0]["role"], "c");
    assert_eq!(model["ignored"][0]["type"], "rotation");
}

/// An image of one level, which is `size` high and wide.
fn one_image(nodes: &mut Value, path: &str, name: &str, size: u32) {
    let datasets =
        json!([{ "path": "0", "coordinateTransformations": [{ "type": "scale", "scale": [2.0, 3.0] }] }]);
    let axes = json!([{ "name": "y", "type": "space" }, { "name": "x", "type": "space" }]);
    let image = json!({ "version": "0.4", "name": name, "axes": axes, "datasets": datasets });
    nodes[path] = group(json!({ "multiscales": [image] }));
    nodes[format!("{path}/0")] = array(&[size, size], &[], json!({}));
}

fn listed(index: usize, path: &str, name: &str, size: f64) -> Value {
    json!({ "index": index, "path": path, "name": name, "shape": [size, size] })
}

#[test]
fn bioformats2raw_has_the_series_that_it_lists() {
    let mut nodes = json!({ "/": group(json!({ "bioformats2raw.layout": 3 })) });
    one_image(&mut nodes, "/0", "first", 4);
    one_image(&mut nodes, "/1", "second", 5);
    for ome in [json!({ "series": ["1", "0"] }), json!({ "ome": { "version": "0.5", "series": ["1", "0"] } })]
    {
        nodes["/OME"] = group(ome);
        let found = model(&nodes);
        let series = json!([listed(0, "/1", "second", 5.0), listed(1, "/0", "first", 4.0)]);
        assert_eq!((&found["series"], &found["image"], &found["images"]), (&series, &json!(0), &json!(1)));
        assert_eq!(found["levels"][0]["path"], "/1/0");
        for choice in [json!(1), json!("0"), json!("/0"), json!("0/")] {
            let chosen = pyramid("/", &nodes, &json!({ "image": choice })).unwrap();
            assert_eq!((&chosen["levels"][0]["path"], &chosen["image"]), (&json!("/0/0"), &json!(1)));
            assert_eq!(chosen["series"], series);
        }
        for wrong in [json!(2), json!("2"), json!("/")] {
            let error = pyramid("/", &nodes, &json!({ "image": wrong })).unwrap_err();
            assert!(error.contains("no such image") && error.contains("below 2"), "{error}");
        }
        let own = pyramid("/", &nodes, &json!({ "own": true }));
        assert!(own.unwrap_err().contains("no metadata of a pyramid"));
    }
}

#[test]
fn series_without_a_list_are_numbered() {
    let mut nodes =
        json!({ "/g": group(json!({ "ome": { "version": "0.5", "bioformats2raw.layout": 3 } })) });
    for number in 0..5_u32 {
        one_image(&mut nodes, &format!("/g/{number}"), &number.to_string(), number + 1);
    }
    one_image(&mut nodes, "/g/6", "beyond a gap", 9);
    let found = pyramid("/g", &nodes, &json!({ "image": 4 })).unwrap();
    assert_eq!(found["series"].as_array().unwrap().len(), 5);
    assert_eq!((&found["name"], &found["series"][2]), (&json!("4"), &listed(2, "/g/2", "2", 3.0)));
    let empty = json!({ "/": group(json!({ "bioformats2raw.layout": 3 })) });
    assert!(pyramid("/", &empty, &json!({})).unwrap_err().contains("no metadata of a pyramid"));
}

#[test]
fn the_images_of_one_group_come_before_its_series() {
    let mut nodes = json!({ "/OME": group(json!({ "series": ["s"] })) });
    one_image(&mut nodes, "/s", "series", 3);
    let image = |name: &str, path: &str| json!({ "version": "0.4", "name": name, "axes": [{ "name": "y" }, { "name": "x" }], "datasets": [{ "path": path }] });
    nodes["/"] =
        group(json!({ "multiscales": [image("a", "0"), image("b", "1")], "bioformats2raw.layout": 3 }));
    nodes["/0"] = array(&[7, 7], &[], json!({}));
    nodes["/1"] = array(&[8, 8], &[], json!({}));
    let found = pyramid("/", &nodes, &json!({ "image": 1 })).unwrap();
    let series = json!([listed(0, "/", "a", 7.0), listed(1, "/", "b", 8.0), listed(2, "/s", "series", 3.0)]);
    assert_eq!((&found["series"], &found["images"]), (&series, &json!(2)));
    assert_eq!((&found["name"], &found["levels"][0]["path"]), (&json!("b"), &json!("/1")));
    let series = pyramid("/", &nodes, &json!({ "image": "s" })).unwrap();
    assert_eq!((&series["name"], &series["images"]), (&json!("series"), &json!(1)));
}

#[test]
fn a_plate_has_the_fields_of_its_wells() {
    let wells =
        json!([{ "path": "A/1", "rowIndex": 0, "columnIndex": 0 }, { "path": "B/1" }, { "path": "B/2" }]);
    let mut nodes = json!({
        "/": group(json!({ "plate": { "wells": wells }, "bioformats2raw.layout": 3 })),
        "/A/1": group(json!({ "well": { "images": [{ "path": "0" }, { "path": "f2" }] } })),
        "/B/2": group(json!({ "ome": { "version": "0.5", "well": { "images": [{ "path": "0" }] } } })),
    });
    for (path, size) in [("/A/1/0", 1), ("/A/1/f2", 2), ("/B/2/0", 3)] {
        one_image(&mut nodes, path, path, size);
    }
    let found = pyramid("/", &nodes, &json!({ "image": "B/2/0" })).unwrap();
    let paths = ["/A/1/0", "/A/1/f2", "/B/2/0"];
    let series: Vec<Value> =
        paths.iter().enumerate().map(|(at, path)| listed(at, path, path, [1.0, 2.0, 3.0][at])).collect();
    assert_eq!((&found["series"], &found["image"]), (&json!(series), &json!(2)));
    let of_well = pyramid("/A/1", &nodes, &json!({})).unwrap();
    assert_eq!((of_well["series"].as_array().unwrap().len(), &of_well["name"]), (2, &json!("/A/1/0")));
}

#[test]
fn only_the_first_images_are_described() {
    let names: Vec<String> = (0..100).map(|number| format!("i{number}")).collect();
    let mut nodes = json!({ "/": group(json!({ "bioformats2raw.layout": 3 })), "/OME": group(json!({ "series": names })) });
    names.iter().for_each(|name| one_image(&mut nodes, &format!("/{name}"), name, 2));
    let found = pyramid("/", &nodes, &json!({ "image": "i77" })).unwrap();
    assert_eq!(found["series"][31], listed(31, "/i31", "i31", 2.0));
    assert_eq!(found["series"][32], json!({ "index": 32, "path": "/i32" }));
    assert_eq!(
        (&found["series"][77], &found["levels"][0]["path"]),
        (&listed(77, "/i77", "i77", 2.0), &json!("/i77/0"))
    );
}

#[test]
fn other_pyramids_are_one_image() {
    let found = model(&two_levels(json!({})));
    assert_eq!(found["series"], json!([{ "index": 0, "path": "/", "shape": [8.0, 8.0] }]));
    let alone = pyramid("/0", &two_levels(json!({})), &json!({})).unwrap();
    assert_eq!(alone["series"], json!([{ "index": 0, "path": "/0", "shape": [8.0, 8.0] }]));
}

#[test]
fn levels_that_are_groups_have_a_variable() {
    let datasets = json!([{ "path": "0", "pixels_per_tile": 4, "crs": "EPSG:3857" }, { "path": "1", "pixels_per_tile": 4, "crs": "EPSG:3857" }]);
    let children = json!([{ "path": "time", "kind": "array" }, { "path": "t2m", "kind": "array" }, { "path": "x", "kind": "array" }, { "path": "deep/er", "kind": "array" }]);
    let level = json!({ "kind": "group", "attributes": {}, "children": children });
    let nodes = json!({
        "/": group(json!({ "multiscales": [{ "datasets": datasets, "type": "reduce" }] })),
        "/0": level,
        "/1": level,
        "/0/t2m": array(&[5, 4, 4], &["time", "y", "x"], json!({})),
        "/1/t2m": array(&[5, 8, 8], &["time", "y", "x"], json!({})),
    });
    let found = model(&nodes);
    assert_eq!((&found["variable"], &found["variables"]), (&json!("t2m"), &json!(["t2m"])));
    assert_eq!(found["levels"][0]["path"], "/1/t2m");
    assert_eq!(found["crs"]["code"], "EPSG:3857");
    let half = 20_037_508.342_789_244;
    assert_eq!(found["levels"][1]["scale"], json!([1.0, -half / 2.0, half / 2.0]));
    // Its other projection with tiles: degrees, from −180 and 90 on.
    let degrees = nodes.to_string().replace("EPSG:3857", "EPSG:4326");
    let found = model(&serde_json::from_str(&degrees).unwrap());
    assert_eq!(found["levels"][1]["scale"], json!([1.0, -45.0, 90.0]));
    assert_eq!(found["levels"][1]["translation"], json!([0.0, 67.5, -135.0]));
    assert!(pyramid("/", &nodes, &json!({ "variable": "gone" })).unwrap_err().contains("no level"));
}

#[test]
fn a_grid_mapping_gives_reference_system_and_position() {
    let mapping = json!({ "crs_wkt": "PROJCRS[\"a\"]", "GeoTransform": "100 10 0 200 0 -20" });
    let nodes = json!({
        "/v": array(&[4, 4], &["y", "x"], json!({ "grid_mapping": "crs: x y" })),
        "/crs": array(&[], &[], mapping),
    });
    let model = pyramid("/v", &nodes, &json!({})).unwrap();
    assert_eq!(model["crs"], json!({ "wkt2": "PROJCRS[\"a\"]", "source": "grid_mapping" }));
    assert_eq!(positions(&model), [(json!([-20.0, 10.0]), json!([190.0, 105.0]))]);
}

#[test]
fn tile_matrices_get_positions_from_their_origin() {
    let matrix = |id: &str, size: f64| json!({ "id": id, "cellSize": size, "pointOfOrigin": [100.0, 200.0], "tileWidth": 4, "tileHeight": 4 });
    let set = json!({ "id": "t", "crs": "http://www.opengis.net/def/crs/EPSG/0/32633", "tileMatrices": [matrix("0", 10.0), matrix("1", 20.0)] });
    let nodes = json!({
        "/": group(json!({ "multiscales": { "tile_matrix_set": set } })),
        "/0": array(&[8, 8], &["y", "x"], json!({})),
        "/1": array(&[4, 4], &["y", "x"], json!({})),
    });
    let model = model(&nodes);
    assert_eq!(model["crs"]["code"], "EPSG:32633");
    assert_eq!(positions(&model)[0], (json!([-10.0, 10.0]), json!([195.0, 105.0])));
}

#[test]
fn what_is_no_pyramid_is_said() {
    let no = |nodes: Value| pyramid("/", &nodes, &json!({})).unwrap_err();
    assert!(no(json!({})).contains("no node"));
    assert!(no(json!({ "/": group(json!({})) })).contains("no metadata of a pyramid"));
    assert!(
        no(json!({ "/": group(json!({ "multiscales": { "layout": [{ "asset": "0" }] } })) }))
            .contains("no level")
    );
}

#[test]
fn levels_that_come_from_each_other_end() {
    let layout = json!([
        { "asset": "0", "derived_from": "1", "transform": { "scale": [2, 2] } },
        { "asset": "1", "derived_from": "0", "transform": { "scale": [2, 2] } },
    ]);
    let nodes = json!({
        "/": group(json!({ "multiscales": { "layout": layout } })),
        "/0": array(&[4, 4], &["y", "x"], json!({})),
        "/1": array(&[4, 4], &["y", "x"], json!({})),
    });
    assert!(errors(&nodes["/"], "multiscales")[0].contains("is derived from itself"));
    assert_eq!(positions(&model(&nodes)).len(), 2);
}

/// An array of bytes.
fn bytes(shape: &[u32], names: &[&str]) -> Value {
    let mut node = array(shape, names, json!({}));
    node["dataType"] = json!("uint8");
    node
}

/// The roles of the axes of an array, and the labels of its channels.
fn roles_and_channels(array: &Value) -> (String, Vec<String>) {
    let model = model(&json!({ "/": array }));
    let texts = |list: &str, key: &str| -> Vec<String> {
        let list = model[list].as_array().unwrap();
        list.iter().map(|one| one[key].as_str().unwrap().to_owned()).collect()
    };
    (texts("axes", "role").join(" "), texts("channels", "label"))
}

#[test]
fn bytes_at_the_end_of_a_picture_are_colours() {
    let rgb = || ["Red", "Green", "Blue"].map(str::to_owned).to_vec();
    let unnamed = |shape: &[u32]| bytes(shape, &vec![""; shape.len()]);
    assert_eq!(roles_and_channels(&unnamed(&[40, 60, 3])), ("y x c".to_owned(), rgb()));
    let with_alpha = [rgb(), vec!["Alpha".to_owned()]].concat();
    assert_eq!(roles_and_channels(&unnamed(&[40, 60, 4])), ("y x c".to_owned(), with_alpha));
    assert_eq!(roles_and_channels(&unnamed(&[7, 40, 60, 3])), ("other y x c".to_owned(), rgb()));
    for names in [["y", "x", "RGB"], ["row", "col", ""], ["dim_0", "dim_1", "dim_2"], ["a", "b", "c"]] {
        assert_eq!(
            roles_and_channels(&bytes(&[40, 60, 3], &names)),
            ("y x c".to_owned(), rgb()),
            "{names:?}"
        );
    }
    for names in [["s", "y", "x"], ["band", "y", "x"], ["rgb", "", ""]] {
        assert_eq!(
            roles_and_channels(&bytes(&[3, 40, 60], &names)),
            ("c y x".to_owned(), rgb()),
            "{names:?}"
        );
    }
    let time = bytes(&[9, 40, 60, 3], &["time", "", "", ""]);
    assert_eq!(roles_and_channels(&time), ("t y x c".to_owned(), rgb()));
}

#[test]
fn other_arrays_have_no_colours() {
    let none = |roles: &str, array: Value| assert_eq!(roles_and_channels(&array), (roles.to_owned(), vec![]));
    none("other y x", bytes(&[40, 60, 5], &["", "", ""]));
    none("other y x", array(&[40, 60, 3], &["", "", ""], json!({})));
    none("y x", bytes(&[60, 3], &["", ""]));
    none("z y x", bytes(&[40, 60, 3], &["z", "y", "x"]));
    none("y x other", bytes(&[40, 60, 3], &["y", "x", "station"]));
    none("c y x", bytes(&[3, 40, 60], &["c", "y", "x"]));
    // Only one axis would be left for x and y.
    none("z y x", bytes(&[40, 60, 3], &["z", "y", ""]));
}

#[test]
fn colours_have_their_number_in_every_level() {
    let levels = |last: [u32; 2]| {
        let mut nodes = two_levels(json!({}));
        nodes["/0"] = bytes(&[8, 8, last[0]], &["", "", ""]);
        nodes["/1"] = bytes(&[4, 4, last[1]], &["", "", ""]);
        model(&nodes)
    };
    let picture = levels([3, 3]);
    assert_eq!(picture["axes"][2]["role"], "c");
    assert_eq!(picture["levels"][1]["scale"], json!([2.0, 2.0, 1.0]));
    let window = json!({ "start": 0, "end": 255, "min": 0, "max": 255 });
    let green = json!({ "label": "Green", "color": "00FF00", "active": true, "window": window });
    assert_eq!(picture["channels"][1], green);
    // A volume whose levels are coarser along each axis.
    let volume = levels([4, 2]);
    assert_eq!((&volume["axes"][2]["role"], &volume["channels"]), (&json!("x"), &json!([])));
}
