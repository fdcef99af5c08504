//! Fill values: repeats one element over a slice, which is filled with the element, then with
//! copies of the filled part. `format::data_type` knows the bytes of a fill value.

/// The filled bytes that further copies are taken from. They stay in the first-level cache.
const PATTERN: usize = 4096;

/// Repeats `element` over `dst`. The last one is truncated if it does not fit. An empty element
/// changes nothing.
#[inline(never)]
pub fn fill(dst: &mut [u8], element: &[u8]) {
    let Some(&first) = element.first() else { return };
    if element.iter().all(|&byte| byte == first) {
        return dst.fill(first);
    }
    let mut filled = element.len().min(dst.len());
    dst[..filled].copy_from_slice(&element[..filled]);
    while filled < dst.len() && filled < PATTERN {
        let more = filled.min(dst.len() - filled);
        dst.copy_within(..more, filled);
        filled += more;
    }
    let (pattern, rest) = dst.split_at_mut(filled);
    for piece in rest.chunks_mut(filled.max(1)) {
        piece.copy_from_slice(&pattern[..piece.len()]);
    }
}

/// Appends `additional` zeros. It is here because `Vec::resize` writes byte by byte in a crate that
/// is compiled for size.
#[inline(never)]
pub fn append_zeros(buf: &mut Vec<u8>, additional: usize) {
    buf.resize(buf.len() + additional, 0);
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::super::naive;
    use super::*;

    pub(super) fn agrees_with_the_oracle(len: usize, element: &[u8]) {
        let mut dst = vec![0xee; len];
        fill(&mut dst, element);
        assert!(dst == naive::fill(len, element), "{len} bytes of a {} byte element", element.len());
    }

    #[test]
    fn every_length_and_element() {
        for size in [1, 2, 3, 4, 8, 12, 16, 100, 5000] {
            for len in naive::counts(&[4097, 4095, 4096, 10_000, 20_001]) {
                agrees_with_the_oracle(len, &naive::bytes(size, size as u32));
                agrees_with_the_oracle(len, &vec![7; size]);
            }
        }
    }

    #[test]
    fn an_empty_element_changes_nothing() {
        let mut dst = [1, 2, 3];
        fill(&mut dst, &[]);
        assert_eq!(dst, [1, 2, 3]);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    proptest::proptest! {
        #[test]
        fn agrees_with_the_oracle(len in 0usize..20_000, element in proptest::collection::vec(0u8..3, 1..40)) {
            super::tests::agrees_with_the_oracle(len, &element);
        }
    }
}
