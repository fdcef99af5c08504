//! Chains with user codecs, which the test itself runs: `xor` changes bytes, `wider` changes the
//! data type.

use super::super::testing::{self, metadata as codec};
use super::*;
use crate::format::codec::pipeline::{Elements, Pipeline, Scratch};
use crate::format::codec::{ArrayBytes, Direction};
use crate::format::data_type::{DataType, Integer};

fn chunk(shape: &[u64], integer: Integer) -> ChunkRepresentation {
    testing::chunk(shape, DataType::Integer(integer))
}

fn users(known: &str) -> OptionalUserCodecs {
    let json = format!(r#"{{"names":["xor","wider","numcodecs.old"],"known":[{known}]}}"#);
    Some(Rc::new(UserCodecs::from_json(&json).unwrap()))
}

const XOR: &str =
    r#"{"codec":"xor","configuration":"{}","dtype":"uint8","shape":[4],"kind":"bytes_to_bytes"}"#;
const XOR_16: &str =
    r#"{"codec":"xor","configuration":"{}","dtype":"uint16","shape":[4],"kind":"bytes_to_bytes"}"#;
const WIDER: &str = r#"{"codec":"wider","configuration":"{}","dtype":"uint8","shape":[4],"kind":"array_to_array",
    "encoded":{"dataType":"\"uint16\"","shape":null,"fillValue":"7"}}"#;

/// Runs the user codecs of these tests.
fn run(request: &CodecCall<'_>) -> Vec<u8> {
    match (request.site.codec.as_str(), request.direction) {
        ("wider", Direction::Encode) => request.input.iter().flat_map(|byte| [*byte, 1]).collect(),
        ("wider", Direction::Decode) => request.input.iter().step_by(2).copied().collect(),
        _ => request.input.iter().map(|byte| byte ^ 0x55).collect(),
    }
}

/// Repeats the work until no call is open. Returns the number of repetitions.
fn until_answered<T>(users: &OptionalUserCodecs, mut work: impl FnMut() -> Result<T>) -> (Result<T>, usize) {
    let (users, mut calls, mut rounds) = (users.as_ref().unwrap(), CodecCalls::default(), 0);
    loop {
        users.swap_calls(&mut calls);
        let result = work();
        users.swap_calls(&mut calls);
        if result.as_ref().err().is_none_or(|error| !is_waiting(error)) {
            return (result, rounds);
        }
        rounds += 1;
        let mut answers = Vec::new();
        calls.hand_out(|request| answers.push((request.id, run(&request))));
        assert!(!answers.is_empty(), "waits for nothing");
        assert!(answers.iter().all(|(id, output)| calls.answer(*id, output).unwrap()));
    }
}

fn round_trip(
    codecs: &[CodecMetadata],
    decoded: ChunkRepresentation,
    users: &OptionalUserCodecs,
) -> (Vec<u8>, usize) {
    let len = usize::try_from(decoded.byte_len().unwrap().unwrap()).unwrap();
    let elements: Vec<u8> = (1..=u8::MAX).cycle().take(len).collect();
    let whole: Vec<_> = decoded.shape.iter().map(|extent| 0..*extent).collect();
    let pipeline = Pipeline::bind_with(codecs, decoded, users).unwrap();
    let (encoded, _) = until_answered(users, || pipeline.encode(ArrayBytes::Fixed(elements.clone())));
    let encoded = encoded.unwrap();
    let (read, rounds) = until_answered(users, || {
        let mut scratch = Scratch::default();
        let Elements::Fixed(read) = pipeline.decode(&encoded, &whole, &mut scratch)?.elements else {
            panic!("variable")
        };
        Ok(read.to_vec())
    });
    assert_eq!(read.unwrap(), elements);
    (encoded, rounds)
}

