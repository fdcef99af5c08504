//! The bit shuffle of Blosc 1: gathers bit `b` of byte `j` of every element in row `8 j + b`.
//!
//! The layout is that of c-blosc 1 (`blosc_internal_bitshuffle`): rows of `count / 8` bytes, with
//! element `8 m + k` in bit `k` of byte `m`, then the bytes after the last whole element,
//! unchanged. A block whose element count is **not a multiple of eight is stored unchanged as a
//! whole**, because c-blosc transposes all of it or nothing. Blosc 2 and HDF5's `bitshuffle` filter
//! transpose the full groups instead; they are other formats.
//!
//! The inverse, [`bitunshuffle`], for elements of `size` bytes; [`bitshuffle`] runs it backwards:
//!
//! ```text
//! if count is not a multiple of 8: copy all, end
//! row(j, b) = the count / 8 bytes of src from j * count + b * count / 8 on
//! for each line of four tiles, a tile being 128 elements, its bytes in a row being 16:
//!     for each byte j of an element, for each tile:            rows_to_plane
//!         v[b] = the tile's 16 bytes of row(j, b), b from 0 to 7
//!         swap bit b of v[k] with bit k of v[b], in each byte  transpose_across
//!         plane j = byte 0 of v[0] to v[7], then byte 1 of v[0] to v[7], and so on
//!                                                              interleave8
//!     elements = the planes, shuffled back                     shuffle::unshuffle
//! for each group of eight elements that is left, for each byte j:
//!     transpose its 8 × 8 bits in one 64-bit word              transpose_bits
//! ```
//!
//! Byte `m` of row `b` has bit `b` of the elements `8 m` to `8 m + 7`. After the swap byte `m` of
//! `v[k]` has all bits of element `8 m + k`, so interleaving puts the elements in order. The planes
//! of a line stay in the first-level cache until they are joined.

use super::interleave::{deinterleave8, interleave8, load, store};
use super::shuffle;
use super::vector::{Vector, WIDTH};

/// The elements of a tile: eight rows of one vector, eight elements per byte.
const TILE: usize = 8 * WIDTH;

/// The tiles that are processed together. They take one cache line from each row. Rows whose
/// distance is a power of two would otherwise evict each other from the cache before their lines
/// are used up.
const LINE: usize = 4;

/// The maximal element size of the tiled path, which uses the stack. Wider elements take the word
/// path.
const MAX_TILED: usize = 16;

/// Shuffles the bits of the `typesize`-byte elements of `src` to `dst`.
///
/// # Panics
/// When `src` and `dst` differ in length.
#[inline(never)]
pub fn bitshuffle(src: &[u8], typesize: usize, dst: &mut [u8]) {
    assert_eq!(src.len(), dst.len(), "bitshuffle keeps the length");
    let Some(count) = transposed_elements(src.len(), typesize) else {
        return dst.copy_from_slice(src);
    };
    let (elements, leftover) = src.split_at(count * typesize);
    let (rows, tail) = dst.split_at_mut(elements.len());
    tail.copy_from_slice(leftover);
    let mut done = 0;
    let mut planes = [0; LINE * TILE * MAX_TILED];
    while typesize <= MAX_TILED && count - done >= TILE {
        let wide = TILE * LINE.min((count - done) / TILE);
        let planes = &mut planes[..wide * typesize];
        shuffle::shuffle(&elements[done * typesize..][..planes.len()], typesize, planes);
        for (byte, plane) in planes.chunks_exact(wide).enumerate() {
            for (idx, tile) in plane.chunks_exact(TILE).enumerate() {
                plane_to_rows(tile, &mut rows[byte * count + done / 8 + idx * WIDTH..], count / 8);
            }
        }
        done += wide;
    }
    for first in (done..count).step_by(8) {
        for byte in 0..typesize {
            let gathered = core::array::from_fn(|k| elements[(first + k) * typesize + byte]);
            let transposed = transpose_bits(u64::from_le_bytes(gathered)).to_le_bytes();
            for (bit, value) in transposed.into_iter().enumerate() {
                rows[byte * count + bit * (count / 8) + first / 8] = value;
            }
        }
    }
}

