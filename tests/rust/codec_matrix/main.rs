//! Every codec with every data type, as a committed snapshot (`tests/codec-matrix.md`): what works,
//! to the bit or within the codec's own bound, and what is refused with which words. `npm run
//! codec-matrix` writes the file again.
//!
//! Each cell is run: the chain is bound, encodes elements at the edges of the type, and decodes
//! what it wrote. A cell that gives other elements back, or an error that blames the file for what
//! we wrote, fails the test; it cannot get into the snapshot.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::cast_possible_truncation, clippy::print_stdout)]

mod configurations;
mod elements;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use configurations::{Trial, trial};
use elements::{data_types, sample};
use zarr_wasm::builds::Build;
use zarr_wasm::error::{Error, ErrorKind};
use zarr_wasm::format::codec::array_bytes::VariableBytes;
use zarr_wasm::format::codec::kind::CodecKind;
use zarr_wasm::format::codec::pipeline::{Elements, Pipeline, Scratch};
use zarr_wasm::format::codec::registry::{CodecEntry, ENTRIES};
use zarr_wasm::format::codec::{ArrayBytes, ChunkRepresentation};
use zarr_wasm::format::data_type::{DataType, FillValue};
use zarr_wasm::format::metadata::{CodecMetadata, ZarrFormat};

/// Of the chunk in every cell. Not a multiple of eight: packed bits end in the middle of a byte.
const SHAPE: [u64; 2] = [3, 7];

/// What became of a cell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Exact,
    Lossy(&'static str),
    ReadOnly,
    Refused(String),
}

fn metadata((name, configuration): &(String, String)) -> CodecMetadata {
    CodecMetadata {
        name: name.clone(),
        configuration: Some(configuration.clone()),
        format: ZarrFormat::V3,
        field: "codecs[0]".into(),
    }
}

/// The elements in C order: transposed chunks come with strides.
fn packed(decoded: &zarr_wasm::format::codec::pipeline::DecodedChunk<'_>, size: usize) -> ArrayBytes {
    let indices = (0..SHAPE[0]).flat_map(|row| (0..SHAPE[1]).map(move |column| [row, column]));
    let offsets = indices.map(|index| {
        index
            .iter()
            .zip(&decoded.strides)
            .map(|(at, step)| usize::try_from(*at).unwrap() * step)
            .sum::<usize>()
    });
    match &decoded.elements {
        Elements::Fixed(bytes) => {
            ArrayBytes::Fixed(offsets.flat_map(|at| bytes[at * size..(at + 1) * size].to_vec()).collect())
        }
        Elements::Variable(elements) => {
            let mut ordered = VariableBytes::new();
            offsets.for_each(|at| ordered.push(elements.get(at).unwrap()).unwrap());
            ArrayBytes::Variable(ordered)
        }
    }
}

fn run(entry: &CodecEntry, data_type: &DataType) -> Outcome {
    let Trial { codecs, sample: kind, bound } = trial(entry, data_type);
    let decoded = sample(data_type, kind, usize::try_from(SHAPE[0] * SHAPE[1]).unwrap());
    let representation = ChunkRepresentation {
        shape: SHAPE.to_vec(),
        data_type: data_type.clone(),
        fill_value: FillValue::zero(data_type),
    };
    let codecs: Vec<CodecMetadata> = codecs.iter().map(metadata).collect();
    let pipeline = match Pipeline::bind(&codecs, representation) {
        Ok(pipeline) => pipeline,
        Err(error) => return refused(&error, data_type),
    };
    let encoded = match pipeline.encode(decoded.clone()) {
        Ok(encoded) => encoded,
        Err(error) if [Build::Images, Build::Grib].contains(&entry.builds.first()) => {
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{}: {error}", entry.name);
            let is_proved = entry.kind != CodecKind::ArrayToBytes || has_vector(entry, data_type);
            assert!(is_proved, "{} of {data_type:?} has no vector", entry.name);
            return Outcome::ReadOnly;
        }
        Err(error) => return refused(&error, data_type),
    };
    let whole = SHAPE.map(|len| 0..len);
    let mut scratch = Scratch::default();
    let again = pipeline.decode(&encoded, &whole, &mut scratch);
    let again = again.unwrap_or_else(|error| panic!("{} of {data_type:?}: {error:?}", entry.name));
    let again = packed(&again, data_type.size().unwrap_or(0));
    match bound {
        _ if again == decoded => Outcome::Exact,
        Some((words, allows)) if allows(data_type, &decoded, &again) => Outcome::Lossy(words),
        _ => panic!("{} of {data_type:?}: {decoded:?} comes back as {again:?}", entry.name),
    }
}

