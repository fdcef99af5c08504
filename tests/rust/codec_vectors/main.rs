//! Every folder below `tests/fixtures/codec-vectors/` is a codec: chunks that other libraries
//! encoded must decode to what they were, ours as well, and damaged ones must be refused, or give
//! exactly the length asked for. The layout is described in its `README.md`.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../counting.rs"]
mod counting;
mod cuts;
mod memory;
mod vector;

use std::rc::Rc;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value as Json;
use zarr_wasm::error::{Error, ErrorKind};
use zarr_wasm::format::codec::kind::CodecKind;
use zarr_wasm::format::codec::pipeline::{Elements, Pipeline, Scratch};
use zarr_wasm::format::codec::registry::{self, ENTRIES};
use zarr_wasm::format::codec::{ArrayBytes, BytesToBytes, ChunkRepresentation, Codec, Output};
use zarr_wasm::format::data_type::{DataType, FillValue};
use zarr_wasm::format::metadata::CodecMetadata;
use zarr_wasm::format::tolerated::Form;

use vector::{Vector, codec, vectors};

/// Codecs that tell every damage: a result that is not the original would be a checksum not looked
/// at.
const VERIFIED: [&str; 8] =
    ["gzip", "zlib", "crc32c", "crc32", "adler32", "fletcher32", "jenkins_lookup3", "bz2"];

fn pipeline(vector: &Vector) -> Pipeline {
    let bytes = codec(&serde_json::json!({"name": "bytes", "configuration": {"endian": "little"}}), false);
    let codec = vector.codec.clone();
    let codecs = match registry::kind_of(&codec.name, codec.format).unwrap() {
        CodecKind::ArrayToArray => vec![codec, bytes],
        CodecKind::ArrayToBytes => vec![codec],
        CodecKind::BytesToBytes => vec![bytes, codec],
    };
    Pipeline::bind(&codecs, vector.representation.clone()).unwrap()
}

/// The codec alone, where it is one of bytes.
fn bytes_codec(vector: &Vector) -> Option<Rc<dyn BytesToBytes>> {
    match registry::bind(&vector.codec, &vector.representation).unwrap() {
        Codec::BytesToBytes(codec) => Some(codec),
        _ => None,
    }
}

fn decode_all(pipeline: &Pipeline, encoded: &[u8]) -> Result<ArrayBytes, Error> {
    let whole: Vec<_> = pipeline.decoded().shape.iter().map(|len| 0..*len).collect();
    let mut scratch = Scratch::default();
    let decoded = pipeline.decode(encoded, &whole, &mut scratch)?;
    Ok(match decoded.elements {
        Elements::Fixed(bytes) => ArrayBytes::Fixed(bytes.to_vec()),
        Elements::Variable(elements) => ArrayBytes::Variable(elements),
    })
}

fn decode_exact(codec: &dyn BytesToBytes, encoded: &[u8], len: usize) -> Result<Vec<u8>, Error> {
    let mut output = vec![0xa5; len];
    codec.decode(encoded, Output::Exact(&mut output)).map(|()| output)
}

fn decode_growing(codec: &dyn BytesToBytes, encoded: &[u8], limit: usize) -> Result<Vec<u8>, Error> {
    let mut buf = Vec::new();
    let result = codec.decode(encoded, Output::Growing { buf: &mut buf, limit });
    // Rounding up to what an allocator hands out is the only excess.
    assert!(
        buf.capacity() <= limit.max(1 << 17),
        "{} bytes were allocated for a limit of {limit}",
        buf.capacity()
    );
    result.map(|()| buf)
}

#[test]
fn what_others_encoded_decodes_to_what_it_was() {
    for vector in vectors() {
        let decoded = decode_all(&pipeline(&vector), &vector.encoded);
        let decoded = decoded.unwrap_or_else(|error| panic!("{}: {error:?}", vector.name));
        assert!(vector.is_like(&decoded), "{}: {}", vector.name, vector.distance(&decoded));
        let Some(codec) = bytes_codec(&vector) else { continue };
        let growing = decode_growing(&*codec, &vector.encoded, vector.bytes().len() + 1000);
        assert!(growing.is_ok_and(|decoded| decoded == vector.bytes()), "{} growing", vector.name);
    }
}

