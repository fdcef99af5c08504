//! `omero` as people write it. Colours are those that the writers of each form mean.

use serde_json::{Value, json};

use super::pyramids::pyramid;
use super::{array, ask, group};

/// The image with other attributes beside `multiscales`, and in its image.
fn image(outside: Value, inside: Value) -> Value {
    let axes = json!([{ "name": "c", "type": "channel" }, { "name": "y", "type": "space" }, { "name": "x", "type": "space" }]);
    let scale = json!([{ "type": "scale", "scale": [1.0, 1.0, 1.0] }]);
    let mut image = json!({ "version": "0.4", "axes": axes, "datasets": [{ "path": "0", "coordinateTransformations": scale }] });
    for (key, value) in inside.as_object().unwrap() {
        image[key] = value.clone();
    }
    let mut attributes = json!({ "multiscales": [image] });
    for (key, value) in outside.as_object().unwrap() {
        attributes[key] = value.clone();
    }
    group(attributes)
}

fn channels(node: Value) -> Value {
    let nodes = json!({ "/": node, "/0": array(&[1, 8, 8], &[], json!({})) });
    pyramid("/", &nodes, &json!({})).unwrap()["channels"].clone()
}

fn read(channel: Value) -> Value {
    channels(image(json!({ "omero": { "channels": [channel] } }), json!({})))[0].clone()
}

#[test]
fn colours_are_read_in_every_form() {
    let cases = [
        (json!("00fF07"), json!("00fF07")),
        (json!("#00ff07"), json!("00ff07")),
        (json!("0x00ff07"), json!("00ff07")),
        (json!("#0f8"), json!("00ff88")),
        // Opacity last: CSS, OMERO.
        (json!("00FF07FF"), json!("00FF07")),
        (json!("FF000080"), json!("FF0000")),
        // Opacity first, as Java has it: no channel is invisible.
        (json!("FFFF0000"), json!("FF0000")),
        (json!("Green"), json!("00FF00")),
        (json!("magenta"), json!("FF00FF")),
        (json!([0, 255, 7]), json!("00FF07")),
        (json!([255, 0, 0, 255]), json!("FF0000")),
        (json!([0.0, 1.0, 0.5]), json!("00FF80")),
        (json!(0x00_FF07), json!("00FF07")),
        (json!(255), json!("0000FF")),
        // OME-XML's red and white.
        (json!(-16_776_961), json!("FF0000")),
        (json!(-1), json!("FFFFFF")),
        (json!(4_278_190_335_u32), json!("FF0000")),
        (json!("no colour"), Value::Null),
        (json!([1, 2]), Value::Null),
        (json!([300, 0, 0]), Value::Null),
        (json!([0, "1", 2]), Value::Null),
        (json!(1.5), Value::Null),
        (json!(null), Value::Null),
        (json!({}), Value::Null),
        (json!("é00000"), Value::Null),
    ];
    for (written, expected) in cases {
        assert_eq!(read(json!({ "color": written }))["color"], expected, "{written}");
    }
}

#[test]
fn windows_are_four_numbers_or_none() {
    let window = |start, end, min, max| json!({ "start": start, "end": end, "min": min, "max": max });
    let (null, one) = (Value::Null, json!(1));
    let cases = [
        (
            window(one.clone(), json!(9), json!(0), json!(10)),
            window(json!(1), json!(9), json!(0.0), json!(10.0)),
        ),
        (
            window(one.clone(), json!(9), null.clone(), null.clone()),
            window(json!(1), json!(9), json!(1.0), json!(9.0)),
        ),
        (
            window(one.clone(), json!(9), json!(3), json!(5)),
            window(json!(1), json!(9), json!(1.0), json!(9.0)),
        ),
        (window(null.clone(), json!(9), json!(0), json!(10)), null.clone()),
        (
            window(json!(9), json!(9), null.clone(), null.clone()),
            window(json!(9), json!(9), json!(9), json!(9)),
        ),
        (window(json!(9), json!(8), json!(0), json!(10)), null.clone()),
        (json!([0, 1]), null),
    ];
    for (written, expected) in cases {
        let found = read(json!({ "window": written }))["window"].clone();
        for key in ["start", "end", "min", "max"] {
            assert_eq!(found[key].as_f64(), expected[key].as_f64(), "{written} {key}");
        }
    }
}

#[test]
fn labels_are_texts_and_what_else_a_channel_has_stays() {
    assert_eq!(read(json!("DAPI")), json!({ "label": "DAPI" }));
    assert_eq!(read(json!(null)), json!({}));
    let channel = json!({ "label": 405, "active": "yes", "family": "linear", "coefficient": 1 });
    assert_eq!(read(channel), json!({ "label": "405", "family": "linear", "coefficient": 1 }));
}

#[test]
fn omero_inside_of_the_image_is_read_with_a_finding() {
    let omero = json!({ "channels": [{ "label": "inside", "color": "FF0000" }] });
    let node = image(json!({}), json!({ "omero": omero }));
    assert_eq!(channels(node.clone())[0]["label"], "inside");
    let found = ask(&json!({ "operation": "examine", "node": node }));
    let findings = found["conventions"][0]["findings"].as_array().unwrap();
    let finding = findings.iter().find(|finding| finding["rule"] == "ome/omero-place").unwrap();
    assert_eq!(finding["path"], "/multiscales/0/omero");
    // Where it belongs, it counts.
    let both = image(json!({ "omero": { "channels": [{ "label": "beside" }] } }), json!({ "omero": omero }));
    assert_eq!(channels(both)[0]["label"], "beside");
}
