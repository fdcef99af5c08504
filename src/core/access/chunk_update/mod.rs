//! Changes a stored chunk: decodes what it has to, writes elements, encodes the chunk again. Runs
//! in every build that has encoders.
//!
//! A shard is divided by its index. Inner chunks without a write keep their encoded bytes. Nested
//! shards are changed in the same way. Afterwards, all elements outside the array are fill value. A
//! chunk that has only the fill value is not stored.

mod kept_chunks;
mod pending;
mod shard;
mod source;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::task::{Poll, ready};

pub use kept_chunks::KeptChunks;
pub use pending::PendingUpdate;
use shard::Shard;
use source::Source;

use crate::access::binding::{Binding, Chain};
use crate::access::instruction::{ChunkInstruction, ChunkProjection, ProjectedAxis, word};
use crate::access::level::Level;
use crate::access::part_buffer::{self, Strides};
use crate::access::write_plan::inside;
use crate::error::{Error, Result};
use crate::format::codec::ArrayBytes;
use crate::format::codec::element_buffer::ElementBuffer;
use crate::format::codec::pipeline::{Elements, Scratch};
use crate::format::codec::sharding::{ChunkOrder, in_order, is_fill};
use crate::format::codec::user::CodecCalls;
use crate::format::data_type::FillValue;
use crate::format::dimension_order::{c_strides, in_array_order};
use crate::limits;

/// The change of one stored chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkUpdate {
    /// Indices of the chunk in the array's chunk grid.
    pub chunk: Vec<u64>,
    /// The change.
    pub change: Change,
    /// Whether to store chunks that have only the fill value.
    pub keep_empty: bool,
    /// The order of inner chunks in a shard.
    pub order: ChunkOrder,
}

/// The kinds of change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Gives elements new values.
    Write {
        /// Which elements of the chunk take which of the new elements.
        projection: ChunkProjection,
        /// Whether there is one new element, which all take.
        broadcast: bool,
    },
    /// Elements outside the box of these extents become fill value: the array has become smaller.
    Clip(Vec<u64>),
}

/// The result of a change. `B` holds bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Updated<B = Vec<u8>> {
    /// The stored bytes stay as they are.
    Same,
    /// The chunk has only the fill value and need not be stored.
    Empty,
    /// The bytes to store.
    Bytes(B),
}

const KEEP_EMPTY: u32 = 1;
const BROADCAST: u32 = 2;
const CLIP: u32 = 4;
const ORDER_F: u32 = 8;
const ORDER_MORTON: u32 = 16;

impl ChunkUpdate {
    /// Serialises the change for an encoder that runs elsewhere.
    ///
    /// # Errors
    /// `Limit` for lists and extents of 2^32 or more.
    pub fn to_words(&self) -> Result<Vec<u32>> {
        let mut flags = if self.keep_empty { KEEP_EMPTY } else { 0 };
        flags |= match self.order {
            ChunkOrder::C => 0,
            ChunkOrder::F => ORDER_F,
            ChunkOrder::Morton => ORDER_MORTON,
        };
        let projection = match &self.change {
            Change::Write { projection, broadcast } => {
                flags |= if *broadcast { BROADCAST } else { 0 };
                projection.clone()
            }
            Change::Clip(extents) => {
                flags |= CLIP;
                ChunkProjection::Orthogonal(
                    extents.iter().map(|extent| whole(*extent)).collect::<Result<_>>()?,
                )
            }
        };
        let mut words = vec![flags];
        ChunkInstruction { level: 0, buffer: 0, bytes: 0..0, chunk: self.chunk.clone(), projection }
            .write(&mut words)?;
        Ok(words)
    }

    /// Parses the words of [`to_words`](Self::to_words).
    ///
    /// # Errors
    /// `Argument` when the words are not an update.
    pub fn from_words(words: &[u32]) -> Result<Self> {
        let malformed = || Error::argument("the update of a chunk is malformed");
        let (flags, rest) = words.split_first().ok_or_else(malformed)?;
        let instruction = ChunkInstruction::read_all(rest)?.pop().ok_or_else(malformed)?;
        let change = match instruction.projection {
            ChunkProjection::Orthogonal(axes) if flags & CLIP != 0 => {
                Change::Clip(axes.iter().map(ProjectedAxis::count).collect())
            }
            projection => Change::Write { projection, broadcast: flags & BROADCAST != 0 },
        };
        let order = match flags & (ORDER_F | ORDER_MORTON) {
            ORDER_F => ChunkOrder::F,
            ORDER_MORTON => ChunkOrder::Morton,
            _ => ChunkOrder::C,
        };
        Ok(Self { chunk: instruction.chunk, change, keep_empty: flags & KEEP_EMPTY != 0, order })
    }
}

