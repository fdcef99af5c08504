//! Every case of `tests/fixtures` is a test: what other libraries wrote must read as they read it,
//! and broken stores must be refused as `bad/expected.json` says. The layout is described in
//! `tests/fixtures/README.md`.
//!
//! Beside the whole array, some boxes, steps, lists and points of each are read; their expected
//! elements are picked from the writer's own values, one by one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value as Json;
use support::{
    Files, ReadElements, archive_files, base64, case_store, fixtures, folders, memory_store, read_all,
    read_selection,
};
use zarr_wasm::access::selection::{DimensionSelection, Selection, SliceSelection};
use zarr_wasm::error::Error;
use zarr_wasm::format::data_type::DataType;
use zarr_wasm::format::json::Document;
use zarr_wasm::format::metadata::{ArrayMetadata, NodeMetadata};
use zarr_wasm::format::tolerated::Form;
use zarr_wasm_engine::internals::hierarchy::open::{OpenOptions, OpenedNode, open};
use zarr_wasm_engine::internals::read::array::Array;
use zarr_wasm_engine::internals::store::{RequestContext, Store};

fn main() {
    let arguments = Arguments::from_args();
    // The conformance lane has other libraries write more of the same, elsewhere.
    let trials = match std::env::var_os("ZARR_FIXTURES") {
        Some(root) => good_trials(&PathBuf::from(root)),
        None => good_trials(&fixtures()).into_iter().chain(bad_trials(&fixtures().join("bad"))).collect(),
    };
    libtest_mimic::run(&arguments, trials).exit();
}

/// Folders that hold no cases with a list of nodes.
#[rustfmt::skip]
const OTHERS: [&str; 14] = [
    "bad", "codec-vectors", "containers", "conventions", "grib", "icechunk", "kerchunk", "listings", "make",
    "reductions", "stac", "tls", "unreadable", "viewer",
];

fn good_trials(root: &Path) -> Vec<Trial> {
    let writers = folders(root).into_iter().filter(|writer| !OTHERS.contains(&name(writer).as_str()));
    let trials: Vec<Trial> = writers.flat_map(|writer| folders(&writer)).map(good_trial).collect();
    assert!(!trials.is_empty(), "{} has no cases", root.display());
    trials
}

fn good_trial(case: PathBuf) -> Trial {
    let writer = name(case.parent().unwrap_or(&case));
    Trial::test(format!("{writer}::{}", name(&case)), move || reads_as_written(&case))
}

