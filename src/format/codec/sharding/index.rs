//! The index of a shard: for each inner chunk, in C order, where it stands in the shard (offset,
//! length), or nothing.
//!
//! Offsets count from the start of the shard wherever the index stands. Empty chunks have 2^64 − 1
//! twice. Chunks may stand in any order, with gaps, and may share bytes, but not those of the
//! index: a shard that lost its first or last bytes has entries that reach into its index or past
//! its end. One such entry, and the whole index is refused: the others would read as other values.

use std::ops::Range;

use crate::error::{Error, Result, Stage};
use crate::format::codec::ArrayBytes;
use crate::format::codec::pipeline::{Elements, Pipeline, Scratch};
use crate::limits;

/// Which end of the shard the index stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexLocation {
    /// The first bytes.
    Start,
    /// The last bytes.
    End,
}

/// Where a shard's index stands and how it is encoded.
pub struct ShardIndexFormat {
    location: IndexLocation,
    pipeline: Pipeline,
    encoded_len: u64,
}

/// The decoded index of one shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardIndex {
    /// Offset and length of each inner chunk.
    entries: Vec<(u64, u64)>,
}

const EMPTY: u64 = u64::MAX;

impl ShardIndexFormat {
    /// From the bound chain of the index codecs.
    ///
    /// # Errors
    /// `Format` when the chain's encoded length varies, `Limit` for an index too large.
    pub fn new(location: IndexLocation, pipeline: Pipeline) -> Result<Self> {
        let encoded_len = pipeline.encoded_len().ok_or_else(|| {
            Error::format("the encoded length of a shard index must not vary").in_field("index_codecs")
        })?;
        limits::within(encoded_len, limits::SHARD_INDEX_BYTES, "shard index")?;
        Ok(Self { location, pipeline, encoded_len })
    }

    /// Which end it stands at.
    pub fn location(&self) -> IndexLocation {
        self.location
    }

    /// Bytes of the encoded index.
    pub fn encoded_len(&self) -> u64 {
        self.encoded_len
    }

    /// Decodes the index of a shard, whose length is checked against it where that is known.
    ///
    /// # Errors
    /// `Format` for a wrong length or checksum, and as [`ShardIndex::new`].
    pub fn decode(&self, encoded: &[u8], shard_len: Option<u64>) -> Result<ShardIndex> {
        let all: Vec<_> = self.pipeline.decoded().shape.iter().map(|extent| 0..*extent).collect();
        let mut scratch = Scratch::default();
        let decoded = self.pipeline.decode(encoded, &all, &mut scratch).map_err(|error| {
            let stage = error.context().stage.unwrap_or(Stage::Decode);
            error.in_stage(stage).in_field("shard index")
        })?;
        let Elements::Fixed(bytes) = decoded.elements else {
            return Err(Error::format("a shard index holds integers"));
        };
        // A transposed index (legal, never seen) has strides; read it through them.
        let count = self.pipeline.decoded().element_count()? / 2;
        let grid: Vec<u64> = self.pipeline.decoded().shape.iter().rev().skip(1).rev().copied().collect();
        let mut entries = Vec::new();
        limits::reserve(&mut entries, limits::to_usize(count, "shard index")?, "shard index")?;
        let last = decoded.strides.last().copied().unwrap_or(1);
        for linear in 0..count {
            let position = super::unravel(linear, &grid);
            let start = position
                .iter()
                .zip(&decoded.strides)
                .fold(0, |start, (at, stride)| start + usize::try_from(*at).unwrap_or(usize::MAX) * stride);
            entries.push((read_u64(bytes, start)?, read_u64(bytes, start + last)?));
        }
        ShardIndex::new(entries, &self.room(shard_len))
    }

    /// Which bytes of a shard the inner chunks may stand in.
    fn room(&self, shard_len: Option<u64>) -> Range<u64> {
        match self.location {
            IndexLocation::Start => self.encoded_len..shard_len.unwrap_or(u64::MAX),
            IndexLocation::End => 0..shard_len.map_or(u64::MAX, |len| len.saturating_sub(self.encoded_len)),
        }
    }

    /// Where the index stands in a shard of so many bytes.
    ///
    /// # Errors
    /// `Format` when the shard is shorter than its index.
    pub fn place_in(&self, shard_len: u64) -> Result<Range<u64>> {
        let behind = shard_len.checked_sub(self.encoded_len);
        let behind = behind.ok_or_else(|| too_short(self.encoded_len, shard_len))?;
        Ok(match self.location {
            IndexLocation::Start => 0..self.encoded_len,
            IndexLocation::End => behind..shard_len,
        })
    }

    /// Decodes the index of a shard whose bytes are all here.
    ///
    /// # Errors
    /// `Format` when the shard is shorter than its index, or as [`decode`](Self::decode).
    pub fn read_from(&self, shard: &[u8]) -> Result<ShardIndex> {
        let place = self.place_in(shard.len() as u64)?;
        let place =
            limits::to_usize(place.start, "shard index")?..limits::to_usize(place.end, "shard index")?;
        self.decode(shard.get(place).unwrap_or_default(), Some(shard.len() as u64))
    }

