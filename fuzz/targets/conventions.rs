//! Conventions: attributes of any form are examined, without a panic. The first byte selects the
//! kind of node, the rest is the text of its attributes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zarr_wasm_fuzz::{check_blames_data, seeds};

const ARRAY: &str =
    r#""kind":"array","shape":[3,64,64],"dimension_names":["c","y","x"],"data_type":"float32""#;
const GROUP: &str = r#""kind":"group""#;

fuzz_target!(
    init: seeds::write_if_asked(seeds),
    |input: &[u8]| {
        let Some((kind, attributes)) = input.split_first() else { return };
        let Ok(attributes) = std::str::from_utf8(attributes) else { return };
        if serde_json::from_str::<serde_json::Value>(attributes).is_err() {
            return;
        }
        let node = if kind % 2 == 0 { GROUP } else { ARRAY };
        let node = format!(r#"{{"path":"/a","format":3,{node},"attributes":{attributes}}}"#);
        let requests = [
            format!(r#"{{"operation":"examine","node":{node}}}"#),
            format!(r#"{{"operation":"packing","node":{node},"wanted":{{}}}}"#),
            format!(r#"{{"operation":"pyramid","root":"/a","nodes":{{"/a":{node}}}}}"#),
        ];
        for request in requests {
            if let Err(error) = zarr_wasm_conventions::answer(&request)
                && error.kind() != zarr_wasm::ErrorKind::Argument
            {
                check_blames_data(&error);
            }
        }
    }
);

/// The attributes of all fixtures.
fn seeds() -> Vec<Vec<u8>> {
    let files = seeds::fixture_files(&[".zattrs", "zarr.json"]);
    let attributes = |(name, bytes): &(String, Vec<u8>)| {
        let json: serde_json::Value = serde_json::from_slice(bytes).ok()?;
        let own = if name == ".zattrs" { &json } else { &json["attributes"] };
        let kind = u8::from(json["node_type"] == "array");
        own.is_object().then(|| [&[kind], own.to_string().as_bytes()].concat())
    };
    files.iter().filter_map(attributes).collect()
}
