//! Encode, then decode: every codec with every data type that it takes. Lossless codecs return the
//! very bits. The chains are those of the codec matrix (`tests/rust/codec_matrix`).
#![no_main]

#[path = "../../tests/rust/codec_matrix/configurations.rs"]
mod configurations;
#[path = "../../tests/rust/codec_matrix/elements.rs"]
mod elements;

use configurations::trial;
use elements::{Sample, data_types, sample};
use libfuzzer_sys::fuzz_target;
use zarr_wasm::error::ErrorKind;
use zarr_wasm::format::codec::array_bytes::VariableBytes;
use zarr_wasm::format::codec::pipeline::{DecodedChunk, Elements, Pipeline, Scratch};
use zarr_wasm::format::codec::registry::ENTRIES;
use zarr_wasm::format::codec::{ArrayBytes, ChunkRepresentation};
use zarr_wasm::format::data_type::{DataType, FillValue};
use zarr_wasm::format::metadata::{CodecMetadata, ZarrFormat};

/// The chunk. Not a multiple of eight: packed bits end in the middle of a byte.
const SHAPE: [u64; 2] = [3, 7];
const COUNT: usize = 21;

fuzz_target!(|input: &[u8]| {
    let Some(([entry, data_type], rest)) = input.split_first_chunk() else { return };
    let types = data_types();
    let (_, data_type) = &types[usize::from(*data_type) % types.len()];
    let entry = &ENTRIES[usize::from(*entry) % ENTRIES.len()];
    let trial = trial(entry, data_type);
    let decoded = decoded(data_type, trial.sample, rest);
    let codecs: Vec<CodecMetadata> = trial.codecs.iter().map(metadata).collect();
    let representation = ChunkRepresentation {
        shape: SHAPE.to_vec(),
        data_type: data_type.clone(),
        fill_value: FillValue::zero(data_type),
    };
    let Ok(pipeline) = Pipeline::bind(&codecs, representation) else { return };
    let encoded = match pipeline.encode(decoded.clone()) {
        Ok(encoded) => encoded,
        Err(error) => {
            let kinds = [ErrorKind::Unsupported, ErrorKind::Argument, ErrorKind::Format];
            return assert!(kinds.contains(&error.kind()), "{}: {error:?}", entry.name);
        }
    };
    let mut scratch = Scratch::default();
    let again = pipeline.decode(&encoded, &SHAPE.map(|len| 0..len), &mut scratch);
    let again = again.unwrap_or_else(|error| panic!("{} of {data_type:?}: {error:?}", entry.name));
    let again = in_array_order(&again, data_type.size().unwrap_or(0));
    assert!(
        trial.bound.is_some() || again == decoded,
        "{} of {data_type:?}: {decoded:?} {again:?}",
        entry.name
    );
});

fn metadata((name, configuration): &(String, String)) -> CodecMetadata {
    CodecMetadata {
        name: name.clone(),
        configuration: Some(configuration.clone()),
        format: ZarrFormat::V3,
        field: "codecs[0]".into(),
    }
}

/// Elements from the input. Types with invalid bit patterns, and codecs that take few numbers, get
/// the matrix' elements, in an order that the input selects.
fn decoded(data_type: &DataType, kind: Sample, input: &[u8]) -> ArrayBytes {
    let takes_any = match data_type {
        DataType::Integer(integer) => integer.bits() >= 8,
        DataType::Float(float) | DataType::Complex(float) => float.bits() >= 16,
        DataType::Raw(_) | DataType::Time(_) => true,
        _ => false,
    };
    if takes_any && kind == Sample::Edges {
        let len = COUNT * data_type.size().unwrap_or(0);
        return ArrayBytes::Fixed(input.iter().copied().chain(std::iter::repeat(0)).take(len).collect());
    }
    let pick = |at: usize| usize::from(input.get(at).copied().unwrap_or_default()) % COUNT;
    match sample(data_type, kind, COUNT) {
        ArrayBytes::Fixed(bytes) => {
            let size = data_type.size().unwrap_or(1);
            ArrayBytes::Fixed((0..COUNT).flat_map(|at| bytes[pick(at) * size..][..size].to_vec()).collect())
        }
        ArrayBytes::Variable(elements) => {
            let mut picked = VariableBytes::new();
            (0..COUNT).for_each(|at| picked.push(elements.get(pick(at)).unwrap()).unwrap());
            ArrayBytes::Variable(picked)
        }
    }
}

/// The elements in C order: transposed chunks come with strides.
fn in_array_order(chunk: &DecodedChunk<'_>, size: usize) -> ArrayBytes {
    let strides = [chunk.strides[0], chunk.strides[1]];
    let offsets = (0..COUNT).map(|at| at / 7 * strides[0] + at % 7 * strides[1]);
    match &chunk.elements {
        Elements::Fixed(bytes) => {
            ArrayBytes::Fixed(offsets.flat_map(|at| bytes[at * size..][..size].to_vec()).collect())
        }
        Elements::Variable(elements) => {
            let mut ordered = VariableBytes::new();
            offsets.for_each(|at| ordered.push(elements.get(at).unwrap()).unwrap());
            ArrayBytes::Variable(ordered)
        }
    }
}
