//! Maps in the order of their keys with little code in the wasm, and the sort of [`kernel::sort`].
//!
//! The compiler makes `BTreeMap` anew for each type: ten kilobytes a type, which every reader
//! downloads. Here one body serves all types, because the map keeps its keys as bytes.
//!
//! Use it where few items are looked up. Loops over elements should not use it.
//!
//! [`kernel::sort`]: crate::kernel::sort

pub use crate::kernel::sort::{sort, sort_by, sort_by_key};
use std::rc::Rc;

/// A key of a [`Map`]. Its bytes have the same order as the keys.
pub trait Key {
    /// Appends the bytes.
    fn put(&self, bytes: &mut Vec<u8>);
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl Key for $integer {
            fn put(&self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_be_bytes());
            }
        }
    )*};
}
integers!(u8, u32, u64, usize);

/// All lists of one map have the same length.
impl Key for [u64] {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|part| part.put(bytes));
    }
}

/// All lists of one map have the same length, or begin with their length.
impl Key for [u32] {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|part| part.put(bytes));
    }
}

impl Key for Vec<u64> {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.as_slice().put(bytes);
    }
}

impl<T: Key + ?Sized> Key for Rc<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        (**self).put(bytes);
    }
}

impl Key for str {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.as_bytes());
    }
}

impl Key for String {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.as_str().put(bytes);
    }
}

impl<A: Key, B: Key> Key for (A, B) {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.0.put(bytes);
        self.1.put(bytes);
    }
}

impl<A: Key, B: Key, C: Key> Key for (A, B, C) {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.0.put(bytes);
        self.1.put(bytes);
        self.2.put(bytes);
    }
}

fn bytes_of<K: Key + ?Sized>(key: &K) -> Vec<u8> {
    let mut bytes = Vec::new();
    key.put(&mut bytes);
    bytes
}

/// A key's bytes and the slot of its entry.
type IndexEntry = (Vec<u8>, usize);

/// Blocks with more entries are halved: inserting moves no more than these.
const MAX_ENTRIES: usize = 256;

/// The slot of each key. All maps share this code.
#[derive(Clone, Debug, Default)]
struct Index {
    /// In the order of the keys, in blocks, none of which is empty.
    blocks: Vec<Vec<IndexEntry>>,
    free: Vec<usize>,
    len: usize,
}

impl Index {
    const fn new() -> Self {
        Self { blocks: Vec::new(), free: Vec::new(), len: 0 }
    }

    /// The block that has a key or to which it would be added, and the index in it.
    #[inline(never)]
    fn locate(&self, key: &[u8]) -> (usize, Result<usize, usize>) {
        let begins_before =
            |block: &Vec<IndexEntry>| block.first().is_some_and(|(first, _)| first.as_slice() <= key);
        let block = self.blocks.partition_point(begins_before).saturating_sub(1);
        let entries = self.blocks.get(block).map_or(&[][..], Vec::as_slice);
        (block, entries.binary_search_by(|(other, _)| other.as_slice().cmp(key)))
    }

    fn find(&self, key: &[u8]) -> Option<usize> {
        let (block, at) = self.locate(key);
        let at = at.ok()?;
        Some(self.blocks[block][at].1)
    }

    /// The slot of a key, or a free one for a new key. The map has `len` slots, and the next is
    /// free.
    #[inline(never)]
    fn slot(&mut self, key: Vec<u8>, len: usize) -> usize {
        let (block, at) = self.locate(&key);
        let at = match at {
            Ok(at) => return self.blocks[block][at].1,
            Err(at) => at,
        };
        let slot = self.free.pop().unwrap_or(len);
        if self.blocks.is_empty() {
            self.blocks.push(Vec::new());
        }
        let entries = &mut self.blocks[block];
        entries.insert(at, (key, slot));
        if entries.len() > MAX_ENTRIES {
            let second = entries.split_off(MAX_ENTRIES / 2);
            self.blocks.insert(block + 1, second);
        }
        self.len += 1;
        slot
    }

    fn remove(&mut self, key: &[u8]) -> Option<usize> {
        let (block, at) = self.locate(key);
        Some(self.take(block, at.ok()?))
    }

    fn pop_first(&mut self) -> Option<usize> {
        (self.len > 0).then(|| self.take(0, 0))
    }

    #[inline(never)]
    fn take(&mut self, block: usize, at: usize) -> usize {
        let (_, slot) = self.blocks[block].remove(at);
        if self.blocks[block].is_empty() {
            self.blocks.remove(block);
        }
        self.free.push(slot);
        self.len -= 1;
        slot
    }

    #[inline(never)]
    fn in_order(&self) -> Vec<usize> {
        let mut slots = Vec::with_capacity(self.len);
        for block in &self.blocks {
            for (_, slot) in block {
                slots.push(*slot);
            }
        }
        slots
    }
}

