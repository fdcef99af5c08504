//! The index of a shard: offset and length of each inner chunk, in C order.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/index.html>
//!
//! Offsets count from the start of the shard, also when the index is at the start. An empty chunk
//! has offset and length 2^64 − 1. Inner chunks may be in any order, with gaps, and may share
//! bytes, but not bytes of the index. A shard that lost its first or last bytes has entries that
//! overlap the index or exceed the shard. One such entry makes the whole index invalid, because all
//! other offsets are wrong too.

use std::ops::Range;

use crate::error::{Error, Result, Stage};
use crate::format::byte_range::ByteRange;
use crate::format::codec::ArrayBytes;
use crate::format::codec::pipeline::Pipeline;
use crate::limits;

/// The end of the shard that has the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexLocation {
    /// The index is the first bytes of the shard.
    Start,
    /// The index is the last bytes of the shard.
    End,
}

/// The position and the codecs of a shard's index.
pub struct ShardIndexFormat {
    location: IndexLocation,
    pipeline: Pipeline,
    encoded_len: u64,
}

/// The decoded index of one shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardIndex {
    /// Offset and length of each inner chunk; both are [`EMPTY`] for an empty one.
    entries: Vec<(u64, u64)>,
}

const EMPTY: u64 = u64::MAX;

impl ShardIndexFormat {
    /// Makes the format from the bound chain of the index codecs.
    ///
    /// # Errors
    /// `Format` when the chain's encoded length varies, `Limit` for an index that is too large.
    pub fn new(location: IndexLocation, pipeline: Pipeline) -> Result<Self> {
        let encoded_len = pipeline.encoded_len().ok_or_else(|| {
            Error::format("the index codecs must encode to a fixed length").in_field("index_codecs")
        })?;
        limits::within(encoded_len, limits::SHARD_INDEX_BYTES, "shard index")?;
        Ok(Self { location, pipeline, encoded_len })
    }

    /// The end of the shard that has the index.
    pub fn location(&self) -> IndexLocation {
        self.location
    }

    /// The length of the encoded index in bytes.
    pub fn encoded_len(&self) -> u64 {
        self.encoded_len
    }

    /// Where the index is in a stored shard, or in the stored bytes that are a nested shard.
    pub fn range_in(&self, nested: Option<&Range<u64>>) -> ByteRange {
        let len = self.encoded_len;
        match (self.location, nested) {
            (IndexLocation::Start, None) => ByteRange::from(0..len),
            (IndexLocation::End, None) => ByteRange::Last(len),
            (IndexLocation::Start, Some(bytes)) => {
                ByteRange::from(bytes.start..bytes.end.min(bytes.start.saturating_add(len)))
            }
            (IndexLocation::End, Some(bytes)) => {
                ByteRange::from(bytes.start.max(bytes.end.saturating_sub(len))..bytes.end)
            }
        }
    }

    /// Decodes the index of a shard, and checks it against the shard's length if that is known.
    ///
    /// # Errors
    /// `Format` for a wrong length or checksum, and as [`ShardIndex::new`].
    pub fn decode(&self, encoded: &[u8], shard_len: Option<u64>) -> Result<ShardIndex> {
        let decoded = self.pipeline.decode_all(encoded).and_then(ArrayBytes::into_fixed);
        let decoded = decoded.map_err(|error| {
            let stage = error.context().stage.unwrap_or(Stage::Decode);
            error.in_stage(stage).in_field("shard index")
        })?;
        let numbers = decoded.as_chunks().0.as_chunks::<2>().0;
        let mut entries = Vec::new();
        limits::reserve(&mut entries, numbers.len(), "shard index")?;
        let number = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
        entries.extend(numbers.iter().map(|[offset, len]| (number(offset), number(len))));
        ShardIndex::new(entries, &self.allowed_bytes(shard_len))
    }

    /// The bytes of a shard that inner chunks may occupy.
    fn allowed_bytes(&self, shard_len: Option<u64>) -> Range<u64> {
        match self.location {
            IndexLocation::Start => self.encoded_len..shard_len.unwrap_or(u64::MAX),
            IndexLocation::End => 0..shard_len.map_or(u64::MAX, |len| len.saturating_sub(self.encoded_len)),
        }
    }

    /// The byte range of the index in a shard of `shard_len` bytes.
    ///
    /// # Errors
    /// `Format` when the shard is shorter than its index.
    pub fn byte_range_in(&self, shard_len: u64) -> Result<Range<u64>> {
        let index_start = shard_len.checked_sub(self.encoded_len);
        let index_start = index_start.ok_or_else(|| too_short(self.encoded_len, shard_len))?;
        Ok(match self.location {
            IndexLocation::Start => 0..self.encoded_len,
            IndexLocation::End => index_start..shard_len,
        })
    }

    /// Decodes the index of a whole shard.
    ///
    /// # Errors
    /// `Format` when the shard is shorter than its index, or as [`decode`](Self::decode).
    pub fn read_from(&self, shard: &[u8]) -> Result<ShardIndex> {
        let range = self.byte_range_in(shard.len() as u64)?;
        let range =
            limits::to_usize(range.start, "shard index")?..limits::to_usize(range.end, "shard index")?;
        self.decode(shard.get(range).unwrap_or_default(), Some(shard.len() as u64))
    }

