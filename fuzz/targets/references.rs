//! kerchunk documents: each reference is found under its key, and inline values decode, or the
//! document is refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zarr_wasm::format::path::StoreKey;
use zarr_wasm_engine::internals::store::reference::document::{Reference, References};
use zarr_wasm_fuzz::{check_blames_data, seeds};

fuzz_target!(
    init: seeds::write_if_asked(|| SEEDS.map(|text| text.as_bytes().to_vec())),
    |input: &[u8]| {
        match References::parse(input.to_vec()) {
            Ok(references) => check(&references),
            Err(error) => check_blames_data(&error),
        }
    }
);

fn check(references: &References) {
    for key in references.table().iter().map(|(key, _)| key).take(1000) {
        let key = StoreKey::parse(key).unwrap();
        match references.find(&key) {
            Some(Reference::Inline { start, len }) => {
                if let Err(error) = references.inline(start, len) {
                    check_blames_data(&error);
                }
            }
            Some(Reference::Part { url, .. } | Reference::File(url)) => drop(references.url(url)),
            None => panic!("{} is listed and not found", key.as_str()),
        }
    }
}

const SEEDS: [&str; 5] = [
    r#"{"version":1,"templates":{"u":"https://data.example/a.nc","f":"{{c}}.nc"},"gen":[{"key":"x/{{i}}.{{j}}","url":"{{u}}","offset":"{{(i + j) * 100}}","length":"100","dimensions":{"i":{"stop":3},"j":[1,2]}}],"refs":{".zgroup":"{\"zarr_format\":2}","x/.zarray":{"zarr_format":2},"y/0":["{{u}}",0,100],"y/1":["{{f(c='b')}}"]}}"#,
    r#"{".zgroup":"{\"zarr_format\":2}","a/0":["https://data.example/a.nc",5,7],"a/1":"base64:AAEC"}"#,
    r#"{"version":1,"refs":{"a/0.0":[null,5,7],"a/__proto__":"x","../b":"y"}}"#,
    r#"{"version":1,"gen":[{"key":"{{ '%02d' | format(i) }}","url":"x","dimensions":{"i":{"start":1,"stop":9,"step":3}}}],"refs":{}}"#,
    r#"{"version":1,"templates":{"a":"{{b}}{{b}}","b":"{{a}}"},"refs":{"k":["{{a}}"]}}"#,
];