/// Undoes [`bitshuffle`].
///
/// # Panics
/// When `src` and `dst` differ in length.
#[inline(never)]
pub fn bitunshuffle(src: &[u8], typesize: usize, dst: &mut [u8]) {
    assert_eq!(src.len(), dst.len(), "bitunshuffle keeps the length");
    let Some(count) = transposed_elements(src.len(), typesize) else {
        return dst.copy_from_slice(src);
    };
    let (rows, leftover) = src.split_at(count * typesize);
    let (elements, tail) = dst.split_at_mut(rows.len());
    tail.copy_from_slice(leftover);
    let mut done = 0;
    let mut planes = [0; LINE * TILE * MAX_TILED];
    while typesize <= MAX_TILED && count - done >= TILE {
        let wide = TILE * LINE.min((count - done) / TILE);
        let planes = &mut planes[..wide * typesize];
        for (byte, plane) in planes.chunks_exact_mut(wide).enumerate() {
            for (idx, tile) in plane.chunks_exact_mut(TILE).enumerate() {
                rows_to_plane(&rows[byte * count + done / 8 + idx * WIDTH..], count / 8, tile);
            }
        }
        shuffle::unshuffle(planes, typesize, &mut elements[done * typesize..][..planes.len()]);
        done += wide;
    }
    for first in (done..count).step_by(8) {
        for byte in 0..typesize {
            let gathered = core::array::from_fn(|bit| rows[byte * count + bit * (count / 8) + first / 8]);
            let transposed = transpose_bits(u64::from_le_bytes(gathered)).to_le_bytes();
            for (k, value) in transposed.into_iter().enumerate() {
                elements[(first + k) * typesize + byte] = value;
            }
        }
    }
}

/// The number of elements to transpose; `None` when the whole block stays unchanged.
fn transposed_elements(len: usize, typesize: usize) -> Option<usize> {
    let count = len.checked_div(typesize)?;
    count.is_multiple_of(8).then_some(count)
}

/// Moves 128 bytes of one plane to sixteen bytes in each of eight rows that are `pitch` bytes
/// apart.
#[inline(always)]
fn plane_to_rows(plane: &[u8], rows: &mut [u8], pitch: usize) {
    // All bounds are checked before the first store, because a branch between two stores would
    // split the vector code.
    let Some(heads) = row_heads(rows, pitch) else { return };
    let vectors = deinterleave8(core::array::from_fn(|idx| load(&plane[idx * WIDTH..])));
    for (head, vector) in heads.into_iter().zip(transpose_across(vectors)) {
        vector.store(head);
    }
}

/// The first sixteen bytes of each of eight rows. The caller made the rows long enough.
#[inline(always)]
fn row_heads(rows: &mut [u8], pitch: usize) -> Option<[&mut [u8; WIDTH]; 8]> {
    let mut heads = rows.chunks_mut(pitch).map(<[u8]>::first_chunk_mut);
    let mut head = || heads.next().flatten();
    Some([head()?, head()?, head()?, head()?, head()?, head()?, head()?, head()?])
}

/// The inverse of [`plane_to_rows`].
#[inline(always)]
fn rows_to_plane(rows: &[u8], pitch: usize, plane: &mut [u8]) {
    let vectors = transpose_across(core::array::from_fn(|bit| load(&rows[bit * pitch..])));
    for (idx, vector) in interleave8(vectors).into_iter().enumerate() {
        store(vector, &mut plane[idx * WIDTH..]);
    }
}

