//! Every folder below `tests/fixtures/` is a test: what other libraries wrote must read as they read it, and broken stores must be
//! refused as their `expected.json` says. The layout is described in `tests/fixtures/README.md`.
//!
//! Beside the whole array, some boxes, steps, lists and points of each are read; their expected elements are picked from the
//! writer's own values, one by one.

mod support;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value as Json;
use support::{base64, folders, memory_store, read_all, read_selection};
use zarr_wasm::access::selection::{DimensionSelection, Selection};
use zarr_wasm::error::Error;
use zarr_wasm::format::metadata::json::Document;
use zarr_wasm::format::metadata::{ArrayMetadata, NodeMetadata};
use zarr_wasm::hierarchy::array::Array;
use zarr_wasm::hierarchy::open::{OpenOptions, OpenedNode, open};
use zarr_wasm::store::{RequestContext, Store};

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let writers =
        folders(&root).into_iter().filter(|writer| !["make", "demo"].contains(&name(writer).as_str()));
    let trials = writers.flat_map(|writer| folders(&writer)).map(trial).collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn trial(case: PathBuf) -> Trial {
    let writer = name(case.parent().unwrap_or(&case));
    let test = format!("{writer}::{}", name(&case));
    if writer == "bad" {
        return Trial::test(test, move || must_be_refused(&case));
    }
    Trial::test(test, move || reads_as_written(&case))
}

fn expected(case: &Path) -> Result<Json, Failed> {
    Ok(serde_json::from_str(&std::fs::read_to_string(case.join("expected.json"))?)?)
}

fn open_now(store: &Rc<dyn Store>, path: &str) -> Result<OpenedNode, Error> {
    let (options, context) = (OpenOptions::default(), RequestContext::default());
    futures_executor::block_on(open(store, path, &options, &context))
}