#[test]
fn what_we_encode_decodes_to_what_it_was() {
    for vector in vectors() {
        let pipeline = pipeline(&vector);
        if vector.is_read_only() {
            let error = pipeline.encode(vector.decoded.clone()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{}", vector.name);
            continue;
        }
        let encoded =
            pipeline.encode(vector.original.clone().unwrap_or_else(|| vector.decoded.clone())).unwrap();
        let decoded = decode_all(&pipeline, &encoded).unwrap();
        assert!(decoded == vector.decoded, "{}", vector.name);
        let kind = registry::kind_of(&vector.codec.name, vector.codec.format);
        if kind == Some(CodecKind::ArrayToArray) {
            assert!(encoded == vector.encoded, "{} is encoded to other numbers", vector.name);
        }
    }
}

#[test]
fn runs_decode_to_what_they_were_in_the_whole() {
    let mut partial = 0;
    for vector in vectors() {
        let Some(codec) = bytes_codec(&vector) else { continue };
        let len = vector.bytes().len();
        let runs = [len / 5..len / 5 + 1, len / 3..len / 2, len * 6 / 7..len]
            .map(|run| run.start.min(len)..run.end.min(len));
        let mut output = vec![0; len];
        let Some(result) = codec.decode_runs(&vector.encoded, &runs, &mut output) else { continue };
        result.unwrap();
        for run in runs {
            assert_eq!(output[run.clone()], vector.bytes()[run], "{}", vector.name);
        }
        partial += 1;
    }
    assert!(partial > 40, "{partial}");
}

/// The header of a block has two bytes for its mode, two for its rank, and four for each length.
#[test]
fn n5_blocks_without_elements_are_refused() {
    let of_n5 = |vector: &Vector| vector.name.starts_with("n5_default/");
    let mut tried = 0;
    for vector in vectors().into_iter().filter(of_n5) {
        let lengths = 4 * vector.representation.shape.len();
        for zero in (4..4 + lengths).step_by(4) {
            let mut damaged = vector.encoded.clone();
            damaged[4..4 + lengths].fill(0xff);
            damaged[zero..zero + 4].fill(0);
            let error = decode_all(&pipeline(&vector), &damaged).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format, "{}: {error}", vector.name);
            tried += 1;
        }
    }
    assert!(tried > 0);
}

#[test]
fn another_length_than_the_metadata_says_is_an_error() {
    for vector in vectors() {
        let Some(codec) = bytes_codec(&vector) else { continue };
        for len in [vector.bytes().len() + 1, vector.bytes().len().wrapping_sub(1)] {
            if len == usize::MAX {
                continue;
            }
            let error = decode_exact(&*codec, &vector.encoded, len).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format, "{}: {error}", vector.name);
        }
        if let Some(limit) = vector.bytes().len().checked_sub(1) {
            let error = decode_growing(&*codec, &vector.encoded, limit).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Limit, "{}: {error}", vector.name);
        }
    }
}

#[test]
fn bytes_behind_the_last_are_an_error() {
    // Codes of LZW end within a byte, and TIFF's writers fill up.
    for vector in vectors().into_iter().filter(|vector| !vector.codec.name.ends_with("lzw")) {
        let Some(codec) = bytes_codec(&vector) else { continue };
        let encoded = [&vector.encoded[..], &[1, 2, 3]].concat();
        let decoded = decode_exact(&*codec, &encoded, vector.bytes().len());
        if vector.codec.name.ends_with("blosc") {
            // z5py wrote such: a frame says where it ends.
            assert_eq!((decoded.unwrap().as_slice(), Form::take_noted().len()), (vector.bytes(), 1));
            continue;
        }
        let error = decoded.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format, "{}: {error}", vector.name);
    }
}

#[test]
fn every_cut_is_an_error() {
    for vector in vectors() {
        let Some(codec) = bytes_codec(&vector) else { continue };
        let len = vector.bytes().len();
        // The padding that gzip allows can be cut off: what is left is whole.
        let padding = vector.encoded.iter().rev().take_while(|byte| **byte == 0).count();
        let whole = if padding >= 512 { vector.encoded.len() - padding } else { vector.encoded.len() };
        // A prime stride through long ones, the ends byte by byte.
        let step = if whole > 3000 { 13 } else { 1 };
        let cuts = (0..whole.min(64)).chain((64..whole).step_by(step)).chain(whole.saturating_sub(64)..whole);
        for cut in cuts {
            let encoded = &vector.encoded[..cut];
            for result in [decode_exact(&*codec, encoded, len), decode_growing(&*codec, encoded, len)] {
                let fine = match &result {
                    Ok(decoded) => may_be_cut(&vector, cut, decoded),
                    Err(error) => matches!(error.kind(), ErrorKind::Format | ErrorKind::Limit),
                };
                assert!(fine, "{} cut to {cut} bytes: {result:?}", vector.name);
            }
        }
    }
}

