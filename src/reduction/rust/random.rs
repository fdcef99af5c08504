//! A million small reductions without a pattern, compared with the naive twin: ranks from 0 to 3,
//! all types of numbers with their extremes, missing and infinite ones, everything that may happen
//! to a dimension, labels, weights, masks and ranges, and parts of any shape in any order.
//!
//! Each case follows from its number alone. `RANDOM_CASE=123 cargo test --package
//! zarr-wasm-reduction random -- --nocapture` shows one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, thread};

use crate::answer::{Question, Settings};
use crate::kernel::cast::cast;
use crate::kernel::number::NumberType;
use crate::request::{Along, Bound, Dimension, Measures, NO_GROUP, Reduction, Spread};
use crate::session::Part;
use crate::twin::{by_parts, compare, each_index};

const CASES: u64 = 1_000_000;

/// Pseudorandom numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`.
    #[allow(clippy::cast_possible_truncation, reason = "below a usize")]
    fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    fn is_one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for at in (1..count).rev() {
            order.swap(at, self.below(at + 1));
        }
        order
    }
}

/// A reduction, the elements, the parts in the order of the plan, and the order of their arrival.
struct Case {
    reduction: Reduction,
    bytes: Vec<u8>,
    parts: Vec<Part>,
    order: Vec<usize>,
    settings: Settings,
}

fn dimension(random: &mut Random) -> Dimension {
    let size = 1 + random.below(4);
    let blocks = Along::Blocks { size, phase: random.below(size) };
    let along = random.of(&[Along::Keep, Along::Reduce, Along::Group, blocks]);
    // Few dimensions are empty.
    let extent = if random.is_one_in(24) { 0 } else { 1 + random.below(5) };
    Dimension { extent, along }
}

/// Values for some of the dimensions.
fn spread<T>(
    random: &mut Random,
    shape: &[usize],
    dimensions: Vec<usize>,
    value: impl Fn(&mut Random) -> T,
) -> Spread<T> {
    let count: usize = dimensions.iter().map(|at| shape[*at]).product();
    let values = (0..count).map(|_| value(random)).collect();
    Spread { dimensions, values }
}

fn some_of(random: &mut Random, rank: usize) -> Vec<usize> {
    (0..rank).filter(|_| random.is_one_in(2)).collect()
}

/// A float that each type has, or rounds to one that it has.
#[allow(clippy::cast_precision_loss, reason = "small numbers")]
fn float(random: &mut Random) -> f64 {
    match random.below(24) {
        0 | 1 => f64::NAN,
        2 => random.of(&[f64::INFINITY, f64::NEG_INFINITY]),
        3 => random.of(&[0.0, -0.0]),
        4 => (random.below(2_000_001) as f64 - 1e6) / 7.0,
        _ => (random.below(181) as f64 - 90.0) / 8.0,
    }
}

/// The bytes of elements. Integers are small numbers, bits without a pattern, or extremes.
fn elements(random: &mut Random, source: NumberType, count: usize) -> Vec<u8> {
    let is_far = random.is_one_in(4);
    let mut doubles = Vec::with_capacity(count * 8);
    for _ in 0..count {
        let value = match source {
            source if source.is_float() => float(random),
            NumberType::Bool => f64::from(u8::from(random.is_one_in(2))),
            #[allow(clippy::cast_precision_loss, reason = "small numbers")]
            source => random.below(9) as f64 - if source.is_signed() { 4.0 } else { 0.0 },
        };
        doubles.extend(value.to_le_bytes());
    }
    let mut bytes = vec![0; count * source.size()];
    cast(&doubles, NumberType::F64, &mut bytes, source);
    if is_far && source.is_integer() {
        for element in bytes.chunks_mut(source.size()) {
            let bits = match random.below(4) {
                0 => random.bits(),
                1 => u64::MAX,
                2 => 1 << (8 * source.size() - 1),
                _ => (1 << (8 * source.size() - 1)) - 1,
            };
            element.copy_from_slice(&bits.to_le_bytes()[..source.size()]);
        }
    }
    bytes
}

