//! What many entries of metadata cost: a pyramid uses its channels where they are.

use serde_json::{Value, json};
use zarr_wasm_conventions::answer;

use super::counting::peak;
use super::{array, group};

const CHANNELS: usize = 5_000;

/// The request for the pyramid of an image with `omero` metadata.
fn request(omero: &Value) -> String {
    let datasets = json!([{ "path": "0" }]);
    let axes = json!([{ "name": "c", "type": "channel" }, { "name": "y" }, { "name": "x" }]);
    let image = json!({ "axes": axes, "datasets": datasets });
    let attributes = json!({ "ome": { "version": "0.5", "multiscales": [image], "omero": omero } });
    let level = array(&[u32::try_from(CHANNELS).unwrap(), 8, 8], &["c", "y", "x"], json!({}));
    let nodes = json!({ "/": group(attributes), "/0": level, "/labels": null });
    json!({ "operation": "pyramid", "root": "/", "nodes": nodes }).to_string()
}

#[test]
fn channels_cost_their_text_and_no_more() {
    let channel =
        json!({ "label": "DAPI", "color": "0000FF", "window": { "start": 0, "end": 9, "min": 0, "max": 9 } });
    let channels = vec![channel.clone(); CHANNELS];
    let [of_channels, of_others] = ["channels", "others"].map(|name| {
        let request = request(&json!({ name: channels }));
        let (answer, bytes) = peak(|| answer(&request).unwrap());
        let found: Value = serde_json::from_str(&answer).unwrap();
        let count = if name == "channels" { CHANNELS } else { 0 };
        assert_eq!(found["channels"].as_array().unwrap().len(), count);
        assert!(found["channels"].as_array().unwrap().iter().all(|each| *each == channel));
        bytes
    });
    // The answer is a text of the same length, whose buffer grows by doubling.
    let most = 4 * channel.to_string().len() * CHANNELS;
    assert!(of_channels <= of_others + most, "{of_channels} bytes, without channels {of_others}");
}
