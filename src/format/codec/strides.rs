//! Strides of packed arrays in C order: the distance between neighbours along each dimension.

use crate::error::{Error, Result};
use crate::limits;

/// The strides of an array of this shape, in bytes for the `element_size` in bytes, in elements for
/// 1.
///
/// # Errors
/// `Limit` when a stride does not fit memory.
pub(super) fn packed(shape: &[u64], element_size: usize) -> Result<Vec<usize>> {
    let mut stride = element_size as u64;
    let mut strides = vec![0; shape.len()];
    for (place, &extent) in strides.iter_mut().zip(shape).rev() {
        *place = limits::to_usize(stride, "chunk")?;
        stride = limits::product([stride, extent], "chunk")?;
    }
    Ok(strides)
}

/// A stride as the copy kernels take it.
///
/// # Errors
/// `Limit` when it does not fit memory.
pub(super) fn signed(stride: usize) -> Result<isize> {
    isize::try_from(stride).map_err(|_| Error::limit("the chunk does not fit memory"))
}

/// The strides, in elements, of a packed array of this shape; stored dimension `i` is dimension
/// `axes[i]` of the result.
pub(super) fn permuted(shape: &[u64], axes: &[usize]) -> Vec<usize> {
    let mut strides = vec![0; shape.len()];
    let mut step = 1_u64;
    for (axis, extent) in axes.iter().zip(shape).rev() {
        if let Some(stride) = strides.get_mut(*axis) {
            // The element count was checked before the buffers were made; a stride that does not
            // fit is never used.
            *stride = usize::try_from(step).unwrap_or(usize::MAX);
        }
        step = step.saturating_mul(*extent);
    }
    strides
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_last_dimension_is_the_fastest() {
        assert_eq!(packed(&[2, 3, 4], 2).unwrap(), [24, 8, 2]);
        assert_eq!(packed(&[], 8).unwrap(), [0; 0]);
        assert!(packed(&[1, u64::MAX, 4], 2).is_err());
    }

    #[test]
    fn strides_follow_a_transposition() {
        // A decoded (3, 4) chunk stored as (4, 3): encoded dimension 0 is decoded dimension 1.
        assert_eq!(permuted(&[4, 3], &[1, 0]), [1, 3]);
    }
}
