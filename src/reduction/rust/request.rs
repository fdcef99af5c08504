//! What a reduction asks: which elements fall into which cell, and what is remembered of them.

use crate::error::{Error, Result};
use crate::format::json::decimal;
use crate::kernel::number::NumberType;
use crate::limits;

/// What happens to a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// It stays: each place has cells of its own.
    Keep,
    /// It goes: all places share their cells.
    Reduce,
    /// So many places share their cells. The first block has lost `phase` places before this part.
    Blocks {
        /// Places of a whole block.
        size: usize,
        /// Places of the first block that are not here.
        phase: usize,
    },
    /// It goes, and labels say to which group a place belongs.
    Group,
}

/// A dimension of the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// The number of its places.
    pub extent: usize,
    /// What happens to it.
    pub along: Along,
}

/// Values for some dimensions, in C order. Along the others they are the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread<T> {
    /// The dimensions, ascending.
    pub dimensions: Vec<usize>,
    /// One for each element of a box of these dimensions.
    pub values: Vec<T>,
}

/// What is remembered of each cell, besides the counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// Sums, weighted if there are weights.
    pub sum: bool,
    /// Means and squared differences.
    pub moments: bool,
    /// The lowest number.
    pub lowest: bool,
    /// The highest number.
    pub highest: bool,
    /// The count of numbers that are not zero.
    pub nonzero: bool,
    /// The length of a full list of a sketch for quantiles; 0 for none.
    pub sketch: usize,
}

/// The label of a place that belongs to no group.
pub const NO_GROUP: u32 = u32::MAX;

/// A number that is compared with elements: the sum of two floats, so that it may be any integer of
/// 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bound {
    /// The nearest float.
    pub nearest: f64,
    /// What an integer is more than that.
    pub rest: f64,
}

impl Bound {
    /// The least float that is not below.
    pub fn least_float(self) -> f64 {
        if self.rest > 0.0 { self.nearest.next_up() } else { self.nearest }
    }

    /// The greatest float that is not above.
    pub fn greatest_float(self) -> f64 {
        if self.rest < 0.0 { self.nearest.next_down() } else { self.nearest }
    }

    /// The least integer that is not below.
    #[allow(clippy::cast_possible_truncation, reason = "infinities become the last integers")]
    pub fn least_integer(self) -> i128 {
        (self.nearest.ceil() as i128).saturating_add(self.rest as i128)
    }

    /// The greatest integer that is not above.
    #[allow(clippy::cast_possible_truncation, reason = "infinities become the last integers")]
    pub fn greatest_integer(self) -> i128 {
        (self.nearest.floor() as i128).saturating_add(self.rest as i128)
    }
}

impl From<f64> for Bound {
    fn from(nearest: f64) -> Self {
        Self { nearest, rest: 0.0 }
    }
}

/// A question about a box of elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// The dimensions of the box, slowest first.
    pub dimensions: Vec<Dimension>,
    /// The type of the elements, packed and little-endian.
    pub source: NumberType,
    /// What is remembered.
    pub measures: Measures,
    /// The number of groups; 0 where there are none.
    pub groups: usize,
    /// The group of each place, below `groups`, or [`NO_GROUP`].
    pub labels: Option<Spread<u32>>,
    /// Weights, which are multiplied.
    pub weights: Vec<Spread<f64>>,
    /// Which elements count; zero does not.
    pub mask: Option<Spread<u8>>,
    /// The lowest and the highest number that counts.
    pub range: Option<[Bound; 2]>,
    /// A dimension, and the index of each of its places: extremes remember it.
    pub indices: Option<(usize, Vec<u64>)>,
}

/// The error for a request whose parts contradict each other.
fn contradiction(what: &str, expected: impl Into<String>, actual: impl Into<String>) -> Error {
    Error::argument(format!("the reduction is not valid: {what}")).expected(expected).actual(actual)
}

