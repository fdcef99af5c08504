//! Compares reductions with the naive twin, and has cases of their own for what it does not tell.

use proptest::prelude::*;

use crate::answer::{Question, Settings};
use crate::contract::{Floats, PlaceIndices, Record, ReductionRequest};
use crate::kernel::number::NumberType;
use crate::records::read;
use crate::request::{Along, Bound, Dimension, Measures, NO_GROUP, Reduction, Spread};
use crate::session::{Part, Session};
use crate::twin::{by_parts, compare, each_index, floats};

/// What was expected and what was found, as an error tells both.
fn refusal<T>(result: crate::error::Result<T>) -> [String; 2] {
    let Err(error) = result else { panic!("no error") };
    let context = error.context();
    [&context.expected, &context.actual].map(|text| text.clone().unwrap_or_else(|| panic!("{error}")))
}

/// Cuts a box into parts along each dimension.
fn parts(shape: &[usize], step: usize) -> Vec<Part> {
    let counts: Vec<usize> = shape.iter().map(|extent| extent.div_ceil(step).max(1)).collect();
    let mut parts = Vec::new();
    each_index(&counts, |at| {
        let start: Vec<usize> = at.iter().map(|at| at * step).collect();
        let shape = start.iter().zip(shape).map(|(start, extent)| step.min(extent - start)).collect();
        parts.push(Part { start, shape });
    });
    parts
}

/// Answers by parts, of which the last one arrives first.
fn in_steps(reduction: &Reduction, elements: &[u8], step: usize) -> Session {
    let shape: Vec<usize> = reduction.dimensions.iter().map(|dimension| dimension.extent).collect();
    let parts = parts(&shape, step);
    let order: Vec<usize> = (0..parts.len()).rev().collect();
    by_parts(reduction, elements, &parts, &order)
}

fn dimension() -> impl Strategy<Value = Dimension> {
    let along = prop_oneof![
        Just(Along::Keep),
        Just(Along::Reduce),
        Just(Along::Group),
        (1_usize..4).prop_flat_map(|size| (0..size).prop_map(move |phase| Along::Blocks { size, phase })),
    ];
    (0_usize..7, along).prop_map(|(extent, along)| Dimension { extent, along })
}

fn spread<T: Clone + std::fmt::Debug, S: Strategy<Value = T>>(
    dimensions: Vec<usize>,
    shape: &[usize],
    value: S,
) -> impl Strategy<Value = Spread<T>> + use<T, S> {
    let count: usize = dimensions.iter().map(|at| shape[*at]).product();
    prop::collection::vec(value, count)
        .prop_map(move |values| Spread { dimensions: dimensions.clone(), values })
}

/// The dimensions whose bit is set.
fn chosen(bits: u8, count: usize) -> Vec<usize> {
    (0..count).filter(|at| bits & (1 << at) != 0).collect()
}

