//! Accumulators: what a cell of the result remembers of the numbers that were added to it.
//!
//! The same numbers in the same order give the same bits. [`Cell::merge`] takes the accumulator of
//! later numbers, so that parts can be added apart and merged in their order.

use super::value::Value;

/// The state of one cell, for one kind of answer.
pub trait Cell<V: Value>: Copy {
    /// The state before any number.
    const EMPTY: Self;

    /// The 64-bit words of a state.
    const WORDS: usize;

    /// Adds a number. `weight` is 1 where there are none; `at` is its index along the dimension
    /// that the caller asks about.
    fn add(&mut self, value: V, weight: f64, at: u64);

    /// Adds numbers of weight 1 whose indices do not matter.
    fn add_all(&mut self, values: &[V]) {
        for value in values {
            self.add(*value, 1.0, 0);
        }
    }

    /// Adds rows of numbers of weight 1 whose indices do not matter. Each row has a number for each
    /// of these states, in their order.
    fn add_rows(cells: &mut [Self], values: &[V]) {
        for row in values.chunks_exact(cells.len().max(1)) {
            cells.iter_mut().zip(row).for_each(|(cell, value)| cell.add(*value, 1.0, 0));
        }
    }

    /// Adds what another state has of later numbers.
    fn merge(&mut self, later: &Self);

    /// Appends the words of the state.
    fn write(&self, words: &mut Vec<u64>);

    /// The state of these words.
    ///
    /// # Panics
    /// When there are fewer than [`WORDS`](Self::WORDS).
    fn read(words: &[u64]) -> Self;
}

/// The count of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count(pub u64);

impl<V: Value> Cell<V> for Count {
    const EMPTY: Self = Self(0);
    const WORDS: usize = 1;

    fn add(&mut self, _value: V, _weight: f64, _at: u64) {
        self.0 += 1;
    }

    fn add_all(&mut self, values: &[V]) {
        self.0 += values.len() as u64;
    }

    fn add_rows(cells: &mut [Self], values: &[V]) {
        let rows = (values.len() / cells.len().max(1)) as u64;
        cells.iter_mut().for_each(|cell| cell.0 += rows);
    }

    fn merge(&mut self, later: &Self) {
        self.0 += later.0;
    }

    fn write(&self, words: &mut Vec<u64>) {
        words.push(self.0);
    }

    fn read(words: &[u64]) -> Self {
        Self(words[0])
    }
}

/// The count of numbers that are not zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nonzero(pub u64);

impl<V: Value> Cell<V> for Nonzero {
    const EMPTY: Self = Self(0);
    const WORDS: usize = 1;

    fn add(&mut self, value: V, _weight: f64, _at: u64) {
        self.0 += u64::from(value != V::ZERO);
    }

    fn merge(&mut self, later: &Self) {
        self.0 += later.0;
    }

    fn write(&self, words: &mut Vec<u64>) {
        words.push(self.0);
    }

    fn read(words: &[u64]) -> Self {
        Self(words[0])
    }
}

/// The exact sum of integers: 2^63 of them fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntegerSum(pub i128);

impl<V: Value> Cell<V> for IntegerSum {
    const EMPTY: Self = Self(0);
    const WORDS: usize = 2;

    fn add(&mut self, value: V, _weight: f64, _at: u64) {
        self.0 += value.to_integer();
    }

    fn merge(&mut self, later: &Self) {
        self.0 += later.0;
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "halves of the bits")]
    fn write(&self, words: &mut Vec<u64>) {
        words.extend([self.0 as u64, (self.0 >> 64) as u64]);
    }

    fn read(words: &[u64]) -> Self {
        Self(i128::from(words[0]) | i128::from(words[1].cast_signed()) << 64)
    }
}

/// A sum of floats with the rounding errors of its additions, which are summed apart (Neumaier).
/// The error of the sum is a few units in the last place of the sum of the absolute numbers, times
/// 2^-53 for each number: far below that of plain summation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatSum {
    sum: f64,
    rest: f64,
}

impl FloatSum {
    /// The sum of nothing.
    pub const ZERO: Self = Self { sum: 0.0, rest: 0.0 };

    /// Adds a number.
    #[inline]
    pub fn plus(&mut self, number: f64) {
        let sum = self.sum + number;
        // The exact error of the addition (Knuth).
        let part = sum - self.sum;
        self.rest += (self.sum - (sum - part)) + (number - part);
        self.sum = sum;
    }

    /// The sum. Infinities give what plain summation gives.
    pub fn total(self) -> f64 {
        if self.sum.is_finite() { self.sum + self.rest } else { self.sum }
    }

    /// The plain sum, and the errors of its additions.
    pub(super) const fn parts(&self) -> (f64, f64) {
        (self.sum, self.rest)
    }

