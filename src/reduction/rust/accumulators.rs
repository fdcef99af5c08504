//! What is remembered of each cell: a list of accumulators for each measure that was asked for.

use crate::error::{Error, Result};
use crate::format::words::Words;
use crate::kernel::number::NumberType;
use crate::kernel::reduce::cell::{
    Cell, Count, FloatSum, Highest, IntegerSum, Lowest, Moments, Nonzero, WeightedSum,
};
use crate::kernel::reduce::value::Value;
use crate::kernel::reduce::{Cells, Row, add_row};
use crate::limits;
use crate::quantiles::Sketch;
use crate::request::Reduction;

/// The accumulators of all cells. A list is empty if it was not asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Accumulators<V> {
    /// The numbers that were used.
    pub used: Vec<Count>,
    /// The missing numbers.
    pub missing: Vec<Count>,
    /// The sums of integers without weights.
    pub integers: Vec<IntegerSum>,
    /// The sums of floats without weights.
    pub floats: Vec<FloatSum>,
    /// The sums with weights.
    pub weighted: Vec<WeightedSum>,
    /// The means and squared differences.
    pub moments: Vec<Moments>,
    /// The lowest numbers.
    pub lowest: Vec<Lowest<V>>,
    /// The highest numbers.
    pub highest: Vec<Highest<V>>,
    /// The counts of numbers that are not zero.
    pub nonzero: Vec<Nonzero>,
    /// Numbers for quantiles.
    pub sketches: Vec<Sketch>,
    /// The length of a full list of a sketch.
    capacity: usize,
    /// Whether numbers have weights. Without cells all lists are empty.
    pub is_weighted: bool,
}

// The loops over all cells are functions of their own. Browsers optimise a function when it is hot,
// which takes half a second if all of them are in it.

/// An empty accumulator for each cell, if they are wanted.
#[inline(never)]
fn empty<V: Value, A: Cell<V>>(is_wanted: bool, cells: usize) -> Result<Vec<A>> {
    let mut list = Vec::new();
    if is_wanted {
        limits::reserve(&mut list, cells, "accumulators")?;
        list.resize(cells, A::EMPTY);
    }
    Ok(list)
}

fn empty_sketches(are_wanted: bool, cells: usize) -> Result<Vec<Sketch>> {
    let mut list = Vec::new();
    if are_wanted {
        limits::reserve(&mut list, cells, "sketches")?;
        list.resize(cells, Sketch::default());
    }
    Ok(list)
}

#[inline(never)]
fn merge<V: Value, A: Cell<V>>(into: &mut [A], later: &[A], cells: &[usize]) {
    for (later, cell) in later.iter().zip(cells) {
        if let Some(cell) = into.get_mut(*cell) {
            cell.merge(later);
        }
    }
}

#[inline(never)]
fn write<V: Value, A: Cell<V>>(list: &[A], words: &mut Vec<u64>) {
    list.iter().for_each(|cell| cell.write(words));
}

#[inline(never)]
fn read<V: Value, A: Cell<V>>(list: &mut [A], words: &mut Words<'_, u64>) -> Result<()> {
    for cell in list {
        *cell = A::read(words.take(A::WORDS)?);
    }
    Ok(())
}

impl<V: Value> Accumulators<V> {
    /// Those of no elements.
    ///
    /// # Errors
    /// `Limit` for more cells than there is memory.
    pub fn new(reduction: &Reduction, cells: usize) -> Result<Self> {
        let (measures, is_weighted) = (reduction.measures, !reduction.weights.is_empty());
        let is_float = V::TYPE == NumberType::F64;
        Ok(Self {
            used: empty::<V, _>(true, cells)?,
            missing: empty::<V, _>(true, cells)?,
            integers: empty::<V, _>(measures.sum && !is_weighted && !is_float, cells)?,
            floats: empty::<V, _>(measures.sum && !is_weighted && is_float, cells)?,
            weighted: empty::<V, _>(measures.sum && is_weighted, cells)?,
            moments: empty::<V, _>(measures.moments, cells)?,
            lowest: empty(measures.lowest, cells)?,
            highest: empty(measures.highest, cells)?,
            nonzero: empty::<V, _>(measures.nonzero, cells)?,
            sketches: empty_sketches(measures.sketch > 0, cells)?,
            capacity: measures.sketch,
            is_weighted,
        })
    }

