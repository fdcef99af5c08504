//! What attributes mean: conventions, packing, units and dates, reference systems.

use crate::growth::{PIECES, check, repeated, with_items, with_values};

/// Attributes with a hostile value instead of `@`.
const ATTRIBUTES: [&str; 17] = [
    "@",
    r#"{"zarr_conventions":@}"#,
    r#"{"zarr_conventions":[{"uuid":@,"schema_url":"x","name":"y"}]}"#,
    r#"{"units":@,"calendar":"standard"}"#,
    r#"{"units":"days since 2000-01-01","calendar":@}"#,
    r#"{"scale_factor":@}"#,
    r#"{"_FillValue":@}"#,
    r#"{"multiscales":@}"#,
    r#"{"multiscales":{"layout":[@]}}"#,
    r#"{"ome":{"version":"0.5","multiscales":@}}"#,
    r#"{"ome":{"version":"0.5","multiscales":[{"axes":@,"datasets":@}]}}"#,
    r#"{"ome":{"version":"0.5","plate":@}}"#,
    r#"{"ome":{"version":"0.5","image-label":@}}"#,
    r#"{"proj:code":@}"#,
    r#"{"proj:wkt2":@}"#,
    r#"{"proj:projjson":@}"#,
    r#"{"spatial:transform":@,"spatial:dimensions":["y","x"]}"#,
];

const ARRAY: &str = r#""kind":"array","shape":[3,64],"dimension_names":["y","x"],"data_type":"float32""#;
const GROUP: &str = r#""kind":"group""#;