    /// A shard of these encoded inner chunks (C order; `None` where all is fill value), which stand
    /// in it in this order of their numbers.
    ///
    /// # Errors
    /// As the index codecs.
    pub fn assemble(
        &self,
        chunks: &[Option<impl AsRef<[u8]>>],
        order: impl IntoIterator<Item = usize>,
    ) -> Result<Vec<u8>> {
        let base = if self.location == IndexLocation::Start { self.encoded_len } else { 0 };
        let mut body = Vec::new();
        let mut index: Vec<u8> = EMPTY.to_le_bytes().repeat(chunks.len() * 2);
        for linear in order {
            let Some(Some(chunk)) = chunks.get(linear) else { continue };
            let chunk = chunk.as_ref();
            let (offset, len) = (base + body.len() as u64, chunk.len() as u64);
            if let Some(entry) = index.get_mut(linear * 16..(linear + 1) * 16) {
                entry[..8].copy_from_slice(&offset.to_le_bytes());
                entry[8..].copy_from_slice(&len.to_le_bytes());
            }
            body.extend_from_slice(chunk);
        }
        let index = self.pipeline.encode(ArrayBytes::Fixed(index))?;
        Ok(match self.location {
            IndexLocation::Start => [index, body].concat(),
            IndexLocation::End => [body, index].concat(),
        })
    }
}

impl ShardIndex {
    /// From offset and length of each inner chunk, as they were found; `room` is where chunks may
    /// stand in the shard.
    ///
    /// # Errors
    /// `Format` for an entry that overflows, is half empty, or leaves the room.
    pub fn new(entries: Vec<(u64, u64)>, room: &Range<u64>) -> Result<Self> {
        match entries.iter().position(|entry| !is_possible(*entry, room)) {
            None => Ok(Self { entries }),
            Some(linear) => Err(bad_entry(linear, entries.get(linear).copied().unwrap_or_default(), room)),
        }
    }

    /// Of a shard that has no chunks.
    pub fn of_nothing(count: usize) -> Self {
        Self { entries: vec![(EMPTY, EMPTY); count] }
    }

    /// Where inner chunk `linear` (C order) stands in the shard; `None` when it is all fill value.
    ///
    /// # Errors
    /// `Format` where the index has no such entry.
    pub fn get(&self, linear: usize) -> Result<Option<Range<u64>>> {
        match self.entries.get(linear).copied() {
            Some((EMPTY, EMPTY)) => Ok(None),
            Some((offset, len)) => Ok(Some(offset..offset.saturating_add(len))),
            None => Err(Error::format("a shard index has too few entries")
                .expected(format!("more than {linear}"))
                .actual(self.entries.len().to_string())),
        }
    }

    /// How many inner chunks there are entries for.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

fn read_u64(bytes: &[u8], element: usize) -> Result<u64> {
    let bytes = element.checked_mul(8).and_then(|start| bytes.get(start..)?.first_chunk::<8>());
    bytes.map(|bytes| u64::from_le_bytes(*bytes)).ok_or_else(|| too_short(8, 0))
}

fn too_short(expected: u64, actual: u64) -> Error {
    Error::format("shard is shorter than its index")
        .in_stage(Stage::Decode)
        .in_codec("sharding_indexed")
        .in_field("shard index")
        .expected(format!("at least {expected} bytes"))
        .actual(format!("{actual} bytes"))
}

/// Whether an entry names nothing, or bytes of the room. What has no bytes may stand anywhere in
/// the shard, whatever its offset.
fn is_possible((offset, len): (u64, u64), room: &Range<u64>) -> bool {
    match (offset, len) {
        (EMPTY, EMPTY) => true,
        (EMPTY, _) | (_, EMPTY) => false,
        (_, 0) => true,
        _ => room.start <= offset && offset.checked_add(len).is_some_and(|end| end <= room.end),
    }
}

fn bad_entry(linear: usize, (offset, len): (u64, u64), room: &Range<u64>) -> Error {
    let message = "lies in the index or past the end of the shard, which may have lost bytes";
    Error::format(format!("entry {linear} of a shard index {message}"))
        .in_stage(Stage::Decode)
        .in_codec("sharding_indexed")
        .in_field("shard index")
        .expected(match room.end {
            u64::MAX => format!("a range of 64 bits from byte {} on, or 2^64 - 1 twice", room.start),
            end => format!("a range within bytes {} to {end}, or 2^64 - 1 twice", room.start),
        })
        .actual(format!("offset {offset}, length {len}"))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Whether an index with this entry between two good ones is taken.
    fn takes(entry: (u64, u64), room: &Range<u64>) -> bool {
        let index = ShardIndex::new(vec![(20, 4), entry, (EMPTY, EMPTY)], room);
        if let Err(error) = &index {
            let error = error.to_string();
            assert!(error.contains("entry 1 of a shard index") && error.contains("offset"), "{error}");
        }
        index.is_ok()
    }

    #[test]
    fn one_entry_that_cannot_be_refuses_the_index() {
        for bad in [(EMPTY, 4), (4, EMPTY), (EMPTY - 1, 4)] {
            assert!(!takes(bad, &(0..100)) && !takes(bad, &(0..u64::MAX)), "{bad:?}");
        }
        // At the end, of a shard whose index begins at byte 100; and at the start, of 16 bytes.
        assert!(takes((90, 10), &(0..100)) && !takes((90, 11), &(0..100)) && !takes((100, 1), &(0..100)));
        assert!(takes((16, 84), &(16..100)) && !takes((15, 4), &(16..100)) && !takes((0, 100), &(16..100)));
        assert!(takes((16, 1000), &(16..u64::MAX)) && !takes((15, 4), &(16..u64::MAX)));
    }

    #[test]
    fn chunks_may_share_bytes_and_have_none() {
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
        assert_eq!(ShardIndex::of_nothing(2).get(1).unwrap(), None);
    }
}