/// Transposes sixteen 8×8 bit matrices: swaps bit `b` of vector `k` with bit `k` of vector `b`,
/// bytewise.
#[inline(always)]
fn transpose_across([a, b, c, d, e, f, g, h]: [Vector; 8]) -> [Vector; 8] {
    let nibbles = |first: Vector, second| first.swap_bits::<4>(second, 0x0f);
    let pairs = |first: Vector, second| first.swap_bits::<2>(second, 0x33);
    let bits = |first: Vector, second| first.swap_bits::<1>(second, 0x55);
    let ((a, e), (b, f), (c, g), (d, h)) = (nibbles(a, e), nibbles(b, f), nibbles(c, g), nibbles(d, h));
    let ((a, c), (b, d), (e, g), (f, h)) = (pairs(a, c), pairs(b, d), pairs(e, g), pairs(f, h));
    let ((a, b), (c, d), (e, f), (g, h)) = (bits(a, b), bits(c, d), bits(e, f), bits(g, h));
    [a, b, c, d, e, f, g, h]
}

/// Transposes one 8×8 bit matrix in a word: swaps bit `b` of byte `k` with bit `k` of byte `b`.
fn transpose_bits(word: u64) -> u64 {
    let swap = |word: u64, shift: u32, mask: u64| {
        let moved = (word ^ (word >> shift)) & mask;
        word ^ moved ^ (moved << shift)
    };
    let word = swap(word, 7, 0x00aa_00aa_00aa_00aa);
    let word = swap(word, 14, 0x0000_cccc_0000_cccc);
    swap(word, 28, 0x0000_0000_f0f0_f0f0)
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
        bitshuffle(src, typesize, &mut shuffled);
        assert!(
            shuffled == naive::bitshuffle(src, typesize),
            "bitshuffle, {} bytes of {typesize}",
            src.len()
        );
        let mut back = vec![0xee; src.len()];
        bitunshuffle(&shuffled, typesize, &mut back);
        assert!(back == src, "bitunshuffle, {} bytes of {typesize}", src.len());
    }

    #[test]
    fn every_element_size_count_remainder_and_alignment() {
        for typesize in naive::SIZES {
            for count in naive::counts(&[520, 512, 640, 1160]) {
                let len = count * typesize + count % typesize.max(1);
                let src = naive::bytes(len + 3, typesize as u32);
                agrees_with_the_oracle(&src[count % 4..][..len], typesize);
            }
        }
    }

    #[test]
    fn writes_what_c_blosc_writes() {
        // numcodecs 0.16.6 (c-blosc 1.21): the block of 48 little-endian u32, 1000 + 3 i, before
        // compression.
        let src: Vec<u8> = (0..48u32).flat_map(|i| (1000 + 3 * i).to_le_bytes()).collect();
        let mut expected = naive::hex(
            "aaaaaaaaaaaa666666666666b4b4b4b4b4b4c738c738c738f8c0073ff8c0ff00f83f00ffff0000c0ffffff0000000000\
             ff0000000000ff000000000000ffffffffff",
        );
        expected.resize(192, 0);
        let mut shuffled = vec![0; 192];
        bitshuffle(&src, 4, &mut shuffled);
        assert_eq!(shuffled, expected);
        assert_eq!(naive::bitshuffle(&src, 4), expected);
    }

    #[test]
    fn a_count_that_is_not_a_multiple_of_eight_stays_unchanged() {
        // numcodecs 0.16.6 (c-blosc 1.21) stores the blocks of 1001 and 1003 u32 and of 1007 u16
        // unchanged.
        for (count, typesize) in [(1001, 4), (1003, 4), (1007, 2)] {
            let src = naive::bytes(count * typesize, 5);
            let mut dst = vec![0; src.len()];
            bitunshuffle(&src, typesize, &mut dst);
            assert!(dst == src, "{count} elements of {typesize} bytes");
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    proptest::proptest! {
        #[test]
        fn agrees_with_the_oracle(
            src in proptest::collection::vec(0u8.., 0..6000),
            typesize in 0usize..40,
            whole in 0u8..2,
        ) {
            let step = if whole == 1 { 8 * typesize.max(1) } else { 1 };
            super::tests::agrees_with_the_oracle(&src[..src.len() / step * step], typesize);
        }
    }
}