fn ask(operation: &str, node: &str, attributes: &str) {
    let node = format!(r#"{{"path":"/a","format":3,{node},"attributes":{attributes}}}"#);
    let request = match operation {
        "pyramid" => format!(r#"{{"operation":"pyramid","root":"/a","nodes":{{"/a":{node}}}}}"#),
        "packing" => format!(r#"{{"operation":"packing","node":{node},"wanted":{{}}}}"#),
        _ => format!(r#"{{"operation":"{operation}","node":{node}}}"#),
    };
    drop(zarr_wasm_conventions::answer(&request));
}

/// What is asked about the node with these attributes, and the kind of node.
fn questions(attributes: &str) -> [(&'static str, &'static str); 2] {
    let is_packing = ["units", "Fill", "scale_factor"].iter().any(|name| attributes.contains(name));
    let is_group = ["multiscales", "ome"].iter().any(|name| attributes.contains(name));
    match (is_packing, is_group) {
        (true, _) => [("examine", ARRAY), ("packing", ARRAY)],
        (_, true) => [("examine", GROUP), ("pyramid", GROUP)],
        _ => [("examine", ARRAY), ("pyramid", GROUP)],
    }
}

#[test]
fn conventions() {
    for attributes in ATTRIBUTES {
        for (operation, node) in questions(attributes) {
            let what = format!("{operation} of {attributes}");
            with_values(&what, attributes, &|text| ask(operation, node, text));
        }
    }
}

/// Lists of attributes, and an item with its number instead of `#`.
const LISTS: [(&str, &str); 20] = [
    (r#"{"zarr_conventions":[@]}"#, r##"{"uuid":"00000000-0000-0000-0000-#","name":"n#"}"##),
    (r#"{"zarr_conventions":[@]}"#, r##"{"name":"n#"}"##),
    (r#"{"zarr_conventions":[@]}"#, r#"{"name":"proj:","schema_url":"https://x/y.json"}"#),
    (r#"{"multiscales":{"layout":[@]}}"#, r##"{"asset":"#","derived_from":"0"}"##),
    (r#"{"multiscales":{"layout":[{"asset":"x"},@]}}"#, r##"{"asset":"a#","derived_from":"a#"}"##),
    (r#"{"multiscales":[@]}"#, r##"{"version":"0.4","axes":[{"name":"x"}],"datasets":[{"path":"#"}]}"##),
    (
        r#"{"ome":{"version":"0.5","multiscales":[{"axes":[{"name":"y","type":"space"},{"name":"x","type":"space"}],"datasets":[@]}]}}"#,
        r##"{"path":"#","coordinateTransformations":[{"type":"scale","scale":[1,#]}]}"##,
    ),
    (
        r#"{"ome":{"version":"0.5","multiscales":[{"axes":[@],"datasets":[{"path":"0"}]}]}}"#,
        r##"{"name":"a#","type":"space"}"##,
    ),
    (
        r#"{"ome":{"version":"0.5","multiscales":[{"axes":[{"name":"x","type":"space"}],"datasets":[{"path":"0","coordinateTransformations":[@]}]}]}}"#,
        r##"{"type":"scale","scale":[#]}"##,
    ),
    (
        r#"{"ome":{"version":"0.6","multiscales":[{"coordinateSystems":[@],"datasets":[{"path":"0"}]}]}}"#,
        r##"{"name":"s#","axes":[{"name":"x"}]}"##,
    ),
    (
        r#"{"ome":{"version":"0.6","scene":{"coordinateTransformations":[@]}}}"#,
        r##"{"type":"identity","input":{"name":"#"},"output":{"name":"#"}}"##,
    ),
    (
        r#"{"ome":{"version":"0.5","plate":{"rows":[{"name":"A"}],"columns":[{"name":"1"}],"wells":[@]}}}"#,
        r##"{"path":"A/#","rowIndex":0,"columnIndex":#}"##,
    ),
    (r#"{"ome":{"version":"0.5","plate":{"rows":[@],"columns":[@],"wells":[]}}}"#, r##"{"name":"r#"}"##),
    (r#"{"ome":{"version":"0.5","plate":{"acquisitions":[@]}}}"#, r##"{"id":#}"##),
    (r#"{"ome":{"version":"0.5","well":{"images":[@]}}}"#, r##"{"path":"#","acquisition":#}"##),
    (r#"{"ome":{"version":"0.5","image-label":{"colors":[@]}}}"#, r##"{"label-value":#,"rgba":[1,2,3,4]}"##),
    (r#"{"ome":{"version":"0.5","image-label":{"properties":[@]}}}"#, r##"{"label-value":#}"##),
    (r#"{"ome":{"version":"0.5","labels":[@]}}"#, r##""l#""##),
    (r#"{"spatial:transform":[@],"spatial:dimensions":["y","x"]}"#, "#"),
    ("{@}", r##""proj:n#":#"##),
];

#[test]
fn lists_of_conventions() {
    for (attributes, item) in LISTS {
        for (operation, node) in questions(attributes) {
            with_items(attributes, item, &|text| ask(operation, node, text));
        }
    }
    let step = r#"{"operation":"pyramid","root":"/a","nodes":{"/a":{"path":"/a","format":3,"kind":"group","attributes":{}},@}}"#;
    let node = r##""/a/#":{"path":"/a/#","format":3,"kind":"array","shape":[3],"data_type":"int8","attributes":{}}"##;
    with_items(step, node, &|text| drop(zarr_wasm_conventions::answer(text)));
}

#[test]
fn dates() {
    for request in [
        r#"{"operation":"time","units":@}"#,
        r#"{"operation":"time","units":"days since 2000-01-01","calendar":@}"#,
        r#"{"operation":"time","units":"days since 2000-01-01","dates":[@]}"#,
        r#"{"operation":"time","units":"days since 2000-01-01","counts":@}"#,
    ] {
        with_values(request, request, &|text| drop(zarr_wasm_conventions::answer(text)));
    }
    for (before, after) in [("", " since 2000-01-01"), ("days since ", ""), ("days since 2000-01-01 ", "Z")] {
        for piece in PIECES.iter().chain(&[" since ", "since", "days", "-1", "+00:00", "T00"]) {
            let make =
                |len| format!(r#"{{"operation":"time","units":"{before}{}{after}"}}"#, repeated(piece, len));
            check(&format!("units {before} of {piece}"), &make, &|text| {
                drop(zarr_wasm_conventions::answer(text))
            });
        }
    }
}