    /// Builds a shard from encoded inner chunks in C order; `None` for a chunk of fill values.
    /// `order` lists the numbers of the chunks in the order of their bytes.
    ///
    /// # Errors
    /// The errors of the index codecs.
    pub fn assemble(
        &self,
        chunks: &[Option<impl AsRef<[u8]>>],
        order: impl IntoIterator<Item = usize>,
    ) -> Result<Vec<u8>> {
        let base = if self.location == IndexLocation::Start { self.encoded_len } else { 0 };
        let mut body = Vec::new();
        let mut entries = vec![[EMPTY; 2]; chunks.len()];
        for linear in order {
            let Some(Some(chunk)) = chunks.get(linear) else { continue };
            let chunk = chunk.as_ref();
            if let Some(entry) = entries.get_mut(linear) {
                *entry = [base.saturating_add(body.len() as u64), chunk.len() as u64];
            }
            body.extend_from_slice(chunk);
        }
        let index = entries.as_flattened().iter().flat_map(|number| number.to_le_bytes()).collect();
        let index = self.pipeline.encode(ArrayBytes::Fixed(index))?;
        Ok(match self.location {
            IndexLocation::Start => [index, body].concat(),
            IndexLocation::End => [body, index].concat(),
        })
    }
}

impl ShardIndex {
    /// Checks offset and length of each inner chunk. `allowed` are the bytes that inner chunks may
    /// occupy.
    ///
    /// # Errors
    /// `Format` for an entry that overflows, is half empty, or exceeds `allowed`.
    pub fn new(entries: Vec<(u64, u64)>, allowed: &Range<u64>) -> Result<Self> {
        match entries.iter().position(|entry| !is_possible(*entry, allowed)) {
            None => Ok(Self { entries }),
            Some(linear) => Err(bad_entry(linear, entries.get(linear).copied().unwrap_or_default(), allowed)),
        }
    }

    /// The byte range of inner chunk `linear` (C order) in the shard; `None` for an empty chunk.
    ///
    /// # Errors
    /// `Format` when the index has no such entry.
    pub fn get(&self, linear: usize) -> Result<Option<Range<u64>>> {
        match self.entries.get(linear).copied() {
            Some((EMPTY, EMPTY)) => Ok(None),
            Some((offset, len)) => Ok(Some(offset..offset.saturating_add(len))),
            None => Err(Error::format("the shard index has too few entries")
                .expected(format!("more than {linear}"))
                .actual(self.entries.len().to_string())),
        }
    }

    /// The number of entries, one for each inner chunk.
    #[allow(clippy::len_without_is_empty, reason = "nothing asks whether it is empty")]
    pub fn len(&self) -> usize {
        self.entries.len()
    }
}

fn too_short(expected: u64, actual: u64) -> Error {
    Error::format("the shard is shorter than its index")
        .in_stage(Stage::Decode)
        .in_codec("sharding_indexed")
        .in_field("shard index")
        .expected(format!("at least {expected} bytes"))
        .actual(format!("{actual} bytes"))
}

/// Whether an entry is empty or within the allowed bytes. A chunk of length 0 may have any offset.
fn is_possible((offset, len): (u64, u64), allowed: &Range<u64>) -> bool {
    match (offset, len) {
        (EMPTY, EMPTY) => true,
        (EMPTY, _) | (_, EMPTY) => false,
        (_, 0) => true,
        _ => allowed.start <= offset && offset.checked_add(len).is_some_and(|end| end <= allowed.end),
    }
}

fn bad_entry(linear: usize, (offset, len): (u64, u64), allowed: &Range<u64>) -> Error {
    let message = "overlaps the index or exceeds the shard; the shard may have lost bytes";
    Error::format(format!("entry {linear} of a shard index {message}"))
        .in_stage(Stage::Decode)
        .in_codec("sharding_indexed")
        .in_field("shard index")
        .expected(match allowed.end {
            u64::MAX => format!("a range of 64 bits from byte {} on, or 2^64 - 1 twice", allowed.start),
            end => format!("a range within bytes {} to {end}, or 2^64 - 1 twice", allowed.start),
        })
        .actual(format!("offset {offset}, length {len}"))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Whether an index is valid that has this entry between two valid ones.
    fn takes(entry: (u64, u64), allowed: &Range<u64>) -> bool {
        let index = ShardIndex::new(vec![(20, 4), entry, (EMPTY, EMPTY)], allowed);
        if let Err(error) = &index {
            let error = error.to_string();
            assert!(error.contains("entry 1 of a shard index") && error.contains("offset"), "{error}");
        }
        index.is_ok()
    }

    #[test]
    fn one_invalid_entry_makes_the_index_invalid() {
        for bad in [(EMPTY, 4), (4, EMPTY), (EMPTY - 1, 4)] {
            assert!(!takes(bad, &(0..100)) && !takes(bad, &(0..u64::MAX)), "{bad:?}");
        }
        // The index begins at byte 100, then it is the first 16 bytes.
        assert!(takes((90, 10), &(0..100)) && !takes((90, 11), &(0..100)) && !takes((100, 1), &(0..100)));
        assert!(takes((16, 84), &(16..100)) && !takes((15, 4), &(16..100)) && !takes((0, 100), &(16..100)));
        assert!(takes((16, 1000), &(16..u64::MAX)) && !takes((15, 4), &(16..u64::MAX)));
    }

    #[test]
    fn chunks_may_share_bytes_and_may_be_of_length_zero() {
        for legal in [(20, 4), (22, 4), (0, 0), (100, 0), (EMPTY - 1, 0)] {
            assert!(takes(legal, &(16..100)), "{legal:?}");
        }
    }

    #[test]
    fn entries_are_found_by_their_number() {
        let index = ShardIndex::new(vec![(0, 4), (EMPTY, EMPTY), (90, 0)], &(0..100)).unwrap();
        assert_eq!(index.get(0).unwrap(), Some(0..4));
        assert_eq!(index.get(1).unwrap(), None);
        assert_eq!(index.get(2).unwrap(), Some(90..90));
        assert!(index.get(3).is_err());
    }
}
