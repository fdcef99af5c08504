//! The order of dimensions: how values of a transposed chunk are sorted by the array's dimensions,
//! and the strides of packed elements. All strides count elements, not bytes.

use crate::error::Result;
use crate::limits;

/// Sorts one value a dimension (an extent, a stride) by the array's dimensions.
///
/// `axes[i]` is the array's dimension that `values[i]` belongs to. See `Level::axes`.
pub fn in_array_order<T: Copy + Default>(values: &[T], axes: &[usize]) -> Vec<T> {
    let mut ordered = vec![T::default(); values.len()];
    for (axis, value) in axes.iter().zip(values) {
        if let Some(place) = ordered.get_mut(*axis) {
            *place = *value;
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
    let mut strides = vec![0; shape.len()];
    let mut step = 1_u64;
    for dimension in order.iter().rev() {
        if let (Some(stride), Some(extent)) = (strides.get_mut(*dimension), shape.get(*dimension)) {
            *stride = limits::to_usize(step, "stride")?;
            step = step.saturating_mul(*extent);
        }
    }
    Ok(strides)
}

/// The strides of a packed box of this shape in C order: the last dimension is the fastest.
///
/// # Errors
/// As [`packed_strides`].
pub fn c_strides(shape: &[u64]) -> Result<Vec<usize>> {
    packed_strides(shape, &(0..shape.len()).collect::<Vec<_>>())
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
        assert_eq!(c_strides(&[2, 3, 4]).unwrap(), [12, 4, 1]);
        assert_eq!(packed_strides(&[2, 3, 4], &[2, 1, 0]).unwrap(), [1, 2, 6]);
        assert_eq!(c_strides(&[]).unwrap(), Vec::<usize>::new());
    }
}
