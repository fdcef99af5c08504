//! Reductions as the contract's records, in which they cross from the engine to this module and on
//! to the workers. What a reduction means is written in [`request`](crate::request).

use crate::contract::{
    self, Bytes, Floats, Labels, Mask, Measure, Natural, NumberedBox, PlaceIndices, ReducedDimension,
    ReductionRequest, Weights, Words,
};
use crate::error::{Error, Result};
use crate::format::json::decimal;
use crate::kernel::number::NumberType;
use crate::limits;
use crate::request::{Along, Bound, Dimension, Measures, Reduction, Spread};
use crate::session::Part;

#[cold]
fn unfit(expected: &str, actual: impl Into<String>) -> Error {
    Error::argument("the numbers of a reduction do not fit").expected(expected).actual(actual)
}

/// Reads a record from its bytes.
///
/// # Errors
/// `Argument` if the bytes are not such a record.
pub fn read<T: contract::Record>(bytes: &[u8]) -> Result<T> {
    T::from_bytes(bytes)
        .ok_or_else(|| unfit("a record", format!("{} bytes that are not that record", bytes.len())))
}

/// The type of numbers of this name.
///
/// # Errors
/// `Argument` for another name.
pub fn number_type(name: &str) -> Result<NumberType> {
    let known = NumberType::ALL.into_iter().find(|number| number.name() == name);
    known.ok_or_else(|| unfit("a type of numbers", name))
}

