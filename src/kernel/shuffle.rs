//! The byte shuffle of Blosc 1 and of numcodecs' `shuffle`: gathers byte `j` of every element in
//! plane `j`.
//!
//! The layout is that of c-blosc 1 (`blosc_internal_shuffle`): the planes of the whole elements,
//! then the bytes after the last whole element, unchanged. Element sizes 2, 4, 8 and 16 run sixteen
//! elements at a time in registers, other sizes byte by byte. The inverse, [`unshuffle`], for
//! elements of N bytes; [`shuffle`] runs it backwards:
//!
//! ```text
//! for each 16 elements, if N is 2, 4, 8 or 16:              join_planes
//!     v[j] = their 16 bytes of plane j
//!     log2 N times:                                         interleave
//!         v = low and high halves of zip(v[0], v[N / 2]), of zip(v[1], v[N / 2 + 1]), …
//!     the elements = v[0], v[1], …, v[N - 1]
//! for each element that is left, for each byte j:
//!     element[j] = plane j [element]
//! ```
//!
//! A byte has the address `j * 16 + element` in `v` at first, and `element * N + j` at the end:
//! rotated left by log2 N bits. A round of zips rotates by one bit: the top bit, which says in
//! which half a vector is, becomes the lowest. The address has `log2 16 N` bits, so rounds enough
//! to make it whole again undo all: eight planes come back after four more, sixteen after four.
//!
//! `bitshuffle` has the bit shuffle. The codecs decide when to shuffle.

use super::interleave::{
    deinterleave2, deinterleave4, deinterleave8, interleave2, interleave4, interleave8, interleave16, load,
    store,
};
use super::vector::{Vector, WIDTH};

/// Gathers byte `j` of each `typesize`-byte element of `src` in plane `j` of `dst`.
/// `typesize` 0 and 1 copy.
///
/// # Panics
/// When `src` and `dst` differ in length.
#[inline(never)]
pub fn shuffle(src: &[u8], typesize: usize, dst: &mut [u8]) {
    assert_eq!(src.len(), dst.len(), "shuffle keeps the length");
    if typesize < 2 {
        return dst.copy_from_slice(src);
    }
    let count = src.len() / typesize;
    let (elements, leftover) = src.split_at(count * typesize);
    let (planes, tail) = dst.split_at_mut(elements.len());
    tail.copy_from_slice(leftover);
    let done = match typesize {
        2 => split_planes(elements, planes, deinterleave2),
        4 => split_planes(elements, planes, deinterleave4),
        8 => split_planes(elements, planes, deinterleave8),
        16 => split_planes(elements, planes, interleave16),
        _ => 0,
    };
    for byte in 0..typesize {
        let plane = &mut planes[byte * count..][..count];
        let bytes = elements.iter().skip(byte + done * typesize).step_by(typesize);
        for (to, from) in plane[done..].iter_mut().zip(bytes) {
            *to = *from;
        }
    }
}

/// Undoes [`shuffle`]: moves plane `j` of `src` to byte `j` of each `typesize`-byte element.
///
/// # Panics
/// When `src` and `dst` differ in length.
#[inline(never)]
pub fn unshuffle(src: &[u8], typesize: usize, dst: &mut [u8]) {
    assert_eq!(src.len(), dst.len(), "unshuffle keeps the length");
    if typesize < 2 {
        return dst.copy_from_slice(src);
    }
    let count = src.len() / typesize;
    let (planes, leftover) = src.split_at(count * typesize);
    let (elements, tail) = dst.split_at_mut(planes.len());
    tail.copy_from_slice(leftover);
    let done = match typesize {
        2 => join_planes(planes, elements, interleave2),
        4 => join_planes(planes, elements, interleave4),
        8 => join_planes(planes, elements, interleave8),
        16 => join_planes(planes, elements, interleave16),
        _ => 0,
    };
    for byte in 0..typesize {
        let plane = &planes[byte * count..][..count];
        let bytes = elements.iter_mut().skip(byte + done * typesize).step_by(typesize);
        for (to, from) in bytes.zip(&plane[done..]) {
            *to = *from;
        }
    }
}

