//! The order in which the parts of a grid are read: the nearest to a point first.
//!
//! It is lazy: a selection of millions of parts is not sorted. Along each dimension, parts are
//! visited outwards from the centre as far as needed. A heap combines the dimensions by the sum of
//! the squared distances. Each candidate but the first comes from exactly one other, the one whose
//! last raised rank is one lower, so that no part comes twice.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Gives the places of the output of the part with this index along one dimension.
type Places<'a> = Box<dyn Fn(u64) -> Range<u64> + 'a>;

/// One dimension, visited outwards from the centre.
struct Outwards<'a> {
    places: Places<'a>,
    centre: f64,
    count: u64,
    /// The next parts to visit below and above the centre.
    below: Option<u64>,
    above: u64,
    /// The visited parts, nearest first, with the squares of their distances.
    walked: Vec<(u64, f64)>,
}

#[allow(clippy::arithmetic_side_effects, reason = "numbers of parts along a dimension, and floats")]
impl<'a> Outwards<'a> {
    fn new(count: u64, centre: f64, places: Places<'a>) -> Self {
        let mut axis = Self { places, centre, count, below: None, above: 0, walked: Vec::new() };
        // Finds the first part that ends past the centre; places ascend.
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            if number((axis.places)(middle).end) <= centre { low = middle + 1 } else { high = middle }
        }
        axis.above = low;
        axis.below = low.checked_sub(1);
        axis
    }

    fn distance(&self, at: u64) -> f64 {
        let places = (self.places)(at);
        let (start, end) = (number(places.start), number(places.end));
        // The distance to the nearest place. The middle decides between parts that contain the
        // centre.
        let outside = (start - self.centre).max(self.centre - end).max(0.0);
        outside + (f64::midpoint(start, end) - self.centre).abs() * 1e-9
    }

    /// The part of this rank along the dimension, and the square of its distance.
    fn nth(&mut self, rank: usize) -> Option<(u64, f64)> {
        while self.walked.len() <= rank {
            let above = (self.above < self.count).then(|| (self.above, self.distance(self.above)));
            let below = self.below.map(|at| (at, self.distance(at)));
            let (at, distance) = match (below, above) {
                (None, None) => return None,
                (Some(below), Some(above)) if below.1 < above.1 => below,
                (Some(below), None) => below,
                (_, Some(above)) => above,
            };
            if at == self.above {
                self.above += 1
            } else {
                self.below = at.checked_sub(1)
            }
            self.walked.push((at, distance * distance));
        }
        self.walked.get(rank).copied()
    }
}

// The loss of precision does not matter: the numbers are only compared.
#[allow(clippy::cast_precision_loss)]
fn number(place: u64) -> f64 {
    place as f64
}

/// A part that may be the next one: the bits of its distance, and its ranks. Bits of numbers that
/// are not negative have the order of the numbers. Of equally near parts, the first in C order is
/// next.
type Candidate = (u64, Vec<usize>);

/// Iterates over the parts of a grid by their distance from a point. Items are the parts' numbers
/// in C order of the grid.
pub struct NearestFirst<'a> {
    axes: Vec<Outwards<'a>>,
    heap: BinaryHeap<Reverse<Candidate>>,
}

impl<'a> NearestFirst<'a> {
    /// `shape` is the number of parts along each dimension. `places(dimension, at)` gives the
    /// places of the output of a part. `centre` is counted in places, one number for each
    /// dimension.
    pub fn new(
        shape: &[u64],
        centre: &[f64],
        places: impl Fn(usize, u64) -> Range<u64> + Clone + 'a,
    ) -> Self {
        let mut axes: Vec<Outwards<'a>> = Vec::new();
        for (dimension, count) in shape.iter().enumerate() {
            let places = places.clone();
            let along: Places<'a> = Box::new(move |at| places(dimension, at));
            axes.push(Outwards::new(*count, centre.get(dimension).copied().unwrap_or(0.0), along));
        }
        let mut order = Self { axes, heap: BinaryHeap::new() };
        order.consider(vec![0; shape.len()]);
        order
    }

    /// Adds the part with these ranks to the heap, if there is one.
    fn consider(&mut self, ranks: Vec<usize>) {
        let mut distance = 0.0_f64;
        for (axis, rank) in self.axes.iter_mut().zip(&ranks) {
            let Some((_, square)) = axis.nth(*rank) else { return };
            distance += square;
        }
        self.heap.push(Reverse((distance.to_bits(), ranks)));
    }
}

impl Iterator for NearestFirst<'_> {
    type Item = u64;

    #[allow(clippy::arithmetic_side_effects, reason = "`PartGrid` has checked the number of parts")]
    fn next(&mut self) -> Option<u64> {
        let Reverse((_, ranks)) = self.heap.pop()?;
        let last_raised = ranks.iter().rposition(|rank| *rank > 0).unwrap_or(0);
        for dimension in last_raised..ranks.len() {
            let mut raised = ranks.clone();
            if let Some(rank) = raised.get_mut(dimension) {
                *rank += 1;
            }
            self.consider(raised);
        }
        let mut part = 0;
        for (axis, rank) in self.axes.iter_mut().zip(&ranks) {
            part = part * axis.count + axis.nth(*rank)?.0;
        }
        Some(part)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn in_tens(_: usize, at: u64) -> Range<u64> {
        at * 10..at * 10 + 10
    }

    #[test]
    fn parts_come_from_the_centre_outwards() {
        let order: Vec<u64> = NearestFirst::new(&[5], &[24.0], in_tens).collect();
        assert_eq!(order, [2, 1, 3, 0, 4]);
        let order: Vec<u64> = NearestFirst::new(&[3, 3], &[15.0, 15.0], in_tens).take(5).collect();
        assert_eq!(order[0], 4);
        assert_eq!(order[1..].iter().copied().collect::<BTreeSet<_>>(), BTreeSet::from([1, 3, 5, 7]));
    }

    #[test]
    fn a_huge_grid_starts_at_once() {
        let huge = 1 << 40;
        let centre = [4e12, 0.0];
        let order: Vec<u64> = NearestFirst::new(&[huge, 3], &centre, in_tens).take(3).collect();
        assert_eq!(order[0], 400_000_000_000 * 3);
        assert_eq!(NearestFirst::new(&[], &[], in_tens).collect::<Vec<_>>(), [0]);
        assert_eq!(NearestFirst::new(&[0, 2], &centre, in_tens).count(), 0);
    }

    proptest! {
        #[test]
        fn each_part_comes_once_and_none_before_a_nearer_one(
            shape in prop::collection::vec(1_u64..6, 1..4), centre in prop::collection::vec(-20.0..80.0, 3),
        ) {
            let order: Vec<u64> = NearestFirst::new(&shape, &centre, in_tens).collect();
            let all: BTreeSet<u64> = order.iter().copied().collect();
            prop_assert_eq!(all.len(), order.len());
            prop_assert_eq!(order.len() as u64, shape.iter().product::<u64>());
            let distance = |part: u64| {
                let (mut rest, mut sum) = (part, 0.0);
                for (dimension, count) in shape.iter().enumerate().rev() {
                    let at = in_tens(dimension, rest % count);
                    rest /= count;
                    let outside = (number(at.start) - centre[dimension]).max(centre[dimension] - number(at.end)).max(0.0);
                    sum += outside * outside;
                }
                sum
            };
            prop_assert!(order.windows(2).all(|pair| distance(pair[0]) <= distance(pair[1]) + 1e-3));
        }
    }
}
