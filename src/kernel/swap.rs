//! Byte order: reverses the bytes of every element in place.
//!
//! Widths 2, 4, 8 and 16 are simple loops over arrays, which the compiler turns into vector
//! shuffles. Other widths are reversed element by element. Bytes after the last whole element keep
//! their order. The codecs decide which data needs swapping.

/// Reverses each `width`-byte element of `buf`. Widths 0 and 1 do nothing.
#[inline(never)]
pub fn swap_bytes_in_place(buf: &mut [u8], width: usize) {
    match width {
        0 | 1 => {}
        2 => reverse_each::<2>(buf),
        4 => reverse_each::<4>(buf),
        8 => reverse_each::<8>(buf),
        16 => reverse_each::<16>(buf),
        _ => buf.chunks_exact_mut(width).for_each(<[u8]>::reverse),
    }
}

fn reverse_each<const N: usize>(buf: &mut [u8]) {
    for element in buf.as_chunks_mut::<N>().0 {
        element.reverse();
    }
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::super::naive;
    use super::*;

    pub(super) fn agrees_with_the_oracle(src: &[u8], width: usize) {
        let expected = naive::swap(src, width);
        let mut in_place = src.to_vec();
        swap_bytes_in_place(&mut in_place, width);
        assert!(in_place == expected, "{} bytes, width {width}", src.len());
    }

    #[test]
    fn every_width_count_remainder_and_alignment() {
        for width in naive::SIZES {
            for count in naive::COUNTS {
                let len = count * width + count % width.max(1);
                let src = naive::bytes(len + 3, width as u32);
                agrees_with_the_oracle(&src[count % 4..][..len], width);
            }
        }
    }

    #[test]
    fn reverses_the_bytes_of_numbers() {
        let mut bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        swap_bytes_in_place(&mut bytes, 4);
        assert_eq!(bytes, [4, 3, 2, 1, 8, 7, 6, 5, 9]);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    proptest::proptest! {
        #[test]
        fn agrees_with_the_oracle(src in proptest::collection::vec(0u8.., 0..2000), width in 0usize..40) {
            super::tests::agrees_with_the_oracle(&src, width);
        }
    }
}
