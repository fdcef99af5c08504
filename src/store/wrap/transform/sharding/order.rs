//! The orders in which chunks may be stored in a shard. Readers do not depend on it, because the
//! index locates each chunk.

use std::cmp::Ordering;

use crate::format::codec::sharding::unravel;

/// An order of the chunks in a shard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChunkOrder {
    /// The last dimension varies fastest, as in the index.
    #[default]
    RowMajor,
    /// The first dimension varies fastest.
    ColumnMajor,
    /// The Z-order curve: chunks that are near each other in the array are near in the shard. The
    /// last dimension provides the lowest of equally significant bits.
    Morton,
}

impl ChunkOrder {
    /// Sorts chunks, which are given by their positions in C order.
    pub(super) fn sort(self, chunks: &mut [usize], chunks_per_shard: &[u64]) {
        let position = |linear: &usize| unravel(*linear as u64, chunks_per_shard);
        match self {
            Self::RowMajor => chunks.sort_unstable(),
            Self::ColumnMajor => {
                chunks.sort_by_cached_key(|linear| position(linear).into_iter().rev().collect::<Vec<_>>());
            }
            Self::Morton => chunks.sort_by(|one, other| by_z_order(&position(one), &position(other))),
        }
    }
}

/// The dimension with the highest differing bit decides; of several, the first one.
fn by_z_order(one: &[u64], other: &[u64]) -> Ordering {
    let mut highest = 0;
    let mut order = Ordering::Equal;
    for (one, other) in one.iter().zip(other) {
        let differing = one ^ other;
        // Whether the highest bit of `differing` is above that of `highest`.
        if highest < differing && highest < highest ^ differing {
            highest = differing;
            order = one.cmp(other);
        }
    }
    order
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_sorted_by_each_order() {
        for (order, expected) in [
            (ChunkOrder::RowMajor, [0, 1, 2, 3, 4, 5, 6, 7]),
            (ChunkOrder::ColumnMajor, [0, 4, 1, 5, 2, 6, 3, 7]),
            // Positions (row, column) of a 2 × 4 shard: (0,0) (0,1) (1,0) (1,1) (0,2) (0,3) (1,2) (1,3).
            (ChunkOrder::Morton, [0, 1, 4, 5, 2, 3, 6, 7]),
        ] {
            let mut chunks = [7, 3, 5, 1, 6, 2, 4, 0];
            order.sort(&mut chunks, &[2, 4]);
            assert_eq!(chunks, expected, "{order:?}");
        }
    }
}
