//! A compact table from keys to values, for stores whose keys come from one document: the directory
//! of an archive, or a reference document. It is filled once, then sorted and searched.

use super::Listing;
use crate::error::Result;
use crate::format::path::{NodePath, StoreKey};
use crate::limits;

/// A sorted table of keys with one value each.
#[derive(Debug)]
pub struct KeyTable<V> {
    /// A document that contains keys. It is empty until [`sort_in`](Self::sort_in).
    document: String,
    /// Number of its bytes.
    document_len: usize,
    /// All other keys, concatenated.
    names: String,
    rows: Vec<Row<V>>,
}

/// A key and its value. `start` counts from the beginning of the document; `names` follows it.
#[derive(Clone, Debug)]
struct Row<V> {
    start: u32,
    len: u32,
    value: V,
}

impl<V> Default for KeyTable<V> {
    fn default() -> Self {
        Self::in_document(0)
    }
}

impl<V> KeyTable<V> {
    /// A table for a document of this many bytes. It refers to keys in the document.
    pub fn in_document(bytes: usize) -> Self {
        Self { document: String::new(), document_len: bytes, names: String::new(), rows: Vec::new() }
    }

    /// Adds a key. It is found only after [`sort`](Self::sort).
    ///
    /// # Errors
    /// `Argument` for an invalid key; `Limit` if all keys together exceed 4 GiB.
    pub fn push(&mut self, key: &str, value: V) -> Result<()> {
        let key = StoreKey::check(key)?;
        let start = self.document_len.saturating_add(self.names.len());
        self.push_row(start, key.len(), value)?;
        append(&mut self.names, key);
        Ok(())
    }

    /// Adds a valid key that begins at a byte of the document.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_row(&mut self, start: usize, len: usize, value: V) -> Result<()> {
        narrow(start.saturating_add(len))?;
        if self.rows.len() == self.rows.capacity() {
            self.rows.reserve_exact((self.rows.len() / 4).max(16));
        }
        self.rows.push(Row { start: narrow(start)?, len: narrow(len)?, value });
        Ok(())
    }

    /// Sorts the keys. Of equal keys, the last one that was added stays.
    pub fn sort(&mut self) {
        self.sort_in(String::new());
    }

    /// Like [`sort`](Self::sort), and takes the document that contains the keys.
    pub fn sort_in(&mut self, document: String) {
        self.document = document;
        let key = |row: &Row<V>| text(&self.document, &self.names, row);
        // The sort is stable, so equal keys stay in the order in which they were added.
        self.rows.sort_by(|one, other| key(one).cmp(key(other)));
        self.rows.reverse();
        self.rows.dedup_by(|later, kept| key(later) == key(kept));
        self.rows.reverse();
        self.rows.shrink_to_fit();
        self.names.shrink_to_fit();
    }

    /// The document that contains the keys.
    pub fn document(&self) -> &str {
        &self.document
    }

    /// Number of keys.
    #[allow(clippy::len_without_is_empty, reason = "nothing asks whether it is empty")]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The value of a key.
    pub fn find(&self, key: &str) -> Option<&V> {
        let at = self.rows.binary_search_by(|row| self.key(row).cmp(key)).ok()?;
        self.rows.get(at).map(|row| &row.value)
    }

    /// All keys and values, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.rows.iter().map(|row| (self.key(row), &row.value))
    }

    /// All keys with a prefix of characters, sorted.
    pub fn keys_from<'a>(&'a self, beginning: &'a str) -> impl Iterator<Item = &'a str> {
        let from = self.rows.get(self.first_from(beginning)..).unwrap_or_default();
        from.iter().map(|row| self.key(row)).take_while(move |key| key.starts_with(beginning))
    }

    /// The direct children of a prefix.
    ///
    /// # Errors
    /// None in practice: keys were checked when they were added.
    pub fn list_dir(&self, prefix: &NodePath) -> Result<Listing> {
        let (beginning, mut listing) = (below(prefix), Listing::default());
        let mut at = self.first_from(&beginning);
        while let Some(row) = self.rows.get(at) {
            let Some(rest) = self.key(row).strip_prefix(&beginning) else { break };
            match rest.split_once('/') {
                None => {
                    listing.keys.push(StoreKey::parse(self.key(row))?);
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

    fn key<'a>(&'a self, row: &Row<V>) -> &'a str {
        text(&self.document, &self.names, row)
    }

    fn first_from(&self, beginning: &str) -> usize {
        self.rows.partition_point(|row| self.key(row) < beginning)
    }
}

/// Appends to a text that may be long. It grows by a quarter, and so do the rows of a table: what
/// doubles takes three times its memory while it is copied.
fn append(text: &mut String, more: &str) {
    if text.capacity().saturating_sub(text.len()) < more.len() {
        text.reserve_exact(more.len().max(text.len() / 4).max(64));
    }
    text.push_str(more);
}

fn text<'a, V>(document: &'a str, names: &'a str, row: &Row<V>) -> &'a str {
    let (start, len) = (row.start as usize, row.len as usize);
    let (held, start) = match start.checked_sub(document.len()) {
        None => (document, start),
        Some(start) => (names, start),
    };
    held.get(start..start.saturating_add(len)).unwrap_or_default()
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
