//! Finds the manifest of a chunk among many. Each manifest has a region of an array's grid of
//! chunks, and an array may have tens of thousands: a search through all for each chunk would take
//! longer than the reading.
//!
//! The regions form a binary tree. A node has one region, and the box around all that are below it.

use zarr_wasm::sorted;

use crate::extents::{ManifestRef, is_within};

/// The first index of a box in a dimension, and the one after the last.
type Side = [u32; 2];

/// The tree. In each part of `order`, the region in the middle is the node of the part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Regions {
    /// The indices of the manifests.
    order: Vec<usize>,
    /// The boxes of the nodes, at the same positions; each has a side for each dimension.
    boxes: Vec<Side>,
}

impl Regions {
    /// The tree of manifests that have this rank.
    pub fn of(manifests: &[ManifestRef], rank: usize) -> Self {
        let mut order: Vec<usize> = (0..manifests.len()).collect();
        let mut boxes = vec![[0, 0]; manifests.len().saturating_mul(rank)];
        arrange(manifests, &mut order, &mut boxes, rank);
        Self { order, boxes }
    }

    /// The manifest whose region has a chunk.
    pub fn find<'a>(&self, manifests: &'a [ManifestRef], chunk: &[u32]) -> Option<&'a ManifestRef> {
        find(manifests, &self.order, &self.boxes, chunk)
    }
}

fn extents(manifests: &[ManifestRef], index: usize) -> &[Side] {
    manifests.get(index).map_or(&[], |manifest| manifest.extents.as_slice())
}

/// The box around some regions, and the dimension in which these begin farthest from each other.
fn around(manifests: &[ManifestRef], indices: &[usize], rank: usize) -> (Vec<Side>, usize) {
    let (mut sides, mut starts) = (vec![[u32::MAX, 0]; rank], vec![0; rank]);
    for index in indices {
        let region = extents(manifests, *index);
        for ((side, last), [first, end]) in sides.iter_mut().zip(&mut starts).zip(region) {
            *side = [side[0].min(*first), side[1].max(*end)];
            *last = (*first).max(*last);
        }
    }
    let (mut widest, mut width) = (0, 0);
    for (dimension, ([first, _], last)) in sides.iter().zip(&starts).enumerate() {
        let spread = last.saturating_sub(*first);
        if spread > width {
            (widest, width) = (dimension, spread);
        }
    }
    (sides, widest)
}

/// Sorts a part of the order, and sets the boxes of its nodes. Parts halve, so this is not deep.
fn arrange(manifests: &[ManifestRef], order: &mut [usize], boxes: &mut [Side], rank: usize) {
    if order.is_empty() {
        return;
    }
    let (sides, widest) = around(manifests, order, rank);
    sorted::sort_by_key(order, |index| extents(manifests, *index).get(widest).map_or(0, |side| side[0]));
    let middle = order.len() / 2;
    let (before, rest) = order.split_at_mut(middle);
    let (boxes_before, boxes) = boxes.split_at_mut(middle.saturating_mul(rank));
    let (own, boxes_after) = boxes.split_at_mut(rank);
    own.copy_from_slice(&sides);
    arrange(manifests, before, boxes_before, rank);
    arrange(manifests, rest.get_mut(1..).unwrap_or_default(), boxes_after, rank);
}

fn find<'a>(
    manifests: &'a [ManifestRef],
    order: &[usize],
    boxes: &[Side],
    chunk: &[u32],
) -> Option<&'a ManifestRef> {
    let middle = order.len() / 2;
    let (before, rest) = order.split_at_checked(middle)?;
    let (node, after) = rest.split_first()?;
    let (boxes_before, boxes) = boxes.split_at_checked(middle.checked_mul(chunk.len())?)?;
    let (own, boxes_after) = boxes.split_at_checked(chunk.len())?;
    if !is_within(chunk, own) {
        return None;
    }
    let found = manifests.get(*node).filter(|manifest| manifest.contains(chunk));
    found
        .or_else(|| find(manifests, before, boxes_before, chunk))
        .or_else(|| find(manifests, after, boxes_after, chunk))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;
    use crate::object_id::ObjectId;

    fn manifest(number: usize, extents: &[Side]) -> ManifestRef {
        let mut id = [0; 12];
        id[..8].copy_from_slice(&(number as u64).to_le_bytes());
        ManifestRef { id: ObjectId(id), extents: extents.to_vec() }
    }

    /// The tree finds what a search through all finds, for each chunk of a grid.
    fn check(manifests: &[ManifestRef], rank: u32, side: u32) {
        let regions = Regions::of(manifests, rank as usize);
        for number in 0..side.pow(rank) {
            let chunk: Vec<u32> = (0..rank).map(|dimension| number / side.pow(dimension) % side).collect();
            let expected = manifests.iter().find(|manifest| manifest.contains(&chunk));
            assert_eq!(regions.find(manifests, &chunk), expected, "{chunk:?}");
        }
    }

    #[test]
    fn the_tree_finds_what_a_search_through_all_finds() {
        check(&[], 2, 3);
        check(&[manifest(0, &[])], 0, 1);
        let row: Vec<_> = (0..40_u32).map(|at| manifest(at as usize, &[[at * 2, at * 2 + 1]])).collect();
        check(&row, 1, 90);
        // A pinwheel: no straight cut is free of regions.
        let pinwheel = [[[0, 1], [0, 3]], [[0, 3], [3, 4]], [[3, 4], [1, 4]], [[1, 4], [0, 1]]];
        let pinwheel: Vec<_> =
            pinwheel.iter().enumerate().map(|(at, extents)| manifest(at, extents)).collect();
        check(&pinwheel, 2, 5);
        let cubes: Vec<_> = (0..64_u32)
            .map(|at| at * 37 % 64)
            .map(|at| {
                manifest(at as usize, &[at / 16, at / 4 % 4, at % 4].map(|first| [first * 2, first * 2 + 2]))
            })
            .collect();
        check(&cubes, 3, 9);
    }
}