impl Reduction {
    /// Checks that all lists fit the dimensions.
    ///
    /// # Errors
    /// `Argument` for a list of another length, a dimension that does not exist, a label without a
    /// group and a weight that is not finite; `Limit` for too many elements.
    pub fn check(&self) -> Result<()> {
        self.elements()?;
        for dimension in &self.dimensions {
            if let Along::Blocks { size, phase } = dimension.along
                && phase >= size
            {
                return Err(contradiction(
                    "a block has no places",
                    format!("a phase below {size}"),
                    phase.to_string(),
                ));
            }
        }
        if self.labels.is_none() && self.groups > 0 {
            return Err(contradiction(
                "there are groups without labels",
                "no groups",
                self.groups.to_string(),
            ));
        }
        if let Some(labels) = &self.labels {
            self.check_spread(labels)?;
            self.check_labels(labels)?;
        } else if self.dimensions.iter().any(|dimension| dimension.along == Along::Group) {
            return Err(contradiction("a dimension has no labels", "labels", "none"));
        }
        for weights in &self.weights {
            self.check_spread(weights)?;
            if let Some(weight) = weights.values.iter().find(|weight| !weight.is_finite()) {
                let error = Error::argument("a weight is not a finite number");
                return Err(error.expected("finite numbers").actual(decimal::text(*weight)));
            }
        }
        if let Some(mask) = &self.mask {
            self.check_spread(mask)?;
        }
        limits::within(
            self.sketched()?,
            limits::CHUNK_BYTES / 8,
            "number of elements that quantiles remember",
        )?;
        match &self.indices {
            Some((at, list)) if self.extent(*at) != Some(list.len()) => {
                let expected = format!("{} indices", self.extent(*at).unwrap_or(0));
                let what = "the indices do not fit their dimension";
                Err(contradiction(what, expected, list.len().to_string()))
            }
            _ => Ok(()),
        }
    }

    /// The number of elements of the box.
    ///
    /// # Errors
    /// `Limit` for more than 64 bits can count.
    pub fn elements(&self) -> Result<u64> {
        limits::product(self.dimensions.iter().map(|at| at.extent as u64), "selection")
    }

    /// The most numbers that the sketches of all cells keep. Each doubling of the numbers of a cell
    /// fills one more list.
    pub(crate) fn sketched(&self) -> Result<u64> {
        let (cells, size) = (self.grid()?.count as u64, self.measures.sketch as u64);
        let filled = self.elements()?.checked_div(cells.saturating_mul(size)).unwrap_or(0);
        let lists = u64::from(u64::BITS.saturating_sub(filled.leading_zeros())).saturating_add(1);
        Ok(cells.saturating_mul(size).saturating_mul(lists).min(self.elements()?))
    }

    fn check_labels(&self, labels: &Spread<u32>) -> Result<()> {
        let is_group = |at: &usize| self.dimensions.get(*at).is_some_and(|of| of.along == Along::Group);
        let grouped = self.dimensions.iter().filter(|dimension| dimension.along == Along::Group).count();
        if grouped != labels.dimensions.len() || !labels.dimensions.iter().all(is_group) {
            let what = "labels are for other dimensions than those that are grouped";
            let expected = format!("{grouped} that are grouped");
            return Err(contradiction(what, expected, format!("{:?}", labels.dimensions)));
        }
        match labels.values.iter().find(|label| **label != NO_GROUP && **label as usize >= self.groups) {
            Some(label) => {
                let expected = format!("labels below {}", self.groups);
                Err(contradiction("a label is not a group", expected, label.to_string()))
            }
            None => Ok(()),
        }
    }

    fn check_spread<T>(&self, spread: &Spread<T>) -> Result<()> {
        let ascends = spread.dimensions.windows(2).all(|pair| matches!(pair, [one, other] if one < other));
        let extents = spread.dimensions.iter().map(|at| self.extent(*at).map(|extent| extent as u64));
        let extents: Option<Vec<u64>> = extents.collect();
        let missing = || {
            let expected = format!("dimensions below {}", self.dimensions.len());
            contradiction("no such dimension", expected, format!("{:?}", spread.dimensions))
        };
        let count = limits::product(extents.ok_or_else(missing)?, "list")?;
        if ascends && count == spread.values.len() as u64 {
            return Ok(());
        }
        let expected = format!("{count} values over ascending dimensions");
        let actual = format!("{} over {:?}", spread.values.len(), spread.dimensions);
        Err(contradiction("a list does not fit its dimensions", expected, actual))
    }

    pub(crate) fn extent(&self, dimension: usize) -> Option<usize> {
        self.dimensions.get(dimension).map(|dimension| dimension.extent)
    }
}
