//! Step 1, select: what was asked? NumPy's rules for integers, slices, index lists and points become plain index
//! sequences that lie inside the array.

use std::rc::Rc;

use crate::error::{Error, Result, Stage};
use crate::limits;

/// What was asked of one dimension, as the caller wrote it; negative indices count from the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DimensionSelection {
    /// Everything.
    All,
    /// One index; the dimension vanishes from the result.
    Index(i64),
    /// Every `step`th index from `start` up (or down) to, not including, `stop`; NumPy's defaults and clipping.
    Slice {
        /// First index.
        start: Option<i64>,
        /// First index not taken.
        stop: Option<i64>,
        /// Not zero; 1 when absent.
        step: Option<i64>,
    },
    /// These indices, in this order, repeats allowed.
    List(Vec<i64>),
}

/// What was asked of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// One selection a dimension, combined as an outer product; missing ones at the end mean everything.
    Orthogonal(Vec<DimensionSelection>),
    /// Single elements: one list a dimension, read side by side ("zipped"); the result has one dimension.
    Points(Vec<Vec<i64>>),
}

/// The indices selected along one dimension, all inside the array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Indices {
    /// `start`, `start + step`, … `count` of them.
    Range {
        /// First index.
        start: u64,
        /// Not zero; may be negative.
        step: i64,
        /// How many.
        count: u64,
    },
    /// Any order, repeats allowed.
    List(Rc<[u64]>),
}

impl Indices {
    /// How many indices.
    pub fn count(&self) -> u64 {
        match self {
            Self::Range { count, .. } => *count,
            Self::List(list) => list.len() as u64,
        }
    }
}

/// One dimension of an orthogonal selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedAxis {
    /// Which indices.
    pub indices: Indices,
    /// Whether the dimension appears in the result; an integer index removes it.
    pub kept: bool,
}

/// A selection that lies inside its array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selected {
    /// One entry a dimension of the array.
    Orthogonal(Vec<SelectedAxis>),
    /// One list a dimension, all of one length.
    Points(Vec<Rc<[u64]>>),
}

impl Selected {
    /// Extent of the output along each of its dimensions, those of integer indices included as 1.
    pub fn shape(&self) -> Vec<u64> {
        match self {
            Self::Orthogonal(axes) => axes.iter().map(|axis| axis.indices.count()).collect(),
            Self::Points(lists) => vec![lists.first().map_or(1, |list| list.len() as u64)],
        }
    }

    /// Which of those dimensions the result keeps.
    pub fn kept(&self) -> Vec<bool> {
        match self {
            Self::Orthogonal(axes) => axes.iter().map(|axis| axis.kept).collect(),
            Self::Points(_) => vec![true],
        }
    }
}

impl Selection {
    /// Everything.
    pub fn all() -> Self {
        Self::Orthogonal(Vec::new())
    }

    /// Resolves the selection against the array's shape.
    ///
    /// # Errors
    /// `Argument` for too many entries, an index out of bounds, a step of zero, or point lists that differ in length.
    pub fn resolve(&self, shape: &[u64]) -> Result<Selected> {
        match self {
            Self::Orthogonal(entries) => resolve_orthogonal(entries, shape),
            Self::Points(lists) => resolve_points(lists, shape),
        }
    }
}

fn resolve_orthogonal(entries: &[DimensionSelection], shape: &[u64]) -> Result<Selected> {
    if entries.len() > shape.len() {
        return Err(refused("more selection entries than dimensions")
            .expected(format!("at most {}", shape.len()))
            .actual(entries.len().to_string()));
    }
    let missing = std::iter::repeat(&DimensionSelection::All);
    let axes = entries.iter().chain(missing).zip(shape).enumerate();
    axes.map(|(dimension, (entry, len))| resolve_dimension(entry, *len, dimension))
        .collect::<Result<_>>()
        .map(Selected::Orthogonal)
}