/// The projection of a whole dimension onto itself.
fn whole(extent: u64) -> Result<ProjectedAxis> {
    Ok(ProjectedAxis::Range { first: 0, step: 1, count: word(extent)?, place: 0 })
}

/// Changes a stored chunk. Pending while user's codecs have not answered; it is then repeated with
/// the same `calls`.
///
/// `old` are the stored bytes, where there are some and the change needs them. `elements` are the
/// new elements: packed; or for elements of variable length `n + 1` offsets (32-bit,
/// little-endian), then the bytes; or the bytes of the one element that all take.
///
/// # Errors
/// `Format` for stored bytes that cannot be decoded. `Argument` for elements that do not fit the
/// selection. Otherwise as the encoders. The error's key is relative to the array.
pub fn apply(
    binding: &Rc<Binding>,
    update: &ChunkUpdate,
    old: Option<&[u8]>,
    elements: &[u8],
    calls: &mut CodecCalls,
) -> Poll<Result<Updated>> {
    let key = || binding.metadata().chunk_key_encoding.encode(&update.chunk);
    let chain = binding.chain_of(&update.chunk)?;
    let (written, broadcast) = match &update.change {
        Change::Write { projection, broadcast } => (Some(projection), *broadcast),
        Change::Clip(_) => (None, false),
    };
    let inside = match &update.change {
        Change::Clip(extents) => extents.clone(),
        Change::Write { .. } => inside(binding, &update.chunk),
    };
    let source = &Source::new(binding, written, broadcast, elements)?;
    let mut updater = Updater { binding, chain: &chain, source, update, calls };
    updater.chunk(0, written, old, &inside).map_err(|error| error.at_key(key()))
}

struct Updater<'a> {
    binding: &'a Binding,
    chain: &'a Chain,
    source: &'a Source<'a>,
    update: &'a ChunkUpdate,
    calls: &'a mut CodecCalls,
}

