//! The unchecked loops of `scatter`: rows, tiles and lists of elements of one size.
//!
//! `scatter::check` has proven that every address of a loop nest is inside its slice; nothing here
//! checks again. Elements of 1, 2, 4, 8 and 16 bytes move in registers, others as short runs of
//! bytes. In a transposition the dimension that is contiguous in the source is not contiguous in
//! the destination. Both are then split into tiles, so that the cache lines of a tile are used up
//! before they leave the first-level cache.
#![allow(unsafe_code)]

use core::ptr;

use super::copy_axis::{CopyAxis, Dim};

/// A checked loop nest: the outermost dimension first, no negative destination stride.
pub(super) struct Nest {
    /// The bytes that one copy moves.
    pub(super) unit: usize,
    pub(super) src: *const u8,
    pub(super) dst: *mut u8,
    pub(super) dims: Vec<Dim>,
}

/// The side of a transposition tile, in elements.
const TILE: usize = 16;

/// One element or row, whose size the compiler may know.
trait Unit: Copy {
    /// # Safety
    /// The unit's bytes at `src` can be read and those at `dst` written; the two do not overlap.
    unsafe fn copy(self, src: *const u8, dst: *mut u8);
}

#[derive(Clone, Copy)]
struct Fixed<const N: usize>;

impl<const N: usize> Unit for Fixed<N> {
    #[inline(always)]
    unsafe fn copy(self, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller guarantees both ranges; an array of bytes has alignment 1.
        unsafe { ptr::write(dst.cast::<[u8; N]>(), ptr::read(src.cast::<[u8; N]>())) }
    }
}

#[derive(Clone, Copy)]
struct ShortRun(usize);

impl Unit for ShortRun {
    /// Copies short runs as two overlapping words or a few of them: a call of `memory.copy` would
    /// cost more than the bytes.
    #[inline(always)]
    unsafe fn copy(self, src: *const u8, dst: *mut u8) {
        let len = self.0;
        // SAFETY: the caller guarantees `len` bytes; each branch stays inside them.
        unsafe {
            match len {
                0..4 => (0..len).for_each(|idx| Fixed::<1>.copy(src.add(idx), dst.add(idx))),
                4..8 => ends::<4>(src, dst, len),
                8..16 => ends::<8>(src, dst, len),
                16..=128 => {
                    let whole = (len - 1) / 16;
                    (0..whole).for_each(|idx| Fixed::<16>.copy(src.add(idx * 16), dst.add(idx * 16)));
                    Fixed::<16>.copy(src.add(len - 16), dst.add(len - 16));
                }
                _ => ptr::copy_nonoverlapping(src, dst, len),
            }
        }
    }
}

/// Copies `N..=2 N` bytes as the first `N` and the last `N`.
///
/// # Safety
/// As [`Unit::copy`], for `len` bytes.
#[inline(always)]
unsafe fn ends<const N: usize>(src: *const u8, dst: *mut u8, len: usize) {
    // SAFETY: `len` is at least `N`, so that both words are inside the run.
    unsafe {
        Fixed::<N>.copy(src, dst);
        Fixed::<N>.copy(src.add(len - N), dst.add(len - N));
    }
}

/// Runs a checked nest for every combination of positions on the `outer` axes.
///
/// # Safety
/// On each side, every unit that the axes and the dimensions reach must be inside one live
/// allocation. The source must be readable and the destination exclusively writable. Every list
/// must be as long as its axis.
pub(super) unsafe fn run(nest: &Nest, outer: &[CopyAxis<'_>]) {
    // SAFETY: the caller guarantees the same conditions.
    unsafe {
        match nest.unit {
            1 => Loops { unit: Fixed::<1>, dims: &nest.dims }.outer(outer, nest.src, nest.dst),
            2 => Loops { unit: Fixed::<2>, dims: &nest.dims }.outer(outer, nest.src, nest.dst),
            4 => Loops { unit: Fixed::<4>, dims: &nest.dims }.outer(outer, nest.src, nest.dst),
            8 => Loops { unit: Fixed::<8>, dims: &nest.dims }.outer(outer, nest.src, nest.dst),
            16 => Loops { unit: Fixed::<16>, dims: &nest.dims }.outer(outer, nest.src, nest.dst),
            len => Loops { unit: ShortRun(len), dims: &nest.dims }.outer(outer, nest.src, nest.dst),
        }
    }
}

/// A nest whose unit is known. All methods have the safety conditions of [`run`], for the rest of
/// the nest.
struct Loops<'a, U> {
    unit: U,
    dims: &'a [Dim],
}