fn reduction() -> impl Strategy<Value = (Reduction, Vec<f64>)> {
    let sources =
        prop::sample::select(vec![NumberType::I16, NumberType::U8, NumberType::F32, NumberType::F64]);
    (prop::collection::vec(dimension(), 0..4), sources, any::<[u8; 3]>()).prop_flat_map(
        |(dimensions, source, [weighted, masked, options])| {
            let shape: Vec<usize> = dimensions.iter().map(|dimension| dimension.extent).collect();
            let count: usize = shape.iter().product();
            let grouped: Vec<usize> =
                (0..shape.len()).filter(|at| dimensions[*at].along == Along::Group).collect();
            let groups = if grouped.is_empty() { 0 } else { 3 };
            let label = prop_oneof![4 => 0_u32..3, 1 => Just(NO_GROUP)];
            let labels = spread(grouped, &shape, label).prop_map(move |list| (groups > 0).then_some(list));
            let weights =
                spread(chosen(weighted, shape.len()), &shape, (0_u8..5).prop_map(|at| f64::from(at) / 2.0));
            let weights = weights.prop_map(move |list| if weighted & 64 == 0 { vec![] } else { vec![list] });
            let mask = spread(chosen(masked, shape.len()), &shape, 0_u8..2);
            let mask = mask.prop_map(move |list| (masked & 64 != 0).then_some(list));
            let value: BoxedStrategy<f64> = match source {
                NumberType::U8 => (0_u8..9).prop_map(f64::from).boxed(),
                NumberType::I16 => (-9_i16..9).prop_map(f64::from).boxed(),
                _ => prop_oneof![6 => (-90_i16..90).prop_map(|at| f64::from(at) / 8.0), 1 => Just(f64::NAN)]
                    .boxed(),
            };
            let indices = shape
                .first()
                .filter(|_| options & 1 != 0)
                .map(|extent| (0, (0..*extent as u64).map(|at| 100 - 3 * at).collect()));
            let range = (options & 2 != 0).then_some([-3.0, 5.5].map(Bound::from));
            (labels, weights, mask, prop::collection::vec(value, count)).prop_map(
                move |(labels, weights, mask, values)| {
                    let measures = Measures {
                        sum: true,
                        moments: true,
                        lowest: true,
                        highest: true,
                        nonzero: true,
                        sketch: 1000,
                    };
                    let dimensions = dimensions.clone();
                    let indices = indices.clone();
                    (
                        Reduction {
                            dimensions,
                            source,
                            measures,
                            groups,
                            labels,
                            weights,
                            mask,
                            range,
                            indices,
                        },
                        values,
                    )
                },
            )
        },
    )
}

fn packed(values: &[f64], source: NumberType) -> Vec<u8> {
    let doubles: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let mut bytes = vec![0; values.len() * source.size()];
    crate::kernel::cast::cast(&doubles, NumberType::F64, &mut bytes, source);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn reductions_are_those_of_the_twin((reduction, values) in reduction(), step in 1_usize..5, skips_missing: bool) {
        let elements = packed(&values, reduction.source);
        let settings = Settings { source: reduction.source, freedom: 1.0, skips_missing, share: 0.25 };
        let session = in_steps(&reduction, &elements, step);
        prop_assert_eq!(compare(&session, &reduction, &elements, settings), Ok(()));
    }

    #[test]
    fn bytes_are_a_request_or_an_error((reduction, _) in reduction(), at in any::<prop::sample::Index>(), byte: u8) {
        let mut bytes = reduction.record().to_bytes();
        prop_assert_eq!(&Reduction::of(read(&bytes).unwrap()).unwrap(), &reduction);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = read(&bytes).and_then(Reduction::of);
        prop_assert!(read::<ReductionRequest>(&bytes[..at]).is_err());
    }
}

const SUM: Measures =
    Measures { sum: true, moments: false, lowest: false, highest: false, nonzero: false, sketch: 0 };

/// Rows that are longer than what is added at once, some with numbers that are missing.
#[test]
fn long_rows_are_those_of_the_twin() {
    let fates = [Along::Reduce, Along::Keep];
    let all = Measures { moments: true, lowest: true, highest: true, nonzero: true, ..SUM };
    for (along, extents) in [([0, 0, 1], [3, 4, 1100]), ([1, 0, 1], [2, 37, 70]), ([1, 0, 0], [2, 3, 2300])] {
        let dimension = |(along, extent): (usize, usize)| Dimension { extent, along: fates[along] };
        let reduction = Reduction {
            dimensions: along.into_iter().zip(extents).map(dimension).collect(),
            source: NumberType::F32,
            measures: SUM,
            groups: 0,
            labels: None,
            weights: vec![],
            mask: None,
            range: None,
            indices: None,
        };
        let count: usize = extents.iter().product();
        for missing in [usize::MAX, 1000, 3] {
            let value = |at: usize| match at % missing {
                2 => f64::NAN,
                _ => f64::from(u16::try_from(at % 977).unwrap()) - 400.0,
            };
            let elements = packed(&(0..count).map(value).collect::<Vec<_>>(), NumberType::F32);
            let settings =
                Settings { source: NumberType::F32, freedom: 1.0, skips_missing: true, share: 0.5 };
            for (step, measures) in [(1, SUM), (1000, SUM), (1000, all)] {
                let reduction = Reduction { measures, ..reduction.clone() };
                let session = in_steps(&reduction, &elements, step);
                compare(&session, &reduction, &elements, settings).unwrap();
            }
        }
    }
}

