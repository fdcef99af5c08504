//! Quantiles of a stream of numbers in little memory (Munro and Paterson; Manku, Rajagopalan and
//! Lindsay). As long as the numbers are few, all are kept, and quantiles are exact.
//!
//! A full list is sorted, and every other number of it goes to the next list, where each stands
//! for two. That moves the rank of any number by at most the weight of one. Which of a pair stays
//! alternates, so that the errors tend to cancel out. Everything follows from the order of the
//! numbers: the same order gives the same quantiles.

use crate::error::Result;
use crate::format::words::Words;
use crate::limits;

/// Numbers, of which some stand for others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sketch {
    /// Lists of numbers, each of which stands for 2^i, where `i` is the index of its list.
    levels: Vec<Vec<f64>>,
    /// How often a list was halved. Odd or even tells which of each pair stays next.
    halvings: Vec<u64>,
}

impl Sketch {
    /// Adds a number. `capacity` is the length of a full list.
    pub fn add(&mut self, number: f64, capacity: usize) {
        self.level(0).push(number);
        self.settle(capacity);
    }

    /// Adds the numbers of another sketch.
    pub fn merge(&mut self, later: &Self, capacity: usize) {
        for (at, list) in later.levels.iter().enumerate() {
            self.level(at).extend(list);
        }
        for (own, later) in self.halvings.iter_mut().zip(&later.halvings) {
            *own = own.saturating_add(*later);
        }
        self.settle(capacity);
    }

    fn level(&mut self, at: usize) -> &mut Vec<f64> {
        while self.levels.len() <= at {
            self.levels.push(Vec::new());
            self.halvings.push(0);
        }
        // There is one now.
        #[allow(clippy::indexing_slicing)]
        &mut self.levels[at]
    }

    /// Halves the lists that are full.
    fn settle(&mut self, capacity: usize) {
        let mut at = 0_usize;
        while let Some(list) = self.levels.get_mut(at).filter(|list| list.len() > capacity.max(1)) {
            list.sort_by(f64::total_cmp);
            // One number of an odd list stays where it is.
            let stays = if list.len().is_multiple_of(2) { None } else { list.pop() };
            let halvings = self.halvings.get_mut(at);
            let is_odd = halvings.as_ref().is_some_and(|count| !count.is_multiple_of(2));
            let half: Vec<f64> = list.iter().skip(usize::from(is_odd)).step_by(2).copied().collect();
            *list = stays.into_iter().collect();
            if let Some(count) = halvings {
                *count = count.saturating_add(1);
            }
            at = at.saturating_add(1);
            self.level(at).extend(half);
        }
    }

    /// By how much the share of numbers below a quantile may differ from what was asked.
    #[allow(clippy::cast_precision_loss, reason = "a bound")]
    pub fn rank_error(&self) -> f64 {
        let count = self.count();
        let moved = self.halvings.iter().enumerate();
        let moved: f64 = moved.map(|(at, count)| *count as f64 * weight_of(at)).sum();
        if count > 0.0 { moved / count } else { 0.0 }
    }

    /// The count of numbers that were added.
    #[allow(clippy::cast_precision_loss, reason = "lists are in memory")]
    fn count(&self) -> f64 {
        self.levels.iter().enumerate().map(|(at, list)| list.len() as f64 * weight_of(at)).sum()
    }

    /// The number below which this share of the numbers is. Between two numbers it interpolates, as
    /// NumPy does by default. NaN if there are none.
    pub fn quantile(&self, share: f64) -> f64 {
        let mut all = Vec::new();
        for (at, list) in self.levels.iter().enumerate() {
            all.extend(list.iter().map(|number| (*number, weight_of(at))));
        }
        all.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let rank = share * (self.count() - 1.0);
        // The rank of the first number that an entry stands for.
        let mut first = 0.0;
        let mut before: Option<f64> = None;
        for (number, weight) in all {
            if rank < first {
                // Between the last one of the entry before, and the first one of this.
                return before.map_or(number, |before| between(before, number, rank - (first - 1.0)));
            }
            first += weight;
            before = Some(number);
            if rank <= first - 1.0 {
                return number;
            }
        }
        before.unwrap_or(f64::NAN)
    }

