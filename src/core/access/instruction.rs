//! The message from the planner to a decoder: flat tables of 32-bit words, which are cheap to post
//! to a worker.
//!
//! A **header** describes a part, its memory order and the conversion of its elements. An
//! **instruction** says: decode these bytes of that buffer as this chunk, and place these of its
//! elements there.
//!
//! Only this file knows the layout. Both ends have the same version of the package, and tables are
//! never stored.

use std::ops::Range;

use crate::access::selection::Indices;
use crate::error::{Error, Result};
use crate::format::words::Words;
use crate::limits;
use crate::sorted;

/// Describes a part: its shape, the order of dimensions in its memory, and how elements are
/// converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartHeader {
    /// The extent along each dimension of the output.
    pub shape: Vec<u32>,
    /// The dimensions as they are in the part's memory, slowest first.
    pub order: Vec<u32>,
    /// The conversion of the elements, serialised by `format::conversion`. Empty for none.
    pub conversion: Vec<u32>,
}

/// Says which chunk to decode and where to place its elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkInstruction {
    /// The level of the chunk. See [`Binding`](crate::access::binding).
    pub level: u32,
    /// The number of the buffer, of those that come with the table.
    pub buffer: u32,
    /// The chunk's byte range in that buffer.
    pub bytes: Range<u64>,
    /// Indices, in the array's chunk grid, of the stored chunk that holds the chunk. They give its
    /// shape, and name it in errors.
    pub chunk: Vec<u64>,
    /// Which elements go to which places.
    pub projection: ChunkProjection,
}

/// Which elements of a chunk go to which places of the part. All numbers count elements along one
/// dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChunkProjection {
    /// The outer product of one entry for each dimension.
    Orthogonal(Vec<ProjectedAxis>),
    /// Single elements of a selection of points. The part has one dimension.
    Points {
        /// For each dimension of the array, the indices in the chunk.
        indices: Vec<Vec<u32>>,
        /// The places in the part; as many as each list of `indices` has entries.
        places: Vec<u32>,
    },
}

impl ChunkProjection {
    /// The number of elements.
    pub fn count(&self) -> u64 {
        match self {
            Self::Orthogonal(axes) => axes.iter().map(ProjectedAxis::count).product(),
            Self::Points { places, .. } => places.len() as u64,
        }
    }

    /// Whether all places are inside a part of this shape.
    pub fn fits(&self, shape: &[u64]) -> bool {
        match (self, shape) {
            (Self::Orthogonal(axes), _) => {
                axes.len() == shape.len() && axes.iter().zip(shape).all(|(axis, extent)| axis.fits(*extent))
            }
            (Self::Points { places, .. }, [extent]) => touched(places).end <= *extent,
            (Self::Points { .. }, _) => false,
        }
    }
}

/// One dimension of an orthogonal projection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectedAxis {
    /// Indices with even steps that go to consecutive places.
    Range {
        /// The first index in the chunk.
        first: u32,
        /// Not zero; may be negative.
        step: i32,
        /// The number of elements.
        count: u32,
        /// The first place in the part.
        place: u32,
    },
    /// Entry `i` of `indices` goes to entry `i` of `places`.
    List {
        /// The indices in the chunk.
        indices: Vec<u32>,
        /// The places in the part; as many as `indices`.
        places: Vec<u32>,
    },
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "products and sums of 32-bit numbers in 64 bits; `fits` has checked the places"
)]
impl ProjectedAxis {
    /// A projection without elements.
    pub fn nothing() -> Self {
        Self::List { indices: Vec::new(), places: Vec::new() }
    }

