//! Sorting, and maps in the order of their keys, with little code in the wasm.
//!
//! The compiler makes the standard library's sort and `BTreeMap` anew for each type: four and ten
//! kilobytes a type, which every reader downloads. Here one body serves all types: the sort orders
//! positions, and the map keeps its keys as bytes.
//!
//! The engine's wasm is 396 042 bytes gzip with this file, and 425 098 bytes (7.3 % more) with
//! `slice::sort_by` and `BTreeMap` in its place. Both were measured with `scripts/wasm.mjs` in the
//! release profile.
//!
//! Use it where few items are sorted or looked up. Loops over elements should not use it.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

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
        let mut place = start;
        loop {
            let from = std::mem::replace(&mut order[place], place);
            if from == start {
                break;
            }
            items.swap(place, from);
            place = from;
        }
    }
}

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

/// The slot of each key. All maps share this code.
#[derive(Clone, Debug, Default)]
struct Index {
    slots: BTreeMap<Vec<u8>, usize>,
    free: Vec<usize>,
}

impl Index {
    const fn new() -> Self {
        Self { slots: BTreeMap::new(), free: Vec::new() }
    }

    #[inline(never)]
    fn find(&self, key: &[u8]) -> Option<usize> {
        self.slots.get(key).copied()
    }

    /// Takes a slot for a new key. The map has `len` slots.
    #[inline(never)]
    fn add(&mut self, key: Vec<u8>, len: usize) -> usize {
        let slot = self.free.pop().unwrap_or(len);
        self.slots.insert(key, slot);
        slot
    }

    #[inline(never)]
    fn remove(&mut self, key: &[u8]) -> Option<usize> {
        let slot = self.slots.remove(key)?;
        self.free.push(slot);
        Some(slot)
    }

    #[inline(never)]
    fn in_order(&self) -> Vec<usize> {
        self.slots.values().copied().collect()
    }

    #[inline(never)]
    fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
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
        self.index.slots.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.index.slots.is_empty()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.index.clear();
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
        let bytes = bytes_of(&key);
        if let Some(slot) = self.index.find(&bytes) {
            return self.entries.get_mut(slot)?.replace((key, value)).map(|(_, before)| before);
        }
        let slot = self.index.add(bytes, self.entries.len());
        match self.entries.get_mut(slot) {
            Some(entry) => *entry = Some((key, value)),
            None => self.entries.push(Some((key, value))),
        }
        None
    }

    /// Removes a key. Returns its value.
    pub fn remove<Q: Key + ?Sized>(&mut self, key: &Q) -> Option<V> {
        let slot = self.index.remove(&bytes_of(key))?;
        self.entries.get_mut(slot)?.take().map(|(_, value)| value)
    }

    /// Removes the first entry and returns it.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        let (bytes, slot) = self.index.slots.pop_first()?;
        drop(bytes);
        self.index.free.push(slot);
        self.entries.get_mut(slot)?.take()
    }

    /// The value of a key. `make` makes it if the key has none.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let bytes = bytes_of(&key);
        let slot = match self.index.find(&bytes) {
            Some(slot) => slot,
            None => {
                let slot = self.index.add(bytes, self.entries.len());
                if slot == self.entries.len() {
                    self.entries.push(None);
                }
                slot
            }
        };
        let (_, value) = self.entries[slot].get_or_insert_with(|| (key, make()));
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