impl<U: Unit> Loops<'_, U> {
    /// # Safety
    /// See [`run`].
    unsafe fn outer(&self, axes: &[CopyAxis<'_>], src: *const u8, dst: *mut u8) {
        // SAFETY: see `run`; each step is at a position that the check covered.
        unsafe {
            match axes {
                [] => self.strided(self.dims, src, dst),
                [list] if self.dims.is_empty() => {
                    for idx in 0..list.count {
                        let (from, to) = (list.src.offset(idx), list.dst.offset(idx));
                        self.unit.copy(src.wrapping_offset(from), dst.wrapping_offset(to));
                    }
                }
                [axis, rest @ ..] => {
                    for idx in 0..axis.count {
                        let (from, to) = (axis.src.offset(idx), axis.dst.offset(idx));
                        self.outer(rest, src.wrapping_offset(from), dst.wrapping_offset(to));
                    }
                }
            }
        }
    }

    /// # Safety
    /// See [`run`].
    unsafe fn strided(&self, dims: &[Dim], mut src: *const u8, mut dst: *mut u8) {
        // SAFETY: see `run`; the pointers leave the slice only after their last use.
        unsafe {
            match dims {
                [] => self.unit.copy(src, dst),
                [row] => self.row(*row, src, dst),
                [outer, inner] if outer.src_stride.unsigned_abs() < inner.src_stride.unsigned_abs() => {
                    self.tiles(*outer, *inner, src, dst);
                }
                [outer, rest @ ..] => {
                    for _ in 0..outer.count {
                        self.strided(rest, src, dst);
                        src = src.wrapping_offset(outer.src_stride);
                        dst = dst.wrapping_offset(outer.dst_stride);
                    }
                }
            }
        }
    }

    /// # Safety
    /// See [`run`].
    #[inline(always)]
    unsafe fn row(&self, dim: Dim, mut src: *const u8, mut dst: *mut u8) {
        for _ in 0..dim.count {
            // SAFETY: see `run`; the pointers leave the slice only after their last use.
            unsafe { self.unit.copy(src, dst) };
            src = src.wrapping_offset(dim.src_stride);
            dst = dst.wrapping_offset(dim.dst_stride);
        }
    }

    /// Transposes a plane tile by tile.
    ///
    /// # Safety
    /// See [`run`].
    unsafe fn tiles(&self, outer: Dim, inner: Dim, src: *const u8, dst: *mut u8) {
        for first_outer in (0..outer.count).step_by(TILE) {
            for first_inner in (0..inner.count).step_by(TILE) {
                let row = Dim { count: TILE.min(inner.count - first_inner), ..inner };
                for idx in first_outer..outer.count.min(first_outer + TILE) {
                    let (a, b) = (idx as isize, first_inner as isize);
                    let src = src.wrapping_offset(a * outer.src_stride + b * inner.src_stride);
                    let dst = dst.wrapping_offset(a * outer.dst_stride + b * inner.dst_stride);
                    // SAFETY: see `run`; both indices are below their counts.
                    unsafe { self.row(row, src, dst) };
                }
            }
        }
    }
}

/// Copies single units. Each pair has an index in the source and one in the destination.
///
/// # Safety
/// Both units of every pair must be inside their slices.
pub(super) unsafe fn points(src: *const u8, dst: *mut u8, unit: usize, pairs: &[(u32, u32)]) {
    // SAFETY: the caller guarantees the same condition.
    unsafe {
        match unit {
            1 => named(Fixed::<1>, 1, (src, dst), pairs),
            2 => named(Fixed::<2>, 2, (src, dst), pairs),
            4 => named(Fixed::<4>, 4, (src, dst), pairs),
            8 => named(Fixed::<8>, 8, (src, dst), pairs),
            len => named(ShortRun(len), len, (src, dst), pairs),
        }
    }
}

/// # Safety
/// See [`points`].
#[inline(always)]
unsafe fn named<U: Unit>(unit: U, len: usize, (src, dst): (*const u8, *mut u8), pairs: &[(u32, u32)]) {
    for &(from, to) in pairs {
        // SAFETY: see `points`.
        unsafe { unit.copy(src.add(from as usize * len), dst.add(to as usize * len)) };
    }
}
