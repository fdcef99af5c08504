//! Chains with user codecs, which the test itself runs: `xor` changes bytes, `wider` changes the
//! data type.

use std::task::ready;

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

const SHARDS: &str = r#"{"chunk_shape":[2],"codecs":["bytes",{"name":"xor","configuration":{}}],
    "index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]}"#;

/// Runs the user codecs of these tests.
fn run(request: &CodecCall<'_>) -> Vec<u8> {
    match (request.site.codec.as_str(), request.direction) {
        ("wider", Direction::Encode) => request.input.iter().flat_map(|byte| [*byte, 1]).collect(),
        ("wider", Direction::Decode) => request.input.iter().step_by(2).copied().collect(),
        _ => request.input.iter().map(|byte| byte ^ 0x55).collect(),
    }
}

/// Runs the work again until it waits for no call. Returns how many calls each run made.
fn until_answered<T>(mut work: impl FnMut(&mut CodecCalls) -> Poll<Result<T>>) -> (T, Vec<usize>) {
    let (mut calls, mut next, mut rounds) = (CodecCalls::default(), 0, Vec::new());
    loop {
        if let Poll::Ready(done) = work(&mut calls) {
            return (done.unwrap(), rounds);
        }
        let mut answers = Vec::new();
        calls.hand_out(&mut next, |request| answers.push((request.id, run(&request))));
        assert!(!answers.is_empty(), "waits for nothing");
        assert!(!calls.is_answered());
        assert!(answers.iter().all(|(id, output)| calls.answer(*id, output).unwrap()));
        assert!(calls.is_answered());
        rounds.push(answers.len());
    }
}

/// Encodes and decodes elements that count up. Returns the bytes, and the number of calls of each
/// repetition of decoding.
fn round_trip(
    codecs: &[CodecMetadata],
    decoded: ChunkRepresentation,
    users: &OptionalUserCodecs,
) -> (Vec<u8>, Vec<usize>) {
    let len = usize::try_from(decoded.byte_len().unwrap().unwrap()).unwrap();
    let elements: Vec<u8> = (1..=u8::MAX).cycle().take(len).collect();
    round_trip_of(&elements, codecs, decoded, users)
}

fn round_trip_of(
    elements: &[u8],
    codecs: &[CodecMetadata],
    decoded: ChunkRepresentation,
    users: &OptionalUserCodecs,
) -> (Vec<u8>, Vec<usize>) {
    let whole: Vec<_> = decoded.shape.iter().map(|extent| 0..*extent).collect();
    let pipeline = Pipeline::bind_with(codecs, decoded, users).unwrap();
    let (encoded, _) =
        until_answered(|calls| pipeline.poll_encode(ArrayBytes::Fixed(elements.to_vec()), calls));
    let (read, rounds) = until_answered(|calls| {
        let mut scratch = Scratch::default();
        let chunk = ready!(pipeline.poll_decode(&encoded, &whole, &mut scratch, calls))?;
        let Elements::Fixed(read) = chunk.elements else { panic!("variable") };
        Poll::Ready(Ok(read.to_vec()))
    });
    assert_eq!(read, elements);
    let alone = pipeline.decode(&encoded, &whole, &mut Scratch::default()).err().unwrap();
    assert!(alone.message().contains("cannot run here"), "{alone}");
    (encoded, rounds)
}

