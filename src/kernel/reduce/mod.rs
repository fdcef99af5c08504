//! Reduces numbers: adds each to the accumulator of its cell, in the order of memory.
//!
//! A box of numbers is a list of rows. Each row says which cells its numbers belong to: one for
//! all, one for each, or a list. [`value`] has the types of numbers, [`cell`] the accumulators,
//! [`columns`] a faster loop for the most frequent case.

pub mod cell;
pub mod columns;
pub mod value;

use cell::Cell;
use value::Value;

/// The cells of a row's numbers.
#[derive(Clone, Copy, Debug)]
pub enum Cells<'a> {
    /// All belong to this cell.
    One(usize),
    /// Each to a cell of its own, from `first` on. After `width` numbers the cells begin again.
    Each {
        /// The cell of the first number.
        first: usize,
        /// The numbers of which each has another cell. It divides the length of the row.
        width: usize,
    },
    /// Each to the cell at its index in the list.
    Listed(&'a [u32]),
}

/// Numbers that follow each other in memory. All lists have an entry for each number.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a, V> {
    /// The numbers.
    pub values: &'a [V],
    /// Their cells.
    pub cells: Cells<'a>,
    /// Their weights.
    pub weights: Option<&'a [f64]>,
    /// Their indices along the dimension that the caller asks about.
    pub indices: Option<&'a [u64]>,
}