fn resolve_dimension(entry: &DimensionSelection, len: u64, dimension: usize) -> Result<SelectedAxis> {
    let kept = !matches!(entry, DimensionSelection::Index(_));
    let indices = match entry {
        DimensionSelection::All => Indices::Range { start: 0, step: 1, count: len },
        DimensionSelection::Index(index) => {
            Indices::Range { start: wrap(*index, len, dimension)?, step: 1, count: 1 }
        }
        DimensionSelection::Slice { start, stop, step } => {
            resolve_slice(*start, *stop, step.unwrap_or(1), len)
                .ok_or_else(|| refused("a slice's step is zero").in_field(format!("dimension {dimension}")))?
        }
        DimensionSelection::List(list) => Indices::List(resolve_list(list, len, dimension)?),
    };
    Ok(SelectedAxis { indices, kept })
}

fn resolve_list(list: &[i64], len: u64, dimension: usize) -> Result<Rc<[u64]>> {
    list.iter().map(|index| wrap(*index, len, dimension)).collect()
}

fn resolve_points(lists: &[Vec<i64>], shape: &[u64]) -> Result<Selected> {
    if lists.len() != shape.len() {
        return Err(refused("points need one index list a dimension")
            .expected(shape.len().to_string())
            .actual(lists.len().to_string()));
    }
    let count = lists.first().map_or(0, Vec::len);
    if let Some(other) = lists.iter().find(|list| list.len() != count) {
        return Err(refused("the index lists of points differ in length")
            .expected(count.to_string())
            .actual(other.len().to_string()));
    }
    limits::within(count as u64, u64::from(u32::MAX), "number of points")?;
    let resolved = lists.iter().zip(shape).enumerate();
    resolved
        .map(|(dimension, (list, len))| resolve_list(list, *len, dimension))
        .collect::<Result<_>>()
        .map(Selected::Points)
}

/// A caller's index as an index from the start.
fn wrap(index: i64, len: u64, dimension: usize) -> Result<u64> {
    let wrapped = if index < 0 { i128::from(index) + i128::from(len) } else { i128::from(index) };
    u64::try_from(wrapped).ok().filter(|wrapped| *wrapped < len).ok_or_else(|| {
        refused("index out of bounds")
            .in_field(format!("dimension {dimension}"))
            .expected(format!("-{len} ≤ index < {len}"))
            .actual(index.to_string())
    })
}

/// NumPy's `slice.indices`; `None` for a step of zero.
fn resolve_slice(start: Option<i64>, stop: Option<i64>, step: i64, len: u64) -> Option<Indices> {
    if step == 0 {
        return None;
    }
    let len = i128::from(len);
    // The ends that an index is clipped to: going down, one below the first element is a place to stop at.
    let (low, high) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let clip = |index: i64| {
        let index = i128::from(index);
        (if index < 0 { index + len } else { index }).clamp(low, high)
    };
    let (first, last) = if step > 0 { (low, high) } else { (high, low) };
    let (start, stop) = (start.map_or(first, clip), stop.map_or(last, clip));
    let distance = if step > 0 { stop - start } else { start - stop };
    let stride = i128::from(step).abs();
    let count = if distance > 0 { (distance + stride - 1) / stride } else { 0 };
    let start = if count == 0 { 0 } else { start };
    Some(Indices::Range { start: u64::try_from(start).ok()?, step, count: u64::try_from(count).ok()? })
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
    fn integers_wrap_and_vanish() {
        let selected = Selection::Orthogonal(vec![DimensionSelection::Index(-1)]).resolve(&[3, 4]).unwrap();
        assert_eq!(selected.shape(), [1, 4]);
        assert_eq!(selected.kept(), [false, true]);
    }

    #[test]
    fn what_lies_outside_is_refused_with_numbers() {
        let error = Selection::Orthogonal(vec![DimensionSelection::Index(3)]).resolve(&[3]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert!(error.to_string().contains("-3 ≤ index < 3, found 3"), "{error}");
        assert!(Selection::Orthogonal(vec![DimensionSelection::All; 2]).resolve(&[3]).is_err());
        assert!(Selection::Points(vec![vec![0], vec![0, 1]]).resolve(&[3, 3]).is_err());
        assert!(Selection::Points(vec![vec![5]]).resolve(&[3]).is_err());
        let step = DimensionSelection::Slice { start: None, stop: None, step: Some(0) };
        assert!(Selection::Orthogonal(vec![step]).resolve(&[3]).is_err());
    }
}
