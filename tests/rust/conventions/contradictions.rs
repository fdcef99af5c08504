//! Metadata that contradict the arrays of a pyramid.

use serde_json::{Value, json};

use super::pyramids::pyramid;
use super::{array, group};

/// The findings of levels with these shapes.
fn findings(attributes: Value, shapes: &[&[u32]]) -> Vec<(String, String, String)> {
    let mut nodes = json!({ "/": group(attributes) });
    for (at, shape) in shapes.iter().enumerate() {
        let names = if shape.len() == 2 { vec!["y", "x"] } else { vec!["c", "y", "x"] };
        nodes[format!("/{at}")] = array(shape, &names, json!({}));
    }
    let model = pyramid("/", &nodes, &json!({})).unwrap();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let list = model["findings"].as_array().unwrap().iter();
    list.map(|each| (text(each, "rule"), text(each, "path"), text(each, "message"))).collect()
}

fn ome(scales: &[[f64; 2]]) -> Value {
    let level = |(at, scale): (usize, &[f64; 2])| json!({ "path": at.to_string(), "coordinateTransformations": [{ "type": "scale", "scale": scale }] });
    let datasets: Vec<Value> = scales.iter().enumerate().map(level).collect();
    let axes = json!([{ "name": "y", "type": "space" }, { "name": "x", "type": "space" }]);
    json!({ "multiscales": [{ "version": "0.4", "axes": axes, "datasets": datasets }] })
}

#[test]
fn scales_of_ome_fit_the_shapes_up_to_what_rounding_costs() {
    // 15 halved three times, rounded up and rounded down.
    let scales = [[0.5, 2.0], [1.0, 4.0], [2.0, 8.0], [4.0, 16.0]];
    for shapes in [[15, 8, 4, 2], [15, 7, 3, 1], [9, 5, 3, 2], [16, 8, 4, 2]] {
        let shapes: Vec<[u32; 2]> = shapes.iter().map(|size| [*size, *size]).collect();
        let shapes: Vec<&[u32]> = shapes.iter().map(<[u32; 2]>::as_slice).collect();
        assert_eq!(findings(ome(&scales), &shapes), [], "{shapes:?}");
    }
    let found = findings(ome(&scales[..2]), &[&[16, 16], &[16, 8]]);
    let [(rule, path, message)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((rule.as_str(), path.as_str()), ("pyramid/scales", "/multiscales/0/datasets/1"));
    assert!(message.contains("along y") && message.contains("has 16 and not 8"), "{message}");
}

#[test]
fn axes_of_ome_are_as_many_as_dimensions() {
    let found = findings(ome(&[[1.0, 1.0]]), &[&[3, 8, 8]]);
    assert_eq!(found[0].0, "pyramid/axes");
    assert!(found[0].2.contains("2 axes") && found[0].2.contains("3 dimensions"), "{}", found[0].2);
}

#[test]
fn shapes_of_spatial_are_those_of_the_arrays() {
    let attributes = |whole: [u32; 2], first: [u32; 2], second: [u32; 2]| {
        let layout = json!([
            { "asset": "0", "spatial:shape": first },
            { "asset": "1", "derived_from": "0", "transform": { "scale": [2.0, 2.0] }, "spatial:shape": second },
        ]);
        json!({ "multiscales": { "layout": layout }, "spatial:shape": whole, "spatial:dimensions": ["y", "x"] })
    };
    let shapes: [&[u32]; 2] = [&[3, 8, 12], &[3, 4, 6]];
    assert_eq!(findings(attributes([8, 12], [8, 12], [4, 6]), &shapes), []);
    let paths = |found: Vec<(String, String, String)>| -> Vec<String> {
        assert!(found.iter().all(|(rule, ..)| rule == "pyramid/shape"), "{found:?}");
        found.into_iter().map(|(_, path, _)| path).collect()
    };
    assert_eq!(paths(findings(attributes([12, 8], [8, 12], [4, 6]), &shapes)), ["/spatial:shape"]);
    assert_eq!(
        paths(findings(attributes([8, 12], [8, 12], [4, 7]), &shapes)),
        ["/multiscales/layout/1/spatial:shape"]
    );
}
