//! What decoders allocate: chunks that claim to be larger than they are, by every field near their
//! front, and small ones that nest deep, must be refused with no more memory than a chunk of their
//! array takes, and a bounded rest.

use zarr_wasm::error::ErrorKind;
use zarr_wasm::format::codec::pipeline::Pipeline;
use zarr_wasm::format::codec::{ArrayBytes, ChunkRepresentation};
use zarr_wasm::format::data_type::{DataType, FillValue, Integer};

use super::counting::peak;
use super::vector::{Vector, codec, vectors};
use super::{decode_all, pipeline};

/// Dictionaries, windows and tables of the decoders themselves, of which LZMA's and JPEG XL's are
/// the largest.
const OWN_MEMORY: usize = 40 << 20;

fn is_typed(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Format | ErrorKind::Limit | ErrorKind::Unsupported)
}

fn check(name: &str, vector: &Vector, encoded: &[u8]) {
    let pipeline = pipeline(vector);
    let (result, bytes) = peak(|| decode_all(&pipeline, encoded).map(|_| ()).map_err(|error| error.kind()));
    assert!(result.err().is_none_or(is_typed), "{name}: {result:?}");
    assert!(bytes <= OWN_MEMORY, "{name} took {bytes} bytes: {result:?}");
}

#[test]
fn no_field_near_the_front_makes_a_chunk_large() {
    for vector in vectors() {
        let front = vector.encoded.len().min(48);
        for width in [1, 2, 4, 8] {
            for start in (0..front).step_by(width.min(2)) {
                let end = (start + width).min(vector.encoded.len());
                for pattern in [0xff, 0x7f] {
                    let mut encoded = vector.encoded.clone();
                    encoded[start..end].fill(pattern);
                    check(&format!("{} with {pattern:#x} at {start}..{end}", vector.name), &vector, &encoded);
                }
            }
        }
    }
}

fn first_of(id: &str) -> Vector {
    let found = vectors().into_iter().find(|vector| vector.codec.name == id);
    found.unwrap_or_else(|| panic!("no vector of {id}"))
}

/// CRC-32 as PNG has it, bit by bit.
pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
    })
}

/// A PNG's header with other extents, and the checksum that fits them.
fn png(original: &[u8], width: u32, height: u32) -> Vec<u8> {
    let mut image = original.to_vec();
    image[16..20].copy_from_slice(&width.to_be_bytes());
    image[20..24].copy_from_slice(&height.to_be_bytes());
    let sum = crc32(&image[12..29]);
    image[29..33].copy_from_slice(&sum.to_be_bytes());
    image
}

/// Behind a marker of JPEG or JPEG 2000 bytes that are set.
fn behind_marker(original: &[u8], marker: [u8; 2], offset: usize, bytes: &[u8]) -> Vec<u8> {
    let mut image = original.to_vec();
    let at = image.windows(2).position(|window| window == marker).expect("the marker") + offset;
    image[at..at + bytes.len()].copy_from_slice(bytes);
    image
}

/// Bits of JPEG XL's codestream, the lowest first: extents of 2^30 each, everything else as it is
/// by default.
fn jpegxl() -> Vec<u8> {
    let mut bits = vec![false, true, true];
    bits.extend([true; 30]);
    bits.extend([true, false, false, true]);
    bits.resize(512, false);
    let bytes = bits
        .chunks(8)
        .map(|byte| byte.iter().enumerate().fold(0_u8, |value, (at, bit)| value | u8::from(*bit) << at));
    [0xff, 0x0a].into_iter().chain(bytes).collect()
}

#[test]
fn images_that_claim_to_be_huge_are_refused_before_they_are_made() {
    let [png_image, jpeg, jpeg2k, qoi] =
        ["imagecodecs_png", "imagecodecs_jpeg", "imagecodecs_jpeg2k", "imagecodecs_qoi"].map(first_of);
    let mut claims = vec![];
    for (width, height) in [(0x7fff_ffff, 0x7fff_ffff), (65_535, 65_535), (0, 1), (1, 1)] {
        claims.push(("imagecodecs_png", png(&png_image.encoded, width, height)));
    }
    claims.push(("imagecodecs_jpeg", behind_marker(&jpeg.encoded, [0xff, 0xc0], 5, &[0xff; 4])));
    claims.push(("imagecodecs_jpeg2k", behind_marker(&jpeg2k.encoded, [0xff, 0x51], 6, &[0x7f; 8])));
    claims.push((
        "imagecodecs_jpeg2k",
        behind_marker(&jpeg2k.encoded, [0xff, 0x51], 22, &[0, 0, 0, 1, 0, 0, 0, 1]),
    ));
    let mut large = qoi.encoded.clone();
    large[4..12].fill(0x7f);
    claims.push(("imagecodecs_qoi", large));
    claims.push(("imagecodecs_jpegxl", jpegxl()));
    for (id, encoded) in claims {
        let vector = first_of(id);
        let pipeline = pipeline(&vector);
        let (result, bytes) = peak(|| decode_all(&pipeline, &encoded).map(|_| ()));
        let error = result.expect_err(id);
        assert!(is_typed(error.kind()), "{id}: {error}");
        assert!(bytes <= OWN_MEMORY, "{id} took {bytes} bytes: {error}");
    }
}

