//! Step 6, scatter: copies elements from a chunk to their positions in the output.
//!
//! A plan is a loop nest over two byte slices. Each dimension has a count, and a stride in bytes on
//! either side; the number of dimensions and the signs of the strides are arbitrary.
//!
//! ```text
//! for each side: lowest, highest = sums of min, max(0, (count - 1) * stride)   reach
//!     fail unless 0 <= offset + lowest and offset + highest + unit <= length   check
//! drop dimensions of count 1, and those that step nowhere                      simplify
//! where the destination's stride is negative: begin at the other end, negate both strides
//! sort by the destination's stride, the longest first
//! merge a dimension into the one outside of it, if that steps just over it, on both sides
//! if the last dimension steps by one unit on both sides: it is a unit of count times the bytes
//! move the source's fastest dimension next to the last one        bring_source_rows_in
//! run the loops, the last dimension innermost, without checks:                 copy::run
//!     if the source is faster along the last but one: both in tiles of 16 × 16
//! ```
//!
//! So everything is checked **once**, in exact arithmetic, before the first byte moves; and what
//! follows the check keeps the set of pairs of bytes. Index lists are loops outside of these.
//!
//! `access::projection` decides which chunk goes where; this file knows nothing of chunks.
//!
//! If a plan writes a destination element more than once, it is undefined which value remains.
#![allow(unsafe_code)]

use core::cmp::Reverse;

use super::copy::{self, Nest};

pub use super::copy_axis::{AxisSteps, CopyAxis, Dim};

/// A plan reaches outside of one of its slices, or its lists differ in length. Nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfBounds;

/// A copy of a box of elements: see [`scatter`].
#[derive(Clone, Copy, Debug)]
pub struct Strided<'a> {
    /// The bytes of an element.
    pub element_size: usize,
    /// The position in the source of the element whose indices are all 0, in bytes.
    pub src_offset: usize,
    /// The position in the destination of the element whose indices are all 0, in bytes.
    pub dst_offset: usize,
    /// The loop nest, in any order. Without dimensions the box is one element.
    pub dims: &'a [Dim],
}

/// A copy of the outer product of index lists and strides: see [`gather_lists`].
#[derive(Clone, Copy, Debug)]
pub struct Orthogonal<'a> {
    /// The bytes of an element.
    pub element_size: usize,
    /// The position in the source of position 0 of every axis, in bytes.
    pub src_offset: usize,
    /// The position in the destination of position 0 of every axis, in bytes.
    pub dst_offset: usize,
    /// The loop nest, in any order.
    pub axes: &'a [CopyAxis<'a>],
}

/// Copies every element of `plan` from `src` to `dst`. Allocates one short list of dimensions.
///
/// # Errors
/// When the plan reaches outside of a slice. Nothing is written then.
#[inline(never)]
pub fn scatter(src: &[u8], dst: &mut [u8], plan: &Strided<'_>) -> Result<(), OutOfBounds> {
    let strided = |dim: &Dim| CopyAxis {
        count: dim.count,
        src: AxisSteps::Stride(dim.src_stride),
        dst: AxisSteps::Stride(dim.dst_stride),
    };
    if plan.element_size == 0 || plan.dims.iter().any(|dim| dim.count == 0) {
        return Ok(());
    }
    let sides = [
        (plan.src_offset, src.len(), reach(plan.dims.iter().map(|dim| strided(dim).span(false)))),
        (plan.dst_offset, dst.len(), reach(plan.dims.iter().map(|dim| strided(dim).span(true)))),
    ];
    check(plan.element_size, sides)?;
    let mut nest = Nest {
        unit: plan.element_size,
        src: src.as_ptr().wrapping_add(plan.src_offset),
        dst: dst.as_mut_ptr().wrapping_add(plan.dst_offset),
        dims: plan.dims.to_vec(),
    };
    simplify(&mut nest);
    // SAFETY: `check` has proven that every element of the plan is inside its slice, and `simplify`
    // keeps the elements.
    unsafe { copy::run(&nest, &[]) };
    Ok(())
}

/// Copies the outer product of the axes of `plan` from `src` to `dst`: an orthogonal selection.
/// Either side may have lists. Allocates two short lists of axes.
///
/// # Errors
/// When the plan reaches outside of a slice or a list is not as long as its axis. Nothing is
/// written then.
#[inline(never)]
pub fn gather_lists(src: &[u8], dst: &mut [u8], plan: &Orthogonal<'_>) -> Result<(), OutOfBounds> {
    if plan.axes.iter().any(|axis| !axis.lists_fit()) {
        return Err(OutOfBounds);
    }
    if plan.element_size == 0 || plan.axes.iter().any(|axis| axis.count == 0) {
        return Ok(());
    }
    let sides = [
        (plan.src_offset, src.len(), reach(plan.axes.iter().map(|axis| axis.span(false)))),
        (plan.dst_offset, dst.len(), reach(plan.axes.iter().map(|axis| axis.span(true)))),
    ];
    check(plan.element_size, sides)?;
    let (strided, mut lists): (Vec<CopyAxis<'_>>, Vec<CopyAxis<'_>>) =
        plan.axes.iter().copied().partition(|axis| axis.as_dim().is_some());
    // Lists with the longest jumps in the destination are outermost, so that writes stay close
    // together.
    sort_few(&mut lists, |axis| Reverse(axis.dst.stride().unsigned_abs()));
    let mut nest = Nest {
        unit: plan.element_size,
        src: src.as_ptr().wrapping_add(plan.src_offset),
        dst: dst.as_mut_ptr().wrapping_add(plan.dst_offset),
        dims: strided.iter().filter_map(CopyAxis::as_dim).collect(),
    };
    simplify(&mut nest);
    let inside = lists.last().map_or(0, |axis| axis.dst.stride().unsigned_abs());
    let farther = nest.dims.iter().take_while(|dim| dim.dst_stride.unsigned_abs() > inside).count();
    let outer: Vec<CopyAxis<'_>> = nest.dims.drain(..farther).map(CopyAxis::from_dim).chain(lists).collect();
    // SAFETY: as in `scatter`; every list is as long as its axis.
    unsafe { copy::run(&nest, &outer) };
    Ok(())
}

