//! Requests as numbers, in which they cross from the page to the engine, and on to the workers.
//!
//! All numbers are float64, little-endian. A request is: the type of the elements, by its place in
//! `NumberType::ALL`; the measures, as bits; the capacity of sketches; the number of groups;
//! whether there is a range, and its two bounds, each of two numbers; the number of dimensions; of
//! each dimension its extent, what happens to it (0 stays, 1 goes, 2 blocks, 3 groups), the size of
//! a block and its phase; the labels, the weights, the mask and the indices, each a list of lists.
//! A list is the number of its dimensions, the dimensions, the number of its values, and the
//! values. A label of −1 is no group.

use zarr_wasm_contract::Measure;

use crate::error::{Error, Result};
use crate::format::json::decimal;
use crate::format::words::Words;
use crate::kernel::number::NumberType;
use crate::limits;
use crate::request::{Along, Bound, Dimension, Measures, NO_GROUP, Reduction, Spread};

fn malformed() -> Error {
    unfit("more numbers", "their end")
}

fn unfit(expected: &str, actual: impl Into<String>) -> Error {
    Error::argument("the numbers of a reduction do not fit").expected(expected).actual(actual)
}

/// Numbers while they are read.
pub struct Numbers<'a>(Words<'a, [u8; 8]>);

