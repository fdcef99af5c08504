//! The order of inner chunks in a shard. The specification allows any order, because the index
//! tells where each chunk is.

use crate::format::chunk_grid::unravel;

pub use zarr_wasm_contract::ChunkOrder;

/// The numbers (in C order) of all chunks of a grid, in the order of their bytes.
pub fn in_order(order: ChunkOrder, grid: &[u64], count: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..count).collect();
    match order {
        ChunkOrder::C => {}
        ChunkOrder::F => all.sort_by_cached_key(|linear| {
            let mut position = unravel(*linear as u64, grid);
            position.reverse();
            position
        }),
        ChunkOrder::Morton => all.sort_by_cached_key(|linear| interleaved(&unravel(*linear as u64, grid))),
    }
    all
}

/// Interleaves the bits of the coordinates, the highest first. Of bits with the same significance
/// the last dimension's comes first.
#[allow(clippy::arithmetic_side_effects, reason = "both are at most 64")]
fn interleaved(position: &[u64]) -> Vec<bool> {
    let height = position.iter().map(|at| u64::BITS - at.leading_zeros()).max().unwrap_or(0);
    let bits = (0..u64::BITS).rev().skip((u64::BITS - height.max(32)) as usize);
    bits.flat_map(|bit| position.iter().rev().map(move |at| at >> bit & 1 == 1)).collect()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn orders_of_a_grid() {
        assert_eq!(in_order(ChunkOrder::C, &[2, 3], 6), [0, 1, 2, 3, 4, 5]);
        assert_eq!(in_order(ChunkOrder::F, &[2, 3], 6), [0, 3, 1, 4, 2, 5]);
        // zarr-python: morton_order_coords((4, 4)) is (0,0) (1,0) (0,1) (1,1) (2,0) (3,0) (2,1)
        // (3,1) (0,2) …
        let morton = in_order(ChunkOrder::Morton, &[4, 4], 16);
        assert_eq!(morton, [0, 4, 1, 5, 8, 12, 9, 13, 2, 6, 3, 7, 10, 14, 11, 15]);
    }
}
