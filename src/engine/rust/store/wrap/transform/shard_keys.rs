//! Converts between chunk keys and shard keys of the drafts: with shards of 32 × 2 chunks, `c96/18`
//! is in `c3/9`. The keys themselves are written and read by [`ChunkKeyEncoding`].

use super::transformer::ArrayKeys;
use crate::format::chunk_grid::unravel;
use crate::format::chunk_key::{ChunkKeyEncoding, Separator};
use crate::format::path::{NodePath, StoreKey};

/// The keys of an array's chunks and shards.
pub(super) struct Keys {
    prefix: NodePath,
    separator: Separator,
    chunks_per_shard: Vec<u64>,
}

impl Keys {
    /// The keys of an array. A shard has at least one chunk along each dimension.
    pub fn new(array: ArrayKeys, chunks_per_shard: Vec<u64>) -> Self {
        Self { prefix: array.prefix, separator: array.separator, chunks_per_shard }
    }

    fn encoding(&self) -> ChunkKeyEncoding {
        ChunkKeyEncoding::Draft { separator: self.separator }
    }

    /// The grid indices in the key of a chunk or shard.
    pub fn indices(&self, key: &StoreKey) -> Option<Vec<u64>> {
        match (key.below(&self.prefix)?, self.chunks_per_shard.len()) {
            // As zarr-python writes the only chunk of an array without dimensions.
            ("c0", 0) => Some(Vec::new()),
            (name, rank) => self.encoding().decode(name, rank),
        }
    }

    /// The shard of a chunk, and the chunk's position in it in C order. `None` if the key is not a
    /// chunk key.
    #[allow(clippy::arithmetic_side_effects, reason = "a shard has 1 to 2^24 chunks")]
    pub fn chunk(&self, key: &StoreKey) -> Option<(StoreKey, usize)> {
        let chunk = self.indices(key)?;
        let mut linear = 0;
        for (at, extent) in chunk.iter().zip(&self.chunks_per_shard) {
            linear = linear * extent + at % extent;
        }
        // A shard of an array without dimensions has the key of its chunk.
        let shard = if chunk.is_empty() { key.clone() } else { self.shard(&chunk) };
        Some((shard, usize::try_from(linear).ok()?))
    }

    #[allow(clippy::arithmetic_side_effects, reason = "a shard has at least one chunk along each dimension")]
    fn shard(&self, chunk: &[u64]) -> StoreKey {
        let mut shard = Vec::with_capacity(chunk.len());
        for (at, extent) in chunk.iter().zip(&self.chunks_per_shard) {
            shard.push(at / extent);
        }
        StoreKey::new(&self.prefix, &self.encoding().encode(&shard))
    }

    /// The key of a chunk in a shard, if its indices begin with `start`. `None` also for indices
    /// that exceed 64 bits.
    pub fn chunk_in(&self, shard: &StoreKey, linear: usize, start: &[u64]) -> Option<StoreKey> {
        let mut chunk = self.indices(shard)?;
        let within = unravel(linear as u64, &self.chunks_per_shard);
        for ((at, extent), within) in chunk.iter_mut().zip(&self.chunks_per_shard).zip(within) {
            *at = at.checked_mul(*extent)?.checked_add(within)?;
        }
        if chunk.is_empty() {
            return Some(shard.clone());
        }
        chunk.starts_with(start).then(|| StoreKey::new(&self.prefix, &self.encoding().encode(&chunk)))
    }

    /// The indices with which the keys of the chunks below a prefix begin: those of `c96/`, none
    /// for the prefix of the array. `None` for other prefixes.
    pub fn start(&self, prefix: &NodePath) -> Option<Vec<u64>> {
        if self.prefix == *prefix {
            return Some(Vec::new());
        }
        let name = prefix.below(&self.prefix)?;
        let count = name.split('/').count();
        // If the separator is a dot, no chunk key is below a longer prefix.
        let is_part = self.separator == Separator::Slash && count < self.chunks_per_shard.len();
        self.encoding().decode(name, count).filter(|_| is_part)
    }

    /// The prefix of the shards of the chunks whose indices begin with `start`.
    pub fn shards(&self, start: &[u64]) -> NodePath {
        NodePath::from_normal(self.shard(start).as_str()).unwrap_or_default()
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn keys(separator: Separator, chunks_per_shard: &[u64]) -> Keys {
        let prefix = NodePath::parse_any("data/root/foo/baz").unwrap();
        Keys::new(ArrayKeys { prefix, grid_shape: vec![1000, 1000], separator }, chunks_per_shard.to_vec())
    }

    fn key(text: &str) -> StoreKey {
        StoreKey::parse(text).unwrap()
    }

    /// The text's own example: grid positions 96, 18 to 127, 19 are in shard 3, 9.
    #[test]
    fn keys_are_converted_as_in_the_specification() {
        for separator in [Separator::Slash, Separator::Dot] {
            let (keys, separator) = (keys(separator, &[32, 2]), separator.as_str());
            let shard = key(&format!("data/root/foo/baz/c3{separator}9"));
            for (row, column, linear) in [(96, 18, 0), (96, 19, 1), (97, 18, 2), (127, 19, 63)] {
                let chunk = key(&format!("data/root/foo/baz/c{row}{separator}{column}"));
                assert_eq!(keys.chunk(&chunk), Some((shard.clone(), linear)));
                assert_eq!(keys.chunk_in(&shard, linear, &[row]), Some(chunk));
                assert_eq!(keys.chunk_in(&shard, linear, &[row, 1]), None);
            }
        }
    }

    #[test]
    fn other_keys_are_not_chunk_keys() {
        let keys = keys(Separator::Slash, &[3, 2]);
        for name in ["c1", "c1/2/3", "c01/2", "c1/+2", "c1.2", "1/2", "c/1/2", "c18446744073709551616/0"] {
            assert_eq!(keys.chunk(&key(&format!("data/root/foo/baz/{name}"))), None, "{name}");
        }
        for other in ["meta/root/foo/baz.array.json", "data/root/foo/bazz/c0/0", "data/root/foo/c0/0"] {
            assert_eq!(keys.chunk(&key(other)), None, "{other}");
        }
        assert_eq!(keys.chunk_in(&key("data/root/foo/baz/c18446744073709551615/0"), 0, &[]), None);
    }

    #[test]
    fn prefixes_of_chunk_keys_have_indices() {
        let slash = keys(Separator::Slash, &[32, 2]);
        let path = |text: &str| NodePath::parse_any(text).unwrap();
        assert_eq!(slash.start(&path("data/root/foo/baz")), Some(vec![]));
        assert_eq!(slash.start(&path("data/root/foo/baz/c96")), Some(vec![96]));
        for other in ["", "data/root/foo", "meta", "data/root/foo/baz/c96/18", "data/root/foo/baz/c096"] {
            assert_eq!(slash.start(&path(other)), None, "{other}");
        }
        assert_eq!(keys(Separator::Dot, &[32, 2]).start(&path("data/root/foo/baz/c96")), None);
        assert_eq!(slash.shards(&[96]), path("data/root/foo/baz/c3"));
    }
}
