//! Step 1, select: what does the caller ask for?
//!
//! Integers, slices, index lists and points follow NumPy's rules. They become sequences of indices
//! that lie inside the array.

use std::ops::Range;
use std::rc::Rc;

use crate::error::{Error, Result, Stage};
use crate::format::byte_range::len_of;
use crate::limits;
use crate::sorted;

pub use zarr_wasm_contract::{DimensionSelection, Selection, SliceSelection};

/// Indices along one dimension: of an array or a chunk, or places of an output or a source. All
/// lie inside of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Indices {
    /// `start`, `start + step` and so on.
    Range {
        /// First index.
        start: u64,
        /// Not zero; may be negative.
        step: i64,
        /// Number of indices.
        count: u64,
    },
    /// Indices in any order. They may repeat.
    List(Vec<u64>),
}

impl Indices {
    /// The number of indices.
    pub fn count(&self) -> u64 {
        match self {
            Self::Range { count, .. } => *count,
            Self::List(list) => list.len() as u64,
        }
    }

    /// Index number `i`, in the order of the selection. Constant time.
    pub fn get(&self, i: u64) -> Option<u64> {
        match self {
            Self::Range { start, step, count } => (i < *count).then(|| nth(*start, *step, i)),
            Self::List(list) => list.get(usize::try_from(i).ok()?).copied(),
        }
    }

    /// All indices, in the order of the selection.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.count()).filter_map(|i| self.get(i))
    }
}

impl From<Range<u64>> for Indices {
    fn from(range: Range<u64>) -> Self {
        Self::Range { start: range.start, step: 1, count: len_of(&range) }
    }
}

/// Index `i` of a range, which lies inside of its array or chunk.
#[allow(clippy::arithmetic_side_effects, reason = "a product of 64-bit numbers fits 128 bits")]
pub fn nth(start: u64, step: i64, i: u64) -> u64 {
    let offset = i128::from(step) * i128::from(i);
    u64::try_from(i128::from(start) + offset).unwrap_or(start)
}

/// One dimension of an orthogonal selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedAxis {
    /// The indices.
    pub indices: Indices,
    /// Whether the result has the dimension. An integer index removes it.
    pub kept: bool,
}

/// A selection that is resolved against its array: all indices lie inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selected {
    /// One entry for each dimension of the array.
    Orthogonal(Vec<SelectedAxis>),
    /// One list for each dimension of the array. All have the same length.
    Points(Vec<Rc<[u64]>>),
}

impl Selected {
    /// The shape of the output. Dimensions with an integer index are included, with extent 1.
    pub fn shape(&self) -> Vec<u64> {
        match self {
            Self::Orthogonal(axes) => {
                let mut shape = Vec::with_capacity(axes.len());
                for axis in axes {
                    shape.push(axis.indices.count());
                }
                shape
            }
            Self::Points(lists) => vec![lists.first().map_or(1, |list| list.len() as u64)],
        }
    }

    /// For each dimension of [`shape`](Self::shape), whether the result has it.
    pub fn kept(&self) -> Vec<bool> {
        match self {
            Self::Orthogonal(axes) => axes.iter().map(|axis| axis.kept).collect(),
            Self::Points(_) => vec![true],
        }
    }
}

/// The memory order of a result: its dimensions, slowest first. Points have one dimension.
///
/// # Errors
/// `Argument` for a list that does not have each dimension once.
pub fn memory_order(selected: &Selected, wanted: Option<&[usize]>) -> Result<Vec<usize>> {
    let rank = selected.shape().len();
    match wanted.filter(|_| matches!(selected, Selected::Orthogonal(_))) {
        Some(order) => check_order(order, rank).map(|()| order.to_vec()),
        None => Ok((0..rank).collect()),
    }
}

