//! One reduction of a whole read: merges what its parts remember.
//!
//! Merging floats is not associative. So parts are merged in the order of the plan, whichever
//! arrives first; those that arrive early wait.

use std::collections::BTreeMap;

use crate::accumulators::AnyAccumulators;
use crate::answer::{Answer, Question, Settings};
use crate::error::{Error, Result};
use crate::limits;
use crate::part::Grid;
use crate::request::Reduction;

/// A part: its box within the selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The first place along each dimension.
    pub start: Vec<usize>,
    /// The extent along each dimension.
    pub shape: Vec<usize>,
}

/// The cells of a reduction with these groups, by their numbers in one with `count` groups.
fn regrouped(before: &Grid, groups: &[usize], count: usize) -> Vec<usize> {
    if groups.is_empty() {
        return (0..before.count).collect();
    }
    let inner = before.group_stride;
    let rows = before.count.checked_div(inner.saturating_mul(groups.len())).unwrap_or(0);
    let mut cells = Vec::new();
    for row in 0..rows {
        for group in groups {
            let first = row.saturating_mul(count).saturating_add(*group).saturating_mul(inner);
            cells.extend(first..first.saturating_add(inner));
        }
    }
    cells
}

/// A reduction while its parts arrive.
pub struct Session {
    whole: Reduction,
    total: AnyAccumulators,
    /// The index of the part that is merged next.
    next: u64,
    /// The elements of the parts that are merged.
    merged: u64,
    /// What arrived before its turn.
    early: BTreeMap<u64, (Part, AnyAccumulators)>,
}

impl Session {
    /// A reduction of which nothing has arrived.
    ///
    /// # Errors
    /// `Argument` for one that contradicts itself; `Limit` if the accumulators of all cells take
    /// more than `most` bytes.
    pub fn new(whole: Reduction, most: u64) -> Result<Self> {
        whole.check()?;
        limits::within(whole.accumulator_bytes()?, most, "memory of the reduction's accumulators")?;
        let total = AnyAccumulators::new(&whole)?;
        Ok(Self { whole, total, next: 0, merged: 0, early: BTreeMap::new() })
    }

    /// Continues from what another reduction with the same cells remembered. Its groups may be
    /// fewer: `groups` has the index of each of them among those of this one, and is empty if there
    /// are none.
    ///
    /// # Errors
    /// `Argument` for words of another reduction, and after the first part.
    pub fn resume(&mut self, words: &[u64], groups: &[usize]) -> Result<()> {
        if self.next > 0 || !self.early.is_empty() {
            let taken = self.next.saturating_add(self.early.len() as u64);
            let error = Error::argument("a reduction that has begun cannot go on from another");
            return Err(error.expected("one without parts").actual(format!("{taken} parts")));
        }
        let before = Reduction { groups: groups.len(), ..self.whole.clone() };
        let is_grouped = self.whole.labels.is_some();
        if (!groups.is_empty() && !is_grouped) || groups.iter().any(|at| *at >= self.whole.groups) {
            let expected = if is_grouped { self.whole.groups } else { 0 };
            return Err(Error::argument("a reduction cannot go on from one with other groups")
                .expected(format!("groups below {expected}"))
                .actual(format!("{groups:?}")));
        }
        let cells = regrouped(&before.grid()?, groups, self.whole.groups);
        self.total.merge(&AnyAccumulators::from_words(words, &before)?, &cells)
    }

    /// What is remembered of all parts that are merged, for [`resume`](Self::resume).
    ///
    /// # Errors
    /// `Limit` for more than there is memory.
    pub fn words(&self) -> Result<Vec<u64>> {
        self.total.to_words(&self.whole)
    }

    /// What a part contributes to.
    ///
    /// # Errors
    /// `Argument` for a part outside of the reduction.
    pub fn within(&self, part: &Part) -> Result<Reduction> {
        self.whole.within(&part.start, &part.shape)
    }

    /// Takes what a part remembers. `index` is that in the plan, from 0 on.
    ///
    /// # Errors
    /// `Argument` for a part that was taken already, and for one of another reduction.
    pub fn take(&mut self, index: u64, part: Part, words: &[u64]) -> Result<()> {
        let found = AnyAccumulators::from_words(words, &self.within(&part)?)?;
        self.arrived(index, part, found)
    }

    /// Adds a part here. `index` is that in the plan, `elements` are packed in C order.
    ///
    /// # Errors
    /// As [`take`](Self::take), and as [`Reduction::add`].
    pub fn take_elements(&mut self, index: u64, part: Part, elements: &[u8]) -> Result<()> {
        let found = self.within(&part)?.add(elements)?;
        self.arrived(index, part, found)
    }

    /// Merges the parts whose turn it is.
    fn arrived(&mut self, index: u64, part: Part, found: AnyAccumulators) -> Result<()> {
        if index < self.next || self.early.insert(index, (part, found)).is_some() {
            return Err(Error::argument("a part arrived twice")
                .expected(format!("part {} or a later one, once", self.next))
                .actual(format!("part {index} again")));
        }
        while let Some((part, found)) = self.early.remove(&self.next) {
            let cells = self.whole.cells_of(&part.start, &self.within(&part)?)?;
            self.total.merge(&found, &cells)?;
            let elements = limits::product(part.shape.iter().map(|extent| *extent as u64), "part")?;
            self.merged = self.merged.saturating_add(elements);
            self.next = self.next.saturating_add(1);
        }
        Ok(())
    }

    /// The elements that answers are made of: those of the parts that are merged.
    pub fn merged(&self) -> u64 {
        self.merged
    }

    /// The answers to a question, by the parts that are merged.
    ///
    /// # Errors
    /// `Limit` for a sum of integers that does not fit 64 bits; `Argument` for what was not asked.
    pub fn answer(&self, question: Question, settings: Settings) -> Result<Answer> {
        self.total.answer(question, settings)
    }
}