fn reads_as_written(case: &Path) -> Result<(), Failed> {
    let store = memory_store(&case.join("store"));
    let nodes = expected(case)?;
    let mut wrong = Vec::new();
    for node in nodes.as_array().ok_or("expected.json holds no list")? {
        let path = node["path"].as_str().unwrap_or_default();
        if let Err(failed) = check_node(&store, path, node) {
            wrong.push(format!("{path:?}: {failed}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn check_node(store: &Rc<dyn Store>, path: &str, node: &Json) -> Result<(), String> {
    let opened = open_now(store, path).map_err(|error| format!("{error:?}"))?;
    equal("kind", opened.metadata.kind().name(), node["kind"].as_str().unwrap_or_default())?;
    equal("format", &Json::from(opened.document.format.version()), &node["zarr_format"])?;
    match &opened.metadata {
        NodeMetadata::Group(group) => {
            equal("attributes", &attributes(&group.attributes)?, &node["attributes"])
        }
        NodeMetadata::Array(metadata) => {
            check_metadata(metadata, node)?;
            let array = Array::new(store.clone(), opened.path.clone(), opened.document.clone());
            let array = array.map_err(|error| format!("{error:?}"))?;
            check_elements(&array, node)
        }
    }
}

fn check_metadata(metadata: &ArrayMetadata, node: &Json) -> Result<(), String> {
    equal("shape", &Json::from(metadata.shape.clone()), &node["shape"])?;
    equal("data_type", &Json::from(metadata.data_type.name()), &node["data_type"])?;
    equal("attributes", &attributes(&metadata.attributes)?, &node["attributes"])?;
    if let Some(names) = node["dimension_names"].as_array() {
        let ours: Vec<Json> = metadata.dimension_names.iter().flatten().cloned().map(Json::from).collect();
        equal("dimension_names", &ours, names)?;
    }
    if let Some(fill) = node["fill_value_bytes"].as_str() {
        equal("fill_value", &metadata.fill_value.0, &base64(fill))?;
    }
    Ok(())
}

fn check_elements(array: &Rc<Array>, node: &Json) -> Result<(), String> {
    let chunk_shape = array.binding().chunk_shape().map_err(|error| format!("{error:?}"))?;
    if array.binding().metadata().codecs.iter().any(|codec| codec.name == "sharding_indexed") {
        // What we read at a time may be smaller still: the inner chunk of the innermost shard that can be seen into.
        let outer: Vec<u64> = serde_json::from_value(node["chunk_shape"].clone()).unwrap_or_default();
        let divides =
            outer.iter().zip(&chunk_shape).all(|(outer, inner)| outer % inner == 0 || inner % outer == 0);
        equal("rank of chunk_shape", &chunk_shape.len(), &outer.len())?;
        equal("chunk_shape divides", &divides, &true)?;
    } else {
        equal("chunk_shape", &Json::from(chunk_shape), &node["chunk_shape"])?;
    }
    let values = base64(node["values"].as_str().ok_or("no values")?);
    let ours = read_all(array).map_err(|error| format!("{error:?}"))?;
    same_elements("values", &ours, &values, array.binding().element_size())?;
    for selection in selections(&array.binding().metadata().shape) {
        let ours = read_selection(array, selection.clone(), None).map_err(|error| format!("{error:?}"))?;
        let picked =
            pick(&values, &array.binding().metadata().shape, array.binding().element_size(), &selection);
        same_elements(&format!("{selection:?}"), &ours, &picked, array.binding().element_size())?;
    }
    Ok(())
}

/// Some of every kind of selection, the same for every run.
fn selections(shape: &[u64]) -> Vec<Selection> {
    if shape.is_empty() || shape.contains(&0) {
        return Vec::new();
    }
    let per_dimension = |choose: &dyn Fn(i64) -> DimensionSelection| {
        Selection::Orthogonal(shape.iter().map(|len| choose(len.cast_signed())).collect())
    };
    let slice = |start, stop, step| DimensionSelection::Slice { start: Some(start), stop, step: Some(step) };
    let points = |k: i64| shape.iter().map(move |len| (k * 7 + 3) % len.cast_signed()).collect::<Vec<i64>>();
    let columns: Vec<Vec<i64>> = (0..shape.len()).map(|d| (0..9).map(|k| points(k)[d]).collect()).collect();
    vec![
        per_dimension(&|len| slice(len / 3, Some(len - len / 4), 1)),
        per_dimension(&|len| slice(len / 5, None, 3)),
        per_dimension(&|len| slice(len - 1, None, -2)),
        per_dimension(&|len| DimensionSelection::List(vec![len - 1, 0, len / 2, 0, -1])),
        per_dimension(&|len| DimensionSelection::Index(len / 2)),
        Selection::Points(columns),
    ]
}

/// The selected elements, one by one, out of the writer's values.
fn pick(values: &[u8], shape: &[u64], size: usize, selection: &Selection) -> Vec<u8> {
    let index_lists: Vec<Vec<u64>> = match selection {
        Selection::Points(lists) => {
            let count = lists[0].len();
            return (0..count)
                .flat_map(|k| {
                    let at: Vec<u64> = lists.iter().map(|list| list[k].cast_unsigned()).collect();
                    element(values, shape, size, &at)
                })
                .collect();
        }
        Selection::Orthogonal(entries) => {
            entries.iter().zip(shape).map(|(entry, len)| naive_indices(entry, len.cast_signed())).collect()
        }
    };
    let mut places = vec![Vec::new()];
    for list in &index_lists {
        places = places
            .iter()
            .flat_map(|place: &Vec<u64>| {
                list.iter().map(move |index| place.iter().copied().chain([*index]).collect())
            })
            .collect();
    }
    places.iter().flat_map(|place| element(values, shape, size, place)).collect()
}

fn naive_indices(entry: &DimensionSelection, len: i64) -> Vec<u64> {
    let wrap = |index: &i64| if *index < 0 { index + len } else { *index };
    let indices: Vec<i64> = match entry {
        DimensionSelection::All => (0..len).collect(),
        DimensionSelection::Index(index) => vec![wrap(index)],
        DimensionSelection::List(list) => list.iter().map(wrap).collect(),
        DimensionSelection::Slice { start, stop, step } => {
            let (start, step) = (start.unwrap_or(0), step.unwrap_or(1));
            let stop = stop.unwrap_or(if step > 0 { len } else { -1 });
            let steps = std::iter::successors(Some(start), |at| Some(at + step));
            steps.take_while(|at| if step > 0 { *at < stop } else { *at > stop }).collect()
        }
    };
    indices.into_iter().map(i64::cast_unsigned).collect()
}

fn element(values: &[u8], shape: &[u64], size: usize, at: &[u64]) -> Vec<u8> {
    let linear = shape.iter().zip(at).fold(0, |linear, (len, index)| linear * len + index);
    let start = usize::try_from(linear).unwrap_or(usize::MAX) * size;
    values[start..start + size].to_vec()
}

fn must_be_refused(case: &Path) -> Result<(), Failed> {
    let store = memory_store(&case.join("store"));
    let expected = expected(case)?;
    let path = expected["path"].as_str().unwrap_or_default();
    let (stage, error) = match open_now(&store, path) {
        Err(error) => ("open", error),
        Ok(opened) => {
            let array = Array::new(store, opened.path, opened.document);
            match array.and_then(|array| read_all(&array)) {
                Err(error) => ("read", error),
                Ok(_) => return Err("it was read".into()),
            }
        }
    };
    let text = error.to_string();
    let when = expected["when"].as_str().unwrap_or_default();
    let codes = expected["code"].as_str().unwrap_or_default();
    let missing: Vec<&str> = expected["mentions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .filter(|word| !text.contains(word))
        .collect();
    if !when.split('|').any(|allowed| allowed == stage) {
        return Err(format!("refused at {stage}, not at {when}: {error:?}").into());
    }
    if !codes.split('|').any(|code| code == error.kind().code()) {
        return Err(format!("refused as {error:?}, not as {codes}").into());
    }
    if missing.is_empty() { Ok(()) } else { Err(format!("{error:?} does not mention {missing:?}").into()) }
}

/// Attributes as `expected.json` has them: bare NaN tokens as strings.
fn attributes(text: &str) -> Result<Json, String> {
    let document = Document::parse(text.as_bytes()).map_err(|error| format!("{error:?}"))?;
    serde_json::from_str(document.root().text()).map_err(|error| error.to_string())
}

fn equal<T: PartialEq + std::fmt::Debug + ?Sized>(what: &str, ours: &T, theirs: &T) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}: ours {ours:?}, the writer's {theirs:?}")) }
}

fn same_elements(what: &str, ours: &[u8], theirs: &[u8], size: usize) -> Result<(), String> {
    if ours == theirs {
        return Ok(());
    }
    let differing = ours.chunks(size.max(1)).zip(theirs.chunks(size.max(1))).position(|(a, b)| a != b);
    Err(format!(
        "{what}: {} bytes, the writer's {}, first differing element {differing:?}",
        ours.len(),
        theirs.len()
    ))
}