/// Checks that a list has each dimension once.
///
/// # Errors
/// `Argument` for a list that does not.
pub fn check_order(order: &[usize], rank: usize) -> Result<()> {
    let mut in_order = order.to_vec();
    sorted::sort(&mut in_order);
    if in_order.into_iter().eq(0..rank) {
        return Ok(());
    }
    Err(Error::argument("the memory order is not a permutation of the dimensions")
        .expected(format!("each of 0 to {} once", rank.saturating_sub(1)))
        .actual(format!("{order:?}")))
}

/// Resolves a selection against the array's shape. Takes time and memory for each entry of index
/// lists and each point, and constant ones for each other dimension, however long its range.
///
/// # Errors
/// `Argument` for too many entries, an index out of bounds, a step of zero, or point lists that
/// differ in length. `Limit` for 2^32 points or more.
pub fn resolve(selection: &Selection, shape: &[u64]) -> Result<Selected> {
    match selection {
        Selection::Orthogonal(entries) => resolve_orthogonal(entries, shape),
        Selection::Points(lists) => resolve_points(lists, shape),
    }
}

fn resolve_orthogonal(entries: &[DimensionSelection], shape: &[u64]) -> Result<Selected> {
    if entries.len() > shape.len() {
        return Err(refused("the selection has more entries than the array has dimensions")
            .expected(format!("at most {}", shape.len()))
            .actual(entries.len().to_string()));
    }
    let mut axes = Vec::with_capacity(shape.len());
    for (dimension, len) in shape.iter().enumerate() {
        let entry = entries.get(dimension).unwrap_or(&DimensionSelection::All);
        axes.push(resolve_dimension(entry, *len, dimension)?);
    }
    Ok(Selected::Orthogonal(axes))
}

fn resolve_dimension(entry: &DimensionSelection, len: u64, dimension: usize) -> Result<SelectedAxis> {
    let kept = !matches!(entry, DimensionSelection::Index(_));
    let indices = match entry {
        DimensionSelection::All => Indices::from(0..len),
        DimensionSelection::Index(index) => {
            Indices::Range { start: wrap(*index, len, dimension)?, step: 1, count: 1 }
        }
        DimensionSelection::Slice(SliceSelection { start, stop, step }) => {
            resolve_slice(*start, *stop, step.unwrap_or(1), len).ok_or_else(|| {
                refused("the step of a slice is zero").in_field(format!("dimension {dimension}"))
            })?
        }
        DimensionSelection::List(list) => Indices::List(resolve_list(list, len, dimension)?),
    };
    Ok(SelectedAxis { indices, kept })
}

fn resolve_list(list: &[i64], len: u64, dimension: usize) -> Result<Vec<u64>> {
    let mut resolved = Vec::with_capacity(list.len());
    for index in list {
        resolved.push(wrap(*index, len, dimension)?);
    }
    Ok(resolved)
}

fn resolve_points(lists: &[Vec<i64>], shape: &[u64]) -> Result<Selected> {
    if lists.len() != shape.len() {
        return Err(refused("a selection of points needs one index list for each dimension")
            .expected(shape.len().to_string())
            .actual(lists.len().to_string()));
    }
    let count = lists.first().map_or(0, Vec::len);
    if let Some(other) = lists.iter().find(|list| list.len() != count) {
        return Err(refused("the index lists of a selection of points differ in length")
            .expected(count.to_string())
            .actual(other.len().to_string()));
    }
    limits::within(count as u64, u64::from(u32::MAX), "number of points")?;
    let mut resolved = Vec::with_capacity(lists.len());
    for (dimension, (list, len)) in lists.iter().zip(shape).enumerate() {
        resolved.push(resolve_list(list, *len, dimension)?.into());
    }
    Ok(Selected::Points(resolved))
}

/// Turns an index that may count from the end into an index from the start.
#[allow(clippy::arithmetic_side_effects, reason = "64-bit numbers in 128 bits")]
fn wrap(index: i64, len: u64, dimension: usize) -> Result<u64> {
    let wrapped = if index < 0 { i128::from(index) + i128::from(len) } else { i128::from(index) };
    u64::try_from(wrapped).ok().filter(|wrapped| *wrapped < len).ok_or_else(|| {
        refused("index out of bounds")
            .in_field(format!("dimension {dimension}"))
            .expected(format!("-{len} ≤ index < {len}"))
            .actual(index.to_string())
    })
}

