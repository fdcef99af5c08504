//! Converts between chunk keys and shard keys of the drafts: with shards of 32 × 2 chunks, `c96/18`
//! is in `c3/9`.
//!
//! There is no separator after the `c`. The only chunk of an array without dimensions is `c`, or
//! `c0` as zarr-python writes it. Its shard has the same key.

use std::fmt::Write;

use crate::error::{Error, Result};
use crate::format::chunk_grid::unravel;
use crate::format::chunk_key::Separator;
use crate::format::path::{NodePath, StoreKey};
use crate::limits;
use crate::store::wrap::transform::transformer::ArrayPlace;

/// The keys of an array's chunks and shards.
pub(super) struct Keys {
    place: ArrayPlace,
    chunks_per_shard: Vec<u64>,
    /// Number of chunks in a shard.
    count: usize,
}

/// The shard of a chunk, and the chunk's position in it in C order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChunkPlace {
    pub shard: StoreKey,
    pub linear: usize,
}

/// The relation of a prefix to the chunk keys of the array.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PrefixMeaning {
    /// No chunk key is below the prefix.
    Elsewhere,
    /// The prefix is above that of the array. All chunk keys are below it.
    Above,
    /// The prefix is that of the array.
    Array,
    /// Chunk keys that begin with these indices are below the prefix: `c96/`.
    Grid(Vec<u64>),
}

impl Keys {
    /// Checks the configuration against the array.
    pub fn new(place: ArrayPlace, chunks_per_shard: Vec<u64>) -> Result<Self> {
        if chunks_per_shard.len() != place.grid_shape.len() || chunks_per_shard.contains(&0) {
            return Err(Error::format("`chunks_per_shard` does not fit the array")
                .in_field("configuration.chunks_per_shard")
                .expected(format!("{} integers of at least 1", place.grid_shape.len()))
                .actual(format!("{chunks_per_shard:?}")));
        }
        let count = limits::product(chunks_per_shard.iter().copied(), "shard")?;
        let most = limits::SHARD_INDEX_BYTES / 16;
        let count = limits::within(count, most, "shard")
            .map_err(|error| error.in_field("configuration.chunks_per_shard"))?;
        Ok(Self { place, chunks_per_shard, count })
    }

    /// Number of chunks in a shard, including those outside the array.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The shape of a shard in chunks.
    pub fn chunks_per_shard(&self) -> &[u64] {
        &self.chunks_per_shard
    }

    fn rank(&self) -> usize {
        self.chunks_per_shard.len()
    }

    fn indices(&self, name: &str) -> Option<Vec<u64>> {
        let names = name.strip_prefix('c')?.split(self.place.separator.as_char());
        names.map(number).collect()
    }

    /// The grid indices in the key of a chunk or shard.
    fn grid_indices(&self, key: &StoreKey) -> Option<Vec<u64>> {
        let name = key.below(&self.place.prefix)?;
        if self.rank() == 0 {
            return matches!(name, "c" | "c0").then(Vec::new);
        }
        self.indices(name).filter(|indices| indices.len() == self.rank())
    }

    /// The shard and position of a chunk; `None` if the key is not a chunk key.
    #[allow(clippy::arithmetic_side_effects, reason = "a shard has 1 to 2^24 chunks")]
    pub fn chunk(&self, key: &StoreKey) -> Option<ChunkPlace> {
        let chunk = self.grid_indices(key)?;
        if chunk.is_empty() {
            return Some(ChunkPlace { shard: key.clone(), linear: 0 });
        }
        let pairs = || chunk.iter().zip(&self.chunks_per_shard);
        let shard: Vec<u64> = pairs().map(|(at, extent)| at / extent).collect();
        let linear = pairs().fold(0, |linear, (at, extent)| linear * extent + at % extent);
        // The position is less than `count`, so it fits.
        Some(ChunkPlace { shard: self.key(&shard), linear: usize::try_from(linear).ok()? })
    }

