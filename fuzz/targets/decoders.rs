//! Every decoder: damaged chunks decode to the length that the metadata states, or are refused. An
//! input is the number of a codec vector (two bytes, big-endian) and an encoded chunk. The vector
//! has the codec, its configuration, the data type and the shape.
//!
//! With `FUZZ_CODEC` set, the target tries the vectors of that folder of
//! `tests/fixtures/codec-vectors` only.
#![no_main]

use std::cell::OnceCell;

use libfuzzer_sys::fuzz_target;
use zarr_wasm::format::codec::array_bytes::VariableBytes;
use zarr_wasm::format::codec::pipeline::{Elements, Pipeline, Scratch};
use zarr_wasm::format::codec::kind::CodecKind;
use zarr_wasm::format::codec::registry;
use zarr_wasm_fuzz::vector::{Vector, codec, vectors};
use zarr_wasm_fuzz::{check_blames_data, seeds};

thread_local! {
    static CASES: OnceCell<Vec<Case>> = const { OnceCell::new() };
}

struct Case {
    pipeline: Pipeline,
    encoded: Vec<u8>,
    len: usize,
}

fn case(vector: Vector) -> Case {
    let little = serde_json::json!({"name": "bytes", "configuration": {"endian": "little"}});
    let bytes = codec(&little, false);
    let codecs = match registry::kind_of(&vector.codec.name, vector.codec.format).unwrap() {
        CodecKind::ArrayToArray => vec![vector.codec, bytes],
        CodecKind::ArrayToBytes => vec![vector.codec],
        CodecKind::BytesToBytes => vec![bytes, vector.codec],
    };
    let len = vector.representation.shape.iter().product::<u64>();
    let pipeline = Pipeline::bind(&codecs, vector.representation).unwrap();
    Case { pipeline, encoded: vector.encoded, len: usize::try_from(len).unwrap() }
}

/// The vectors of the chosen codec. Long ones would only make the runs slow.
fn cases() -> Vec<Case> {
    let wanted = std::env::var("FUZZ_CODEC").ok();
    let is_wanted = |vector: &Vector| {
        let folder = vector.name.split('/').next();
        vector.encoded.len() < 20_000
            && vector.representation.shape.iter().product::<u64>() < 100_000
            && wanted.as_deref().is_none_or(|wanted| folder == Some(wanted))
    };
    let cases: Vec<_> = vectors().into_iter().filter(is_wanted).map(case).collect();
    assert!(!cases.is_empty(), "{wanted:?} has no codec vectors");
    cases
}

fuzz_target!(
    init: seeds::write_if_asked(seeds),
    |input: &[u8]| {
        let Some((number, encoded)) = input.split_first_chunk() else { return };
        CASES.with(|all| {
            let all = all.get_or_init(cases);
            decode(&all[usize::from(u16::from_be_bytes(*number)) % all.len()], encoded);
        });
    }
);

fn decode(case: &Case, encoded: &[u8]) {
    let representation = case.pipeline.decoded();
    let whole: Vec<_> = representation.shape.iter().map(|len| 0..*len).collect();
    let mut scratch = Scratch::default();
    match case.pipeline.decode(encoded, &whole, &mut scratch) {
        Err(error) => check_blames_data(&error),
        Ok(decoded) => match &decoded.elements {
            Elements::Fixed(bytes) => {
                let size = representation.data_type.size().unwrap();
                assert_eq!(bytes.len(), case.len * size);
            }
            Elements::Variable(elements) => check_elements(elements, case.len),
        },
    }
}

fn check_elements(elements: &VariableBytes, len: usize) {
    assert_eq!(elements.len(), len);
    assert!((0..len).all(|at| elements.get(at).is_some()));
}

fn seeds() -> Vec<Vec<u8>> {
    let numbered = (0_u16..).zip(cases());
    numbered.map(|(number, case)| [&number.to_be_bytes(), &case.encoded[..]].concat()).collect()
}
