//! The part of a selection that lies in a box of the array, such as a stored chunk. Ranges are
//! computed, so that a selection of millions of chunks is not walked.

use std::ops::Range;
use std::rc::Rc;

use crate::access::selection::{Indices, Selected, SelectedAxis, nth};
use crate::sorted;

/// The same elements, each once and in ascending order along each dimension. Points stay as they
/// are.
pub fn ascending(selected: Selected) -> Selected {
    match selected {
        Selected::Points(lists) => Selected::Points(lists),
        Selected::Orthogonal(axes) => {
            let mut ordered = Vec::with_capacity(axes.len());
            for SelectedAxis { indices, kept } in axes {
                ordered.push(SelectedAxis { indices: ascending_indices(indices), kept });
            }
            Selected::Orthogonal(ordered)
        }
    }
}

fn ascending_indices(indices: Indices) -> Indices {
    match indices {
        Indices::Range { start, step, count } if step < 0 && count > 0 => {
            let last = nth(start, step, count.saturating_sub(1));
            // No array has two elements that are 2^63 apart.
            Indices::Range { start: last, step: step.saturating_neg(), count }
        }
        Indices::List(mut list) => {
            sorted::sort(&mut list);
            list.dedup();
            Indices::List(list)
        }
        range @ Indices::Range { .. } => range,
    }
}

/// The elements of a selection that lie in a box: see [`ascending`], which comes first.
pub fn within(selected: &Selected, bounds: &[Range<u64>]) -> Selected {
    match selected {
        Selected::Points(lists) => Selected::Points(points_within(lists, bounds)),
        Selected::Orthogonal(axes) => {
            let mut inside = Vec::with_capacity(axes.len());
            for (axis, bounds) in axes.iter().zip(bounds) {
                let indices = indices_within(&axis.indices, bounds);
                inside.push(SelectedAxis { indices, kept: axis.kept });
            }
            Selected::Orthogonal(inside)
        }
    }
}

fn indices_within(indices: &Indices, bounds: &Range<u64>) -> Indices {
    match indices {
        Indices::Range { start, step, count } => {
            let stride = step.unsigned_abs().max(1);
            let before = |bound: u64| bound.saturating_sub(*start).div_ceil(stride).min(*count);
            let (first, end) = (before(bounds.start), before(bounds.end));
            Indices::Range { start: nth(*start, *step, first), step: *step, count: end.saturating_sub(first) }
        }
        Indices::List(list) => {
            let before = |bound: u64| list.partition_point(|index| *index < bound);
            let inside = list.get(before(bounds.start)..before(bounds.end));
            Indices::List(inside.unwrap_or_default().to_vec())
        }
    }
}

fn points_within(lists: &[Rc<[u64]>], bounds: &[Range<u64>]) -> Vec<Rc<[u64]>> {
    let count = lists.first().map_or(0, |list| list.len());
    let mut inside = vec![Vec::new(); lists.len()];
    for i in 0..count {
        let mut along = lists.iter().zip(bounds);
        if along.all(|(list, bounds)| list.get(i).is_some_and(|index| bounds.contains(index))) {
            for (inside, list) in inside.iter_mut().zip(lists) {
                inside.extend(list.get(i));
            }
        }
    }
    inside.into_iter().map(Rc::from).collect()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::access::selection::{DimensionSelection, Selection, SliceSelection, resolve};

    /// All indices of a selection of one dimension.
    fn indices_of(selected: &Selected) -> Vec<u64> {
        let Selected::Orthogonal(axes) = selected else { return Vec::new() };
        axes[0].indices.iter().collect()
    }

    fn dimension() -> impl Strategy<Value = DimensionSelection> {
        let step = prop_oneof![-7_i64..0, 1_i64..7];
        let slice = (-45_i64..45, -45_i64..45, step).prop_map(|(start, stop, step)| SliceSelection {
            start: Some(start),
            stop: Some(stop),
            step: Some(step),
        });
        prop_oneof![
            slice.prop_map(DimensionSelection::Slice),
            prop::collection::vec(0_i64..40, 0..9).prop_map(DimensionSelection::List),
        ]
    }

    proptest! {
        #[test]
        fn what_lies_in_a_box_is_what_a_filter_keeps(
            entry in dimension(), start in 0_u64..45, len in 0_u64..45,
        ) {
            let bounds = start..start + len;
            let selected = resolve(&Selection::Orthogonal(vec![entry]), &[40]).unwrap();
            let mut expected: Vec<u64> = indices_of(&selected);
            expected.retain(|index| bounds.contains(index));
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(indices_of(&within(&ascending(selected), &[bounds])), expected);
        }
    }

    #[test]
    fn points_in_a_box_keep_their_order() {
        let points = Selected::Points(vec![Rc::from([5_u64, 0, 7, 5]), Rc::from([1_u64, 1, 9, 2])]);
        let expected = Selected::Points(vec![Rc::from([5_u64, 5]), Rc::from([1_u64, 2])]);
        assert_eq!(within(&ascending(points), &[4..8, 0..4]), expected);
    }

    #[test]
    fn huge_ranges_are_computed() {
        let selected = Selected::Orthogonal(vec![SelectedAxis { indices: (0..1 << 62).into(), kept: true }]);
        let bounds = (1 << 61)..(1 << 61) + 3;
        assert_eq!(indices_of(&within(&selected, std::slice::from_ref(&bounds))), bounds.collect::<Vec<_>>());
    }
}