impl<'a> Numbers<'a> {
    /// The numbers of these bytes; what does not fill a number is left out.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(Words::new(bytes.as_chunks::<8>().0, malformed))
    }

    fn list(&mut self, count: usize) -> Result<impl Iterator<Item = f64> + use<'a>> {
        Ok(self.0.take(count)?.iter().map(|bytes| f64::from_le_bytes(*bytes)))
    }

    /// A number.
    ///
    /// # Errors
    /// `Argument` when there is none.
    pub fn number(&mut self) -> Result<f64> {
        self.list(1)?.next().ok_or_else(malformed)
    }

    /// A count, which may be larger than any.
    ///
    /// # Errors
    /// As [`number`](Self::number).
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    pub fn saturated(&mut self) -> Result<u64> {
        Ok(self.number()? as u64)
    }

    /// A count.
    ///
    /// # Errors
    /// `Argument` for another number, and when there is none.
    pub fn count(&mut self) -> Result<u64> {
        count_of(self.number()?)
    }

    /// A count of things in memory.
    ///
    /// # Errors
    /// As [`count`](Self::count); `Limit` for one that does not fit memory.
    pub fn size(&mut self) -> Result<usize> {
        limits::to_usize(self.count()?, "number of elements")
    }

    /// A list of counts, behind its length.
    ///
    /// # Errors
    /// As [`count`](Self::count).
    pub fn sizes(&mut self) -> Result<Vec<usize>> {
        let count = self.size()?;
        let sizes = self.list(count)?.map(|number| limits::to_usize(count_of(number)?, "place"));
        sizes.collect()
    }

    /// The words that are left.
    ///
    /// # Errors
    /// `Limit` for more than there is memory.
    pub fn words(&self) -> Result<Vec<u64>> {
        let mut words = Vec::new();
        limits::reserve(&mut words, self.0.rest().len(), "accumulators")?;
        words.extend(self.0.rest().iter().map(|bytes| u64::from_le_bytes(*bytes)));
        Ok(words)
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before the cast")]
pub(crate) fn count_of(number: f64) -> Result<u64> {
    let is_count = (0.0..=9_007_199_254_740_992.0).contains(&number) && number.fract() == 0.0;
    if is_count { Ok(number as u64) } else { Err(unfit("a count", decimal::text(number))) }
}

/// Counts are below 2^53, as nothing larger is in memory.
#[allow(clippy::cast_precision_loss)]
const fn float_of(count: usize) -> f64 {
    count as f64
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

/// The bit of a measure.
const fn bit(measure: Measure) -> u32 {
    1 << measure as u32
}

fn bound(numbers: &mut Numbers<'_>) -> Result<Bound> {
    Ok(Bound { nearest: numbers.number()?, rest: numbers.number()? })
}

impl Reduction {
    /// A request from its numbers.
    ///
    /// # Errors
    /// `Argument` for numbers that are no request, or one that contradicts itself.
    pub fn from_numbers(numbers: &mut Numbers<'_>) -> Result<Self> {
        let source = numbers.size()?;
        let unknown = || unfit("the place of a type", source.to_string());
        let source = *NumberType::ALL.get(source).ok_or_else(unknown)?;
        let bits = numbers.count()?;
        let mut measures = Measures::default();
        for measure in Measure::ALL {
            *remembers(&mut measures, *measure) = bits & u64::from(bit(*measure)) != 0;
        }
        measures.sketch = numbers.size()?;
        let groups = numbers.size()?;
        let has_range = numbers.count()? != 0;
        let (low, high) = (bound(numbers)?, bound(numbers)?);
        let mut dimensions = Vec::new();
        for _ in 0..numbers.size()? {
            dimensions.push(dimension(numbers)?);
        }
        let labels = spreads(numbers, label_of)?.pop();
        let weights = spreads(numbers, Ok)?;
        let mask = spreads(numbers, |number| Ok(u8::from(number != 0.0)))?.pop();
        let indices = spreads(numbers, count_of)?.pop().map(|list| match list.dimensions[..] {
            [dimension] => Ok((dimension, list.values)),
            _ => Err(unfit("indices along one dimension", format!("{:?}", list.dimensions))),
        });
        let indices = indices.transpose()?;
        let range = has_range.then_some([low, high]);
        let found = Self { dimensions, source, measures, groups, labels, weights, mask, range, indices };
        found.check()?;
        Ok(found)
    }

    /// The bytes of the request's numbers.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut numbers = Vec::new();
        let place = NumberType::ALL.iter().position(|number| *number == self.source).unwrap_or(0);
        let mut measures = self.measures;
        let wanted = Measure::ALL.iter().filter(|measure| *remembers(&mut measures, **measure));
        let bits = wanted.fold(0, |bits, measure| bits | bit(*measure));
        let [low, high] = self.range.unwrap_or_default();
        numbers.extend([float_of(place), f64::from(bits), float_of(measures.sketch), float_of(self.groups)]);
        numbers.extend([
            f64::from(u8::from(self.range.is_some())),
            low.nearest,
            low.rest,
            high.nearest,
            high.rest,
            float_of(self.dimensions.len()),
        ]);
        for Dimension { extent, along } in &self.dimensions {
            let (kind, size, phase) = match *along {
                Along::Keep => (0.0, 0, 0),
                Along::Reduce => (1.0, 0, 0),
                Along::Blocks { size, phase } => (2.0, size, phase),
                Along::Group => (3.0, 0, 0),
            };
            numbers.extend([float_of(*extent), kind, float_of(size), float_of(phase)]);
        }
        let label = |label: &u32| if *label == NO_GROUP { -1.0 } else { f64::from(*label) };
        write_spreads(&mut numbers, self.labels.as_slice(), label);
        write_spreads(&mut numbers, &self.weights, |weight| *weight);
        write_spreads(&mut numbers, self.mask.as_slice(), |counts| f64::from(*counts));
        let indices = self
            .indices
            .as_ref()
            .map(|(dimension, values)| Spread { dimensions: vec![*dimension], values: values.clone() });
        #[allow(clippy::cast_precision_loss, reason = "places of arrays that can be read are below 2^53")]
        write_spreads(&mut numbers, indices.as_slice(), |index| *index as f64);
        numbers.into_iter().flat_map(f64::to_le_bytes).collect()
    }
}

fn dimension(numbers: &mut Numbers<'_>) -> Result<Dimension> {
    let (extent, kind, size, phase) = (numbers.size()?, numbers.count()?, numbers.size()?, numbers.size()?);
    let along = match kind {
        0 => Along::Keep,
        1 => Along::Reduce,
        2 => Along::Blocks { size, phase },
        3 => Along::Group,
        _ => return Err(unfit("what happens to a dimension, from 0 to 3", kind.to_string())),
    };
    Ok(Dimension { extent, along })
}

fn label_of(number: f64) -> Result<u32> {
    if number == -1.0 {
        return Ok(NO_GROUP);
    }
    let label = count_of(number)?;
    u32::try_from(label).map_err(|_| unfit("a label of 32 bits", label.to_string()))
}

/// Lists of values, behind their number.
fn spreads<T>(numbers: &mut Numbers<'_>, value: impl Fn(f64) -> Result<T>) -> Result<Vec<Spread<T>>> {
    let mut found = Vec::new();
    for _ in 0..numbers.size()? {
        let dimensions = numbers.sizes()?;
        let count = numbers.size()?;
        let values = numbers.list(count)?.map(&value).collect::<Result<_>>()?;
        found.push(Spread { dimensions, values });
    }
    Ok(found)
}

fn write_spreads<T>(numbers: &mut Vec<f64>, lists: &[Spread<T>], number: impl Fn(&T) -> f64) {
    numbers.push(float_of(lists.len()));
    for list in lists {
        numbers.push(float_of(list.dimensions.len()));
        numbers.extend(list.dimensions.iter().map(|dimension| float_of(*dimension)));
        numbers.push(float_of(list.values.len()));
        numbers.extend(list.values.iter().map(&number));
    }
}
