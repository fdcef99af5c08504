//! The order of dimensions: how values of a transposed chunk are sorted by the array's dimensions,
//! and the strides of packed elements.
//!
//! A stride is the distance between neighbours along one dimension. Strides count elements unless a
//! function takes an `element_size`: then they count bytes.

use crate::error::{Error, Result};

/// Sorts one value a dimension (an extent, a stride) by the array's dimensions.
///
/// `axes[i]` is the array's dimension that `values[i]` belongs to. See `Level::axes`.
pub fn in_array_order<T: Copy + Default>(values: &[T], axes: &[usize]) -> Vec<T> {
    let mut ordered = vec![T::default(); values.len()];
    for (axis, value) in axes.iter().zip(values) {
        if let Some(slot) = ordered.get_mut(*axis) {
            *slot = *value;
        }
    }
    ordered
}

/// The strides of a packed box of this shape.
///
/// `order` lists the dimensions as they are in memory, slowest first. The result has the order of
/// `shape`.
///
/// # Errors
/// `Limit` when a stride does not fit the machine's size.
pub fn packed_strides(shape: &[u64], order: &[usize]) -> Result<Vec<usize>> {
    checked(strides(shape, order.iter().copied(), 1))
}

/// The strides of a packed box of this shape in C order: the last dimension is the fastest.
/// They count bytes for the `element_size` in bytes, and elements for 1.
///
/// # Errors
/// As [`packed_strides`].
pub fn c_strides(shape: &[u64], element_size: usize) -> Result<Vec<usize>> {
    checked(strides(shape, 0..shape.len(), element_size as u64))
}

/// The strides of a packed chunk, by the array's dimensions. Dimension `i` of `shape`, the stored
/// shape, is the array's dimension `axes[i]`.
///
/// A stride that does not fit the machine's size becomes the largest size. Buffers are made only
/// after their element count is checked, so nothing uses such a stride.
pub fn transposed_strides(shape: &[u64], axes: &[usize]) -> Vec<usize> {
    let stored = strides(shape, 0..shape.len(), 1);
    let mut ordered = vec![0; stored.len()];
    for (axis, stride) in axes.iter().zip(stored) {
        if let Some(slot) = ordered.get_mut(*axis) {
            *slot = stride.unwrap_or(usize::MAX);
        }
    }
    ordered
}

/// Where the elements of a box are, in C order of the box: the sums of its strides.
#[allow(clippy::arithmetic_side_effects, reason = "a box without elements has no offsets")]
pub fn offsets<'a>(shape: &'a [u64], strides: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
    let count = shape.iter().copied().fold(1, u64::saturating_mul);
    (0..count).map(move |mut rest| {
        let along = shape.iter().zip(strides).rev();
        along.fold(0_usize, |offset, (extent, stride)| {
            let index = usize::try_from(rest % extent).unwrap_or(usize::MAX);
            rest /= extent;
            offset.saturating_add(index.saturating_mul(*stride))
        })
    })
}

/// A stride as the copy kernels take it.
///
/// # Errors
/// `Limit` when it does not fit memory.
pub fn signed_stride(stride: usize) -> Result<isize> {
    isize::try_from(stride).map_err(|_| too_large())
}

/// The strides of a packed box whose neighbours are `step` apart along its fastest dimension.
/// `None` for a stride that does not fit the machine's size.
fn strides(shape: &[u64], order: impl DoubleEndedIterator<Item = usize>, step: u64) -> Vec<Option<usize>> {
    let mut strides = vec![Some(0); shape.len()];
    let mut step = Some(step);
    for dimension in order.rev() {
        if let (Some(stride), Some(extent)) = (strides.get_mut(dimension), shape.get(dimension)) {
            *stride = step.and_then(|step| usize::try_from(step).ok());
            step = step.and_then(|step| step.checked_mul(*extent));
        }
    }
    strides
}

fn checked(strides: Vec<Option<usize>>) -> Result<Vec<usize>> {
    let mut checked = Vec::with_capacity(strides.len());
    for stride in strides {
        checked.push(stride.ok_or_else(too_large)?);
    }
    Ok(checked)
}

fn too_large() -> Error {
    Error::limit("the chunk does not fit memory: a distance between its elements is too large")
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn values_are_sorted_by_the_arrays_dimensions() {
        assert_eq!(in_array_order(&[10_u64, 20, 30], &[2, 0, 1]), [20, 30, 10]);
    }

    #[test]
    fn strides_follow_the_order_in_memory() {
        assert_eq!(c_strides(&[2, 3, 4], 1).unwrap(), [12, 4, 1]);
        assert_eq!(c_strides(&[2, 3, 4], 2).unwrap(), [24, 8, 2]);
        assert_eq!(packed_strides(&[2, 3, 4], &[2, 1, 0]).unwrap(), [1, 2, 6]);
        assert_eq!(c_strides(&[], 8).unwrap(), Vec::<usize>::new());
    }

    #[test]
    fn strides_follow_a_transposition() {
        // A decoded (3, 4) chunk stored as (4, 3): encoded dimension 0 is decoded dimension 1.
        assert_eq!(transposed_strides(&[4, 3], &[1, 0]), [1, 3]);
    }

    #[test]
    fn strides_beyond_memory_are_refused_where_they_are_used() {
        assert!(c_strides(&[1, u64::MAX, 4], 2).is_err());
        assert_eq!(transposed_strides(&[1, u64::MAX, 4], &[0, 1, 2]), [usize::MAX, 4, 1]);
    }
}