    /// The number of the sketch's words.
    pub fn words(&self) -> usize {
        let lists = self.levels.iter().map(|list| list.len().saturating_add(2));
        lists.fold(1, usize::saturating_add)
    }

    /// Appends the words of the sketch.
    pub fn write(&self, words: &mut Vec<u64>) {
        words.push(self.levels.len() as u64);
        for (list, halvings) in self.levels.iter().zip(&self.halvings) {
            words.extend([list.len() as u64, *halvings]);
            words.extend(list.iter().map(|number| number.to_bits()));
        }
    }

    /// The sketch of these words.
    ///
    /// # Errors
    /// When there are fewer.
    pub fn read(words: &mut Words<'_, u64>) -> Result<Self> {
        let mut found = Self::default();
        let [levels] = words.fixed()?;
        for _ in 0..*levels {
            let [len, halvings] = words.fixed()?;
            let list = words.take(limits::to_usize(*len, "sketch")?)?;
            found.levels.push(list.iter().map(|bits| f64::from_bits(*bits)).collect());
            found.halvings.push(*halvings);
        }
        Ok(found)
    }
}

/// How many numbers one in the list of this index stands for. There are at most 64 lists.
fn weight_of(at: usize) -> f64 {
    let exponent = i32::try_from(at).unwrap_or(1023).min(1023);
    crate::kernel::number::power_of_two(exponent)
}

/// A number between two others, as NumPy interpolates. Beside an infinite number it is infinite, as
/// NumPy's medians are.
fn between(low: f64, high: f64, share: f64) -> f64 {
    let difference = high - low;
    if !difference.is_finite() {
        return low * (1.0 - share) + high * share;
    }
    if share >= 0.5 { high - difference * (1.0 - share) } else { low + difference * share }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Sketch;

    /// As NumPy computes it.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn exact(sorted: &[f64], share: f64) -> f64 {
        let rank = share * (sorted.len() - 1) as f64;
        let low = rank.floor() as usize;
        let high = (low + 1).min(sorted.len() - 1);
        sorted[low] + (sorted[high] - sorted[low]) * (rank - low as f64)
    }

    proptest! {
        #[test]
        fn few_numbers_are_exact(mut numbers in prop::collection::vec(-99_i32..99, 1..60), share in 0.0..=1.0) {
            let mut sketch = Sketch::default();
            numbers.iter().for_each(|number| sketch.add(f64::from(*number), 64));
            numbers.sort_unstable();
            let sorted: Vec<f64> = numbers.into_iter().map(f64::from).collect();
            prop_assert!((sketch.quantile(share) - exact(&sorted, share)).abs() < 1e-9);
            prop_assert_eq!(sketch.rank_error(), 0.0);
        }

        #[test]
        #[allow(clippy::cast_precision_loss)]
        fn the_rank_error_is_a_bound(numbers in prop::collection::vec(-9999_i32..9999, 1..3000), at in 0_usize..3000, share in 0.0..=1.0) {
            let (first, second) = numbers.split_at(at.min(numbers.len()));
            let sketch = |numbers: &[i32]| {
                let mut sketch = Sketch::default();
                numbers.iter().for_each(|number| sketch.add(f64::from(*number), 40));
                sketch
            };
            let mut whole = sketch(first);
            whole.merge(&sketch(second), 40);
            let mut words = Vec::new();
            whole.write(&mut words);
            let mut read = crate::format::words::Words::new(&words, || crate::error::Error::argument("few"));
            prop_assert_eq!(&Sketch::read(&mut read).unwrap(), &whole);
            let (found, count) = (whole.quantile(share), numbers.len() as f64);
            let below = numbers.iter().filter(|number| f64::from(**number) < found).count() as f64;
            let upto = numbers.iter().filter(|number| f64::from(**number) <= found).count() as f64;
            let slack = whole.rank_error() * count + 1.0;
            prop_assert!(below - slack <= share * (count - 1.0) && share * (count - 1.0) <= upto + slack);
        }
    }
}