    /// The words of a cell, without those of its sketch.
    fn cell_words(reduction: &Reduction) -> usize {
        fn of<V: Value, A: Cell<V>>(is_wanted: bool) -> usize {
            if is_wanted { A::WORDS } else { 0 }
        }
        let (measures, is_weighted) = (reduction.measures, !reduction.weights.is_empty());
        let is_float = V::TYPE == NumberType::F64;
        [
            of::<V, Count>(true),
            of::<V, Count>(true),
            of::<V, IntegerSum>(measures.sum && !is_weighted && !is_float),
            of::<V, FloatSum>(measures.sum && !is_weighted && is_float),
            of::<V, WeightedSum>(measures.sum && is_weighted),
            of::<V, Moments>(measures.moments),
            of::<V, Lowest<V>>(measures.lowest),
            of::<V, Highest<V>>(measures.highest),
            of::<V, Nonzero>(measures.nonzero),
        ]
        .into_iter()
        .fold(0, usize::saturating_add)
    }

    /// Adds a row of numbers, of which none is missing.
    pub(crate) fn add(&mut self, row: &Row<'_, V>) {
        fn each<V: Value, A: Cell<V>>(list: &mut [A], row: &Row<'_, V>) {
            if !list.is_empty() {
                add_row(list, row);
            }
        }
        // Weights and indices are left out where they do not matter: the loops without them are
        // faster.
        let plain = Row { weights: None, indices: None, ..*row };
        each(&mut self.used, &plain);
        each(&mut self.integers, &plain);
        each(&mut self.floats, &plain);
        each(&mut self.weighted, &Row { indices: None, ..*row });
        each(&mut self.moments, &Row { indices: None, ..*row });
        each(&mut self.lowest, &Row { weights: None, ..*row });
        each(&mut self.highest, &Row { weights: None, ..*row });
        each(&mut self.nonzero, &plain);
        self.sketch(row);
    }

    /// Adds the numbers of a row to sketches.
    fn sketch(&mut self, row: &Row<'_, V>) {
        if self.sketches.is_empty() {
            return;
        }
        for (at, value) in row.values.iter().enumerate() {
            let cell = match row.cells {
                Cells::One(cell) => Some(cell),
                Cells::Each { first, width } => at.checked_rem(width).and_then(|at| first.checked_add(at)),
                Cells::Listed(list) => list.get(at).map(|cell| *cell as usize),
            };
            if let Some(sketch) = cell.and_then(|cell| self.sketches.get_mut(cell)) {
                sketch.add(value.to_float(), self.capacity);
            }
        }
    }

    /// Adds what was remembered of later elements. `cells` has the number of each of its cells
    /// here.
    pub fn merge(&mut self, later: &Self, cells: &[usize]) {
        merge::<V, _>(&mut self.used, &later.used, cells);
        merge::<V, _>(&mut self.missing, &later.missing, cells);
        merge::<V, _>(&mut self.integers, &later.integers, cells);
        merge::<V, _>(&mut self.floats, &later.floats, cells);
        merge::<V, _>(&mut self.weighted, &later.weighted, cells);
        merge::<V, _>(&mut self.moments, &later.moments, cells);
        merge(&mut self.lowest, &later.lowest, cells);
        merge(&mut self.highest, &later.highest, cells);
        merge::<V, _>(&mut self.nonzero, &later.nonzero, cells);
        for (later, cell) in later.sketches.iter().zip(cells) {
            if let Some(sketch) = self.sketches.get_mut(*cell) {
                sketch.merge(later, self.capacity);
            }
        }
    }

    /// As words, in which they cross.
    ///
    /// # Errors
    /// `Limit` for more than there is memory.
    pub fn to_words(&self, reduction: &Reduction) -> Result<Vec<u64>> {
        let mut words = Vec::new();
        let sketches = self.sketches.iter().map(Sketch::words).fold(0, usize::saturating_add);
        let cells = self.used.len().saturating_mul(Self::cell_words(reduction));
        limits::reserve(&mut words, cells.saturating_add(sketches), "accumulators")?;
        write::<V, _>(&self.used, &mut words);
        write::<V, _>(&self.missing, &mut words);
        write::<V, _>(&self.integers, &mut words);
        write::<V, _>(&self.floats, &mut words);
        write::<V, _>(&self.weighted, &mut words);
        write::<V, _>(&self.moments, &mut words);
        write(&self.lowest, &mut words);
        write(&self.highest, &mut words);
        write::<V, _>(&self.nonzero, &mut words);
        self.sketches.iter().for_each(|sketch| sketch.write(&mut words));
        Ok(words)
    }

    /// Those of a reduction with so many cells, from their words.
    ///
    /// # Errors
    /// `Argument` for words of another reduction.
    pub fn from_words(words: &[u64], reduction: &Reduction, cells: usize) -> Result<Self> {
        let count = words.len();
        Self::read(words, reduction, cells).map_err(|error| {
            let error = error.expected(format!("the words of {cells} cells"));
            error.actual(format!("{count} words that are not"))
        })
    }