    /// The sum of these parts.
    pub(super) const fn of_parts(sum: f64, rest: f64) -> Self {
        Self { sum, rest }
    }

    fn join(&mut self, later: &Self) {
        self.plus(later.sum);
        self.rest += later.rest;
    }
}

/// The sums to which numbers are added side by side. So many that the compiler makes a loop over
/// registers of it.
const LANES: usize = 64;

/// Sums, and apart from them their rests.
struct Lanes {
    sums: [f64; LANES],
    rests: [f64; LANES],
}

impl Lanes {
    const fn new() -> Self {
        Self { sums: [0.0; LANES], rests: [0.0; LANES] }
    }

    const fn get(&self, at: usize) -> FloatSum {
        FloatSum { sum: self.sums[at], rest: self.rests[at] }
    }

    const fn set(&mut self, at: usize, FloatSum { sum, rest }: FloatSum) {
        self.sums[at] = sum;
        self.rests[at] = rest;
    }

    /// Adds a number to each of the first sums.
    #[inline]
    fn plus<V: Value>(&mut self, values: &[V]) {
        let lanes = self.sums.iter_mut().zip(&mut self.rests).zip(values);
        for ((own_sum, own_rest), value) in lanes {
            let mut lane = FloatSum { sum: *own_sum, rest: *own_rest };
            lane.plus(value.to_float());
            (*own_sum, *own_rest) = (lane.sum, lane.rest);
        }
    }
}

impl<V: Value> Cell<V> for FloatSum {
    const EMPTY: Self = Self::ZERO;
    const WORDS: usize = 2;

    #[inline]
    fn add(&mut self, value: V, _weight: f64, _at: u64) {
        self.plus(value.to_float());
    }

    fn add_all(&mut self, values: &[V]) {
        let mut lanes = Lanes::new();
        values.chunks(LANES).for_each(|values| lanes.plus(values));
        (0..LANES.min(values.len())).for_each(|at| self.join(&lanes.get(at)));
    }

    fn add_rows(cells: &mut [Self], values: &[V]) {
        let width = cells.len().max(1);
        for (block, cells) in cells.chunks_mut(LANES).enumerate() {
            let first = block * LANES;
            let mut lanes = Lanes::new();
            cells.iter().enumerate().for_each(|(at, sum)| lanes.set(at, *sum));
            values.chunks_exact(width).for_each(|row| lanes.plus(&row[first..first + cells.len()]));
            cells.iter_mut().enumerate().for_each(|(at, sum)| *sum = lanes.get(at));
        }
    }

    fn merge(&mut self, later: &Self) {
        self.join(later);
    }

    fn write(&self, words: &mut Vec<u64>) {
        words.extend([self.sum.to_bits(), self.rest.to_bits()]);
    }

    fn read(words: &[u64]) -> Self {
        Self { sum: f64::from_bits(words[0]), rest: f64::from_bits(words[1]) }
    }
}

/// The sum of weights, and of numbers times their weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedSum {
    /// Of the weights.
    pub weights: FloatSum,
    /// Of the numbers times their weights.
    pub products: FloatSum,
}

impl<V: Value> Cell<V> for WeightedSum {
    const EMPTY: Self = Self { weights: FloatSum::ZERO, products: FloatSum::ZERO };
    const WORDS: usize = 4;

    fn add(&mut self, value: V, weight: f64, _at: u64) {
        self.weights.plus(weight);
        self.products.plus(value.to_float() * weight);
    }

    fn merge(&mut self, later: &Self) {
        self.weights.join(&later.weights);
        self.products.join(&later.products);
    }

    fn write(&self, words: &mut Vec<u64>) {
        Cell::<V>::write(&self.weights, words);
        Cell::<V>::write(&self.products, words);
    }

    fn read(words: &[u64]) -> Self {
        let read = <FloatSum as Cell<V>>::read;
        Self { weights: read(&words[..2]), products: read(&words[2..]) }
    }
}

/// The mean, and the sum of squared differences from it (Welford, West).
/// [`merge`](Cell::merge) uses Chan's formula.
///
/// The mean has a rest, which is what its 53 bits leave out. Without it, each difference from the
/// mean of numbers far from zero, such as 1e8 with a deviation of 1, has an error of 1e-8.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// The sum of the weights.
    pub weight: f64,
    /// The mean.
    mean: FloatSum,
    /// The sum of weights times squared differences from the mean.
    pub squares: f64,
}

impl Moments {
    /// The mean, rounded.
    pub const fn mean(&self) -> f64 {
        self.mean.sum
    }

    /// How far a number is from the mean. Numbers near the mean have an exact difference from its
    /// first part.
    #[inline]
    fn difference(&self, number: FloatSum) -> f64 {
        (number.sum - self.mean.sum) + (number.rest - self.mean.rest)
    }