/// A map in the order of its keys.
#[derive(Clone, Debug)]
pub struct Map<K, V> {
    index: Index,
    entries: Vec<Option<(K, V)>>,
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> Map<K, V> {
    /// An empty map.
    pub const fn new() -> Self {
        Self { index: Index::new(), entries: Vec::new() }
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// The values, mutable, in any order.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().flatten().map(|(_, value)| value)
    }

    /// The entries, in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.index.in_order().into_iter().filter_map(|slot| {
            let (key, value) = self.entries.get(slot)?.as_ref()?;
            Some((key, value))
        })
    }

    /// All entries, in the order of their keys.
    pub fn into_entries(mut self) -> impl Iterator<Item = (K, V)> {
        self.index.in_order().into_iter().filter_map(move |slot| self.entries.get_mut(slot)?.take())
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.index.len
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.index.len == 0
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.index = Index::new();
        self.entries.clear();
    }
}

impl<K: Key, V> Map<K, V> {
    /// The value of a key.
    pub fn get<Q: Key + ?Sized>(&self, key: &Q) -> Option<&V> {
        let slot = self.index.find(&bytes_of(key))?;
        self.entries.get(slot)?.as_ref().map(|(_, value)| value)
    }

    /// The value of a key, mutable.
    pub fn get_mut<Q: Key + ?Sized>(&mut self, key: &Q) -> Option<&mut V> {
        let slot = self.index.find(&bytes_of(key))?;
        self.entries.get_mut(slot)?.as_mut().map(|(_, value)| value)
    }

    /// Whether the key has a value.
    pub fn contains_key<Q: Key + ?Sized>(&self, key: &Q) -> bool {
        self.index.find(&bytes_of(key)).is_some()
    }

    /// Sets the value of a key. Returns the previous value.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.entry(&key).replace((key, value)).map(|(_, before)| before)
    }

    fn entry(&mut self, key: &K) -> &mut Option<(K, V)> {
        let slot = self.index.slot(bytes_of(key), self.entries.len());
        if slot == self.entries.len() {
            self.entries.push(None);
        }
        &mut self.entries[slot]
    }

    /// Removes a key. Returns its value.
    pub fn remove<Q: Key + ?Sized>(&mut self, key: &Q) -> Option<V> {
        let slot = self.index.remove(&bytes_of(key))?;
        self.entries.get_mut(slot)?.take().map(|(_, value)| value)
    }

    /// Removes the first entry and returns it.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        let slot = self.index.pop_first()?;
        self.entries.get_mut(slot)?.take()
    }

    /// The value of a key. `make` makes it if the key has none.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let (_, value) = self.entry(&key).get_or_insert_with(|| (key, make()));
        value
    }

    /// Keeps the entries for which a function returns true.
    pub fn retain(&mut self, keep: impl Fn(&K, &mut V) -> bool) {
        for entry in &mut self.entries {
            if let Some((key, value)) = entry
                && !keep(key, value)
            {
                self.index.remove(&bytes_of(key));
                *entry = None;
            }
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    proptest::proptest! {
        #[test]
        fn a_map_behaves_as_that_of_the_standard_library(
            steps in proptest::collection::vec((0_u8..4, 0_u64..8, 0_u32..9), 0..200),
        ) {
            let (mut ours, mut theirs) = (Map::<u64, u32>::new(), BTreeMap::<u64, u32>::new());
            for (what, key, value) in steps {
                match what {
                    0 => assert_eq!(ours.insert(key, value), theirs.insert(key, value)),
                    1 => assert_eq!(ours.remove(&key), theirs.remove(&key)),
                    2 => assert_eq!(ours.pop_first(), theirs.pop_first()),
                    _ => assert_eq!(ours.get_or_insert_with(key, || value), theirs.entry(key).or_insert(value)),
                }
                assert_eq!(ours.get(&key), theirs.get(&key));
                assert!(ours.iter().eq(theirs.iter()));
            }
            ours.retain(|key, _| key % 2 == 0);
            theirs.retain(|key, _| key % 2 == 0);
            assert!(ours.into_entries().eq(theirs));
        }
    }

    #[test]
    fn many_keys_are_added_and_removed_in_any_order() {
        let mut map = Map::new();
        // A permutation: 7919 has no common divisor with the length.
        let keys: Vec<u64> = (0..100_000).map(|at| at * 7919 % 100_000).collect();
        for key in &keys {
            assert_eq!(map.insert(*key, key + 1), None);
        }
        assert!(map.iter().map(|(key, value)| (*key, *value)).eq((0..100_000).map(|key| (key, key + 1))));
        for key in keys.iter().filter(|key| *key % 3 > 0) {
            assert_eq!(map.remove(key), Some(key + 1));
        }
        assert!(map.iter().map(|(key, _)| *key).eq((0..100_000).step_by(3)));
        assert_eq!(std::iter::from_fn(|| map.pop_first()).count(), 33_334);
        assert!(map.is_empty());
    }

    #[test]
    fn lists_are_in_their_own_order() {
        let mut map = Map::new();
        for key in [vec![1, 300], vec![1, 2], vec![0, u64::MAX]] {
            map.insert(key, ());
        }
        let keys: Vec<_> = map.iter().map(|(key, ())| key.clone()).collect();
        assert_eq!(keys, [vec![0, u64::MAX], vec![1, 2], vec![1, 300]]);
        assert!(map.contains_key(&[1_u64, 2][..]));
    }
}
