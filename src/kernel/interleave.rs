//! Perfect shuffles of registers: byte planes to elements and back, without loops.
//!
//! `N` vectors of one byte plane each become sixteen consecutive elements of `N` bytes when the
//! address of every byte rotates left by log2 N bits. Zipping the first half of the vectors with
//! the second half rotates by one bit. Four rotations come back from elements to planes, so that
//! one step serves both directions. For two and four planes unzipping takes fewer steps. For more
//! planes zipping wins, because a zip is one instruction and an unzip takes three in WebAssembly.
//!
//! Nothing here loops: WebAssembly compilers keep arrays that are looped over in memory, which
//! takes several times as long.

use super::vector::{Vector, WIDTH};

/// Loads the first sixteen bytes of `bytes`. The caller made it long enough.
#[inline(always)]
pub(super) fn load(bytes: &[u8]) -> Vector {
    Vector::load(bytes.first_chunk().unwrap_or(&[0; WIDTH]))
}

/// Stores the vector in the first sixteen bytes of `bytes`. The caller made it long enough.
#[inline(always)]
pub(super) fn store(vector: Vector, bytes: &mut [u8]) {
    if let Some(bytes) = bytes.first_chunk_mut() {
        vector.store(bytes);
    }
}

/// Two planes to elements of two bytes.
#[inline(always)]
pub(super) fn interleave2([a, b]: [Vector; 2]) -> [Vector; 2] {
    [a.zip_low(b), a.zip_high(b)]
}

/// Elements of two bytes to two planes.
#[inline(always)]
pub(super) fn deinterleave2([a, b]: [Vector; 2]) -> [Vector; 2] {
    [a.even(b), a.odd(b)]
}

/// Four planes to elements of four bytes.
#[inline(always)]
pub(super) fn interleave4([a, b, c, d]: [Vector; 4]) -> [Vector; 4] {
    let [[a, b], [c, d]] = [interleave2([a, c]), interleave2([b, d])];
    let [[a, b], [c, d]] = [interleave2([a, c]), interleave2([b, d])];
    [a, b, c, d]
}

/// Elements of four bytes to four planes.
#[inline(always)]
pub(super) fn deinterleave4([a, b, c, d]: [Vector; 4]) -> [Vector; 4] {
    let [[a, c], [b, d]] = [deinterleave2([a, b]), deinterleave2([c, d])];
    let [[a, c], [b, d]] = [deinterleave2([a, b]), deinterleave2([c, d])];
    [a, b, c, d]
}

/// Eight planes to elements of eight bytes.
#[inline(always)]
pub(super) fn interleave8(planes: [Vector; 8]) -> [Vector; 8] {
    rotate8(rotate8(rotate8(planes)))
}

/// Elements of eight bytes to eight planes.
#[inline(always)]
pub(super) fn deinterleave8(elements: [Vector; 8]) -> [Vector; 8] {
    rotate8(rotate8(rotate8(rotate8(elements))))
}

/// Sixteen planes to elements of sixteen bytes, and back: a transposition is its own inverse.
#[inline(always)]
pub(super) fn interleave16(planes: [Vector; 16]) -> [Vector; 16] {
    rotate16(rotate16(rotate16(rotate16(planes))))
}

#[inline(always)]
fn rotate8([a, b, c, d, e, f, g, h]: [Vector; 8]) -> [Vector; 8] {
    let [[a, b], [c, d], [e, f], [g, h]] =
        [interleave2([a, e]), interleave2([b, f]), interleave2([c, g]), interleave2([d, h])];
    [a, b, c, d, e, f, g, h]
}

#[inline(always)]
fn rotate16([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]: [Vector; 16]) -> [Vector; 16] {
    let [[a, b], [c, d], [e, f], [g, h], [i, j], [k, l], [m, n], [o, p]] = [
        interleave2([a, i]),
        interleave2([b, j]),
        interleave2([c, k]),
        interleave2([d, l]),
        interleave2([e, m]),
        interleave2([f, n]),
        interleave2([g, o]),
        interleave2([h, p]),
    ];
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
}
