//! The loop over the elements of a part, in the order of memory.
//!
//! It goes run by run. A run is what the last dimension has, or several dimensions at the end if
//! the same happens to all of them. Runs that follow each other and have the same cells, each
//! element its own, are added together: some columns of all of them, then the next columns, so
//! that their cells stay in the cache.

use crate::accumulators::{Accumulators, AnyAccumulators, Kind, kind_of};
use crate::error::{Error, Result};
use crate::kernel::number::NumberType;
use crate::kernel::reduce::cell::Cell;
use crate::kernel::reduce::columns::{COLUMNS, ColumnCells, add_columns};
use crate::kernel::reduce::value::Value;
use crate::kernel::reduce::{Cells, Row};
use crate::limits;
use crate::part::Grid;
use crate::request::{Along, Measures, NO_GROUP, Reduction, Spread};

/// The elements that are handled at once, so that their lists stay in the cache.
const BLOCK: usize = 2048;

/// The columns of runs that are added together, in a block.
const BLOCK_COLUMNS: usize = 512;

impl Reduction {
    /// The accumulators of these elements, which are packed in C order.
    ///
    /// # Errors
    /// `Argument` for a reduction that contradicts itself, and for elements of another size;
    /// `Limit` for more cells than there is memory.
    pub fn add(&self, elements: &[u8]) -> Result<AnyAccumulators> {
        self.check()?;
        let extents = self.dimensions.iter().map(|dimension| dimension.extent as u64);
        let expected = limits::product(extents.chain([self.source.size() as u64]), "part")?;
        if expected != elements.len() as u64 {
            return Err(Error::argument("the elements of a part do not fit its reduction")
                .expected(format!("{expected} bytes"))
                .actual(format!("{} bytes", elements.len())));
        }
        let grid = self.grid()?;
        Ok(match kind_of(self.source) {
            Kind::Signed => AnyAccumulators::Signed(self.added(elements, &grid)?),
            Kind::Unsigned => AnyAccumulators::Unsigned(self.added(elements, &grid)?),
            Kind::Float => AnyAccumulators::Float(self.added(elements, &grid)?),
        })
    }

    fn added<V: Value>(&self, elements: &[u8], grid: &Grid) -> Result<Accumulators<V>> {
        let mut found = Accumulators::new(self, grid.count)?;
        let runs = Runs::of(self, grid);
        if !elements.is_empty() {
            let mut block = Block::new();
            let len = runs.len.saturating_mul(runs.together).saturating_mul(self.source.size());
            runs.for_each(|run, at| {
                let first = at.saturating_mul(len);
                let bytes = elements.get(first..first.saturating_add(len)).unwrap_or_default();
                runs.add(&mut found, &mut block, bytes, run);
            });
        }
        Ok(found)
    }

    /// Whether a list has an entry for each place of a dimension.
    fn is_spread_along(&self, dimension: usize) -> bool {
        let along = |dimensions: &[usize]| dimensions.contains(&dimension);
        self.labels.as_ref().is_some_and(|labels| along(&labels.dimensions))
            || self.weights.iter().any(|weights| along(&weights.dimensions))
            || self.mask.as_ref().is_some_and(|mask| along(&mask.dimensions))
            || self.indices.as_ref().is_some_and(|(at, _)| *at == dimension)
    }
}

/// The runs of a part.
struct Runs<'a> {
    reduction: &'a Reduction,
    grid: &'a Grid,
    /// The dimensions before those of a run.
    outer: usize,
    /// The elements of a run.
    len: usize,
    /// The runs that follow each other and have the same cells.
    together: usize,
    /// The dimensions before those that tell such runs apart.
    apart: usize,
}

/// Where a run is: its place along each dimension before it.
type Places<'a> = &'a [usize];