    /// Whether a key of the wrapped store is a shard key.
    pub fn is_shard(&self, key: &StoreKey) -> bool {
        self.grid_indices(key).is_some()
    }

    /// The key of a chunk in a shard; `None` if its indices exceed 64 bits.
    pub fn chunk_key(&self, shard: &StoreKey, linear: usize) -> Option<StoreKey> {
        let chunk = self.chunk_indices(shard, linear)?;
        Some(if chunk.is_empty() { shard.clone() } else { self.key(&chunk) })
    }

    /// The grid indices of a chunk in a shard.
    fn chunk_indices(&self, shard: &StoreKey, linear: usize) -> Option<Vec<u64>> {
        let within = unravel(linear as u64, &self.chunks_per_shard);
        let shard = self.grid_indices(shard)?;
        let axes = shard.iter().zip(&self.chunks_per_shard).zip(within);
        axes.map(|((shard, extent), within)| shard.checked_mul(*extent)?.checked_add(within)).collect()
    }

    /// The relation of a prefix to the chunk keys.
    pub fn prefix(&self, prefix: &NodePath) -> PrefixMeaning {
        if self.place.prefix == *prefix {
            return PrefixMeaning::Array;
        }
        if self.place.prefix.is_below_or_equal(prefix) {
            return PrefixMeaning::Above;
        }
        let name = prefix.below(&self.place.prefix);
        // If the separator is a dot, no chunk key is below a longer prefix.
        let indices = name.filter(|_| self.place.separator == Separator::Slash);
        match indices.and_then(|name| self.indices(name)) {
            Some(indices) if indices.len() < self.rank() => PrefixMeaning::Grid(indices),
            _ => PrefixMeaning::Elsewhere,
        }
    }

    /// The prefix of the shards that contain the chunks below a grid prefix.
    #[allow(clippy::arithmetic_side_effects, reason = "a shard has at least one chunk along each dimension")]
    pub fn shard_prefix(&self, indices: &[u64]) -> NodePath {
        let shard: Vec<u64> =
            indices.iter().zip(&self.chunks_per_shard).map(|(at, extent)| at / extent).collect();
        let name = NodePath::from_normal(&self.name(&shard)).unwrap_or_default();
        self.place.prefix.join(&name)
    }

    /// Whether the indices of a chunk begin with `indices`.
    pub fn begins_with(&self, shard: &StoreKey, linear: usize, indices: &[u64]) -> bool {
        self.chunk_indices(shard, linear).is_some_and(|chunk| chunk.starts_with(indices))
    }

    fn name(&self, indices: &[u64]) -> String {
        let mut name = "c".to_owned();
        for (i, at) in indices.iter().enumerate() {
            if i > 0 {
                name.push(self.place.separator.as_char());
            }
            // Writing to a String cannot fail.
            let _ = write!(name, "{at}");
        }
        name
    }

    fn key(&self, indices: &[u64]) -> StoreKey {
        StoreKey::new(&self.place.prefix, &self.name(indices))
    }
}