/// CPython's `slice.indices`. `None` for a step of zero.
#[allow(clippy::arithmetic_side_effects, reason = "64-bit numbers in 128 bits; the step is not 0")]
fn resolve_slice(start: Option<i64>, stop: Option<i64>, step: i64, len: u64) -> Option<Indices> {
    if step == 0 {
        return None;
    }
    let len = i128::from(len);
    // Indices are clipped to these ends. A descending slice may stop one below the first element.
    let (low, high) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let clip = |index: i64| {
        let index = i128::from(index);
        // `clamp` has a panic that prints 128 bits.
        (if index < 0 { index + len } else { index }).max(low).min(high)
    };
    let (first, last) = if step > 0 { (low, high) } else { (high, low) };
    let (start, stop) = (start.map_or(first, clip), stop.map_or(last, clip));
    let distance = if step > 0 { stop - start } else { start - stop };
    let count = u64::try_from(distance.max(0)).ok()?.div_ceil(step.unsigned_abs());
    let start = if count == 0 { 0 } else { start };
    Some(Indices::Range { start: u64::try_from(start).ok()?, step, count })
}

fn refused(message: &str) -> Error {
    Error::argument(message).in_stage(Stage::Selection)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn slice(start: Option<i64>, stop: Option<i64>, step: i64, len: u64) -> (u64, i64, u64) {
        match resolve_slice(start, stop, step, len).unwrap() {
            Indices::Range { start, step, count } => (start, step, count),
            Indices::List(_) => panic!("a slice is a range"),
        }
    }

    // Expected values: CPython's `range(len)[start:stop:step]`.
    #[test]
    fn slices_follow_numpy() {
        assert_eq!(slice(None, None, 1, 5), (0, 1, 5));
        assert_eq!(slice(Some(-3), None, 1, 5), (2, 1, 3));
        assert_eq!(slice(Some(1), Some(100), 2, 6), (1, 2, 3));
        assert_eq!(slice(None, None, -1, 5), (4, -1, 5));
        assert_eq!(slice(Some(4), Some(0), -2, 5), (4, -2, 2));
        assert_eq!(slice(Some(3), Some(2), 1, 5), (0, 1, 0));
        assert_eq!(slice(Some(-100), Some(-200), -1, 5), (0, -1, 0));
        assert_eq!(slice(None, None, -1, 0), (0, -1, 0));
        assert_eq!(slice(Some(7), None, 1, 5), (0, 1, 0));
    }

    #[test]
    fn shapes_beyond_53_bits_are_exact() {
        let len = (1 << 62) + 3;
        assert_eq!(slice(Some(-1), None, 1, len), (len - 1, 1, 1));
    }

    #[test]
    fn integers_count_from_the_end_and_remove_their_dimension() {
        let selected = resolve(&Selection::Orthogonal(vec![DimensionSelection::Index(-1)]), &[3, 4]).unwrap();
        assert_eq!(selected.shape(), [1, 4]);
        assert_eq!(selected.kept(), [false, true]);
    }

    #[test]
    fn selections_outside_the_array_are_refused_with_bounds() {
        let error = resolve(&Selection::Orthogonal(vec![DimensionSelection::Index(3)]), &[3]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert!(error.to_string().contains("-3 ≤ index < 3, found 3"), "{error}");
        assert!(resolve(&Selection::Orthogonal(vec![DimensionSelection::All; 2]), &[3]).is_err());
        assert!(resolve(&Selection::Points(vec![vec![0], vec![0, 1]]), &[3, 3]).is_err());
        assert!(resolve(&Selection::Points(vec![vec![5]]), &[3]).is_err());
        let step = DimensionSelection::Slice(SliceSelection { start: None, stop: None, step: Some(0) });
        assert!(resolve(&Selection::Orthogonal(vec![step]), &[3]).is_err());
    }
}