#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "`check` has fitted all lists to the dimensions, and cells and elements to memory"
)]
impl<'a> Runs<'a> {
    fn of(reduction: &'a Reduction, grid: &'a Grid) -> Self {
        let dimensions = &reduction.dimensions;
        let is_simple = |at: usize| {
            matches!(dimensions[at].along, Along::Keep | Along::Reduce) && !reduction.is_spread_along(at)
        };
        let mut outer = dimensions.len().saturating_sub(1);
        while outer > 0
            && is_simple(outer)
            && is_simple(outer - 1)
            && dimensions[outer].along == dimensions[outer - 1].along
        {
            outer -= 1;
        }
        let len =
            dimensions[outer.min(dimensions.len())..].iter().map(|dimension| dimension.extent).product();
        let is_kept = outer < dimensions.len() && dimensions[outer].along == Along::Keep;
        let mut apart = outer;
        while apart > 0
            && is_kept
            && is_simple(outer)
            && is_simple(apart - 1)
            && dimensions[apart - 1].along == Along::Reduce
        {
            apart -= 1;
        }
        let together = dimensions[apart..outer].iter().map(|dimension| dimension.extent).product();
        Self { reduction, grid, outer, len, together, apart }
    }

    /// Calls `visit` with the places and the index of each run, or of those that are added
    /// together.
    fn for_each(&self, mut visit: impl FnMut(Places<'_>, usize)) {
        let extents: Vec<usize> =
            self.reduction.dimensions[..self.apart].iter().map(|dimension| dimension.extent).collect();
        let mut places = vec![0; self.apart];
        for run in 0..extents.iter().product() {
            visit(&places, run);
            for (place, extent) in places.iter_mut().zip(&extents).rev() {
                *place += 1;
                if *place < *extent {
                    break;
                }
                *place = 0;
            }
        }
    }

    /// The dimension of the run if it is one that lists may have entries for.
    fn inner(&self) -> Option<usize> {
        (self.outer + 1 == self.reduction.dimensions.len()).then_some(self.outer)
    }

    /// The entries of a list for a run: one, or one for each of its elements.
    fn entries<'b, T>(&self, spread: &'b Spread<T>, places: Places<'_>) -> Entries<'b, T> {
        let mut at = 0;
        for dimension in &spread.dimensions {
            let place = places.get(*dimension).copied().unwrap_or(0);
            at = at * self.reduction.dimensions[*dimension].extent + place;
        }
        match (self.inner(), spread.dimensions.last()) {
            (Some(inner), Some(last)) if inner == *last => Entries::Each(&spread.values[at..at + self.len]),
            _ => Entries::One(&spread.values[at]),
        }
    }

    /// The index of the cell in which a run begins. The group, and the dimension along which the
    /// run goes, are not counted.
    fn base(&self, places: Places<'_>) -> usize {
        let dimensions = self.reduction.dimensions.iter().zip(&self.grid.strides);
        let along = places.iter().zip(dimensions).map(|(place, (dimension, stride))| match dimension.along {
            Along::Blocks { size, phase } => (place + phase) / size * stride,
            _ => place * stride,
        });
        along.sum()
    }

    /// Whether nothing but sums of float32 is remembered, of runs that are added together.
    fn has_plain_sums(&self) -> bool {
        let Reduction { source, measures, labels, weights, mask, range, .. } = self.reduction;
        *measures == Measures { sum: true, ..Measures::default() }
            && *source == NumberType::F32
            && self.together > 1
            && (labels.is_none() && weights.is_empty() && mask.is_none() && range.is_none())
    }

    /// Adds runs of float32 whose cells begin with this one.
    #[inline(never)]
    fn add_columns<V: Value>(&self, found: &mut Accumulators<V>, bytes: &[u8], base: usize) {
        let size = self.reduction.source.size();
        for first in (0..self.len).step_by(COLUMNS) {
            let cells = base + first..base + self.len.min(first + COLUMNS);
            let cells = ColumnCells {
                sums: &mut found.floats[cells.clone()],
                used: &mut found.used[cells.clone()],
                missing: &mut found.missing[cells],
            };
            add_columns(cells, bytes, self.len * size, first * size);
        }
    }

    /// Adds a run, or runs that are added together. It and what it calls are functions of their
    /// own, as those of `accumulators.rs` are.
    #[inline(never)]
    fn add<V: Value>(
        &self,
        found: &mut Accumulators<V>,
        block: &mut Block<V>,
        bytes: &[u8],
        places: Places<'_>,
    ) {
        let Reduction { labels, mask, indices, .. } = self.reduction;
        let mut base = self.base(places);
        if self.has_plain_sums() {
            return self.add_columns(found, bytes, base);
        }
        let labels = labels.as_ref().map(|labels| self.entries(labels, places));
        if let Some(Entries::One(label)) = labels {
            if *label == NO_GROUP {
                return;
            }
            base += *label as usize * self.grid.group_stride;
        }
        let mask = mask.as_ref().map(|mask| self.entries(mask, places));
        if let Some(Entries::One(0)) = mask {
            return;
        }
        let weights: Vec<Entries<'_, f64>> =
            self.reduction.weights.iter().map(|weights| self.entries(weights, places)).collect();
        let indices = indices.as_ref().map(|(at, list)| match places.get(*at) {
            Some(place) => Entries::One(&list[*place]),
            None => Entries::Each(list),
        });
        let run = Run { base, labels, mask, weights, indices };
        let source = self.reduction.source;
        let size = source.size();
        let most = if self.together > 1 { BLOCK_COLUMNS } else { BLOCK };
        for first in (0..self.len).step_by(most) {
            let width = most.min(self.len - first);
            let columns = first * size..(first + width) * size;
            for rows in bytes.chunks(BLOCK / width * self.len * size) {
                block.load(rows.chunks(self.len * size).map(|row| &row[columns.clone()]), source);
                block.width = width;
                self.look_up(block, &run, first);
                self.leave_out(found, block, &run, first);
                self.hand_over(found, block, &run, first);
            }
        }
    }

    /// Finds the cells, weights and indices of a block, whose first element is `first` in its run.
    #[inline(never)]
    fn look_up<V: Value>(&self, block: &mut Block<V>, run: &Run<'_>, first: usize) {
        let count = block.values.len();
        block.cells.clear();
        let along = self.inner().map_or(Along::Keep, |inner| self.reduction.dimensions[inner].along);
        let stride = self.inner().map_or(0, |inner| self.grid.strides[inner]);
        match (along, run.labels) {
            (Along::Blocks { size, phase }, _) => {
                let cell = |place| cell_number(run.base + (place + phase) / size * stride);
                block.cells.extend((first..first + count).map(cell));
            }
            (Along::Group, Some(Entries::Each(labels))) => {
                let cell = |label: &u32| match *label {
                    NO_GROUP => NO_GROUP,
                    label => cell_number(run.base + label as usize * self.grid.group_stride),
                };
                block.cells.extend(labels[first..first + count].iter().map(cell));
            }
            _ => {}
        }
        block.weights.clear();
        if !run.weights.is_empty() {
            block.weights.resize(count, 1.0);
            for weights in &run.weights {
                for (at, weight) in block.weights.iter_mut().enumerate() {
                    *weight *= weights.at(first + at);
                }
            }
        }
        block.indices.clear();
        if let Some(indices) = &run.indices {
            block.indices.extend((first..first + count).map(|at| *indices.at(at)));
        }
    }

    /// Whether each element of the run has a cell of its own.
    fn is_kept(&self) -> bool {
        self.reduction.dimensions.last().is_some_and(|dimension| dimension.along == Along::Keep)
    }

    /// Removes the elements that do not count, and counts those that are missing.
    #[inline(never)]
    fn leave_out<V: Value>(
        &self,
        found: &mut Accumulators<V>,
        block: &mut Block<V>,
        run: &Run<'_>,
        first: usize,
    ) {
        let range = self.reduction.range;
        // Most blocks: nothing but NaN may leave out an element.
        let is_plain = run.mask.is_none() && range.is_none() && block.cells.is_empty();
        if is_plain && !block.has_missing() {
            return;
        }
        let is_counted = |at: usize| match &run.mask {
            Some(mask) => *mask.at(first + at) != 0,
            None => true,
        };
        let floats = range.map(|[low, high]| low.least_float()..=high.greatest_float());
        let integers = range.map(|[low, high]| low.least_integer()..=high.greatest_integer());
        let is_inside = |value: V| match V::TYPE {
            NumberType::F64 => floats.as_ref().is_none_or(|range| range.contains(&value.to_float())),
            _ => integers.as_ref().is_none_or(|range| range.contains(&value.to_integer())),
        };
        let is_usable = |at: usize, value: V, cell: Option<&u32>| {
            is_counted(at) && cell != Some(&NO_GROUP) && !value.is_missing() && is_inside(value)
        };
        let all = block.values.iter().enumerate();
        if all.clone().all(|(at, value)| is_usable(at, *value, block.cells.get(at))) {
            return;
        }
        // What is left of a row needs a list of its cells.
        let needs_list = block.cells.is_empty() && self.is_kept();
        let (mut kept, mut column) = (0, 0);
        for at in 0..block.values.len() {
            let value = block.values[at];
            let cell = match block.cells.get(at) {
                Some(cell) if !needs_list => *cell,
                _ if needs_list => cell_number(run.base + first + column),
                _ => cell_number(run.base),
            };
            column = if column + 1 == block.width { 0 } else { column + 1 };
            if is_usable(at, value, Some(&cell)) {
                block.values[kept] = value;
                block.keep(kept, at, cell, needs_list);
                kept += 1;
            } else if value.is_missing() && is_counted(at) && cell != NO_GROUP {
                Cell::<V>::add(&mut found.missing[cell as usize], value, 1.0, 0);
            }
        }
        block.cut(kept);
    }

    /// Adds what is left of a block.
    fn hand_over<V: Value>(
        &self,
        found: &mut Accumulators<V>,
        block: &Block<V>,
        run: &Run<'_>,
        first: usize,
    ) {
        let cells = if !block.cells.is_empty() {
            Cells::Listed(&block.cells)
        } else if self.is_kept() {
            Cells::Each { first: run.base + first, width: block.width }
        } else {
            Cells::One(run.base)
        };
        let weights = (!block.weights.is_empty()).then_some(&*block.weights);
        let indices = (!block.indices.is_empty()).then_some(&*block.indices);
        if !block.values.is_empty() {
            found.add(&Row { values: &block.values, cells, weights, indices });
        }
    }
}

/// A cell in a list. There are fewer than 2^27.
#[allow(clippy::cast_possible_truncation, reason = "`grid` bounds the number of cells")]
const fn cell_number(cell: usize) -> u32 {
    cell as u32
}

/// What a list has for a run.
enum Entries<'a, T> {
    /// The same for all elements.
    One(&'a T),
    /// One for each element.
    Each(&'a [T]),
}

impl<T> Clone for Entries<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Entries<'_, T> {}

impl<'a, T> Entries<'a, T> {
    #[allow(clippy::indexing_slicing, reason = "an entry for each element of the run")]
    fn at(&self, element: usize) -> &'a T {
        match self {
            Self::One(entry) => entry,
            Self::Each(entries) => &entries[element],
        }
    }
}

/// A run and what the lists have for it.
struct Run<'a> {
    /// The cell of its first element.
    base: usize,
    labels: Option<Entries<'a, u32>>,
    mask: Option<Entries<'a, u8>>,
    weights: Vec<Entries<'a, f64>>,
    indices: Option<Entries<'a, u64>>,
}