/// Adds a row to accumulators.
///
/// # Panics
/// When a cell is outside the accumulators, or a list has another length than the row.
#[inline(never)]
pub fn add_row<V: Value, A: Cell<V>>(accumulators: &mut [A], row: &Row<'_, V>) {
    let Row { values, cells, weights, indices } = *row;
    assert!(weights.is_none_or(|list| list.len() == values.len()), "a weight for each number");
    assert!(indices.is_none_or(|list| list.len() == values.len()), "an index for each number");
    let weight = |at: usize| weights.map_or(1.0, |list| list[at]);
    let index = |at: usize| indices.map_or(0, |list| list[at]);
    match cells {
        Cells::One(cell) if weights.is_none() && indices.is_none() => accumulators[cell].add_all(values),
        Cells::One(cell) => {
            let cell = &mut accumulators[cell];
            values.iter().enumerate().for_each(|(at, value)| cell.add(*value, weight(at), index(at)));
        }
        Cells::Each { first, width } if weights.is_none() && indices.is_none() => {
            A::add_rows(&mut accumulators[first..first + width], values);
        }
        Cells::Each { first, width } => {
            let cells = &mut accumulators[first..first + width];
            for (at, value) in values.iter().enumerate() {
                cells[at % width].add(*value, weight(at), index(at));
            }
        }
        Cells::Listed(list) => {
            assert!(list.len() == values.len(), "a cell for each number");
            for (at, (value, cell)) in values.iter().zip(list).enumerate() {
                accumulators[*cell as usize].add(*value, weight(at), index(at));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::cell::{Count, FloatSum, Highest, IntegerSum, Lowest, Moments, Nonzero, WeightedSum};
    use super::*;

    fn reduced<V: Value, A: Cell<V>>(count: usize, rows: &[Row<'_, V>]) -> Vec<A> {
        let mut accumulators = vec![A::EMPTY; count];
        rows.iter().for_each(|row| add_row(&mut accumulators, row));
        accumulators
    }

    const fn plain<'a, V>(values: &'a [V], cells: Cells<'a>) -> Row<'a, V> {
        Row { values, cells, weights: None, indices: None }
    }

    /// Numbers without a pattern, from -0.5 to 0.5.
    #[allow(clippy::cast_precision_loss)]
    fn noise(count: u64) -> Vec<f64> {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1_u32 << 31)
        };
        (0..count).map(|_| next() - 0.5).collect()
    }

    /// Such numbers, of very different sizes.
    fn numbers(count: u64) -> Vec<f64> {
        let sizes = (0..count).map(|at| if at % 7 == 0 { 1e12 } else { 1.0 });
        noise(count).into_iter().zip(sizes).map(|(number, size)| number * size).collect()
    }

    #[test]
    fn cells_of_rows() {
        let values = [1_i64, 2, 3, 4];
        let sums = |cells| -> Vec<i128> {
            reduced::<i64, IntegerSum>(5, &[plain(&values, cells)]).iter().map(|sum| sum.0).collect()
        };
        assert_eq!(sums(Cells::One(2)), [0, 0, 10, 0, 0]);
        assert_eq!(sums(Cells::Each { first: 1, width: 4 }), [0, 1, 2, 3, 4]);
        assert_eq!(sums(Cells::Each { first: 1, width: 2 }), [0, 4, 6, 0, 0]);
        assert_eq!(sums(Cells::Listed(&[4, 0, 4, 0])), [6, 0, 0, 0, 4]);
    }

    #[test]
    fn integers_are_summed_exactly() {
        let values = [u64::MAX, u64::MAX, 1, 0];
        let [sum] = reduced::<u64, IntegerSum>(1, &[plain(&values, Cells::One(0))])[..] else { panic!() };
        assert_eq!(sum.0, 2 * i128::from(u64::MAX) + 1);
        let [sum] = reduced::<i64, IntegerSum>(1, &[plain(&[i64::MIN, i64::MIN], Cells::One(0))])[..] else {
            panic!()
        };
        let mut words = Vec::new();
        Cell::<i64>::write(&sum, &mut words);
        assert_eq!(<IntegerSum as Cell<i64>>::read(&words), sum);
        assert_eq!(sum.0, 2 * i128::from(i64::MIN));
    }

    #[test]
    fn small_numbers_are_not_lost_beside_large_ones() {
        let values: Vec<f64> =
            [1e16].into_iter().chain(std::iter::repeat_n(1.0, 1000)).chain([-1e16]).collect();
        for cells in [Cells::One(0), Cells::Listed(&vec![0; values.len()])] {
            let [sum] = reduced::<f64, FloatSum>(1, &[plain(&values, cells)])[..] else { panic!() };
            assert_eq!(sum.total(), 1000.0);
        }
        let [sum] = reduced::<f64, FloatSum>(1, &[plain(&[f64::INFINITY, 1.0], Cells::One(0))])[..] else {
            panic!()
        };
        assert_eq!(sum.total(), f64::INFINITY);
        let both = [f64::INFINITY, f64::NEG_INFINITY];
        let [sum] = reduced::<f64, FloatSum>(1, &[plain(&both, Cells::One(0))])[..] else { panic!() };
        assert!(sum.total().is_nan());
    }

    #[test]
    #[allow(clippy::cast_precision_loss)]
    fn the_variance_is_that_of_two_passes() {
        let values: Vec<f64> = numbers(1000).iter().map(|number| 1e9 + number % 1.0).collect();
        let mean = values.iter().sum::<f64>() / 1000.0;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let listed = vec![0; 1000];
        for cells in [Cells::One(0), Cells::Listed(&listed)] {
            let rows: Vec<Row<'_, f64>> = match cells {
                Cells::One(_) => values.chunks(77).map(|values| plain(values, cells)).collect(),
                _ => vec![plain(&values, cells)],
            };
            let [found] = reduced::<f64, Moments>(1, &rows)[..] else { panic!() };
            assert!((found.squares - squares).abs() < 1e-6 * squares, "{} {squares}", found.squares);
            assert_eq!(found.weight, 1000.0);
        }
    }

    /// The squares of 3000 numbers at this distance from zero, exactly (Python's fractions) and as
    /// NumPy's `var` has them in two passes.
    const FAR: [(f64, f64, f64); 7] = [
        (1e0, 249.109_847_392_288_88, 249.109_847_392_288_86),
        (1e2, 249.109_847_392_288_88, 249.109_847_392_288_88),
        (1e4, 249.109_847_392_288_88, 249.109_847_392_288_88),
        (1e6, 249.109_847_392_288_88, 249.109_847_392_288_88),
        (1e8, 249.109_847_167_799_5, 249.109_847_167_799_67),
        (1e10, 249.109_816_568_688_61, 249.109_816_568_714_45),
        (1e12, 249.109_240_978_911_52, 249.109_243_795_275_7),
    ];

    #[test]
    fn the_variance_far_from_zero_is_exact() {
        let noise = noise(3000);
        for (offset, exact, of_numpy) in FAR {
            let values: Vec<f64> = noise.iter().map(|number| offset + number).collect();
            let (zeros, weights) = (vec![0; 3000], vec![1.0; 3000]);
            let weighted =
                Row { values: &values, cells: Cells::One(0), weights: Some(&weights), indices: None };
            let ways: [Vec<Row<'_, f64>>; 5] = [
                vec![plain(&values, Cells::One(0))],
                values.chunks(7).map(|values| plain(values, Cells::One(0))).collect(),
                vec![plain(&values, Cells::Listed(&zeros))],
                vec![plain(&values, Cells::Each { first: 0, width: 1 })],
                vec![weighted],
            ];
            for rows in ways {
                let [found] = reduced::<f64, Moments>(1, &rows)[..] else { panic!() };
                assert!((found.squares / exact - 1.0).abs() < 1e-12, "{offset}: {} {exact}", found.squares);
                assert!((found.squares / of_numpy - 1.0).abs() < 2e-8, "{offset}: {of_numpy}");
            }
            // As parts, which are merged by way of their words.
            let mut merged = <Moments as Cell<f64>>::EMPTY;
            for values in values.chunks(11) {
                let mut words = Vec::new();
                let part = reduced::<f64, Moments>(1, &[plain(values, Cells::One(0))]);
                Cell::<f64>::write(&part[0], &mut words);
                Cell::<f64>::merge(&mut merged, &<Moments as Cell<f64>>::read(&words));
            }
            assert!((merged.squares / exact - 1.0).abs() < 1e-12, "{offset}: {} {exact}", merged.squares);
        }
    }

    #[test]
    fn weights_count_as_often_as_they_say() {
        let (values, weights) = ([1.0, 5.0, 9.0], [2.0, 0.0, 1.0]);
        let row = Row { values: &values, cells: Cells::One(0), weights: Some(&weights), indices: None };
        let [sums] = reduced::<f64, WeightedSum>(1, &[row])[..] else { panic!() };
        assert_eq!((sums.weights.total(), sums.products.total()), (3.0, 11.0));
        let [found] = reduced::<f64, Moments>(1, &[row])[..] else { panic!() };
        let [same] = reduced::<f64, Moments>(1, &[plain(&[1.0, 1.0, 9.0], Cells::One(0))])[..] else {
            panic!()
        };
        assert!((found.squares - same.squares).abs() < 1e-12 && (found.mean() - same.mean()).abs() < 1e-12);
    }

    #[test]
    fn the_first_of_equals_is_the_extreme() {
        let (values, indices) = ([3_i64, 7, 7, 1, 1], [10, 11, 12, 13, 14]);
        let row = Row { values: &values, cells: Cells::One(0), weights: None, indices: Some(&indices) };
        let [highest] = reduced::<i64, Highest<i64>>(1, &[row])[..] else { panic!() };
        let [lowest] = reduced::<i64, Lowest<i64>>(1, &[row])[..] else { panic!() };
        assert_eq!((highest.value, highest.at, lowest.value, lowest.at), (7, 11, 1, 13));
        let [none] = reduced::<i64, Lowest<i64>>(1, &[])[..] else { panic!() };
        assert!(!none.is_some);
        let [all] = reduced::<i64, Lowest<i64>>(1, &[plain(&values, Cells::One(0))])[..] else { panic!() };
        assert_eq!(all.value, 1);
        let [nonzero] = reduced::<i64, Nonzero>(1, &[plain(&[0, 4, 0], Cells::One(0))])[..] else { panic!() };
        assert_eq!(nonzero.0, 1);
    }

    /// Merging the accumulators of parts is adding all their numbers.
    fn merges<A: Cell<f64> + std::fmt::Debug>(is_same: impl Fn(&A, &A) -> bool) {
        let values = numbers(500);
        let whole = reduced::<f64, A>(1, &[plain(&values, Cells::One(0))]);
        for at in [0, 1, 250, 499, 500] {
            let (before, after) = values.split_at(at);
            let mut merged = reduced::<f64, A>(1, &[plain(before, Cells::One(0))]);
            let mut words = Vec::new();
            reduced::<f64, A>(1, &[plain(after, Cells::One(0))])[0].write(&mut words);
            assert_eq!(words.len(), A::WORDS);
            merged[0].merge(&A::read(&words));
            assert!(is_same(&merged[0], &whole[0]), "{merged:?} {whole:?}");
        }
    }

    #[test]
    fn accumulators_merge() {
        merges::<Count>(|one, other| one == other);
        merges::<Nonzero>(|one, other| one == other);
        merges::<Lowest<f64>>(|one, other| one.value == other.value);
        merges::<Highest<f64>>(|one, other| one.value == other.value);
        merges::<FloatSum>(|one, other| (one.total() - other.total()).abs() <= 1e-15 * other.total().abs());
        merges::<Moments>(|one, other| (one.squares - other.squares).abs() <= 1e-12 * other.squares);
    }
}