/// Copies single elements. Each pair is an index in `src` and an index in `dst`.
///
/// # Errors
/// When a pair reaches outside of a slice. Nothing is written then.
#[inline(never)]
pub fn scatter_points(
    src: &[u8],
    dst: &mut [u8],
    element_size: usize,
    pairs: &[(u32, u32)],
) -> Result<(), OutOfBounds> {
    let farthest = pairs.iter().fold((0, 0), |far: (u32, u32), pair| (far.0.max(pair.0), far.1.max(pair.1)));
    let inside = |element: u32, len: usize| (u128::from(element) + 1) * element_size as u128 <= len as u128;
    if pairs.is_empty() || element_size == 0 {
        return Ok(());
    }
    if !inside(farthest.0, src.len()) || !inside(farthest.1, dst.len()) {
        return Err(OutOfBounds);
    }
    // SAFETY: the highest element on either side is inside its slice.
    unsafe { copy::points(src.as_ptr(), dst.as_mut_ptr(), element_size, pairs) };
    Ok(())
}

/// The sums of the lowest and of the highest offsets of all axes. Saturated sums are outside of
/// every slice.
fn reach(spans: impl Iterator<Item = (i128, i128)>) -> (i128, i128) {
    spans.fold((0, 0), |sum, span| (sum.0.saturating_add(span.0), sum.1.saturating_add(span.1)))
}

fn check(element_size: usize, sides: [(usize, usize, (i128, i128)); 2]) -> Result<(), OutOfBounds> {
    let inside = sides.into_iter().all(|(offset, len, (lowest, highest))| {
        let end = highest.saturating_add(offset as i128).saturating_add(element_size as i128);
        lowest.saturating_add(offset as i128) >= 0 && end <= len as i128
    });
    if inside { Ok(()) } else { Err(OutOfBounds) }
}

/// Makes the nest as shallow and its unit as large as possible. The destination's fastest dimension
/// is last.
fn simplify(nest: &mut Nest) {
    nest.dims.retain(|dim| dim.count != 1 && (dim.src_stride, dim.dst_stride) != (0, 0));
    for dim in &mut nest.dims {
        if dim.dst_stride < 0 {
            let last = (dim.count - 1) as isize;
            nest.src = nest.src.wrapping_offset(last * dim.src_stride);
            nest.dst = nest.dst.wrapping_offset(last * dim.dst_stride);
            (dim.src_stride, dim.dst_stride) = (-dim.src_stride, -dim.dst_stride);
        }
    }
    sort_few(&mut nest.dims, |dim| Reverse((dim.dst_stride, dim.src_stride.unsigned_abs())));
    nest.dims.dedup_by(|inner, outer| {
        let Some(merged) = merge(*outer, *inner) else { return false };
        *outer = merged;
        true
    });
    let unit = nest.unit as isize;
    if let Some(row) = nest.dims.pop_if(|dim| (dim.src_stride, dim.dst_stride) == (unit, unit)) {
        nest.unit *= row.count;
    }
    bring_source_rows_in(&mut nest.dims);
}

/// Moves the dimension that is fastest in the source next to the one that is fastest in the
/// destination. `copy` then processes both in tiles.
fn bring_source_rows_in(dims: &mut [Dim]) {
    let fastest = (0..dims.len()).rev().min_by_key(|&idx| dims[idx].src_stride.unsigned_abs());
    if let Some(fastest) = fastest
        && fastest + 2 < dims.len()
    {
        let last = dims.len() - 1;
        dims[fastest..last].rotate_left(1);
    }
}

/// Merges two dimensions when a step of the outer one is as long as the whole inner one, on both
/// sides.
fn merge(outer: Dim, inner: Dim) -> Option<Dim> {
    let steps = isize::try_from(inner.count).ok()?;
    let follows = inner.src_stride.checked_mul(steps)? == outer.src_stride
        && inner.dst_stride.checked_mul(steps)? == outer.dst_stride;
    let count = outer.count.checked_mul(inner.count)?;
    follows.then_some(Dim { count, ..inner })
}

/// Sorts a short list stably. The standard library's sort, compiled for speed, takes ten kilobytes
/// per type.
fn sort_few<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    for end in 1..items.len() {
        let mut at = end;
        while at > 0 && key(&items[at - 1]) > key(&items[at]) {
            items.swap(at - 1, at);
            at -= 1;
        }
    }
}

#[cfg(test)]
mod tests;