#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "a chunk is in memory, and the lists of its points have one length"
)]
impl Updater<'_> {
    /// Changes a chunk or shard of some level. `inside` are the extents of its box inside the
    /// array.
    fn chunk(
        &mut self,
        level: usize,
        written: Option<&ChunkProjection>,
        old: Option<&[u8]>,
        inside: &[u64],
    ) -> Poll<Result<Updated>> {
        let chain = self.chain;
        let at = chain.level(level).ok_or_else(|| Error::argument("the codec chain has no such level"))?;
        match (at.pipeline.plannable_sharding(), chain.level(level + 1)) {
            (Some(sharding), Some(inner)) => {
                let shard = Shard { sharding, inner, level, inside };
                self.shard(&shard, written, old)
            }
            _ => self.leaf(at, written, old, inside),
        }
    }

    /// Updates one inner chunk of a shard. `linear` is its position in C order.
    fn inner(
        &mut self,
        linear: usize,
        level: usize,
        written: Option<&ChunkProjection>,
        old: Option<&[u8]>,
        inside: &[u64],
    ) -> Poll<Result<Updated>> {
        self.calls.within(linear, |calls| {
            let Self { binding, chain, source, update, .. } = *self;
            Updater { binding, chain, source, update, calls }.chunk(level, written, old, inside)
        })
    }

    fn leaf(
        &mut self,
        level: &Level,
        written: Option<&ChunkProjection>,
        old: Option<&[u8]>,
        inside: &[u64],
    ) -> Poll<Result<Updated>> {
        let decoded = level.pipeline.decoded();
        let metadata = self.binding.metadata();
        let fill = &metadata.fill_value;
        let elements = match self.whole_chunk(level, written) {
            Some(bytes) => ArrayBytes::Fixed(bytes.to_vec()),
            None => {
                let strides = in_array_order(&c_strides(&decoded.shape, 1)?, &level.axes);
                let mut buffer = ElementBuffer::new(
                    decoded.element_count()?,
                    metadata.data_type.size(),
                    fill,
                    Vec::new(),
                )?;
                let covered = written.is_some_and(|projection| covers(projection, inside));
                if let Some(old) = old.filter(|_| !covered) {
                    let before = ready!(self.put_old(level, old, inside, &strides, &mut buffer))?;
                    if written.is_none() && before.is_some_and(|before| buffer.holds(&before)) {
                        return Poll::Ready(Ok(Updated::Same));
                    }
                }
                if let Some(projection) = written {
                    self.put_new(projection, &strides, &mut buffer)?;
                }
                buffer.into_array_bytes()?
            }
        };
        // With a fill value of null, the elements of a missing chunk are undefined. So every chunk
        // is stored.
        let may_be_missing = !self.update.keep_empty && !metadata.fill_is_null;
        if may_be_missing && all_fill(&elements, fill) {
            return Poll::Ready(Ok(Updated::Empty));
        }
        level.pipeline.poll_encode(elements, self.calls).map_ok(Updated::Bytes)
    }

    /// The new elements, where they are the whole chunk in the order in which it is encoded.
    fn whole_chunk(&self, level: &Level, written: Option<&ChunkProjection>) -> Option<&[u8]> {
        let Elements::Fixed(bytes) = &self.source.elements else { return None };
        let Some(ChunkProjection::Orthogonal(axes)) = written else { return None };
        let in_order = level.axes.iter().enumerate().all(|(i, axis)| i == *axis);
        let whole = axes.iter().zip(&level.shape).all(|(axis, extent)| {
            matches!(axis, ProjectedAxis::Range { first: 0, step: 1, place: 0, count } if u64::from(*count) == *extent)
        });
        let size = self.binding.element_size() as u64;
        let is_all = level.shape.iter().product::<u64>() * size == bytes.len() as u64;
        (in_order && whole && is_all).then_some(bytes)
    }

    /// Copies the stored elements inside the array into the buffer. Returns all stored elements,
    /// packed, where the codecs give them so.
    fn put_old(
        &mut self,
        level: &Level,
        old: &[u8],
        inside: &[u64],
        strides: &[usize],
        buffer: &mut ElementBuffer,
    ) -> Poll<Result<Option<Vec<u8>>>> {
        let all: Vec<_> = level.pipeline.decoded().shape.iter().map(|extent| 0..*extent).collect();
        let mut scratch = Scratch::default();
        let decoded = ready!(level.pipeline.poll_decode(old, &all, &mut scratch, self.calls))?;
        let from = in_array_order(&decoded.strides, &level.axes);
        let within = inside.iter().zip(&level.shape).map(|(inside, extent)| whole((*inside).min(*extent)));
        let within = ChunkProjection::Orthogonal(within.collect::<Result<_>>()?);
        part_buffer::put(buffer, &decoded.elements, Strides { src: &from, dst: strides }, &within)?;
        Poll::Ready(Ok(match decoded.elements {
            Elements::Fixed(elements) if from == strides => Some(elements.to_vec()),
            Elements::Fixed(_) | Elements::Variable(_) => None,
        }))
    }

    fn put_new(
        &self,
        projection: &ChunkProjection,
        strides: &[usize],
        buffer: &mut ElementBuffer,
    ) -> Result<()> {
        let inverse = match projection {
            ChunkProjection::Orthogonal(axes) => {
                ChunkProjection::Orthogonal(axes.iter().map(inverse).collect())
            }
            ChunkProjection::Points { indices, places } => {
                let linear = (0..places.len()).map(|at| {
                    let along = indices.iter().zip(strides);
                    let index: usize = along.map(|(list, stride)| list[at] as usize * stride).sum();
                    word(index as u64)
                });
                ChunkProjection::Points {
                    indices: vec![places.clone()],
                    places: linear.collect::<Result<_>>()?,
                }
            }
        };
        let strides = Strides { src: &self.source.strides, dst: strides };
        part_buffer::put(buffer, &self.source.elements, strides, &inverse)
    }

    fn shard(
        &mut self,
        shard: &Shard<'_>,
        written: Option<&ChunkProjection>,
        old: Option<&[u8]>,
    ) -> Poll<Result<Updated>> {
        let index = old.map(|old| shard.sharding.index().read_from(old)).transpose()?;
        let count =
            limits::to_usize(limits::product(shard.sharding.grid().iter().copied(), "shard")?, "shard")?;
        let touched = match written {
            Some(projection) => shard.divide(projection)?,
            None => BTreeMap::new(),
        };
        let mut chunks: Vec<Option<Cow<'_, [u8]>>> = Vec::new();
        limits::reserve(&mut chunks, count, "shard")?;
        let mut same = written.is_none();
        let mut is_waiting = false;
        for linear in 0..count {
            let before = match (&index, old) {
                (Some(index), Some(old)) => slice(old, index.get(linear)?),
                _ => None,
            };
            let inside = shard.inside_of(linear);
            let updated = match (written, touched.get(&linear)) {
                (Some(_), None) => Poll::Ready(Ok(Updated::Same)),
                (Some(_), Some(projection)) => {
                    // The bytes of chunks that are replaced are not used: the caller may not have
                    // read them.
                    let before = before.filter(|_| !covers(projection, &inside));
                    self.inner(linear, shard.level + 1, Some(projection), before, &inside)
                }
                (None, _) if before.is_none() || inside == shard.inner.shape => {
                    Poll::Ready(Ok(Updated::Same))
                }
                (None, _) if inside.contains(&0) => Poll::Ready(Ok(Updated::Empty)),
                (None, _) => self.inner(linear, shard.level + 1, None, before, &inside),
            };
            let Poll::Ready(updated) = updated else {
                // The other inner chunks make their requests too, so that all codecs run at once.
                is_waiting = true;
                continue;
            };
            let updated = updated?;
            same &= updated == Updated::Same;
            chunks.push(match updated {
                Updated::Same => before.map(Cow::Borrowed),
                Updated::Empty => None,
                Updated::Bytes(bytes) => Some(Cow::Owned(bytes)),
            });
        }
        if is_waiting {
            return Poll::Pending;
        }
        if same {
            return Poll::Ready(Ok(Updated::Same));
        }
        // A shard that has to be stored although it has no chunks is an index.
        if !self.update.keep_empty && chunks.iter().all(Option::is_none) {
            return Poll::Ready(Ok(Updated::Empty));
        }
        let order = in_order(self.update.order, shard.sharding.grid(), count);
        Poll::Ready(shard.sharding.index().assemble(&chunks, order).map(Updated::Bytes))
    }
}