#[test]
fn elements_of_variable_length_cannot_claim_more_than_there_is() {
    let huge = u32::MAX.to_le_bytes();
    for id in ["vlen-utf8", "vlen-bytes", "vlen-array"] {
        let vector = first_of(id);
        let count = vector.representation.element_count().unwrap();
        let count = u32::try_from(count).unwrap().to_le_bytes();
        for encoded in
            [[&huge[..], &huge[..]].concat(), [&count[..], &huge[..], b"ab"].concat(), huge.to_vec()]
        {
            let pipeline = pipeline(&vector);
            let (result, bytes) = peak(|| decode_all(&pipeline, &encoded).map(|_| ()));
            assert_eq!(result.expect_err(id).kind(), ErrorKind::Format, "{id}");
            assert!(bytes <= 1 << 20, "{id} took {bytes} bytes");
        }
    }
    let deep = |open: &[u8], close: &[u8]| [open.repeat(200_000), close.repeat(200_000)].concat();
    let messages: [(&str, Vec<u8>); 9] = [
        ("json2", deep(b"[", b"]")),
        ("json2", deep(b"{\"a\":", b"}")),
        ("json2", b"[1e999999999,\"|O\",[1]]".to_vec()),
        ("json2", b"[[],\"|O\",[18446744073709551615,18446744073709551615]]".to_vec()),
        ("msgpack2", [0xdd, 0xff, 0xff, 0xff, 0xff].to_vec()),
        ("msgpack2", [0xdf, 0xff, 0xff, 0xff, 0xff].to_vec()),
        ("msgpack2", [0xdb, 0xff, 0xff, 0xff, 0xff, b'a'].to_vec()),
        ("msgpack2", [0xc6, 0xff, 0xff, 0xff, 0xff, b'a'].to_vec()),
        ("msgpack2", deep(&[0x91], &[])),
    ];
    for (id, encoded) in messages {
        let pipeline = pipeline(&first_of(id));
        let (result, bytes) = peak(|| decode_all(&pipeline, &encoded).map(|_| ()));
        let error = result.expect_err(id);
        assert!(is_typed(error.kind()), "{id}: {error}");
        assert!(bytes <= 16 << 20, "{id} took {bytes} bytes: {error}");
    }
}

/// Behind the marker of a JPEG 2000 image's size.
const SIZE: [u8; 4] = [0xff, 0x4f, 0xff, 0x51];

fn offset_of(bytes: &[u8], marker: &[u8]) -> usize {
    bytes.windows(marker.len()).position(|window| window == marker).expect("the marker")
}

/// The error of a chunk, which must come before memory is taken for the image.
fn refused_with_little(vector: &Vector, encoded: &[u8]) -> zarr_wasm::error::Error {
    let pipeline = pipeline(vector);
    let (result, bytes) = peak(|| decode_all(&pipeline, encoded).map(|_| ()));
    let error = result.expect_err(&vector.name);
    assert!(bytes <= 1 << 20, "{} took {bytes} bytes: {error}", vector.name);
    error
}

/// A box before the codestream may hold any bytes, also a size that fits the chunk. What counts is
/// the size in the codestream.
#[test]
fn a_size_in_another_box_of_a_jpeg_2000_file_is_not_taken_for_that_of_the_image() {
    let vector = first_of("imagecodecs_jpeg2k");
    let codestream = offset_of(&vector.encoded, &SIZE);
    let (front, rest) = vector.encoded.split_at(codestream - 8);
    let decoy = &vector.encoded[codestream..codestream + 64];
    let mut file = [front, &72_u32.to_be_bytes(), b"xml ", decoy, rest].concat();
    // Wider than it is, the extent of its only tile, too.
    let real = codestream + 72;
    for at in [real + 8, real + 12, real + 24, real + 28] {
        file[at..at + 4].copy_from_slice(&16_000_u32.to_be_bytes());
    }
    let error = refused_with_little(&vector, &file);
    assert_eq!(error.kind(), ErrorKind::Format, "{error}");
    assert!(error.to_string().contains("16000"), "{error}");
}

#[test]
fn a_grib_message_whose_image_has_255_components_is_refused_before_they_are_made() {
    let of_grib = |vector: &Vector| vector.name == "grib/jpeg-12";
    let vector = vectors().into_iter().find(of_grib).expect("the vector");
    let size = offset_of(&vector.encoded, &SIZE);
    let mut message = vector.encoded.clone();
    let component: [u8; 3] = message[size + 42..size + 45].try_into().unwrap();
    message.splice(size + 45..size + 45, component.repeat(254));
    message[size + 4..size + 6].copy_from_slice(&(38_u16 + 3 * 255).to_be_bytes());
    message[size + 40..size + 42].copy_from_slice(&255_u16.to_be_bytes());
    for at in [12, size - 5] {
        let len = u32::from_be_bytes(message[at..at + 4].try_into().unwrap()) + 3 * 254;
        message[at..at + 4].copy_from_slice(&len.to_be_bytes());
    }
    let error = refused_with_little(&vector, &message);
    assert!(error.to_string().contains("several components"), "{error}");
}