    /// The projection of these indices in the chunk onto consecutive places from `place` on.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn new(indices: &Indices, place: u32) -> Result<Self> {
        let mut projection = Self::nothing();
        projection.add(indices, place)?;
        Ok(projection)
    }

    /// Adds the projection of these indices onto consecutive places from `place` on. Only lists are
    /// added to others.
    ///
    /// # Errors
    /// `Limit` for an index of 2^32 or more.
    pub fn add(&mut self, taken: &Indices, place: u32) -> Result<()> {
        match (taken, self) {
            (Indices::List(list), Self::List { indices, places }) => {
                for (within, place) in list.iter().zip(place..) {
                    indices.push(word(*within)?);
                    places.push(place);
                }
            }
            (Indices::Range { start, step, count }, range) => {
                // A step that is longer than a chunk takes one index: its value does not matter.
                let step = i32::try_from(*step).unwrap_or(1);
                *range = Self::Range { first: word(*start)?, step, count: word(*count)?, place };
            }
            (Indices::List(_), Self::Range { .. }) => return Err(malformed()),
        }
        Ok(())
    }

    /// The same projection, with each index in the chunk `by` higher.
    #[must_use]
    pub fn shifted(self, by: u32) -> Self {
        match self {
            Self::Range { first, step, count, place } => {
                Self::Range { first: first + by, step, count, place }
            }
            Self::List { mut indices, places } => {
                indices.iter_mut().for_each(|index| *index += by);
                Self::List { indices, places }
            }
        }
    }

    /// The number of elements along this dimension.
    pub fn count(&self) -> u64 {
        match self {
            Self::Range { count, .. } => u64::from(*count),
            Self::List { indices, .. } => indices.len() as u64,
        }
    }

    /// The indices in the chunk.
    pub fn indices(&self) -> Indices {
        match self {
            Self::Range { first, step, count, .. } => {
                Indices::Range { start: u64::from(*first), step: i64::from(*step), count: u64::from(*count) }
            }
            Self::List { indices, .. } => {
                let mut list = Vec::with_capacity(indices.len());
                for index in indices {
                    list.push(u64::from(*index));
                }
                Indices::List(list)
            }
        }
    }

    /// Whether all places are below the extent of the part.
    fn fits(&self, extent: u64) -> bool {
        match self {
            Self::Range { count, place, .. } => u64::from(*place) + u64::from(*count) <= extent,
            Self::List { indices, places } => indices.len() == places.len() && touched(places).end <= extent,
        }
    }

    /// The smallest range that has all indices in the chunk.
    pub fn touched(&self) -> Range<u64> {
        match self {
            Self::Range { first, step, count, .. } => {
                let last = i64::from(*first) + i64::from(*step) * (i64::from(*count) - 1);
                let (first, last) = (i64::from(*first), last);
                let low = u64::try_from(first.min(last)).unwrap_or(0);
                low..u64::try_from(first.max(last)).unwrap_or(0) + 1
            }
            Self::List { indices, .. } => touched(indices),
        }
    }
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "products and sums of 32-bit numbers in 64 bits; `fits` has checked the places"
)]
impl ProjectedAxis {
    /// The same projection as a `Range`. `None` where steps are uneven or places are not
    /// consecutive.
    pub fn into_range(self) -> Option<Self> {
        let Self::List { indices, places } = &self else { return Some(self) };
        let (first, place) = (*indices.first()?, *places.first()?);
        let step = indices.get(1).map_or(1, |second| i64::from(*second) - i64::from(first));
        let range = Self::Range {
            first,
            step: i32::try_from(step).ok().filter(|step| *step != 0)?,
            count: u32::try_from(indices.len()).ok()?,
            place,
        };
        range.pairs().eq(self.pairs()).then_some(range)
    }

    /// Every pair of an index in the chunk and its place in the part.
    pub fn pairs(&self) -> Box<dyn Iterator<Item = (u32, u32)> + '_> {
        match self {
            Self::Range { first, step, count, place } => Box::new((0..*count).map(move |k| {
                let index = i64::from(*first) + i64::from(*step) * i64::from(k);
                (u32::try_from(index).unwrap_or(u32::MAX), place + k)
            })),
            Self::List { indices, places } => Box::new(indices.iter().copied().zip(places.iter().copied())),
        }
    }
}

/// The smallest range that has all of these indices; `0..0` for none.
#[allow(clippy::arithmetic_side_effects, reason = "32 bits and one")]
pub fn touched(indices: &[u32]) -> Range<u64> {
    match (indices.iter().min(), indices.iter().max()) {
        (Some(low), Some(high)) => u64::from(*low)..u64::from(*high) + 1,
        _ => 0..0,
    }
}

impl PartHeader {
    /// A header for a part of this shape.
    ///
    /// # Errors
    /// `Limit` for an extent beyond 32 bits.
    pub fn new(shape: &[u64], order: &[usize], conversion: &[u32]) -> Result<Self> {
        let (mut extents, mut dimensions) = (Vec::new(), Vec::new());
        for extent in shape {
            extents.push(word(*extent)?);
        }
        for dimension in order {
            dimensions.push(word(*dimension as u64)?);
        }
        Ok(Self { shape: extents, order: dimensions, conversion: conversion.to_vec() })
    }