/// Cuts each dimension at some indices.
fn parts(random: &mut Random, shape: &[usize]) -> Vec<Part> {
    let mut along = Vec::with_capacity(shape.len());
    for extent in shape {
        let mut cuts: Vec<usize> = (1..*extent).filter(|_| random.is_one_in(3)).collect();
        cuts.insert(0, 0);
        cuts.push(*extent);
        along.push(cuts);
    }
    let counts: Vec<usize> = along.iter().map(|cuts| cuts.len() - 1).collect();
    let mut parts = Vec::new();
    each_index(&counts, |at| {
        let start: Vec<usize> = at.iter().zip(&along).map(|(at, cuts)| cuts[*at]).collect();
        let ends = at.iter().zip(&along).map(|(at, cuts)| cuts[at + 1]);
        let shape = ends.zip(&start).map(|(end, start)| end - start).collect();
        parts.push(Part { start, shape });
    });
    parts
}

fn measures(random: &mut Random) -> Measures {
    let mut is_wanted = || !random.is_one_in(4);
    Measures {
        sum: is_wanted(),
        moments: is_wanted(),
        lowest: is_wanted(),
        highest: is_wanted(),
        nonzero: is_wanted(),
        sketch: if is_wanted() { 1000 } else { 0 },
    }
}

fn reduction(random: &mut Random) -> Reduction {
    let rank = random.below(4);
    let dimensions: Vec<Dimension> = (0..rank).map(|_| dimension(random)).collect();
    let shape: Vec<usize> = dimensions.iter().map(|dimension| dimension.extent).collect();
    let grouped: Vec<usize> = (0..rank).filter(|at| dimensions[*at].along == Along::Group).collect();
    let groups = if grouped.is_empty() { 0 } else { 1 + random.below(4) };
    let label = |random: &mut Random| match random.below(5 * groups) {
        0 => NO_GROUP,
        label => u32::try_from(label % groups).unwrap(),
    };
    let labels = (groups > 0).then(|| spread(random, &shape, grouped, label));
    let weight = |random: &mut Random| random.of(&[0.0, 0.5, 1.0, 2.0, 3.25]);
    let lists = if random.is_one_in(3) { 1 + random.below(2) } else { 0 };
    let weights = (0..lists).map(|_| {
        let dimensions = some_of(random, rank);
        spread(random, &shape, dimensions, weight)
    });
    let weights = weights.collect();
    let mask = random.is_one_in(4).then(|| {
        let dimensions = some_of(random, rank);
        spread(random, &shape, dimensions, |random| u8::from(!random.is_one_in(3)))
    });
    let [infinite, far] = [f64::INFINITY, 9_007_199_254_740_992.0];
    let ranges = [[-3.0, 5.5], [-infinite, 2.0], [0.0, infinite], [1.0, 1.0], [-far, far]];
    let rests = [0.0, 1.0, -1.0];
    let range = random.is_one_in(4).then(|| {
        random.of(&ranges).map(|nearest| match nearest.abs() == far {
            true => Bound { nearest, rest: random.of(&rests) },
            false => Bound::from(nearest),
        })
    });
    let indices = (rank > 0 && random.is_one_in(2)).then(|| {
        let at = random.below(rank);
        (at, (0..shape[at] as u64).map(|place| 100 - 3 * place).collect())
    });
    let (source, measures) = (random.of(&NumberType::ALL), measures(random));
    Reduction { dimensions, source, measures, groups, labels, weights, mask, range, indices }
}