#[test]
fn every_cut_of_an_array_is_an_error() {
    let mut whole_all_the_same = Vec::new();
    for vector in vectors().iter().filter(|vector| bytes_codec(vector).is_none()) {
        let pipeline = pipeline(vector);
        // zfp fills up its last word, and a JPEG whose header is in the metadata its last byte: see
        // `cuts`.
        let is_open = vector.name.starts_with("zfp") || vector.name.ends_with("header-apart");
        let riff = vector.encoded.get(4..8).filter(|_| vector.encoded.starts_with(b"RIFF"));
        let whole = if is_open {
            0
        } else if let Some(len) = riff {
            // A byte behind the file is no part of it.
            vector.encoded.len().min(8 + u32::from_le_bytes(len.try_into().unwrap()) as usize)
        } else {
            vector.encoded.len()
        };
        for cut in 0..whole {
            match decode_all(&pipeline, &vector.encoded[..cut]) {
                Err(error) => {
                    let kinds = [ErrorKind::Format, ErrorKind::Limit];
                    assert!(kinds.contains(&error.kind()), "{} cut to {cut}: {error}", vector.name);
                }
                Ok(_) => whole_all_the_same.push(format!("{} cut to {cut} of {whole}", vector.name)),
            }
        }
        if vector.is_read_only() {
            // An image ends where it says so, and so does a message.
            continue;
        }
        let longer = [&vector.encoded[..], &[1]].concat();
        assert!(decode_all(&pipeline, &longer).is_err(), "{} and a byte", vector.name);
    }
    assert!(whole_all_the_same.is_empty(), "{whole_all_the_same:#?}");
}

/// Streams of several members or frames may end after each, where the length is not known; nothing
/// is an empty zstd stream, fewer elements are elements to a shuffle, fewer groups of four are
/// base64, and `conditional` may leave bytes as they are.
fn may_be_cut(vector: &Vector, cut: usize, decoded: &[u8]) -> bool {
    let several = [
        "gzip/three",
        "gzip/zeros-after",
        "zstd/three",
        "bz2/two",
        "lzma/xz-two",
        "base64/",
        "imagecodecs_packbits/",
    ]
    .iter()
    .any(|name| vector.name.starts_with(name));
    let nothing = cut == 0 && vector.codec.name.ends_with("zstd") && decoded.is_empty();
    let shuffled = vector.codec.name.ends_with("shuffle") && decoded.len() == cut;
    let plain = vector.codec.name == "conditional" && decoded.len() <= cut;
    let part = decoded.len() < vector.bytes().len() && vector.bytes().starts_with(decoded);
    nothing || shuffled || plain || (several && part)
}

/// Codecs that only move elements or wrap others, and what no other library could write here: they
/// have tests of their own.
const WITHOUT_VECTORS: [&str; 7] =
    ["bytes", "transpose", "reshape", "zarrs.squeeze", "sharding_indexed", "zarrs.vlen_v2", "zarrs.optional"];

#[test]
fn every_codec_has_vectors() {
    let tested: Vec<String> = vectors().into_iter().map(|vector| vector.codec.name).collect();
    for entry in ENTRIES.iter().filter(|entry| !WITHOUT_VECTORS.contains(&entry.name)) {
        let mut names = entry.v2_ids.iter().chain(entry.aliases).chain([&entry.name]);
        assert!(names.any(|name| tested.iter().any(|tested| tested == name)), "{}", entry.name);
    }
}