    /// Serialises the header. The first word is the number of dimensions.
    pub fn to_words(&self) -> Vec<u32> {
        let rank = u32::try_from(self.shape.len()).unwrap_or(u32::MAX);
        [&[rank], &self.shape[..], &self.order, &self.conversion].concat()
    }

    /// Parses the words of [`to_words`](Self::to_words).
    ///
    /// # Errors
    /// `Argument` when the words are not a header.
    pub fn from_words(words: &[u32]) -> Result<Self> {
        let (rank, words) = words.split_first().ok_or_else(malformed)?;
        let rank = limits::to_usize(u64::from(*rank), "rank")?;
        let (shape, words) = words.split_at_checked(rank).ok_or_else(malformed)?;
        let (order, conversion) = words.split_at_checked(rank).ok_or_else(malformed)?;
        let mut dimensions = order.to_vec();
        sorted::sort(&mut dimensions);
        if dimensions.iter().zip(0..).any(|(found, wanted)| *found != wanted) {
            return Err(malformed());
        }
        Ok(Self { shape: shape.to_vec(), order: order.to_vec(), conversion: conversion.to_vec() })
    }
}

const TAG_RANGE: u32 = 0;
const TAG_LIST: u32 = 1;
const TAG_ORTHOGONAL: u32 = 0;
const TAG_POINTS: u32 = 1;

impl ChunkInstruction {
    /// Appends the instruction to a table.
    ///
    /// # Errors
    /// `Limit` for a list of 2^32 entries or more.
    pub fn write(&self, table: &mut Vec<u32>) -> Result<()> {
        table.extend([self.level, self.buffer]);
        for end in [self.bytes.start, self.bytes.end] {
            table.extend(halves(end));
        }
        table.push(word(self.chunk.len() as u64)?);
        for index in &self.chunk {
            table.extend(halves(*index));
        }
        match &self.projection {
            ChunkProjection::Orthogonal(axes) => {
                table.extend([TAG_ORTHOGONAL, word(axes.len() as u64)?]);
                for axis in axes {
                    axis.write(table)?;
                }
            }
            ChunkProjection::Points { indices, places } => {
                table.extend([TAG_POINTS, word(indices.len() as u64)?]);
                for list in indices {
                    write_list(list, table)?;
                }
                write_list(places, table)?;
            }
        }
        Ok(())
    }

    /// Parses all instructions of a table.
    ///
    /// # Errors
    /// `Argument` when the words are not a table of instructions.
    pub fn read_all(table: &[u32]) -> Result<Vec<Self>> {
        let mut words = Words::new(table, malformed);
        let mut instructions = Vec::new();
        while !words.rest().is_empty() {
            instructions.push(Self::read(&mut words)?);
        }
        Ok(instructions)
    }

    fn read(words: &mut Words<'_, u32>) -> Result<Self> {
        let [level, buffer] = *words.fixed()?;
        let bytes = words.long()?..words.long()?;
        let rank = words.word()?;
        let mut chunk = Vec::new();
        for _ in 0..rank {
            chunk.push(words.long()?);
        }
        let projection = ChunkProjection::read(words)?;
        Ok(Self { level, buffer, bytes, chunk, projection })
    }
}

impl ChunkProjection {
    fn read(words: &mut Words<'_, u32>) -> Result<Self> {
        let [tag, count] = *words.fixed()?;
        match tag {
            TAG_ORTHOGONAL => {
                let mut axes = Vec::new();
                for _ in 0..count {
                    axes.push(ProjectedAxis::read(words)?);
                }
                Ok(Self::Orthogonal(axes))
            }
            TAG_POINTS => {
                let mut indices = Vec::new();
                for _ in 0..count {
                    indices.push(read_list(words)?);
                }
                Ok(Self::Points { indices, places: read_list(words)? })
            }
            _ => Err(malformed()),
        }
    }
}

impl ProjectedAxis {
    pub(super) fn write(&self, table: &mut Vec<u32>) -> Result<()> {
        match self {
            Self::Range { first, step, count, place } => {
                table.extend([TAG_RANGE, *first, step.cast_unsigned(), *count, *place]);
                Ok(())
            }
            Self::List { indices, places } => {
                table.push(TAG_LIST);
                write_list(indices, table)?;
                write_list(places, table)
            }
        }
    }

