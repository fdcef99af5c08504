//! Partial values: reading or writing parts of the values of several keys in one call, and the
//! fallbacks for stores that know only whole values (v3 core, "Abstract store interface",
//! `get_partial_values` and `set_partial_values`).

use std::collections::HashMap;
use std::ops::Range;

use futures_util::future::try_join_all;

use super::{ByteRange, Fetched, RequestContext, Store, Subject, Value};
use crate::error::{Error, Result};
use crate::format::path::StoreKey;
use crate::limits;
use crate::store::byte_range::len_of;

/// A byte range of a key's value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyRange {
    /// The key.
    pub key: StoreKey,
    /// The range.
    pub range: ByteRange,
}

/// Bytes to write into a key's value.
#[derive(Clone, Debug)]
pub struct KeyStartValue {
    /// The key.
    pub key: StoreKey,
    /// Offset of the first byte.
    pub start: u64,
    /// The bytes.
    pub value: Value,
}

impl KeyStartValue {
    /// The range of the value that is written.
    ///
    /// # Errors
    /// `Argument` if it ends beyond 2^64.
    pub fn range(&self) -> Result<Range<u64>> {
        let end = self.start.checked_add(self.value.len()).ok_or_else(|| {
            Error::argument("a partial value ends beyond 2^64")
                .at_key(self.key.as_str())
                .at_range(self.start, self.value.len())
        })?;
        Ok(self.start..end)
    }
}

/// The positions of one key in a list.
pub struct OfKey<'a> {
    /// The key.
    pub key: &'a StoreKey,
    /// Positions in the list, ascending.
    pub places: Vec<usize>,
}

/// Groups a list of keys. The groups are in the order in which keys first occur.
pub fn by_key<'a>(keys: impl IntoIterator<Item = &'a StoreKey>) -> Vec<OfKey<'a>> {
    let mut groups: Vec<OfKey<'a>> = Vec::new();
    let mut found: HashMap<&StoreKey, usize> = HashMap::new();
    for (place, key) in keys.into_iter().enumerate() {
        let group = *found.entry(key).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.places.push(place),
            None => groups.push(OfKey { key, places: vec![place] }),
        }
    }
    groups
}

/// Rejects ranges of one key that overlap.
///
/// # Errors
/// `Argument`, with the key and the range.
pub fn check_overlaps(values: &[KeyStartValue]) -> Result<()> {
    for OfKey { key, places } in by_key(values.iter().map(|value| &value.key)) {
        let ranges = places.iter().filter_map(|place| values.get(*place)).map(KeyStartValue::range);
        let mut ranges = ranges.collect::<Result<Vec<_>>>()?;
        ranges.retain(|range| !range.is_empty());
        ranges.sort_by_key(|range| range.start);
        let mut pairs = ranges.iter().zip(ranges.iter().skip(1));
        if let Some((first, second)) = pairs.find(|(first, second)| first.end > second.start) {
            return Err(Error::argument("partial values of one key must not overlap")
                .at_key(key.as_str())
                .at_range(second.start, len_of(second))
                .expected(format!("a start of at least {}", first.end)));
        }
    }
    Ok(())
}

/// A copy of a value with bytes written into it. Zeros fill gaps.
///
/// # Errors
/// `Limit` if the value is too large.
pub fn patched<'a>(
    old: Option<&Value>,
    values: impl IntoIterator<Item = &'a KeyStartValue> + Clone,
) -> Result<Value> {
    let old_len = old.map_or(0, Value::len);
    let ends = values.clone().into_iter().map(|value| Ok(value.range()?.end));
    let len = ends.collect::<Result<Vec<_>>>()?.into_iter().fold(old_len, u64::max);
    let mut bytes = limits::zeroed(len, limits::CHUNK_BYTES, "a value with parts of it replaced")?;
    if let Some(old) = old {
        put(old, 0, &mut bytes)?;
    }
    for value in values {
        put(&value.value, value.start, &mut bytes)?;
    }
    Ok(bytes.into())
}

