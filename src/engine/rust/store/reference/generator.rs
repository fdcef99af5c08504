//! The generators of reference documents (`gen`): one description of many references, whose keys,
//! URLs and byte ranges are templates. <https://fsspec.github.io/kerchunk/spec.html>
//!
//! [`template`] renders the templates, and [`document`](super::document) collects the references.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::json::{Text, items, members, not_read};
use super::template::{self, Binding, Budget, Names};
use crate::error::{Error, Result};
use crate::limits;

/// A generator of references.
#[derive(Deserialize)]
pub struct Generator<'a> {
    /// Template of the keys.
    pub key: String,
    /// Template of the URLs.
    pub url: String,
    /// Offset of the byte range in the file.
    pub offset: Option<Formula>,
    /// Length of the byte range.
    pub length: Option<Formula>,
    /// The JSON of the dimensions. Their lists may be long, so they are counted first.
    #[serde(borrow)]
    dimensions: &'a RawValue,
}

impl Generator<'_> {
    /// Calls `take` with the names and values of each reference.
    ///
    /// # Errors
    /// `Limit` for too many dimensions and too many references, before the values of a dimension
    /// take memory; `Format` for a step of 0; those of `take`.
    pub fn each(&self, mut take: impl FnMut(&Names) -> Result<()>) -> Result<()> {
        let dimensions = self.dimensions()?;
        let count = limits::product(dimensions.values().map(Dimension::count), "generated references")?;
        limits::within(count, limits::REFERENCES, "generated references")?;
        if count == 0 {
            return Ok(());
        }
        let mut axes: Vec<Axis> = dimensions.into_iter().map(Axis::new).collect::<Result<_>>()?;
        let mut names: Names = axes.iter().filter_map(Axis::entry).collect();
        axes.retain(|axis| axis.count > 1);
        take(&names)?;
        (1..count).try_for_each(|_| {
            step(&mut axes, &mut names);
            take(&names)
        })
    }

    fn dimensions(&self) -> Result<BTreeMap<Rc<str>, Dimension<'_>>> {
        let mut dimensions = BTreeMap::new();
        members(self.dimensions.get(), &mut |name, json| {
            dimensions.insert(Rc::from(&*name), Dimension::parse(json.get())?);
            let (count, limit) = (dimensions.len() as u64, limits::GENERATOR_DIMENSIONS);
            limits::within(count, limit, "the dimensions of generated references").map(drop)
        })?;
        Ok(dimensions)
    }
}

/// A name and its values. References share their texts.
struct Axis {
    name: Rc<str>,
    values: Values,
    count: u64,
    /// Index of the value of the present reference.
    at: u64,
}

enum Values {
    List(Vec<Binding>),
    Range(Range),
}

impl Axis {
    fn new((name, dimension): (Rc<str>, Dimension<'_>)) -> Result<Self> {
        let count = dimension.count();
        let values = match dimension {
            Dimension::List { json, .. } => Values::List(values(json, count)?),
            Dimension::Range { range, .. } => Values::Range(range),
        };
        Ok(Self { name, values, count, at: 0 })
    }

    fn entry(&self) -> Option<(Rc<str>, Binding)> {
        let value = match &self.values {
            Values::List(values) => values.get(usize::try_from(self.at).ok()?)?.clone(),
            Values::Range(range) => range.value(self.at)?,
        };
        Some((self.name.clone(), value))
    }
}

/// The values of a list: integers and texts.
fn values(json: &str, count: u64) -> Result<Vec<Binding>> {
    let mut values = Vec::with_capacity(limits::to_usize(count, "generated references")?);
    items(json, &mut |_, value| {
        values.push(match value.get().starts_with('"') {
            true => Binding::Text(Text::parse(value.get())?.into()),
            false => Binding::Integer(serde_json::from_str(value.get()).map_err(|error| not_read(&error))?),
        });
        Ok(())
    })?;
    Ok(values)
}

/// Goes to the values of the next reference. The last dimension changes first. Each axis has
/// several values, so a step changes two names on average.
fn step(axes: &mut [Axis], names: &mut Names) {
    for axis in axes.iter_mut().rev() {
        let next = axis.at.saturating_add(1);
        axis.at = if next < axis.count { next } else { 0 };
        names.extend(axis.entry());
        if axis.at > 0 {
            return;
        }
    }
}

/// A number, or a template that yields one.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Formula {
    Number(u64),
    Text(String),
}

impl Formula {
    /// The number for these values.
    ///
    /// # Errors
    /// `Format` if the template does not yield one; those of [`template::render`].
    pub fn number(&self, names: &[&Names], budget: &Budget) -> Result<u64> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Text(text) => {
                let rendered = template::render(text, names, budget)?;
                let number = rendered.trim().parse();
                number.map_err(|_| {
                    Error::format("the formula of an offset or a length does not yield a number")
                        .actual(rendered)
                })
            }
        }
    }
}

/// The values of one name.
enum Dimension<'a> {
    /// An unparsed list, and the number of its items.
    List { json: &'a str, count: u64 },
    /// A range, and the number of its integers.
    Range { range: Range, count: u64 },
}

impl<'a> Dimension<'a> {
    fn parse(json: &'a str) -> Result<Self> {
        if json.starts_with('[') {
            let mut count = 0;
            items(json, &mut |_, _| {
                count = u64::saturating_add(count, 1);
                Ok(())
            })?;
            return Ok(Self::List { json, count });
        }
        let range: Range = serde_json::from_str(json).map_err(|error| not_read(&error))?;
        Ok(Self::Range { count: range.count()?, range })
    }

    /// The number of values.
    fn count(&self) -> u64 {
        match self {
            Self::List { count, .. } | Self::Range { count, .. } => *count,
        }
    }
}

/// The integers from `start` on, before `stop`.
#[derive(Deserialize)]
struct Range {
    #[serde(default)]
    start: i64,
    stop: i64,
    #[serde(default = "one")]
    step: i64,
}

fn one() -> i64 {
    1
}

#[allow(clippy::arithmetic_side_effects, reason = "64-bit numbers in 128 bits; a step of 0 is refused")]
impl Range {
    fn count(&self) -> Result<u64> {
        let Self { start, stop, step } = *self;
        if step == 0 {
            return Err(Error::format("a dimension of generated references has the step 0"));
        }
        let distance = if step > 0 {
            i128::from(stop) - i128::from(start)
        } else {
            i128::from(start) - i128::from(stop)
        };
        let step_size = i128::from(step).abs();
        let count = u64::try_from((distance.max(0) + step_size - 1) / step_size).unwrap_or(u64::MAX);
        limits::within(count, limits::REFERENCES, "generated references")?;
        Ok(count)
    }

    fn value(&self, at: u64) -> Option<Binding> {
        // The product may exceed 64 bits. The sum does not, because it lies before `stop`.
        let value = i128::from(self.start) + i128::from(self.step) * i128::from(at);
        i64::try_from(value).ok().map(Binding::Integer)
    }
}
