//! Zstandard, LZ4 and DEFLATE against another implementation: both decode an input to the same
//! bytes, or both refuse it. The first byte selects the format, the second the room for the output.
#![no_main]

use std::io::Read;

use libfuzzer_sys::fuzz_target;
use zarr_wasm_fuzz::seeds;
use zarr_wasm_fuzz::vector::vectors;
use zarr_wasm_kernel::inflate::{InflateState, Inflation};
use zarr_wasm_kernel::lz4::decompress_block_into;
use zarr_wasm_kernel::zstd::{Decompressor, compress};

fuzz_target!(
    init: seeds::write_if_asked(seeds),
    |input: &[u8]| {
        let Some(([format, room], encoded)) = input.split_first_chunk() else { return };
        let room = usize::from(*room) * 64;
        match format % 3 {
            0 => inflate(encoded, room),
            1 => lz4(encoded, room),
            _ => zstd(encoded, room),
        }
    }
);

/// Our own decoder, in two steps, against miniz_oxide.
fn inflate(encoded: &[u8], room: usize) {
    let mut output = vec![0xa5; room];
    let mut state = InflateState::default();
    state.begin();
    let mut end = state.step(encoded, &mut output[..room / 2]);
    if end == Inflation::OutputFull {
        end = state.step(encoded, &mut output);
    }
    let ours = (end == Inflation::Done).then(|| &output[..state.written()]);
    let theirs = miniz_oxide::inflate::decompress_to_vec_with_limit(encoded, room);
    match (ours, theirs) {
        (Some(ours), Ok(theirs)) => assert_eq!(ours, theirs),
        (None, Err(_)) => {}
        (None, Ok(theirs)) => panic!("only miniz_oxide decodes it, to {} bytes", theirs.len()),
        (Some(ours), Err(error)) => panic!("only we decode it, to {} bytes: {error}", ours.len()),
    }
}

/// Our own decoder against lz4_flex.
fn lz4(encoded: &[u8], room: usize) {
    let (mut ours, mut theirs) = (vec![0xa5; room], vec![0x5a; room]);
    let decoded = decompress_block_into(encoded, &mut ours).ok();
    let expected = lz4_flex::block::decompress_into(encoded, &mut theirs).ok();
    assert_eq!(decoded.map(|len| &ours[..len]), expected.map(|len| &theirs[..len]));
}

/// The C library against ruzstd, and the two ways to decode against each other. A damaged frame
/// without a checksum may decode to other bytes in each library, because neither checks everything.
fn zstd(encoded: &[u8], room: usize) {
    let mut output = vec![0xa5; room];
    let ours = Decompressor::new().unwrap().decompress_into(encoded, &mut output).ok();
    let mut grown = Vec::new();
    let growing = Decompressor::new().unwrap().decompress_to_vec(encoded, room, &mut grown).ok();
    if let (Some(len), Some(())) = (ours, growing) {
        assert_eq!(output[..len], grown);
    }
    assert_eq!(ours.is_some(), growing.is_some() || encoded.is_empty(), "{ours:?} {growing:?}");
    if let (Some(len), Some((theirs, true))) = (ours, ruzstd(encoded, room)) {
        assert!(output[..len].starts_with(&theirs), "ruzstd decodes to other bytes");
    }
    written_frame(encoded, room);
}

/// A frame that the C library writes decodes to its content in ruzstd. Its slowest levels have a
/// table of functions that AddressSanitizer takes for memory of the stack.
fn written_frame(content: &[u8], room: usize) {
    let (level, checksum) = (i32::try_from(room / 64 % 9).unwrap(), room.is_multiple_of(128));
    let mut frame = Vec::new();
    compress(content, level, checksum, &mut frame).unwrap();
    let (theirs, _) = ruzstd(&frame, content.len()).expect("a frame that ruzstd decodes");
    assert_eq!(theirs, content);
}

/// The content of the first frame, if it fits, and whether its checksum is right.
fn ruzstd(encoded: &[u8], room: usize) -> Option<(Vec<u8>, bool)> {
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(encoded).ok()?;
    let mut content = Vec::new();
    decoder.by_ref().take(room as u64 + 1).read_to_end(&mut content).ok()?;
    let stored = decoder.decoder.get_checksum_from_data();
    let is_checked = stored.is_some() && stored == decoder.decoder.get_calculated_checksum();
    (content.len() <= room).then_some((content, is_checked))
}

/// The codec vectors of the three formats, with room for their content.
fn seeds() -> Vec<Vec<u8>> {
    let formats = [("gzip/", 0, 10), ("lz4/", 1, 4), ("zstd/", 2, 0)];
    let of_format = |vector: &zarr_wasm_fuzz::vector::Vector| {
        let (_, format, header) = *formats.iter().find(|(name, ..)| vector.name.starts_with(name))?;
        let room = u8::try_from(vector.bytes().len().div_ceil(64)).ok()?;
        Some([&[format, room], vector.encoded.get(header..)?].concat())
    };
    vectors().iter().filter_map(of_format).collect()
}