/// Whether another library's chunk of this codec and type is in `tests/fixtures/codec-vectors`,
/// whose own test reads it.
fn has_vector(entry: &CodecEntry, data_type: &DataType) -> bool {
    let root = Path::new(env!("PROJECT_FOLDER")).join("tests/fixtures/codec-vectors");
    let names = entry.v2_ids.iter().chain(entry.aliases).chain([&entry.name]);
    let lists = names.filter_map(|name| fs::read_to_string(root.join(name).join("vectors.json")).ok());
    let wanted = format!("\"data_type\": \"{}\"", data_type.name());
    lists.into_iter().any(|list| list.contains(&wanted))
}

/// The error without what differs from type to type.
fn refused(error: &Error, data_type: &DataType) -> Outcome {
    let kinds = [ErrorKind::Unsupported, ErrorKind::Format, ErrorKind::Argument];
    assert!(kinds.contains(&error.kind()), "{error}");
    let mut words = error.message().to_owned();
    let context = error.context();
    if let Some(field) = &context.field {
        let field = field.trim_start_matches("codecs[0].").trim_start_matches("configuration.");
        if !field.starts_with("codecs[") {
            let _ = write!(words, " ({field})");
        }
    }
    if let Some(expected) = &context.expected {
        let _ = write!(words, "; expected {expected}");
    }
    let name = data_type.name();
    let words = words.replace(&format!("the data type {name}"), "this data type");
    Outcome::Refused(words.replace(&format!("of {name}"), "of this type"))
}

fn kind(entry: &CodecEntry) -> &'static str {
    match entry.kind {
        CodecKind::ArrayToArray => "array → array",
        CodecKind::ArrayToBytes => "array → bytes",
        CodecKind::BytesToBytes => "bytes → bytes",
    }
}

fn section(entry: &CodecEntry, types: &[(String, DataType)], counts: &mut [usize; 4]) -> String {
    let mut outcomes: BTreeMap<Outcome, Vec<&str>> = BTreeMap::new();
    for (label, data_type) in types {
        let outcome = run(entry, data_type);
        counts[match outcome {
            Outcome::Exact => 0,
            Outcome::Lossy(_) => 1,
            Outcome::ReadOnly => 2,
            Outcome::Refused(_) => 3,
        }] += 1;
        outcomes.entry(outcome).or_default().push(label);
    }
    let mut text = format!("\n## `{}` ({})\n\n", entry.name, kind(entry));
    for (outcome, labels) in outcomes {
        let words = match outcome {
            Outcome::Exact => "works".to_owned(),
            Outcome::Lossy(bound) => format!("works, {bound}"),
            Outcome::ReadOnly => "is read, and not written".to_owned(),
            Outcome::Refused(why) => format!("refused: *{why}*"),
        };
        let labels = if labels.len() == types.len() { "every type".to_owned() } else { labels.join(", ") };
        writeln!(text, "- {words}: {labels}").unwrap();
    }
    text
}

fn matrix() -> String {
    let types = data_types();
    let mut counts = [0; 4];
    let sections: String = ENTRIES.iter().map(|entry| section(entry, &types, &mut counts)).collect();
    let [exact, lossy, read_only, refused] = counts;
    let cells = ENTRIES.len() * types.len();
    println!(
        "{} codecs × {} data types = {cells}: {exact} exact, {lossy} within their bound, {read_only} read only, {refused} refused",
        ENTRIES.len(),
        types.len(),
    );
    format!(
        "# Codecs × data types\n\nWritten by `npm run codec-matrix`, which runs every cell: elements at the edges of the type are encoded and decoded again. \
         A codec of arrays stands before the type's own codec of bytes, a codec of bytes behind it.\n\n\
         {} codecs × {} data types = {cells} cells: {exact} come back to the bit, {lossy} within the codec's own bound, {read_only} are read only, \
         {refused} are refused.\n{sections}",
        ENTRIES.len(),
        types.len(),
    )
}

#[test]
fn every_codec_meets_every_data_type() {
    let path = Path::new(env!("PROJECT_FOLDER")).join("tests/codec-matrix.md");
    let matrix = matrix();
    if std::env::var_os("WRITE_CODEC_MATRIX").is_some() {
        fs::write(&path, matrix).unwrap();
        return;
    }
    let listed = fs::read_to_string(&path).unwrap_or_default();
    let changed = listed.lines().zip(matrix.lines()).find(|(listed, now)| listed != now);
    assert!(listed == matrix, "tests/codec-matrix.md is not what is (npm run codec-matrix): {changed:#?}");
}