/// One archive has all stores that must be refused, in a folder each.
fn bad_trials(folder: &Path) -> Vec<Trial> {
    let mut stores: BTreeMap<String, Files> = BTreeMap::new();
    for (path, bytes) in archive_files(&folder.join("stores.tar.gz")) {
        let (case, key) = path.split_once('/').unwrap_or_default();
        stores.entry(case.to_owned()).or_default().insert(key.to_owned(), bytes);
    }
    let expected = read_json(&folder.join("expected.json")).unwrap_or_else(|failed| panic!("{failed:?}"));
    let named: Vec<&String> = expected.as_object().into_iter().flat_map(|cases| cases.keys()).collect();
    assert_eq!(stores.keys().collect::<Vec<_>>(), named, "bad: stores, and expected.json");
    let trial = |(case, files): (String, Files)| {
        let expected = expected[&case].clone();
        Trial::test(format!("bad::{case}"), move || must_be_refused(&files, &expected))
    };
    stores.into_iter().map(trial).collect()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn read_json(file: &Path) -> Result<Json, Failed> {
    Ok(serde_json::from_str(&std::fs::read_to_string(file)?)?)
}

fn open_now(store: &Rc<dyn Store>, path: &str) -> Result<OpenedNode, Error> {
    let (options, context) = (OpenOptions::default(), RequestContext::default());
    futures_executor::block_on(open(store, path, &options, &context))
}

fn reads_as_written(case: &Path) -> Result<(), Failed> {
    let store: Rc<dyn Store> = Rc::new(case_store(case));
    let nodes = read_json(&case.join("expected.json"))?;
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
    equal("data_type", &data_type(&metadata.data_type), &node["data_type"])?;
    equal("attributes", &attributes(&metadata.attributes)?, &node["attributes"])?;
    if let Some(names) = node["dimension_names"].as_array() {
        let ours: Vec<Json> = metadata.dimension_names.iter().flatten().cloned().map(Json::from).collect();
        equal("dimension_names", &ours, names)?;
    }
    if let Some(fill) = node["fill_value_bytes"].as_str() {
        equal("fill_value", &metadata.fill_value.0, &base64(fill))?;
    }
    if let Some(fill) = node.get("fill_value_json").filter(|fill| !fill.is_null()) {
        equal("fill_value", &metadata.fill_value.0, &variable_element(&metadata.data_type, fill)?)?;
    }
    Ok(())
}

fn check_elements(array: &Rc<Array>, node: &Json) -> Result<(), String> {
    let chunk_shape = array.binding().chunk_shape().map_err(|error| format!("{error:?}"))?;
    if array.binding().metadata().codecs.iter().any(|codec| codec.name == "sharding_indexed") {
        // What we read at a time may be smaller still: the inner chunk of the innermost shard that
        // can be seen into.
        let outer: Vec<u64> = serde_json::from_value(node["chunk_shape"].clone()).unwrap_or_default();
        let divides =
            outer.iter().zip(&chunk_shape).all(|(outer, inner)| outer % inner == 0 || inner % outer == 0);
        equal("rank of chunk_shape", &chunk_shape.len(), &outer.len())?;
        equal("chunk_shape divides", &divides, &true)?;
    } else {
        equal("chunk_shape", &Json::from(chunk_shape), &node["chunk_shape"])?;
    }
    let metadata = array.binding().metadata();
    let values = expected_elements(&metadata.data_type, node)?;
    let canonical = |elements| match elements {
        ReadElements::Variable(elements) if metadata.data_type == DataType::Json => {
            ReadElements::Variable(elements.iter().map(|element| canonical_json(element)).collect())
        }
        elements => elements,
    };
    Form::take_noted();
    let ours = read_all(array).map_err(|error| format!("{error:?}"))?;
    check_warnings([metadata.warnings.clone(), Form::take_noted()].concat(), node)?;
    same_elements("values", canonical(ours), &values)?;
    for selection in selections(&metadata.shape) {
        let ours = read_selection(array, selection.clone(), None).map_err(|error| format!("{error:?}"))?;
        let picked = pick(&values, &metadata.shape, &selection);
        same_elements(&format!("{selection:?}"), canonical(ours), &picked)?;
    }
    Ok(())
}

/// Those that the fixture names are there, each once; where it names some, there are no others.
fn check_warnings(ours: Vec<String>, node: &Json) -> Result<(), String> {
    let Some(expected) = node["warnings"].as_array() else { return Ok(()) };
    let names = ours.iter().filter_map(|warning| warning.rsplit_once('[')?.1.strip_suffix(']'));
    equal("warnings", &names.map(Json::from).collect::<Vec<_>>(), expected)
}

/// As `expected.json` has it: what v3 metadata has, or the name alone where v3 has no such type.
fn data_type(data_type: &DataType) -> Json {
    match data_type.to_json_v3() {
        Ok(text) => with_names_of_specification(serde_json::from_str(&text).unwrap_or_default()),
        Err(_) => Json::from(data_type.name()),
    }
}

/// zarr-python names a type `raw_bytes` that is `r<N>` in the specification and in `expected.json`.
fn with_names_of_specification(json: Json) -> Json {
    match json {
        Json::Object(object) if object.get("name").is_some_and(|name| name == "raw_bytes") => {
            let len = object["configuration"]["length_bytes"].as_u64().unwrap_or_default();
            Json::from(format!("r{}", 8 * len))
        }
        Json::Object(object) => {
            let members = object.into_iter().map(|(name, value)| (name, with_names_of_specification(value)));
            Json::Object(members.collect())
        }
        Json::Array(items) => items.into_iter().map(with_names_of_specification).collect(),
        json => json,
    }
}

/// The writer's elements, one by one.
fn expected_elements(data_type: &DataType, node: &Json) -> Result<Vec<Vec<u8>>, String> {
    if let Some(size) = data_type.size() {
        let packed = base64(node["values"].as_str().ok_or("no values")?);
        return Ok(packed.chunks(size).map(<[u8]>::to_vec).collect());
    }
    let values = node["values_json"].as_array().ok_or("no values_json")?;
    values.iter().map(|value| variable_element(data_type, value)).collect()
}

/// An element of variable length as it is in memory.
fn variable_element(data_type: &DataType, value: &Json) -> Result<Vec<u8>, String> {
    match (data_type, value) {
        (DataType::Optional(_), Json::Null) => Ok(vec![0]),
        (DataType::Optional(inner), Json::Array(value)) => {
            Ok([vec![1], variable_element(inner, &value[0])?].concat())
        }
        (DataType::String, Json::String(text)) => Ok(text.clone().into_bytes()),
        (DataType::Bytes, Json::String(text)) => Ok(base64(text)),
        (DataType::Json, value) => Ok(canonical_json(value.to_string().as_bytes())),
        (DataType::VariableArray(inner), Json::Array(values)) => {
            let size = inner.size().ok_or("elements of variable arrays of variable size")?;
            values
                .iter()
                .map(|value| packed_number(value, size))
                .collect::<Result<Vec<_>, _>>()
                .map(|all| all.concat())
        }
        _ => Err(format!("no element of {}: {value}", data_type.name())),
    }
}

/// JSON values are the same when their trees are.
fn canonical_json(text: &[u8]) -> Vec<u8> {
    serde_json::from_slice::<Json>(text)
        .map_or_else(|_| text.to_vec(), |value| value.to_string().into_bytes())
}

/// A number of a variable array: integers have all sizes, floats 4 or 8 bytes.
fn packed_number(value: &Json, size: usize) -> Result<Vec<u8>, String> {
    #[allow(clippy::cast_possible_truncation, reason = "written from float32")]
    match (value.as_i64(), value.as_f64(), size) {
        (Some(integer), ..) => Ok(integer.to_le_bytes()[..size].to_vec()),
        (None, Some(float), 4) => Ok((float as f32).to_le_bytes().to_vec()),
        (None, Some(float), 8) => Ok(float.to_le_bytes().to_vec()),
        _ => Err(format!("no number: {value}")),
    }
}

/// Some of every kind of selection, the same for every run.
fn selections(shape: &[u64]) -> Vec<Selection> {
    if shape.is_empty() || shape.contains(&0) {
        return Vec::new();
    }
    let per_dimension = |choose: &dyn Fn(i64) -> DimensionSelection| {
        Selection::Orthogonal(shape.iter().map(|len| choose(len.cast_signed())).collect())
    };
    let slice = |start, stop, step| {
        DimensionSelection::Slice(SliceSelection { start: Some(start), stop, step: Some(step) })
    };
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
fn pick(values: &[Vec<u8>], shape: &[u64], selection: &Selection) -> Vec<Vec<u8>> {
    let index_lists: Vec<Vec<u64>> = match selection {
        Selection::Points(lists) => {
            let count = lists[0].len();
            return (0..count)
                .map(|k| {
                    let at: Vec<u64> = lists.iter().map(|list| list[k].cast_unsigned()).collect();
                    element(values, shape, &at)
                })
                .collect();
        }
        Selection::Orthogonal(entries) => {
            entries.iter().zip(shape).map(|(entry, len)| naive_indices(entry, len.cast_signed())).collect()
        }
    };
    let mut points = vec![Vec::new()];
    for list in &index_lists {
        points = points
            .iter()
            .flat_map(|point: &Vec<u64>| {
                list.iter().map(move |index| point.iter().copied().chain([*index]).collect())
            })
            .collect();
    }
    points.iter().map(|point| element(values, shape, point)).collect()
}

fn naive_indices(entry: &DimensionSelection, len: i64) -> Vec<u64> {
    let wrap = |index: &i64| if *index < 0 { index + len } else { *index };
    let indices: Vec<i64> = match entry {
        DimensionSelection::All => (0..len).collect(),
        DimensionSelection::Index(index) => vec![wrap(index)],
        DimensionSelection::List(list) => list.iter().map(wrap).collect(),
        DimensionSelection::Slice(SliceSelection { start, stop, step }) => {
            let (start, step) = (start.unwrap_or(0), step.unwrap_or(1));
            let stop = stop.unwrap_or(if step > 0 { len } else { -1 });
            let steps = std::iter::successors(Some(start), |at| Some(at + step));
            steps.take_while(|at| if step > 0 { *at < stop } else { *at > stop }).collect()
        }
    };
    indices.into_iter().map(i64::cast_unsigned).collect()
}

fn element(values: &[Vec<u8>], shape: &[u64], at: &[u64]) -> Vec<u8> {
    let linear = shape.iter().zip(at).fold(0, |linear, (len, index)| linear * len + index);
    values[usize::try_from(linear).unwrap_or(usize::MAX)].clone()
}

fn must_be_refused(files: &Files, expected: &Json) -> Result<(), Failed> {
    let store: Rc<dyn Store> = Rc::new(memory_store(files));
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
    if !codes.split('|').any(|code| code == error.kind().name()) {
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

fn same_elements(what: &str, ours: ReadElements, theirs: &[Vec<u8>]) -> Result<(), String> {
    let ours = match ours {
        ReadElements::Variable(elements) => elements,
        ReadElements::Packed(bytes) => {
            let size = theirs.first().map_or(1, Vec::len);
            bytes.chunks(size).map(<[u8]>::to_vec).collect()
        }
    };
    if ours == theirs {
        return Ok(());
    }
    let differing = ours.iter().zip(theirs).position(|(a, b)| a != b);
    let (a, b) = (differing.map(|at| &ours[at]), differing.map(|at| &theirs[at]));
    Err(format!(
        "{what}: {} elements, the writer's {}, first differing element {differing:?}: {a:?}, {b:?}",
        ours.len(),
        theirs.len()
    ))
}