/// Precincts of one pixel, each with its own records in the decoder.
#[test]
fn a_jpeg_2000_image_cannot_be_cut_into_blocks_of_a_pixel() {
    let mut vector = first_of("imagecodecs_jpeg2k");
    let mut image = vector.encoded[offset_of(&vector.encoded, &SIZE)..].to_vec();
    for at in [8, 12, 24, 28] {
        image[at..at + 4].copy_from_slice(&4096_u32.to_be_bytes());
    }
    let style = offset_of(&image, &[0xff, 0x52]);
    let levels = usize::from(image[style + 9]);
    image[style + 4] |= 1;
    let len = u16::from_be_bytes([image[style + 2], image[style + 3]]) + u16::try_from(levels).unwrap() + 1;
    image[style + 2..style + 4].copy_from_slice(&len.to_be_bytes());
    image.splice(style + 14..style + 14, vec![0x11; levels + 1]);
    vector.representation.shape = vec![4096, 4096];
    let error = refused_with_little(&vector, &image);
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
}

/// A chain of these codecs of bytes behind `bytes`, for chunks of some bytes.
fn chain(ids: &[&str], len: u64) -> Pipeline {
    let codec_of = |id: &str| codec(&serde_json::json!({ "id": id }), true);
    let bytes = codec(&serde_json::json!({"name": "bytes"}), false);
    let codecs: Vec<_> = [bytes].into_iter().chain(ids.iter().map(|id| codec_of(id))).collect();
    let data_type = DataType::Integer(Integer::Uint8);
    let fill_value = FillValue::zero(&data_type);
    Pipeline::bind(&codecs, ChunkRepresentation { shape: vec![len], data_type, fill_value }).unwrap()
}

/// A zstd frame of this many blocks, each of which repeats a zero 2^17 times.
fn zstd_of_zeros(blocks: u32) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
    frame.extend_from_slice(&(blocks << 17).to_le_bytes());
    for block in 1..=blocks {
        let header = (1_u32 << 17) << 3 | 1 << 1 | u32::from(block == blocks);
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.push(0);
    }
    frame
}

/// What comes between two codecs is at most what the next one can have encoded.
#[test]
fn a_chain_of_compressors_makes_nothing_large_between_them() {
    let zstd = super::bytes_codec(&first_of("zstd")).unwrap();
    let bomb = zstd.encode(&zstd_of_zeros(8000)).unwrap();
    assert!(bomb.len() < 100, "{}", bomb.len());
    let three = chain(&["zstd", "zstd", "zstd"], 16);
    let (result, bytes) = peak(|| decode_all(&three, &bomb).map(|_| ()));
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Limit);
    assert!(bytes <= 1 << 20, "{bytes} bytes");
    let zeros = vec![0; 32 << 20];
    for id in ["gzip", "zlib", "zstd", "lz4", "blosc", "bz2", "lzma"] {
        let large = super::bytes_codec(&first_of(id)).unwrap().encode(&zeros).unwrap();
        let (result, bytes) = peak(|| decode_all(&chain(&["crc32", id], 16), &large).map(|_| ()));
        assert_eq!(result.unwrap_err().kind(), ErrorKind::Limit, "{id}");
        assert!(bytes <= 8 << 20, "{id} took {bytes} bytes");
    }
}

/// Compressors make what they cannot compress longer.
#[test]
fn a_chain_of_compressors_has_room_for_what_does_not_compress() {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    for len in [0, 1, 16, 300_000] {
        let noise: Vec<u8> = (0..len).map(|_| next()).collect();
        let all = ["base64", "gzip", "zlib", "zstd", "lz4", "blosc", "bz2", "lzma", "crc32", "base64"];
        let pipeline = chain(&all, len);
        let encoded = pipeline.encode(ArrayBytes::Fixed(noise.clone())).unwrap();
        assert_eq!(decode_all(&pipeline, &encoded).unwrap(), ArrayBytes::Fixed(noise), "{len}");
    }
}

/// Scans of a few bytes each that go through all blocks take time, not memory.
#[test]
fn a_jpeg_of_endless_scans_is_refused() {
    let progressive = |vector: &Vector| vector.name == "imagecodecs_jpeg/progressive-gray";
    let vector = vectors().into_iter().find(progressive).expect("the vector");
    let start = offset_of(&vector.encoded, &[0xff, 0xda]);
    let is_marker = |bytes: &[u8]| bytes[0] == 0xff && bytes[1] != 0;
    let len = 2 + vector.encoded[start + 2..].windows(2).position(is_marker).expect("a marker");
    let (front, rest) = vector.encoded.split_at(start);
    let image = [front, &rest[..len].repeat(200), &rest[len..]].concat();
    let error = refused_with_little(&vector, &image);
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
}
