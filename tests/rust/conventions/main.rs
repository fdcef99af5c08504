//! The conventions, through their one door: JSON text in, JSON text out.

#![allow(clippy::unwrap_used)]

mod any_json;
mod channels;
mod contradictions;
#[path = "../counting.rs"]
mod counting;
mod declared;
mod documents;
mod memory;
mod paths;
mod pyramids;

use serde_json::{Value, json};
use zarr_wasm_conventions::answer;

/// The answer; a request that cannot be answered is an error of ours, not of the attributes.
fn ask(request: &Value) -> Value {
    let text = answer(&request.to_string()).unwrap_or_else(|error| panic!("{request}: {error}"));
    serde_json::from_str(&text).unwrap()
}

fn group(attributes: Value) -> Value {
    json!({ "kind": "group", "attributes": attributes })
}

fn array(shape: &[u32], names: &[&str], attributes: Value) -> Value {
    json!({ "kind": "array", "shape": shape, "chunks": shape, "dimensionNames": names, "attributes": attributes })
}

/// The findings against a "must" of a convention, and of the declarations.
fn errors(node: &Value, convention: &str) -> Vec<String> {
    let answer = ask(&json!({ "operation": "examine", "node": node }));
    let own = answer["conventions"].as_array().unwrap().iter().filter(|one| one["known"] == convention);
    let lists = own.map(|one| &one["findings"]).chain([&answer["findings"]]);
    let findings = lists.flat_map(|list| list.as_array().unwrap());
    let errors = findings.filter(|finding| finding["severity"] == "error");
    errors
        .map(|finding| format!("{} at {}: {}", finding["rule"], finding["path"], finding["message"]))
        .collect()
}