fn bytes() -> CodecMetadata {
    codec("bytes", r#"{"endian":"big"}"#)
}

#[test]
fn a_user_codec_of_bytes_is_called_once() {
    let (encoded, rounds) =
        round_trip(&[bytes(), codec("xor", "{}")], chunk(&[4], Integer::Uint8), &users(XOR));
    assert_eq!((encoded, rounds), (vec![0x54, 0x57, 0x56, 0x51], 1));
}

#[test]
fn a_user_codec_of_arrays_may_change_the_data_type() {
    let both = users(&format!("{WIDER},{XOR_16}"));
    let codecs = [codec("wider", "{}"), bytes(), codec("xor", "{}"), codec("gzip", r#"{"level":1}"#)];
    let (_, rounds) = round_trip(&codecs, chunk(&[4], Integer::Uint8), &both);
    assert_eq!(rounds, 2);
    let plain = [codec("wider", "{}"), bytes()];
    let (encoded, _) = round_trip(&plain, chunk(&[4], Integer::Uint8), &both);
    assert_eq!(encoded, [1, 1, 1, 2, 1, 3, 1, 4], "uint16 in big-endian order");
}

#[test]
fn the_calls_of_all_inner_chunks_are_made_at_once() {
    let sharding = codec(
        "sharding_indexed",
        r#"{"chunk_shape":[2],"codecs":["bytes",{"name":"xor","configuration":{}}],
            "index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]}"#,
    );
    let (encoded, rounds) =
        round_trip(&[sharding, codec("xor", "{}")], chunk(&[8], Integer::Uint8), &users(XOR));
    assert_eq!(rounds, 2);
    assert_eq!(encoded[..8], [1, 2, 3, 4, 5, 6, 7, 8], "xor-ed twice");
}

#[test]
fn an_unknown_kind_raises_a_question() {
    let unknown = users("");
    let codecs = [bytes(), codec("xor", "{}")];
    let error = Pipeline::bind_with(&codecs, chunk(&[4], Integer::Int16), &unknown).err().unwrap();
    assert!(is_waiting(&error));
    let question = unknown.as_ref().unwrap().take_question().unwrap();
    let asked = (question.codec.as_str(), question.dtype.as_str(), question.shape, question.fill_value);
    assert_eq!(asked, ("xor", "int16", vec![4], vec![0, 0]));
    assert_eq!(unknown.unwrap().take_question(), None);
}

#[test]
fn answers_of_a_wrong_length_are_refused() {
    let known = users(WIDER);
    let pipeline =
        Pipeline::bind_with(&[codec("wider", "{}"), bytes()], chunk(&[4], Integer::Uint8), &known).unwrap();
    let mut calls = CodecCalls::default();
    known.as_ref().unwrap().swap_calls(&mut calls);
    assert!(pipeline.encode(ArrayBytes::Fixed(vec![1, 2, 3, 4])).is_err());
    known.as_ref().unwrap().swap_calls(&mut calls);
    let error = calls.answer(0, &[0; 7]).unwrap_err();
    assert_eq!(error.context().codec.as_deref(), Some("wider"));
    assert_eq!(error.context().expected.as_deref(), Some("8 bytes"));
    assert!(!calls.answer(5, &[0; 8]).unwrap());
}

#[test]
fn kinds_of_v2_codecs_decide_the_position_of_bytes() {
    let v2 = |name: &str, field: &str| CodecMetadata {
        format: ZarrFormat::V2,
        field: field.into(),
        ..codec(name, "{}")
    };
    let known = |kind: &str| {
        let old = format!(
            r#"{{"codec":"old","configuration":"{{}}","dtype":"uint8","shape":[4],"kind":"{kind}"}}"#
        );
        users(&old)
    };
    for (kind, expected) in [
        ("array_to_array", ["old", "bytes", "zlib"].as_slice()),
        ("array_to_bytes", &["old", "zlib"]),
        ("bytes_to_bytes", &["bytes", "old", "zlib"]),
    ] {
        let mut codecs = vec![v2("old", "filters[0]"), bytes(), v2("zlib", "compressor")];
        arrange_v2(&mut codecs, known(kind).as_ref().unwrap());
        let names: Vec<&str> = codecs.iter().map(|codec| codec.name.as_str()).collect();
        assert_eq!(names, expected, "{kind}");
    }
}
