//! Chooses chunk and shard shapes where the user does not: chunks of about 1 MiB, and shards where
//! there would be very many chunks.

use crate::limits;

/// The size that chunks aim at (bytes, decoded).
const CHUNK_BYTES: u64 = 1 << 20;
/// With more stored objects than this, chunks are put in shards.
const MAX_UNSHARDED_OBJECTS: u64 = 10_000;
/// The size above which shards do not grow (bytes, decoded): a shard is written as a whole.
const SHARD_BYTES: u64 = 1 << 28;

/// A chunk shape. The longest dimension is halved until a chunk has at most [`CHUNK_BYTES`].
pub(super) fn chunk_shape(shape: &[u64], element_size: u64) -> Vec<u64> {
    let mut chunk: Vec<u64> = shape.iter().map(|len| (*len).max(1)).collect();
    let too_large = |chunk: &[u64]| bytes(chunk, element_size) > CHUNK_BYTES;
    while too_large(&chunk) {
        match chunk.iter_mut().max_by_key(|len| **len) {
            Some(longest) if *longest > 1 => *longest = longest.div_ceil(2),
            _ => break,
        }
    }
    chunk
}

/// A shard shape that keeps the number of stored objects below [`MAX_UNSHARDED_OBJECTS`]. `None`
/// where there are few chunks.
pub(super) fn shard_shape(shape: &[u64], chunk_shape: &[u64], element_size: u64) -> Option<Vec<u64>> {
    let mut shard = chunk_shape.to_vec();
    let count = |(len, shard): (&u64, &u64)| len.div_ceil((*shard).max(1));
    let objects = |shard: &[u64]| shape.iter().zip(shard).map(count).fold(1, u64::saturating_mul);
    while objects(&shard) > MAX_UNSHARDED_OBJECTS && bytes(&shard, element_size) <= SHARD_BYTES / 2 {
        let (_, most) = shape.iter().zip(&mut shard).max_by_key(|(len, shard)| count((*len, &**shard)))?;
        *most = most.checked_mul(2)?;
    }
    (shard != chunk_shape).then_some(shard)
}

fn bytes(shape: &[u64], element_size: u64) -> u64 {
    limits::product(shape.iter().copied().chain([element_size.max(1)]), "chunk").unwrap_or(u64::MAX)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_about_a_mebibyte() {
        assert_eq!(chunk_shape(&[100, 100], 4), [100, 100]);
        assert_eq!(chunk_shape(&[4096, 4096], 4), [512, 512]);
        let climate = chunk_shape(&[10_000, 721, 1440], 4);
        assert!(bytes(&climate, 4) <= CHUNK_BYTES && bytes(&climate, 4) > CHUNK_BYTES / 4, "{climate:?}");
        assert_eq!(chunk_shape(&[0, 7], 8), [1, 7]);
        assert_eq!(chunk_shape(&[], 8), Vec::<u64>::new());
        assert_eq!(chunk_shape(&[1 << 62], 1), [1 << 20]);
    }

    #[test]
    fn shards_limit_the_number_of_objects() {
        assert_eq!(shard_shape(&[4096, 4096], &[512, 512], 4), None);
        // There are 200 × 200 chunks. Doubling each dimension gives 100 × 100 shards.
        assert_eq!(shard_shape(&[20_000, 20_000], &[100, 100], 4), Some(vec![200, 200]));
        let huge = shard_shape(&[1 << 62], &[1 << 20], 1).unwrap_or_default();
        assert_eq!(huge, [1 << 28]);
    }
}