#[test]
fn of_equals_the_first_is_found_whatever_the_parts() {
    let whole = Reduction {
        dimensions: vec![
            Dimension { extent: 6, along: Along::Reduce },
            Dimension { extent: 2, along: Along::Keep },
        ],
        source: NumberType::U8,
        measures: Measures { lowest: true, highest: true, ..Measures::default() },
        groups: 0,
        labels: None,
        weights: vec![],
        mask: None,
        range: None,
        indices: Some((0, vec![10, 8, 6, 4, 2, 0])),
    };
    let elements = [5, 1, 3, 9, 3, 9, 7, 1, 3, 9, 7, 1];
    let settings = Settings { source: NumberType::U8, freedom: 0.0, skips_missing: true, share: 0.25 };
    for step in 1..=6 {
        let session = in_steps(&whole, &elements, step);
        let indices = |question| floats(&session.answer(question, settings).unwrap());
        assert_eq!(indices(Question::ArgMin), [8.0, 10.0]);
        assert_eq!(indices(Question::ArgMax), [4.0, 8.0]);
    }
}

#[test]
fn a_reduction_goes_on_from_another() {
    let whole = |extent| Reduction {
        dimensions: vec![
            Dimension { extent, along: Along::Reduce },
            Dimension { extent: 3, along: Along::Keep },
        ],
        source: NumberType::F64,
        measures: Measures { sum: true, moments: true, sketch: 9, ..Measures::default() },
        groups: 0,
        labels: None,
        weights: vec![],
        mask: None,
        range: None,
        indices: None,
    };
    let elements = |count: u32| packed(&(0..count).map(f64::from).collect::<Vec<_>>(), NumberType::F64);
    let all = elements(30);
    let (first, second) = all.split_at(8 * 3 * 6);
    let before = in_steps(&whole(6), first, 6);
    let mut session = Session::new(whole(4), u64::MAX).unwrap();
    session.resume(&before.words().unwrap(), &[]).unwrap();
    let words = whole(4).add(second).unwrap().to_words(&whole(4)).unwrap();
    session.take(0, Part { start: vec![0, 0], shape: vec![4, 3] }, &words).unwrap();
    let settings = Settings { source: NumberType::F64, freedom: 0.0, skips_missing: true, share: 0.5 };
    for question in [Question::Count, Question::Sum, Question::Quantile] {
        let together = in_steps(&whole(10), &all, 10);
        assert_eq!(session.answer(question, settings).unwrap(), together.answer(question, settings).unwrap());
    }
    assert_eq!(refusal(session.resume(&before.words().unwrap(), &[])), ["one without parts", "1 parts"]);
    let resumed = Session::new(whole(4), u64::MAX).unwrap().resume(&[0; 5], &[]);
    assert_eq!(refusal(resumed), ["the words of 3 cells", "5 words that are not"]);
}

#[test]
fn sums_of_integers_are_exact_or_errors() {
    let whole = |source| Reduction {
        dimensions: vec![Dimension { extent: 2, along: Along::Reduce }],
        source,
        measures: Measures { sum: true, ..Measures::default() },
        groups: 0,
        labels: None,
        weights: vec![],
        mask: None,
        range: None,
        indices: None,
    };
    let sum = |source, elements: &[u8]| {
        let settings = Settings { source, freedom: 0.0, skips_missing: true, share: 0.25 };
        whole(source).add(elements).unwrap().answer(Question::Sum, settings)
    };
    let two = [u64::MAX.to_le_bytes(), 1_u64.to_le_bytes()].concat();
    let error = sum(NumberType::U64, &two).unwrap_err().to_string();
    assert!(error.contains("float64") && error.contains("18446744073709551616"), "{error}");
    let found = sum(NumberType::I64, &[i64::MAX.to_le_bytes(), (-1_i64).to_le_bytes()].concat()).unwrap();
    assert_eq!(found.bytes, (i64::MAX - 1).to_le_bytes());
    let found = sum(NumberType::Bool, &[1, 1]).unwrap();
    assert_eq!((found.number, found.bytes), (NumberType::I64, 2_i64.to_le_bytes().to_vec()));
}