/// Shuffles sixteen elements of `N` bytes per step; returns the number of elements done.
#[inline(always)]
fn split_planes<const N: usize>(
    elements: &[u8],
    planes: &mut [u8],
    deinterleave: impl Fn([Vector; N]) -> [Vector; N],
) -> usize {
    let count = elements.len() / N;
    for (step, block) in elements.chunks_exact(N * WIDTH).enumerate() {
        let vectors = deinterleave(core::array::from_fn(|idx| load(&block[idx * WIDTH..])));
        for (byte, vector) in vectors.into_iter().enumerate() {
            store(vector, &mut planes[byte * count + step * WIDTH..]);
        }
    }
    count / WIDTH * WIDTH
}

/// Unshuffles sixteen elements of `N` bytes per step; returns the number of elements done.
#[inline(always)]
fn join_planes<const N: usize>(
    planes: &[u8],
    elements: &mut [u8],
    interleave: impl Fn([Vector; N]) -> [Vector; N],
) -> usize {
    let count = elements.len() / N;
    for (step, block) in elements.chunks_exact_mut(N * WIDTH).enumerate() {
        let vectors = core::array::from_fn(|byte| load(&planes[byte * count + step * WIDTH..]));
        for (idx, vector) in interleave(vectors).into_iter().enumerate() {
            store(vector, &mut block[idx * WIDTH..]);
        }
    }
    count / WIDTH * WIDTH
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::super::naive;
    use super::*;

    pub(super) fn agrees_with_the_oracle(src: &[u8], typesize: usize) {
        let mut shuffled = vec![0xee; src.len()];
        shuffle(src, typesize, &mut shuffled);
        assert!(
            shuffled == naive::shuffle(src, typesize),
            "shuffle, {} bytes, typesize {typesize}",
            src.len()
        );
        let mut back = vec![0xee; src.len()];
        unshuffle(&shuffled, typesize, &mut back);
        assert!(back == src, "unshuffle, {} bytes, typesize {typesize}", src.len());
    }

    #[test]
    fn every_element_size_count_remainder_and_alignment() {
        for typesize in naive::SIZES {
            for count in naive::COUNTS {
                let len = count * typesize + count % typesize.max(1);
                let src = naive::bytes(len + 3, typesize as u32);
                agrees_with_the_oracle(&src[count % 4..], typesize);
            }
        }
    }

    #[test]
    fn writes_what_c_blosc_writes() {
        // numcodecs 0.16.6 (c-blosc 1.21): the block of 48 little-endian u32, 1000 + 3 i, before
        // compression.
        let src: Vec<u8> = (0..48u32).flat_map(|i| (1000 + 3 * i).to_le_bytes()).collect();
        let mut expected = naive::hex(
            "e8ebeef1f4f7fafd000306090c0f1215181b1e2124272a2d303336393c3f4245484b4e5154575a5d606366696c6f7275\
             030303030303030304040404040404040404040404040404040404040404040404040404040404040404040404040404",
        );
        expected.resize(192, 0);
        let mut shuffled = vec![0; 192];
        shuffle(&src, 4, &mut shuffled);
        assert_eq!(shuffled, expected);
        assert_eq!(naive::shuffle(&src, 4), expected);
    }

    #[test]
    #[should_panic(expected = "keeps the length")]
    fn refuses_slices_of_different_lengths() {
        unshuffle(&[0; 8], 2, &mut [0; 7]);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    proptest::proptest! {
        #[test]
        fn agrees_with_the_oracle(src in proptest::collection::vec(0u8.., 0..3000), typesize in 0usize..40) {
            super::tests::agrees_with_the_oracle(&src, typesize);
        }
    }
}
