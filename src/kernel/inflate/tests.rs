//! The decoder against zlib-rs, on streams that are whole, cut, damaged or noise.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::*;

/// "zarr zarr zarr", encoded by Python's zlib (`zlib.compressobj(9, zlib.DEFLATED, -15)`).
const STREAM: &[u8] = &[0xab, 0x4a, 0x2c, 0x2a, 0x52, 0xa8, 0x82, 0x11, 0x00];

#[test]
fn a_stream_ends_at_its_end_mark() {
    let (mut state, mut output) = (InflateState::default(), [0; 14]);
    state.begin();
    assert_eq!(state.step(STREAM, &mut output), Inflation::Done);
    assert_eq!((state.consumed(), state.written()), (STREAM.len(), 14));
    assert_eq!(&output, b"zarr zarr zarr");
}

#[test]
fn full_output_short_input_and_corrupt_input_differ() {
    let (mut state, mut output) = (InflateState::default(), [0; 14]);
    state.begin();
    assert_eq!(state.step(STREAM, &mut output[..5]), OutputFull);
    state.begin();
    assert_eq!(state.step(&STREAM[..4], &mut output), Truncated);
    state.begin();
    assert_eq!(state.step(&[0xff; 9], &mut output), Damaged);
}

#[cfg(not(target_arch = "wasm32"))]
mod compared {
    use miniz_oxide::deflate::compress_to_vec;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use zlib_rs::{Inflate, InflateFlush, Status};

    use super::*;

    /// What zlib-rs makes of a stream: the bytes it reads and its output, if the stream is
    /// whole and has room.
    fn by_zlib_rs(src: &[u8], room: usize) -> Option<(usize, Vec<u8>)> {
        let (mut state, mut output) = (Inflate::new(false, 15), vec![0; room]);
        let status = state.decompress(src, &mut output, InflateFlush::NoFlush).ok()?;
        output.truncate(state.total_out() as usize);
        (status == Status::StreamEnd).then(|| (state.total_in() as usize, output))
    }

    /// As [`by_zlib_rs`], through outputs of all these sizes.
    fn by_steps(src: &[u8], rooms: &[usize]) -> Option<(usize, Vec<u8>)> {
        let (mut state, mut output) = (InflateState::default(), Vec::new());
        state.begin();
        for room in rooms {
            output.resize(*room, 0);
            match state.step(src, &mut output) {
                OutputFull => assert_eq!(state.written(), *room),
                Inflation::Done => {
                    output.truncate(state.written());
                    return Some((state.consumed(), output));
                }
                Truncated | Damaged => return None,
            }
        }
        None
    }

    /// Noise, runs of all periods and few symbols, so that blocks of all kinds and copies of
    /// all distances occur.
    fn content() -> impl Strategy<Value = Vec<u8>> {
        let stretch = prop_oneof![
            vec(any::<u8>(), 0..2000),
            vec(0_u8..4, 0..3000),
            (vec(any::<u8>(), 1..40), 1_usize..300).prop_map(|(period, count)| period.repeat(count)),
        ];
        vec(stretch, 0..8).prop_map(|stretches| stretches.concat())
    }

    fn noise() -> impl Strategy<Value = Vec<u8>> {
        // The first bits choose a block of each kind.
        (0_u8..8, vec(any::<u8>(), 0..400)).prop_map(|(kind, mut bytes)| {
            bytes.insert(0, kind);
            bytes
        })
    }

    proptest! {
        #[test]
        fn streams_are_decoded_in_any_steps(
            content in content(),
            level in 0_u8..10,
            rooms in vec(0_usize..9000, 0..4),
            spare in 0_usize..400,
        ) {
            let mut src = compress_to_vec(&content, level);
            let len = src.len();
            src.extend([0xa5; 20]);
            let mut rooms: Vec<usize> = rooms.into_iter().filter(|room| *room < content.len()).collect();
            rooms.sort_unstable();
            rooms.push(content.len() + spare);
            prop_assert_eq!(by_steps(&src, &rooms), Some((len, content)));
        }

        #[test]
        fn a_state_is_used_for_many_streams(streams in vec((content(), 0_u8..10), 0..5)) {
            let mut state = InflateState::default();
            for (content, level) in streams {
                let mut output = vec![0; content.len()];
                state.begin();
                // Short texts have the fixed codes, most others codes of their own.
                prop_assert_eq!(state.step(&compress_to_vec(&content, level), &mut output), Inflation::Done);
                prop_assert_eq!(output, content);
            }
        }

        #[test]
        fn damaged_streams_are_decoded_as_by_zlib_rs(
            content in content(),
            level in 0_u8..10,
            damage in vec((any::<prop::sample::Index>(), 0_u32..8), 0..4),
            cut in any::<prop::sample::Index>(),
            is_cut in any::<bool>(),
        ) {
            let mut src = compress_to_vec(&content, level);
            for (at, bit) in damage {
                let at = at.index(src.len());
                src[at] ^= 1 << bit;
            }
            if is_cut {
                src.truncate(cut.index(src.len()));
            }
            let room = content.len() + 1000;
            prop_assert_eq!(by_steps(&src, &[room]), by_zlib_rs(&src, room));
        }

        #[test]
        fn noise_is_decoded_as_by_zlib_rs(src in noise()) {
            prop_assert_eq!(by_steps(&src, &[100_000]), by_zlib_rs(&src, 100_000));
        }
    }
}