/// Parses an index. Keys with leading zeros, signs or other spellings are not chunk keys.
fn number(name: &str) -> Option<u64> {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    name.parse().ok().filter(|_| is_plain)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn keys(separator: Separator, grid_shape: &[u64], chunks_per_shard: &[u64]) -> Result<Keys> {
        let prefix = NodePath::parse_any("data/root/foo/baz").unwrap();
        let place = ArrayPlace { prefix, grid_shape: grid_shape.to_vec(), separator };
        Keys::new(place, chunks_per_shard.to_vec())
    }

    fn key(text: &str) -> StoreKey {
        StoreKey::parse(text).unwrap()
    }

    /// The text's own example: grid positions 96, 18 to 127, 19 are in shard 3, 9.
    #[test]
    fn keys_are_converted_as_in_the_specification() {
        for (separator, character) in [(Separator::Slash, '/'), (Separator::Dot, '.')] {
            let keys = keys(separator, &[1000, 1000], &[32, 2]).unwrap();
            let shard = key(&format!("data/root/foo/baz/c3{character}9"));
            for (row, column, linear) in [(96, 18, 0), (96, 19, 1), (97, 18, 2), (127, 19, 63)] {
                let chunk = key(&format!("data/root/foo/baz/c{row}{character}{column}"));
                assert_eq!(keys.chunk(&chunk), Some(ChunkPlace { shard: shard.clone(), linear }));
                assert_eq!(keys.chunk_key(&shard, linear), Some(chunk));
            }
            assert_eq!(keys.count(), 64);
        }
    }

    #[test]
    fn the_shard_of_a_scalar_has_the_key_of_its_chunk() {
        let keys = keys(Separator::Slash, &[], &[]).unwrap();
        for name in ["data/root/foo/baz/c", "data/root/foo/baz/c0"] {
            let place = ChunkPlace { shard: key(name), linear: 0 };
            assert_eq!(keys.chunk(&key(name)), Some(place));
            assert_eq!(keys.chunk_key(&key(name), 0), Some(key(name)));
        }
        assert_eq!(keys.chunk(&key("data/root/foo/baz/c1")), None);
    }

    #[test]
    fn other_keys_are_not_chunk_keys() {
        let keys = keys(Separator::Slash, &[10, 10], &[2, 2]).unwrap();
        for name in
            ["c1", "c1/2/3", "c01/2", "c1/+2", "c1.2", "1/2", "c/1/2", "c1/", "c18446744073709551616/0"]
        {
            let Ok(key) = StoreKey::parse(&format!("data/root/foo/baz/{name}")) else { continue };
            assert_eq!(keys.chunk(&key), None, "{name}");
        }
        for other in
            ["zarr.json", "meta/root/foo/baz.array.json", "data/root/foo/bazz/c0/0", "data/root/foo/c0/0"]
        {
            assert_eq!(keys.chunk(&key(other)), None, "{other}");
        }
    }

    #[test]
    fn prefixes_are_classified() {
        let slash = keys(Separator::Slash, &[100, 100], &[32, 2]).unwrap();
        let path = |text: &str| NodePath::parse_any(text).unwrap();
        for above in ["", "data", "data/root/foo"] {
            assert_eq!(slash.prefix(&path(above)), PrefixMeaning::Above, "{above}");
        }
        assert_eq!(slash.prefix(&path("data/root/foo/baz")), PrefixMeaning::Array);
        assert_eq!(slash.prefix(&path("data/root/foo/baz/c96")), PrefixMeaning::Grid(vec![96]));
        for elsewhere in ["meta", "data/root/fo", "data/root/foo/baz/c96/18", "data/root/foo/baz/c096"] {
            assert_eq!(slash.prefix(&path(elsewhere)), PrefixMeaning::Elsewhere, "{elsewhere}");
        }
        let dot = keys(Separator::Dot, &[100, 100], &[32, 2]).unwrap();
        assert_eq!(dot.prefix(&path("data/root/foo/baz/c96")), PrefixMeaning::Elsewhere);
        assert_eq!(slash.shard_prefix(&[96]), path("data/root/foo/baz/c3"));
    }

    #[test]
    fn invalid_shard_shapes_are_rejected() {
        for (grid, per_shard) in [(&[4, 4][..], &[2][..]), (&[4, 4], &[2, 0]), (&[], &[1])] {
            assert_eq!(keys(Separator::Slash, grid, per_shard).err().unwrap().kind(), ErrorKind::Format);
        }
        for per_shard in [&[1 << 13, 1 << 13][..], &[u64::MAX, u64::MAX]] {
            assert_eq!(keys(Separator::Slash, &[4, 4], per_shard).err().unwrap().kind(), ErrorKind::Limit);
        }
    }

    #[test]
    fn indices_beyond_64_bits_are_not_chunks() {
        let keys = keys(Separator::Slash, &[4, 4], &[3, 2]).unwrap();
        assert_eq!(keys.chunk_key(&key("data/root/foo/baz/c18446744073709551615/0"), 0), None);
    }
}