/// v2's configurations that no writer makes, and the field that is named.
const ABSURD: [(&str, &str); 42] = [
    (r#"{"id":"delta","dtype":"<x4"}"#, "dtype"),
    (r#"{"id":"delta","dtype":7}"#, "dtype"),
    (r#"{"id":"delta","dtype":"<f8","astype":[]}"#, "astype"),
    (r#"{"id":"fixedscaleoffset","scale":1,"dtype":"<f8"}"#, "offset"),
    (r#"{"id":"fixedscaleoffset","offset":"x","scale":1}"#, "offset"),
    (r#"{"id":"fixedscaleoffset","offset":1,"scale":{}}"#, "scale"),
    (r#"{"id":"quantize","dtype":"<f8"}"#, "digits"),
    (r#"{"id":"quantize","digits":1e9,"dtype":"<f8"}"#, "digits"),
    (r#"{"id":"quantize","digits":400,"dtype":"<f8"}"#, "digits"),
    (r#"{"id":"astype","decode_dtype":"<f8"}"#, "encode_dtype"),
    (r#"{"id":"bitround"}"#, "keepbits"),
    (r#"{"id":"bitround","keepbits":-1}"#, "keepbits"),
    (r#"{"id":"categorize","astype":"|u1"}"#, "labels"),
    (r#"{"id":"categorize","labels":[1]}"#, "labels[0]"),
    (r#"{"id":"categorize","labels":[],"astype":"<f4"}"#, "astype"),
    (r#"{"id":"shuffle","elementsize":-4}"#, "elementsize"),
    (r#"{"id":"shuffle","elementsize":1e99}"#, "elementsize"),
    (r#"{"id":"crc32","location":"middle"}"#, "location"),
    (r#"{"id":"adler32","location":1}"#, "location"),
    (r#"{"id":"jenkins_lookup3","initval":4294967296}"#, "initval"),
    (r#"{"id":"jenkins_lookup3","prefix":[1,256]}"#, "prefix[1]"),
    (r#"{"id":"bz2","level":0}"#, "level"),
    (r#"{"id":"lzma","format":4}"#, "format"),
    (r#"{"id":"lzma","format":3}"#, "filters"),
    (r#"{"id":"lzma","check":2}"#, "check"),
    (r#"{"id":"lzma","preset":10}"#, "preset"),
    (r#"{"id":"lzma","format":3,"filters":[]}"#, "filters"),
    (r#"{"id":"lzma","format":3,"filters":[{"dist":1}]}"#, "filters[0].id"),
    (r#"{"id":"lzma","format":3,"filters":[{"id":33},{"id":3}]}"#, "filters"),
    (r#"{"id":"lzma","format":3,"filters":[{"id":3,"dist":0},{"id":33}]}"#, "filters[0].dist"),
    (r#"{"id":"lzma","format":3,"filters":[{"id":33,"dict_size":4294967295}]}"#, "filters[0].dict_size"),
    (r#"{"id":"lzma","format":3,"filters":[{"id":33,"lc":4,"lp":4}]}"#, "filters[0].lp"),
    (r#"{"id":"lzma","format":1,"filters":[{"id":4611686018427387905}]}"#, "filters"),
    (r#"{"id":"vlen-array"}"#, "dtype"),
    (r#"{"id":"json2","encoding":"utf-16"}"#, "encoding"),
    (r#"{"id":"msgpack2","use_single_float":"no"}"#, "use_single_float"),
    (r#"{"id":"pcodec","level":13}"#, "level"),
    (r#"{"id":"pcodec","mode_spec":"magic"}"#, "mode_spec"),
    (r#"{"id":"pcodec","delta_encoding_order":8}"#, "delta_encoding_order"),
    (r#"{"id":"pcodec","equal_pages_up_to":0}"#, "equal_pages_up_to"),
    (r#"{"id":"zfpy","mode":6}"#, "mode"),
    (r#"{"id":"zfpy","tolerance":"x"}"#, "tolerance"),
];

/// The same of v3.
const ABSURD_V3: [(&str, &str, &str); 14] = [
    ("packbits", r#"{"padding_encoding":"both"}"#, "padding_encoding"),
    ("packbits", r#"{"first_bit":64}"#, "first_bit"),
    ("packbits", r#"{"first_bit":4,"last_bit":3}"#, "last_bit"),
    ("bitround", r#"{"keepbits":0}"#, "keepbits"),
    ("reshape", "{}", "shape"),
    ("reshape", r#"{"shape":[0]}"#, "shape[0]"),
    ("vlen-utf8", r#"{"encoding":"x"}"#, "encoding"),
    ("zfp", "{}", "mode"),
    ("zfp", r#"{"mode":"fixed_rate"}"#, "rate"),
    ("zfp", r#"{"mode":"expert","minbits":1,"maxbits":2,"maxprec":3}"#, "minexp"),
    ("conditional", r#"{"codecs":["gzip"],"header_bits":4}"#, "header_bits"),
    ("conditional", r#"{"header_bits":8}"#, "codecs"),
    ("n5_default", r#"{"codecs":["bytes"]}"#, "codecs"),
    (
        "n5_default",
        r#"{"codecs":["transpose",{"name":"bytes","configuration":{"endian":"little"}}]}"#,
        "codecs[1].configuration.endian",
    ),
];

/// A chunk that the codec can encode: that of one of its vectors.
fn chunk_for(codec: &CodecMetadata, vectors: &[Vector]) -> ChunkRepresentation {
    let name = |codec: &CodecMetadata| registry::lookup(&codec.name, codec.format).unwrap().name;
    let vector = vectors.iter().find(|vector| name(&vector.codec) == name(codec));
    vector.map(|vector| vector.representation.clone()).unwrap_or_else(|| ChunkRepresentation {
        shape: vec![4],
        data_type: DataType::Bool,
        fill_value: FillValue(vec![0]),
    })
}

#[test]
fn absurd_configurations_are_refused_by_field() {
    let vectors = vectors();
    let v2 = ABSURD.map(|(configuration, field)| {
        let json: Json = serde_json::from_str(configuration).unwrap();
        (codec(&json, true), format!("compressor.{field}"))
    });
    let v3 = ABSURD_V3.map(|(name, configuration, field)| {
        let configuration: Json = serde_json::from_str(configuration).unwrap();
        let json = serde_json::json!({"name": name, "configuration": configuration});
        (codec(&json, false), format!("compressor.configuration.{field}"))
    });
    for (codec, field) in v2.into_iter().chain(v3) {
        let bound = registry::bind(&codec, &chunk_for(&codec, &vectors));
        let error = bound.expect_err(codec.configuration.as_deref().unwrap());
        assert_eq!(error.context().field.as_deref(), Some(field.as_str()), "{codec:?}: {error}");
        assert!(matches!(error.kind(), ErrorKind::Format | ErrorKind::Unsupported), "{codec:?}: {error}");
    }
}

/// A few bytes that claim, or are, a GiB. Each must fail with little allocated.
#[test]
fn bombs_are_refused_before_memory_grows() {
    const CLAIMED: u32 = 1 << 30;
    let size = CLAIMED.to_le_bytes();
    let blosc = |flags: u8| {
        let mut frame = vec![2, 1, flags, 1];
        frame.extend([size, size, 40_u32.to_le_bytes(), 20_u32.to_le_bytes()].concat());
        frame.resize(40, 0);
        frame
    };
    let mut bombs = vec![
        ("lz4", [&size[..], &[0x1f, 0, 1, 0], &[255; 32]].concat()),
        // A single segment with a content size of eight bytes, one raw block.
        (
            "zstd",
            [&[0x28, 0xb5, 0x2f, 0xfd, 0xe0], &u64::from(CLAIMED).to_le_bytes()[..], &[1, 0, 0]].concat(),
        ),
        // A gzip member of one stored block whose trailer claims the size.
        (
            "gzip",
            [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1, 0, 0, 255, 255, 0, 0, 0, 0], &size[..]].concat(),
        ),
    ];
    bombs.extend([0x00, 0x02, 0x20, 0x40, 0x60, 0x80, 0x90].map(|flags| ("blosc", blosc(flags))));
    for (id, encoded) in bombs {
        let vector = vectors().into_iter().find(|vector| vector.codec.name == id).unwrap();
        let codec = bytes_codec(&vector).unwrap();
        let mut buf = Vec::new();
        let output = Output::Growing { buf: &mut buf, limit: 1 << 30 };
        let error = codec.decode(&encoded, output).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format, "{id}: {error}");
        assert!(buf.capacity() <= 1 << 18, "{id} allocated {}", buf.capacity());
        assert_eq!(decode_exact(&*codec, &encoded, 100).unwrap_err().kind(), ErrorKind::Format, "{id}");
    }
}

#[test]
fn content_beyond_the_limit_stops_the_decoder() {
    let zeros = vec![0; 16 << 20];
    for id in ["gzip", "zlib", "zstd", "lz4", "blosc", "bz2", "lzma"] {
        let vector = vectors().into_iter().find(|vector| vector.codec.name == id).unwrap();
        let codec = bytes_codec(&vector).unwrap();
        let encoded = codec.encode(&zeros).unwrap();
        assert_eq!(decode_growing(&*codec, &encoded, 1000).unwrap_err().kind(), ErrorKind::Limit, "{id}");
        assert_eq!(decode_exact(&*codec, &encoded, 1000).unwrap_err().kind(), ErrorKind::Format, "{id}");
    }
}

fn damaged(encoded: &[u8], damages: &[(Index, u8)]) -> Vec<u8> {
    let mut damaged = encoded.to_vec();
    for (chosen, mask) in damages {
        let at = chosen.index(damaged.len());
        damaged[at] ^= mask;
    }
    damaged
}

/// Damage near the front, where headers are, as often as anywhere.
fn damage() -> impl Strategy<Value = (Index, u8)> {
    (any::<Index>(), 1..=u8::MAX)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_bytes_are_refused_or_give_the_length_asked_for(
        which in any::<Index>(),
        damages in prop::collection::vec(damage(), 1..4),
        in_header in any::<bool>(),
    ) {
        // Reading 100 files a case would be the slowest part by far.
        thread_local!(static VECTORS: Vec<Vector> = vectors());
        VECTORS.with(|vectors| {
            let vector = which.get(vectors);
            let Some(codec) = bytes_codec(vector) else { return Ok(()) };
            let front = if in_header { vector.encoded.len().min(40) } else { vector.encoded.len() };
            let mut encoded = damaged(&vector.encoded[..front], &damages);
            encoded.extend_from_slice(&vector.encoded[front..]);
            let len = vector.bytes().len();
            if let Ok(decoded) = decode_exact(&*codec, &encoded, len) {
                let verified = VERIFIED.contains(&vector.codec.name.as_str());
                prop_assert!(!verified || decoded == vector.bytes(), "{}", vector.name);
            }
            if let Ok(decoded) = decode_growing(&*codec, &encoded, len * 2) {
                prop_assert!(decoded.len() <= len * 2);
            }
            let mut output = vec![0; len];
            // Whatever it says, it must not panic.
            let _ = codec.decode_runs(&encoded, std::slice::from_ref(&(len / 3..len / 2)), &mut output);
            Ok(())
        })?;
    }

    #[test]
    fn damaged_arrays_are_refused_or_have_their_elements(
        which in any::<Index>(),
        damages in prop::collection::vec(damage(), 1..4),
        in_header in any::<bool>(),
    ) {
        thread_local!(static ARRAYS: Vec<Vector> =
            vectors().into_iter().filter(|vector| bytes_codec(vector).is_none() && !vector.encoded.is_empty()).collect());
        ARRAYS.with(|vectors| {
            let vector = which.get(vectors);
            let front = if in_header { vector.encoded.len().min(40) } else { vector.encoded.len() };
            let mut encoded = damaged(&vector.encoded[..front], &damages);
            encoded.extend_from_slice(&vector.encoded[front..]);
            match (decode_all(&pipeline(vector), &encoded), &vector.decoded) {
                (Ok(ArrayBytes::Fixed(decoded)), ArrayBytes::Fixed(bytes)) => {
                    prop_assert_eq!(decoded.len(), bytes.len());
                }
                (Ok(ArrayBytes::Variable(decoded)), ArrayBytes::Variable(elements)) => {
                    prop_assert_eq!(decoded.len(), elements.len());
                }
                (decoded, _) => {
                    // Damaged MessagePack may hold what JSON has not.
                    let kinds = [ErrorKind::Format, ErrorKind::Limit, ErrorKind::Unsupported];
                    prop_assert!(kinds.contains(&decoded.expect_err(&vector.name).kind()), "{}", &vector.name);
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn anything_goes_there_and_back(
        which in any::<Index>(),
        pieces in prop::collection::vec((prop::collection::vec(any::<u8>(), 1..40), 1..60_usize), 0..12),
    ) {
        thread_local!(static VECTORS: Vec<Vector> = vectors());
        VECTORS.with(|vectors| {
            let vector = which.get(vectors);
            let Some(codec) = bytes_codec(vector).filter(|_| !vector.is_read_only()) else { return Ok(()) };
            let mut decoded: Vec<u8> = pieces.iter().flat_map(|(piece, times)| piece.repeat(*times)).collect();
            if ["shuffle", "conditional"].iter().any(|name| vector.codec.name.ends_with(name)) {
                // A shuffle takes whole elements only; sizes up to eight occur.
                decoded.truncate(decoded.len() / 24 * 24);
            }
            let encoded = codec.encode(&decoded).unwrap();
            prop_assert_eq!(&decode_exact(&*codec, &encoded, decoded.len()).unwrap(), &decoded);
            prop_assert_eq!(&decode_growing(&*codec, &encoded, decoded.len()).unwrap(), &decoded);
            if let Some(len) = codec.encoded_len(decoded.len() as u64) {
                prop_assert_eq!(len, encoded.len() as u64);
            }
            Ok(())
        })?;
    }
}