    fn read(words: &[u64], reduction: &Reduction, cells: usize) -> Result<Self> {
        let malformed = || Error::argument("the accumulators of a part do not fit its reduction");
        let mut found = Self::new(reduction, cells)?;
        let mut words = Words::new(words, malformed);
        read::<V, _>(&mut found.used, &mut words)?;
        read::<V, _>(&mut found.missing, &mut words)?;
        read::<V, _>(&mut found.integers, &mut words)?;
        read::<V, _>(&mut found.floats, &mut words)?;
        read::<V, _>(&mut found.weighted, &mut words)?;
        read::<V, _>(&mut found.moments, &mut words)?;
        read(&mut found.lowest, &mut words)?;
        read(&mut found.highest, &mut words)?;
        read::<V, _>(&mut found.nonzero, &mut words)?;
        for sketch in &mut found.sketches {
            *sketch = Sketch::read(&mut words)?;
        }
        if words.rest().is_empty() { Ok(found) } else { Err(malformed()) }
    }
}

/// Accumulators of one of the three types of numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyAccumulators {
    /// Of booleans and signed integers.
    Signed(Accumulators<i64>),
    /// Of unsigned integers.
    Unsigned(Accumulators<u64>),
    /// Of floats.
    Float(Accumulators<f64>),
}

/// Does the same with accumulators of each type.
macro_rules! with_each {
    ($any:expr, $found:ident => $done:expr) => {
        match $any {
            AnyAccumulators::Signed($found) => $done,
            AnyAccumulators::Unsigned($found) => $done,
            AnyAccumulators::Float($found) => $done,
        }
    };
}
pub(crate) use with_each;

impl AnyAccumulators {
    /// Those of no elements.
    ///
    /// # Errors
    /// `Limit` for more cells than there is memory.
    pub fn new(reduction: &Reduction) -> Result<Self> {
        let cells = reduction.grid()?.count;
        Ok(match kind_of(reduction.source) {
            Kind::Signed => Self::Signed(Accumulators::new(reduction, cells)?),
            Kind::Unsigned => Self::Unsigned(Accumulators::new(reduction, cells)?),
            Kind::Float => Self::Float(Accumulators::new(reduction, cells)?),
        })
    }

    /// Those of a part, from their words.
    ///
    /// # Errors
    /// `Argument` for words of another reduction.
    pub fn from_words(words: &[u64], reduction: &Reduction) -> Result<Self> {
        let cells = reduction.grid()?.count;
        Ok(match kind_of(reduction.source) {
            Kind::Signed => Self::Signed(Accumulators::from_words(words, reduction, cells)?),
            Kind::Unsigned => Self::Unsigned(Accumulators::from_words(words, reduction, cells)?),
            Kind::Float => Self::Float(Accumulators::from_words(words, reduction, cells)?),
        })
    }

    /// As words. `reduction` is the one that they are of.
    ///
    /// # Errors
    /// `Limit` for more than there is memory.
    pub fn to_words(&self, reduction: &Reduction) -> Result<Vec<u64>> {
        with_each!(self, found => found.to_words(reduction))
    }

    fn type_name(&self) -> &'static str {
        match self {
            Self::Signed(_) => "signed integers",
            Self::Unsigned(_) => "unsigned integers",
            Self::Float(_) => "floats",
        }
    }

    /// Adds those of later elements.
    ///
    /// # Errors
    /// `Argument` for those of another type.
    pub fn merge(&mut self, later: &Self, cells: &[usize]) -> Result<()> {
        match (self, later) {
            (Self::Signed(own), Self::Signed(later)) => own.merge(later, cells),
            (Self::Unsigned(own), Self::Unsigned(later)) => own.merge(later, cells),
            (Self::Float(own), Self::Float(later)) => own.merge(later, cells),
            (own, later) => {
                let error = Error::argument("accumulators are of another type");
                return Err(error.expected(own.type_name()).actual(later.type_name()));
            }
        }
        Ok(())
    }
}

impl Reduction {
    /// The bytes that the accumulators of all cells take at most.
    ///
    /// # Errors
    /// `Limit` for too many cells.
    pub fn accumulator_bytes(&self) -> Result<u64> {
        let words = match kind_of(self.source) {
            Kind::Signed => Accumulators::<i64>::cell_words(self),
            Kind::Unsigned => Accumulators::<u64>::cell_words(self),
            Kind::Float => Accumulators::<f64>::cell_words(self),
        };
        let cells = (self.grid()?.count as u64).saturating_mul(words as u64);
        Ok(cells.saturating_add(self.sketched()?).saturating_mul(8))
    }
}

/// The type in which numbers are reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Signed,
    Unsigned,
    Float,
}

/// The sums of booleans are signed, as NumPy's.
pub(crate) fn kind_of(source: NumberType) -> Kind {
    match source {
        source if source.is_float() => Kind::Float,
        source if source.is_signed() || source == NumberType::Bool => Kind::Signed,
        _ => Kind::Unsigned,
    }
}
