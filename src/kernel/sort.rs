//! Sorting with little code in the wasm.
//!
//! The compiler makes the standard library's sort anew for each type: four kilobytes a type, ten
//! where it is compiled for speed, which every reader downloads. Here one body serves all types,
//! because it orders positions. Use it where few items are sorted, not in loops over elements.

use std::cmp::Ordering;

/// Sorts stably by a comparison.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = order_of(items.len(), &|one, other| compare(&items[one], &items[other]));
    arrange(items, order);
}

/// Sorts stably by the key that a function makes of each item.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |one, other| key(one).cmp(&key(other)));
}

/// Sorts stably.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

#[inline(never)]
fn order_of(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    let (mut merged, mut run) = (Vec::with_capacity(len), 1);
    while run < len {
        merged.clear();
        for pair in order.chunks(2 * run) {
            let (one, other) = pair.split_at(run.min(pair.len()));
            merge(one, other, compare, &mut merged);
        }
        std::mem::swap(&mut order, &mut merged);
        run *= 2;
    }
    order
}

/// Merges two sorted runs and appends the result. Equal items of the first run come first.
fn merge(
    mut one: &[usize],
    mut other: &[usize],
    compare: &dyn Fn(usize, usize) -> Ordering,
    merged: &mut Vec<usize>,
) {
    // Most lists are sorted already.
    if let (Some(last), Some(first)) = (one.last(), other.first())
        && compare(*last, *first) != Ordering::Greater
    {
        merged.extend_from_slice(one);
        one = &[];
    }
    while let ([first, one_rest @ ..], [second, other_rest @ ..]) = (one, other) {
        if compare(*first, *second) == Ordering::Greater {
            merged.push(*second);
            other = other_rest;
        } else {
            merged.push(*first);
            one = one_rest;
        }
    }
    merged.extend_from_slice(one);
    merged.extend_from_slice(other);
}

/// Moves the item at position `order[i]` to position `i`, for each `i`. It follows each cycle of
/// the permutation once.
fn arrange<T>(items: &mut [T], mut order: Vec<usize>) {
    for start in 0..order.len() {
        let mut slot = start;
        loop {
            let from = std::mem::replace(&mut order[slot], slot);
            if from == start {
                break;
            }
            items.swap(slot, from);
            slot = from;
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn items_are_sorted_as_by_the_standard_library(items in proptest::collection::vec(0_u8..16, 0..64)) {
            let mut ours: Vec<(u8, usize)> = items.iter().copied().zip(0..).collect();
            let mut theirs = ours.clone();
            sort_by_key(&mut ours, |(key, _)| *key);
            theirs.sort_by_key(|(key, _)| *key);
            assert_eq!(ours, theirs);
        }
    }
}