    /// Moves the mean. Its parts do not overlap afterwards.
    #[inline]
    fn move_mean(&mut self, step: f64) {
        self.mean.plus(step);
        let sum = self.mean.sum + self.mean.rest;
        self.mean = FloatSum { sum, rest: self.mean.rest - (sum - self.mean.sum) };
    }
}

impl<V: Value> Cell<V> for Moments {
    const EMPTY: Self = Self { weight: 0.0, mean: FloatSum::ZERO, squares: 0.0 };
    const WORDS: usize = 4;

    fn add(&mut self, value: V, weight: f64, _at: u64) {
        if weight == 0.0 {
            // As in a sum: 0 times infinity is no number.
            self.mean.sum += value.to_float() * weight;
            return;
        }
        let total = self.weight + weight;
        let difference = self.difference(FloatSum { sum: value.to_float(), rest: 0.0 });
        let step = difference * weight / total;
        self.move_mean(step);
        self.squares += self.weight * difference * step;
        self.weight = total;
    }

    fn add_all(&mut self, values: &[V]) {
        // Two passes over numbers that are in the cache are faster than a division for each.
        if values.is_empty() {
            return;
        }
        let mut sum = FloatSum::ZERO;
        sum.add_all(values);
        #[allow(clippy::cast_precision_loss, reason = "rows are short")]
        let weight = values.len() as f64;
        let mean = sum.total() / weight;
        let (mut squares, mut rest) = (FloatSum::ZERO, 0.0);
        for value in values {
            let difference = value.to_float() - mean;
            squares.plus(difference * difference);
            rest += difference;
        }
        // The differences are from the rounded mean. Their own mean is what it lacks.
        let rest = rest / weight;
        let squares = squares.total() - rest * rest * weight;
        Cell::<V>::merge(self, &Self { weight, mean: FloatSum { sum: mean, rest }, squares });
    }

    fn merge(&mut self, later: &Self) {
        let total = self.weight + later.weight;
        if self.weight == 0.0 || later.weight == 0.0 {
            // One of them has no weight. Its mean is 0, or no number.
            let sum = self.mean.sum + later.mean.sum;
            let mean = FloatSum { sum, rest: self.mean.rest + later.mean.rest };
            *self = Self { weight: total, mean, squares: self.squares + later.squares };
            return;
        }
        let difference = self.difference(later.mean);
        self.move_mean(difference * (later.weight / total));
        self.squares += later.squares + difference * difference * (self.weight * later.weight / total);
        self.weight = total;
    }

    fn write(&self, words: &mut Vec<u64>) {
        words.extend([self.weight, self.mean.sum, self.mean.rest, self.squares].map(f64::to_bits));
    }

    fn read(words: &[u64]) -> Self {
        let number = |at: usize| f64::from_bits(words[at]);
        let mean = FloatSum { sum: number(1), rest: number(2) };
        Self { weight: number(0), mean, squares: number(3) }
    }
}

/// The lowest or the highest number, the first of equals, and its index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme<V, const HIGHEST: bool> {
    /// The number; meaningless before the first one.
    pub value: V,
    /// Its index. `u64::MAX` before the first number.
    pub at: u64,
    /// Whether there is one.
    pub is_some: bool,
}

/// The lowest number.
pub type Lowest<V> = Extreme<V, false>;
/// The highest number.
pub type Highest<V> = Extreme<V, true>;

impl<V: Value, const HIGHEST: bool> Cell<V> for Extreme<V, HIGHEST> {
    const EMPTY: Self = Self { value: V::ZERO, at: u64::MAX, is_some: false };
    const WORDS: usize = 3;

    #[inline]
    fn add(&mut self, value: V, _weight: f64, at: u64) {
        let is_better = if HIGHEST { value > self.value } else { value < self.value };
        if !self.is_some || is_better {
            *self = Self { value, at, is_some: true };
        }
    }

    fn add_all(&mut self, values: &[V]) {
        let Some((first, others)) = values.split_first() else { return };
        let better = |one: V, other: V| {
            let is_better = if HIGHEST { other > one } else { other < one };
            if is_better { other } else { one }
        };
        let best = others.iter().fold(*first, |best, value| better(best, *value));
        self.add(best, 1.0, 0);
    }

    fn merge(&mut self, later: &Self) {
        if later.is_some {
            self.add(later.value, 1.0, later.at);
        }
    }

    fn write(&self, words: &mut Vec<u64>) {
        words.extend([self.value.to_bits(), self.at, u64::from(self.is_some)]);
    }

    fn read(words: &[u64]) -> Self {
        Self { value: V::from_bits(words[0]), at: words[1], is_some: words[2] != 0 }
    }
}