#[test]
fn parts_of_other_reductions_are_refused() {
    let (whole, _) = {
        let dimensions = vec![Dimension { extent: 4, along: Along::Keep }];
        let measures = Measures::default();
        let plain = Reduction {
            dimensions,
            source: NumberType::U8,
            measures,
            groups: 0,
            labels: None,
            weights: vec![],
            mask: None,
            range: None,
            indices: None,
        };
        (plain, ())
    };
    let mut session = Session::new(whole, u64::MAX).unwrap();
    let part = |start, extent| Part { start: vec![start], shape: vec![extent] };
    assert_eq!(refusal(session.within(&part(3, 2))), ["a box within [4]", "[2] elements from [3] on"]);
    let few = session.take(0, part(0, 2), &[0; 3]);
    assert_eq!(refusal(few), ["the words of 2 cells", "3 words that are not"]);
    session.take(0, part(0, 2), &[1, 2, 0, 0]).unwrap();
    let again = session.take(0, part(0, 2), &[1, 2, 0, 0]);
    assert_eq!(refusal(again), ["part 1 or a later one, once", "part 0 again"]);
    assert!(session.take(5, part(2, 2), &[1; 4]).is_ok());
    assert_eq!(refusal(session.take(5, part(2, 2), &[1; 4]))[1], "part 5 again");
    let settings = Settings { source: NumberType::U8, freedom: 0.0, skips_missing: true, share: 0.5 };
    assert_eq!(refusal(session.answer(Question::Sum, settings)), ["4 cells", "0"]);
    // The other part waits for those before it.
    assert_eq!(session.merged(), 2);
}

#[test]
fn accumulators_beyond_the_limit_are_refused_before_they_are_made() {
    let reduction = |extent, sketch| Reduction {
        dimensions: vec![
            Dimension { extent, along: Along::Keep },
            Dimension { extent: 1 << 20, along: Along::Reduce },
        ],
        source: NumberType::F32,
        measures: Measures { sum: true, sketch, ..Measures::default() },
        groups: 0,
        labels: None,
        weights: Vec::new(),
        mask: None,
        range: None,
        indices: None,
    };
    // Two counts and a sum with its rest.
    assert_eq!(reduction(1000, 0).accumulator_bytes().unwrap(), 1000 * 4 * 8);
    // Lists of 128 numbers: 2^20 numbers fill 13 of them.
    assert_eq!(reduction(1, 128).accumulator_bytes().unwrap(), (4 + 128 * 15) * 8);
    assert!(Session::new(reduction(1000, 0), 32_000).is_ok());
    let error = Session::new(reduction(1000, 0), 31_999).err().unwrap();
    assert_eq!(error.kind(), crate::error::ErrorKind::Limit);
    assert!(error.to_string().contains("32000"), "{error}");
}

