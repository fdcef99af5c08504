//! The generators of reference documents (`gen`): one description of many references, whose keys,
//! URLs and byte ranges are templates. <https://fsspec.github.io/kerchunk/spec.html>
//!
//! [`template`] renders the templates, and [`document`](super::document) collects the references.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Deserialize;

use super::template::{self, Binding, Budget, Names};
use crate::error::{Error, Result};
use crate::limits;

/// A generator of references.
#[derive(Deserialize)]
pub struct Generator {
    /// Template of the keys.
    pub key: String,
    /// Template of the URLs.
    pub url: String,
    /// Offset of the byte range in the file.
    pub offset: Option<Formula>,
    /// Length of the byte range.
    pub length: Option<Formula>,
    dimensions: BTreeMap<String, Dimension>,
}

impl Generator {
    /// Calls `take` with the names and values of each reference.
    ///
    /// # Errors
    /// `Limit` for too many references, before the values of a dimension take memory; `Format` for
    /// a step of 0; those of `take`.
    pub fn each(&self, mut take: impl FnMut(&Names) -> Result<()>) -> Result<()> {
        let counts: Vec<u64> = self.dimensions.values().map(Dimension::count).collect::<Result<_>>()?;
        let count = limits::product(counts, "generated references")?;
        limits::within(count, limits::REFERENCES, "generated references")?;
        if count == 0 {
            return Ok(());
        }
        let mut axes: Vec<Axis> = self.dimensions.iter().map(Axis::new).collect();
        let mut names: Names = axes.iter().filter_map(Axis::entry).collect();
        axes.retain(|axis| axis.values.len() > 1);
        take(&names)?;
        (1..count).try_for_each(|_| {
            step(&mut axes, &mut names);
            take(&names)
        })
    }
}

/// A name and its values. References share their texts.
struct Axis {
    name: Rc<str>,
    values: Vec<Binding>,
    /// Index of the value of the present reference.
    at: usize,
}

impl Axis {
    fn new((name, dimension): (&String, &Dimension)) -> Self {
        Self { name: name.as_str().into(), values: dimension.values(), at: 0 }
    }

    fn entry(&self) -> Option<(Rc<str>, Binding)> {
        Some((self.name.clone(), self.values.get(self.at)?.clone()))
    }
}

/// Goes to the values of the next reference. The last dimension changes first. Each axis has
/// several values, so a step changes two names on average.
#[allow(clippy::arithmetic_side_effects, reason = "an axis has several values, and they are in memory")]
fn step(axes: &mut [Axis], names: &mut Names) {
    for axis in axes.iter_mut().rev() {
        axis.at = (axis.at + 1) % axis.values.len();
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
#[derive(Deserialize)]
#[serde(untagged)]
enum Dimension {
    List(Vec<Item>),
    Range {
        #[serde(default)]
        start: i64,
        stop: i64,
        #[serde(default = "one")]
        step: i64,
    },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Item {
    Integer(i64),
    Text(String),
}

fn one() -> i64 {
    1
}

impl Dimension {
    /// The number of values.
    #[allow(clippy::arithmetic_side_effects, reason = "64-bit numbers in 128 bits; a step of 0 is refused")]
    fn count(&self) -> Result<u64> {
        match self {
            Self::List(items) => Ok(items.len() as u64),
            Self::Range { step: 0, .. } => {
                Err(Error::format("a dimension of generated references has the step 0"))
            }
            Self::Range { start, stop, step } => {
                let distance = if *step > 0 {
                    i128::from(*stop) - i128::from(*start)
                } else {
                    i128::from(*start) - i128::from(*stop)
                };
                let step_size = i128::from(*step).abs();
                let count = u64::try_from((distance.max(0) + step_size - 1) / step_size).unwrap_or(u64::MAX);
                limits::within(count, limits::REFERENCES, "generated references")?;
                Ok(count)
            }
        }
    }

    /// Lists the values. Call it only after `count` has checked how many there are.
    #[allow(clippy::arithmetic_side_effects, reason = "64-bit numbers in 128 bits")]
    fn values(&self) -> Vec<Binding> {
        match self {
            Self::List(items) => items.iter().map(Item::binding).collect(),
            Self::Range { start, step, .. } => {
                // The product may exceed 64 bits. The sum does not, because it lies before `stop`.
                let value = |nth| i128::from(*start) + i128::from(*step) * i128::from(nth);
                let values = (0..self.count().unwrap_or_default()).map(value);
                values.filter_map(|value| i64::try_from(value).ok()).map(Binding::Integer).collect()
            }
        }
    }
}

impl Item {
    fn binding(&self) -> Binding {
        match self {
            Self::Integer(number) => Binding::Integer(*number),
            Self::Text(text) => Binding::Text(text.as_str().into()),
        }
    }
}