impl Case {
    fn new(number: u64) -> Self {
        let mut random = Random(number.wrapping_mul(0xd134_2543_de82_ef95));
        let random = &mut random;
        let reduction = reduction(random);
        let shape: Vec<usize> = reduction.dimensions.iter().map(|dimension| dimension.extent).collect();
        let bytes = elements(random, reduction.source, shape.iter().product());
        let parts = parts(random, &shape);
        let order = random.shuffled(parts.len());
        let settings = Settings {
            source: reduction.source,
            freedom: random.of(&[0.0, 1.0]),
            skips_missing: random.is_one_in(2),
            share: random.of(&[0.0, 0.25, 0.5, 0.9, 1.0]),
        };
        Self { reduction, bytes, parts, order, settings }
    }

    fn check(&self) -> Result<(), String> {
        let Self { reduction, bytes, parts, order, settings } = self;
        let session = by_parts(reduction, bytes, parts, order);
        compare(&session, reduction, bytes, *settings)?;
        if parts.len() < 2 || order[0] == 0 {
            return Ok(());
        }
        // The same bits, in whichever order the parts arrive.
        let in_order: Vec<usize> = (0..parts.len()).collect();
        let other = by_parts(reduction, bytes, parts, &in_order);
        let answers = |question| [&session, &other].map(|session| session.answer(question, *settings).ok());
        let differs = |question: &Question| matches!(answers(*question), [one, other] if one != other);
        match Question::ALL.iter().find(|question| differs(question)) {
            Some(question) => Err(format!("{question:?}: the order of arrival changes the bits")),
            None => Ok(()),
        }
    }
}

/// A kind of cases, and whether a case is one.
type Kind = (&'static str, fn(&Case) -> bool);

/// The kinds of cases that are counted: each must be frequent.
const KINDS: [Kind; 12] = [
    ("no dimensions", |case| case.reduction.dimensions.is_empty()),
    ("three dimensions", |case| case.reduction.dimensions.len() == 3),
    ("no elements", |case| case.bytes.is_empty()),
    ("float16", |case| case.reduction.source == NumberType::F16),
    ("uint64", |case| case.reduction.source == NumberType::U64),
    ("bool", |case| case.reduction.source == NumberType::Bool),
    ("blocks", |case| has(case, |along| matches!(along, Along::Blocks { .. }))),
    ("two grouped dimensions", |case| {
        case.reduction.labels.as_ref().is_some_and(|labels| labels.dimensions.len() > 1)
    }),
    ("weights", |case| !case.reduction.weights.is_empty()),
    ("a mask and a range", |case| case.reduction.mask.is_some() && case.reduction.range.is_some()),
    ("parts in another order", |case| !case.order.is_sorted()),
    ("missing numbers count", |case| !case.settings.skips_missing),
];

fn has(case: &Case, is: fn(&Along) -> bool) -> bool {
    case.reduction.dimensions.iter().any(|dimension| is(&dimension.along))
}

#[test]
#[allow(clippy::print_stdout, reason = "the counts, which `--nocapture` shows")]
fn a_million_random_reductions_are_those_of_the_twin() {
    if let Ok(number) = env::var("RANDOM_CASE") {
        let case = Case::new(number.parse().unwrap());
        println!("{:#?}\n{:?} {:?}", case.reduction, case.parts, case.settings);
        case.check().unwrap();
        return;
    }
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let counts = KINDS.map(|_| AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= CASES {
                        return;
                    }
                    let case = Case::new(number);
                    case.check().unwrap_or_else(|wrong| panic!("RANDOM_CASE={number}: {wrong}"));
                    done.fetch_add(1, Ordering::Relaxed);
                    for ((_, is_so), count) in KINDS.iter().zip(&counts) {
                        count.fetch_add(u64::from(is_so(&case)), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    println!("{} random reductions", done.load(Ordering::Relaxed));
    for ((kind, _), count) in KINDS.iter().zip(&counts) {
        let count = count.load(Ordering::Relaxed);
        println!("{count:>8} {kind}");
        assert!(count > CASES / 50, "few cases: {kind}");
    }
    assert_eq!(done.into_inner(), CASES);
}