#[test]
fn a_reduction_goes_on_from_one_with_fewer_groups() {
    let whole = |groups, labels: &[u32]| Reduction {
        dimensions: vec![
            Dimension { extent: 2, along: Along::Keep },
            Dimension { extent: labels.len(), along: Along::Group },
            Dimension { extent: 2, along: Along::Keep },
        ],
        source: NumberType::U8,
        measures: Measures { sum: true, ..Measures::default() },
        groups,
        labels: Some(Spread { dimensions: vec![1], values: labels.to_vec() }),
        weights: vec![],
        mask: None,
        range: None,
        indices: None,
    };
    let settings = Settings { source: NumberType::U8, freedom: 0.0, skips_missing: true, share: 0.0 };
    // Groups b and d, of one element each.
    let before = in_steps(&whole(2, &[0, 1]), &[1, 2, 3, 4, 5, 6, 7, 8], 2);
    // Groups a, b, c and d; the new elements are of c and d.
    let later = whole(4, &[2, 3]);
    let mut session = Session::new(later.clone(), u64::MAX).unwrap();
    session.resume(&before.words().unwrap(), &[1, 3]).unwrap();
    let words = later.add(&[10, 20, 30, 40, 50, 60, 70, 80]).unwrap().to_words(&later).unwrap();
    session.take(0, Part { start: vec![0, 0, 0], shape: vec![2, 2, 2] }, &words).unwrap();
    let sums = session.answer(Question::Sum, settings).unwrap();
    let sums: Vec<u64> = sums.bytes.as_chunks().0.iter().map(|sum| u64::from_le_bytes(*sum)).collect();
    assert_eq!(sums, [0, 0, 1, 2, 10, 20, 33, 44, 0, 0, 5, 6, 50, 60, 77, 88]);
    let mut other = Session::new(later, u64::MAX).unwrap();
    for groups in [&[][..], &[1], &[1, 4]] {
        let [expected, _] = refusal(other.resume(&before.words().unwrap(), groups));
        assert!(expected.starts_with("the words of ") || expected == "groups below 4", "{expected}");
    }
}

#[test]
fn contradictions_tell_what_is_expected_and_what_is_found() {
    let valid = Reduction {
        dimensions: vec![Dimension { extent: 3, along: Along::Keep }],
        source: NumberType::F64,
        measures: Measures::default(),
        groups: 0,
        labels: None,
        weights: vec![],
        mask: None,
        range: None,
        indices: None,
    };
    let along = |along| vec![Dimension { extent: 3, along }];
    let spread =
        |dimension: usize, values: &[f64]| Spread { dimensions: vec![dimension], values: values.to_vec() };
    let weighted = |weights| Reduction { weights: vec![weights], ..valid.clone() };
    let labelled = |along_dimension, label| Reduction {
        dimensions: along(along_dimension),
        groups: 2,
        labels: Some(Spread { dimensions: vec![0], values: vec![label; 3] }),
        ..valid.clone()
    };
    for (reduction, expected, actual) in [
        (weighted(spread(0, &[1.0, f64::NAN, 2.0])), "finite numbers", "NaN"),
        (weighted(spread(0, &[1.0])), "3 values over ascending dimensions", "1 over [0]"),
        (weighted(spread(1, &[1.0])), "dimensions below 1", "[1]"),
        (Reduction { groups: 2, ..valid.clone() }, "no groups", "2"),
        (Reduction { dimensions: along(Along::Group), ..valid.clone() }, "labels", "none"),
        (labelled(Along::Group, 2), "labels below 2", "2"),
        (labelled(Along::Keep, 1), "0 that are grouped", "[0]"),
        (
            Reduction { dimensions: along(Along::Blocks { size: 2, phase: 2 }), ..valid.clone() },
            "a phase below 2",
            "2",
        ),
        (Reduction { indices: Some((0, vec![1])), ..valid.clone() }, "3 indices", "1"),
    ] {
        assert_eq!(refusal(reduction.check()), [expected, actual]);
    }
    assert_eq!(refusal(valid.add(&[0; 9])), ["24 bytes", "9 bytes"]);
    let read = |record| refusal(Reduction::of(record));
    let record = valid.record();
    let indices = |values| {
        let indices = PlaceIndices { dimension: 0, values: Floats(values) };
        ReductionRequest { indices: Some(indices), ..record.clone() }
    };
    assert_eq!(read(indices(vec![0.5, 1.0, 2.0])), ["a count", "0.5"]);
    assert_eq!(read(indices(vec![0.0, -1.0, 2.0])), ["a count", "-1.0"]);
    let unknown = ReductionRequest { source: "int3".to_owned(), ..record.clone() };
    assert_eq!(read(unknown), ["a type of numbers", "int3"]);
}