fn put(value: &Value, start: u64, bytes: &mut [u8]) -> Result<()> {
    let start = limits::to_usize(start, "a value")?;
    let end = start.checked_add(limits::to_usize(value.len(), "a value")?);
    match end.and_then(|end| bytes.get_mut(start..end)) {
        Some(room) => value.copy_to(0, room),
        None => Err(Error::limit("a partial value extends past the end of its value")),
    }
}

/// The fallback of `get_partial_values`: one `get_ranges` for each key, all at once.
pub(super) async fn get_key_by_key<S: Store + ?Sized>(
    store: &S,
    key_ranges: &[KeyRange],
    context: &RequestContext,
) -> Result<Vec<Option<Fetched>>> {
    let groups = by_key(key_ranges.iter().map(|key_range| &key_range.key));
    let read = |group: &OfKey<'_>| {
        let (key, places) = (group.key.clone(), group.places.clone());
        async move {
            let ranges: Vec<ByteRange> =
                places.iter().filter_map(|place| Some(key_ranges.get(*place)?.range)).collect();
            match ranges.as_slice() {
                [range] => Ok(vec![store.get(&key, *range, context).await?]),
                ranges => store.get_ranges(&key, ranges, context).await,
            }
        }
    };
    let answers = try_join_all(groups.iter().map(read)).await?;
    let mut output = vec![None; key_ranges.len()];
    for (group, answers) in groups.iter().zip(answers) {
        for (place, answer) in group.places.iter().zip(answers) {
            if let Some(output) = output.get_mut(*place) {
                *output = answer;
            }
        }
    }
    Ok(output)
}

/// The fallback of `set_partial_values`: reads, patches and sets each value.
pub(super) async fn set_by_rewriting<S: Store + ?Sized>(store: &S, values: &[KeyStartValue]) -> Result<()> {
    check_overlaps(values)?;
    // What is written must not be based on an answer from an HTTP cache.
    let context = RequestContext { subject: Subject::Update, reload: true, ..RequestContext::default() };
    for OfKey { key, places } in by_key(values.iter().map(|value| &value.key)) {
        let old = store.get(key, ByteRange::Whole, &context).await?;
        let values = places.iter().filter_map(|place| values.get(*place));
        let new = patched(old.as_ref().map(|old| &old.value), values);
        store.set(key, new.map_err(|error| error.at_key(key.as_str()))?).await?;
    }
    Ok(())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn write(key: &str, start: u64, bytes: &[u8]) -> KeyStartValue {
        KeyStartValue { key: StoreKey::parse(key).unwrap(), start, value: bytes.to_vec().into() }
    }

    #[test]
    fn overlaps_are_rejected_within_one_key_only() {
        check_overlaps(&[write("a", 4, b"xy"), write("b", 4, b"xy"), write("a", 0, b"xyzw")]).unwrap();
        check_overlaps(&[write("a", 4, b"xy"), write("a", 4, b"")]).unwrap();
        let error = check_overlaps(&[write("a", 4, b"xy"), write("a", 0, b"xyzwv")]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert_eq!((error.context().key.as_deref(), error.context().range), (Some("a"), Some((4, 2))));
        let error = check_overlaps(&[write("a", u64::MAX, b"xy")]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
    }

    #[test]
    fn patches_grow_a_value_and_zeros_fill_gaps() {
        let old = Value::from(b"abcd".to_vec());
        let bytes = |old, values: &[KeyStartValue]| patched(old, values).unwrap().to_vec(99, "test").unwrap();
        assert_eq!(bytes(Some(&old), &[write("k", 1, b"XY")]), b"aXYd");
        assert_eq!(bytes(Some(&old), &[write("k", 6, b"Z"), write("k", 0, b"0")]), b"0bcd\0\0Z");
        assert_eq!(bytes(None, &[]), b"");
        let error = patched(None, &[write("k", 1 << 60, b"x")]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
    }
}