fn bytes() -> CodecMetadata {
    codec("bytes", r#"{"endian":"big"}"#)
}

#[test]
fn a_user_codec_of_bytes_is_called_once() {
    let (encoded, rounds) =
        round_trip(&[bytes(), codec("xor", "{}")], chunk(&[4], Integer::Uint8), &users(XOR));
    assert_eq!((encoded, rounds), (vec![0x54, 0x57, 0x56, 0x51], vec![1]));
}

#[test]
fn a_user_codec_of_arrays_may_change_the_data_type() {
    let both = users(&format!("{WIDER},{XOR_16}"));
    let codecs = [codec("wider", "{}"), bytes(), codec("xor", "{}"), codec("gzip", r#"{"level":1}"#)];
    let (_, rounds) = round_trip(&codecs, chunk(&[4], Integer::Uint8), &both);
    assert_eq!(rounds, [1, 1]);
    let plain = [codec("wider", "{}"), bytes()];
    let (encoded, _) = round_trip(&plain, chunk(&[4], Integer::Uint8), &both);
    assert_eq!(encoded, [1, 1, 1, 2, 1, 3, 1, 4], "uint16 in big-endian order");
}

#[test]
fn the_calls_of_all_inner_chunks_are_made_at_once() {
    let sharding = codec("sharding_indexed", SHARDS);
    let (encoded, rounds) =
        round_trip(&[sharding, codec("xor", "{}")], chunk(&[8], Integer::Uint8), &users(XOR));
    assert_eq!(rounds, [1, 4]);
    assert_eq!(encoded[..8], [1, 2, 3, 4, 5, 6, 7, 8], "xor-ed twice");
}

#[test]
fn equal_inner_chunks_have_calls_of_their_own() {
    let sharding = codec("sharding_indexed", SHARDS);
    let elements = [7, 8, 7, 8, 1, 2, 7, 8];
    let (encoded, rounds) = round_trip_of(&elements, &[sharding], chunk(&[8], Integer::Uint8), &users(XOR));
    assert_eq!(rounds, [4]);
    assert_eq!(encoded[..8], elements.map(|byte| byte ^ 0x55));
}

#[test]
fn codecs_with_chains_wait_for_the_user_codecs_in_them() {
    let xor = r#"{"name":"xor","configuration":{}}"#;
    let conditional = codec("conditional", &format!(r#"{{"codecs":[{xor},{{"name":"gzip"}}]}}"#));
    let n5 = codec(
        "n5_default",
        &format!(
            r#"{{"codecs":[{{"name":"transpose","configuration":{{"order":[1,0]}}}},
            {{"name":"bytes","configuration":{{"endian":"big"}}}},{xor}]}}"#
        ),
    );
    let zeros = vec![0; 1000];
    let chain = [bytes(), conditional.clone(), conditional];
    let (encoded, rounds) = round_trip_of(&zeros, &chain, chunk(&[1000], Integer::Uint8), &users(XOR));
    assert_eq!((encoded[0], rounds.len()), (0, 1), "the second one makes nothing smaller");
    let (encoded, rounds) = round_trip(&[n5], chunk(&[2, 2], Integer::Uint8), &users(XOR));
    assert_eq!((&encoded[12..], rounds), ([0x54, 0x56, 0x57, 0x51].as_slice(), vec![1]));
}

#[test]
fn the_chains_of_mask_and_values_have_calls_of_their_own() {
    let chain = |first: &str| format!(r#"[{{"name":"{first}"}},{{"name":"xor","configuration":{{}}}}]"#);
    let configuration =
        format!(r#"{{"mask_codecs":{},"data_codecs":{}}}"#, chain("packbits"), chain("bytes"));
    let optional = codec("zarrs.optional", &configuration);
    let xor = XOR.replace("uint8", "bool");
    let chunk = testing::chunk(&[4], DataType::Optional(Box::new(DataType::Integer(Integer::Uint8))));
    let elements = [1, 7, 0, 0, 1, 9, 1, 8];
    let (encoded, rounds) = round_trip_of(&elements, &[optional], chunk, &users(&format!("{XOR},{xor}")));
    assert_eq!(encoded[16..], [0b1101 ^ 0x55, 7 ^ 0x55, 9 ^ 0x55, 8 ^ 0x55]);
    assert_eq!(rounds, [1, 1]);
}

#[test]
fn an_unknown_kind_raises_a_question() {
    let codecs = [bytes(), codec("xor", "{}")];
    let unbound = Pipeline::bind_with(&codecs, chunk(&[4], Integer::Int16), &users("")).err().unwrap();
    let Unbound::UnknownKind(question) = unbound else { panic!("{unbound:?}") };
    let asked = (question.codec.as_str(), question.dtype.as_str(), question.shape, question.fill_value);
    assert_eq!(asked, ("xor", "int16", vec![4], vec![0, 0]));
}

#[test]
fn answers_of_a_wrong_length_are_refused() {
    let known = users(WIDER);
    let pipeline =
        Pipeline::bind_with(&[codec("wider", "{}"), bytes()], chunk(&[4], Integer::Uint8), &known).unwrap();
    let mut calls = CodecCalls::default();
    assert!(pipeline.poll_encode(ArrayBytes::Fixed(vec![1, 2, 3, 4]), &mut calls).is_pending());
    calls.hand_out(&mut 0, |_| {});
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