/// A count of things in memory.
///
/// # Errors
/// `Limit` for one that does not fit memory.
pub fn size(count: Natural) -> Result<usize> {
    limits::to_usize(count.0, "number of elements")
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before the cast")]
fn count_of(number: f64) -> Result<u64> {
    let is_count = (0.0..=9_007_199_254_740_992.0).contains(&number) && number.fract() == 0.0;
    if is_count { Ok(number as u64) } else { Err(unfit("a count", decimal::text(number))) }
}

/// 64-bit words.
///
/// # Errors
/// `Limit` for more than there is memory.
pub fn long_words(bytes: &[u8]) -> Result<Vec<u64>> {
    let (words, mut found) = (bytes.as_chunks::<8>().0, Vec::new());
    limits::reserve(&mut found, words.len(), "accumulators")?;
    found.extend(words.iter().map(|bytes| u64::from_le_bytes(*bytes)));
    Ok(found)
}

/// A part and its index in the plan.
///
/// # Errors
/// `Argument` for indices that are not counts; `Limit` for those that do not fit memory.
pub fn numbered(part: NumberedBox) -> Result<(u64, Part)> {
    let indices = |list: Floats| {
        let list = list.0.into_iter().map(|number| limits::to_usize(count_of(number)?, "index"));
        list.collect::<Result<_>>()
    };
    Ok((part.number.0, Part { start: indices(part.start)?, shape: indices(part.shape)? }))
}

/// Whether something is remembered.
const fn remembers(measures: &mut Measures, measure: Measure) -> &mut bool {
    match measure {
        Measure::Sum => &mut measures.sum,
        Measure::Moments => &mut measures.moments,
        Measure::Lowest => &mut measures.lowest,
        Measure::Highest => &mut measures.highest,
        Measure::Nonzero => &mut measures.nonzero,
    }
}

fn measures_of(wanted: &[Measure], sketch: usize) -> Measures {
    let mut measures = Measures { sketch, ..Measures::default() };
    for measure in wanted {
        *remembers(&mut measures, *measure) = true;
    }
    measures
}

fn along_of(along: contract::Along) -> Result<Along> {
    Ok(match along {
        contract::Along::Keep => Along::Keep,
        contract::Along::Reduce => Along::Reduce,
        contract::Along::Group => Along::Group,
        contract::Along::Blocks(of) => Along::Blocks { size: size(of.size)?, phase: size(of.phase)? },
    })
}

const fn along_record(along: Along) -> contract::Along {
    match along {
        Along::Keep => contract::Along::Keep,
        Along::Reduce => contract::Along::Reduce,
        Along::Group => contract::Along::Group,
        Along::Blocks { size, phase } => {
            contract::Along::Blocks(contract::Blocks { size: natural(size), phase: natural(phase) })
        }
    }
}

const fn natural(size: usize) -> Natural {
    Natural(size as u64)
}

fn spread<T>(dimensions: Vec<u32>, values: Vec<T>) -> Spread<T> {
    Spread { dimensions: dimensions.into_iter().map(|dimension| dimension as usize).collect(), values }
}

/// Dimensions are few.
#[allow(clippy::cast_possible_truncation)]
fn words_of(dimensions: &[usize]) -> Vec<u32> {
    dimensions.iter().map(|dimension| *dimension as u32).collect()
}

fn indices_of(PlaceIndices { dimension, values }: PlaceIndices) -> Result<(usize, Vec<u64>)> {
    let values = values.0.into_iter().map(count_of).collect::<Result<_>>()?;
    Ok((dimension as usize, values))
}

impl Reduction {
    /// The reduction of a record.
    ///
    /// # Errors
    /// `Argument` for one that contradicts itself; `Limit` for sizes that do not fit memory.
    pub fn of(record: ReductionRequest) -> Result<Self> {
        let mut dimensions = Vec::with_capacity(record.dimensions.len());
        for ReducedDimension { extent, along } in record.dimensions {
            dimensions.push(Dimension { extent: size(extent)?, along: along_of(along)? });
        }
        let found = Self {
            dimensions,
            source: number_type(&record.source)?,
            measures: measures_of(&record.measures, size(record.sketch)?),
            groups: record.groups as usize,
            labels: record.labels.map(|labels| spread(labels.dimensions, labels.values.0)),
            weights: record.weights.into_iter().map(|of| spread(of.dimensions, of.values.0)).collect(),
            mask: record.mask.map(|mask| spread(mask.dimensions, mask.values.0)),
            range: record.range.map(|(low, high)| [low, high].map(|(nearest, rest)| Bound { nearest, rest })),
            indices: record.indices.map(indices_of).transpose()?,
        };
        found.check()?;
        Ok(found)
    }

    /// The record of the reduction.
    #[allow(clippy::cast_precision_loss, reason = "places of arrays that can be read are below 2^53")]
    #[allow(clippy::cast_possible_truncation, reason = "labels have 32 bits")]
    pub fn record(&self) -> ReductionRequest {
        let mut measures = self.measures;
        let wanted = Measure::ALL.iter().copied().filter(|measure| *remembers(&mut measures, *measure));
        let dimension =
            |of: &Dimension| ReducedDimension { extent: natural(of.extent), along: along_record(of.along) };
        ReductionRequest {
            source: self.source.name().to_owned(),
            measures: wanted.collect(),
            sketch: natural(self.measures.sketch),
            dimensions: self.dimensions.iter().map(dimension).collect(),
            groups: self.groups as u32,
            labels: self
                .labels
                .as_ref()
                .map(|of| Labels { dimensions: words_of(&of.dimensions), values: Words(of.values.clone()) }),
            weights: self.weights.iter().map(weights_record).collect(),
            mask: self
                .mask
                .as_ref()
                .map(|of| Mask { dimensions: words_of(&of.dimensions), values: Bytes(of.values.clone()) }),
            range: self.range.map(|[low, high]| ((low.nearest, low.rest), (high.nearest, high.rest))),
            indices: self.indices.as_ref().map(|(dimension, values)| PlaceIndices {
                dimension: *dimension as u32,
                values: Floats(values.iter().map(|index| *index as f64).collect()),
            }),
        }
    }
}

fn weights_record(of: &Spread<f64>) -> Weights {
    Weights { dimensions: words_of(&of.dimensions), values: Floats(of.values.clone()) }
}