/// The inverse projection: from places to indices.
fn inverse(axis: &ProjectedAxis) -> ProjectedAxis {
    match axis {
        ProjectedAxis::Range { first, step: 1, count, place } => {
            ProjectedAxis::Range { first: *place, step: 1, count: *count, place: *first }
        }
        ProjectedAxis::Range { .. } => {
            let (indices, places) = axis.pairs().unzip();
            ProjectedAxis::List { indices: places, places: indices }
        }
        ProjectedAxis::List { indices, places } => {
            ProjectedAxis::List { indices: places.clone(), places: indices.clone() }
        }
    }
}

/// Whether the projection writes every element inside the array. Indices do not repeat.
fn covers(projection: &ChunkProjection, inside: &[u64]) -> bool {
    match projection {
        ChunkProjection::Orthogonal(axes) => {
            axes.iter().zip(inside).all(|(axis, inside)| axis.count() == *inside)
        }
        ChunkProjection::Points { places, .. } => {
            limits::product(inside.iter().copied(), "chunk").is_ok_and(|count| count == places.len() as u64)
        }
    }
}

fn slice(shard: &[u8], range: Option<std::ops::Range<u64>>) -> Option<&[u8]> {
    let range = range?;
    shard.get(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)
}

fn all_fill(elements: &ArrayBytes, fill: &FillValue) -> bool {
    match elements {
        ArrayBytes::Fixed(bytes) => is_fill(bytes, fill),
        ArrayBytes::Variable(elements) => (0..elements.len()).all(|i| elements.get(i) == Some(&fill.0)),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn updates_round_trip_as_words() {
        let projection = ChunkProjection::Orthogonal(vec![
            ProjectedAxis::Range { first: 3, step: -1, count: 2, place: 0 },
            ProjectedAxis::List { indices: vec![1, 5], places: vec![1, 0] },
        ]);
        for change in [
            Change::Write { projection: projection.clone(), broadcast: false },
            Change::Write { projection, broadcast: true },
            Change::Clip(vec![7, 0]),
        ] {
            let update =
                ChunkUpdate { chunk: vec![1 << 40, 2], change, keep_empty: true, order: ChunkOrder::C };
            assert_eq!(ChunkUpdate::from_words(&update.to_words().unwrap()).unwrap(), update);
        }
        assert!(ChunkUpdate::from_words(&[]).is_err());
        assert!(ChunkUpdate::from_words(&[0]).is_err());
    }
}