/// Some elements of a run, or of runs that are added together. A list is empty if it is not
/// needed.
struct Block<V> {
    values: Vec<V>,
    /// The elements of one run: those of the next one have the same cells.
    width: usize,
    /// The cell of each element. Empty: each has its own, or all have the same.
    cells: Vec<u32>,
    weights: Vec<f64>,
    indices: Vec<u64>,
}

#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "lists of one length")]
impl<V: Value> Block<V> {
    const fn new() -> Self {
        Self { values: Vec::new(), width: 0, cells: Vec::new(), weights: Vec::new(), indices: Vec::new() }
    }

    /// Takes rows of elements of this type.
    #[inline(never)]
    fn load<'a>(&mut self, rows: impl Iterator<Item = &'a [u8]>, source: NumberType) {
        self.values.clear();
        rows.for_each(|row| V::extend(&mut self.values, row, source));
    }

    /// Whether a number is missing. Without an early end, the loop fills registers.
    fn has_missing(&self) -> bool {
        self.values.iter().fold(false, |found, value| found | value.is_missing())
    }

    /// Moves the entries of element `from` to element `to`. Appends its cell if a list is `begun`.
    fn keep(&mut self, to: usize, from: usize, cell: u32, begun: bool) {
        if begun {
            self.cells.push(cell);
        } else if !self.cells.is_empty() {
            self.cells[to] = cell;
        }
        if !self.weights.is_empty() {
            self.weights[to] = self.weights[from];
        }
        if !self.indices.is_empty() {
            self.indices[to] = self.indices[from];
        }
    }

    /// Drops all elements but the first.
    fn cut(&mut self, count: usize) {
        self.values.truncate(count);
        self.cells.truncate(count);
        self.weights.truncate(count);
        self.indices.truncate(count);
    }
}