    fn read(words: &mut Words<'_, u32>) -> Result<Self> {
        match words.word()? {
            TAG_RANGE => {
                let [first, step, count, place] = *words.fixed()?;
                Ok(Self::Range { first, step: step.cast_signed(), count, place })
            }
            TAG_LIST => Ok(Self::List { indices: read_list(words)?, places: read_list(words)? }),
            _ => Err(malformed()),
        }
    }
}

fn read_list(words: &mut Words<'_, u32>) -> Result<Vec<u32>> {
    let len = limits::to_usize(u64::from(words.word()?), "list")?;
    Ok(words.take(len)?.to_vec())
}

fn write_list(list: &[u32], table: &mut Vec<u32>) -> Result<()> {
    table.push(word(list.len() as u64)?);
    table.extend(list);
    Ok(())
}

/// The low and the high 32 bits of a number.
#[allow(clippy::cast_possible_truncation)] // Each half is truncated on purpose.
pub(super) fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

/// A count or an index within a chunk or a part, as one word.
///
/// # Errors
/// `Limit` for 2^32 or more: such a chunk cannot be decoded into one buffer.
pub fn word(value: u64) -> Result<u32> {
    u32::try_from(value)
        .map_err(|_| limits::exceeded("extent of a chunk or part", value, u64::from(u32::MAX)))
}

fn malformed() -> Error {
    Error::argument("the table of chunk instructions is malformed")
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn tables_round_trip() {
        let instructions = vec![
            ChunkInstruction {
                level: 1,
                buffer: 2,
                bytes: (1 << 40)..(1 << 40) + 9,
                chunk: vec![1 << 50, 3],
                projection: ChunkProjection::Orthogonal(vec![
                    ProjectedAxis::Range { first: 7, step: -2, count: 3, place: 5 },
                    ProjectedAxis::List { indices: vec![4, 1], places: vec![0, 9] },
                ]),
            },
            ChunkInstruction {
                level: 0,
                buffer: 0,
                bytes: 0..16,
                chunk: vec![],
                projection: ChunkProjection::Points {
                    indices: vec![vec![1, 2], vec![0, 3]],
                    places: vec![8, 1],
                },
            },
        ];
        let mut table = Vec::new();
        instructions.iter().for_each(|instruction| instruction.write(&mut table).unwrap());
        assert_eq!(ChunkInstruction::read_all(&table).unwrap(), instructions);
        assert!(ChunkInstruction::read_all(&table[..table.len() - 1]).is_err());
    }

    #[test]
    fn headers_round_trip_and_their_order_is_a_permutation() {
        let header = PartHeader::new(&[3, 4], &[1, 0], &[7, 8, 9]).unwrap();
        assert_eq!(PartHeader::from_words(&header.to_words()).unwrap(), header);
        assert!(PartHeader::from_words(&[2, 3, 4, 1, 1]).is_err());
        assert!(PartHeader::from_words(&[2, 3, 4, 1]).is_err());
        assert!(PartHeader::from_words(&[]).is_err());
        assert!(PartHeader::new(&[1 << 33], &[0], &[]).is_err());
    }

    #[test]
    fn a_list_with_even_steps_becomes_a_range() {
        let list = |indices: &[u32], places: &[u32]| {
            ProjectedAxis::List { indices: indices.to_vec(), places: places.to_vec() }.into_range()
        };
        let range = |first, step, count| Some(ProjectedAxis::Range { first, step, count, place: 4 });
        assert_eq!(list(&[7], &[4]), range(7, 1, 1));
        assert_eq!(list(&[7, 5, 3], &[4, 5, 6]), range(7, -2, 3));
        assert_eq!(list(&[7, 5, 3], &[4, 5, 7]), None);
        assert_eq!(list(&[7, 5, 4], &[4, 5, 6]), None);
        assert_eq!(list(&[7, 7], &[4, 5]), None);
    }

    #[test]
    fn touched_indices_of_a_descending_range_ascend() {
        let axis = ProjectedAxis::Range { first: 7, step: -2, count: 3, place: 0 };
        assert_eq!(axis.touched(), 3..8);
    }
}
