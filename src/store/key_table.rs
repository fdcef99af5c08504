//! A compact table from keys to values, for stores whose keys come from one document: the directory
//! of an archive, or a reference document. It is filled once, then sorted and searched.

use super::Listing;
use crate::error::Result;
use crate::format::path::{NodePath, StoreKey};
use crate::limits;

/// A sorted table of keys with one value each.
#[derive(Debug)]
pub struct KeyTable<V> {
    /// All keys, concatenated.
    names: String,
    rows: Vec<Row<V>>,
}

/// Start and length of a key in `names`, and its value.
#[derive(Clone, Debug)]
struct Row<V> {
    start: u32,
    len: u32,
    value: V,
}

impl<V> Default for KeyTable<V> {
    fn default() -> Self {
        Self { names: String::new(), rows: Vec::new() }
    }
}

impl<V> KeyTable<V> {
    /// Adds a key. It is found only after [`sort`](Self::sort).
    ///
    /// # Errors
    /// `Argument` for an invalid key; `Limit` if all keys together exceed 4 GiB.
    pub fn push(&mut self, key: &str, value: V) -> Result<()> {
        StoreKey::parse(key)?;
        let key = key.strip_prefix('/').unwrap_or(key);
        let start = narrow(self.names.len())?;
        narrow(self.names.len().saturating_add(key.len()))?;
        self.make_room(key.len());
        self.names.push_str(key);
        self.rows.push(Row { start, len: narrow(key.len())?, value });
        Ok(())
    }

    /// Makes room for a key. A large table grows by a quarter: doubling it would take three times
    /// its memory while it is copied.
    fn make_room(&mut self, bytes: usize) {
        if self.names.capacity().saturating_sub(self.names.len()) < bytes {
            self.names.reserve_exact(bytes.max(self.names.len() / 4).max(64));
        }
        if self.rows.len() == self.rows.capacity() {
            self.rows.reserve_exact((self.rows.len() / 4).max(16));
        }
    }

    /// Sorts the keys. Of equal keys, the last one that was added stays.
    pub fn sort(&mut self) {
        let names = &self.names;
        // Keys lie in the order in which they were added. A stable sort would take half of the
        // table's memory once more.
        let order = |row: &Row<V>| row.start;
        self.rows.sort_unstable_by(|one, other| {
            text(names, one).cmp(text(names, other)).then(order(one).cmp(&order(other)))
        });
        self.rows.reverse();
        self.rows.dedup_by(|later, kept| text(names, later) == text(names, kept));
        self.rows.reverse();
        self.rows.shrink_to_fit();
        self.names.shrink_to_fit();
    }

    /// Number of keys.
    #[allow(clippy::len_without_is_empty, reason = "nothing asks whether it is empty")]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The value of a key.
    pub fn find(&self, key: &str) -> Option<&V> {
        let at = self.rows.binary_search_by(|row| text(&self.names, row).cmp(key)).ok()?;
        self.rows.get(at).map(|row| &row.value)
    }

    /// All keys and values, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.rows.iter().map(|row| (text(&self.names, row), &row.value))
    }

    /// All keys with a prefix of characters, sorted.
    pub fn keys_from<'a>(&'a self, beginning: &'a str) -> impl Iterator<Item = &'a str> {
        let from = self.rows.get(self.first_from(beginning)..).unwrap_or_default();
        from.iter().map(|row| text(&self.names, row)).take_while(move |key| key.starts_with(beginning))
    }

    /// The direct children of a prefix.
    ///
    /// # Errors
    /// None in practice: keys were checked when they were added.
    pub fn list_dir(&self, prefix: &NodePath) -> Result<Listing> {
        let (beginning, mut listing) = (below(prefix), Listing::default());
        let mut at = self.first_from(&beginning);
        while let Some(row) = self.rows.get(at) {
            let Some(rest) = text(&self.names, row).strip_prefix(&beginning) else { break };
            match rest.split_once('/') {
                None => {
                    listing.keys.push(StoreKey::parse(text(&self.names, row))?);
                    at = at.saturating_add(1);
                }
                Some((name, _)) => {
                    let child = format!("{beginning}{name}");
                    // `0` is the character after `/`, so this finds the first key that is not below
                    // the child.
                    at = self.first_from(&format!("{child}0"));
                    listing.prefixes.extend(NodePath::from_normal(&child));
                }
            }
        }
        Ok(listing)
    }

    /// All keys below a prefix.
    ///
    /// # Errors
    /// None in practice: keys were checked when they were added.
    pub fn list_prefix(&self, prefix: &NodePath) -> Result<Vec<StoreKey>> {
        self.keys_from(&below(prefix)).map(StoreKey::parse).collect()
    }

    fn first_from(&self, beginning: &str) -> usize {
        self.rows.partition_point(|row| text(&self.names, row) < beginning)
    }
}

fn text<'a, V>(names: &'a str, row: &Row<V>) -> &'a str {
    let name = names.get(row.start as usize..).and_then(|rest| rest.get(..row.len as usize));
    name.unwrap_or_default()
}

fn narrow(len: usize) -> Result<u32> {
    u32::try_from(len).map_err(|_| limits::exceeded("a table of keys", len as u64, u64::from(u32::MAX)))
}

/// The characters with which all keys below a prefix begin.
pub fn below(prefix: &NodePath) -> String {
    if prefix.is_root() { String::new() } else { format!("{prefix}/") }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_and_listed_and_the_last_of_equal_ones_counts() {
        let mut table = KeyTable::default();
        for (at, key) in ["b/c/1", "a.b/x", "/a", "b/zarr.json", "a/b", "a", "b/c/0", "ab"].iter().enumerate()
        {
            table.push(key, at).unwrap();
        }
        table.sort();
        assert_eq!(table.len(), 7);
        assert_eq!((table.find("a"), table.find("b/c/0"), table.find("b")), (Some(&5), Some(&6), None));
        let names = |listing: &Listing| {
            let keys: Vec<_> = listing.keys.iter().map(|key| key.as_str().to_owned()).collect();
            let prefixes: Vec<_> = listing.prefixes.iter().map(|path| path.as_str().to_owned()).collect();
            (keys.join(" "), prefixes.join(" "))
        };
        let list = |path: &str| names(&table.list_dir(&NodePath::parse_any(path).unwrap()).unwrap());
        assert_eq!(list(""), ("a ab".to_owned(), "a.b a b".to_owned()));
        assert_eq!(list("b"), ("b/zarr.json".to_owned(), "b/c".to_owned()));
        assert_eq!(list("c"), (String::new(), String::new()));
        let all = table.list_prefix(&NodePath::parse_any("b").unwrap()).unwrap();
        assert_eq!(all.iter().map(StoreKey::as_str).collect::<Vec<_>>(), ["b/c/0", "b/c/1", "b/zarr.json"]);
        assert!(table.push("a/../b", 0).is_err());
    }
}
